//! A redirect is an answer: each hop is a request of the guest's own.

use palisade_tests::internet::{Internet, Web};
use palisade_tests::stage::open;

use super::{get, not_permitted};

#[test]
fn none_is_followed_and_none_leads_to_a_refused_place() {
    let internet = Internet::new();
    internet.names.here("api.test");
    internet.names.here("evil.test");
    let other = Web::plain(|_, pipe| palisade_tests::internet::ok(pipe, "reached"));
    let refused = [
        format!("http://evil.test:{}/", other.port()),
        format!("http://127.0.0.1:{}/", other.port()),
        format!("http://[::1]:{}/", other.port()),
        format!("http://localhost:{}/", other.port()),
        format!("http://api.test:{}/start", other.port()),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://[fd00:ec2::254]/".to_owned(),
        "http://2852039166/".to_owned(),
        "https://api.test/".to_owned(),
        "http://user:pw@api.test/".to_owned(),
    ];
    for place in refused {
        let location = place.clone();
        let server = Web::plain(move |_, pipe| {
            let head =
                format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
            pipe.write_all(head.as_bytes()).is_ok()
        });
        let start = format!("http://api.test:{}/start", server.port());
        let mut session = open(&internet.run(&[&format!("private:{start}")]));
        let said = get(&mut session, &start).unwrap();
        assert!(said.starts_with("302\n"), "{said}");
        assert!(said.contains(&format!("location: {place}")), "{said}");
        get(&mut session, &place).expect_err(&place);
        // Nor to another path of the same server.
        not_permitted(
            &mut session,
            &format!("http://api.test:{}/admin", server.port()),
        );
        assert_eq!(server.asked().len(), 1, "{place}");
    }
    assert_eq!(other.connections(), 0);
}

/// From https to http, with everything else the same.
#[test]
fn nor_to_the_same_place_without_tls() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let tls = internet.identity.of("api.test", false, &["http/1.1"]);
    let server = Web::secure(tls, |asked, pipe| {
        let host = asked
            .head
            .lines()
            .find_map(|line| line.strip_prefix("host: "));
        let head = format!(
            "HTTP/1.1 301 Moved\r\nlocation: http://{}/\r\ncontent-length: 0\r\n\r\n",
            host.unwrap_or_default()
        );
        pipe.write_all(head.as_bytes()).is_ok()
    });
    let url = format!("https://api.test:{}/", server.port());
    let rule = format!("private:https://api.test:{}", server.port());
    let mut session = open(&internet.run(&[&rule]));
    let said = get(&mut session, &url).unwrap();
    let location = format!("http://api.test:{}/", server.port());
    assert!(said.contains(&location), "{said}");
    not_permitted(&mut session, &location);
}
