//! Tools that answer more than anybody wants to hear.

use palisade_sdk::prelude::*;

/// Answers.
#[derive(Default)]
struct ReturnsMuch;

#[plugin]
impl ReturnsMuch {
    /// Text.
    #[tool]
    fn text(&self, bytes: usize) -> String {
        "x".repeat(bytes)
    }

    /// Text that grows sixfold when it is written as JSON.
    #[tool]
    fn controls(&self, bytes: usize) -> String {
        "\u{1}".repeat(bytes)
    }

    /// An image.
    #[tool]
    fn blob(&self, bytes: usize) -> Content {
        Content::image(vec![7; bytes], "image/png")
    }

    /// Blocks without any text in them.
    #[tool]
    fn many_blocks(&self, count: usize) -> Vec<Content> {
        vec![Content::text(""); count]
    }

    /// One link whose title is long.
    #[tool]
    fn long_title(&self, bytes: usize) -> Content {
        Content::resource_link(ResourceLink::new("a:b", "c").title("x".repeat(bytes)))
    }

    /// A failure with a long message.
    #[tool]
    fn failure(&self, bytes: usize) -> Result<String> {
        Err(Error::msg("x".repeat(bytes)))
    }

    /// A protocol error with a long message.
    #[tool]
    fn protocol_error(&self, bytes: usize) -> Result<String> {
        Err(Error::internal("x".repeat(bytes)))
    }

    /// Structured content.
    #[tool]
    fn structured(&self, bytes: usize) -> Result<ToolResult> {
        ToolResult::new([]).structured(&"x".repeat(bytes))
    }

    /// Blocks that all point at one text: little here, much for a host that
    /// copies each.
    #[tool]
    fn aliased(&self, count: usize, bytes: usize) -> Vec<Content> {
        let text = Vec::leak(vec![b'x'; bytes]).as_mut_ptr();
        let alias = || {
            // SAFETY: none. Two strings must not own one allocation; that they
            // do is the attack, and nothing but this instance suffers from it.
            let text = unsafe { String::from_raw_parts(text, bytes, bytes) };
            Content::text(text)
        };
        (0..count).map(|_| alias()).collect()
    }
}
