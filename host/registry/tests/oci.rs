//! Fetching from registries that are hostile, or whose tags were moved.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use common::fake::{Fake, layer, manifest};
use common::net::{COMPONENT, Desk, OTHER, answer, quick};
use palisade_registry::{Digest, FetchError, Limits, Pin};
use palisade_tests::internet::Web;
use serde_json::{Value, json};

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
