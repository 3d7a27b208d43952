//! A call that ends takes its connections with it.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};

use palisade_tests::internet::{Internet, Web};
use palisade_tests::stage::{open, with_limits};
use palisade_tests::{PATIENCE, rpc};
use serde_json::json;

/// A server that begins an answer (or none), and says when the other end is
/// gone.
fn waits(says: &'static [u8]) -> (Web, Receiver<()>, Receiver<()>) {
    let (asked, was_asked) = channel();
    let (gone, is_gone) = channel();
    let ends = Mutex::new((asked, gone));
    let server = Web::plain(move |_, pipe| {
        let _ = pipe.write_all(says);
        let (asked, gone) = ends.lock().unwrap().clone();
        let _ = asked.send(());
        let _ = pipe.read(&mut [0; 1]);
        let _ = gone.send(());
        false
    });
    (server, was_asked, is_gone)
}

const BEGUN: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx";

#[test]
fn when_it_is_cancelled() {
    for says in [b"", BEGUN] {
        let internet = Internet::new();
        internet.names.here("api.test");
        let (server, asked, gone) = waits(says);
        let url = format!("http://api.test:{}", server.port());
        let mut session = open(&internet.run(&[&format!("private:{url}")]));
        let call = rpc::tool("http_swallow", json!({"url": url}));
        let id = session.request("tools/call", call);
        asked.recv_timeout(PATIENCE).unwrap();
        session.notify("notifications/cancelled", json!({"requestId": id}));
        gone.recv_timeout(PATIENCE).unwrap();
        assert_eq!(session.ask("ping", json!({}))["result"], json!({}));
    }
}

#[test]
fn when_its_time_is_over() {
    for says in [b"", BEGUN] {
        let internet = Internet::new();
        internet.names.here("api.test");
        let (server, _asked, gone) = waits(says);
        let url = format!("http://api.test:{}", server.port());
        let command = internet.run(&[&format!("private:{url}")]);
        let mut session = open(&with_limits(command, "call-time = \"500 ms\""));
        let result = session.call("http_swallow", json!({"url": url}));
        assert!(rpc::tool_error(&result).contains("call-time"), "{result}");
        gone.recv_timeout(PATIENCE).unwrap();
    }
}

/// What a socket of its own holds, too.
#[test]
fn and_its_sockets() {
    let internet = Internet::new();
    internet.names.here("db.test");
    let (server, _asked, gone) = waits(b"");
    let rule = format!("private:tcp://db.test:{}", server.port());
    let mut session = open(&with_limits(
        internet.run(&[&rule]),
        "call-time = \"500 ms\"",
    ));
    let arguments =
        json!({"name": "db.test", "port": server.port(), "text": "GET / HTTP/1.1\r\n\r\n"});
    let result = session.call("tcp_talk", arguments);
    assert!(rpc::tool_error(&result).contains("call-time"), "{result}");
    gone.recv_timeout(PATIENCE).unwrap();
}
