//! Who can't prove who they are is not spoken to.

use palisade_tests::internet::{Identity, Internet, Web, ok};
use palisade_tests::stage::open;

use super::get;

#[test]
fn a_certificate_is_looked_at() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let stranger = Identity::new();
    for (tls, plain, why) in [
        (
            internet.identity.of("other.test", false, &[]),
            "its certificate is for another name",
            "not valid for name",
        ),
        (
            internet.identity.of("api.test", true, &[]),
            "its certificate has expired",
            "expired",
        ),
        (
            stranger.of("api.test", false, &[]),
            "signed by nobody this machine trusts; SSL_CERT_FILE names more",
            "UnknownIssuer",
        ),
    ] {
        let server = Web::secure(tls, |_, pipe| ok(pipe, "reached"));
        let url = format!("https://api.test:{}", server.port());
        let mut session = open(&internet.run(&[&format!("private:{url}")]));
        let said = get(&mut session, &url).unwrap_err();
        assert!(
            said.starts_with("api.test could not be spoken to in TLS: "),
            "{said}"
        );
        assert!(said.contains(plain) && said.contains(why), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(server.asked().is_empty(), "nothing was said to it");
    }
}

#[test]
fn who_speaks_no_tls_gets_no_request() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(|_, pipe| ok(pipe, "reached"));
    let url = format!("https://api.test:{}", server.port());
    let mut session = open(&internet.run(&[&format!("private:{url}")]));
    // It waits for the end of a line, and is not waited for.
    get(&mut session, &url).unwrap_err();
    assert!(server.asked().is_empty());
}

#[test]
fn http_2_is_spoken_on_one_connection() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::http2(internet.identity.of("api.test", false, &["h2"]));
    let url = format!("https://api.test:{}", server.port());
    let mut session = open(&internet.run(&[&format!("private:{url}")]));
    for _ in 0..4 {
        let said = get(&mut session, &format!("{url}/x")).unwrap();
        assert!(said.contains(&format!("GET {url}/x")), "{said}");
    }
    assert_eq!(server.connections(), 1);
}
