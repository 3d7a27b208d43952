//! What patterns hide.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use palisade_policy::{Entered, Grant, HideSet, Trail};
use proptest::prelude::*;

fn set(patterns: &[&str]) -> HideSet {
    let patterns: Vec<_> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
    HideSet::new(&patterns).unwrap()
}

/// What is known of a path, walked name by name; none where it is hidden.
/// `folds` says whether upper and lower case are one.
fn walk(set: &HideSet, path: &str, folds: bool) -> Option<Trail> {
    let mut trail = set.root();
    for name in path.split('/').filter(|name| !name.is_empty()) {
        trail = match set.enter(&trail, name) {
            Entered::Hidden => return None,
            Entered::UnlessFolded(_) if folds => return None,
            Entered::UnlessFolded(trail) | Entered::Visible(trail) => trail,
        };
    }
    Some(trail)
}

#[track_caller]
fn check(pattern: &str, hidden: &[&str], visible: &[&str]) {
    let set = set(&[pattern]);
    for path in hidden {
        assert!(walk(&set, path, false).is_none(), "{pattern} shows {path}");
    }
    for path in visible {
        assert!(walk(&set, path, false).is_some(), "{pattern} hides {path}");
    }
}

#[test]
fn a_directory_and_everything_in_it() {
    let hidden = [".git", ".git/config", "a/.git", "a/b/.git/hooks/x"];
    let visible = [".gitignore", "a/git", "git/x", ".gi", ".Git"];
    check("**/.git/**", &hidden, &visible);
    check("**/.git", &hidden, &visible);
    check("**/**/.git/**/**", &hidden, &visible);
}

#[test]
fn patterns_begin_at_the_root() {
    check(".env", &[".env", ".env/x"], &["a/.env", ".envrc"]);
    check(
        "secret/*.pem",
        &["secret/a.pem", "secret/.pem", "secret/a.pem/x"],
        &["secret", "secret/a.key", "secret/x/a.pem", "a/secret/b.pem"],
    );
    check(
        "a/**/b",
        &["a/b", "a/x/b", "a/x/y/b/c"],
        &["a", "b", "x/a/b"],
    );
    check("**", &["a", "a/b"], &[]);
    check("*", &["a", ".a", "a/b"], &[]);
    check("*/**", &["a", ".a/b"], &[]);
    check("x?z", &["xyz", "xäz", "x😀z"], &["xz", "xyyz"]);
    check("[ab]ä[!c]", &["aäd", "bää"], &["aäc", "cäd"]);
    check("[*]", &["*"], &["a"]);
    check("[[]x]", &["[x]"], &["x"]);
    check("a b", &["a b"], &["ab"]);
}

#[test]
fn case_is_exact_unless_the_file_system_ignores_it() {
    let set = set(&["**/.git/**", "Secrets/Schlüssel", "straße"]);
    for path in [
        ".GIT",
        "a/.Git/config",
        "secrets/schlüssel",
        "SECRETS/SCHLÜSSEL",
        "Secrets/Schlu\u{308}ssel",
        ".g\u{200c}it",
        ".gi\u{feff}t/x",
        "STRASSE",
        "STRAßE",
    ] {
        assert!(walk(&set, path, false).is_some(), "{path} is another name");
        assert!(walk(&set, path, true).is_none(), "{path} is the same name");
    }
    for path in ["git", "secrets", "secrets/other", ".gitt"] {
        assert!(walk(&set, path, true).is_some(), "{path}");
    }
}

#[test]
fn many_stars_are_no_work() {
    let stars = "*a".repeat(120);
    let deep = "**/*a*".to_owned() + &"/**/*a*".repeat(12);
    let set = set(&vec![[stars.as_str(), deep.as_str()]; 32].concat());
    let name = "a".repeat(254) + "b";
    let path = vec![name; 8].join("/");
    assert!(walk(&set, &path, true).is_some());
}

#[test]
fn what_is_no_pattern_says_what_to_write() {
    for (pattern, problem, remedy) in [
        ("a//b", "`//`", "write `a/b`"),
        ("./x", "`.`", "write `x`"),
        ("x/.", "`.`", "write `x`"),
        (".", "`.`", "write `**`"),
        ("!x", "starts with `!`", "write `?x`"),
        ("a**b", "`**` beside", "`**` alone"),
        ("a[b", "`[` without `]`", "write `[[]`"),
        ("/etc", "starts with `/`", "write `etc`"),
        ("../x", "`..`", "on down"),
        ("a/../b", "`..`", "on down"),
        ("build/", "ends in `/`", "write `build`"),
        ("/", "starts with `/`", "write"),
        ("[ab", "`[` without `]`", "[[]"),
        ("a[", "`[` without `]`", "[[]"),
        ("[]", "`[` without `]`", "[[]"),
        ("[!]", "`[` without `]`", "[[]"),
        ("a/[b/c]", "`[` without `]`", "[[]"),
        ("[z-a]", "range `z-a`", "write `a-z`"),
        ("[!xz-a]", "range `z-a`", "write `a-z`"),
        ("*.{pem,key}", "brace", "one pattern for each"),
        ("a}", "brace", "one pattern for each"),
        ("secret\\key", "`\\`", "divide names by `/`"),
        ("a**", "`**` beside", "`*` within"),
        ("***", "`**` beside", "`*` within"),
        ("", "empty", "for example"),
        ("a\u{202e}b", "invisible", "`?`"),
        ("a\nb", "control", "`?`"),
        (&"x".repeat(257), "more than 256 bytes", "shorter"),
        (&["a"; 33].join("/"), "more than 32 names", "`**`"),
    ] {
        let quoted = pattern.escape_default();
        let text = format!(
            "[[roots]]\nname = \"a\"\npath = \"/a\"\nhide = [\n\"ok\",\n{:?},\n]\n",
            pattern.replace('\u{202e}', "X")
        )
        .replace(
            'X',
            if pattern.contains('\u{202e}') {
                "\\u202e"
            } else {
                "X"
            },
        );
        let error = Grant::parse(&text).expect_err(&format!("{quoted} was taken"));
        assert_eq!(error.line, Some(6), "{error}");
        assert_eq!(error.key.as_deref(), Some("hide"), "{error}");
        assert!(error.message.contains(problem), "{quoted}: {error}");
        assert!(
            error.remedy.unwrap().contains(remedy),
            "{quoted}: {}",
            error.message
        );
        // And the same for whoever puts a grant together in code.
        assert!(HideSet::new(&[pattern.to_owned()]).is_err(), "{quoted}");
    }
}

#[test]
fn what_only_looks_odd_is_a_pattern() {
    for pattern in [
        "[{]x[}]", "[\\]", "[]]", "[!]]", "[-a]", "[a-]", "...", "a]", "x/..y", " ",
    ] {
        HideSet::new(&[pattern.to_owned()]).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    }
    let many = format!(
        "[[roots]]\nname = \"a\"\npath = \"/a\"\nhide = [{}]",
        "\"x\", ".repeat(65)
    );
    let error = Grant::parse(&many).unwrap_err();
    assert!(error.message.contains("more than 64"), "{error}");
}

/// The definition, one name and one character at a time: a path is hidden if a
/// pattern matches it or one of the directories it lies in.
fn hidden_by_definition(patterns: &[String], path: &[String]) -> bool {
    let names = |pattern: &String| pattern.split('/').map(str::to_owned).collect::<Vec<_>>();
    patterns.iter().any(|pattern| {
        (1..=path.len()).any(|length| matches_path(&names(pattern), &path[..length]))
    })
}

fn matches_path(pattern: &[String], path: &[String]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((any, rest)), _) if any == "**" => {
            (0..=path.len()).any(|skip| matches_path(rest, &path[skip..]))
        }
        (Some((name, rest)), Some((entry, below))) => {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            matches_name(&chars(name), &chars(entry)) && matches_path(rest, below)
        }
        _ => false,
    }
}

fn matches_name(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        (['*', rest @ ..], _) => (0..=name.len()).any(|skip| matches_name(rest, &name[skip..])),
        (['?', rest @ ..], [_, name @ ..]) => matches_name(rest, name),
        (['[', '!', a, ']', rest @ ..], [c, name @ ..]) => c != a && matches_name(rest, name),
        (['[', a, '-', b, ']', rest @ ..], [c, name @ ..]) => {
            (a..=b).contains(&c) && matches_name(rest, name)
        }
        ([a, rest @ ..], [c, name @ ..]) => a == c && matches_name(rest, name),
        _ => false,
    }
}

fn a_pattern() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        3 => "[aä]{1,2}",
        2 => Just("**".to_owned()),
        2 => "[*?aä]{1,3}".prop_filter("`**` stands alone", |name| !name.contains("**")),
        1 => Just("[!a]".to_owned()),
        1 => Just("*[a-b]".to_owned()),
    ];
    prop::collection::vec(name, 1..5).prop_map(|names| names.join("/"))
}

fn a_path() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[abä]{1,3}", 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn hiding_follows_the_definition(
        patterns in prop::collection::vec(a_pattern(), 0..4),
        path in a_path(),
    ) {
        let set = HideSet::new(&patterns).unwrap();
        let hidden = walk(&set, &path.join("/"), false).is_none();
        prop_assert_eq!(hidden, hidden_by_definition(&patterns, &path));
    }

    /// What is hidden where case counts is hidden where it does not.
    #[test]
    fn folding_shows_nothing(patterns in prop::collection::vec(a_pattern(), 0..4), path in a_path()) {
        let set = HideSet::new(&patterns).unwrap();
        let path = path.join("/");
        if walk(&set, &path, false).is_none() {
            prop_assert!(walk(&set, &path, true).is_none());
            prop_assert!(walk(&set, &path.to_uppercase(), true).is_none());
        }
    }

    /// Directories may be moved between places of which the same is known.
    #[test]
    fn equal_trails_hide_the_same(
        patterns in prop::collection::vec(a_pattern(), 0..3),
        here in a_path(),
        there in a_path(),
        below in a_path(),
    ) {
        let set = HideSet::new(&patterns).unwrap();
        let trails = [&here, &there].map(|place| walk(&set, &place.join("/"), false));
        if let [Some(one), Some(other)] = trails
            && one == other
        {
            let in_one = [here, below.clone()].concat();
            let in_other = [there, below].concat();
            prop_assert_eq!(
                hidden_by_definition(&patterns, &in_one),
                hidden_by_definition(&patterns, &in_other)
            );
        }
    }

    /// Whatever a file says: an answer, and no panic.
    #[test]
    fn any_text_is_taken_or_refused(pattern in "\\PC{0,40}|[\\[\\]!*?a/-]{0,12}", path in "[a/*\\[]{0,9}") {
        if let Ok(set) = HideSet::new(&[pattern]) {
            walk(&set, &path, true);
        }
    }
}
