//! What doc comments and attributes become.

use palisade_sdk::prelude::*;

use crate::tool;

#[derive(Default)]
struct Described;

#[plugin]
impl Described {
    /// Finds files.
    ///
    /// Searches a folder and everything in it, as deep as it
    /// goes, and tells apart
    ///
    /// - files, whose names
    ///   match the pattern
    /// - folders
    ///
    /// ```
    /// *.rs   all Rust files
    /// **/x   x anywhere
    /// ```
    #[tool(
        name = "find.files-v2",
        title = "Find files",
        read_only,
        open_world = false
    )]
    fn find(&self) {}

    /** Deletes it.
     */
    #[tool(destructive, idempotent = true, read_only = false)]
    fn delete(&self) {}

    /// Says nothing about itself.
    #[tool]
    fn plain(&self) {}

    /// Not a tool.
    #[expect(dead_code, reason = "it is here to be left out")]
    fn helper(&self) {}
}

#[test]
fn tools_are_listed_in_the_order_in_which_they_are_written() {
    use palisade_sdk::bindings::tools::exports::palisade::mcp::tools::Guest as _;

    let names: Vec<String> = Described::list_tools()
        .unwrap()
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(names, ["find.files-v2", "delete", "plain"]);
}

#[test]
fn a_comments_paragraphs_are_joined_and_its_lists_and_code_are_not() {
    assert_eq!(
        tool::<Described>("find.files-v2").description.unwrap(),
        "Finds files.\n\
         \n\
         Searches a folder and everything in it, as deep as it goes, and tells apart\n\
         \n\
         - files, whose names match the pattern\n\
         - folders\n\
         \n\
         ```\n\
         *.rs   all Rust files\n\
         **/x   x anywhere\n\
         ```"
    );
    assert_eq!(
        tool::<Described>("delete").description.unwrap(),
        "Deletes it."
    );
}

#[test]
fn only_hints_that_were_given_are_sent() {
    let find = tool::<Described>("find.files-v2");
    assert_eq!(find.title.as_deref(), Some("Find files"));
    let hints = find.annotations.unwrap();
    assert_eq!(hints.read_only_hint, Some(true));
    assert_eq!(hints.destructive_hint, None);
    assert_eq!(hints.idempotent_hint, None);
    assert_eq!(hints.open_world_hint, Some(false));

    let hints = tool::<Described>("delete").annotations.unwrap();
    assert_eq!(hints.read_only_hint, Some(false));
    assert_eq!(hints.destructive_hint, Some(true));
    assert_eq!(hints.idempotent_hint, Some(true));

    let plain = tool::<Described>("plain");
    assert!(plain.annotations.is_none());
    assert!(plain.title.is_none());
}
