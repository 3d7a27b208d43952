//! A client reads files through the filesystem plugin.

use palisade_tests::rpc;
use serde_json::{Value, json};

use crate::filesystem_stage::{Notes, at, failure, text};

fn lines(path: &str, which: &str, count: u32) -> Value {
    json!({"path": path, which: count})
}

#[test]
fn text_whole_or_in_part() {
    let notes = Notes::new();
    notes.write("crlf.txt", "a\r\nb\r\n");
    notes.write("empty.txt", "");
    notes.write("odd.bin", b"ok \xff end");
    let client = notes.client("ro");
    for tool in ["read_text_file", "read_file"] {
        assert_eq!(text(&client, tool, at("/notes/a.md")), "one\ntwo\nthree\n");
        assert_eq!(
            text(&client, tool, lines("/notes/a.md", "head", 2)),
            "one\ntwo"
        );
        assert_eq!(
            text(&client, tool, lines("/notes/a.md", "tail", 2)),
            "three\n"
        );
        assert_eq!(text(&client, tool, at("/notes/empty.txt")), "");
    }
    assert_eq!(
        text(&client, "read_text_file", at("/notes/crlf.txt")),
        "a\r\nb\r\n"
    );
    assert_eq!(
        text(&client, "read_text_file", at("/notes/odd.bin")),
        "ok \u{fffd} end"
    );
    let both = json!({"path": "/notes/a.md", "head": 1, "tail": 1});
    let why = failure(&client, "read_text_file", both);
    assert!(why.contains("head") && why.contains("tail"), "{why}");
    let why = failure(&client, "read_text_file", at("/notes/none.md"));
    assert!(
        why.contains("ENOENT") && why.contains("/notes/none.md"),
        "{why}"
    );
    let why = failure(&client, "read_text_file", at("/notes/sub"));
    assert!(why.contains("EISDIR"), "{why}");
}

#[test]
fn a_few_lines_of_a_file_that_is_too_large_as_a_whole() {
    let notes = Notes::new();
    let line = "x".repeat(99);
    let many: Vec<_> = (0..200_000)
        .map(|number| format!("{number:06} {line}"))
        .collect();
    notes.write("large.log", many.join("\n"));
    let client = notes.client("ro");
    let large = "/notes/large.log";
    let why = failure(&client, "read_text_file", at(large));
    assert!(why.contains("head") && why.contains("tail"), "{why}");
    assert!(why.contains("does not fit"), "{why}");
    let head = text(&client, "read_text_file", lines(large, "head", 3));
    assert_eq!(head, many[..3].join("\n"));
    let tail = text(&client, "read_text_file", lines(large, "tail", 3));
    assert_eq!(tail, many[199_997..].join("\n"));
}

#[test]
fn media_as_what_they_are() {
    let notes = Notes::new();
    let bytes: Vec<u8> = (0..=255).collect();
    // Base64 of those 256 bytes begins and ends so.
    let (begins, ends) = ("AAECAwQFBgcICQoL", "+fr7/P3+/w==");
    for (name, kind, mime) in [
        ("p.png", "image", "image/png"),
        ("p.JPG", "image", "image/jpeg"),
        ("s.mp3", "audio", "audio/mpeg"),
    ] {
        notes.write(name, &bytes);
        let result = notes
            .client("ro")
            .call("read_media_file", at(format!("/notes/{name}")));
        let block = &result["content"][0];
        assert_eq!(block["type"], kind, "{name}: {result}");
        assert_eq!(block["mimeType"], mime, "{name}: {result}");
        let data = block["data"].as_str().unwrap();
        assert!(data.starts_with(begins) && data.ends_with(ends), "{data}");
        assert_eq!(result["structuredContent"]["content"][0]["data"], data);
    }
    notes.write("d.bin", &bytes);
    let result = notes
        .client("ro")
        .call("read_media_file", at("/notes/d.bin"));
    let block = &result["content"][0];
    assert_eq!(block["type"], "resource", "{result}");
    let resource = &block["resource"];
    assert!(resource["uri"].as_str().unwrap().ends_with("/d.bin"));
    assert!(resource["blob"].as_str().unwrap().starts_with(begins));
}

#[test]
fn several_at_once() {
    let notes = Notes::new();
    let client = notes.client("ro");
    let paths = [
        "/notes/a.md",
        "/notes/none.md",
        "/etc/passwd",
        "/notes/b.md",
    ];
    let read = text(&client, "read_multiple_files", json!({"paths": paths}));
    let parts: Vec<_> = read.split("\n---\n").collect();
    assert_eq!(parts.len(), 4, "{read}");
    assert_eq!(parts[0], "/notes/a.md:\none\ntwo\nthree\n\n");
    assert!(parts[1].starts_with("/notes/none.md: Error"), "{read}");
    assert!(
        parts[2].starts_with("/etc/passwd: Error - Access denied"),
        "{read}"
    );
    assert!(!read.contains("root:"), "{read}");
    assert!(parts[3].starts_with("/notes/b.md:\nbee"), "{read}");
    let none = client.call("read_multiple_files", json!({"paths": []}));
    rpc::tool_error(&none);
}
