//! The fetch plugin is a drop-in for the reference fetch server: the same tool and
//! prompt, and the same answers about the same pages. What differs on purpose is
//! in the plugin's README and not called here.

use std::collections::BTreeSet;

use palisade_tests::rpc;
use serde_json::{Value, json};

use crate::fetch_stage::{fetching, origin, page, prompt, reference, site, status};

/// An article of some length, as both have to find it.
fn article() -> String {
    let paragraph = "<p>Cats sleep for most of the day, and hunt when nobody looks; \
        which is why so few people have seen it, and so many have heard of it.</p>";
    format!(
        "<html><head><title>Cats</title><style>p {{ color: red }}</style></head><body><article>\
         <h2>Of cats</h2>{}<ul><li>One</li><li>Two</li></ul><h3>Of dogs</h3>{}\
         <script>alert(1)</script></article></body></html>",
        paragraph.repeat(4),
        paragraph.repeat(4)
    )
}

fn pages() -> palisade_tests::internet::Web {
    site(|path| match path {
        "/robots.txt" => page(
            "text/plain",
            "# ours\nUser-agent: *\nDisallow: /private\nAllow: /private/not\nDisallow: /*.pdf$\n",
        ),
        "/long" => page("text/plain; charset=utf-8", "héllo wörld, ".repeat(100)),
        "/latin" => page("text/plain; charset=iso-8859-1", b"caf\xe9".as_slice()),
        "/json" => page("application/json", "{\"a\": 1}"),
        "/empty" => page("text/html", ""),
        "/article" => page("text/html; charset=utf-8", article()),
        "/missing" => status(404),
        "/broken" => status(500),
        _ => page("text/plain", "the page"),
    })
}

#[test]
fn the_same_tool_and_prompt() {
    let mut session = fetching(&[]);
    let mut reference = reference();
    let ours = session.ask("tools/list", json!({}));
    let theirs = reference.tools();
    let same = |tool: &Value| {
        let of = |name: &str| {
            let schema = &tool["inputSchema"]["properties"][name];
            let keys = [
                "type",
                "default",
                "minimum",
                "maximum",
                "minLength",
                "description",
            ];
            keys.map(|key| schema[key].clone())
        };
        let arguments = ["url", "max_length", "start_index", "raw"].map(of);
        json!({
            "name": tool["name"],
            "annotations": tool["annotations"],
            "required": tool["inputSchema"]["required"],
            "arguments": arguments,
        })
    };
    let mut own = same(&rpc::result(&ours)["tools"][0]);
    // A name for people, which the reference has none of.
    own["annotations"].as_object_mut().unwrap().remove("title");
    assert_eq!(own, same(&theirs[0]));
    assert_eq!(theirs.len(), 1);

    let ours = session.ask("prompts/list", json!({}));
    let theirs = reference.ask("prompts/list", json!({}));
    let same = |prompt: &Value| {
        json!([
            prompt["name"],
            prompt["description"],
            prompt["arguments"][0]["name"],
            prompt["arguments"][0]["description"],
            prompt["arguments"][0]["required"]
        ])
    };
    assert_eq!(
        same(&rpc::result(&ours)["prompts"][0]),
        same(&theirs["prompts"][0])
    );
}

#[test]
fn the_same_answers_about_the_same_pages() {
    let site = pages();
    let mut session = fetching(&[&site]);
    let mut reference = reference();
    let at = |path: &str| format!("{}{path}", origin(&site));
    let mut different = Vec::new();
    for arguments in [
        json!({"url": at("/long")}),
        json!({"url": at("/long"), "max_length": 7}),
        json!({"url": at("/long"), "max_length": 7, "start_index": 3}),
        json!({"url": at("/long"), "start_index": 1299}),
        json!({"url": at("/long"), "start_index": 1300}),
        json!({"url": at("/long"), "max_length": 1300}),
        json!({"url": at("/latin")}),
        json!({"url": at("/json")}),
        json!({"url": at("/json"), "raw": true}),
        json!({"url": at("/empty")}),
        json!({"url": at("/article"), "raw": true, "max_length": 99}),
        json!({"url": at("/missing")}),
        json!({"url": at("/broken")}),
        json!({"url": at("/private/x")}),
        json!({"url": at("/private/not/x")}),
        json!({"url": at("/a.pdf")}),
        json!({"url": at("/a.pdf?x")}),
        json!({"url": at("")}),
        json!({"url": at("/a%20b?c=d#e")}),
    ] {
        let theirs = reference.call("fetch", arguments.clone());
        let ours = session.call("fetch", arguments.clone());
        let same = |result: &Value| {
            let text = result["content"][0]["text"].as_str().unwrap_or_default();
            let text = text
                .strip_prefix("Error executing tool fetch: ")
                .unwrap_or(text);
            (result["isError"] == true, text.to_owned())
        };
        if same(&ours) != same(&theirs) {
            different.push(format!("{arguments}\n  theirs {theirs}\n  ours   {ours}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));

    for path in ["/json", "/missing", "/private/x"] {
        let params = json!({"name": "fetch", "arguments": {"url": at(path)}});
        let theirs = reference.ask("prompts/get", params);
        assert_eq!(
            theirs["messages"][0]["content"]["text"],
            prompt(&mut session, &at(path)),
            "{path}"
        );
    }
}

/// Two programs never write the same Markdown; the words have to be the same.
#[test]
fn the_same_words_of_an_article() {
    let site = pages();
    let mut session = fetching(&[&site]);
    let arguments = json!({"url": format!("{}/article", origin(&site))});
    let words = |result: &Value| -> BTreeSet<String> {
        let text = rpc::tool_text(result);
        let (_, text) = text.split_once(":\n").unwrap();
        text.split(|c: char| !c.is_alphanumeric())
            .map(str::to_lowercase)
            .filter(|word| !word.is_empty())
            .collect()
    };
    let theirs = reference().call("fetch", arguments.clone());
    let ours = session.call("fetch", arguments);
    assert_eq!(words(&ours), words(&theirs));
}
