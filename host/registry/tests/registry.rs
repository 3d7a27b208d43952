//! Pushing to a real registry, and pulling from it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use common::net::{Desk, OTHER};
use palisade_registry::{
    Credentials, Digest, FetchError, Limits, OciReference, Pin, Pushed, Source,
};
use palisade_tests::oci::{PASSWORD, Registry};
use palisade_tests::plugin;

const CREATED: SystemTime = SystemTime::UNIX_EPOCH;

fn reference(text: &str) -> OciReference {
    match text.parse().unwrap() {
        Source::Oci(reference) => reference,
        other => panic!("{other}"),
    }
}

async fn push(desk: &Desk, to: &str, component: &[u8]) -> Result<Pushed, FetchError> {
    let annotations: BTreeMap<_, _> = [(
        "org.opencontainers.image.version".to_owned(),
        "1.0".to_owned(),
    )]
    .into();
    let component = component.to_vec().into();
    let to = reference(to);
    desk.fetcher
        .push(component, &to, &annotations, CREATED)
        .await
}

fn desk() -> Desk {
    let mut desk = Desk::new();
    desk.fetcher = desk.fetcher.with_limits(Limits::default());
    desk
}

#[tokio::test]
async fn what_is_pushed_is_pulled() {
    let (desk, registry) = (desk(), Registry::open());
    let component = std::fs::read(plugin("hello")).unwrap();
    let source = registry.reference("team/hello:1.0");
    let pushed = push(&desk, &source, &component).await.unwrap();
    assert_eq!(pushed.digest, Digest::of(&component));
    // The same again is no error, and nothing new.
    assert_eq!(push(&desk, &source, &component).await.unwrap(), pushed);

    let mut fetched = desk.fetch(&source).await.unwrap();
    assert_eq!(fetched.manifest, Some(pushed.manifest));
    assert_eq!(fetched.blob.bytes(pushed.digest).unwrap(), component);
    assert_eq!(
        fetched.annotations["org.opencontainers.image.version"],
        "1.0"
    );
    let by_digest = pushed.reference.to_string();
    assert_eq!(desk.fetch(&by_digest).await.unwrap().digest, pushed.digest);

    // Its tag is moved: what was locked is still what comes.
    let moved = push(&desk, &source, OTHER).await.unwrap();
    let pin = Pin {
        digest: pushed.digest,
        manifest: Some(pushed.manifest),
    };
    assert_eq!(
        desk.pinned(&source, pin).await.unwrap().digest,
        pushed.digest
    );
    assert_eq!(desk.fetch(&source).await.unwrap().digest, moved.digest);
}

#[tokio::test]
async fn what_is_pushed_has_the_shape_that_others_read() {
    let (desk, registry) = (desk(), Registry::open());
    let component = std::fs::read(plugin("hello")).unwrap();
    let pushed = push(&desk, &registry.reference("a:1"), &component)
        .await
        .unwrap();
    let get = |path: String| {
        let host = registry.host();
        let request = format!(
            "GET /v2/a/{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\
             accept: application/vnd.oci.image.manifest.v1+json\r\n\r\n"
        );
        let mut stream = std::net::TcpStream::connect(host).unwrap();
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        let answer = std::io::read_to_string(stream).unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1.to_owned();
        serde_json::from_str::<serde_json::Value>(&body).unwrap()
    };
    let manifest = get(format!("manifests/{}", pushed.manifest));
    assert_eq!(
        manifest["mediaType"],
        "application/vnd.oci.image.manifest.v1+json"
    );
    assert_eq!(
        manifest["config"]["mediaType"],
        "application/vnd.wasm.config.v0+json"
    );
    assert_eq!(manifest["layers"][0]["mediaType"], "application/wasm");
    assert_eq!(manifest["layers"].as_array().unwrap().len(), 1);
    let config = get(format!(
        "blobs/{}",
        manifest["config"]["digest"].as_str().unwrap()
    ));
    assert_eq!(config["created"], "1970-01-01T00:00:00Z");
    assert_eq!(
        (&config["architecture"], &config["os"]),
        (&"wasm".into(), &"wasip2".into())
    );
    assert_eq!(config["layerDigests"][0], pushed.digest.to_string());
    let exports = config["component"]["exports"].to_string();
    assert!(exports.contains("palisade:mcp/tools"), "{exports}");
}

#[tokio::test]
async fn a_registry_that_wants_a_login() {
    let (mut desk, registry) = (desk(), Registry::closed());
    let source = registry.reference("a:1");
    let component = std::fs::read(plugin("hello")).unwrap();
    let login = |password: &str| Credentials::DockerIn(registry.login(password));

    let error = push(&desk, &source, &component)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("docker login 127.0.0.1"), "{error}");
    desk.fetcher = desk.fetcher.with_credentials(login("wrong"));
    let error = push(&desk, &source, &component)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("does not accept the login"), "{error}");
    desk.fetcher = desk.fetcher.with_credentials(login(PASSWORD));
    push(&desk, &source, &component).await.unwrap();
    desk.fetch(&source).await.unwrap();
    desk.fetcher = desk.fetcher.with_credentials(Credentials::Nobody);
    let error = desk.refused(&source).await;
    assert!(error.contains("docker login 127.0.0.1"), "{error}");
}

#[tokio::test]
async fn what_is_not_there_and_what_is_not_a_component() {
    let (desk, registry) = (desk(), Registry::open());
    let error = desk.refused(&registry.reference("nothing:1")).await;
    assert!(error.contains("no such thing"), "{error}");
    let error = push(&desk, &registry.reference("a:1"), b"<html>").await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("is no WebAssembly"), "{error}");
    // Nobody listens any more.
    let source = registry.reference("a:1");
    drop(registry);
    let since = std::time::Instant::now();
    let error = desk.refused(&source).await;
    assert!(error.contains("could not be connected to"), "{error}");
    assert!(since.elapsed() < Duration::from_secs(20));
}

/// What Docker calls `docker-credential-test`, which has the login and nothing else.
const HELPER: &str = "#!/bin/sh\nread -r registry\n\
    [ \"$1\" = get ] && [ \"$registry\" = \"$WANTED\" ] || exit 1\n\
    echo '{\"Username\": \"me\", \"Secret\": \"open sesame\"}'\n";

/// Not a test of its own: what the next one runs with another environment. Without
/// the variable there is nothing to do.
#[tokio::test]
async fn child() {
    let Ok(source) = std::env::var("PALISADE_TEST_SOURCE") else {
        return;
    };
    let mut desk = desk();
    desk.fetcher = desk.fetcher.with_credentials(Credentials::Docker);
    desk.fetch(&source).await.unwrap();
}

#[tokio::test]
async fn a_program_that_keeps_logins() {
    use std::os::unix::fs::PermissionsExt as _;

    let (mut desk, registry) = (desk(), Registry::closed());
    let login = Credentials::DockerIn(registry.login(PASSWORD));
    desk.fetcher = desk.fetcher.with_credentials(login);
    let source = registry.reference("a:1");
    push(&desk, &source, OTHER).await.unwrap();

    let folder = desk.home.path();
    let helper = folder.join("docker-credential-test");
    std::fs::write(&helper, HELPER).unwrap();
    std::fs::set_permissions(&helper, std::fs::Permissions::from_mode(0o755)).unwrap();
    let config = serde_json::json!({"credHelpers": {registry.host(): "test"}});
    std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
    let path = std::env::var("PATH").unwrap();
    let fetch = |wanted: &str| {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child"])
            .env("PALISADE_TEST_SOURCE", &source)
            .env("PATH", format!("{}:{path}", folder.display()))
            .env("DOCKER_CONFIG", folder)
            .env("WANTED", wanted)
            .output()
            .unwrap()
    };
    let fetched = fetch(&registry.host());
    assert!(fetched.status.success(), "{fetched:?}");
    let refused = fetch("another");
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stdout) + String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.contains("docker-credential-test, which does not"),
        "{said}"
    );
}
