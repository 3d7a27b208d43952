//! Sockets: connected to what is granted, and nothing else.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::thread;

use palisade_tests::internet::Internet;
use palisade_tests::stage::{done, open, refused};
use serde_json::json;

/// Answers everything with "you said …".
fn tcp() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut buffer = [0; 1024];
            let length = stream.read(&mut buffer).unwrap_or(0);
            let said = String::from_utf8_lossy(&buffer[..length]).into_owned();
            let _ = stream.write_all(format!("you said {said}").as_bytes());
        }
    });
    port
}

fn udp() -> (UdpSocket, u16) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let own = socket.try_clone().unwrap();
    thread::spawn(move || {
        let mut buffer = [0; 1024];
        while let Ok((length, from)) = own.recv_from(&mut buffer) {
            let _ = own.send_to(&[b"heard ", &buffer[..length]].concat(), from);
        }
    });
    (socket, port)
}

#[test]
fn a_granted_name_is_connected_to_where_it_led() {
    let internet = Internet::new();
    internet.names.here("db.test");
    let (granted, other) = (tcp(), tcp());
    let rule = format!("private:tcp://db.test:{granted}");
    let mut session = open(&internet.run(&[&rule]));
    let talk = |port: u16, instead: Option<String>| {
        let mut arguments = json!({"name": "db.test", "port": port, "text": "hello"});
        if let Some(instead) = instead {
            arguments["instead"] = instead.into();
        }
        arguments
    };
    let said = done(&mut session, "tcp_talk", talk(granted, None));
    assert_eq!(said, "you said hello");
    // Another port, another address, and the same address without its name.
    for arguments in [
        talk(other, None),
        talk(granted, Some(format!("[::1]:{granted}"))),
        talk(granted, Some("10.0.0.1:80".into())),
        talk(granted, Some("169.254.169.254:80".into())),
        talk(granted, Some(format!("127.0.0.2:{granted}"))),
    ] {
        let why = refused(&mut session, "tcp_talk", arguments);
        assert_eq!(why, "access-denied");
    }
    let address = format!("127.0.0.1:{granted}");
    let why = refused(&mut session, "tcp_connect", json!({"address": address}));
    assert_eq!(
        why, "access-denied",
        "what another call looked up is forgotten"
    );
}

#[test]
fn an_address_that_a_rule_names_needs_no_name() {
    let internet = Internet::new();
    let (granted, other) = (tcp(), tcp());
    let mut session = open(&internet.run(&[&format!("tcp://127.0.0.1:{granted}")]));
    let connect = |port| json!({"address": format!("127.0.0.1:{port}")});
    assert_eq!(
        done(&mut session, "tcp_connect", connect(granted)),
        "connected"
    );
    refused(&mut session, "tcp_connect", connect(other));
    refused(&mut session, "udp_send", connect(granted));
}

/// What may be spoken to in HTTP may not be spoken to in anything else.
#[test]
fn a_rule_for_requests_is_none_for_sockets() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let port = tcp();
    let rules = [
        format!("private:http://api.test:{port}"),
        "tcp://db.test:1".to_owned(),
    ];
    let rules: Vec<_> = rules.iter().map(String::as_str).collect();
    let mut session = open(&internet.run(&rules));
    let arguments = json!({"name": "api.test", "port": port, "text": "hello"});
    let why = refused(&mut session, "tcp_talk", arguments);
    assert_eq!(why, "access-denied");
}

#[test]
fn nothing_is_waited_for() {
    let internet = Internet::new();
    let port = tcp();
    let (_udp, udp_port) = udp();
    let rules = [
        format!("tcp://127.0.0.1:{port}"),
        format!("udp://127.0.0.1:{udp_port}"),
    ];
    let rules: Vec<_> = rules.iter().map(String::as_str).collect();
    let mut session = open(&internet.run(&rules));
    for address in [
        "127.0.0.1:0",
        "0.0.0.0:0",
        "0.0.0.0:8080",
        "[::]:0",
        "[::1]:0",
    ] {
        for tool in ["tcp_bind", "tcp_listen"] {
            let why = refused(&mut session, tool, json!({"address": address}));
            assert_eq!(why, "access-denied", "{tool} {address}");
        }
    }
    // To be sent from, a socket has to be bound to nothing in particular.
    for address in ["127.0.0.1:0", "0.0.0.0:5353", "[::1]:0", "127.0.0.1:5353"] {
        let why = refused(&mut session, "udp_bind", json!({"address": address}));
        assert_eq!(why, "access-denied", "{address}");
    }
}

#[test]
fn datagrams_go_where_it_is_granted() {
    let internet = Internet::new();
    let (_one, granted) = udp();
    let (other, refused_port) = udp();
    let mut session = open(&internet.run(&[&format!("udp://127.0.0.1:{granted}")]));
    let talk = |port| json!({"address": format!("127.0.0.1:{port}"), "text": "hello"});
    assert_eq!(done(&mut session, "udp_talk", talk(granted)), "heard hello");
    let why = refused(&mut session, "udp_talk", talk(refused_port));
    assert_eq!(why, "access-denied");
    for address in ["255.255.255.255:9", "224.0.0.251:5353", "127.0.0.1:53"] {
        let arguments = json!({"address": address, "text": "hello"});
        refused(&mut session, "udp_talk", arguments);
    }
    drop(other);
}
