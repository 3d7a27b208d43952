use palisade_sdk::bindings::tools::exports::palisade::mcp::tools::Guest as _;
use serde_json::Value;

use crate::GitHub;

#[test]
fn all_but_one_only_read() {
    let tools = GitHub::list_tools().unwrap();
    assert_eq!(tools.len(), 12);
    for tool in tools {
        let hints = tool.annotations.unwrap();
        let reads = tool.name != "create_issue";
        assert_eq!(hints.read_only_hint, Some(reads), "{}", tool.name);
        assert_eq!(hints.open_world_hint, Some(true), "{}", tool.name);
        let schema: Value = serde_json::from_str(&tool.input_schema).unwrap();
        if let Some(page) = schema["properties"].get("perPage") {
            assert_eq!(
                (&page["default"], &page["maximum"]),
                (&30.into(), &100.into())
            );
        }
    }
}

#[test]
fn bad_arguments_are_refused_before_anything_is_asked() {
    let plugin = GitHub;
    let owner = || "a".to_owned();
    let error = plugin.get_issue("..".to_owned(), owner(), 1).unwrap_err();
    assert!(error.message().starts_with("owner is \"..\""), "{error:?}");
    let error = (plugin.create_issue(
        owner(),
        owner(),
        " ".to_owned(),
        None,
        Vec::new(),
        Vec::new(),
    ))
    .unwrap_err();
    assert_eq!(error.message(), "title is empty: say what it is about");
    let error = (plugin.get_file_contents(owner(), owner(), "../x".to_owned(), None)).unwrap_err();
    assert!(error.message().starts_with("path is \"../x\""), "{error:?}");
}
