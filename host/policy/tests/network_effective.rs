//! What holds of the network: what is granted and, where there is a manifest,
//! asked for as well.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use palisade_policy::{
    AllowFlag, Authority, Decision, Denied, Grant, Host, Manifest, NetworkRules, Remedy, RowKind,
    Scheme, Special, Target, intersect,
};

fn rules(rules: &[&str]) -> String {
    let mut flags: Vec<_> = Vec::new();
    for rule in rules {
        let rule = rule.parse::<AllowFlag>().unwrap().0;
        // Twice the same is an error of its own, however it is written.
        if !flags.contains(&rule) {
            flags.push(rule);
        }
    }
    flags
        .into_iter()
        .map(|rule| {
            let list = |name: &str, set: &std::collections::BTreeSet<String>| match set.is_empty() {
                true => String::new(),
                false => format!("{name} = {set:?}\n")
                    .replace('{', "[")
                    .replace('}', "]"),
            };
            format!(
                "[[network]]\nto = \"{}\"\nprivate = {}\n{}{}",
                rule.to,
                rule.private,
                list("methods", &rule.methods),
                list("paths", &rule.paths)
            )
        })
        .collect()
}

fn decide(asked: Option<&[&str]>, granted: &[&str]) -> Decision {
    let manifest = asked.map(|asked| {
        Manifest::parse(&format!("[plugin]\nname = \"a\"\n{}", rules(asked))).unwrap()
    });
    let grant = Grant::parse(&rules(granted)).unwrap();
    intersect(manifest.as_ref(), &grant).unwrap()
}

fn rows(decision: &Decision) -> Vec<String> {
    let dash = |cell: &Option<String>| cell.clone().unwrap_or_else(|| "—".into());
    (decision.rows.iter())
        .filter(|row| row.kind == RowKind::Network)
        .map(|row| {
            let cells = [&row.asked, &row.granted, &row.effective, &row.why];
            cells.map(dash).join(" | ")
        })
        .collect()
}

fn ask(rules: &NetworkRules, request: &str) -> Result<(), Denied> {
    with_target(request, |target| rules.decide(target)).map(drop)
}

fn with_target<T>(request: &str, then: impl FnOnce(&Target<'_>) -> T) -> T {
    let (method, url) = request.split_once(' ').unwrap();
    let (scheme, rest) = url.split_once("://").unwrap();
    let (authority, path) = rest
        .find('/')
        .map_or((rest, "/"), |slash| rest.split_at(slash));
    let scheme = if scheme == "http" {
        Scheme::Http
    } else {
        Scheme::Https
    };
    let authority: Authority = authority.parse().unwrap();
    let target = Target::http(scheme, authority, method, path);
    then(&target)
}

#[test]
fn a_wide_grant_gives_what_is_asked_for() {
    let decision = decide(
        Some(&["https://api.example.com", "https://other.test"]),
        &["https://*.example.com", "https://unasked.test"],
    );
    assert_eq!(
        rows(&decision),
        [
            "https://api.example.com | https://*.example.com | https://api.example.com | asks for less",
            "https://other.test | — | — | not granted",
            "— | https://unasked.test | — | not asked for",
        ]
    );
    let rules = decision.effective.network.rules();
    assert_eq!(ask(&rules, "GET https://api.example.com/"), Ok(()));
    assert_eq!(
        ask(&rules, "GET https://cdn.example.com/"),
        Err(Denied::NotAsked)
    );
    assert_eq!(
        ask(&rules, "GET https://other.test/"),
        Err(Denied::Destination)
    );
    assert_eq!(
        ask(&rules, "GET https://unasked.test/"),
        Err(Denied::Destination)
    );
    let host = |name: &str| Host::Name(name.into());
    assert!(rules.names(&host("api.example.com")));
    assert!(!rules.names(&host("cdn.example.com")), "not even looked up");
    assert!(!rules.names(&host("unasked.test")));
}

#[test]
fn a_wide_request_gives_what_is_granted() {
    let decision = decide(
        Some(&["https://*.example.com"]),
        &[
            "GET https://a.example.com/v1/**",
            "POST https://b.example.com",
        ],
    );
    assert_eq!(
        rows(&decision),
        [
            "https://*.example.com | GET https://a.example.com, paths /v1/** | \
             GET https://a.example.com, paths /v1/** | grant is narrower",
            "https://*.example.com | POST https://b.example.com | POST https://b.example.com | \
             grant is narrower",
        ]
    );
}

#[test]
fn methods_paths_and_private_addresses_need_both() {
    let decision = decide(
        Some(&["GET,HEAD private:https://a.test/v1/**"]),
        &["GET,POST https://a.test/*/x"],
    );
    assert_eq!(
        rows(&decision),
        [
            "GET, HEAD https://a.test, paths /v1/**, private addresses too | \
             GET, POST https://a.test, paths /*/x | \
             GET https://a.test, paths /v1/** that are also in /*/x | what both allow"
        ]
    );
    let rules = decision.effective.network.rules();
    assert_eq!(ask(&rules, "GET https://a.test/v1/x"), Ok(()));
    assert_eq!(
        ask(&rules, "GET https://a.test/v2/x"),
        Err(Denied::NotAsked)
    );
    assert_eq!(ask(&rules, "GET https://a.test/v1/y"), Err(Denied::Path));
    assert_eq!(
        ask(&rules, "POST https://a.test/v1/x"),
        Err(Denied::NotAsked)
    );
    assert_eq!(ask(&rules, "HEAD https://a.test/v1/x"), Err(Denied::Method));
    let allowed = rules.destination(Scheme::Https, &Host::Name("a.test".into()), 443);
    assert!(!allowed.unwrap().private);
}

#[test]
fn nothing_in_common_is_nothing() {
    for (asked, granted) in [
        ("GET https://a.test", "POST https://a.test"),
        ("https://a.test", "http://a.test:443"),
        ("https://a.test", "https://*.a.test"),
        ("https://*.a.test", "https://*.b.test"),
        ("tcp://a.test:1", "udp://a.test:1"),
    ] {
        let decision = decide(Some(&[asked]), &[granted]);
        assert!(decision.effective.network.is_empty(), "{asked} {granted}");
        let rules = decision.effective.network.rules();
        assert!(rules.is_empty(), "{asked} {granted}");
    }
}

#[test]
fn what_would_allow_it_is_a_flag_that_does() {
    let decision = decide(
        None,
        &["GET https://api.test/v1/*", "private:http://inside.test"],
    );
    let rules = decision.effective.network.rules();
    for (request, private, flag) in [
        (
            "GET https://cdn.test/logo.png",
            false,
            Some("--allow 'GET https://cdn.test'"),
        ),
        (
            "POST https://api.test/v1/x",
            false,
            Some("--allow 'POST https://api.test'"),
        ),
        (
            "GET https://api.test/v2/x",
            false,
            Some("--allow 'GET https://api.test/v2/x'"),
        ),
        ("GET https://api.test/v2/%2e%2e/x", false, None),
        ("GET https://api.test/v2/*", false, None),
        (
            "GET https://api.test/v1/x",
            true,
            Some("--allow 'GET private:https://api.test'"),
        ),
        (
            "GET http://[::1]:81/",
            false,
            Some("--allow 'GET http://[::1]:81'"),
        ),
        ("GET http://inside.test/", true, None),
        ("CONNECT https://cdn.test/", false, None),
    ] {
        let (method, url) = request.split_once(' ').unwrap();
        let (scheme, rest) = url.split_once("://").unwrap();
        let scheme = if scheme == "http" {
            Scheme::Http
        } else {
            Scheme::Https
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap());
        let target = Target::http(scheme, authority.parse().unwrap(), method, path);
        let remedy = rules.remedy(&target, private.then_some(Special::Private));
        assert_eq!(remedy.flag(None).as_deref(), flag, "{request}");
        if let Remedy::Allow(allow) = &remedy {
            let more = [allow.0.clone()];
            let allowed = NetworkRules::new(&more).decide(&target).unwrap();
            assert_eq!(allowed.private, private, "{request}");
            assert_eq!(allow.to_string().parse::<AllowFlag>().unwrap(), *allow);
        }
    }
    let target = Target::http(Scheme::Https, "x.test".parse().unwrap(), "GET", "/");
    let remedy = rules.remedy(&target, None);
    let flag = remedy.flag(Some("notes")).unwrap();
    assert_eq!(flag, "--allow 'notes/GET https://x.test'");
}

#[test]
fn what_is_not_asked_for_no_flag_allows() {
    let decision = decide(Some(&["https://a.test"]), &["private:https://a.test"]);
    let rules = decision.effective.network.rules();
    let target = Target::http(Scheme::Https, "a.test".parse().unwrap(), "GET", "/");
    assert_eq!(
        rules.remedy(&target, Some(Special::Private)),
        Remedy::Manifest
    );
    // Nor what nobody has granted, which would not hold either.
    for url in ["b.test", "a.test:444"] {
        let target = Target::http(Scheme::Https, url.parse().unwrap(), "GET", "/");
        assert_eq!(rules.remedy(&target, None), Remedy::Manifest, "{url}");
    }
}

#[test]
fn rules_as_flags() {
    for (text, read) in [
        ("https://API.example.com", "https://api.example.com"),
        (
            "GET https://a.test/v1/**",
            "GET https://a.test, paths /v1/**",
        ),
        (
            "GET,POST https://a.test:8443",
            "GET, POST https://a.test:8443",
        ),
        (
            "private:tcp://db:5432",
            "tcp://db:5432, private addresses too",
        ),
        ("https://*.a.test", "https://*.a.test"),
        ("udp://[::1]:53", "udp://[::1]:53"),
        // As it comes from a text that is lined up.
        ("GET,PUT  \t https://a.test", "GET, PUT https://a.test"),
        (" https://a.test\t", "https://a.test"),
    ] {
        let flag: AllowFlag = text.parse().unwrap();
        assert_eq!(flag.0.to_string(), read, "{text}");
        assert_eq!(
            flag.to_string().parse::<AllowFlag>().unwrap(),
            flag,
            "{text}"
        );
    }
    for (text, why) in [
        ("", "which has no scheme"),
        ("api.example.com", "which has no scheme"),
        ("ftp://a.test", "whose scheme is not known"),
        ("tcp://a.test", "which has no port"),
        ("https://user@a.test", "which has a user in it"),
        (
            "https://a.test/",
            "ends in a slash, which is one page alone",
        ),
        ("https://a.test?x", "goes on after the host"),
        ("https://a.test/x?y", "characters that stand in no path"),
        ("https://a.test/a/../b", "matches nothing"),
        ("get https://a.test", "is not a method in upper case"),
        ("GET,,PUT https://a.test", "is not a method in upper case"),
        ("CONNECT https://a.test", "is never sent"),
        ("GET tcp://a.test:1", "mean nothing to tcp and udp"),
        ("tcp://a.test:1/x", "mean nothing to tcp and udp"),
        ("https://127.1", "not four plain numbers"),
        (
            "private:GET https://a.test",
            "is not a method in upper case",
        ),
    ] {
        let error = text.parse::<AllowFlag>().unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
        assert!(
            error.contains("--allow") || error.contains("leave it out"),
            "{error}"
        );
    }
}

/// A plugin may ask for any host; which ones is said by the grant.
#[test]
fn what_is_asked_for_anywhere_is_what_is_granted() {
    let asked = ["GET private:https://*:*", "GET private:http://*:*"];
    let decision = decide(
        Some(&asked),
        &[
            "https://a.test:8443",
            "private:https://b.test",
            "http://127.0.0.1:8080",
            "tcp://a.test:22",
        ],
    );
    assert_eq!(
        rows(&decision),
        [
            "GET https://*:*, private addresses too | https://a.test:8443 | GET https://a.test:8443 | what both allow",
            "GET https://*:*, private addresses too | https://b.test, private addresses too | GET https://b.test, private addresses too | what both allow",
            "GET http://*:*, private addresses too | http://127.0.0.1:8080 | GET http://127.0.0.1:8080 | what both allow",
            "— | tcp://a.test:22 | — | not asked for",
        ]
    );
    let rules = decision.effective.network.rules();
    let host = |name: &str| name.parse::<Authority>().unwrap().host;
    let allowed = |scheme, name: &str, port| rules.destination(scheme, &host(name), port);
    // An address that is granted by name is one that was asked for.
    let own = allowed(Scheme::Http, "127.0.0.1", 8080).unwrap();
    assert!(own.by_address && !own.private);
    let private = allowed(Scheme::Https, "b.test", 443).unwrap();
    assert!(private.private && !private.by_address);
    assert!(!allowed(Scheme::Https, "a.test", 8443).unwrap().private);
    assert!(allowed(Scheme::Https, "a.test", 443).is_none());
    assert!(rules.lookup(&host("a.test")).is_some() && rules.names(&host("b.test")));
    assert!(rules.lookup(&host("c.test")).is_none());
    assert!(rules.speaks(Scheme::Http) && !rules.speaks(Scheme::Tcp));
}

/// A grant of any host is the public part of what is asked for.
#[test]
fn what_is_granted_anywhere_is_what_is_asked_for() {
    let decision = decide(
        Some(&["https://api.test:8443", "private:https://10.0.0.1"]),
        &["https://*:*"],
    );
    assert_eq!(
        rows(&decision),
        [
            "https://api.test:8443 | https://*:* | https://api.test:8443 | asks for less",
            "https://10.0.0.1, private addresses too | https://*:* | https://10.0.0.1 | what both allow",
        ]
    );
    let rules = decision.effective.network.rules();
    let host = |name: &str| name.parse::<Authority>().unwrap().host;
    assert!(rules.names(&host("api.test")) && !rules.names(&host("other.test")));
    let address = rules
        .destination(Scheme::Https, &host("10.0.0.1"), 443)
        .unwrap();
    assert!(!address.by_address && !address.private);
    let everywhere = decide(None, &["https://*"]).effective.network.rules();
    assert!(everywhere.names(&host("whatever.test")));
    assert!(ask(&everywhere, "GET https://whatever.test/x").is_ok());
}

fn rule() -> impl proptest::strategy::Strategy<Value = AllowFlag> {
    use proptest::strategy::Strategy as _;
    let text = "(GET |POST,PUT )?(private:)?https?://((\\*\\.)?(a\\.)?(b|c)\\.test(:81)?|\\*(:\\*|:81)?)(/(a|\\*|\\*\\*)){0,3}";
    proptest::string::string_regex(text)
        .unwrap()
        .prop_filter_map("a rule", |text| text.parse::<AllowFlag>().ok())
}

proptest::proptest! {
    /// What is shown and kept of two sets of rules is all that both allow.
    #[test]
    fn a_request_holds_where_both_allow_it(
        asked in proptest::collection::vec(rule(), 0..4),
        granted in proptest::collection::vec(rule(), 0..4),
        request in "(GET|PUT) https?://(a\\.)?(b|c)\\.test(:81)?(/(a|b)){1,3}",
    ) {
        let texts = |flags: &[AllowFlag]| -> Vec<String> {
            let mut texts: Vec<_> = flags.iter().map(ToString::to_string).collect();
            texts.sort();
            texts.dedup();
            texts
        };
        let (asked, granted) = (texts(&asked), texts(&granted));
        let [asked, granted] = [&asked, &granted].map(|all| all.iter().map(String::as_str).collect::<Vec<_>>());
        let both = decide(Some(&asked), &granted).effective.network.rules();
        let alone = |rules: &[&str]| decide(None, rules).effective.network.rules();
        let expected = ask(&alone(&asked), &request).is_ok() && ask(&alone(&granted), &request).is_ok();
        proptest::prop_assert_eq!(ask(&both, &request).is_ok(), expected);
    }

    /// What is proposed where something is refused allows it, and where it is said
    /// that nothing does, nothing does.
    #[test]
    fn what_is_proposed_helps(
        asked in proptest::option::of(proptest::collection::vec(rule(), 0..4)),
        granted in proptest::collection::vec(rule(), 0..4),
        request in "(GET|PUT) https?://(a\\.)?(b|c)\\.test(:81)?(/(a|b)){1,3}",
        leads_to in proptest::option::of(proptest::sample::select(vec![Special::Private, Special::Metadata])),
    ) {
        let texts = |flags: &[AllowFlag]| {
            let mut texts: Vec<_> = flags.iter().map(ToString::to_string).collect();
            texts.sort();
            texts.dedup();
            texts
        };
        let asked = asked.as_deref().map(texts);
        let asked = asked.as_ref().map(|all| all.iter().map(String::as_str).collect::<Vec<_>>());
        let granted = texts(&granted);
        let mut granted: Vec<_> = granted.iter().map(String::as_str).collect();
        let rules = |granted: &[&str]| decide(asked.as_deref(), granted).effective.network.rules();
        let holds = |rules: &NetworkRules| {
            with_target(&request, |target| rules.decide(target)).is_ok_and(|allowed| allowed.admits(leads_to))
        };
        let now = rules(&granted);
        proptest::prop_assume!(!holds(&now));
        match with_target(&request, |target| now.remedy(target, leads_to)) {
            Remedy::Allow(flag) => {
                let flag = flag.to_string();
                granted.push(&flag);
                proptest::prop_assert!(holds(&rules(&granted)), "{}", flag);
            }
            _ => {
                let all = ["private:https://*:*", "private:http://*:*"];
                granted.extend(all);
                proptest::prop_assert!(!holds(&rules(&granted)));
            }
        }
    }

    #[test]
    fn a_flag_reads_back_as_itself(flag in rule()) {
        proptest::prop_assert_eq!(flag.to_string().parse::<AllowFlag>().unwrap(), flag);
    }
}
