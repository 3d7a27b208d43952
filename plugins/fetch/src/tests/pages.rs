use palisade_sdk::http::Url;

use crate::page::Page;

fn page(content_type: &str, bytes: &[u8]) -> Result<Page, String> {
    let url = Url::parse("https://example.com/a/b").unwrap();
    Page::new(url, content_type.to_owned(), bytes).map_err(|error| error.message().to_owned())
}

fn shown(content_type: &str, text: &str, raw: bool) -> (String, String) {
    page(content_type, text.as_bytes())
        .unwrap()
        .shown(raw)
        .unwrap()
}

const ARTICLE: &str = "<html><head><title>A title</title><style>p { }</style></head><body>\
    <nav><a href='/'>Home</a></nav><article><h2>Of cats</h2>\
    <p>A <b>cat</b> is <a href='dog'>no dog</a>, which is well known.</p>\
    <script>alert(1)</script><ul><li>One<li>Two</ul>\
    <pre>let x = 1;\n  let y;</pre></article></body></html>";

#[test]
fn html_becomes_markdown_with_whole_addresses() {
    let (text, prefix) = shown("text/html; charset=utf-8", ARTICLE, false);
    assert_eq!(prefix, "");
    for part in [
        "## Of cats",
        "A **cat** is [no dog](https://example.com/a/dog), which is well known.",
        "- One\n- Two",
        "```\nlet x = 1;\n  let y;\n```",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    for part in ["alert", "p { }", "<"] {
        assert!(!text.contains(part), "{part} is in:\n{text}");
    }
}

#[test]
fn what_is_html_and_what_is_shown_as_it_is() {
    let markdown = |content_type: &str, text: &str| shown(content_type, text, false).1.is_empty();
    assert!(markdown("", "<p>x</p>"));
    assert!(markdown("text/plain", "<!doctype html><html><p>x"));
    assert!(markdown("application/xhtml+xml", "<p>x</p>"));
    assert!(!markdown("application/json", "{}"));
    let (text, prefix) = shown("application/json", "{\"a\": 1}", false);
    assert_eq!(text, "{\"a\": 1}");
    assert_eq!(
        prefix,
        "Content type application/json cannot be simplified to markdown, but here is the raw content:\n"
    );
    let (text, prefix) = shown("text/html", ARTICLE, true);
    assert_eq!(text, ARTICLE);
    assert_eq!(
        prefix,
        "Content type text/html cannot be simplified to markdown, but here is the raw content:\n"
    );
}

#[test]
fn a_page_with_nothing_in_it_says_so() {
    for html in ["", "<html></html>", "<script>x</script>", "<img src=x>"] {
        assert_eq!(
            shown("text/html", html, false).0,
            "<error>Page failed to be simplified from HTML</error>",
            "{html}"
        );
    }
}

#[test]
fn what_is_no_text_is_not_shown() {
    for (content_type, bytes, what) in [
        ("image/png", &b"\x89PNG"[..], "it is image/png of 4 bytes"),
        ("application/pdf", b"%PDF-1.7", "it is application/pdf"),
        (
            "application/octet-stream",
            b"a\0b",
            "it is binary content (application/octet-stream)",
        ),
        ("text/html", b"\x01\x02", "it is binary content (text/html)"),
        ("", b"\x7fELF\x02", "it is something of 5 bytes"),
    ] {
        let error = page(content_type, bytes).unwrap_err();
        assert!(error.starts_with(what), "{error}");
    }
    for (content_type, bytes) in [
        ("image/svg+xml", &b"<svg/>"[..]),
        ("application/octet-stream", b"plain"),
        ("text/plain", b"\xff\xfea\0"),
        ("text/plain", b"\x1b[1m"),
    ] {
        assert!(page(content_type, bytes).is_ok(), "{content_type}");
    }
}

/// A stranger's page must neither end the plugin nor keep it busy.
#[test]
fn pages_that_are_deep_or_broken() {
    let page = |html: String| {
        let html = format!("<html><body>{html}some words that stay");
        let page = page("text/html", html.as_bytes()).unwrap();
        page.shown(false)
            .map_err(|error| error.message().to_owned())
    };
    for html in [
        "<div>".repeat(900),
        "<ul><li>".repeat(900),
        "<b><i><a href=x>".repeat(300),
        "<table><tr><td>".repeat(300),
        "<svg><math><template>".repeat(300),
        "<p><li><br>".repeat(20_000),
        "<!-- <div> ".repeat(5000),
        format!("<script>{}</script>", "'<div>'".repeat(5000)),
        "&#x110000;&".repeat(1000),
        format!("<p {}>x", "a=b ".repeat(20_000)),
    ] {
        assert!(page(html.clone()).is_ok(), "{}", &html[..30]);
    }
    for (html, what) in [
        ("<div>".repeat(50_000), "elements more than 1000 deep"),
        ("<UL><li>".repeat(50_000), "elements more than 1000 deep"),
        (
            "<table><tr><td>".repeat(50_000),
            "elements more than 1000 deep",
        ),
        ("<p>x".repeat(300_000), "300002 elements"),
    ] {
        let error = page(html).unwrap_err();
        assert!(error.contains(what), "{error}");
        assert!(
            error.ends_with("more than can be read; ask for it as raw"),
            "{error}"
        );
    }
}
