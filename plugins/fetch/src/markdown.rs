//! From a page to what a model reads of it.

use palisade_sdk::http::Url;

/// What the reference says where nothing is left of a page.
const NOTHING: &str = "<error>Page failed to be simplified from HTML</error>";

/// The main part of a page as Markdown, as Readability finds it; its addresses
/// are whole ones.
pub(crate) fn from_html(html: &str, url: &Url) -> String {
    let article = legible::Document::new(html).parse(Some(url.as_str()), None);
    match article {
        Ok(article) if !article.markdown_content.trim().is_empty() => article.markdown_content,
        _ => NOTHING.to_owned(),
    }
}
