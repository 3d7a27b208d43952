//! The github plugin, through the built host, with a GitHub of the tests' own: it
//! has the real one's name and a certificate that the host believes, behind a proxy.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use palisade_tests::internet::{Asked, Internet, Pipe, Proxy, Web};
use palisade_tests::stage::open;
use palisade_tests::{Palisade, Session, plugin, rpc};
use serde_json::{Value, json};

const TOKEN: &str = "github_pat_hunter2";

/// A GitHub, and a session with the plugin that is granted it.
struct GitHub {
    web: Web,
    proxy: Proxy,
    internet: Internet,
}

impl GitHub {
    fn new(answer: impl Fn(&str, &Asked) -> (u16, String, Value) + Send + Sync + 'static) -> Self {
        Self::called("api.github.com", answer)
    }

    fn called(
        name: &str,
        answer: impl Fn(&str, &Asked) -> (u16, String, Value) + Send + Sync + 'static,
    ) -> Self {
        let internet = Internet::new();
        let tls = internet.identity.of(name, false, &["http/1.1"]);
        let web = Web::secure(tls, move |asked, pipe| {
            let mut words = asked.head.split(' ');
            let line = [words.next(), words.next()].map(Option::unwrap_or_default);
            let (status, headers, body) = answer(&line.join(" "), asked);
            send(pipe, status, &headers, &body)
        });
        let proxy = Proxy::to(web.port());
        Self {
            web,
            proxy,
            internet,
        }
    }

    fn command(&self, rule: &str) -> Palisade {
        let grant = "[[secrets]]\nname = \"GITHUB_TOKEN\"\n\
                     inject = { to = \"https://api.github.com\", \
                     header = \"authorization\", format = \"Bearer {}\" }\n";
        let command = with_a_token(Palisade::run(plugin("github")), grant);
        let command = self.internet.reach(command, &[rule]);
        command.env("HTTPS_PROXY", self.proxy.url())
    }

    fn session(&self) -> Session {
        open(&self.command("https://api.github.com"))
    }

    /// First lines of what it was asked, without the protocol.
    fn lines(&self) -> Vec<String> {
        let line = |head: &str| head.lines().next().unwrap_or_default().to_owned();
        let asked = self.web.asked();
        let lines = asked.iter().map(|one| line(&one.head));
        lines.map(|line| line.replace(" HTTP/1.1", "")).collect()
    }
}

/// A command with the token in its store, and a grant of it.
fn with_a_token(command: Palisade, text: &str) -> Palisade {
    let folder = command.home().join(".local/share/palisade/secrets");
    let only_mine = |path: &Path, mode| {
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    fs::create_dir_all(&folder).unwrap();
    only_mine(&folder, 0o700);
    let file = folder.join("GITHUB_TOKEN");
    fs::write(&file, format!("GITHUB_TOKEN\n{TOKEN}")).unwrap();
    only_mine(&file, 0o600);
    let grant = command.home().join("grant.toml");
    fs::write(&grant, text).unwrap();
    command.grant(grant)
}

fn send(pipe: &mut dyn Pipe, status: u16, headers: &str, body: &Value) -> bool {
    let body = match body {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    let head = pipe.write_all(head.as_bytes());
    head.and_then(|()| pipe.write_all(body.as_bytes()))
        .and_then(|()| pipe.flush())
        .is_ok()
}

fn fine(body: Value) -> (u16, String, Value) {
    (200, String::new(), body)
}

fn issue(number: u64, body: &str) -> Value {
    json!({
        "number": number, "title": "A bug", "state": "open", "user": {"login": "ada"},
        "labels": [{"name": "bug"}], "html_url": "https://github.com/o/r/issues/1",
        "comments": 1, "body": body, "node_id": "not shown"
    })
}

fn ours(owner_and_more: Value) -> Value {
    let mut arguments = json!({"owner": "o", "repo": "r"});
    let more = owner_and_more.as_object().unwrap().clone();
    arguments.as_object_mut().unwrap().extend(more);
    arguments
}

#[test]
fn searching_reading_and_opening() {
    let github = GitHub::new(|line, asked| match line {
        "GET /search/repositories?q=mcp+stars%3A%3E1&per_page=2&page=1" => (
            200,
            "link: <https://api.github.com/search/repositories?page=2>; rel=\"next\"\r\n".into(),
            json!({"total_count": 3, "incomplete_results": false, "items": [
                {"full_name": "o/r", "html_url": "https://github.com/o/r", "description": null}]}),
        ),
        "GET /search/issues?q=crash+repo%3Ao%2Fr&per_page=30&page=1" => {
            fine(json!({"total_count": 1, "items": [issue(7, "it crashes")]}))
        }
        "GET /search/code?q=fn+main&per_page=30&page=1" => {
            fine(json!({"total_count": 1, "items": [
            {"path": "src/main.rs", "repository": {"full_name": "o/r", "id": 1},
             "html_url": "https://x", "sha": "s"}]}))
        }
        "GET /repos/o/r/contents/docs/a%20b.md?ref=main" => fine(json!({
            "type": "file", "size": 5, "sha": "s", "encoding": "base64", "content": "aGVs\nbG8=\n"})),
        "GET /repos/o/r/contents" => fine(json!([
            {"type": "dir", "name": "docs"}, {"type": "file", "name": "README", "size": 3}])),
        "GET /repos/o/r/issues?state=all&sort=created&direction=desc&labels=a%2Cb&per_page=30&page=1" => {
            fine(json!([issue(7, &"x".repeat(5000))]))
        }
        "GET /repos/o/r/issues/7" => fine(issue(7, &"x".repeat(5000))),
        "GET /repos/o/r/issues/7/comments?per_page=30&page=2" => {
            fine(json!([{"user": {"login": "bob"}, "body": "same here", "html_url": "https://x"}]))
        }
        "GET /repos/o/r/pulls/9" if asked.head.contains("application/vnd.github.diff") => {
            fine(json!("diff --git a/x b/x\n"))
        }
        "GET /repos/o/r/pulls/9" => fine(json!({
            "number": 9, "title": "Fix", "state": "open", "html_url": "https://x", "additions": 3,
            "head": {"ref": "fix", "sha": "1"}, "base": {"ref": "main", "sha": "2"}})),
        "GET /repos/o/r/pulls/9/comments?per_page=30&page=1" => fine(json!([
            {"user": {"login": "bob"}, "path": "x.rs", "line": 3, "body": "why?"}])),
        "POST /repos/o/r/issues" => {
            let sent: Value = serde_json::from_slice(&asked.body).unwrap();
            assert_eq!(sent, json!({"title": "T", "body": "B", "labels": ["bug"]}));
            (201, String::new(), issue(8, "B"))
        }
        other => (404, String::new(), json!({"message": other})),
    });
    let mut session = github.session();
    let mut call = |tool: &str, arguments: Value| {
        let result = session.call(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {result}");
        (result["structuredContent"].clone(), rpc::tool_text(&result))
    };

    let (found, _) = call(
        "search_repositories",
        json!({"query": "mcp stars:>1", "perPage": 2}),
    );
    assert_eq!(
        (&found["items"][0]["full_name"], &found["next_page"]),
        (&json!("o/r"), &json!(2))
    );
    let (found, _) = call("search_issues", ours(json!({"query": "crash"})));
    assert_eq!(found["items"][0]["number"], 7);
    assert_eq!(found["items"][0].get("node_id"), None);
    let (found, _) = call("search_code", json!({"query": "fn main"}));
    assert_eq!(found["items"][0]["repository"], json!({"full_name": "o/r"}));

    let path = ours(json!({"path": "docs/a b.md", "ref": "main"}));
    let (file, text) = call("get_file_contents", path);
    assert_eq!((&*text, &file["text"]), ("hello", &json!("hello")));
    let (_, listing) = call("get_file_contents", ours(json!({})));
    assert_eq!(listing, "[DIR] docs\n[FILE] README (3 bytes)");

    let (list, _) = call(
        "list_issues",
        ours(json!({"state": "all", "labels": ["a", "b"]})),
    );
    let body = list["items"][0]["body"].as_str().unwrap();
    assert!(body.ends_with("x\n… (cut: 1000 of 5000 bytes)"), "{body}");
    let (one, _) = call("get_issue", ours(json!({"issue_number": 7})));
    assert_eq!(one["body"].as_str().unwrap().len(), 5000);
    let page = ours(json!({"issue_number": 7, "page": 2}));
    let (said, _) = call("get_issue_comments", page);
    assert_eq!(
        (&said["items"][0]["body"], said.get("next_page")),
        (&json!("same here"), None)
    );

    let nine = || ours(json!({"pullNumber": 9}));
    assert_eq!(call("get_pull_request", nine()).0["additions"], 3);
    assert_eq!(
        call("get_pull_request_diff", nine()).1,
        "diff --git a/x b/x\n"
    );
    assert_eq!(
        call("get_pull_request_comments", nine()).0["items"][0]["line"],
        3
    );

    let new = ours(json!({"title": "T", "body": "B", "labels": ["bug"]}));
    assert_eq!(call("create_issue", new).0["number"], 8);
}

#[test]
fn what_github_refuses_is_a_sentence() {
    let github = GitHub::new(|line, _| match line {
        "GET /repos/o/r/issues/401" => (401, String::new(), json!({"message": "Bad credentials"})),
        "GET /repos/o/r/issues/403" => (403, String::new(), json!({"message": "Not yours"})),
        "GET /repos/o/r/issues/429" => (
            403,
            "retry-after: 60\r\nx-ratelimit-remaining: 0\r\n".into(),
            json!({"message": "API rate limit exceeded"}),
        ),
        "GET /repos/o/r/issues/502" => (502, String::new(), json!("<html>")),
        "GET /repos/o/r/issues/200" => fine(json!(["not", "an issue"])),
        _ => (404, String::new(), json!({"message": "Not Found"})),
    });
    let mut session = github.session();
    for (number, says) in [
        (
            401,
            "GitHub takes no request without a token that is good (Bad credentials)",
        ),
        (403, "GitHub does not permit it to this token (Not yours)"),
        (
            429,
            "GitHub's limit of requests is used up; there are more in 60 seconds",
        ),
        (
            502,
            "GitHub fails at the moment (status 502); try again later",
        ),
        (
            200,
            "the answer from api.github.com is not what it should be",
        ),
        (
            404,
            "there is no such thing on GitHub, or this token may not see it",
        ),
    ] {
        let result = session.call("get_issue", ours(json!({"issue_number": number})));
        let error = rpc::tool_error(&result);
        assert!(
            error.starts_with(&format!("issue {number} of o/r: {says}")),
            "{error}"
        );
    }
}

#[test]
fn a_grant_for_reading_only_opens_nothing() {
    let github = GitHub::new(|_, _| fine(issue(1, "")));
    let mut session = open(&github.command("GET https://api.github.com"));
    let result = session.call("create_issue", ours(json!({"title": "T"})));
    let error = rpc::tool_error(&result);
    assert!(
        error.contains("not permitted: POST https://api.github.com is not in this plugin's grant"),
        "{error}"
    );
    let result = session.call("get_issue", ours(json!({"issue_number": 1})));
    assert_ne!(result["isError"], true, "{result}");
    assert_eq!(github.lines(), ["GET /repos/o/r/issues/1"]);
}

#[test]
fn a_repository_that_got_another_name_is_followed_and_nobody_else() {
    let github = GitHub::new(|line, _| {
        let to = |there: &str| (301, format!("location: {there}\r\n"), json!({}));
        match line {
            "GET /repos/o/r/issues/1" => to("https://api.github.com/repositories/5/issues/1"),
            "GET /repos/o/r/issues/2" => to("https://evil.test/"),
            _ => fine(issue(1, "")),
        }
    });
    let mut session = github.session();
    let result = session.call("get_issue", ours(json!({"issue_number": 1})));
    assert_eq!(result["structuredContent"]["number"], 1, "{result}");
    let result = session.call("get_issue", ours(json!({"issue_number": 2})));
    let error = rpc::tool_error(&result);
    assert!(
        error.contains("not permitted: https://evil.test "),
        "{error}"
    );
}

#[test]
fn it_asks_for_github_and_nobody_else() {
    let github = GitHub::new(|_, _| fine(issue(1, "")));
    // Granted, and not asked for by the plugin itself.
    let command = (github.command("https://evil.test"))
        .arg("--env")
        .arg("GITHUB_API_URL=https://evil.test");
    let mut session = open(&command);
    let result = session.call("get_issue", ours(json!({"issue_number": 1})));
    let error = rpc::tool_error(&result);
    assert!(error.contains("not permitted: "), "{error}");
    assert_eq!(github.web.connections(), 0);
}

/// The plugin sends its requests without it, and whatever an answer says of it is
/// not there for the plugin to see.
#[test]
fn the_token_is_the_hosts() {
    let github = GitHub::new(|line, asked| match line {
        "GET /repos/o/r/issues/1" => fine(issue(1, &asked.head)),
        _ => (401, String::new(), json!({"message": asked.head})),
    });
    let mut session = github.session();
    for number in [1, 2] {
        let result = session.call("get_issue", ours(json!({"issue_number": number})));
        assert!(!result.to_string().contains(TOKEN), "{result}");
    }
    let asked = github.web.asked();
    assert_eq!(asked.len(), 2);
    let with_token = format!("authorization: bearer {TOKEN}");
    for one in &asked {
        assert!(one.head.to_lowercase().contains(&with_token), "{one:?}");
    }
    assert!(!session.stderr().contains(TOKEN));
}

/// With GitHub Enterprise Cloud the same token is used, and only there where it is
/// allowed.
#[test]
fn another_github_has_the_token_where_it_is_allowed() {
    for (rule, reached) in [
        ("https://api.acme.ghe.com", true),
        ("https://api.github.com", false),
    ] {
        let github = GitHub::called("api.acme.ghe.com", |_, _| fine(issue(1, "text")));
        let grant = "[[secrets]]\nname = \"GITHUB_TOKEN\"\n";
        let command = with_a_token(Palisade::run(plugin("github")), grant);
        let command = github.internet.reach(command, &[rule]);
        let command = command
            .args(["--env", "GITHUB_API_URL=https://api.acme.ghe.com"])
            .env("HTTPS_PROXY", github.proxy.url());
        let mut session = open(&command);
        let result = session.call("get_issue", ours(json!({"issue_number": 1})));
        let asked = github.web.asked();
        assert_eq!(asked.len(), usize::from(reached), "{result}");
        let header = format!("authorization: Bearer {TOKEN}");
        assert!(asked.iter().all(|one| one.head.contains(&header)));
        assert!(!result.to_string().contains(TOKEN));
    }
}
