//! Through a proxy the same holds.

use std::net::TcpListener;

use palisade_tests::internet::{Internet, Proxy, Web, ok};
use palisade_tests::stage::open;

use super::{get, not_permitted};

#[test]
fn what_is_granted_goes_through_it_and_nothing_else() {
    let internet = Internet::new();
    let tls = internet.identity.of("api.test", false, &["http/1.1"]);
    let server = Web::secure(tls, |asked, pipe| ok(pipe, &asked.head));
    let proxy = Proxy::to(server.port());
    let command = internet.run(&["https://api.test"]);
    let mut session = open(&command.env("HTTPS_PROXY", proxy.url()));
    for _ in 0..2 {
        let said = get(&mut session, "https://api.test/x").unwrap();
        assert!(
            said.contains("GET /x HTTP/1.1") && said.contains("host: api.test"),
            "{said}"
        );
        assert!(!said.to_lowercase().contains("proxy"), "{said}");
    }
    for url in [
        "https://evil.test/",
        "https://api.test:444/",
        "https://127.0.0.1/",
        "http://api.test/",
    ] {
        not_permitted(&mut session, url);
    }
    // Names are the proxy's to look up.
    assert_eq!(internet.names.asked(), Vec::<String>::new());
    let asked = proxy.asked();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(
        asked[0].starts_with("CONNECT api.test:443 HTTP/1.1\r\n"),
        "{asked:?}"
    );
    // "ada:secret"
    assert!(
        asked[0].contains("Proxy-Authorization: Basic YWRhOnNlY3JldA=="),
        "{asked:?}"
    );
}

#[test]
fn in_the_open_it_is_spoken_to_itself() {
    let internet = Internet::new();
    let server = Web::plain(|_, pipe| ok(pipe, "fine"));
    let proxy = Proxy::to(server.port());
    let command = internet.run(&["http://api.test", "http://inside.test"]);
    let command = command
        .env("http_proxy", proxy.url())
        .env("NO_PROXY", "inside.test");
    let mut session = open(&command);
    let said = get(&mut session, "http://api.test/x").unwrap();
    assert!(said.ends_with("fine"), "{said}");
    let asked = proxy.asked();
    assert!(
        asked[0].starts_with("GET http://api.test/x HTTP/1.1\r\n"),
        "{asked:?}"
    );
    assert!(
        asked[0]
            .to_lowercase()
            .contains("proxy-authorization: basic"),
        "{asked:?}"
    );
    // Past it, all is as without.
    internet.names.here("inside.test");
    not_permitted(&mut session, "http://inside.test/");
    assert_eq!(proxy.asked().len(), 1);
    assert!(internet.names.asked().contains(&"inside.test".to_owned()));
}

/// An address inside is one, whoever connects to it.
#[test]
fn it_is_no_way_inside() {
    let internet = Internet::new();
    let server = Web::plain(|_, pipe| ok(pipe, "reached"));
    let proxy = Proxy::to(server.port());
    for rules in [
        &["private:http://*.test"][..],
        // Any host is none of those that are not public.
        &["http://*:*", "https://*:*"],
    ] {
        let command = internet.run(rules);
        let command = command.env("HTTP_PROXY", proxy.url());
        let mut session = open(&command.env("HTTPS_PROXY", proxy.url()));
        for host in [
            "169.254.169.254",
            "10.0.0.1",
            "localhost",
            "2130706433",
            "0.0.0.0",
            "[::1]",
            "[fd00:ec2::254]",
        ] {
            not_permitted(&mut session, &format!("http://{host}/"));
            not_permitted(&mut session, &format!("https://{host}/"));
        }
    }
    assert!(proxy.asked().is_empty());
}

#[test]
fn one_that_is_not_there_is_one_sentence() {
    let internet = Internet::new();
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let command = internet.run(&["https://api.test"]);
    let command = command.env("HTTPS_PROXY", format!("http://127.0.0.1:{port}"));
    let mut session = open(&command);
    let why = get(&mut session, "https://api.test/").unwrap_err();
    let begins = format!("the proxy 127.0.0.1:{port} can't be reached: ");
    assert!(
        why.starts_with(&begins) && why.lines().count() == 1,
        "{why}"
    );
}

/// Who is behind a proxy does not mean to go past it.
#[test]
fn one_that_is_not_understood_is_not_gone_past() {
    let internet = Internet::new();
    for bad in ["socks5://127.0.0.1:1", "::::", "https://proxy.test"] {
        let command = internet.run(&["https://api.test"]).env("https_proxy", bad);
        let finished = command.output();
        assert_eq!(finished.code, Some(1), "{bad}: {}", finished.stderr);
        assert!(
            finished
                .stderr
                .contains("the variable https_proxy names no proxy"),
            "{}",
            finished.stderr
        );
    }
    // Where nothing is granted, nothing goes anywhere.
    let command = internet.run(&[]).env("https_proxy", "socks5://127.0.0.1:1");
    assert_eq!(command.output().code, Some(0));
}
