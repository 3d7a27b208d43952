//! What belongs to a connection is the host's.

use palisade_tests::internet::{Internet, Web, ok};
use palisade_tests::rpc;
use palisade_tests::stage::open;
use serde_json::json;

#[test]
fn a_guest_says_to_whom_it_speaks_by_the_address_alone() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(|asked, pipe| ok(pipe, &asked.head));
    let url = format!("http://api.test:{}/", server.port());
    let rule = format!("private:http://api.test:{}", server.port());
    let mut session = open(&internet.run(&[&rule]));
    for header in [
        "Host: evil.test",
        "Connection: close",
        "Connection: x-api-key",
        "Keep-Alive: timeout=1",
        "Transfer-Encoding: chunked",
        "Upgrade: h2c",
        "HTTP2-Settings: x",
        "Proxy-Authorization: Basic eA==",
        "Proxy-Connection: keep-alive",
        "TE: trailers",
        "Trailer: x",
        "x-split: a\rx-other: b",
        "x split: a",
    ] {
        let arguments = json!({"method": "GET", "url": url, "headers": header});
        let result = session.call("http", arguments);
        let said = rpc::text(&result).to_lowercase();
        if result["isError"] == true {
            assert!(said.contains("header"), "{header}: {said}");
            continue;
        }
        let name = header.split(':').next().unwrap().to_lowercase();
        let body = said.split_once("\n\n").unwrap().1;
        let heard: Vec<_> = body
            .lines()
            .filter(|line| line.starts_with(&name))
            .collect();
        assert!(heard.is_empty(), "{header}: {heard:?}");
    }
    let heard = server.asked();
    for one in heard {
        let hosts = one
            .head
            .lines()
            .filter(|line| line.to_lowercase().starts_with("host:"));
        let hosts: Vec<_> = hosts.collect();
        assert_eq!(hosts, [format!("host: api.test:{}", server.port())]);
    }
    // Its own it may set.
    let mine = "x-mine: 1\nauthorization: Bearer x";
    let arguments = json!({"method": "GET", "url": url, "headers": mine});
    let said = rpc::tool_text(&session.call("http", arguments));
    assert!(
        said.contains("x-mine: 1") && said.contains("authorization: Bearer x"),
        "{said}"
    );
}

/// A method that would make a tunnel, and one with a line's end in it.
#[test]
fn no_method_makes_a_request_something_else() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(|_, pipe| ok(pipe, "reached"));
    let url = format!("http://api.test:{}/", server.port());
    let rule = format!("private:http://api.test:{}", server.port());
    let mut session = open(&internet.run(&[&rule]));
    for method in [
        "CONNECT",
        // By which a proxy says what it was told, its password too.
        "TRACE",
        "GET /x HTTP/1.1\r\nhost: evil.test\r\n\r\nGET",
        "",
        "G T",
    ] {
        super::request(&mut session, method, &url).expect_err(method);
    }
    for path in ["/a b", "/\r\nx: y", "/#", "http://evil.test/"] {
        let _ = super::get(
            &mut session,
            &format!("{}{path}", url.trim_end_matches('/')),
        );
    }
    for one in server.asked() {
        assert!(one.head.starts_with("GET /"), "{}", one.head);
        assert!(!one.head.contains("\r\nx: y"), "{}", one.head);
    }
}

/// What the host has to hold of a request is bounded, and said to be.
#[test]
fn a_flood_of_headers_is_a_limit_and_no_crash() {
    let internet = Internet::new();
    let mut session = open(&internet.run(&["https://api.test"]));
    let headers: Vec<_> = (0..5000).map(|number| format!("x-{number}: a")).collect();
    let arguments =
        json!({"method": "GET", "url": "https://api.test/", "headers": headers.join("\n")});
    let why = rpc::tool_error(&session.call("http", arguments));
    assert!(
        why.contains("limit of headers (128 KiB in one request)"),
        "{why}"
    );
}
