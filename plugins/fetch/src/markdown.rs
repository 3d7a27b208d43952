//! From a page to what a model reads of it.

use palisade_sdk::http::Url;
use palisade_sdk::prelude::*;

/// What the reference says where nothing is left of a page.
const NOTHING: &str = "<error>Page failed to be simplified from HTML</error>";

/// How deep elements may be in one another. Parsing takes the square of it.
const DEEPEST: usize = 1000;

/// How many elements there may be.
const MOST: usize = 200_000;

/// Elements that hold none, or that the next of their kind ends.
const FLAT: [&str; 24] = [
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
    "optgroup", "option", "p", "param", "rp", "rt", "source", "td", "th", "track", "wbr",
];

/// Elements whose insides are no HTML.
const RAW: [&str; 3] = ["script", "style", "textarea"];

/// The main part of a page as Markdown, as Readability finds it; its addresses
/// are whole ones.
///
/// # Errors
/// If the page is made to be hard to read.
pub(crate) fn from_html(html: &str, url: &Url) -> Result<String> {
    if let Some(what) = unreasonable(html) {
        bail!("its HTML has {what}, more than can be read; ask for it as raw");
    }
    let article = legible::Document::new(html).parse(Some(url.as_str()), None);
    Ok(match article {
        Ok(article) if !article.markdown_content.trim().is_empty() => article.markdown_content,
        _ => NOTHING.to_owned(),
    })
}

/// What there is too much of. It is counted roughly, in one go: to know, the page
/// would have to be parsed.
fn unreasonable(html: &str) -> Option<String> {
    let (mut depth, mut elements) = (0_usize, 0_usize);
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let (closes, name) = match rest.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, rest),
        };
        let end = name.find(|c: char| !c.is_ascii_alphanumeric());
        let name = name[..end.unwrap_or(name.len())].to_ascii_lowercase();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        elements += usize::from(!closes);
        if FLAT.contains(&&name[..]) {
            continue;
        }
        if closes {
            depth = depth.saturating_sub(1);
            continue;
        }
        if RAW.contains(&&name[..]) {
            rest = after_end(rest, &name);
            continue;
        }
        depth += 1;
        if depth > DEEPEST {
            return Some(format!("elements more than {DEEPEST} deep in one another"));
        }
    }
    (elements > MOST).then(|| format!("{elements} elements"))
}

/// What follows `</name`.
fn after_end<'t>(text: &'t str, name: &str) -> &'t str {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        if (rest.get(..name.len())).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            return rest;
        }
    }
    ""
}
