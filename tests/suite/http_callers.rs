//! Who may call: names and origins against rebinding, tokens against strangers.

use palisade_tests::{Palisade, guest, http::Server, plugin, rpc};
use serde_json::{Value, json};

use crate::mistakes::{Table, USAGE};

const ADA: &str = "ada-0123456789abcdef";
const BOB: &str = "bob-0123456789abcdef";

fn initialize() -> Value {
    rpc::request(1, "initialize", rpc::hello("2025-11-25"))
}

fn with_tokens() -> (tempfile::TempDir, Server) {
    serve_with_tokens(Palisade::run(plugin("hello")))
}

fn serve_with_tokens(command: Palisade) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens");
    std::fs::write(&file, format!("{ADA}\n{BOB}\n")).unwrap();
    let command = command.arg("--token-file").arg(&file);
    (folder, command.serve_with(None))
}

#[test]
fn only_a_known_name_is_answered() {
    let server = Palisade::run(plugin("hello"))
        .arg("--allow-host")
        .arg("mcp.example.com")
        .serve();
    let port = server.address.port();
    let rows = [
        (format!("localhost:{port}"), 200),
        ("localhost:1234".to_owned(), 200),
        (format!("[::1]:{port}"), 200),
        ("mcp.example.com".to_owned(), 200),
        ("evil.example.com".to_owned(), 403),
        (format!("evil.example.com:{port}"), 403),
        (format!("localhost.evil.example.com:{port}"), 403),
    ];
    for (host, status) in rows {
        let request = server.post(&initialize()).header("host", &host);
        assert_eq!(request.send().status, status, "{host}");
    }
    // Before anything else is looked at.
    for method in ["GET", "DELETE", "PUT"] {
        let request = server.request(method).path("/nowhere");
        let request = request.header("host", "evil.example.com");
        assert_eq!(request.send().status, 403, "{method}");
    }
}

#[test]
fn only_pages_of_this_machine_or_of_allowed_sites_are_answered() {
    let allowed = "https://app.example.com";
    let server = Palisade::run(plugin("hello"))
        .arg("--allow-origin")
        .arg(allowed)
        .serve();
    let rows = [
        (server.url.trim_end_matches("/mcp").to_owned(), 200),
        ("http://localhost:6274".to_owned(), 200),
        (allowed.to_owned(), 200),
        ("https://evil.example.com".to_owned(), 403),
        ("null".to_owned(), 403),
        ("http://localhost.evil.example.com".to_owned(), 403),
    ];
    for (origin, status) in rows {
        let request = server.post(&initialize()).header("origin", &origin);
        let response = request.send();
        assert_eq!(response.status, status, "{origin}");
        // Only who was named may read answers across sites.
        let may_read = response.header("access-control-allow-origin");
        assert_eq!(may_read.is_some(), origin == allowed, "{origin}");
    }
    let asks = server.request("OPTIONS").header("origin", allowed);
    let response = asks.header("access-control-request-method", "POST").send();
    assert_eq!(response.status, 204);
    assert_eq!(
        response.header("access-control-allow-origin").as_deref(),
        Some(allowed)
    );
}

#[test]
fn only_who_has_a_token_is_answered() {
    let (_folder, server) = with_tokens();
    let rows = [
        ("none", None, 401),
        (
            "another",
            Some("Bearer eve-0123456789abcdef".to_owned()),
            401,
        ),
        ("a part of it", Some(format!("Bearer {}", &ADA[..16])), 401),
        ("more than it", Some(format!("Bearer {ADA}x")), 401),
        ("another scheme", Some(format!("Basic {ADA}")), 401),
        ("the token", Some(format!("Bearer {ADA}")), 200),
        ("the other token", Some(format!("bearer {BOB}")), 200),
    ];
    for (what, token, status) in rows {
        let mut request = server.post(&initialize());
        if let Some(token) = &token {
            request = request.header("authorization", token);
        }
        let response = request.send();
        assert_eq!(response.status, status, "{what}");
        let challenge = response.header("www-authenticate");
        assert_eq!(challenge.is_some(), status == 401, "{what}");
        assert!(
            challenge.is_none_or(|it| it.starts_with("Bearer")),
            "{what}"
        );
    }
    // Neither the body nor the session is looked at before.
    for method in ["GET", "DELETE", "POST"] {
        let request = server.request(method).header("mcp-session-id", "x");
        assert_eq!(request.send().status, 401, "{method}");
    }
    let said = server.process.stderr();
    assert!(!said.contains(ADA) && !said.contains(BOB), "{said}");
}

#[test]
fn a_session_belongs_to_the_token_that_opened_it() {
    let (_folder, server) = with_tokens();
    let ada = format!("Bearer {ADA}");
    let bob = format!("Bearer {BOB}");
    let mut session = server.session_as("2025-11-25", &[("authorization", &ada)]);
    let ping = rpc::request(7, "ping", Value::Null);
    let foreign = session.post(&ping).header("authorization", &bob).send();
    assert_eq!(foreign.status, 404);
    let foreign = session.request("DELETE").header("authorization", &bob);
    assert_eq!(foreign.send().status, 404);
    let foreign = session.request("GET").header("authorization", &bob);
    assert_eq!(foreign.send().status, 404);
    rpc::result(&session.ask("ping", Value::Null));
}

/// What was cut of a result is kept for its caller, also where there is no
/// session.
#[test]
fn what_is_kept_belongs_to_the_token_that_called() {
    let (_folder, server) = serve_with_tokens(Palisade::run(guest("returns-much")));
    let ask = |token: &str, method: &str, params: Value| {
        let request = server.stateless(1, method, params);
        let request = request.header("authorization", &format!("Bearer {token}"));
        request.send().answer()
    };
    let call = rpc::tool("text", json!({"bytes": 5 << 20}));
    let cut = ask(ADA, "tools/call", call);
    let content = rpc::result(&cut)["content"].as_array().unwrap();
    let link = json!({ "uri": content.last().unwrap()["uri"] });
    let foreign = ask(BOB, "resources/read", link.clone());
    assert_eq!(rpc::error_code(&foreign), -32602, "{foreign}");
    let own = ask(ADA, "resources/read", link);
    let text = rpc::result(&own)["contents"][0]["text"].as_str().unwrap();
    assert_eq!(text.len(), 5 << 20);
}

#[test]
fn a_token_may_come_from_the_environment() {
    let server = Palisade::run(plugin("hello"))
        .env("PALISADE_TOKEN", ADA)
        .serve_with(None);
    assert_eq!(server.post(&initialize()).send().status, 401);
    let bearer = format!("Bearer {ADA}");
    let request = server.post(&initialize()).header("authorization", &bearer);
    assert_eq!(request.send().status, 200);
}

#[test]
fn it_does_not_start_where_strangers_could_call() {
    let hello = Palisade::run(plugin("hello"));
    let at = |address: &str| hello.clone().arg("--http").arg(address);
    let folder = tempfile::tempdir().unwrap();
    let short = folder.path().join("short");
    std::fs::write(&short, "short\n").unwrap();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "\n").unwrap();
    let mut table = Table::default();
    let loopback = "127.0.0.1:0";
    table.row(
        "no token",
        &at(loopback),
        USAGE,
        &["token", "--token-file", "--no-auth"],
    );
    table.row(
        "everywhere, for everybody",
        &at("0.0.0.0:0").arg("--no-auth"),
        USAGE,
        &["token", "127.0.0.1"],
    );
    table.row(
        "everywhere, for everybody, in IPv6",
        &at("[::]:0").arg("--no-auth"),
        USAGE,
        &["token", "127.0.0.1"],
    );
    table.row(
        "a token, and none",
        &at(loopback).arg("--no-auth").env("PALISADE_TOKEN", ADA),
        USAGE,
        &["PALISADE_TOKEN", "--no-auth"],
    );
    table.row(
        "a name for an address",
        &at("example.com:80"),
        USAGE,
        &["--http", "127.0.0.1:8080"],
    );
    table.row(
        "no port",
        &at("127.0.0.1"),
        USAGE,
        &["--http", "127.0.0.1:8080"],
    );
    table.row(
        "a certificate without its key",
        &at(loopback).arg("--tls-cert").arg(&short),
        USAGE,
        &["--tls-key"],
    );
    table.row(
        "a token over standard input and output",
        &hello.clone().arg("--token-file").arg(&short),
        USAGE,
        &["--http"],
    );
    table.row(
        "a path for a name",
        &at(loopback).arg("--allow-host").arg("http://x"),
        USAGE,
        &["--allow-host", "NAME"],
    );
    for (what, file, says) in [
        ("a token that can be guessed", &short, "16"),
        ("a file without a token", &empty, "no token"),
    ] {
        let command = at(loopback).arg("--token-file").arg(file);
        table.row(what, &command, crate::mistakes::FAILED, &[says]);
    }
}
