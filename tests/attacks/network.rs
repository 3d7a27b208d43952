//! Where no network is granted there is none: nobody hears of an attempt.

use std::fs;
use std::net::{TcpListener, UdpSocket};

use palisade_tests::stage::{open, refused};
use palisade_tests::{Palisade, Session, guest};
use serde_json::json;

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
    session.ask("ping", json!({}));
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
    for tool in ["tcp_listen", "udp_bind"] {
        for address in ["127.0.0.1:0", "0.0.0.0:0", "[::]:0"] {
            let why = refused(&mut session, tool, json!({"address": address}));
            assert_eq!(why, "access-denied", "{tool} {address}");
        }
    }
    for name in ["localhost", "example.com", "127.0.0.1", "::1", "metadata"] {
        refused(&mut session, "resolve", json!({"name": name}));
    }
    // Refused means that nobody heard of it, and that nothing was kept.
    assert!(tcp.accept().is_err());
    assert!(udp.recv(&mut [0; 16]).is_err());
    assert_eq!(sockets(&session), before);
}
