#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use hyper::header::HeaderValue;
use proptest::prelude::*;

use super::*;

fn names(bound: &str, hosts: &[&str], origins: &[&str]) -> Names {
    Names::new(
        bound.parse().unwrap(),
        false,
        hosts.iter().map(|host| host.parse().unwrap()).collect(),
        origins.iter().map(|host| host.parse().unwrap()).collect(),
    )
}

fn check(names: &Names, host: &str, origin: Option<&str>) -> Result<(), Stranger> {
    let mut headers = HeaderMap::new();
    headers.insert(HOST, HeaderValue::from_str(host).unwrap());
    if let Some(origin) = origin {
        headers.insert(ORIGIN, HeaderValue::from_str(origin).unwrap());
    }
    names.check(&Uri::from_static("/mcp"), &headers)
}

#[test]
fn a_server_is_called_by_its_own_names() {
    let names = names("192.0.2.7:8080", &["mcp.example.com", "other:99"], &[]);
    for host in [
        "localhost",
        "LocalHost:1",
        "127.0.0.1:8080",
        "[::1]:8080",
        "192.0.2.7:8080",
        "mcp.example.com",
        "MCP.example.com:5",
        "other:99",
    ] {
        assert_eq!(check(&names, host, None), Ok(()), "{host}");
    }
    for host in [
        "evil.example.com",
        "192.0.2.7",
        "192.0.2.7:80",
        "other",
        "other:98",
        "localhost.evil.example.com",
        "evil@localhost",
        "localhost:",
        "localhost:x",
        "localhost:99999",
        "",
        "::1",
        "localhost/",
    ] {
        assert_eq!(check(&names, host, None), Err(Stranger::Host), "{host}");
    }
}

#[test]
fn a_page_is_one_of_this_machine_or_was_allowed() {
    let names = names(
        "192.0.2.7:8080",
        &[],
        &["https://app.example.com", "null", "editor-page://abc"],
    );
    for origin in [
        "http://localhost:3000",
        "https://127.0.0.1",
        "http://[::1]:6274",
        "http://192.0.2.7:8080",
        "https://app.example.com",
        "null",
        "editor-page://abc",
    ] {
        assert_eq!(check(&names, "localhost", Some(origin)), Ok(()), "{origin}");
    }
    for origin in [
        "https://evil.example.com",
        "http://app.example.com",
        "https://app.example.com:444",
        "https://app.example.com.evil.example.com",
        "http://localhost.evil.example.com",
        "http://localhost:3000/",
        "http://localhost:3000/x",
        "http://evil@localhost",
        "http://LOCALHOST",
        "localhost",
        "file://",
        "",
        "editor-page://abcd",
        "http://192.0.2.7",
    ] {
        let checked = check(&names, "localhost", Some(origin));
        assert_eq!(checked, Err(Stranger::Origin), "{origin}");
    }
}

#[test]
fn a_name_given_twice_is_none() {
    let names = names("127.0.0.1:8080", &[], &[]);
    for name in [HOST, ORIGIN] {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        headers.append(&name, HeaderValue::from_static("localhost"));
        headers.append(&name, HeaderValue::from_static("localhost"));
        assert!(names.check(&Uri::from_static("/"), &headers).is_err());
    }
    let missing = names.check(&Uri::from_static("/"), &HeaderMap::new());
    assert_eq!(missing, Err(Stranger::Host));
    let mut headers = HeaderMap::new();
    headers.insert(HOST, HeaderValue::from_static("localhost"));
    let elsewhere = Uri::from_static("http://evil.example.com/mcp");
    assert_eq!(names.check(&elsewhere, &headers), Err(Stranger::Host));
}

#[test]
fn what_is_no_name_can_not_be_allowed() {
    for text in [
        "*",
        "*.example.com",
        "",
        "a b",
        "http://x",
        "x:y",
        "a@b",
        "x/",
    ] {
        assert!(text.parse::<AllowedHost>().is_err(), "{text}");
    }
    for text in [
        "",
        "x",
        "https://",
        "https://x/y",
        "https://x/",
        "*",
        "https://*:x",
        "a://b/c",
    ] {
        assert!(text.parse::<AllowedOrigin>().is_err(), "{text}");
    }
}

proptest! {
    /// However a name is dressed up, only a loopback name or an allowed one
    /// gets in.
    #[test]
    fn strangers_stay_outside(
        prefix in "[a-z0-9.@:/\\[\\]-]{0,12}",
        known in prop::sample::select(vec!["localhost", "127.0.0.1", "[::1]"]),
        suffix in prop_oneof!["[a-z0-9.@:/\\[\\]+-]{0,12}", ":[+ -]?[0-9]{1,6}"],
    ) {
        let names = names("127.0.0.1:8080", &[], &[]);
        let host = format!("{prefix}{known}{suffix}");
        let port = suffix.strip_prefix(':').is_some_and(|port| {
            port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
        });
        let plain = prefix.is_empty() && (suffix.is_empty() || port);
        prop_assert_eq!(check(&names, &host, None).is_ok(), plain, "{}", host);
        let origin = format!("http://{host}");
        // The port of the scheme is never written in an origin.
        prop_assume!(!port || suffix.parse::<u16>() != Ok(80));
        if check(&names, "localhost", Some(&origin)).is_ok() {
            prop_assert!(plain, "{}", origin);
        }
    }
}
