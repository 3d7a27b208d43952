//! Resources: listed, found by their addresses, and read.

use palisade_sdk::bindings::resources::exports::palisade::mcp::resources::{Guest, ReadOutcome};
use palisade_sdk::bindings::types::{self, ResourceBody};
use palisade_sdk::prelude::*;

use crate::context;

#[derive(Default)]
struct Library;

#[plugin]
impl Library {
    /// What there is to know.
    #[resource(
        uri = "test://about",
        mime_type = "text/plain",
        title = "About",
        size = 5,
        icons = ["https://example.org/i.png"],
        meta = r#"{"a":1}"#
    )]
    fn about(&self) -> &'static str {
        "about"
    }

    /// A picture.
    #[resource(uri = "test://picture", name = "picture.png", mime_type = "image/png")]
    fn picture(&self, _ctx: &Context) -> Vec<u8> {
        vec![1, 2]
    }

    /// A page of a book.
    #[resource(
        template = "test://books/{book}/pages/{page}.txt",
        mime_type = "text/plain"
    )]
    fn page(&self, page: u8, book: String) -> Result<String> {
        if page == 0 {
            bail!("there is no page 0");
        }
        Ok(format!("{book}, page {page}"))
    }

    /// Something that needs an answer.
    #[resource(template = "ask://{what}")]
    fn ask(&self, what: String, ctx: &Context) -> Result<Contents> {
        let sure = ctx.ask("sure", Elicit::form(what))?;
        Ok(Contents::text(format!("{:?}", sure.is_accepted())).mime_type("text/html"))
    }

    #[resources]
    fn list(&self) -> Result<Vec<ResourceLink>> {
        Ok(vec![ResourceLink::new("test://now", "now").priority(0.5)])
    }

    #[read]
    fn other(&self, uri: String) -> Result<Vec<Contents>> {
        if uri != "test://now" {
            return Err(Error::not_found(uri));
        }
        Ok(vec![
            Contents::text("now"),
            Contents::blob([3]).uri("test://now/3"),
        ])
    }
}

#[derive(Default)]
struct Small;

#[plugin]
impl Small {
    /// The only one.
    #[resource(uri = "test://only")]
    fn only(&self) -> String {
        "only".to_owned()
    }
}

fn read<P: Guest>(uri: &str) -> Result<Vec<types::ResourceContents>, types::Error> {
    P::read_resource(uri.to_owned(), context()).map(|outcome| match outcome {
        ReadOutcome::Complete(contents) => contents,
        ReadOutcome::InputRequired(required) => panic!("{required:?}"),
    })
}

fn text(uri: &str) -> Option<String> {
    let contents = read::<Library>(uri).ok()?;
    match contents.into_iter().next()?.body {
        ResourceBody::Text(text) => Some(text),
        ResourceBody::Blob(_) => None,
    }
}

#[test]
fn fixed_addresses_are_listed_before_those_that_come_and_go() {
    let list = Library::list_resources(context()).unwrap();
    let uris: Vec<&str> = list.iter().map(|info| &info.uri[..]).collect();
    assert_eq!(uris, ["test://about", "test://picture", "test://now"]);
    let about = &list[0];
    assert_eq!((&about.name[..], about.size), ("about", Some(5)));
    assert_eq!(about.title.as_deref(), Some("About"));
    assert_eq!(about.description.as_deref(), Some("What there is to know."));
    assert_eq!(about.mime_type.as_deref(), Some("text/plain"));
    assert_eq!(about.icons[0].src, "https://example.org/i.png");
    assert_eq!(about.meta.as_deref(), Some(r#"{"a":1}"#));
    assert_eq!(list[1].name, "picture.png");

    let templates = Library::list_templates().unwrap();
    assert_eq!(
        templates[0].uri_template,
        "test://books/{book}/pages/{page}.txt"
    );
    assert_eq!(templates[0].name, "page");
}

#[test]
fn what_is_read_has_the_address_and_type_that_were_said() {
    let [about] = &read::<Library>("test://about").unwrap()[..] else {
        panic!()
    };
    assert_eq!(about.uri, "test://about");
    assert_eq!(about.mime_type.as_deref(), Some("text/plain"));
    assert!(matches!(&about.body, ResourceBody::Text(text) if text == "about"));

    let picture = &read::<Library>("test://picture").unwrap()[0];
    assert!(matches!(&picture.body, ResourceBody::Blob(bytes) if bytes == &[1, 2]));

    let now = read::<Library>("test://now").unwrap();
    assert_eq!(
        (&now[0].uri[..], &now[1].uri[..]),
        ("test://now", "test://now/3")
    );
}

#[test]
fn a_template_finds_its_variables() {
    let cases = [
        ("test://books/a/pages/1.txt", Some("a, page 1")),
        ("test://books/%C3%BC%2f/pages/7.txt", Some("ü/, page 7")),
        // Not one of its addresses.
        ("test://books//pages/1.txt", None),
        ("test://books/a/b/pages/1.txt", None),
        ("test://books/a/pages/1.txt.txt", None),
        ("test://books/a/pages/.txt", None),
        ("test://books/%/pages/1.txt", None),
        ("test://books/%ff/pages/1.txt", None),
        ("test://books/a?/pages/1.txt", None),
        ("test://books/", None),
        // Its address, but no page.
        ("test://books/a/pages/300.txt", None),
        ("test://books/a/pages/x.txt", None),
    ];
    for (uri, expected) in cases {
        assert_eq!(text(uri).as_deref(), expected, "{uri}");
    }
}

#[test]
fn what_is_not_there_is_not_found() {
    for uri in ["test://elsewhere", "test://abou", ""] {
        let error = read::<Library>(uri).unwrap_err();
        assert_eq!(error.kind, types::ErrorKind::NotFound);
        let error = read::<Small>(uri).unwrap_err();
        assert_eq!(error.kind, types::ErrorKind::NotFound);
        assert_eq!(error.data.unwrap(), format!(r#"{{"uri":"{uri}"}}"#));
    }
    assert!(read::<Small>("test://only").is_ok());
}

#[test]
fn a_failure_is_an_error_since_there_is_no_failed_result() {
    let error = read::<Library>("test://books/a/pages/0.txt").unwrap_err();
    assert_eq!(error.kind, types::ErrorKind::Internal);
    assert_eq!(error.message, "there is no page 0");
}

#[test]
fn a_resource_may_ask_too() {
    let outcome = Library::read_resource("ask://x".to_owned(), context()).unwrap();
    let ReadOutcome::InputRequired(required) = outcome else {
        panic!()
    };
    assert_eq!(required.requests[0].key, "sure");
}
