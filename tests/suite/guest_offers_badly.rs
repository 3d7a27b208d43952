//! A plugin whose prompts or resource templates are wrong is not served at all,
//! and one sentence says which of them is to blame.

use palisade_tests::{Palisade, guest};

use crate::guest_cases::Cases;

fn cases() -> Cases {
    Cases::new("bad-offers", "offering-case")
}

#[test]
fn the_prompt_is_named() {
    let cases = cases();
    for (case, says) in [
        ("prompt-name-empty", "\"\" is not a prompt name"),
        ("prompt-name-escape", "[2Jbad"),
        ("prompt-name-long", "is not a prompt name"),
        ("argument-empty", "\"bad\" has an argument without a name"),
        (
            "argument-two-alike",
            "\"bad\" has two arguments called \"who\"",
        ),
        ("prompt-meta", "the _meta of \"bad\""),
        ("prompt-two-alike", "two prompts called \"good\""),
    ] {
        let line = cases.refused(case);
        assert!(line.contains(says), "{case}: {line}");
    }
}

#[test]
fn the_template_is_named() {
    let cases = cases();
    for (case, says) in [
        ("template-empty", "\"thing\" has no URI template"),
        (
            "template-long",
            "the URI template of \"thing\" is 9223 bytes long",
        ),
        ("template-open", "\"test://bad/{id\""),
        ("template-closed", "\"test://bad/id}\""),
        ("template-nested", "\"test://bad/{{id}}\""),
        ("template-line", "test://bad/"),
        ("template-meta", "the _meta of \"test://bad/{id}\""),
        ("template-priority", "the priority of \"test://bad/{id}\""),
        ("template-two-alike", "\"test://good/{id}\""),
    ] {
        let line = cases.refused(case);
        assert!(line.contains(says), "{case}: {line}");
    }
}

#[test]
fn a_list_that_is_wrong_as_a_whole() {
    let cases = cases();
    for (case, says) in [
        ("prompt-thousands", "5000 prompts"),
        ("prompt-large", "its list of prompts is 47"),
        ("prompt-error", "no prompts today"),
        ("prompt-trap", "crashed"),
        ("template-thousands", "5000 resource templates"),
        ("template-error", "no templates today"),
    ] {
        let line = cases.refused(case);
        assert!(line.contains(says), "{case}: {line}");
    }
}

/// The same lists, with nothing wrong, are taken: the cases fail for what they
/// say and not for how they are made. No tool is needed for it.
#[test]
fn the_good_case_is_taken() {
    let shown = Palisade::inspect(guest("bad-offers"))
        .arg("--json")
        .output();
    let shown = shown.success().json();
    assert_eq!(shown["prompts"][0]["name"], "good");
    assert_eq!(
        shown["resource_templates"][0]["uriTemplate"],
        "test://good/{id}"
    );
    assert_eq!(shown["offers"]["tools"], false);
}
