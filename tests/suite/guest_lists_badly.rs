//! A plugin whose list of tools is wrong is not served at all, and one
//! sentence says which tool is to blame.

use palisade_tests::stage::open;
use palisade_tests::{Palisade, guest, rpc};
use serde_json::json;

use crate::guest_cases::Cases;

fn cases() -> Cases {
    Cases::new("bad-listings", "listing-case")
}

#[test]
fn the_tool_is_named() {
    let cases = cases();
    for (case, says) in [
        ("input-empty", "input schema"),
        ("input-no-json", "input schema"),
        ("input-array", "input schema"),
        ("input-true", "input schema"),
        ("input-no-object", "\"type\": \"object\""),
        ("input-no-schema", "input schema"),
        ("input-remote", "input schema"),
        ("input-file", "input schema"),
        ("input-pattern", "input schema"),
        ("input-dialect", "input schema"),
        ("input-deep", "input schema"),
        ("output-no-json", "output schema"),
        ("output-no-object", "output schema"),
        ("header-name", "input schema"),
        ("header-type", "input schema"),
        ("header-twice", "input schema"),
        ("header-items", "input schema"),
        ("meta-no-json", "_meta"),
        ("meta-no-object", "_meta"),
    ] {
        let line = cases.refused(case);
        assert!(line.contains("\"bad\""), "{case}: {line}");
        assert!(line.contains(says), "{case}: {line}");
    }
}

#[test]
fn a_name_that_is_none_is_shown() {
    let cases = cases();
    for (case, shown) in [
        ("name-empty", "\"\""),
        ("name-space", "two words"),
        ("name-line", "two\\nlines"),
        ("name-escape", "[2Jbad"),
        ("name-lookalike", "g"),
        ("name-slash", "../bad"),
        ("name-long", "xxxxxxxx"),
    ] {
        let line = cases.refused(case);
        assert!(line.contains(shown), "{case}: {line}");
        assert!(line.contains("is not a tool name"), "{case}: {line}");
    }
}

#[test]
fn a_list_that_is_wrong_as_a_whole() {
    let cases = cases();
    let line = cases.refused("two-of-one-name");
    assert!(line.contains("two tools called \"good\""), "{line}");
    let line = cases.refused("thousands");
    assert!(line.contains("5000 tools"), "{line}");
    let line = cases.refused("long");
    assert!(line.contains("limit"), "{line}");
    let line = cases.refused("error");
    assert!(line.contains("no list today"), "{line}");
    let line = cases.refused("trap");
    assert!(line.contains("crashed"), "{line}");
    // Of the two, which comes first is up to the machine.
    let line = cases.refused("loop");
    assert!(
        line.contains("limit of c") && line.contains("-time"),
        "{line}"
    );
}

#[test]
fn nothing_of_it_is_served() {
    let cases = cases();
    let plugin = cases.plugin("input-no-object");
    let finished = Palisade::run(&plugin).output();
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert_eq!(finished.stdout, "");
    let finished = Palisade::call(&plugin, "good", "{}").output();
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert_eq!(finished.stdout, "");
}

/// The same list, with nothing wrong, is served: the cases fail for what they
/// say and not for how they are made.
#[test]
fn the_good_case_is_served() {
    let mut session = open(&Palisade::run(guest("bad-listings")));
    let listed = session.ask("tools/list", json!({}));
    assert_eq!(listed["result"]["tools"][0]["name"], "good");
}

/// Structured content need not be an object; revisions in which it must be are
/// not shown the schema.
#[test]
fn an_output_schema_may_be_for_anything() {
    let cases = cases();
    let mut session = open(&Palisade::run(cases.plugin("output-array")));
    let listed = session.ask("tools/list", json!({}));
    assert_eq!(listed["result"]["tools"][1]["outputSchema"], json!(null));
    let listed = session.ask("tools/list", rpc::stateless(json!({})));
    let schema = &listed["result"]["tools"][1]["outputSchema"];
    assert_eq!(schema["type"], "array", "{listed}");
}

/// Icons are fetched by clients, so only addresses that can be are passed on.
#[test]
fn icons_of_strange_schemes_are_left_out() {
    let cases = cases();
    let mut session = open(&Palisade::run(cases.plugin("icons")));
    let listed = session.ask("tools/list", json!({}));
    let icons = &listed["result"]["tools"][1]["icons"];
    assert_eq!(*icons, json!([{"src": "https://example.com/i"}]));
}

#[test]
fn what_steers_a_terminal_is_taken_out() {
    let cases = cases();
    let plugin = cases.plugin("text-escape");
    let finished = Palisade::inspect(&plugin).output();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(!finished.stdout.contains('\u{1b}'), "{}", finished.stdout);

    let mut session = open(&Palisade::run(&plugin));
    let listed = session.ask("tools/list", json!({}));
    let bad = &listed["result"]["tools"][1];
    for text in [
        &bad["title"],
        &bad["description"],
        &bad["annotations"]["title"],
    ] {
        let text = text.as_str().unwrap();
        assert!(!text.contains('\u{1b}'), "{bad}");
    }
}
