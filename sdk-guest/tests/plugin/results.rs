//! What a tool returns, and what the host gets.

use palisade_sdk::bindings::types::{ContentBlock, ResourceBody};
use palisade_sdk::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::{call, only_text, text};

#[derive(Serialize, JsonSchema)]
struct Report {
    content: String,
}

#[derive(Default)]
struct Returns {
    calls: u32,
}

#[plugin]
impl Returns {
    /// Counts its calls.
    #[tool]
    fn count(&mut self) -> String {
        self.calls += 1;
        self.calls.to_string()
    }

    /// Returns nothing.
    #[tool]
    fn nothing(&self) -> Result<()> {
        Ok(())
    }

    /// Returns a structure.
    #[tool]
    fn structured(&self) -> Result<Json<Report>> {
        Ok(Report {
            content: "ü".to_owned(),
        }
        .into())
    }

    /// Returns a structure, and shows something else.
    #[tool]
    fn shown(&self) -> Json<Report> {
        let content = "what is in it".to_owned();
        let shown = Content::text(content.clone());
        Json::new(Report { content }).with_content([shown])
    }

    /// Returns a bit of everything.
    #[tool]
    fn everything(&self) -> Vec<Content> {
        let link = ResourceLink::new("file:///a.md", "a.md")
            .title("A")
            .description("The first letter")
            .mime_type("text/markdown")
            .size(1 << 40);
        vec![
            Content::text("for people")
                .audience([Role::User])
                .priority(7.0),
            Content::image([1, 2], "image/png"),
            Content::audio([3], "audio/wav")
                .last_modified("2026-11-30T00:00:00Z")
                .meta(serde_json::Map::from_iter([("a".to_owned(), json!(1))])),
            link.into(),
            Content::embedded_text("file:///b", "text/plain", "b"),
            Content::embedded_blob("file:///c", "application/octet-stream", [0xff]),
        ]
    }

    /// Fails on its own terms.
    #[tool]
    fn by_hand(&self) -> Result<ToolResult> {
        let mut meta = serde_json::Map::new();
        meta.insert("example.org/a".to_owned(), json!(1));
        ToolResult::new([])
            .with("half of it")
            .failed()
            .meta(meta)
            .structured(&json!({ "done": 0.5 }))
    }
}

#[test]
fn a_structured_result_is_there_as_json_and_as_text() {
    let result = call::<Returns>("structured", "{}").unwrap();
    assert_eq!(only_text(&result), r#"{"content":"ü"}"#);
    assert_eq!(
        result.structured_content.as_deref(),
        Some(r#"{"content":"ü"}"#)
    );
}

#[test]
fn a_structured_result_may_show_something_else() {
    let result = call::<Returns>("shown", "{}").unwrap();
    assert_eq!(only_text(&result), "what is in it");
    assert_eq!(
        result.structured_content.as_deref(),
        Some(r#"{"content":"what is in it"}"#)
    );
}

#[test]
fn content_of_every_kind_arrives() {
    let result = call::<Returns>("everything", "{}").unwrap();
    assert_eq!(result.structured_content, None);
    let [text, image, audio, link, embedded, blob] = &result.content[..] else {
        panic!("{:?}", result.content)
    };
    let ContentBlock::Text(text) = text else {
        panic!("{text:?}")
    };
    let hints = text.annotations.as_ref().unwrap();
    assert_eq!((hints.audience.len(), hints.priority), (1, Some(1.0)));
    let ContentBlock::Image(image) = image else {
        panic!("{image:?}")
    };
    assert_eq!(
        (&image.data[..], &image.mime_type[..]),
        (&[1, 2][..], "image/png")
    );
    let ContentBlock::Audio(audio) = audio else {
        panic!("{audio:?}")
    };
    let hints = audio.annotations.as_ref().unwrap();
    assert_eq!(hints.last_modified.as_deref(), Some("2026-11-30T00:00:00Z"));
    assert_eq!(audio.meta.as_deref(), Some(r#"{"a":1}"#));
    let ContentBlock::ResourceLink(link) = link else {
        panic!("{link:?}")
    };
    assert_eq!((&link.uri[..], link.size), ("file:///a.md", Some(1 << 40)));
    let ContentBlock::Embedded(embedded) = embedded else {
        panic!("{embedded:?}")
    };
    assert!(matches!(&embedded.contents.body, ResourceBody::Text(text) if text == "b"));
    let ContentBlock::Embedded(blob) = blob else {
        panic!("{blob:?}")
    };
    assert!(matches!(&blob.contents.body, ResourceBody::Blob(bytes) if bytes == &[0xff]));
}

#[test]
fn nothing_is_a_result_without_content() {
    let result = call::<Returns>("nothing", "{}").unwrap();
    assert!(result.content.is_empty());
    assert!(!result.is_error);
}

#[test]
fn a_result_may_be_made_by_hand() {
    let result = call::<Returns>("by_hand", "{}").unwrap();
    assert_eq!(only_text(&result), "half of it");
    assert!(result.is_error);
    assert_eq!(
        result.structured_content.as_deref(),
        Some(r#"{"done":0.5}"#)
    );
    assert_eq!(result.meta.as_deref(), Some(r#"{"example.org/a":1}"#));
}

#[test]
fn what_a_plugin_keeps_lasts_as_long_as_its_instance() {
    assert_eq!(text::<Returns>("count", "{}"), "1");
    assert_eq!(text::<Returns>("count", "{}"), "2");
    // Another thread stands for another instance.
    let other = std::thread::spawn(|| text::<Returns>("count", "{}"));
    assert_eq!(other.join().unwrap(), "1");
}
