//! Fetching from paths and from the web, honest and hostile.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::net::{COMPONENT, Desk, OTHER, answer, quick};
use palisade_registry::{Digest, FetchError, Limits, Pin, Progress, Source};
use palisade_tests::internet::{Asked, Pipe, Web};

/// A server that answers everything in this way, and its address.
fn serve(reply: impl Fn(&Asked, &mut dyn Pipe) -> bool + Send + Sync + 'static) -> (Web, String) {
    let web = Web::plain(reply);
    let address = format!("http://127.0.0.1:{}/notes.wasm", web.port());
    (web, address)
}

/// One that has one thing.
fn constant(status: u16, headers: &[&str], body: &'static [u8]) -> (Web, String) {
    let headers: Vec<String> = headers.iter().map(ToString::to_string).collect();
    serve(move |_, pipe| answer(pipe, status, &headers, body))
}

fn pin(bytes: &[u8]) -> Pin {
    Pin {
        digest: Digest::of(bytes),
        manifest: None,
    }
}

#[tokio::test]
async fn a_path() {
    let desk = Desk::new();
    let file = desk.home.path().join("notes.wasm");
    let path = file.to_str().unwrap();
    let error = desk.refused(path).await;
    assert!(error.starts_with("there is no file"), "{error}");
    fs::write(&file, COMPONENT).unwrap();
    let mut fetched = desk.fetch(path).await.unwrap();
    assert_eq!(fetched.digest, Digest::of(COMPONENT));
    assert_eq!(fetched.blob.bytes(fetched.digest).unwrap(), COMPONENT);
    drop(fetched);
    desk.nothing_is_left().await;

    desk.pinned(path, pin(COMPONENT)).await.unwrap();
    fs::write(&file, OTHER).unwrap();
    let error = desk.pinned(path, pin(COMPONENT)).await.unwrap_err();
    assert!(matches!(error, FetchError::Changed { .. }), "{error}");

    for (bytes, why) in [
        (&b""[..], "is empty"),
        (b"\0as", "breaks off"),
        (b"(module)", "as text"),
        (b"\x1f\x8b\x08", "archive"),
        (b"#!/bin/sh", "no WebAssembly"),
    ] {
        fs::write(&file, bytes).unwrap();
        let error = desk.refused(path).await;
        assert!(error.contains(why), "{error}");
    }
    fs::write(&file, [COMPONENT, &vec![0; 1 << 20]].concat()).unwrap();
    let error = desk.refused(path).await;
    assert!(error.contains("larger than 1048576"), "{error}");
    let error = desk.refused(desk.home.path().to_str().unwrap()).await;
    assert!(error.contains("is a directory; name"), "{error}");
    let error = desk.refused("/dev/zero").await;
    assert!(error.contains("no regular file"), "{error}");
    let error = desk.refused("ghcr.io/team/notes:1.0").await;
    assert!(error.contains("write oci:// before it"), "{error}");
}

#[tokio::test]
async fn the_web() {
    let desk = Desk::new();
    let (web, address) = constant(200, &[], COMPONENT);
    let mut told = Vec::new();
    let source: Source = address.parse().unwrap();
    let store = desk.store();
    let mut tell = |progress: Progress| told.push(progress);
    let fetched = desk
        .fetcher
        .fetch(&store, &source, &mut tell)
        .await
        .unwrap();
    assert_eq!(fetched.digest, Digest::of(COMPONENT));
    assert_eq!(told.last().unwrap().received, 8);
    assert_eq!(told.last().unwrap().total, Some(8));
    let head = web.asked()[0].head.to_ascii_lowercase();
    assert!(head.starts_with("get /notes.wasm http/1.1"), "{head}");
    assert!(head.contains("user-agent: palisade/"), "{head}");
}

#[tokio::test]
async fn over_tls_at_a_name_that_a_person_wrote() {
    let desk = Desk::new();
    desk.internet
        .names
        .say("plugins.example", &[&["127.0.0.1"]]);
    let tls = desk.internet.identity.of("plugins.example", false, &[]);
    let web = Web::secure(tls, |_, pipe| answer(pipe, 200, &[], COMPONENT));
    let address = format!("https://plugins.example:{}/a", web.port());
    assert_eq!(
        desk.fetch(&address).await.unwrap().digest,
        Digest::of(COMPONENT)
    );

    let tls = desk.internet.identity.of("other.example", false, &[]);
    let web = Web::secure(tls, |_, pipe| answer(pipe, 200, &[], COMPONENT));
    let error = desk
        .refused(&format!("https://plugins.example:{}/a", web.port()))
        .await;
    assert!(error.contains("TLS"), "{error}");
    let error = desk.refused("https://nowhere.example/a").await;
    assert!(error.contains("no host called nowhere.example"), "{error}");
}

#[tokio::test]
async fn other_bytes_the_second_time_are_refused() {
    let desk = Desk::new();
    let asked = AtomicUsize::new(0);
    let (_web, address) = serve(move |_, pipe| {
        let body = match asked.fetch_add(1, Ordering::SeqCst) {
            // Each time for the component, and for what may say who made it.
            0..=3 => COMPONENT,
            _ => OTHER,
        };
        answer(pipe, 200, &[], body)
    });
    let first = desk.fetch(&address).await.unwrap().digest;
    let pin = Pin {
        digest: first,
        manifest: None,
    };
    desk.pinned(&address, pin).await.unwrap();
    let error = desk.pinned(&address, pin).await.unwrap_err();
    assert!(matches!(error, FetchError::Changed { .. }), "{error}");
    let error = error.to_string();
    assert!(error.contains("palisade update"), "{error}");
    desk.nothing_is_left().await;
}

#[tokio::test]
async fn what_is_no_component_says_what_it_is() {
    let desk = Desk::new();
    for (status, headers, body, why) in [
        (200, &[][..], &b"\n<!doctype html>"[..], "a web page"),
        (200, &[], b"{\"message\": 1}", "JSON"),
        (200, &[], b"", "is empty"),
        (
            404,
            &[],
            b"",
            "answers 404, which means that there is no such thing",
        ),
        (503, &[], COMPONENT, "something is wrong with it"),
        (206, &[], COMPONENT, "answers 206"),
        (200, &["content-encoding: gzip"], COMPONENT, "compresses"),
    ] {
        let (_web, address) = constant(status, headers, body);
        let error = desk.refused(&address).await;
        assert!(error.contains(why), "{error}");
    }
}

#[tokio::test]
async fn lengths_that_are_lies() {
    let desk = Desk::new();
    let (_web, address) = serve(|_, pipe| {
        answer(pipe, 200, &["content-length: 100".to_owned()], COMPONENT);
        false
    });
    let error = desk.refused(&address).await;
    assert!(error.contains("can't be fetched"), "{error}");
    let long = format!("content-length: {}", u64::MAX);
    let (_web, address) =
        serve(move |_, pipe| answer(pipe, 200, std::slice::from_ref(&long), COMPONENT));
    desk.refused(&address).await;
    let (_web, address) = constant(200, &["content-length: 99999999"], COMPONENT);
    let error = desk.refused(&address).await;
    assert!(error.contains("larger than 1048576"), "{error}");
    let twice = ["content-length: 8", "content-length: 12"];
    let (_web, address) = constant(200, &twice, OTHER);
    desk.refused(&address).await;
}

#[tokio::test]
async fn what_never_ends_ends() {
    let desk = Desk::new();
    let (_web, address) = serve(|_, pipe| {
        answer(pipe, 200, &["transfer-encoding: chunked".to_owned()], b"");
        let mut piece = b"2000\r\n".to_vec();
        piece.extend([COMPONENT, &[0; 0x2000 - 8], b"\r\n"].concat());
        while pipe.write_all(&piece).is_ok() {}
        false
    });
    let error = desk.refused(&address).await;
    assert!(error.contains("larger than 1048576"), "{error}");
}

#[tokio::test]
async fn what_drips_is_given_up() {
    let mut desk = Desk::new();
    let drip = |every: Duration| {
        move |_: &Asked, pipe: &mut dyn Pipe| {
            answer(
                pipe,
                200,
                &["content-length: 1000000".to_owned()],
                COMPONENT,
            );
            // It goes on until nobody listens.
            let (_never, wait) = std::sync::mpsc::channel::<()>();
            while pipe.write_all(b"x").and_then(|()| pipe.flush()).is_ok() {
                let _ = wait.recv_timeout(every);
            }
            false
        }
    };
    let limits = |idle, grace| Limits {
        idle: Duration::from_millis(idle),
        grace: Duration::from_millis(grace),
        ..quick()
    };
    desk.fetcher = desk.fetcher.with_limits(limits(5_000, 300));
    let (_web, address) = serve(drip(Duration::from_millis(20)));
    let since = Instant::now();
    let error = desk.refused(&address).await;
    assert!(error.contains("too slowly"), "{error}");
    assert!(since.elapsed() < Duration::from_secs(5));

    desk.fetcher = desk.fetcher.with_limits(limits(100, 60_000));
    let (_web, address) = serve(drip(Duration::from_secs(600)));
    let error = desk.refused(&address).await;
    assert!(error.contains("took longer than 0.1 s"), "{error}");
}

/// A redirect is followed as far as a person who wrote the source would agree.
#[tokio::test]
async fn redirects() {
    let desk = Desk::new();
    let (target, to) = constant(200, &[], COMPONENT);
    let (_web, address) = constant(302, &[&format!("location: {to}")], b"");
    assert_eq!(
        desk.fetch(&address).await.unwrap().digest,
        Digest::of(COMPONENT)
    );
    assert_eq!(target.connections(), 1);

    let (web, address) = constant(307, &["location: /notes.wasm"], b"");
    let error = desk.refused(&address).await;
    assert!(error.contains("more than 5 redirects"), "{error}");
    assert_eq!(web.asked().len(), 6);

    desk.internet.names.say("inside.example", &[&["10.1.2.3"]]);
    for (to, why) in [
        ("file:///etc/passwd", "begins with file://"),
        ("ftp://example.com/x", "begins with ftp://"),
        ("http://plugins.example/x", "http://, which anybody"),
        ("http://169.254.169.254/latest", "http://, which anybody"),
        ("https://169.254.169.254/latest", "metadata"),
        ("https://10.0.0.1/x", "a private address"),
        ("https://[fd00::1]/x", "a private address"),
        ("https://[::ffff:192.168.0.1]/x", "a private address"),
        ("https://0x7f.1.example:1:2/x", "is no address"),
        ("https://user:pw@plugins.example/", "has a user"),
        ("https://inside.example/x", "10.1.2.3"),
        ("https://exämple.com/", "is no address"),
    ] {
        let (_web, address) = constant(302, &[&format!("location: {to}")], b"");
        let error = desk.refused(&address).await;
        assert!(error.contains(why), "{to}: {error}");
    }
    let (_web, address) = constant(302, &[], b"");
    let error = desk.refused(&address).await;
    assert!(error.contains("is no address"), "{error}");
}

/// From a name on the internet nothing leads to this machine.
#[tokio::test]
async fn a_redirect_to_this_machine() {
    let desk = Desk::new();
    desk.internet
        .names
        .say("plugins.example", &[&["127.0.0.1"]]);
    desk.internet
        .names
        .say("rebound.example", &[&["127.0.0.1"]]);
    let (target, to) = constant(200, &[], COMPONENT);
    let port = target.port();
    for to in [
        to,
        format!("https://127.0.0.1:{port}/"),
        format!("https://localhost:{port}/"),
        format!("https://rebound.example:{port}/"),
        format!("//rebound.example:{port}/"),
    ] {
        let tls = desk.internet.identity.of("plugins.example", false, &[]);
        let location = vec![format!("location: {to}")];
        let web = Web::secure(tls, move |_, pipe| answer(pipe, 302, &location, b""));
        let address = format!("https://plugins.example:{}/a", web.port());
        let error = desk.refused(&address).await;
        assert!(
            error.contains("own address") || error.contains("http://"),
            "{to}: {error}"
        );
    }
    assert_eq!(target.connections(), 0);
}
