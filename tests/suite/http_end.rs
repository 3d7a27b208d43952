//! The end of a server, and HTTPS.

use std::sync::Arc;
use std::time::{Duration, Instant};

use palisade_tests::{
    Palisade, Signal, guest,
    http::{Endpoint, Server},
    plugin, rpc,
};
use serde_json::{Value, json};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// As long as calls have, and then some.
const DRAIN: Duration = Duration::from_secs(9);

#[test]
fn told_to_end_it_does_at_once() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Palisade::run(plugin("hello")).serve();
        let mut listener = {
            let session = server.session("2025-11-25");
            session.listen(None)
        };
        listener.event().unwrap();
        let since = Instant::now();
        server.process.process.signal(signal);
        // The stream ends as streams do, and not with a broken connection.
        assert_eq!(listener.messages(), Vec::<Value>::new());
        assert!(!listener.broke);
        server.process.until_end().success();
        assert!(
            since.elapsed() < Duration::from_secs(4),
            "{:?}",
            since.elapsed()
        );
    }
}

#[test]
fn what_runs_is_answered_before_the_end() {
    let mut server = Palisade::run(guest("sleeps")).serve();
    let (mut call, mut stateless) = {
        let mut session = server.session("2025-11-25");
        let nap = rpc::tool("nap", json!({"ms": 1_500}));
        let (call, _) = session.start("tools/call", nap);
        // Long enough that it has begun as a stream.
        let nap = rpc::tool("nap", json!({"ms": 6_000}));
        (call, server.stateless(1, "tools/call", nap).send())
    };
    assert_eq!(rpc::tool_text(rpc::result(&call.answer())), "slept");
    server.process.process.signal(Signal::TERM);
    assert_eq!(rpc::tool_text(rpc::result(&stateless.answer())), "slept");
    server.process.until_end().success();
}

#[test]
fn what_does_not_come_to_an_end_is_ended() {
    let mut server = Palisade::run(guest("loops-forever")).serve();
    let mut call = {
        let mut session = server.session("2025-11-25");
        session.start("tools/call", rpc::tool("spin", json!({}))).0
    };
    let before = server.process.process.cpu_time();
    server
        .process
        .until_busy(before + Duration::from_millis(100));
    let since = Instant::now();
    server.process.process.signal(Signal::TERM);
    call.until_end();
    server.process.until_end().success();
    assert!(since.elapsed() < DRAIN, "{:?}", since.elapsed());
}

#[test]
fn an_address_that_is_taken_is_told() {
    let server = Palisade::run(plugin("hello")).serve();
    let again = Palisade::run(plugin("hello"))
        .arg("--no-auth")
        .arg("--http")
        .arg(server.address.to_string())
        .output();
    assert_eq!(again.code, Some(1));
    assert!(
        again.stderr.contains("can't be listened at"),
        "{}",
        again.stderr
    );
}

/// A server with a certificate of its own, and whom to trust for that.
fn with_tls() -> (tempfile::TempDir, Server) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (
        folder.path().join("cert.pem"),
        folder.path().join("key.pem"),
    );
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let trust = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let server = Palisade::run(plugin("hello"))
        .arg("--no-auth")
        .arg("--tls-cert")
        .arg(&certificate)
        .arg("--tls-key")
        .arg(&key)
        .serve_with(Some(Arc::new(trust)));
    (folder, server)
}

#[test]
fn over_tls_it_is_the_same() {
    let (_folder, server) = with_tls();
    assert_eq!(server.url, format!("https://{}/mcp", server.address));
    let mut session = server.session("2025-11-25");
    let result = session.call("greet", json!({"name": "Ada"}));
    assert_eq!(rpc::tool_text(&result), "Hello, Ada!");
    // Who speaks plainly gets nothing, and breaks nothing.
    let plain = Endpoint::plain(server.address);
    assert!(plain.post(&Value::Null).try_send().is_err());
    rpc::result(&session.ask("ping", Value::Null));
}

#[test]
fn a_key_that_does_not_fit_is_refused() {
    let (folder, _server) = with_tls();
    let other = rcgen::KeyPair::generate().unwrap();
    let key = folder.path().join("other.pem");
    std::fs::write(&key, other.serialize_pem()).unwrap();
    let start = |certificate: &str, key: &str| {
        Palisade::run(plugin("hello"))
            .arg("--no-auth")
            .arg("--http")
            .arg("127.0.0.1:0")
            .arg("--tls-cert")
            .arg(folder.path().join(certificate))
            .arg("--tls-key")
            .arg(folder.path().join(key))
            .output()
    };
    for (certificate, key) in [
        ("cert.pem", "other.pem"),
        ("cert.pem", "cert.pem"),
        ("key.pem", "key.pem"),
        ("none.pem", "key.pem"),
    ] {
        let done = start(certificate, key);
        assert_eq!(done.code, Some(1), "{certificate} {key}: {}", done.stderr);
        assert!(done.stderr.contains(".pem"), "{}", done.stderr);
    }
}
