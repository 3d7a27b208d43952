//! What doc comments and attributes become.

use palisade_sdk::prelude::*;

use crate::tool;

// As odd as it can be, to see that nobody touches it.
const OWN_SCHEMA: &str = r#"{ "type": "object",  "anyOf": [{}] }"#;

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

    /// Says everything there is to say.
    #[tool(
        task = "optional",
        icons = [Icon::new("https://example.org/a.png").size("48x48").dark()],
        meta = r#"{"example.org/a":1}"#,
        schema = OWN_SCHEMA
    )]
    fn all(&self, args: Args<serde_json::Value>) -> String {
        args.0.to_string()
    }

    /// Extends the schemas of its arguments.
    #[tool(task = "required")]
    fn extended(
        &self,
        #[arg(title = "Region", extend("x-mcp-header" = "Region", "maxLength" = 2))] region: Option<
            String,
        >,
    ) {
        drop(region);
    }

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
    assert_eq!(
        names,
        ["find.files-v2", "delete", "plain", "all", "extended"]
    );
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

#[test]
fn what_else_is_said_of_a_tool_is_sent() {
    use palisade_sdk::bindings::types::{IconTheme, TaskSupport};

    let all = tool::<Described>("all");
    assert_eq!(all.input_schema, OWN_SCHEMA);
    assert_eq!(all.meta.as_deref(), Some(r#"{"example.org/a":1}"#));
    assert!(matches!(all.task_support, TaskSupport::Optional));
    let [icon] = &all.icons[..] else {
        panic!("{:?}", all.icons)
    };
    assert_eq!(icon.src, "https://example.org/a.png");
    assert_eq!(icon.sizes, ["48x48"]);
    assert!(matches!(icon.theme, Some(IconTheme::Dark)));
    assert_eq!(crate::text::<Described>("all", r#"{"x":1}"#), r#"{"x":1}"#);

    let extended = tool::<Described>("extended");
    assert!(matches!(extended.task_support, TaskSupport::Required));
    let plain = tool::<Described>("plain");
    assert!(matches!(plain.task_support, TaskSupport::Forbidden));
}

#[test]
fn a_schema_may_say_more_of_an_argument_than_its_type() {
    assert_eq!(
        crate::input_schema::<Described>("extended")["properties"]["region"],
        serde_json::json!({
            "type": "string",
            "title": "Region",
            "maxLength": 2,
            "x-mcp-header": "Region",
        })
    );
}
