//! What gets out, and what does not, against real servers on loopback.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod stage;

use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::{Request, Response};
use palisade_net::{EgressLimits, NetError, Timeouts};

use stage::{Body, Names, echo, egress, get, plain, secure, with_limits};

#[tokio::test]
async fn what_is_granted_is_reached() {
    let names = Names::default();
    names.say("api.test", &[&["127.0.0.1"]]);
    let (server, _) = plain(echo).await;
    let rules = format!(
        "[[network]]\nto = \"http://api.test:{}\"\nprivate = true",
        server.port()
    );
    let egress = egress(&rules, names.serve().await, None);
    let (status, said) = get(&egress, &format!("http://api.test:{}/a?b=c", server.port()))
        .await
        .unwrap();
    assert_eq!(status, 200);
    assert!(said.starts_with("GET /a?b=c\n"), "{said}");
    assert!(
        said.contains(&format!("host: api.test:{}\n", server.port())),
        "{said}"
    );
}

#[tokio::test]
async fn over_tls_in_http_2() {
    let names = Names::default();
    names.say("api.test", &[&["127.0.0.1"]]);
    let (server, connections, trust) = secure(echo, &["api.test"]).await;
    let port = server.port();
    let rules = format!("[[network]]\nto = \"https://api.test:{port}\"\nprivate = true");
    let egress = egress(&rules, names.serve().await, Some(trust));
    for _ in 0..3 {
        let (status, said) = get(&egress, &format!("https://api.test:{port}/"))
            .await
            .unwrap();
        assert_eq!(status, 200);
        assert!(
            said.starts_with(&format!("GET https://api.test:{port}/\n")),
            "{said}"
        );
    }
    assert_eq!(
        connections.load(Ordering::Relaxed),
        1,
        "a connection is used again"
    );
}

#[tokio::test]
async fn a_certificate_for_another_name_is_not_believed() {
    let names = Names::default();
    names.say("api.test", &[&["127.0.0.1"]]);
    let (server, _, trust) = secure(echo, &["other.test"]).await;
    let url = format!("https://api.test:{}", server.port());
    let rules = format!("[[network]]\nto = \"{url}\"\nprivate = true");
    let egress = egress(&rules, names.serve().await, Some(trust));
    let error = get(&egress, &url).await.unwrap_err();
    assert!(matches!(error, NetError::Tls { .. }), "{error:?}");
}

/// Nothing is even asked about what no rule is for.
#[tokio::test]
async fn what_is_not_granted_is_not_looked_up() {
    let names = Names::default();
    names.say("evil.test", &[&["127.0.0.1"]]);
    let egress = egress(
        "[[network]]\nto = \"http://api.test\"",
        names.serve().await,
        None,
    );
    for url in [
        "http://evil.test/",
        "https://api.test/",
        "http://api.test:81/",
        "http://127.0.0.1/",
    ] {
        let error = get(&egress, url).await.unwrap_err();
        assert!(
            matches!(error, NetError::Destination(_)),
            "{url}: {error:?}"
        );
        assert!(error.is_denied());
        assert!(error.to_string().starts_with("not permitted: "), "{error}");
    }
    assert_eq!(names.asked(), 0);
}

/// A name that is granted leads to the public internet, or nowhere.
#[tokio::test]
async fn a_granted_name_does_not_lead_inside() {
    let names = Names::default();
    let (server, connections) = plain(echo).await;
    let port = server.port();
    let rules = format!("[[network]]\nto = \"http://api.test:{port}\"");
    let egress = egress(&rules, names.serve().await, None);
    for address in [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "::1",
        "::ffff:127.0.0.1",
        "fd00::1",
        "64:ff9b::7f00:1",
        "0.0.0.0",
        "224.0.0.1",
    ] {
        names.say("api.test", &[&[address]]);
        let error = get(&egress, &format!("http://api.test:{port}/"))
            .await
            .unwrap_err();
        assert!(
            matches!(error, NetError::Address { .. }),
            "{address}: {error:?}"
        );
    }
    assert_eq!(connections.load(Ordering::Relaxed), 0);
}

/// `private` opens private networks, and not what clouds answer at.
#[tokio::test]
async fn private_does_not_mean_metadata() {
    let names = Names::default();
    let rules = "[[network]]\nto = \"http://api.test\"\nprivate = true";
    let egress = egress(rules, names.serve().await, None);
    for address in [
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "fd00:ec2::254",
        "0.0.0.0",
        "ff02::1",
    ] {
        names.say("api.test", &[&[address]]);
        let error = get(&egress, "http://api.test/").await.unwrap_err();
        assert!(
            matches!(error, NetError::Address { .. }),
            "{address}: {error:?}"
        );
    }
}

/// What is looked at is what is connected to: another answer a moment later
/// changes nothing.
#[tokio::test]
async fn rebinding_comes_too_late() {
    let names = Names::default();
    names.say("api.test", &[&["192.0.2.1"], &["127.0.0.1"]]);
    let (server, connections) = plain(echo).await;
    let rules = format!("[[network]]\nto = \"http://api.test:{}\"", server.port());
    let egress = egress(&rules, names.serve().await, None);
    for _ in 0..4 {
        let error = get(&egress, &format!("http://api.test:{}/", server.port()))
            .await
            .unwrap_err();
        assert!(matches!(error, NetError::Address { .. }), "{error:?}");
    }
    assert_eq!(connections.load(Ordering::Relaxed), 0);
}

fn redirect(_: Request<hyper::body::Incoming>) -> Response<Body> {
    let answer = Response::builder().status(302);
    answer
        .header("location", "http://evil.test/")
        .body(Body::default())
        .unwrap()
}

#[tokio::test]
async fn a_redirect_is_an_answer() {
    let names = Names::default();
    names.say("api.test", &[&["127.0.0.1"]]);
    let (server, _) = plain(redirect).await;
    let url = format!("http://api.test:{}", server.port());
    let rules = format!("[[network]]\nto = \"{url}\"\nprivate = true");
    let egress = egress(&rules, names.serve().await, None);
    assert_eq!(get(&egress, &url).await.unwrap().0, 302);
}

/// A guest does not say to whom it speaks in another way than by its address.
#[tokio::test]
async fn headers_of_the_connection_are_the_hosts() {
    let (server, _) = plain(echo).await;
    let url = format!("http://localhost:{}", server.port());
    let rules = format!("[[network]]\nto = \"{url}\"");
    let egress = egress(&rules, Names::default().serve().await, None);
    let request = Request::get(&url)
        .header("host", "evil.test")
        .header("connection", "x-mine, keep-alive")
        .header("x-mine", "1")
        .header("x-other", "2")
        .header("proxy-authorization", "Basic eA==")
        .header("te", "trailers")
        .header("upgrade", "h2c")
        .body(Body::default())
        .unwrap();
    let answer = egress.send(request, Timeouts::default()).await.unwrap();
    let said = http_body_util::BodyExt::collect(answer.into_body())
        .await
        .unwrap()
        .to_bytes();
    let said = String::from_utf8(said.into()).unwrap();
    for gone in [
        "evil.test",
        "x-mine",
        "proxy-authorization",
        "te:",
        "upgrade",
    ] {
        assert!(!said.contains(gone), "{gone}: {said}");
    }
    assert!(said.contains("x-other: 2"), "{said}");
}

fn large(_: Request<hyper::body::Incoming>) -> Response<Body> {
    Response::new(Body::from(vec![b'x'; 100_000]))
}

#[tokio::test]
async fn an_answer_is_no_larger_than_it_may_be() {
    let (server, _) = plain(large).await;
    let url = format!("http://127.0.0.1:{}", server.port());
    let rules = format!("[[network]]\nto = \"{url}\"");
    let names = Names::default().serve().await;
    let limits = EgressLimits {
        body: 99_999,
        ..EgressLimits::default()
    };
    let egress = with_limits(&rules, names, None, limits, Timeouts::default());
    let error = get(&egress, &url).await.unwrap_err();
    assert!(
        matches!(error, NetError::TooLarge { limit: 99_999, .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn only_so_many_at_once() {
    let (server, _) = plain(large).await;
    let url = format!("http://127.0.0.1:{}", server.port());
    let rules = format!("[[network]]\nto = \"{url}\"");
    let names = Names::default().serve().await;
    let limits = EgressLimits {
        requests: 1,
        ..EgressLimits::default()
    };
    let egress = with_limits(&rules, names, None, limits, Timeouts::default());
    let request = || Request::get(&url).body(Body::default()).unwrap();
    let open = egress.send(request(), Timeouts::default()).await.unwrap();
    let error = egress
        .send(request(), Timeouts::default())
        .await
        .err()
        .unwrap();
    assert!(matches!(error, NetError::Busy(1)), "{error:?}");
    drop(open);
    assert!(egress.send(request(), Timeouts::default()).await.is_ok());
}

/// A server that takes connections and says nothing.
#[tokio::test]
async fn nobody_is_waited_for_for_ever() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
    let rules = format!("[[network]]\nto = \"{url}\"");
    let names = Names::default().serve().await;
    let short = Duration::from_millis(50);
    let timeouts = Timeouts {
        connect: short,
        first_byte: short,
        idle: short,
    };
    let egress = with_limits(&rules, names, None, EgressLimits::default(), timeouts);
    let error = get(&egress, &url).await.unwrap_err();
    assert!(matches!(error, NetError::Timeout { .. }), "{error:?}");
}

#[tokio::test]
async fn a_request_is_no_larger_than_it_may_be() {
    let (server, _) = plain(echo).await;
    let url = format!("http://127.0.0.1:{}", server.port());
    let rules = format!("[[network]]\nto = \"{url}\"");
    let limits = EgressLimits {
        body: 99_999,
        ..EgressLimits::default()
    };
    let names = Names::default().serve().await;
    let egress = with_limits(&rules, names, None, limits, Timeouts::default());
    for (length, fits) in [(99_999, true), (100_000, false)] {
        let body = Body::from(vec![b'x'; length]);
        let request = Request::post(&url).body(body).unwrap();
        let sent = egress.send(request, Timeouts::default()).await;
        match sent {
            Ok(_) => assert!(fits),
            Err(NetError::TooLarge { limit: 99_999, .. }) => assert!(!fits),
            Err(error) => panic!("{length}: {error:?}"),
        }
    }
}

/// However many places there are, idle connections take no room from others.
#[tokio::test]
async fn idle_connections_give_way() {
    let mut urls = Vec::new();
    let mut rules = String::new();
    for _ in 0..8 {
        let (server, _) = plain(echo).await;
        let url = format!("http://127.0.0.1:{}", server.port());
        rules.push_str(&format!("[[network]]\nto = \"{url}\"\n"));
        urls.push(url);
    }
    let limits = EgressLimits {
        requests: 1,
        connections: 2,
        ..EgressLimits::default()
    };
    let names = Names::default().serve().await;
    let egress = with_limits(&rules, names, None, limits, Timeouts::default());
    for url in urls.iter().chain(&urls) {
        let (status, _) = get(&egress, url).await.unwrap();
        assert_eq!(status, 200);
    }
}

/// One spelling is looked at, and the same one is sent.
#[tokio::test]
async fn a_host_is_sent_as_it_was_read() {
    let (server, _) = plain(echo).await;
    let port = server.port();
    let rules = format!("[[network]]\nto = \"http://127.0.0.1:{port}\"");
    let egress = egress(&rules, Names::default().serve().await, None);
    for spelling in ["127.1", "0x7f000001", "[::ffff:127.0.0.1]"] {
        let url = format!("http://{spelling}:{port}/");
        let (_, said) = get(&egress, &url).await.unwrap();
        assert!(
            said.contains(&format!("host: 127.0.0.1:{port}\n")),
            "{said}"
        );
    }
}
