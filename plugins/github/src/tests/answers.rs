use palisade_sdk::prelude::*;
use serde_json::{Value, json};

use crate::files::{There, shown};
use crate::issues::{Comment, Issue};
use crate::pulls::PullRequest;
use crate::search::{Found, FoundRepository};
use crate::shape::cut;

#[test]
fn issues_are_what_somebody_reads_of_them() {
    let issue: Issue = serde_json::from_value(json!({
        "id": 1, "node_id": "x", "number": 1347, "title": "Found a bug", "state": "open",
        "user": {"login": "octocat", "id": 1, "avatar_url": "https://x"},
        "labels": [{"id": 1, "name": "bug", "color": "f00"}, "help wanted"],
        "assignees": [{"login": "hubot"}], "comments": 2, "body": null,
        "created_at": "2011-04-22T13:33:48Z", "updated_at": "2011-04-22T13:33:48Z",
        "html_url": "https://github.com/octocat/Hello-World/issues/1347",
        "pull_request": {"url": "https://x"}, "reactions": {"+1": 3}
    }))
    .unwrap();
    assert_eq!(
        serde_json::to_value(issue).unwrap(),
        json!({
            "number": 1347, "title": "Found a bug", "state": "open", "user": "octocat",
            "labels": ["bug", "help wanted"], "assignees": ["hubot"], "comments": 2,
            "created_at": "2011-04-22T13:33:48Z", "updated_at": "2011-04-22T13:33:48Z",
            "html_url": "https://github.com/octocat/Hello-World/issues/1347",
            "is_pull_request": true, "body": ""
        })
    );
    let least: Issue = serde_json::from_value(json!({
        "number": 1, "title": "t", "state": "closed", "user": null, "labels": null,
        "assignees": null, "html_url": "https://x", "pull_request": null
    }))
    .unwrap();
    assert_eq!(least.user, "ghost");
    assert!(!least.is_pull_request && least.labels.is_empty());
}

#[test]
fn pull_requests_comments_and_repositories() {
    let pull: PullRequest = serde_json::from_value(json!({
        "number": 5, "title": "t", "state": "closed", "merged_at": "2026-01-01T00:00:00Z",
        "user": {"login": "a"}, "html_url": "https://x", "additions": 3,
        "head": {"label": "a:fix", "ref": "fix", "sha": "1", "repo": null},
        "base": {"label": "b:main", "ref": "main", "sha": "2"}
    }))
    .unwrap();
    let pull = serde_json::to_value(pull).unwrap();
    assert_eq!(
        pull["head"],
        json!({"label": "a:fix", "ref": "fix", "sha": "1"})
    );
    assert_eq!(
        (&pull["additions"], pull.get("deletions")),
        (&json!(3), None)
    );

    let comment: Comment = serde_json::from_value(json!({
        "user": {"login": "a"}, "body": "no", "path": "src/lib.rs", "line": null,
        "created_at": "x", "html_url": "https://x", "diff_hunk": "@@"
    }))
    .unwrap();
    assert_eq!(
        (comment.path.as_deref(), comment.line),
        (Some("src/lib.rs"), None)
    );

    let found: Found<FoundRepository> = serde_json::from_value(json!({
        "total_count": 40, "incomplete_results": false, "items": [
            {"full_name": "a/b", "html_url": "https://x", "description": null, "license": null}
        ]
    }))
    .unwrap();
    assert_eq!((found.total_count, &*found.items[0].description), (40, ""));
}

fn at(path: &str, there: Value) -> std::result::Result<Value, String> {
    let there: There = serde_json::from_value(there).unwrap();
    let json = shown(there, path.to_owned()).map_err(|error| error.message().to_owned())?;
    let result = palisade_sdk::IntoToolResult::into_tool_result(json).unwrap();
    Ok(json!(format!("{result:?}")))
}

#[test]
fn files_and_directories() {
    let file = |encoding: &str, content: &str| {
        json!({"type": "file", "size": 5, "name": "a", "path": "a", "sha": "s",
               "content": content, "encoding": encoding})
    };
    let text = at("a", file("base64", "aGVs\nbG8=\n")).unwrap();
    assert!(text.as_str().unwrap().contains("hello"), "{text}");
    assert_eq!(
        at("a", file("base64", "/w==")).unwrap_err(),
        "it is a file of 1 bytes that is not text in UTF-8"
    );
    assert_eq!(
        at("a", file("none", "")).unwrap_err(),
        "it has 5 bytes, more than the 1048576 that can be read"
    );
    assert!(at("a", file("base64", "?")).is_err());
    let submodule = json!({"type": "submodule", "size": 0, "sha": "s"});
    assert_eq!(
        at("a", submodule).unwrap_err(),
        "it is a submodule, which has no content of its own"
    );
    let directory = json!([
        {"type": "dir", "name": "src", "size": 0, "sha": "s"},
        {"type": "file", "name": "README", "size": 12, "sha": "s"},
        {"type": "symlink", "name": "l", "size": 3, "sha": "s"}
    ]);
    let listed = at("", directory).unwrap();
    assert!(
        listed
            .as_str()
            .unwrap()
            .contains("[DIR] src\\n[FILE] README (12 bytes)\\n[SYMLINK] l"),
        "{listed}"
    );
}

#[test]
fn long_texts_are_cut_between_characters() {
    let mut text = "é".repeat(10);
    cut(&mut text, 5);
    assert_eq!(text, "éé\n… (cut: 5 of 20 bytes)");
    let mut text = "short".to_owned();
    cut(&mut text, 5);
    assert_eq!(text, "short");
}
