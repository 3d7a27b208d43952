//! Values that a manifest or a grant cannot have.

#![allow(clippy::unwrap_used, reason = "tests")]

use palisade_policy::{Grant, Manifest, ParseError};

fn manifest(text: &str) -> ParseError {
    Manifest::parse(text).unwrap_err()
}

fn after_plugin(text: &str) -> ParseError {
    manifest(&format!("[plugin]\nname = \"a\"\n{text}"))
}

fn grant(text: &str) -> ParseError {
    Grant::parse(text).unwrap_err()
}

#[test]
fn impossible_values_say_what_is_possible() {
    for (text, message, remedy) in [
        (
            "memory = \"5 GiB\"",
            "is too large",
            "possible: 1 MiB to 4 GiB",
        ),
        (
            "memory = \"1 B\"",
            "is too small",
            "possible: 1 MiB to 4 GiB",
        ),
        (
            "memory = \"99999999999999999999 GiB\"",
            "is too large",
            "possible: 1 MiB to 4 GiB",
        ),
        (
            "memory = \"64\"",
            "is not a size",
            "possible: 1 MiB to 4 GiB",
        ),
        (
            "memory = \"-1 MiB\"",
            "is not a size",
            "possible: 1 MiB to 4 GiB",
        ),
        (
            "call-time = \"forever\"",
            "is not a duration",
            "possible: 10 ms to 24 h",
        ),
        (
            "call-time = \"25 h\"",
            "is too large",
            "possible: 10 ms to 24 h",
        ),
        (
            "cpu-time = \"0 s\"",
            "is too small",
            "possible: 10 ms to 24 h",
        ),
        (
            "output = \"2 GiB\"",
            "is too large",
            "possible: 1 KiB to 1 GiB",
        ),
        ("concurrency = 0", "is too small", "possible: 1 to 256"),
        ("concurrency = -1", "is too small", "possible: 1 to 256"),
        ("concurrency = 257", "is too large", "possible: 1 to 256"),
        (
            "concurrency = 99999999999999999999999999",
            "is too large",
            "possible: 1 to 256",
        ),
        (
            "concurrency = 0xffff_ffff_ffff_ffff",
            "is too large",
            "possible: 1 to 256",
        ),
    ] {
        for error in [
            after_plugin(&format!("[limits]\n{text}")),
            grant(&format!("# \n#\n[limits]\n{text}")),
        ] {
            assert_eq!(error.line, Some(4), "{error}");
            assert!(error.message.contains(message), "{error}");
            assert_eq!(error.remedy.as_deref(), Some(remedy), "{error}");
        }
    }
}

#[test]
fn bad_values_are_refused_where_they_stand() {
    let root = "[[roots]]\nname = \"x\"\npath = \"/x\"\n";
    for (error, line, key) in [
        (manifest("[plugin]\nname = \"Notes\""), 2, "name"),
        (manifest("[plugin]\nname = \"\""), 2, "name"),
        (manifest("[plugin]\nname = \"../../etc\""), 2, "name"),
        (after_plugin("version = \"\""), 3, "version"),
        (after_plugin("license = \" \""), 3, "license"),
        (after_plugin("source = \"javascript:x\""), 3, "source"),
        (
            after_plugin("source = \"https://u:p@a.example\""),
            3,
            "source",
        ),
        (after_plugin("homepage = \"https://a b\""), 3, "homepage"),
        (
            after_plugin("authors = [\"a\", \"b\\u202ec\"]"),
            3,
            "authors",
        ),
        (
            after_plugin("description = \"red \\u001b[31mtext\""),
            3,
            "description",
        ),
        (
            after_plugin("description = \"a\\u202eb\""),
            3,
            "description",
        ),
        (
            after_plugin("description = \"\"\"two\nlines\"\"\""),
            3,
            "description",
        ),
        (after_plugin("[[roots]]\nname = \"a/b\""), 4, "name"),
        (after_plugin("[[roots]]\nname = \"..\""), 4, "name"),
        (
            after_plugin("[[roots]]\nname = \"x\"\naccess = \"write\""),
            5,
            "access",
        ),
        (
            after_plugin("[[roots]]\nname = \"x\"\n[[roots]]\nname = \"x\""),
            6,
            "name",
        ),
        (
            after_plugin("[[roots]]\nname = \"*\"\n[[roots]]\nname = \"*\""),
            6,
            "name",
        ),
        (
            after_plugin("[[roots]]\nname = \"x\"\nhide = [\"a\",\n\"\"]"),
            6,
            "hide",
        ),
        (after_plugin("[env]\n\"A=B\" = {}"), 4, "A=B"),
        (after_plugin("[env]\n\"\" = {}"), 4, ""),
        (
            after_plugin("[[network]]\nto = \"https://a\"\nmethods = [\"get\"]"),
            5,
            "methods",
        ),
        (
            after_plugin("[[network]]\nto = \"https://a\"\nmethods = []"),
            5,
            "methods",
        ),
        (
            after_plugin("[[network]]\nto = \"https://a\"\npaths = [\"v1\"]"),
            5,
            "paths",
        ),
        (
            after_plugin("[[network]]\nto = \"https://a\"\npaths = [\"/a/../b\"]"),
            5,
            "paths",
        ),
        (
            after_plugin("[[network]]\nto = \"tcp://a:1\"\npaths = [\"/\"]"),
            5,
            "paths",
        ),
        (after_plugin("[storage]\nquota = \"1 GB 1\""), 4, "quota"),
        (grant("[[roots]]\nname = \"*\"\npath = \"/\""), 2, "name"),
        (grant("[[roots]]\nname = \"x\"\npath = \"\""), 3, "path"),
        (
            grant("[[roots]]\nname = \"x\"\npath = \"/a\\u0000b\""),
            3,
            "path",
        ),
        (grant(&format!("{root}{root}")), 5, "name"),
        (grant(&format!("{root}hide = [\"/etc\"]")), 4, "hide"),
        (grant(&format!("{root}hide = [\"../x\"]")), 4, "hide"),
        (grant(&format!("{root}file = \"/b\"")), 4, "file"),
        (
            grant("[[roots]]\nname = \"x\"\nfile = \"/b\"\nhide = [\"a\"]"),
            4,
            "hide",
        ),
        (
            after_plugin("[[roots]]\nname = \"x\"\nfile = \"/b\""),
            5,
            "file",
        ),
        (grant("[env]\nA = \"a\\u0000b\""), 2, "A"),
        (grant("[tools]\n\"a b\" = \"ask\""), 2, "a b"),
        (grant("[tools]\n\"a\" = \"perhaps\""), 2, "a"),
    ] {
        assert_eq!(
            (error.line, error.key.as_deref()),
            (Some(line), Some(key)),
            "{error}"
        );
        assert!(error.remedy.is_some(), "{error}");
    }
}

#[test]
fn secrets_cannot_touch_the_connection_or_hide_in_a_format() {
    let secret = |inject: &str| {
        format!("[[secrets]]\nname = \"A\"\n[secrets.inject]\nto = \"https://a\"\n{inject}")
    };
    for (inject, key) in [
        ("header = \"Host\"", "header"),
        ("header = \"transfer-encoding\"", "header"),
        ("header = \"a b\"", "header"),
        ("header = \"\"", "header"),
        ("header = \"x\"\nformat = \"no place\"", "format"),
        ("header = \"x\"\nformat = \"{} {}\"", "format"),
        ("header = \"x\"\nformat = \"{}\\r\\nx: y\"", "format"),
    ] {
        let error = grant(&secret(inject));
        assert_eq!(error.key.as_deref(), Some(key), "{error}");
    }
    let twice = format!("{0}{0}", secret("header = \"x\"\n"));
    assert!(grant(&twice).message.contains("a second time"));
    let tcp = secret("header = \"x\"").replace("https://a", "tcp://a:1");
    assert_eq!(grant(&tcp).key.as_deref(), Some("to"));
    let anybody = secret("header = \"x\"").replace("https://a", "https://*");
    assert_eq!(grant(&anybody).key.as_deref(), Some("to"));
}
