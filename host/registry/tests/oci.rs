//! Fetching from registries that are hostile, or whose tags were moved.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex};

use common::net::{COMPONENT, Desk, OTHER, answer, quick};
use palisade_registry::{Credentials, Digest, FetchError, Limits, Pin};
use palisade_tests::internet::Web;
use serde_json::{Value, json};

/// What a server has at a path: status, headers, body.
type Things = Arc<Mutex<HashMap<String, (u16, Vec<String>, Vec<u8>)>>>;

/// A registry that has whatever a test wants, without asking who asks.
struct Fake {
    web: Web,
    things: Things,
}

impl Fake {
    fn new() -> Self {
        let things = Things::default();
        let own = Arc::clone(&things);
        let web = Web::plain(move |asked, pipe| {
            let path = asked.head.split(' ').nth(1).unwrap_or_default();
            let path = path.split('?').next().unwrap_or_default();
            let thing = own.lock().unwrap().get(path).cloned();
            let (status, headers, body) = thing.unwrap_or((404, Vec::new(), Vec::new()));
            answer(pipe, status, &headers, &body)
        });
        Self { web, things }
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.web.port())
    }

    fn source(&self, tag: &str) -> String {
        format!("oci://{}/notes{tag}", self.host())
    }

    fn put(&self, path: &str, status: u16, headers: &[&str], body: &[u8]) {
        let headers = headers.iter().map(ToString::to_string).collect();
        let mut things = self.things.lock().unwrap();
        things.insert(path.to_owned(), (status, headers, body.to_vec()));
    }

    fn blob(&self, name: &Digest, body: &[u8]) {
        self.put(&format!("/v2/notes/blobs/{name}"), 200, &[], body);
    }

    /// A manifest, by a tag and by its digest.
    fn manifest(&self, tag: &str, manifest: &Value) -> Digest {
        let body = manifest.to_string().into_bytes();
        let digest = Digest::of(&body);
        for name in [tag.to_owned(), digest.to_string()] {
            self.put(&format!("/v2/notes/manifests/{name}"), 200, &[], &body);
        }
        digest
    }

    /// A good artifact.
    fn artifact(&self, tag: &str, body: &[u8]) -> Digest {
        self.blob(&Digest::of(body), body);
        self.manifest(tag, &manifest(&[layer(body)]))
    }

    fn heads(&self) -> String {
        let asked = self.web.asked();
        asked
            .iter()
            .map(|asked| asked.head.to_ascii_lowercase())
            .collect()
    }
}

fn layer(body: &[u8]) -> Value {
    json!({
        "mediaType": "application/wasm",
        "digest": Digest::of(body).to_string(),
        "size": body.len(),
    })
}

fn manifest(layers: &[Value]) -> Value {
    json!({"schemaVersion": 2, "layers": layers, "annotations": {"a": "b"}})
}

fn index(manifests: &[Value]) -> Value {
    json!({"schemaVersion": 2, "manifests": manifests})
}

fn entry(of: &Value, architecture: &str) -> Value {
    let bytes = of.to_string();
    json!({
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "digest": Digest::of(bytes.as_bytes()).to_string(),
        "size": bytes.len(),
        "platform": {"os": "wasi", "architecture": architecture},
    })
}

#[tokio::test]
async fn a_tag_is_resolved_once_and_may_be_moved_later() {
    let (desk, registry) = (Desk::new(), Fake::new());
    let first = registry.artifact("1.0", COMPONENT);
    let fetched = desk.fetch(&registry.source(":1.0")).await.unwrap();
    assert_eq!(fetched.annotations["a"], "b");
    drop(fetched);
    let pin = desk.got(&registry.source(":1.0")).await;
    assert_eq!(
        pin,
        Pin {
            digest: Digest::of(COMPONENT),
            manifest: Some(first)
        }
    );

    let second = registry.artifact("1.0", OTHER);
    desk.pinned(&registry.source(":1.0"), pin).await.unwrap();
    let moved = desk.got(&registry.source(":1.0")).await;
    assert_eq!(
        moved,
        Pin {
            digest: Digest::of(OTHER),
            manifest: Some(second)
        }
    );
    let by_digest = registry.source(&format!(":1.0@{first}"));
    assert_eq!(desk.got(&by_digest).await, pin);

    // Without a manifest to go by, what comes is held against what was.
    let pin = Pin {
        manifest: None,
        ..pin
    };
    let error = desk
        .pinned(&registry.source(":1.0"), pin)
        .await
        .unwrap_err();
    assert!(matches!(error, FetchError::Changed { .. }), "{error}");

    // Something else under the digest that was asked for.
    let path = format!("/v2/notes/manifests/{first}");
    registry.put(
        &path,
        200,
        &[],
        manifest(&[layer(OTHER)]).to_string().as_bytes(),
    );
    let error = desk.refused(&by_digest).await;
    assert!(error.contains("where it should send"), "{error}");
    registry.put(&path, 404, &[], b"");
    let error = desk.refused(&by_digest).await;
    assert!(
        error.contains("404, which means that there is no such thing"),
        "{error}"
    );
}

#[tokio::test]
async fn without_a_tag_it_is_the_latest() {
    let (desk, registry) = (Desk::new(), Fake::new());
    registry.artifact("latest", COMPONENT);
    desk.fetch(&registry.source("")).await.unwrap();
    let error = desk.refused(&registry.source(":2")).await;
    assert!(error.contains("notes:2 can't be fetched"), "{error}");
}

#[tokio::test]
async fn blobs_that_are_not_what_they_are_called() {
    let (desk, registry) = (Desk::new(), Fake::new());
    registry.artifact("a", COMPONENT);
    let same_length = b"\0asm\x0d\0\x01\x01";
    registry.blob(&Digest::of(COMPONENT), same_length);
    let error = desk.refused(&registry.source(":a")).await;
    assert!(error.contains("where its manifest says"), "{error}");
    for body in [OTHER, &COMPONENT[..6]] {
        registry.blob(&Digest::of(COMPONENT), body);
        let error = desk.refused(&registry.source(":a")).await;
        assert!(error.contains("8 were announced"), "{error}");
    }
    // More than was announced, of a length that nobody says.
    let path = format!("/v2/notes/blobs/{}", Digest::of(COMPONENT));
    let body = format!(
        "{:x}\r\n{}\r\n0\r\n\r\n",
        OTHER.len(),
        str::from_utf8(OTHER).unwrap()
    );
    registry.put(&path, 200, &["transfer-encoding: chunked"], body.as_bytes());
    let error = desk.refused(&registry.source(":a")).await;
    assert!(error.contains("larger than 8 bytes"), "{error}");
    registry.put(&path, 200, &[], b"<html>");
    let error = desk.refused(&registry.source(":a")).await;
    assert!(error.contains("announced"), "{error}");
}

#[tokio::test]
async fn manifests_that_are_none() {
    let (desk, registry) = (Desk::new(), Fake::new());
    let traversal = json!({
        "mediaType": "text/plain",
        "digest": Digest::of(b"x").to_string(),
        "size": 1,
        "annotations": {"org.opencontainers.image.title": "../../.bashrc\n\u{1b}[31m\u{202e}"},
    });
    let with = |key: &str, value: Value| {
        let mut layer = layer(COMPONENT);
        layer[key] = value;
        manifest(&[layer])
    };
    let mut both = manifest(&[layer(COMPONENT)]);
    both["manifests"] = json!([]);
    for (manifest, why) in [
        (json!("<html>"), "its manifest is none"),
        (json!({"schemaVersion": 1, "layers": []}), "version"),
        (json!({"schemaVersion": 2}), "has no layers"),
        (both, "an index as well"),
        (
            manifest(&[]),
            "no layer of WebAssembly (application/wasm), but nothing",
        ),
        (manifest(&[traversal]), "but `../../.bashrc"),
        (manifest(&vec![layer(COMPONENT); 2]), "more than one layer"),
        (with("digest", json!("sha512:00")), "none of SHA-256"),
        (
            with("digest", json!("sha256:../../../x")),
            "none of SHA-256",
        ),
        (with("digest", json!("sha256:0")), "none of SHA-256"),
        (with("size", json!(-1)), "its manifest is none"),
        (with("size", json!(1u64 << 40)), "larger than"),
        (
            with(
                "mediaType",
                json!("application/vnd.oci.image.layer.v1.tar+gzip"),
            ),
            "no layer of",
        ),
    ] {
        registry.manifest("a", &manifest);
        let error = desk.refused(&registry.source(":a")).await;
        assert!(error.contains(why), "{manifest}: {error}");
        assert!(!error.contains(['\u{1b}', '\u{202e}']), "{error}");
    }
    // Asked for nothing but what was looked at.
    assert!(!registry.heads().contains(".."), "{}", registry.heads());

    let other = "application/vnd.wasm.content.layer.v1+wasm";
    registry.blob(&Digest::of(COMPONENT), COMPONENT);
    registry.manifest("a", &with("mediaType", json!(other)));
    desk.fetch(&registry.source(":a")).await.unwrap();

    let deep = "[".repeat(100_000);
    registry.put("/v2/notes/manifests/a", 200, &[], deep.as_bytes());
    desk.refused(&registry.source(":a")).await;
    let huge = vec![b' '; 5 << 20];
    registry.put("/v2/notes/manifests/a", 200, &[], &huge);
    let error = desk.refused(&registry.source(":a")).await;
    assert!(error.contains("larger than 4194304 bytes"), "{error}");
    registry.artifact("a", COMPONENT);
    let said = format!("docker-content-digest: {}", Digest::of(b"other"));
    let body = manifest(&[layer(COMPONENT)]).to_string();
    registry.put("/v2/notes/manifests/a", 200, &[&said], body.as_bytes());
    let error = desk.refused(&registry.source(":a")).await;
    assert!(error.contains("where it should send"), "{error}");
}

#[tokio::test]
async fn indexes() {
    let (desk, registry) = (Desk::new(), Fake::new());
    registry.artifact("unused", COMPONENT);
    let good = manifest(&[layer(COMPONENT)]);
    let other = entry(&json!({}), "amd64");
    let whole = index(&[other.clone(), entry(&good, "wasm")]);
    let digest = registry.manifest("a", &whole);
    let pin = desk.got(&registry.source(":a")).await;
    assert_eq!(
        pin,
        Pin {
            digest: Digest::of(COMPONENT),
            manifest: Some(digest)
        }
    );
    desk.pinned(&registry.source(":a"), pin).await.unwrap();

    let mut larger = entry(&good, "wasm");
    larger["size"] = json!(7);
    let inner = index(&[entry(&good, "wasm")]);
    registry.manifest("inner", &inner);
    for (index, why) in [
        (
            index(&[other]),
            "without anything for WebAssembly, but wasi/amd64",
        ),
        (
            index(&[entry(&good, "wasm"), entry(&good, "wasm")]),
            "more than one artifact",
        ),
        (index(&[larger]), "not as large as its index says"),
        (index(&[entry(&inner, "wasm")]), "leads to another index"),
        (index(&[]), "but nothing"),
    ] {
        registry.manifest("a", &index);
        let error = desk.refused(&registry.source(":a")).await;
        assert!(error.contains(why), "{error}");
    }
}

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

/// Bytes that come forever, wherever they come.
#[tokio::test]
async fn what_never_ends_ends() {
    let mut desk = Desk::new();
    desk.fetcher = desk.fetcher.with_limits(Limits {
        grace: std::time::Duration::from_millis(300),
        ..quick()
    });
    let web = Web::plain(|_, pipe| {
        answer(pipe, 200, &["transfer-encoding: chunked".to_owned()], b"");
        let (_never, wait) = std::sync::mpsc::channel::<()>();
        while pipe
            .write_all(b"1\r\n \r\n")
            .and_then(|()| pipe.flush())
            .is_ok()
        {
            let _ = wait.recv_timeout(std::time::Duration::from_millis(10));
        }
        false
    });
    let error = desk
        .refused(&format!("oci://127.0.0.1:{}/notes:a", web.port()))
        .await;
    assert!(error.contains("too slowly"), "{error}");
}
