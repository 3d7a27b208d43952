//! What follows from a request and a grant, and how it is explained.

#![allow(clippy::unwrap_used, reason = "tests")]

use palisade_policy::{
    Access, Decision, Effective, Grant, Limits, Manifest, PolicyError, ToolDecision, intersect,
};

fn manifest(text: &str) -> Manifest {
    Manifest::parse(&format!("[plugin]\nname = \"notes\"\n{text}")).unwrap()
}

fn decide(asked: &str, granted: &str) -> Decision {
    intersect(Some(&manifest(asked)), &Grant::parse(granted).unwrap()).unwrap()
}

fn refuse(asked: &str, granted: &str) -> PolicyError {
    intersect(Some(&manifest(asked)), &Grant::parse(granted).unwrap()).unwrap_err()
}

/// The rows as a table: what | asked | granted | effective | why.
fn table(decision: &Decision) -> Vec<String> {
    let text = |text: &Option<String>| text.clone().unwrap_or("—".into());
    (decision.rows.iter())
        .map(|row| {
            format!(
                "{} | {} | {} | {} | {}",
                row.what,
                text(&row.asked),
                text(&row.granted),
                text(&row.effective),
                text(&row.why)
            )
        })
        .collect()
}

#[test]
fn every_difference_has_a_reason() {
    let decision = decide(
        r#"
        [[roots]]
        name = "notes"
        access = "read-write"
        hide = ["**/.git/**"]
        [[roots]]
        name = "pictures"
        [[roots]]
        name = "config"
        [[network]]
        to = "https://api.example.com"
        methods = ["GET"]
        [[network]]
        to = "https://cdn.example.com"
        [env]
        LANG = {}
        TZ = {}
        [[secrets]]
        name = "TOKEN"
        required = false
        inject = { to = "https://api.example.com", header = "x-key" }
        [storage]
        quota = "8 MiB"
        [limits]
        memory = "512 MiB"
        cpu-time = "1 s"
        call-time = "1 min"
        "#,
        r#"
        [[roots]]
        name = "notes"
        path = "/srv/notes"
        hide = ["**/.env"]
        [[roots]]
        name = "config"
        path = "/srv/config"
        access = "read-write"
        [[roots]]
        name = "home"
        path = "/home/me"
        [[network]]
        to = "https://API.example.com:443"
        methods = ["GET"]
        [[network]]
        to = "https://cdn.example.com"
        methods = ["GET"]
        [env]
        LANG = "de"
        PATH = "/bin"
        [storage]
        quota = "16 MiB"
        [limits]
        memory = "128 MiB"
        output = "8 MiB"
        [tools]
        "*" = "allow"
        "delete_*" = "ask"
        "#,
    );
    assert_eq!(
        table(&decision),
        [
            "folder notes | read-write, without **/.git/** | /srv/notes ro, without **/.env | /srv/notes ro, without **/.git/**, **/.env | grant is read-only",
            "folder pictures | read-only | — | — | not granted",
            "folder config | read-only | /srv/config rw | /srv/config ro | asks for read-only",
            "folder home | — | /home/me ro | — | not asked for",
            "network | GET https://api.example.com | GET https://api.example.com | GET https://api.example.com | —",
            "network | https://cdn.example.com | GET https://cdn.example.com | GET https://cdn.example.com | grant is narrower",
            "env LANG | optional | set | set | —",
            "env PATH | — | set | — | not asked for",
            "env TZ | optional | — | — | not granted",
            "secret TOKEN | for https://api.example.com (x-key: {}), optional | — | — | not granted",
            "storage | 8 MiB | — | — | not granted",
            "storage | — | 16 MiB | — | not asked for",
            "memory | 512 MiB | 128 MiB | 128 MiB | ceiling",
            "call time | 1 min | — | 30 s | more than the default needs a grant",
            "cpu time | 1 s | — | 1 s | —",
            "output | — | 8 MiB | 8 MiB | —",
            "concurrency | — | — | 16 | default",
            "tool delete_* | — | ask | ask | —",
            "tool * | — | allow | allow | —",
        ]
    );
    let effective = &decision.effective;
    let roots: Vec<_> = (effective.roots.iter())
        .map(|root| (root.name.as_str(), root.access))
        .collect();
    assert_eq!(
        roots,
        [("notes", Access::ReadOnly), ("config", Access::ReadOnly)]
    );
    assert_eq!(effective.roots[0].hide, ["**/.git/**", "**/.env"]);
    assert_eq!(
        effective.env.iter().collect::<Vec<_>>(),
        [(&"LANG".into(), &"de".into())]
    );
    assert_eq!(effective.network.granted.len(), 2);
    assert!(effective.secrets.is_empty() && effective.storage.is_none());
    assert_eq!(effective.tools.decide("delete_x"), ToolDecision::Ask);
}

#[test]
fn without_a_manifest_a_plugin_gets_what_was_granted() {
    let grant = Grant::parse(
        "[[roots]]\nname = \"x\"\npath = \"/x\"\naccess = \"read-write\"\n\
         [env]\nA = \"1\"\n[limits]\nmemory = \"2 GiB\"\n[[network]]\nto = \"https://a\"",
    )
    .unwrap();
    let decision = intersect(None, &grant).unwrap();
    assert_eq!(decision.effective.roots[0].access, Access::ReadWrite);
    assert_eq!(decision.effective.env["A"], "1");
    assert_eq!(decision.effective.network.granted, grant.network);
    assert_eq!(decision.effective.network.asked, None);
    assert_eq!(decision.effective.limits.memory, 2 << 30);
    assert_eq!(
        table(&decision)[..4],
        [
            "folder x | — | /x rw | /x rw | —",
            "network | — | https://a | https://a | —",
            "env A | — | set | set | —",
            "memory | — | 2 GiB | 2 GiB | —",
        ]
    );
    assert_eq!(
        intersect(None, &Grant::default()).unwrap().effective,
        Effective::default()
    );
}

#[test]
fn a_star_takes_every_folder_not_asked_for_by_name() {
    let asked = "[[roots]]\nname = \"*\"\naccess = \"read-write\"\nhide = [\"x\"]\n\
                 [[roots]]\nname = \"config\"\n";
    let root = |name| {
        format!("[[roots]]\nname = \"{name}\"\npath = \"/{name}\"\naccess = \"read-write\"\n")
    };
    let decision = decide(asked, &["a", "config", "b"].map(root).concat());
    assert_eq!(
        table(&decision)[..3],
        [
            "folder config | read-only | /config rw | /config ro | asks for read-only",
            "folder a | any, read-write, without x | /a rw | /a rw, without x | —",
            "folder b | any, read-write, without x | /b rw | /b rw, without x | —",
        ]
    );
    let names: Vec<_> = decision
        .effective
        .roots
        .iter()
        .map(|root| &root.name)
        .collect();
    assert_eq!(names, ["a", "config", "b"]);

    let decision = decide(asked, &root("config"));
    assert_eq!(
        table(&decision)[1],
        "any folder | any, read-write, without x | — | — | not granted"
    );
}

#[test]
fn what_is_required_and_not_granted_is_named_with_the_flag_that_grants_it() {
    let notes = "[[roots]]\nname = \"notes\"\naccess = \"read-write\"\nrequired = true\n";
    assert_eq!(
        refuse(notes, "").to_string(),
        "it needs the folder `notes` (read-write), which is not granted\n  \
         to grant it: --root notes=PATH:rw"
    );
    let others =
        "[[roots]]\nname = \"*\"\nrequired = true\n[env]\nTOKEN = { required = true }\nTZ = {}";
    assert_eq!(
        refuse(&format!("{notes}{others}"), "").to_string(),
        "it needs the folder `notes` (read-write) and at least one folder (read-only) \
         and the environment variable `TOKEN`, which are not granted\n  \
         to grant it: --root notes=PATH:rw --root PATH:ro --env TOKEN=VALUE"
    );
    // A folder of another name does not fill it; less access than asked does.
    assert!(matches!(
        refuse(notes, "[[roots]]\nname = \"other\"\npath = \"/\""),
        PolicyError::Missing { .. }
    ));
    let decision = decide(notes, "[[roots]]\nname = \"notes\"\npath = \"/n\"");
    assert_eq!(decision.effective.roots[0].access, Access::ReadOnly);
}

#[test]
fn a_flag_to_paste_runs_nothing_else() {
    let error = refuse("[env]\n\"$(reboot)\" = { required = true }", "");
    assert!(
        error.to_string().ends_with("--env '$(reboot)=VALUE'"),
        "{error}"
    );
}

#[test]
fn a_grant_for_another_plugin_is_refused() {
    let error = refuse("", "[plugin]\nname = \"weather\"");
    assert!(
        error
            .to_string()
            .starts_with("the grant is for the plugin `weather`, not for `notes`")
    );
    assert!(
        decide("", "[plugin]\nname = \"notes\"")
            .effective
            .roots
            .is_empty()
    );
}

#[test]
fn a_grant_made_in_code_is_checked_too() {
    let mut grant = Grant::parse("[[roots]]\nname = \"a\"\npath = \"/a\"").unwrap();
    grant.roots.push(grant.roots[0].clone());
    assert!(matches!(
        intersect(None, &grant),
        Err(PolicyError::DuplicateRoot { .. })
    ));
    grant.roots[1].name = "../a".into();
    assert!(matches!(
        intersect(None, &grant),
        Err(PolicyError::InvalidRoot { .. })
    ));
}

#[test]
fn rows_hold_no_values_and_cannot_steer_a_terminal() {
    let grant = Grant::parse(
        "[[roots]]\nname = \"a\"\npath = \"/\\u001b[2J\"\nhide = [\"x\"]\n[env]\nTOKEN = \"hunter2\"",
    )
    .unwrap();
    let rows = table(&intersect(None, &grant).unwrap()).join("\n");
    assert!(
        !rows.contains("hunter2") && !rows.contains('\u{1b}'),
        "{rows}"
    );
}

#[test]
fn flags_replace_what_the_file_says_of_the_same_name() {
    let file = Grant::parse(
        "[[roots]]\nname = \"a\"\npath = \"/a\"\nhide = [\"x\"]\n[[roots]]\nname = \"b\"\npath = \"/b\"\n\
         [env]\nA = \"1\"\nB = \"1\"\n[limits]\nmemory = \"1 GiB\"\noutput = \"1 MiB\"\n\
         [tools]\n\"*\" = \"ask\"\ndel = \"deny\"\n[[network]]\nto = \"https://a\"",
    )
    .unwrap();
    let flags = Grant::parse(
        "[[roots]]\nname = \"a\"\npath = \"/new\"\naccess = \"read-write\"\n[[roots]]\nname = \"c\"\npath = \"/c\"\n\
         [env]\nA = \"2\"\n[limits]\nmemory = \"2 GiB\"\n[tools]\n\"*\" = \"allow\"\n\
         [[network]]\nto = \"https://a\"\n[[network]]\nto = \"https://b\"",
    )
    .unwrap();
    let grant = file.merge(flags);
    let roots: Vec<_> = (grant.roots.iter())
        .map(|root| (root.name.as_str(), root.path.to_str().unwrap(), root.access))
        .collect();
    assert_eq!(
        roots,
        [
            ("a", "/new", Access::ReadWrite),
            ("b", "/b", Access::ReadOnly),
            ("c", "/c", Access::ReadOnly)
        ]
    );
    assert_eq!(grant.roots[0].hide, ["x"], "what was hidden stays hidden");
    assert_eq!(
        (grant.env["A"].as_str(), grant.env["B"].as_str()),
        ("2", "1")
    );
    assert_eq!(
        (grant.limits.memory, grant.limits.output),
        (Some(2 << 30), Some(1 << 20))
    );
    assert_eq!(grant.tools.decide("x"), ToolDecision::Allow);
    assert_eq!(grant.tools.decide("del"), ToolDecision::Deny);
    assert_eq!(grant.network.len(), 2);
}

#[test]
fn limits_read_as_a_sentence() {
    assert_eq!(
        Limits::default().to_string(),
        "64 MiB memory, 5 s CPU and 30 s per call, 4 MiB output, 16 calls at once"
    );
}

#[test]
fn the_fingerprint_is_short_stable_and_tells_permissions_apart() {
    let base = "[[roots]]\nname = \"a\"\npath = \"/a\"\n[[roots]]\nname = \"b\"\npath = \"/b\"\n";
    let hash = |text: &str| {
        let grant = Grant::parse(text).unwrap();
        intersect(None, &grant).unwrap().effective.hash()
    };
    let reference = hash(base);
    assert!(reference.len() == 16 && reference.bytes().all(|b| b.is_ascii_hexdigit()));

    let swapped =
        "[[roots]]\nname = \"b\"\npath = \"/b\"\n[[roots]]\nname = \"a\"\npath = \"/a\"\n";
    assert_eq!(hash(swapped), reference);
    let with = |text: &str| format!("{base}{text}");
    assert_eq!(hash(&with("[limits]\nmemory = \"64 MiB\"")), reference);
    assert_eq!(
        hash(&with("env.A = \"1\"").replace("env.A", "[env]\nA")),
        hash(&with("[env]\nA = \"2\""))
    );

    let mut seen = vec![reference];
    for other in [
        "".into(),
        base.replace("/b", "/c"),
        base.replace("\"b\"", "\"c\""),
        with("access = \"read-write\""),
        with("hide = [\"x\"]"),
        with("hide = [\"x\", \"y\"]"),
        with("[env]\nA = \"1\""),
        with("[limits]\nmemory = \"65 MiB\""),
        with("[limits]\ncall-time = \"31 s\""),
        with("[limits]\ncpu-time = \"31 s\""),
        with("[limits]\nconcurrency = 1"),
        with("[tools]\nx = \"ask\""),
        with("[tools]\nx = \"deny\""),
        with("[storage]\nquota = \"1 MiB\""),
        with("[[network]]\nto = \"https://a\""),
        with("[[network]]\nto = \"https://a\"\nprivate = true"),
        with("[[network]]\nto = \"https://a\"\nmethods = [\"GET\"]"),
        with("[[secrets]]\nname = \"A\"\ninject = { to = \"https://a\", header = \"a\" }"),
    ] {
        let hash = hash(&other);
        assert!(!seen.contains(&hash), "{other}");
        seen.push(hash);
    }
}
