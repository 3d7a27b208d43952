//! Where no network is granted there is none: nobody hears of an attempt. Where
//! some is, a plugin reaches that and nothing else (the files beside this one).

use std::fs;
use std::net::{TcpListener, UdpSocket};

use palisade_tests::stage::{open, refused};
use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::json;

mod bodies;
mod cancel;
mod echoes;
mod headers;
mod names;
mod proxy;
mod redirects;
mod refusals;
mod reuse;
mod secrets;
mod sockets;
mod tls;

/// What a guest gets for a GET: status, headers and body, or why not.
fn get(session: &mut Session, url: &str) -> Result<String, String> {
    request(session, "GET", url)
}

fn request(session: &mut Session, method: &str, url: &str) -> Result<String, String> {
    let result = session.call("http", json!({"method": method, "url": url}));
    match result["isError"] == true {
        true => Err(rpc::tool_error(&result)),
        false => Ok(rpc::tool_text(&result)),
    }
}

/// A GET that is refused, and in words that are the same for all refusals.
#[track_caller]
fn not_permitted(session: &mut Session, url: &str) -> String {
    let why = get(session, url).expect_err(url);
    assert!(why.starts_with("not permitted: "), "{url}: {why}");
    assert!(!why.contains("--allow"), "a model reads that: {why}");
    why
}

fn sockets(session: &Session) -> usize {
    let folder = format!("/proc/{}/fd", session.process.id());
    fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| fs::read_link(entry.unwrap().path()).ok())
        .filter(|target| target.to_string_lossy().starts_with("socket:"))
        .count()
}

#[test]
fn no_connection_no_socket_no_name() {
    let mut session = open(&Palisade::run(guest("mallory")));
    // A call that waits has threads started, which have sockets of their own.
    not_permitted(&mut session, "http://localhost/");
    let before = sockets(&session);
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let tcp_at = tcp.local_addr().unwrap().to_string();
    let udp_at = udp.local_addr().unwrap().to_string();
    for address in [
        &tcp_at,
        "[::1]:80",
        "0.0.0.0:80",
        "169.254.169.254:80",
        "1.1.1.1:443",
    ] {
        let why = refused(&mut session, "tcp_connect", json!({"address": address}));
        assert_eq!(why, "access-denied", "{address}");
    }
    for address in [&udp_at, "[::1]:53", "255.255.255.255:9", "1.1.1.1:53"] {
        let why = refused(&mut session, "udp_send", json!({"address": address}));
        assert_eq!(why, "access-denied", "{address}");
    }
    for tool in ["tcp_bind", "tcp_listen", "udp_bind"] {
        for address in ["127.0.0.1:0", "0.0.0.0:0", "[::]:0"] {
            let why = refused(&mut session, tool, json!({"address": address}));
            assert_eq!(why, "access-denied", "{tool} {address}");
        }
    }
    for name in ["localhost", "example.com", "127.0.0.1", "::1", "metadata"] {
        refused(&mut session, "resolve", json!({"name": name}));
    }
    for url in [
        format!("http://{tcp_at}/"),
        "http://localhost/".to_owned(),
        "https://example.com/".to_owned(),
    ] {
        not_permitted(&mut session, &url);
    }
    // Refused means that nobody heard of it, and that nothing was kept.
    assert!(tcp.accept().is_err());
    assert!(udp.recv(&mut [0; 16]).is_err());
    assert_eq!(sockets(&session), before);
}
