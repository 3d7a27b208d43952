//! A name leads where it may, or nowhere; and nobody is asked about others.

use palisade_tests::internet::{Internet, Web, ok};
use palisade_tests::stage::{done, open, refused};
use serde_json::json;

use super::{get, not_permitted};

fn echo() -> Web {
    Web::plain(|asked, pipe| ok(pipe, &asked.head))
}

#[test]
fn what_is_granted_is_reached() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = echo();
    let port = server.port();
    let rule = format!("GET private:http://api.test:{port}/v1/**");
    let mut session = open(&internet.run(&[&rule]));
    let said = get(&mut session, &format!("http://api.test:{port}/v1/x?q=1")).unwrap();
    assert!(said.starts_with("200\n"), "{said}");
    assert!(said.contains("GET /v1/x?q=1 HTTP/1.1"), "{said}");
    assert!(said.contains(&format!("host: api.test:{port}")), "{said}");
    let why = not_permitted(&mut session, &format!("http://api.test:{port}/v2"));
    assert!(why.contains("/v2"), "{why}");
    let why = super::request(
        &mut session,
        "POST",
        &format!("http://api.test:{port}/v1/x"),
    );
    let why = why.unwrap_err();
    assert!(why.contains("not permitted: POST"), "{why}");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn what_is_not_granted_is_not_looked_up() {
    let internet = Internet::new();
    for name in ["api.test", "evil.test", "below.api.test"] {
        internet.names.here(name);
    }
    let mut session = open(&internet.run(&["private:http://api.test", "tcp://*.db.test:1"]));
    for url in [
        "http://evil.test/",
        "http://below.api.test/",
        "https://api.test/",
        "http://api.test:81/",
        "http://db.test:1/",
        "http://user@api.test/",
        "http://api.test@evil.test/",
    ] {
        get(&mut session, url).expect_err(url);
    }
    for name in [
        "evil.test",
        "db.test",
        "below.api.test",
        "localhost",
        "127.0.0.1",
        "a.test:80",
    ] {
        refused(&mut session, "resolve", json!({"name": name}));
    }
    assert_eq!(internet.names.asked(), Vec::<String>::new());
    let found = done(&mut session, "resolve", json!({"name": "API.test."}));
    assert!(found.contains("127, 0, 0, 1"), "{found}");
}

const INSIDE: [&str; 10] = [
    "127.0.0.1",
    "10.0.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "::1",
    "fd00::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "0.0.0.0",
];

#[test]
fn a_granted_name_does_not_lead_inside() {
    let internet = Internet::new();
    let server = echo();
    let url = format!("http://api.test:{}", server.port());
    let tcp = format!("tcp://api.test:{}", server.port());
    let mut session = open(&internet.run(&[&url, &tcp]));
    for address in INSIDE {
        internet.names.say("api.test", &[&[address]]);
        let why = not_permitted(&mut session, &url);
        assert!(why.contains("api.test leads to"), "{address}: {why}");
        // What it leads to inside is not even told.
        let why = refused(&mut session, "resolve", json!({"name": "api.test"}));
        assert_eq!(why, "access-denied", "{address}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn private_does_not_mean_a_clouds_metadata() {
    let internet = Internet::new();
    let mut session = open(&internet.run(&["private:http://api.test"]));
    for address in [
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "fd00:ec2::254",
        "0.0.0.0",
    ] {
        internet.names.say("api.test", &[&[address]]);
        not_permitted(&mut session, "http://api.test/latest/meta-data/");
    }
}

/// The second answer comes too late: what was looked at is what is connected to.
#[test]
fn rebinding_changes_nothing() {
    let internet = Internet::new();
    let server = echo();
    let url = format!("http://api.test:{}", server.port());
    let mut session = open(&internet.run(&[&url]));
    internet.names.say(
        "api.test",
        &[&["192.0.2.1"], &["127.0.0.1"], &["192.0.2.1"], &["::1"]],
    );
    for _ in 0..6 {
        not_permitted(&mut session, &url);
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn of_many_addresses_only_those_are_used_that_may_be() {
    let internet = Internet::new();
    let server = echo();
    let url = format!("http://api.test:{}", server.port());
    let mut session = open(&internet.run(&[&format!("private:{url}")]));
    internet.names.say(
        "api.test",
        &[&["169.254.169.254", "0.0.0.0", "127.0.0.1", "224.0.0.1"]],
    );
    get(&mut session, &url).unwrap();
    assert_eq!(server.connections(), 1);
}

/// However an address is spelled, it is that address.
#[test]
fn addresses_in_disguise_are_what_they_are() {
    let internet = Internet::new();
    let server = echo();
    let port = server.port();
    let spellings = [
        "127.0.0.1",
        "127.1",
        "0x7f.0.0.1",
        "2130706433",
        "017700000001",
        "127.0.0.1.",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
    ];
    let mut without = open(&internet.run(&["private:http://*.test"]));
    for spelling in spellings {
        get(&mut without, &format!("http://{spelling}:{port}/")).expect_err(spelling);
    }
    assert_eq!(server.connections(), 0);
    let mut with = open(&internet.run(&[&format!("http://127.0.0.1:{port}")]));
    for spelling in spellings {
        let said = get(&mut with, &format!("http://{spelling}:{port}/")).expect(spelling);
        assert!(
            said.contains(&format!("host: 127.0.0.1:{port}")),
            "{spelling}: {said}"
        );
    }
    assert_eq!(internet.names.asked(), Vec::<String>::new());
}

/// A grant is no more than what a plugin itself asks for.
#[test]
fn only_what_the_manifest_asks_for_is_reached() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = echo();
    let port = server.port();
    let command = palisade_tests::Palisade::run(asking(&format!(
        "[[network]]\nto = \"http://*.asked.test:{port}\"\nprivate = true\n"
    )));
    internet.names.here("a.asked.test");
    let rules = [
        format!("private:http://api.test:{port}"),
        format!("private:http://a.asked.test:{port}"),
    ];
    let rules: Vec<_> = rules.iter().map(String::as_str).collect();
    let mut session = open(&internet.reach(command, &rules));
    get(&mut session, &format!("http://a.asked.test:{port}/")).unwrap();
    not_permitted(&mut session, &format!("http://api.test:{port}/"));
    not_permitted(&mut session, &format!("http://b.asked.test:{port}/"));
    assert!(!internet.names.asked().contains(&"api.test".to_owned()));
}

/// Mallory with a manifest beside it.
fn asking(manifest: &str) -> std::path::PathBuf {
    let folder = tempfile::tempdir().unwrap().keep();
    let file = folder.join("mallory.wasm");
    std::fs::copy(palisade_tests::guest("mallory"), &file).unwrap();
    let manifest = format!("[plugin]\nname = \"mallory\"\n{manifest}");
    std::fs::write(folder.join("palisade.toml"), manifest).unwrap();
    file
}
