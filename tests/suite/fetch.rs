//! The fetch plugin, through the built host: pages, parts of them, robots.txt,
//! redirects, and what a person did not grant.

use palisade_tests::{guest, plugin, rpc};
use serde_json::json;
use wasmparser::{Parser, Payload};

use crate::fetch_stage::{
    fetch, fetching, granted, origin, page, paths, prompt, redirect, refused, site, status,
};

const ARTICLE: &str = "<html><head><title>Cats</title><script>alert(1)</script></head><body>\
    <nav><a href=/>Home</a></nav><article><h2>Of cats</h2><p>A <b>cat</b> is \
    <a href=dog>no dog</a>.</p></article></body></html>";

#[test]
fn a_page_is_markdown() {
    let site = site(|path| match path {
        "/cats/" => page("text/html", ARTICLE),
        _ => status(404),
    });
    let mut session = fetching(&[&site]);
    let url = format!("{}/cats/", origin(&site));
    let text = fetch(&mut session, json!({"url": url}));
    assert!(text.starts_with(&format!("Contents of {url}:\n")), "{text}");
    assert!(text.contains("## Of cats"), "{text}");
    let link = format!("A **cat** is [no dog]({}/cats/dog).", origin(&site));
    assert!(text.contains(&link), "{text}");
    assert!(!text.contains("alert"), "{text}");

    let raw = fetch(&mut session, json!({"url": url, "raw": true}));
    assert!(raw.ends_with(ARTICLE), "{raw}");
    assert_eq!(
        prompt(&mut session, &url),
        text.split_once(":\n").unwrap().1
    );
}

#[test]
fn a_long_page_comes_in_parts_that_make_it_up() {
    let whole = "日本語 and more, ".repeat(1000);
    let sent = whole.clone();
    let site = site(move |path| match path {
        "/long" => page("text/plain; charset=utf-8", sent.clone()),
        _ => status(404),
    });
    let mut session = fetching(&[&site]);
    let url = format!("{}/long", origin(&site));
    let before = format!(
        "Content type text/plain; charset=utf-8 cannot be simplified to markdown, \
         but here is the raw content:\nContents of {url}:\n"
    );
    let (mut together, mut start, mut parts) = (String::new(), 0, 0);
    loop {
        let text = fetch(&mut session, json!({"url": url, "start_index": start}));
        let text = text.strip_prefix(&before).expect("it says what it is");
        let note = "\n\n<error>Content truncated. Call the fetch tool with a start_index of ";
        parts += 1;
        match text.split_once(note) {
            Some((part, rest)) => {
                assert_eq!(part.chars().count(), 5000);
                together.push_str(part);
                let (next, end) = rest.split_once(' ').unwrap();
                assert_eq!(end, "to get more content.</error>");
                start = next.parse::<u64>().unwrap();
            }
            None => {
                together.push_str(text);
                break;
            }
        }
    }
    assert!(together == whole, "the parts are not the whole");
    assert_eq!(parts, 3);
    let beyond = fetch(&mut session, json!({"url": url, "start_index": 1_000_000}));
    assert!(
        beyond.ends_with(":\n<error>No more content available.</error>"),
        "{beyond}"
    );
}

#[test]
fn robots_txt_holds_for_the_tool_and_not_for_the_prompt() {
    let site = site(|path| match path {
        "/robots.txt" => page(
            "text/plain",
            "User-agent: *\nDisallow: /\n\nUser-agent: ModelContextProtocol\nDisallow: /no",
        ),
        _ => page("text/plain", "the page"),
    });
    let mut session = fetching(&[&site]);
    let at = |path: &str| format!("{}{path}", origin(&site));
    assert!(fetch(&mut session, json!({"url": at("/yes")})).ends_with("the page"));
    let error = refused(&mut session, &at("/no/where"));
    let begins = format!(
        "The sites robots.txt ({}), specifies that autonomous fetching of this page is not allowed, ",
        at("/robots.txt")
    );
    assert!(error.starts_with(&begins), "{error}");
    assert!(error.contains("Disallow: /no"), "{error}");
    assert_eq!(paths(&site), ["/robots.txt", "/yes", "/robots.txt"]);

    assert!(prompt(&mut session, &at("/no/where")).ends_with("the page"));
    let asked = site.asked();
    let agent = |head: &str| {
        head.to_lowercase()
            .contains("modelcontextprotocol/1.0 (autonomous;")
    };
    assert!(asked[..3].iter().all(|one| agent(&one.head)), "{asked:?}");
    let last = &asked[3].head;
    assert!(last.starts_with("GET /no/where "), "{last}");
    assert!(
        last.contains("ModelContextProtocol/1.0 (User-Specified;"),
        "{last}"
    );

    let mut session = palisade_tests::stage::open(
        &granted(&[&site])
            .arg("--env")
            .arg("FETCH_IGNORE_ROBOTS_TXT=1"),
    );
    assert!(fetch(&mut session, json!({"url": at("/no")})).ends_with("the page"));
}

#[test]
fn a_robots_txt_that_is_not_handed_over() {
    for (code, may) in [
        (404, true),
        (410, true),
        (401, false),
        (403, false),
        (503, false),
    ] {
        let site = site(move |path| match path {
            "/robots.txt" => status(code),
            _ => page("text/plain", "the page"),
        });
        let mut session = fetching(&[&site]);
        let url = format!("{}/page", origin(&site));
        if may {
            assert!(fetch(&mut session, json!({"url": url})).ends_with("the page"));
            continue;
        }
        let error = refused(&mut session, &url);
        let says =
            format!("received status {code} so assuming that autonomous fetching is not allowed");
        assert!(error.contains(&says), "{error}");
        assert_eq!(paths(&site), ["/robots.txt"]);
    }
}

#[test]
fn what_is_not_granted_is_said_in_plain_words_and_not_asked_for() {
    let site = site(|_| page("text/plain", "the page"));
    let mut session = fetching(&[]);
    let url = format!("{}/page", origin(&site));
    let error = refused(&mut session, &url);
    let says = format!(
        "not permitted: {} is not in this plugin's grant",
        origin(&site)
    );
    assert!(error.contains(&says), "{error}");
    let shown = prompt(&mut session, &url);
    assert!(shown.contains(&says), "{shown}");
    assert_eq!(site.connections(), 0);
}

#[test]
fn redirects_are_followed_where_they_are_granted() {
    let other = site(|path| match path {
        "/robots.txt" => page("text/plain", "User-agent: *\nDisallow: /hidden"),
        _ => page("text/plain", "the other page"),
    });
    let there = origin(&other);
    let first = site(move |path| match path {
        "/away" => redirect(&format!("{there}/page")),
        "/hidden" => redirect(&format!("{there}/hidden")),
        "/metadata" => redirect("http://169.254.169.254/latest/"),
        "/file" => redirect("file:///etc/passwd"),
        "/relative" => redirect("page?x"),
        "/round" => redirect("/round"),
        "/robots.txt" => status(404),
        _ => page("text/plain", "the page"),
    });
    let at = |path: &str| format!("{}{path}", origin(&first));

    let mut session = fetching(&[&first]);
    let error = refused(&mut session, &at("/away"));
    assert!(error.contains("not permitted: "), "{error}");
    assert!(error.contains(&origin(&other)), "{error}");
    assert_eq!(other.connections(), 0);
    let error = refused(&mut session, &at("/metadata"));
    assert!(
        error.contains("not permitted: http://169.254.169.254 "),
        "{error}"
    );
    let error = refused(&mut session, &at("/file"));
    assert!(
        error.contains("is not an address of http or https"),
        "{error}"
    );
    let error = refused(&mut session, &at("/round"));
    assert!(error.contains("it redirects more than 10 times"), "{error}");
    let text = fetch(&mut session, json!({"url": at("/relative")}));
    assert!(text.ends_with("the page"), "{text}");
    assert_eq!(paths(&first).last().unwrap(), "/page?x");

    let mut session = fetching(&[&first, &other]);
    let text = fetch(&mut session, json!({"url": at("/away")}));
    assert!(text.ends_with("the other page"), "{text}");
    assert_eq!(paths(&other), ["/robots.txt", "/page"]);
    // The other site's robots.txt is the one that counts there.
    let error = refused(&mut session, &at("/hidden"));
    assert!(error.starts_with("The sites robots.txt"), "{error}");
    assert!(!paths(&other).contains(&"/hidden".to_owned()));
}

#[test]
fn charsets_binary_pages_and_large_ones() {
    let site = site(|path| match path {
        "/latin" => page("text/plain; charset=iso-8859-1", b"caf\xe9".as_slice()),
        "/meta" => page(
            "text/html",
            b"<meta charset=windows-1251><p>\xef\xf0\xe8\xe2\xe5\xf2</p>".as_slice(),
        ),
        "/png" => page("image/png", b"\x89PNG\r\n\x1a\n".as_slice()),
        "/binary" => page("application/octet-stream", b"a\0b".as_slice()),
        "/large" => page("text/plain", vec![b'x'; (5 << 20) + 1]),
        "/whole" => page("text/plain", vec![b'x'; 5 << 20]),
        _ => status(404),
    });
    let mut session = fetching(&[&site]);
    let at = |path: &str| format!("{}{path}", origin(&site));
    for (path, ends) in [
        ("/latin", "café"),
        ("/meta", "привет"),
        ("/whole", "content.</error>"),
    ] {
        let text = fetch(&mut session, json!({"url": at(path)}));
        assert!(text.trim_end().ends_with(ends), "{text}");
    }
    for (path, why) in [
        (
            "/png",
            "it is image/png of 8 bytes, which can't be shown as text",
        ),
        (
            "/binary",
            "it is binary content (application/octet-stream) of 3 bytes",
        ),
        ("/large", "is larger than 5242880 bytes"),
        ("/nothing", "status code 404"),
    ] {
        let error = refused(&mut session, &at(path));
        assert!(
            error.starts_with(&format!("Failed to fetch {}", at(path))),
            "{error}"
        );
        assert!(error.contains(why), "{error}");
    }
}

/// Only who uses the network imports it.
#[test]
fn plugins_that_do_without_the_network_do_not_import_it() {
    let imports_http = |component: std::path::PathBuf| {
        let bytes = std::fs::read(component).unwrap();
        Parser::new(0).parse_all(&bytes).any(|payload| {
            let Payload::ComponentImportSection(imports) = payload.unwrap() else {
                return false;
            };
            imports
                .into_iter()
                .any(|import| import.unwrap().name.name.starts_with("wasi:http/"))
        })
    };
    for name in ["hello", "filesystem", "everything"] {
        assert!(!imports_http(plugin(name)), "{name}");
    }
    assert!(imports_http(plugin("fetch")) && imports_http(plugin("github")));
    assert!(!imports_http(guest("sleeps")));
}

#[test]
fn a_client_sees_one_tool_and_one_prompt() {
    let mut session = fetching(&[]);
    let tools = session.ask("tools/list", json!({}));
    let names = |list: &serde_json::Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|item| item["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&rpc::result(&tools)["tools"]), ["fetch"]);
    let prompts = session.ask("prompts/list", json!({}));
    assert_eq!(names(&rpc::result(&prompts)["prompts"]), ["fetch"]);
}
