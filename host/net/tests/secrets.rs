//! Secrets on real connections: what goes out, and what comes back.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "the other tests ask more of it")]
mod stage;

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::{Request, Response};
use palisade_net::{Egress, Injector, NetError, Timeouts};
use palisade_policy::{Grant, SecretUse};
use palisade_secrets::SecretValue;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use stage::{Body, Names, echo, egress, get, plain, secure};

const SECRET: &str = "hunter2-s3cr3t";

/// `Bearer SECRET` for these destinations.
fn bearer(to: &[&str]) -> Injector {
    let secrets = to.iter().map(|to| {
        let grant = Grant::parse(&format!(
            "[[secrets]]\nname = \"A\"\ninject = {{ to = \"{to}\", header = \"authorization\", format = \"Bearer {{}}\" }}"
        ));
        let Some(SecretUse::Inject(injection)) = grant.unwrap().secrets[0].use_as.clone() else {
            panic!("{to}")
        };
        (injection, SecretValue::new(SECRET.to_owned()).unwrap())
    });
    Injector::new(secrets).unwrap()
}

async fn names() -> SocketAddr {
    let names = Names::default();
    for name in ["api.test", "other.test"] {
        names.say(name, &[&["127.0.0.1"]]);
    }
    names.serve().await
}

fn rule(url: &str) -> String {
    format!("[[network]]\nto = \"{url}\"\nprivate = true\n")
}

/// A server that has one answer, in pieces; between the last two it waits to be
/// told.
async fn says(pieces: &'static [&'static [u8]]) -> (u16, oneshot::Sender<()>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (go_on, told) = oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let (last, first) = pieces.split_last().unwrap();
        for piece in first {
            stream.write_all(piece).await.unwrap();
            stream.flush().await.unwrap();
        }
        let _ = told.await;
        let _ = stream.write_all(last).await;
    });
    (port, go_on)
}

async fn to(port: u16) -> (Egress<Body>, String) {
    let url = format!("http://api.test:{port}");
    let egress = egress(&rule(&url), names().await, None).with_secrets(bearer(&[&url]));
    (egress, url)
}

/// Whether the server got it, which it says in its own words.
fn knows(request: Request<Incoming>) -> Response<Body> {
    let all: Vec<_> = request.headers().get_all("authorization").iter().collect();
    let right = all == [format!("Bearer {SECRET}").as_str()];
    let text = format!("{right} {}", request.headers().contains_key("range"));
    Response::new(Body::from(text))
}

#[tokio::test]
async fn the_server_gets_it_and_the_guests_own_is_gone() {
    let (server, _) = plain(knows).await;
    let (egress, url) = to(server.port()).await;
    let request = Request::get(&url)
        .header("authorization", "Bearer mine")
        .header("authorization", "Bearer also mine")
        .header("range", "bytes=0-3")
        .body(Body::default())
        .unwrap();
    let answer = egress.send(request, Timeouts::default()).await.unwrap();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "true false");
}

#[tokio::test]
async fn an_echo_is_masked() {
    let (server, _) = plain(echo).await;
    let (egress, url) = to(server.port()).await;
    let (_, said) = get(&egress, &url).await.unwrap();
    assert!(
        said.contains("authorization: Bearer **************\n"),
        "{said}"
    );
    assert!(said.contains("accept-encoding: identity\n"), "{said}");
    assert!(!said.contains("hunter"), "{said}");
}

#[tokio::test]
async fn in_http_2_over_tls_too() {
    let (server, _, trust) = secure(echo, &["api.test"]).await;
    let url = format!("https://api.test:{}", server.port());
    let egress = egress(&rule(&url), names().await, Some(trust)).with_secrets(bearer(&[&url]));
    let (_, said) = get(&egress, &url).await.unwrap();
    assert!(
        said.contains("authorization: Bearer **************\n"),
        "{said}"
    );
}

#[tokio::test]
async fn another_host_gets_nothing() {
    let (server, _) = plain(echo).await;
    let port = server.port();
    let (one, other) = (
        format!("http://api.test:{port}"),
        format!("http://other.test:{port}"),
    );
    let rules = format!("{}{}", rule(&one), rule(&other));
    let egress = egress(&rules, names().await, None).with_secrets(bearer(&[&one]));
    let (_, said) = get(&egress, &other).await.unwrap();
    assert!(!said.contains("authorization"), "{said}");
    assert!(!said.contains("accept-encoding"), "{said}");
    // What no rule lets through gets nothing either, and is not even begun.
    let error = get(&egress, "http://evil.test/").await.unwrap_err();
    assert!(matches!(error, NetError::Destination(_)), "{error}");
}

#[tokio::test]
async fn across_chunks_in_headers_and_in_trailers() {
    let (port, go_on) = says(&[
        b"HTTP/1.1 200 OK\r\nx-told: a hunter2-s3cr3t z\r\nhunter2-s3cr3t: x\r\n",
        b"transfer-encoding: chunked\r\n\r\n",
        b"4\r\n hun\r\n",
        b"9\r\nter2-s3cr\r\n",
        b"3\r\n3t.\r\n1\r\nh\r\n",
        b"18\r\naHVudGVyMi1zM2NyM3Q= end\r\n",
        b"0\r\nx-end: hunter2-s3cr3t\r\n\r\n",
    ])
    .await;
    go_on.send(()).unwrap();
    let (egress, url) = to(port).await;
    let request = Request::get(&url)
        .header("te", "trailers")
        .body(Body::default())
        .unwrap();
    let answer = egress.send(request, Timeouts::default()).await.unwrap();
    assert_eq!(answer.headers()["x-told"], "a ************** z");
    assert!(!answer.headers().contains_key("hunter2-s3cr3t"));
    let collected = answer.into_body().collect().await.unwrap();
    let trailers = collected.trailers().cloned().unwrap_or_default();
    assert!(!format!("{trailers:?}").contains("hunter"), "{trailers:?}");
    assert_eq!(
        collected.to_bytes(),
        " **************.h*******************= end"
    );
}

/// A stream of events is no answer that comes to an end.
#[tokio::test]
async fn an_event_is_there_when_it_is_sent() {
    let (port, go_on) = says(&[
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
        b"16\r\ndata: hunter2-s3cr3t\n\n\r\n",
        b"0\r\n\r\n",
    ])
    .await;
    let (egress, url) = to(port).await;
    let request = Request::get(&url).body(Body::default()).unwrap();
    let mut body = (egress.send(request, Timeouts::default()).await.unwrap()).into_body();
    let frame = tokio::time::timeout(Duration::from_secs(20), body.frame()).await;
    let data = frame.unwrap().unwrap().unwrap().into_data().unwrap();
    assert_eq!(data, Bytes::from_static(b"data: **************\n\n"));
    go_on.send(()).unwrap();
    assert!(body.frame().await.is_none());
}

#[tokio::test]
async fn what_can_not_be_looked_through_is_refused() {
    let answers: [&'static [&'static [u8]]; 5] = [
        &[
            b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\n",
            b"x",
        ],
        &[
            b"HTTP/1.1 200 OK\r\ncontent-encoding: identity, BR\r\ncontent-length: 1\r\n\r\n",
            b"x",
        ],
        &[
            b"HTTP/1.1 206 Partial\r\ncontent-range: bytes 0-0/9\r\ncontent-length: 1\r\n\r\n",
            b"h",
        ],
        &[
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
            b"0\r\n\r\n",
        ],
        &[
            b"HTTP/1.1 200 OK\r\ncontent-encoding: x-hunter2-s3cr3t\r\ncontent-length: 0\r\n\r\n",
            b"",
        ],
    ];
    for pieces in answers {
        let (port, _go_on) = says(pieces).await;
        let (egress, url) = to(port).await;
        let error = get(&egress, &url).await.unwrap_err();
        let told = format!("{error} {error:?}");
        assert!(matches!(error, NetError::Secret { .. }), "{told}");
        assert!(!told.contains("hunter"), "{told}");
    }
}

/// As it would be without secrets, where nothing is to be masked.
#[tokio::test]
async fn an_answer_without_secrets_is_left_as_it_is() {
    let (port, go_on) = says(&[
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 7\r\n\r\n",
        b"hunter2",
    ])
    .await;
    go_on.send(()).unwrap();
    let url = format!("http://api.test:{port}");
    let egress = egress(&rule(&url), names().await, None);
    let (_, said) = get(&egress, &url).await.unwrap();
    assert_eq!(said, "hunter2");
}

#[tokio::test]
async fn its_length_stays_what_was_said() {
    let (port, go_on) = says(&[
        b"HTTP/1.1 200 OK\r\ncontent-length: 19\r\n\r\n<",
        b"hunter2",
        b"-s3cr3t></>",
    ])
    .await;
    go_on.send(()).unwrap();
    let (egress, url) = to(port).await;
    let request = Request::get(&url).body(Body::default()).unwrap();
    let answer = egress.send(request, Timeouts::default()).await.unwrap();
    assert_eq!(answer.headers()["content-length"], "19");
    let body = answer.into_body();
    assert_eq!(http_body::Body::size_hint(&body).exact(), Some(19));
    let body = body.collect().await.unwrap().to_bytes();
    assert_eq!(body, "<**************></>");
}
