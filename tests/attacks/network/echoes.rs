//! Servers that repeat a secret they were sent, in every dress that there is for
//! it. What they say is made of what they got.

use std::fmt::Write as _;
use std::fs;

use palisade_tests::Session;
use palisade_tests::internet::{Asked, Internet, Pipe, Web};
use palisade_tests::stage::open;

use super::get;

/// Every character of it is one that encoders differ about, or stands between
/// such. It is long enough to be broken into lines.
const SECRET: &str = "ghp_hunter2/Zk9+<a b>&'\"=~!q;7xVb3nM0pL5tRw8yKc1dJ6fH2gS4zQ";

/// What a dress is called, and how it is put on.
type Dress = (&'static str, fn(&str) -> String);

fn each(text: &str, spelt: impl Fn(usize, u8) -> String) -> String {
    text.bytes()
        .enumerate()
        .map(|(at, byte)| spelt(at, byte))
        .collect()
}

fn raw(byte: u8) -> String {
    char::from(byte).to_string()
}

/// As RFC 3986 has it, but for what is kept.
fn percent(text: &str, kept: &str) -> String {
    each(text, |_, byte| match byte {
        byte if byte.is_ascii_alphanumeric() || kept.contains(char::from(byte)) => raw(byte),
        byte => format!("%{byte:02X}"),
    })
}

fn json(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn hex(text: &str) -> String {
    each(text, |_, byte| format!("{byte:02x}"))
}

fn base64(text: &str, last: [u8; 2]) -> String {
    let letters = [
        &b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[..],
        &last,
    ]
    .concat();
    let mut out = String::new();
    for three in text.as_bytes().chunks(3) {
        let bits = (0..3).fold(0, |bits, at| {
            bits << 8 | usize::from(three.get(at).copied().unwrap_or(0))
        });
        for at in 0..4 {
            out.push(match at <= three.len() {
                true => char::from(letters[bits >> (18 - 6 * at) & 63]),
                false => '=',
            });
        }
    }
    out
}

fn lines(text: &str, length: usize, line_break: &str) -> String {
    let lines: Vec<_> = (text.as_bytes().chunks(length))
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    lines.join(line_break)
}

/// A different way for each letter.
fn mixed(text: &str) -> String {
    each(text, |at, byte| match at % 9 {
        0 => format!("%{byte:02x}"),
        1 => format!("\\u{byte:04X}"),
        2 => format!("&#{byte};"),
        3 => raw(byte),
        4 => format!("\\u00{byte:02x}"),
        5 => format!("&#x{byte:X};"),
        6 => format!("\\x{byte:02x}"),
        7 => format!("%{byte:02X}"),
        _ => format!("&#x{byte:04x};"),
    })
}

const DRESSES: [Dress; 26] = [
    ("as it is", str::to_owned),
    ("percent", |text| percent(text, "-._~")),
    ("percent, all", |text| {
        each(text, |_, byte| format!("%{byte:02x}"))
    }),
    ("percent, every other", |text| {
        each(text, |at, byte| match at % 3 {
            0 => format!("%{byte:02x}"),
            1 => format!("%{byte:02X}"),
            _ => raw(byte),
        })
    }),
    ("quote of Python", |text| percent(text, "-._~/")),
    ("PathEscape of Go", |text| percent(text, "-._~$&+=:@")),
    ("a form", |text| percent(text, "-._* ").replace(' ', "+")),
    ("percent twice", |text| {
        percent(&percent(text, "-._~"), "-._~")
    }),
    ("JSON", json),
    ("JSON with slashes", |text| json(text).replace('/', "\\/")),
    ("JSON for HTML", |text| {
        json(text)
            .replace('<', "\\u003c")
            .replace('>', "\\u003E")
            .replace('&', "\\u0026")
            .replace('/', "\\/")
    }),
    ("JSON, all", |text| {
        each(text, |_, byte| format!("\\u{byte:04x}"))
    }),
    ("JSON in JSON", |text| {
        json(&json(&json(text).replace('/', "\\/")))
    }),
    ("HTML", |text| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
            .replace('\'', "&#39;")
    }),
    ("HTML, all", |text| {
        each(text, |_, byte| format!("&#{byte};"))
    }),
    ("HTML, all in hexadecimal", |text| {
        each(text, |_, byte| format!("&#x{byte:x};"))
    }),
    ("mixed", mixed),
    ("hexadecimal", hex),
    ("hexadecimal, in lines", |text| {
        lines(&hex(text), 32, "\r\n")
    }),
    ("Base64", |text| base64(text, *b"+/")),
    ("Base64 for URLs", |text| base64(text, *b"-_")),
    ("Base64 of MIME", |text| {
        lines(&base64(&text.repeat(3), *b"+/"), 76, "\r\n")
    }),
    ("Base64 of PEM", |text| {
        lines(&base64(&text.repeat(3), *b"+/"), 64, "\n")
    }),
    ("Base64 for URLs, in lines", |text| {
        lines(&base64(text, *b"-_"), 76, "\n")
    }),
    ("Base64 of PEM in JSON", |text| {
        lines(&base64(&text.repeat(3), *b"+/"), 64, "\\n")
    }),
    ("Base64 in lines in a URL", |text| {
        percent(&lines(&base64(text, *b"+/"), 60, "\r\n"), "")
    }),
];

/// A server that says what it was sent in the dress that the path numbers, in
/// pieces; a session to which the secret is granted.
struct Stage {
    _internet: Internet,
    _server: Web,
    session: Session,
    url: String,
}

fn stage(carrier: &str, dresses: &'static [Dress], sent: fn(&Asked) -> String) -> Stage {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(move |asked, pipe| {
        let path = asked.head.split([' ', '?']).nth(1).unwrap();
        let (_, dress) = dresses[path[1..].parse::<usize>().unwrap()];
        say(pipe, &format!("<{}>", dress(&sent(asked))))
    });
    let url = format!("http://api.test:{}", server.port());
    let command = internet.run(&[&format!("private:{url}")]);
    let grant = command.home().join("grant.toml");
    let inject = format!("inject = {{ to = \"{url}\", {carrier} }}");
    fs::write(
        &grant,
        format!("[[secrets]]\nname = \"TOKEN\"\nenv = \"HOST\"\n{inject}\n"),
    )
    .unwrap();
    let session = open(&command.grant(grant).env("HOST", SECRET));
    Stage {
        _internet: internet,
        _server: server,
        session,
        url,
    }
}

/// In pieces of seven bytes.
fn say(pipe: &mut dyn Pipe, body: &str) -> bool {
    let mut out = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_owned();
    for piece in body.as_bytes().chunks(7) {
        let piece = std::str::from_utf8(piece).unwrap();
        write!(out, "{:x}\r\n{piece}\r\n", piece.len()).unwrap();
    }
    out.push_str("0\r\n\r\n");
    pipe.write_all(out.as_bytes()).is_ok()
}

/// The value of a header that a server got.
fn header(asked: &Asked, name: &str) -> String {
    let lines = asked.head.lines().filter_map(|line| line.split_once(": "));
    let mut values = lines.filter(|(own, _)| own.eq_ignore_ascii_case(name));
    values.next().unwrap().1.to_owned()
}

impl Stage {
    /// What the guest got of a dress.
    fn shown(&mut self, dress: usize) -> String {
        let said = get(&mut self.session, &format!("{}/{dress}", self.url)).unwrap();
        let (_, body) = said.split_once('<').unwrap();
        body.strip_suffix('>').unwrap().to_owned()
    }
}

#[test]
fn a_token_in_every_dress() {
    let mut stage = stage("header = \"x-key\"", &DRESSES, |asked| {
        header(asked, "x-key")
    });
    for (number, (name, dress)) in DRESSES.iter().enumerate() {
        let shown = stage.shown(number);
        let said = dress(SECRET);
        assert_eq!(shown.len(), said.len(), "{name}: {shown}");
        // What pads it tells nothing.
        let shown = shown.replace("%3D", "").replace('=', "");
        assert_eq!(shown, "*".repeat(shown.len()), "{name}: {said}");
    }
}

const AGAIN: [Dress; 8] = [
    ("percent", |text| percent(text, "-._~")),
    ("percent twice", |text| percent(&percent(text, "-._~"), "")),
    ("JSON with slashes", |text| json(text).replace('/', "\\/")),
    ("JSON, all", |text| {
        each(text, |_, byte| format!("\\u{byte:04x}"))
    }),
    ("HTML, all", |text| {
        each(text, |_, byte| format!("&#{byte};"))
    }),
    ("hexadecimal", hex),
    ("Base64", |text| base64(text, *b"+/")),
    ("Base64 for URLs, in lines", |text| {
        lines(&base64(text, *b"-_"), 76, "\n")
    }),
];

/// What was sent as `Authorization: Basic`, encoded again.
#[test]
fn a_credential_in_another_encoding() {
    let mut stage = stage("basic = \"ada\"", &AGAIN, |asked| {
        header(asked, "authorization").split_off("Basic ".len())
    });
    for (number, (name, dress)) in AGAIN.iter().enumerate() {
        let shown = stage.shown(number);
        let said = dress(&base64(&format!("ada:{SECRET}"), *b"+/"));
        assert_eq!(shown.len(), said.len(), "{name}: {shown}");
        // The user comes before it, a tenth of it; at the end, what pads it.
        let secret = &shown[shown.len() / 8..shown.len() - shown.len() / 7];
        assert_eq!(secret, "*".repeat(secret.len()), "{name}: {said}");
    }
}

const QUERIES: [Dress; 3] = [
    ("as it was sent", str::to_owned),
    ("encoded twice", |text| percent(text, "-._~")),
    ("encoded three times", |text| {
        percent(&percent(text, "-._~"), "-._~")
    }),
];

/// What was sent in the query, where it is encoded already.
#[test]
fn a_query_encoded_again() {
    let mut stage = stage("query = \"key\"", &QUERIES, |asked| {
        let target = asked.head.split(' ').nth(1).unwrap();
        target.split_once("key=").unwrap().1.to_owned()
    });
    for (number, (name, _)) in QUERIES.iter().enumerate() {
        let shown = stage.shown(number);
        assert!(shown.len() > SECRET.len(), "{name}: {shown}");
        assert_eq!(shown, "*".repeat(shown.len()), "{name}");
    }
}
