//! Who is told who asks, by registries that try to have it told to others.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::fs;
use std::sync::Arc;

use common::fake::{Fake, Things};
use common::net::{COMPONENT, Desk, answer};
use palisade_registry::{Credentials, Digest};
use palisade_tests::internet::Web;
use serde_json::{Value, json};

/// A desk with a login for a registry, kept in Docker's configuration.
fn with_login(mut desk: Desk, registry: &Fake, login: &Value) -> Desk {
    let folder = desk.home.path().join("docker");
    fs::create_dir_all(&folder).unwrap();
    let config = json!({"auths": {registry.host(): login}}).to_string();
    fs::write(folder.join("config.json"), config).unwrap();
    desk.fetcher = desk.fetcher.with_credentials(Credentials::DockerIn(folder));
    desk
}

fn password() -> Value {
    json!({"username": "me", "password": "hunter2"})
}

/// `me:hunter2`.
const BASIC: &str = "authorization: basic bwu6ahvudgvymg==";

/// A registry in which everything is behind a token, which is had at `realm`.
fn guarded(realm: &str) -> Fake {
    let things = Things::default();
    let own = Arc::clone(&things);
    let wants = format!(
        "www-authenticate: Bearer realm=\"{realm}\",service=\"s\",scope=\"repository:other:pull\""
    );
    let web = Web::plain(move |asked, pipe| {
        let head = asked.head.to_ascii_lowercase();
        let path = asked.head.split(' ').nth(1).unwrap_or_default();
        let path = path.split('?').next().unwrap_or_default();
        if !path.starts_with("/token") && !head.contains("authorization: bearer the-token") {
            return answer(pipe, 401, std::slice::from_ref(&wants), b"");
        }
        let thing = own.lock().unwrap().get(path).cloned();
        let (status, headers, body) = thing.unwrap_or((404, Vec::new(), Vec::new()));
        answer(pipe, status, &headers, &body)
    });
    Fake { web, things }
}

#[tokio::test]
async fn a_token_is_for_this_repository_and_told_to_this_registry() {
    // Where tokens are had, and where blobs are: other hosts than the registry.
    let (tokens, blobs) = (Fake::new(), Fake::new());
    tokens.put("/token", 200, &[], b"{\"token\": \"the-token\"}");
    let registry = guarded(&format!("http://{}/token", tokens.host()));
    registry.artifact("a", COMPONENT);
    let blob = format!("/v2/notes/blobs/{}", Digest::of(COMPONENT));
    let location = format!("location: http://{}{blob}", blobs.host());
    registry.put(&blob, 307, &[&location], b"");
    blobs.blob(&Digest::of(COMPONENT), COMPONENT);

    let desk = Desk::new();
    desk.fetch(&registry.source(":a")).await.unwrap();
    let asked = tokens.heads();
    assert!(asked.contains("scope=repository%3anotes%3apull"), "{asked}");
    assert!(asked.contains("service=s"), "{asked}");
    assert!(
        !asked.contains("other") && !asked.contains("authorization"),
        "{asked}"
    );
    assert!(registry.heads().contains("authorization: bearer the-token"));
    let asked = blobs.heads();
    assert!(asked.contains("get /v2/notes/blobs/"), "{asked}");
    assert!(!asked.contains("authorization"), "{asked}");

    // With a login that host is told who asks: it is the registry's own.
    let desk = with_login(Desk::new(), &registry, &password());
    desk.fetch(&registry.source(":a")).await.unwrap();
    assert!(tokens.heads().contains(BASIC), "{}", tokens.heads());
    assert!(!registry.heads().contains("basic"));
    assert!(!blobs.heads().contains("authorization"));
}

#[tokio::test]
async fn a_token_that_stands_for_a_login() {
    let tokens = Fake::new();
    tokens.put("/token", 200, &[], b"{\"access_token\": \"the-token\"}");
    let registry = guarded(&format!("http://{}/token", tokens.host()));
    registry.artifact("a", COMPONENT);
    let desk = with_login(
        Desk::new(),
        &registry,
        &json!({"identitytoken": "refresh me"}),
    );
    desk.fetch(&registry.source(":a")).await.unwrap();
    let asked = tokens.web.asked();
    assert!(
        asked[0].head.starts_with("POST /token"),
        "{}",
        asked[0].head
    );
    let body = str::from_utf8(&asked[0].body).unwrap();
    assert!(body.contains("refresh_token=refresh+me"), "{body}");
    assert!(body.contains("scope=repository%3Anotes%3Apull"), "{body}");
}

/// A registry can't have its visitors' logins told to just anybody.
#[tokio::test]
async fn where_a_login_is_never_told() {
    let tokens = Fake::new();
    tokens.put("/token", 200, &[], b"{\"token\": \"the-token\"}");
    let port = tokens.web.port();
    for (realm, why) in [
        (format!("http://localhost:{port}/token"), "somebody else"),
        (format!("http://[::1]:{port}/token"), "somebody else"),
        ("https://tokens.example/token".to_owned(), "somebody else"),
        (
            "http://tokens.example/token".to_owned(),
            "anybody on the way",
        ),
        (
            format!("http://127.0.0.1@localhost:{port}/token"),
            "has a user",
        ),
        ("https://169.254.169.254/token".to_owned(), "metadata"),
        ("file:///etc/passwd".to_owned(), "begins with file://"),
        ("//x".to_owned(), "is no address"),
        (String::new(), "is no address"),
    ] {
        let registry = guarded(&realm);
        registry.artifact("a", COMPONENT);
        let desk = with_login(Desk::new(), &registry, &password());
        let error = desk.refused(&registry.source(":a")).await;
        assert!(error.contains(why), "{realm}: {error}");
        assert!(!registry.heads().contains("authorization"), "{realm}");
    }
    assert_eq!(tokens.web.connections(), 0);

    // Nor where the one who hands out tokens leads.
    let elsewhere = Fake::new();
    let location = format!("location: http://{}/token", elsewhere.host());
    tokens.put("/token", 307, &[&location], b"");
    let registry = guarded(&format!("http://{}/token", tokens.host()));
    let desk = with_login(Desk::new(), &registry, &password());
    let error = desk.refused(&registry.source(":a")).await;
    assert!(error.contains("hands out no token"), "{error}");
    assert_eq!(elsewhere.web.connections(), 0);

    // A login for another registry is not told to this one.
    let registry = guarded(&format!("http://{}/token", tokens.host()));
    let other = Fake::new();
    let desk = with_login(Desk::new(), &other, &password());
    tokens.put("/token", 401, &[], b"");
    let error = desk.refused(&registry.source(":a")).await;
    assert!(error.contains("docker login 127.0.0.1"), "{error}");
    assert_eq!(
        tokens.heads().matches(BASIC).count(),
        1,
        "{}",
        tokens.heads()
    );
}

#[tokio::test]
async fn tokens_that_are_none() {
    let tokens = Fake::new();
    let registry = guarded(&format!("http://{}/token", tokens.host()));
    registry.artifact("a", COMPONENT);
    let desk = Desk::new();
    for (status, body, why) in [
        (200, &b"{}"[..], "hands out no token"),
        (200, b"{\"token\": \"\"}", "hands out no token"),
        (
            200,
            b"{\"token\": \"a\\r\\nhost: b\"}",
            "no header can hold",
        ),
        (200, b"{\"token\": \"wrong\"}", "does not accept the login"),
        (500, b"", "it answers 500"),
        (403, b"", "docker login"),
    ] {
        tokens.put("/token", status, &[], body);
        let error = desk.refused(&registry.source(":a")).await;
        assert!(error.contains(why), "{error}");
    }
    tokens.put("/token", 200, &[], &vec![b' '; 1 << 20]);
    let error = desk.refused(&registry.source(":a")).await;
    assert!(error.contains("larger than 65536 bytes"), "{error}");

    let silent = Fake::new();
    silent.put("/v2/notes/manifests/a", 401, &[], b"");
    let error = desk.refused(&silent.source(":a")).await;
    assert!(error.contains("does not say how"), "{error}");
    silent.put(
        "/v2/notes/manifests/a",
        401,
        &["www-authenticate: Basic realm=x"],
        b"",
    );
    let error = desk.refused(&silent.source(":a")).await;
    assert!(error.contains("docker login"), "{error}");
}
