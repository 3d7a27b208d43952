//! Secrets: what is asked for, granted, and comes of both.

#![allow(clippy::unwrap_used, reason = "tests")]

use palisade_policy::{
    Authority, Decision, Grant, Manifest, Scheme, SecretFlag, SecretGrant, SecretSource, SecretUse,
    compare,
};

const API: &str = "inject = { to = \"https://api.example.com\", header = \"authorization\", format = \"Bearer {}\" }";

fn manifest(secrets: &str) -> Manifest {
    Manifest::parse(&format!("plugin.name = \"p\"\n{secrets}")).unwrap()
}

fn secret(lines: &str) -> String {
    format!("[[secrets]]\nname = \"TOKEN\"\n{lines}\n")
}

fn decide(asked: &str, granted: &str) -> Decision {
    compare(Some(&manifest(asked)), &Grant::parse(granted).unwrap()).unwrap()
}

/// The rows about secrets.
fn rows(decision: &Decision) -> Vec<String> {
    let text = |cell: &Option<String>| cell.clone().unwrap_or_else(|| "—".into());
    (decision.rows.iter())
        .filter(|row| row.secret.is_some())
        .map(|row| {
            assert_eq!(row.what, format!("secret {}", row.secret.as_ref().unwrap()));
            format!(
                "{} | {} | {} | {}",
                text(&row.asked),
                text(&row.granted),
                text(&row.effective),
                text(&row.why)
            )
        })
        .collect()
}

#[test]
fn asking_is_not_getting() {
    let decision = decide(&secret(API), "");
    assert!(decision.effective.secrets.is_empty());
    assert_eq!(
        rows(&decision),
        ["for https://api.example.com (authorization: Bearer {}) | — | — | not granted"]
    );
    // It can't do without, unless it says that it can.
    assert_eq!(decision.needs[0].flag, "--secret TOKEN");
    let optional = decide(&secret(&format!("{API}\nrequired = false")), "");
    assert!(optional.needs.is_empty());
}

#[test]
fn a_name_alone_grants_what_is_asked_for() {
    let decision = decide(&secret(API), &secret(""));
    let [one] = &decision.effective.secrets[..] else {
        panic!("{decision:?}")
    };
    assert!(one.required);
    assert_eq!(one.source, SecretSource::Store);
    assert_eq!(
        one.use_as.to_string(),
        "for https://api.example.com (authorization: Bearer {})"
    );
    // But never that the plugin sees it.
    let decision = decide(&secret("expose = true"), &secret(""));
    assert!(decision.effective.secrets.is_empty());
    assert_eq!(
        rows(&decision),
        [
            "shown to the plugin | — | — | needs expose = true in the grant",
            "— | as it asks for it | — | not asked for"
        ]
    );
    // Nor where nothing is asked for.
    let grant = Grant::parse(&secret("")).unwrap();
    let decision = compare(None, &grant).unwrap();
    assert!(decision.effective.secrets.is_empty(), "{decision:?}");
}

#[test]
fn the_narrower_destination_holds() {
    let to = |to: &str| secret(&format!("inject = {{ to = \"{to}\", header = \"x-key\" }}"));
    for (asked, granted, holds) in [
        (
            "https://*.example.com",
            "https://a.example.com",
            Some("https://a.example.com"),
        ),
        (
            "https://a.example.com",
            "https://*.example.com",
            Some("https://a.example.com"),
        ),
        (
            "https://*.example.com",
            "https://*.a.example.com",
            Some("https://*.a.example.com"),
        ),
        (
            "https://*.example.com",
            "https://*.example.com",
            Some("https://*.example.com"),
        ),
        ("https://*.example.com", "https://example.com", None),
        ("https://*.example.com", "https://aexample.com", None),
        ("https://a.example.com", "http://a.example.com", None),
        ("https://a.example.com", "https://a.example.com:444", None),
        ("https://a.example.com", "https://b.example.com", None),
    ] {
        let decision = decide(&to(asked), &to(granted));
        let found: Vec<_> = (decision.effective.secrets.iter())
            .map(|secret| match &secret.use_as {
                SecretUse::Inject(injection) => injection.to.to_string(),
                SecretUse::Expose => panic!("{secret:?}"),
            })
            .collect();
        let holds: Vec<_> = holds.into_iter().map(str::to_owned).collect();
        assert_eq!(found, holds, "{asked} {granted}");
    }
    // In another way is another thing.
    let other = secret("inject = { to = \"https://a\", header = \"y\" }");
    let decision = decide(
        &secret("inject = { to = \"https://a\", header = \"x\" }"),
        &other,
    );
    assert!(decision.effective.secrets.is_empty());
}

#[test]
fn shown_only_where_both_say_so() {
    let exposed = secret("expose = true");
    let decision = decide(&exposed, &exposed);
    assert_eq!(decision.effective.secrets[0].use_as, SecretUse::Expose);
    assert!(decide(&secret(API), &exposed).effective.secrets.is_empty());
    assert!(decide(&exposed, &secret(API)).effective.secrets.is_empty());
}

#[test]
fn three_carriers_and_three_sources() {
    let text = "
        [[secrets]]
        name = \"A\"
        inject = { to = \"https://a\", basic = \"me\" }
        file = \"/run/a\"
        [[secrets]]
        name = \"B\"
        inject = { to = \"https://a\", query = \"key\" }
        env = \"B_TOKEN\"
        [[secrets]]
        name = \"C\"
        expose = true
    ";
    let grant = Grant::parse(text).unwrap();
    let effective = compare(None, &grant).unwrap().effective.secrets;
    let shown: Vec<_> = (effective.iter())
        .map(|secret| format!("{} {}, from {}", secret.name, secret.use_as, secret.source))
        .collect();
    assert_eq!(
        shown,
        [
            "A for https://a (basic authentication, me:{}), from the file /run/a",
            "B for https://a (?key={}), from the variable B_TOKEN",
            "C shown to the plugin, from the store",
        ]
    );
}

#[test]
fn a_flag_keeps_the_files_source() {
    let grant = Grant::parse(&secret("file = \"/run/token\"")).unwrap();
    let flags = Grant {
        secrets: vec![SecretGrant {
            name: "TOKEN".into(),
            use_as: None,
            source: SecretSource::Store,
        }],
        ..Grant::default()
    };
    let merged = grant.merge(flags);
    assert_eq!(merged.secrets.len(), 1);
    assert_eq!(
        merged.secrets[0].source,
        SecretSource::File("/run/token".into())
    );
}

#[test]
fn whom_a_secret_is_for() {
    let is_for = |to: &str, scheme, host: &str, port| {
        let text = secret(&format!("inject = {{ to = \"{to}\", header = \"x\" }}"));
        let grant = Grant::parse(&text).unwrap();
        let Some(SecretUse::Inject(injection)) = &grant.secrets[0].use_as else {
            panic!("{grant:?}")
        };
        let host = host.parse::<Authority>().unwrap().host;
        injection.is_for(scheme, &host, port)
    };
    assert!(is_for("https://a.test", Scheme::Https, "A.test.", 443));
    assert!(is_for(
        "https://[::1]:8443",
        Scheme::Https,
        "[0:0::1]",
        8443
    ));
    assert!(is_for("https://*.a.test", Scheme::Https, "b.c.a.test", 443));
    assert!(!is_for("https://a.test", Scheme::Http, "a.test", 443));
    assert!(!is_for("https://a.test", Scheme::Https, "a.test", 444));
    assert!(!is_for("https://a.test", Scheme::Https, "b.a.test", 443));
    assert!(!is_for("https://*.a.test", Scheme::Https, "a.test", 443));
    assert!(!is_for("https://*.a.test", Scheme::Https, "ba.test", 443));
}

#[test]
fn what_can_not_be_understood() {
    for (lines, says) in [
        ("inject = { to = \"https://a\" }", "has no `header`"),
        (
            "inject = { to = \"https://a\", header = \"x\", query = \"y\" }",
            "more than one of",
        ),
        (
            "inject = { to = \"https://a\", basic = \"a:b\" }",
            "without `:`",
        ),
        (
            "inject = { to = \"https://a\", query = \"a&b\" }",
            "characters A-Z",
        ),
        (
            "inject = { to = \"https://a\", query = \"a\", format = \"{}\" }",
            "means nothing without `header`",
        ),
        (
            "inject = { to = \"https://a\", header = \"accept-encoding\" }",
            "the host's own",
        ),
        ("expose = 1", "true or false"),
        ("file = \"a\"\nenv = \"B\"", "beside `file`"),
        ("file = \"\"", "not a path"),
        ("env = \"A=B\"", "not a variable's name"),
        ("value = \"x\"", "palisade secret set"),
        ("required = true", "for the plugin's manifest to say"),
    ] {
        let error = Grant::parse(&secret(lines)).unwrap_err().to_string();
        assert!(error.contains(says), "{lines}: {error}");
    }
    let both = secret(&format!("{API}\nexpose = true"));
    let error = Grant::parse(&both).unwrap_err().to_string();
    assert!(error.contains("one for each"), "{error}");
    let two = format!("{}{}", secret(API), secret("expose = true\nenv = \"X\""));
    let error = Grant::parse(&two).unwrap_err().to_string();
    assert!(error.contains("and before from the store"), "{error}");
    let error = Manifest::parse(&format!("plugin.name = \"p\"\n{}", secret("file = \"/x\"")));
    assert!(error.unwrap_err().to_string().contains("said in a grant"));
    let error = Manifest::parse(&format!("plugin.name = \"p\"\n{}", secret("")));
    assert!(error.unwrap_err().to_string().contains("has no `inject`"));
}

/// What somebody types by mistake is not repeated.
#[test]
fn a_value_in_a_flag_is_not_told() {
    assert_eq!("A_b-1".parse::<SecretFlag>().unwrap().0, "A_b-1");
    let error = "TOKEN=hunter2"
        .parse::<SecretFlag>()
        .unwrap_err()
        .to_string();
    assert!(
        !error.contains("hunter2") && error.contains("secret set"),
        "{error}"
    );
    assert!("a b".parse::<SecretFlag>().is_err());
}

#[test]
fn the_hash_tells_uses_apart() {
    let hash = |text: &str| {
        let grant = Grant::parse(text).unwrap();
        compare(None, &grant).unwrap().effective.hash()
    };
    let all = [
        secret(API),
        secret("expose = true"),
        secret(&format!("{API}\nenv = \"X\"")),
        secret("inject = { to = \"https://api.example.com\", basic = \"u\" }"),
        secret("inject = { to = \"https://api.example.com\", query = \"u\" }"),
    ];
    let mut hashes: Vec<_> = all.iter().map(|text| hash(text)).collect();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), all.len());
}

/// The person who granted it sees in what it differs.
#[test]
fn a_grant_of_another_kind_says_which() {
    for (asked, granted, why) in [
        (
            API,
            "inject = { to = \"https://api.example.com\", header = \"x-key\" }",
            "granted as `x-key: {}` instead",
        ),
        (
            API,
            "inject = { to = \"https://other.example\", header = \"authorization\", format = \"Bearer {}\" }",
            "granted for https://other.example instead",
        ),
        (
            API,
            "expose = true",
            "granted to be shown, not to be added to requests",
        ),
    ] {
        let decision = decide(&secret(asked), &secret(granted));
        assert!(decision.effective.secrets.is_empty(), "{granted}");
        let row = &decision
            .rows
            .iter()
            .find(|row| row.secret.is_some())
            .unwrap();
        assert_eq!(row.why.as_deref(), Some(why));
    }
}
