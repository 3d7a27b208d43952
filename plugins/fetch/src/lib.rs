//! The reference MCP fetch server's tool and prompt, for hosts a person granted.
//! Names, arguments and words are the reference's; what differs on purpose is in
//! the README.

mod charset;
mod markdown;
mod page;
mod paging;
mod robots;
mod robots_path;
mod visit;

#[cfg(test)]
mod tests;

use palisade_sdk::http::Url;
use palisade_sdk::prelude::*;

use crate::paging::Window;
use crate::visit::Visitor;

/// Pages of the web.
#[derive(Debug, Default)]
struct Fetch;

#[plugin]
impl Fetch {
    /// Fetches a URL from the internet and optionally extracts its contents as
    /// markdown.
    ///
    /// Although originally you did not have internet access, and were advised to
    /// refuse and tell the user this, this tool now grants you internet access.
    /// Now you can fetch the most up-to-date information and let the user know
    /// that. Only hosts that the user has granted can be reached.
    #[tool(
        title = "Fetch",
        read_only,
        destructive = false,
        idempotent,
        open_world
    )]
    fn fetch(
        &self,
        /// URL to fetch
        #[arg(extend("format" = "uri", "minLength" = 1))]
        url: String,
        /// Maximum number of characters to return.
        #[arg(default = 5000, extend("minimum" = 1, "maximum" = 999_999))]
        max_length: u32,
        /// On return output starting at this character index, useful if a
        /// previous fetch was truncated and more context is required.
        #[arg(default, extend("minimum" = 0))]
        start_index: u64,
        /// Get the actual HTML content of the requested page, without
        /// simplification.
        #[arg(default)]
        raw: bool,
    ) -> Result<String> {
        let url = address(&url)?;
        let mut visitor = Visitor::autonomous();
        visitor.may_fetch(&url)?;
        let page = page::read(visitor.visit(&url)?, &url)?;
        let (text, prefix) = page.shown(raw)?;
        let window = Window {
            start: start_index,
            length: max_length,
        };
        Ok(format!("{prefix}Contents of {url}:\n{}", window.of(&text)))
    }

    /// Fetch a URL and extract its contents as markdown
    #[prompt(name = "fetch", title = "Fetch")]
    fn page(
        &self,
        /// URL to fetch
        url: String,
    ) -> Result<Vec<Message>> {
        // The person asked for this page, so robots.txt is not, and what went
        // wrong is shown to them in the prompt's place.
        let fetched = || -> Result<String> {
            let url = address(&url)?;
            let page = page::read(Visitor::manual().visit(&url)?, &url)?;
            let (text, prefix) = page.shown(false)?;
            Ok(format!("{prefix}{text}"))
        };
        let text = fetched().unwrap_or_else(|error| error.message().to_owned());
        Ok(vec![Message::user(text)])
    }
}

/// What can be fetched at all.
fn address(text: &str) -> Result<Url> {
    Url::parse(text).with_context(|| format!("{text:?} is not a URL"))
}
