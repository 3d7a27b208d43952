//! A manifest and a grant that use every word there is.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::time::Duration;

use palisade_policy::{Access, Grant, Manifest, Scheme, ToolDecision};

const MANIFEST: &str = r#"
[plugin]
name = "notes"            # [a-z0-9-]{1,48}
version = "1.2.0"
description = "Search and edit a folder of notes"
license = "MIT OR Apache-2.0"
source = "https://example.com/notes"
homepage = "http://[::1]:8080/"
authors = ["Ada Lovelace", "Grace"]

[[roots]]
name = "notes"
access = "read-write"
required = true
hide = ["**/.git/**", "**/.env"]
[[roots]]
name = "*"

[[network]]
to = "HTTPS://API.Example.com"
methods = ["GET"]
paths = ["/v1/**"]
[[network]]
to = "tcp://db.internal:5432"
private = true

[env]
LANG = { required = false }
HOME = {}
TOKEN_FILE.required = true

[[secrets]]
name = "EXAMPLE_TOKEN"
inject = { to = "https://api.example.com", header = "Authorization", format = "Bearer {}" }

[storage]
quota = "8 MiB"

[limits]
memory = "64 MiB"
call-time = "30 s"
cpu-time = "5 s"
output = "4 MiB"
concurrency = 16
"#;

#[test]
fn a_manifest_asks_for_everything_there_is() {
    let manifest = Manifest::parse(MANIFEST).unwrap();
    assert_eq!(manifest.plugin.name, "notes");
    assert_eq!(manifest.plugin.version.as_deref(), Some("1.2.0"));
    assert!(manifest.plugin.description.unwrap().starts_with("Search"));
    assert_eq!(
        manifest.plugin.license.as_deref(),
        Some("MIT OR Apache-2.0")
    );
    assert_eq!(
        manifest.plugin.source.as_deref(),
        Some("https://example.com/notes")
    );
    assert_eq!(
        manifest.plugin.homepage.as_deref(),
        Some("http://[::1]:8080/")
    );
    assert_eq!(manifest.plugin.authors, ["Ada Lovelace", "Grace"]);

    let [notes, any] = &manifest.roots[..] else {
        panic!("two roots")
    };
    assert_eq!((notes.access, notes.required), (Access::ReadWrite, true));
    assert_eq!(notes.hide, ["**/.git/**", "**/.env"]);
    assert!(any.is_any());
    assert_eq!((any.access, any.required), (Access::ReadOnly, false));

    let [api, db] = &manifest.network[..] else {
        panic!("two rules")
    };
    assert_eq!(
        (api.to.scheme, api.to.host.as_str(), api.to.port),
        (Scheme::Https, "api.example.com", 443)
    );
    assert_eq!(api.to_string(), "GET https://api.example.com, paths /v1/**");
    assert_eq!(
        db.to_string(),
        "tcp://db.internal:5432, private addresses too"
    );

    let required: Vec<_> = (manifest.env.iter())
        .map(|(name, request)| (name.as_str(), request.required))
        .collect();
    assert_eq!(
        required,
        [("HOME", false), ("LANG", false), ("TOKEN_FILE", true)]
    );
    assert_eq!(
        manifest.secrets[0].use_as.to_string(),
        "for https://api.example.com (authorization: Bearer {})"
    );
    assert_eq!(manifest.storage.unwrap().quota, 8 << 20);
    assert_eq!(manifest.limits.memory, Some(64 << 20));
    assert_eq!(manifest.limits.call_time, Some(Duration::from_secs(30)));
    assert_eq!(manifest.limits.cpu_time, Some(Duration::from_secs(5)));
    assert_eq!(manifest.limits.output, Some(4 << 20));
    assert_eq!(manifest.limits.concurrency, Some(16));
}

#[test]
fn a_manifest_may_ask_for_nothing() {
    let manifest = Manifest::parse("plugin.name = \"quiet\"").unwrap();
    assert!(manifest.roots.is_empty() && manifest.env.is_empty());
    assert_eq!(manifest.limits, Default::default());
}

#[test]
fn a_grant_has_paths_values_and_tools() {
    let grant = Grant::parse(
        r#"
        plugin.name = "notes"
        [[roots]]
        name = "notes"
        path = "~/Documents/notes"
        hide = ["private/**"]
        [[network]]
        to = "https://api.example.com:443"
        [env]
        LANG = "de_DE.UTF-8"
        [[secrets]]
        name = "EXAMPLE_TOKEN"
        inject = { to = "https://api.example.com", header = "x-api-key" }
        [storage]
        quota = "8 MiB"
        [limits]
        memory = "1 GiB"
        [tools]
        "delete_*" = "ask"
        format = "deny"
        "*" = "allow"
        "#,
    )
    .unwrap();
    assert_eq!(grant.plugin.as_deref(), Some("notes"));
    assert_eq!(grant.roots[0].path, Path::new("~/Documents/notes"));
    assert_eq!(grant.roots[0].access, Access::ReadOnly);
    assert_eq!(grant.env["LANG"], "de_DE.UTF-8");
    assert_eq!(
        grant.secrets[0].use_as.as_ref().unwrap().to_string(),
        "for https://api.example.com (x-api-key: {})"
    );
    assert_eq!(grant.network[0].to.to_string(), "https://api.example.com");
    for (tool, decision) in [
        ("delete_all", ToolDecision::Ask),
        ("format", ToolDecision::Deny),
        ("read", ToolDecision::Allow),
    ] {
        assert_eq!(grant.tools.decide(tool), decision, "{tool}");
    }
    assert_eq!(Grant::parse("").unwrap(), Grant::default());
}

#[test]
fn destinations_have_one_form() {
    for (written, read) in [
        ("https://a", "https://a"),
        ("http://A.b:80", "http://a.b"),
        ("https://a:8443", "https://a:8443"),
        ("https://*.Example.com", "https://*.example.com"),
        ("udp://10.0.0.1:53", "udp://10.0.0.1:53"),
        ("tcp://[2001:DB8:0::1]:5432", "tcp://[2001:db8::1]:5432"),
        ("https://a.example.", "https://a.example"),
        ("https://München.example", "https://xn--mnchen-3ya.example"),
        (
            "https://xn--mnchen-3ya.example",
            "https://xn--mnchen-3ya.example",
        ),
    ] {
        let text = format!("[[network]]\nto = \"{written}\"");
        let grant = Grant::parse(&text).unwrap();
        assert_eq!(grant.network[0].to.to_string(), read);
    }
}

#[test]
fn destinations_that_could_mean_something_else_are_refused() {
    for to in [
        "api.example.com",
        "ftp://a",
        "https://",
        "https://a/b",
        "https://a?b",
        "https://user@a",
        "https://a:0",
        "https://a:65536",
        "https://a:",
        "https://a:+1",
        "tcp://a",
        "https://**",
        "https://*:",
        "https://*:0",
        "https://*:+1",
        "https://*:443:443",
        "tcp://*:5432",
        "udp://*:*",
        "https://a:*",
        "https://*.a:*",
        "https://*.",
        "https://a.*.b",
        "https://*a.b",
        "https://a..b",
        "https://-a",
        "https://127.1",
        "https://0x7f.0.0.1",
        "https://0177.0.0.1",
        "https://2130706433",
        "https://0x7f000001",
        "https://*.0.0.1",
        "https://::1",
        "https://[::1",
        "https://[::1%eth0]",
        "https://[::ffff:127.0.0.1]",
        "https://a%2eb",
        "https://xn--a",
        "https://a\u{200b}b",
        "https://a\\\\b",
        "https://a b",
    ] {
        let text = format!("[[network]]\nto = \"{to}\"");
        let error = Grant::parse(&text).unwrap_err();
        assert_eq!(
            (error.line, error.key.as_deref()),
            (Some(2), Some("to")),
            "{to}: {error}"
        );
    }
}
