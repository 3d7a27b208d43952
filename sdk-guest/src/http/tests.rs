#![allow(clippy::unwrap_used, reason = "a failing test may panic")]

use std::io::Read as _;

use super::*;

fn answer(status: u16, url: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
    Response {
        status,
        url: Url::parse(url).unwrap(),
        headers: (headers.iter())
            .map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_owned()))
            .collect(),
        body: Body(wire::Body(body.to_owned())),
    }
}

#[test]
fn addresses_that_no_request_can_go_to() {
    for (address, why) in [
        ("example.com", "is no address"),
        ("ftp://example.com/", "is not an address of http or https"),
        ("https://ada@example.com/", "has a user in it"),
        ("https://:secret@example.com/", "has a user in it"),
        ("https:///", "is no address"),
    ] {
        let error = Request::get(address).send().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Url, "{address}");
        assert!(error.message().contains(why), "{error}");
    }
    let error = Request::get("https://example.com/").send().unwrap_err();
    assert!(error.message().contains("outside of Palisade"), "{error}");
}

#[test]
fn a_body_is_read_up_to_its_limit_and_not_beyond() {
    let of = |body: &[u8]| answer(200, "https://a.test/", &[], body);
    assert_eq!(of(b"12345").bytes(5).unwrap(), b"12345");
    let error = of(b"123456").bytes(5).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert_eq!(
        error.to_string(),
        "the answer from a.test is larger than 5 bytes"
    );
    let long = vec![7; 200_000];
    assert_eq!(of(&long).bytes(200_000).unwrap(), long);
    let mut read = Vec::new();
    of(&long).into_body().read_to_end(&mut read).unwrap();
    assert_eq!(read, long);
    assert_eq!(of(b"\xff").text(9).unwrap_err().kind(), ErrorKind::Content);
    assert_eq!(of(b"[1]").json::<Vec<u8>>(9).unwrap(), [1]);
}

#[test]
fn headers_are_found_whatever_their_case_and_only_as_text() {
    let headers = [("Content-Type", " text/html "), ("x-odd", "a\u{1}b")];
    let response = answer(200, "https://a.test/", &headers, b"");
    assert_eq!(response.header("content-type"), Some("text/html"));
    assert_eq!(response.header("x-odd"), None);
    let request = Request::get("https://a.test")
        .header("A", "1")
        .header("a", "2");
    assert_eq!(request.headers, [("a".to_owned(), b"2".to_vec())]);
}

#[test]
fn redirects_lead_where_a_browser_would_go() {
    let to = |status: u16, location: &str| {
        let response = answer(
            status,
            "https://a.test/x/y?q#f",
            &[("location", location)],
            b"",
        );
        response.redirect().map(|next| next.map(String::from))
    };
    assert_eq!(to(302, "z"), Some(Ok("https://a.test/x/z#f".to_owned())));
    assert_eq!(
        to(308, "//b.test"),
        Some(Ok("https://b.test/#f".to_owned()))
    );
    assert_eq!(to(301, "/#g"), Some(Ok("https://a.test/#g".to_owned())));
    assert_eq!(to(200, "z"), None);
    assert_eq!(to(304, "z"), None);
    for bad in [
        "ftp://a.test/",
        "file:///etc/passwd",
        "https://u@b.test/",
        "http://[1",
    ] {
        let error = to(302, bad).unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Redirects, "{bad}");
    }
}

#[test]
fn what_is_sent_on_is_what_may_be() {
    let after = |status: u16, to: &str| {
        let mut request = Request::post("https://a.test/")
            .header("authorization", "secret")
            .header("x-other", "1")
            .json(&serde_json::json!({}));
        let [from, to] = ["https://a.test/", to].map(|url| Url::parse(url).unwrap());
        redirect::change(&mut request, status, &from, &to);
        let names: Vec<_> = request.headers.into_iter().map(|header| header.0).collect();
        (request.method, request.body.is_some(), names.join(" "))
    };
    let get = |names: &str| ("GET".to_owned(), false, names.to_owned());
    assert_eq!(after(302, "https://a.test/b"), get("authorization x-other"));
    assert_eq!(after(303, "https://a.test:444/"), get("x-other"));
    assert_eq!(after(301, "http://a.test/"), get("x-other"));
    let (method, body, names) = after(307, "https://b.test/");
    assert_eq!(
        (&*method, body, &*names),
        ("POST", true, "x-other content-type")
    );
}
