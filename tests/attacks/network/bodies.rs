//! Servers that mean harm, and guests that ask for more than there is.

use std::time::{Duration, Instant};

use palisade_tests::internet::{Asked, Internet, Pipe, Web, ok};
use palisade_tests::stage::{done, open, with_limits};
use palisade_tests::{Session, rpc};
use serde_json::json;

use super::get;

/// A session with a server, and its address.
fn with(
    limits: &str,
    answer: impl Fn(&Asked, &mut dyn Pipe) -> bool + Send + Sync + 'static,
) -> (Internet, Web, Session, String) {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(answer);
    let url = format!("http://api.test:{}", server.port());
    let command = internet.run(&[&format!("private:{url}")]);
    let session = open(&with_limits(command, limits));
    (internet, server, session, url)
}

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\n";

/// After whatever it was, the next request is as good as the first.
#[track_caller]
fn goes_on(session: &mut Session, url: &str) {
    let said = get(session, &format!("{url}/ok")).unwrap();
    assert!(said.ends_with("fine"), "{said}");
}

#[test]
fn an_answer_without_an_end_ends_with_a_limit() {
    let (_internet, _server, mut session, url) = with("call-time = \"3 s\"", |asked, pipe| {
        if asked.head.contains("/ok") {
            return ok(pipe, "fine");
        }
        let _ = pipe.write_all(&[HEAD, b"\r\n"].concat());
        while pipe.write_all(&[b'x'; 65536]).is_ok() {}
        false
    });
    let result = session.call("http_swallow", json!({"url": url}));
    let why = rpc::tool_error(&result);
    assert!(
        why.contains("limit of") || why.contains("larger than"),
        "{why}"
    );
    goes_on(&mut session, &url);
}

#[test]
fn a_drip_ends_with_the_calls_time() {
    let (_internet, _server, mut session, url) = with("call-time = \"1 s\"", |asked, pipe| {
        if asked.head.contains("/ok") {
            return ok(pipe, "fine");
        }
        let _ = pipe.write_all(&[HEAD, b"\r\n"].concat());
        while pipe.write_all(b"x").and_then(|()| pipe.flush()).is_ok() {
            #[expect(clippy::disallowed_methods, reason = "it is meant to be slow")]
            std::thread::sleep(Duration::from_millis(100));
        }
        false
    });
    let result = session.call("http_swallow", json!({"url": url}));
    assert!(rpc::tool_error(&result).contains("call-time"), "{result}");
    // Nor is it waited for by a call that has what it wants.
    done(&mut session, "http_hold", json!({"url": url, "count": 1}));
    goes_on(&mut session, &url);
}

/// Answers that announce another one are none, however many there are; and
/// whoever sends them is not listened to for long.
#[test]
fn a_flood_of_interim_answers_is_no_answer() {
    let (over, ended) = std::sync::mpsc::channel();
    let (_internet, _server, mut session, url) = with("", move |asked, pipe| {
        if asked.head.contains("/ok") {
            return ok(pipe, "fine");
        }
        let hints = b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n".repeat(100);
        while pipe.write_all(&hints).is_ok() {}
        let _ = over.send(());
        false
    });
    let asked = Instant::now();
    let why = get(&mut session, &url).unwrap_err();
    assert!(why.contains("interim answers"), "{why}");
    assert!(
        asked.elapsed() < Duration::from_secs(5),
        "{:?}",
        asked.elapsed()
    );
    // The connection is closed.
    ended.recv_timeout(Duration::from_secs(10)).unwrap();
    goes_on(&mut session, &url);
}

#[test]
fn a_flood_of_headers_is_no_answer() {
    let (_internet, _server, mut session, url) = with("", |asked, pipe| {
        if asked.head.contains("/ok") {
            return ok(pipe, "fine");
        }
        let _ = pipe.write_all(HEAD);
        let (line, times) = match asked.head.contains("/long") {
            true => (format!("x-long: {}\r\n", "y".repeat(100_000)), 2),
            false => ("x: y\r\n".to_owned(), 1000),
        };
        for _ in 0..times {
            if pipe.write_all(line.as_bytes()).is_err() {
                return false;
            }
        }
        let _ = pipe.write_all(b"content-length: 0\r\n\r\n");
        false
    });
    for path in ["many", "long"] {
        let why = get(&mut session, &format!("{url}/{path}")).unwrap_err();
        assert!(
            why.starts_with("the connection to api.test failed"),
            "{path}: {why}"
        );
        goes_on(&mut session, &url);
    }
}

#[test]
fn what_is_no_http_is_an_error() {
    let (_internet, _server, mut session, url) = with("", |asked, pipe| {
        let answer: &[u8] = match asked.head.split_whitespace().nth(1) {
            Some("/ok") => return ok(pipe, "fine"),
            Some("/short") => b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx",
            Some("/two") => b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
            Some("/noise") => b"\0\0\0\0 nothing\r\n\r\n",
            _ => b"",
        };
        let _ = pipe.write_all(answer);
        false
    });
    for path in ["short", "two", "noise", "nothing"] {
        let why = get(&mut session, &format!("{url}/{path}")).unwrap_err();
        assert!(why.contains("api.test"), "{path}: {why}");
        goes_on(&mut session, &url);
    }
}

#[test]
fn only_so_many_requests_are_under_way() {
    let (_internet, _server, mut session, url) = with("", |asked, pipe| {
        if asked.head.contains("/ok") {
            return ok(pipe, "fine");
        }
        let _ = pipe.write_all(&[HEAD, b"content-length: 5\r\n\r\n"].concat());
        // The rest never comes: it is read until the other end is gone.
        let _ = pipe.read(&mut [0; 1]);
        false
    });
    let said = done(&mut session, "http_hold", json!({"url": url, "count": 100}));
    assert_eq!(said, "64: more than 64 requests are under way");
    goes_on(&mut session, &url);
}

#[test]
fn bodies_get_there_in_pieces() {
    let (_internet, server, mut session, url) = with("", |asked, pipe| {
        let length = asked.head.contains("transfer-encoding: chunked");
        ok(pipe, &format!("{length}"))
    });
    let body = "0123456789".repeat(3000);
    let arguments =
        json!({"method": "PUT", "url": url, "body": body, "headers": "content-length: 30000"});
    let said = rpc::tool_text(&session.call("http", arguments));
    assert!(said.starts_with("200\n"), "{said}");
    assert_eq!(server.asked()[0].body, body.as_bytes());
    // Shorter than it says, and longer.
    for length in [29_999, 30_001] {
        let headers = format!("content-length: {length}");
        let arguments = json!({"method": "PUT", "url": url, "body": body, "headers": headers});
        rpc::tool_error(&session.call("http", arguments));
    }
}

/// In words, and not as an error of the host.
#[test]
fn an_answer_that_breaks_off_is_said_to() {
    let (_internet, _server, mut session, url) = with("", |asked, pipe| {
        if asked.head.contains("/ok") {
            return ok(pipe, "fine");
        }
        let _ = pipe.write_all(&[HEAD, b"content-length: 100\r\n\r\nhalf"].concat());
        false
    });
    let result = session.call("http", json!({"method": "GET", "url": url}));
    let why = rpc::tool_error(&result);
    assert!(!why.contains("internal"), "{why}");
    assert!(why.contains("api.test") && why.contains("broke"), "{why}");
    goes_on(&mut session, &url);
}
