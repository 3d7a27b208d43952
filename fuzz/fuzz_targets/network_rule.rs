//! A rule, a line break, and a request: only what a rule's own destination is
//! can be let through, and no path that means another one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_policy::{Authority, Grant, NetworkRules, Scheme, Target};

fuzz_target!(|text: &str| {
    let Some((rule, request)) = text.split_once('\n') else {
        return;
    };
    let Ok(grant) = Grant::parse(&format!("[[network]]\nto = {rule:?}\npaths = [\"/v1/**\"]"))
    else {
        return;
    };
    let (authority, path) = match request.find('/') {
        Some(slash) => request.split_at(slash),
        None => (request, "/"),
    };
    let Ok(authority) = authority.parse::<Authority>() else {
        return;
    };
    let to = &grant.network[0].to;
    let host = authority.host.to_string();
    let target = Target::http(Scheme::Https, authority, "GET", path);
    if NetworkRules::new(&grant.network).decide(&target).is_ok() {
        match to.host.strip_prefix("*.") {
            Some(parent) => assert!(host.ends_with(&format!(".{parent}"))),
            None => assert!(to.host == "*" || to.host == host),
        }
        let any_port = to.host == "*" && to.port == 0;
        assert_eq!(to.scheme, Scheme::Https);
        assert!(any_port || to.port == target.port);
        let up = |name: &str| name.to_ascii_lowercase().replace("%2e", ".") == "..";
        assert!(!path.split('/').any(up), "{path}");
    }
});
