//! A plugin that is granted nothing has its own name and nothing else: no
//! file, no variable, no input, no network.

use std::net::{TcpListener, UdpSocket};

use palisade_tests::stage::{done, open, refused};
use palisade_tests::{Palisade, guest};
use serde_json::json;

#[test]
fn no_file_no_variable_no_argument_no_input() {
    let mut session = open(&Palisade::run(guest("escapes")).env("TOKEN", "hunter2"));
    for path in ["/", ".", "/escapes", "/tmp", "/etc/passwd", "/dev/null"] {
        refused(&mut session, "read", json!({"path": path}));
        refused(&mut session, "list", json!({"path": path}));
        let write = json!({"path": path, "text": "mine"});
        refused(&mut session, "write", write);
    }
    assert_eq!(done(&mut session, "env", json!({})), "");
    assert_eq!(done(&mut session, "args", json!({})), "escapes");
    assert_eq!(done(&mut session, "roots", json!({})), "");
    assert_eq!(done(&mut session, "stdin", json!({})), "0 bytes: ");
    // It did not eat what the client says next.
    assert_eq!(session.ask("ping", json!({}))["result"], json!({}));

    let mut session = open(&Palisade::run(guest("escapes-by-handle")));
    assert_eq!(done(&mut session, "preopens", json!({})), "");
}

#[test]
fn no_network() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let tcp_port = tcp.local_addr().unwrap().port();
    let udp_port = udp.local_addr().unwrap().port();

    let mut session = open(&Palisade::run(guest("escapes")));
    let to = |port: u16| json!({"address": format!("127.0.0.1:{port}")});
    refused(&mut session, "connect", to(tcp_port));
    refused(&mut session, "listen", to(0));
    refused(&mut session, "send", to(udp_port));

    let mut session = open(&Palisade::run(guest("escapes-by-handle")));
    let to = |port: u16| json!({"address": [127, 0, 0, 1], "port": port});
    refused(&mut session, "tcp_connect", to(tcp_port));
    refused(&mut session, "tcp_listen", to(0));
    refused(&mut session, "udp_send", to(udp_port));
    for name in ["localhost", "example.com", "127.0.0.1"] {
        refused(&mut session, "resolve", json!({"name": name}));
    }
    // Refused means that nobody heard of it.
    assert!(tcp.accept().is_err());
    assert!(udp.recv(&mut [0; 16]).is_err());
}
