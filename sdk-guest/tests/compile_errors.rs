//! A plugin that is written wrongly does not compile, and the compiler says
//! what is expected, where.

#[test]
fn wrong_plugins_are_explained_and_right_ones_compile() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/*.rs");
}
