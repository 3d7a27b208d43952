//! The table in `docs/network-rules.md`: which rule lets which request through.
//! The page is what a person reads, so the page is what is tested.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use palisade_policy::{Authority, Grant, NetworkRules, Scheme, Target};

/// Rules by their letters, and rows: a request, and the letters of the rules
/// that let it through.
struct Page {
    rules: BTreeMap<String, NetworkRules>,
    rows: Vec<(String, Vec<String>)>,
}

fn page() -> Page {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/network-rules.md");
    let text = fs::read_to_string(path).unwrap();
    let mut page = Page {
        rules: BTreeMap::new(),
        rows: Vec::new(),
    };
    for line in text.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let code = |cell: &str| {
            let inner = cell.strip_prefix('`')?.strip_suffix('`')?;
            Some(inner.to_owned())
        };
        match &cells[..] {
            [letter, rule] if letter.len() == 1 && code(rule).is_some() => {
                let text = format!("[[network]]\n{}", code(rule).unwrap().replace("; ", "\n"));
                let grant = Grant::parse(&text).unwrap_or_else(|error| panic!("{letter}: {error}"));
                let rules = NetworkRules::new(&grant.network);
                page.rules.insert((*letter).to_owned(), rules);
            }
            [request, through, ..] if code(request).is_some() => {
                let letters = through.split_whitespace().filter(|letter| *letter != "—");
                let row = (code(request).unwrap(), letters.map(str::to_owned).collect());
                page.rows.push(row);
            }
            _ => {}
        }
    }
    page
}

/// `GET https://host/path`, or `tcp://host:port`: as a guest would send it.
fn lets_through(rules: &NetworkRules, request: &str) -> bool {
    let (method, url) = request.split_once(' ').unwrap_or(("", request));
    let (scheme, rest) = url.split_once("://").expect("a scheme");
    let (authority, path) = match rest.find('/') {
        Some(slash) => (&rest[..slash], &rest[slash..]),
        None => (rest, "/"),
    };
    let scheme = match scheme {
        "https" => Scheme::Https,
        "http" => Scheme::Http,
        "tcp" => Scheme::Tcp,
        "udp" => Scheme::Udp,
        other => panic!("{other}"),
    };
    let Ok(authority) = authority.parse::<Authority>() else {
        return false;
    };
    let target = match scheme.is_http() {
        true => Target::http(scheme, authority, method, path),
        false => Target {
            scheme,
            port: authority.port.expect("a port"),
            host: authority.host,
            request: None,
        },
    };
    rules.decide(&target).is_ok()
}

#[test]
fn every_cell_is_true() {
    let page = page();
    assert!(page.rules.len() >= 15, "{} rules", page.rules.len());
    assert!(page.rows.len() >= 40, "{} rows", page.rows.len());
    let mut wrong = Vec::new();
    for (request, written) in &page.rows {
        let really: Vec<_> = (page.rules.iter())
            .filter(|(_, rules)| lets_through(rules, request))
            .map(|(letter, _)| letter.clone())
            .collect();
        if really != *written {
            wrong.push(format!(
                "`{request}`: {really:?}, the page says {written:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A rule nothing passes, or that everything passes, shows nothing.
    for letter in page.rules.keys() {
        let through = page
            .rows
            .iter()
            .filter(|(_, row)| row.contains(letter))
            .count();
        assert!(
            through > 0 && through < page.rows.len(),
            "{letter}: {through}"
        );
    }
}
