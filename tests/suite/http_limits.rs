//! What a client sends too much of, or reads too little of, costs only so much.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use palisade_tests::{PATIENCE, Palisade, guest, http::Server, plugin, rpc};
use serde_json::{Value, json};

const MEBIBYTE: usize = 1024 * 1024;

fn hello() -> Server {
    Palisade::run(plugin("hello")).serve()
}

#[test]
fn a_body_may_be_so_large_and_no_larger() {
    let server = hello();
    let mut session = server.session("2025-11-25");
    let large = "x".repeat(15 * MEBIBYTE);
    let result = session.call("greet", json!({"name": large}));
    rpc::text(&result);
    let huge = rpc::request(9, "ping", json!({"x": "x".repeat(17 * MEBIBYTE)}));
    let mut response = session.post(&huge).send();
    let said = response.text();
    assert_eq!(response.status, 413, "{said}");
    rpc::result(&session.ask("ping", Value::Null));
}

#[test]
fn a_body_that_hides_its_size_is_cut_off() {
    let server = hello();
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let piece = vec![b' '; MEBIBYTE];
    for _ in 0..17 {
        write!(stream, "{MEBIBYTE:x}\r\n").unwrap();
        stream.write_all(&piece).unwrap();
        stream.write_all(b"\r\n").unwrap();
    }
    let mut answer = [0; 12];
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}

#[test]
fn a_body_that_would_grow_is_not_read() {
    let server = hello();
    let bomb = format!("[{}0]", "0,".repeat(300_000));
    let request = server.post(&Value::Null).body(bomb);
    assert_eq!(request.send().status, 400);
    let inside =
        json!({"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"x": vec![0; 300_000]}});
    let mut response = server.post(&inside).send();
    assert_eq!(response.status, 400);
    assert_eq!(rpc::error_code(&response.json()), -32600);
}

#[test]
fn who_does_not_read_costs_only_so_much() {
    let mut server = Palisade::run(guest("returns-much")).serve();
    let mut session = server.session("2025-11-25");
    let mut unread = Vec::new();
    for _ in 0..40 {
        let call = rpc::tool("text", json!({"bytes": 3 * MEBIBYTE}));
        unread.push(session.start("tools/call", call).0);
    }
    // Another one is served meanwhile.
    let mut other = server.session("2025-11-25");
    rpc::result(&other.ask("ping", Value::Null));
    let peak = server.process.process.peak_memory();
    assert!(peak < 600 * MEBIBYTE as u64, "{} MiB", peak >> 20);
    // What was answered is there, or says why it is not.
    let mut whole = 0;
    for response in &mut unread {
        let answer = response.answer();
        match answer.get("error") {
            None => whole += 1,
            Some(error) => assert!(error.to_string().contains("room"), "{error}"),
        }
    }
    assert!(whole > 0);
    server.process.process.signal(palisade_tests::Signal::TERM);
    server.process.until_end().success();
}

#[test]
fn a_flood_nobody_reads_does_not_stop_the_call() {
    let server = Palisade::run(guest("chatty")).serve();
    let mut session = server.session("2025-11-25");
    let mut params = rpc::tool("flood", json!({}));
    params["_meta"] = json!({"progressToken": 1});
    let (mut call, _) = session.start("tools/call", params);
    let mut other = server.session("2025-11-25");
    for _ in 0..20 {
        rpc::result(&other.ask("ping", Value::Null));
    }
    let messages = call.messages();
    let answer = messages.last().unwrap();
    rpc::text(rpc::result(answer));
}

#[test]
fn who_sends_a_head_by_and_by_is_not_waited_for_by_others() {
    let server = hello();
    let slow: Vec<_> = (0..50)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream
                .write_all(b"POST /mcp HTTP/1.1\r\nHost: loc")
                .unwrap();
            stream
        })
        .collect();
    let mut session = server.session("2025-11-25");
    rpc::result(&session.ask("ping", Value::Null));
    // And not for ever.
    for mut stream in slow.into_iter().take(1) {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut rest = Vec::new();
        // Closed, with or without a word.
        let _ = stream.read_to_end(&mut rest);
        let again = stream
            .write_all(b"alhost\r\n\r\n")
            .and_then(|()| stream.read(&mut [0; 1]));
        assert!(again.is_err() || again.is_ok_and(|read| read == 0));
    }
}

#[test]
fn a_silent_stream_says_that_it_is_there() {
    let server = hello();
    let session = server.session("2025-11-25");
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {}\r\n\r\n",
        server.address, session.id
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    let mut seen = String::new();
    let mut buffer = [0; 4096];
    while !seen.contains(": still here\n") {
        let read = stream.read(&mut buffer).unwrap();
        assert!(read > 0, "the stream ended: {seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
}
