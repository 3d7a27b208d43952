//! A plugin has the use of a secret, and never gets hold of it: not from the host,
//! not from the server that knows it, whatever it makes that one say.

use std::fs;
use std::sync::{Arc, Mutex};

use palisade_tests::internet::{Asked, Internet, Pipe, Web, ok};
use palisade_tests::stage::open;
use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::json;

/// What a guest must never see any of.
const SECRET: &str = "ghp_hunter2/Zk9";
const MASKED: &str = "***************";

/// A session of a plugin to which a secret is granted for `to`, as `carrier`
/// says, taken from the host's own environment.
fn session(internet: &Internet, rules: &[&str], to: &str, carrier: &str) -> Session {
    let command = internet.run(rules).env("PALISADE_LOG", "trace");
    open(&granted(command, to, carrier))
}

fn granted(command: Palisade, to: &str, carrier: &str) -> Palisade {
    let grant = command.home().join("grant.toml");
    fs::write(
        &grant,
        format!(
            "[[secrets]]\nname = \"TOKEN\"\nenv = \"HOST_TOKEN\"\ninject = {{ to = \"{to}\", {carrier} }}\n"
        ),
    )
    .unwrap();
    command.grant(grant).env("HOST_TOKEN", SECRET)
}

const BEARER: &str = "header = \"authorization\", format = \"Bearer {}\"";

fn get(session: &mut Session, url: &str, headers: &str) -> String {
    let arguments = json!({"method": "GET", "url": url, "headers": headers});
    let said = rpc::tool_text(&session.call("http", arguments));
    nothing_of_it(&said);
    said
}

/// Neither the whole of it nor a telling part.
#[track_caller]
fn nothing_of_it(said: &str) {
    for part in ["ghp_h", "hunter", "2/Zk9", "Z2hwX2h1bn"] {
        assert!(!said.contains(part), "{part} in {said}");
    }
}

/// The value of a header that a server got.
fn header(asked: &Asked, name: &str) -> Vec<String> {
    let lines = asked.head.lines().filter_map(|line| line.split_once(": "));
    lines
        .filter(|(own, _)| own.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.to_owned())
        .collect()
}

fn echo(asked: &Asked, pipe: &mut dyn Pipe) -> bool {
    ok(pipe, &asked.head)
}

#[test]
fn it_is_sent_and_an_echo_is_masked() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(echo);
    let url = format!("http://api.test:{}", server.port());
    let mut session = session(&internet, &[&format!("private:{url}")], &url, BEARER);
    let said = get(&mut session, &url, "");
    assert!(said.contains(&format!("Bearer {MASKED}")), "{said}");
    let sent = header(&server.asked()[0], "authorization");
    assert_eq!(sent, [format!("Bearer {SECRET}")]);
    // Nor is it in what the host says at its most talkative.
    let finished = session.finish();
    nothing_of_it(&finished.stderr);
    assert!(finished.stderr.contains("TRACE"), "it is talkative");
}

#[test]
fn the_hosts_header_wins() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(echo);
    let url = format!("http://api.test:{}", server.port());
    let mut session = session(&internet, &[&format!("private:{url}")], &url, BEARER);
    let own = "Authorization: Bearer mine\nauthorization: Basic bWluZQ==\nrange: bytes=0-4";
    get(&mut session, &url, own);
    let asked = &server.asked()[0];
    assert_eq!(header(asked, "authorization"), [format!("Bearer {SECRET}")]);
    // A part of an answer could be a part of a secret.
    assert_eq!(header(asked, "range"), [""; 0]);
    assert_eq!(header(asked, "accept-encoding"), ["identity"]);
}

#[test]
fn as_a_password_and_in_a_query() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(echo);
    let url = format!("http://api.test:{}", server.port());
    let rule = format!("private:{url}");
    let mut basic = session(&internet, &[&rule], &url, "basic = \"ada\"");
    get(&mut basic, &url, "");
    let sent = header(&server.asked()[0], "authorization");
    assert_eq!(sent, ["Basic YWRhOmdocF9odW50ZXIyL1prOQ=="]);

    let mut query = session(&internet, &[&rule], &url, "query = \"key\"");
    let said = get(&mut query, &format!("{url}/a?key=mine&b=c&k%65y=mine"), "");
    let head = server.asked()[1].head.clone();
    assert!(
        head.starts_with("GET /a?b=c&key=ghp_hunter2%2FZk9 HTTP/1.1"),
        "{head}"
    );
    assert!(said.contains("GET /a?b=c&key=*****************"), "{said}");
}

/// In every dress that a server may put it in.
#[test]
fn an_echo_in_another_encoding() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(|_, pipe| {
        let body = "{\"plain\":\"ghp_hunter2/Zk9\",\"json\":\"ghp_hunter2\\/Zk9\",\
                    \"url\":\"ghp_hunter2%2FZk9\",\"base64\":\"Z2hwX2h1bnRlcjIvWms5\",\
                    \"basic\":\"YWRhOmdocF9odW50ZXIyL1prOQ==\",\
                    \"hex\":\"6768705f68756e746572322f5a6b39\"}";
        let head = format!(
            "HTTP/1.1 200 OK\r\nx-echo: token=ghp_hunter2/Zk9\r\nset-cookie: a=Z2hwX2h1bnRlcjIvWms5\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        pipe.write_all(head.as_bytes()).is_ok()
    });
    let url = format!("http://api.test:{}", server.port());
    let mut session = session(&internet, &[&format!("private:{url}")], &url, BEARER);
    let said = get(&mut session, &url, "");
    assert!(said.contains(&format!("x-echo: token={MASKED}")), "{said}");
    for name in ["plain", "json", "url", "base64", "basic", "hex"] {
        assert!(said.contains(&format!("\"{name}\":\"")), "{said}");
    }
    for gone in ["odW50", "68756e", "hbnRl", "aHVud"] {
        assert!(!said.contains(gone), "{gone} in {said}");
    }
}

#[test]
fn an_echo_in_pieces() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(|_, pipe| {
        let _ = pipe.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        for byte in "<ghp_hunter2/Zk9>".bytes() {
            let chunk = [b'1', b'\r', b'\n', byte, b'\r', b'\n'];
            if pipe.write_all(&chunk).and_then(|()| pipe.flush()).is_err() {
                return false;
            }
        }
        pipe.write_all(b"0\r\n\r\n").is_ok()
    });
    let url = format!("http://api.test:{}", server.port());
    let mut session = session(&internet, &[&format!("private:{url}")], &url, BEARER);
    let said = get(&mut session, &url, "");
    assert!(said.ends_with(&format!("<{MASKED}>")), "{said}");
}

/// Where it could not be found, it is not let through.
#[test]
fn an_answer_that_can_not_be_looked_through() {
    let internet = Internet::new();
    internet.names.here("api.test");
    for head in [
        "200 OK\r\ncontent-encoding: gzip",
        "200 OK\r\ncontent-encoding: x-ghp_hunter2/Zk9",
        "206 Partial Content\r\ncontent-range: bytes 0-1/9",
        "200 OK\r\ncontent-range: bytes 0-1/9",
        "200 OK\r\ncontent-type: Multipart/ByteRanges; boundary=x",
    ] {
        let server = Web::plain(move |_, pipe| {
            let answer = format!("HTTP/1.1 {head}\r\ncontent-length: 5\r\n\r\nghp_h");
            pipe.write_all(answer.as_bytes()).is_ok()
        });
        let url = format!("http://api.test:{}", server.port());
        let mut session = session(&internet, &[&format!("private:{url}")], &url, BEARER);
        let result = session.call("http", json!({"method": "GET", "url": url}));
        let why = rpc::tool_error(&result);
        assert!(why.contains("can't be used with a secret"), "{why}");
        nothing_of_it(&result.to_string());
    }
}

/// Not to another host, another port, or the same one in the open; nor where a
/// redirect leads.
#[test]
fn it_goes_nowhere_else() {
    let internet = Internet::new();
    for name in ["api.test", "other.test"] {
        internet.names.here(name);
    }
    let other = Web::plain(|_, pipe| ok(pipe, "fine"));
    let places = [
        format!("http://other.test:{}", other.port()),
        format!("http://api.test:{}", other.port()),
    ];
    let next = Arc::new(Mutex::new(String::new()));
    let location = Arc::clone(&next);
    let tls = internet.identity.of("api.test", false, &["http/1.1"]);
    let server = Web::secure(tls, move |_, pipe| {
        let head = format!(
            "HTTP/1.1 302 Found\r\nlocation: {}/?token={SECRET}\r\ncontent-length: 0\r\n\r\n",
            location.lock().unwrap()
        );
        pipe.write_all(head.as_bytes()).is_ok()
    });
    let url = format!("https://api.test:{}", server.port());
    let mut rules = vec![format!("private:{url}")];
    rules.extend(places.iter().map(|place| format!("private:{place}")));
    let rules: Vec<_> = rules.iter().map(String::as_str).collect();
    let mut session = session(&internet, &rules, &url, BEARER);
    for place in &places {
        next.lock().unwrap().clone_from(place);
        let said = get(&mut session, &url, "");
        // As a guest that follows it would.
        let location = format!("{place}/?token={MASKED}");
        assert!(said.contains(&location), "{said}");
        get(&mut session, &location, "");
    }
    assert_eq!(server.asked().len(), 2);
    assert_eq!(
        header(&server.asked()[0], "authorization"),
        [format!("Bearer {SECRET}")]
    );
    assert_eq!(other.asked().len(), 2);
    for asked in other.asked() {
        assert_eq!(header(&asked, "authorization"), [""; 0], "{asked:?}");
        nothing_of_it(&asked.head);
    }
}

/// What no rule lets through is refused before anything is added to it.
#[test]
fn a_rule_has_to_let_the_request_through() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(|_, pipe| ok(pipe, "fine"));
    let url = format!("http://api.test:{}", server.port());
    let mut session = session(&internet, &[], &url, BEARER);
    let result = session.call("http", json!({"method": "GET", "url": url}));
    let why = rpc::tool_error(&result);
    assert!(why.starts_with("not permitted: "), "{why}");
    assert_eq!(server.connections(), 0);
}

/// Each plugin has its own.
#[test]
fn another_plugin_has_no_use_of_it() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(|_, pipe| ok(pipe, "fine"));
    let url = format!("http://api.test:{}", server.port());
    let file = guest("mallory").display().to_string();
    let command = Palisade::run_several([format!("ada={file}"), format!("bob={file}")]);
    let rules = [format!("ada/private:{url}"), format!("bob/private:{url}")];
    let rules: Vec<_> = rules.iter().map(String::as_str).collect();
    let command = granted(internet.reach(command, &rules), &url, BEARER);
    let grant = command.home().join("grant.toml");
    let text = fs::read_to_string(&grant).unwrap();
    fs::write(&grant, format!("[plugin]\nname = \"ada\"\n{text}")).unwrap();
    let mut session = open(&command);
    for plugin in ["bob", "ada", "bob"] {
        let arguments = json!({"method": "GET", "url": url});
        rpc::tool_text(&session.call(&format!("{plugin}__http"), arguments));
    }
    let sent: Vec<_> = (server.asked().iter())
        .map(|asked| header(asked, "authorization").len())
        .collect();
    assert_eq!(sent, [0, 1, 0]);
}

/// In HTTP/2, where headers are kept in tables.
#[test]
fn in_http_2_too() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::http2(internet.identity.of("api.test", false, &["h2"]));
    let url = format!("https://api.test:{}", server.port());
    let mut session = session(&internet, &[&format!("private:{url}")], &url, BEARER);
    for _ in 0..2 {
        let said = get(&mut session, &url, "authorization: mine");
        assert!(
            said.contains(&format!("authorization: Bearer {MASKED}")),
            "{said}"
        );
    }
    let finished = session.finish();
    nothing_of_it(&finished.stderr);
}
