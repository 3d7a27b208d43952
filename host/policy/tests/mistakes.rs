//! What a person reads who made a mistake in a manifest or a grant.

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
fn a_slip_is_named_with_its_line_and_what_was_meant() {
    let error = manifest(
        "[plugin]\nname = \"notes\"\n\n[limits]\n# a little more\noutput = \"1 MiB\"\nmemmory = \"64 MiB\"\n",
    );
    assert_eq!(
        error.to_string(),
        "line 7: unknown key `memmory` in [limits]\n  did you mean `memory`?"
    );
    assert_eq!((error.line, error.column), (Some(7), Some(1)));
    assert_eq!(error.key.as_deref(), Some("memmory"));
}

#[test]
fn unknown_keys_are_refused_at_every_level() {
    for (error, line, start, remedy) in [
        (
            after_plugin("[rots]"),
            3,
            "unknown key `rots` in the manifest",
            "did you mean `roots`?",
        ),
        (
            after_plugin("[[Roots]]"),
            3,
            "unknown key `Roots` in the manifest",
            "did you mean `roots`?",
        ),
        (
            after_plugin("colour = 1"),
            3,
            "unknown key `colour` in [plugin]",
            "known here: `name`, `version`, `description`",
        ),
        (
            after_plugin("[[roots]]\nname = \"x\"\nacces = 1"),
            5,
            "unknown key `acces` in [[roots]]",
            "did you mean `access`?",
        ),
        (
            after_plugin("roots = [\n{ name = \"x\" },\n{ name = \"y\", x = 1 } ]"),
            3,
            "unknown key `roots` in [plugin]",
            "known here",
        ),
        (
            after_plugin("[[network]]\nto = \"https://a\"\nmethod = []"),
            5,
            "unknown key `method` in [[network]]",
            "did you mean `methods`?",
        ),
        (
            after_plugin("[env]\nA = { require = true }"),
            4,
            "unknown key `require` in `A` in [env]",
            "did you mean `required`?",
        ),
        (
            after_plugin("[[secrets]]\nvalue = \"x\""),
            4,
            "unknown key `value` in [[secrets]]",
            "known here: `name`, `inject`",
        ),
        (
            after_plugin("[[secrets]]\nname = \"A\"\ninject = { body = 1 }"),
            5,
            "unknown key `body` in `inject` in [[secrets]]",
            "known here",
        ),
        (
            after_plugin("[storage]\nsize = 1"),
            4,
            "unknown key `size` in [storage]",
            "known here: `quota`",
        ),
        (
            after_plugin("[limits]\ncall_time = \"1 s\""),
            4,
            "unknown key `call_time` in [limits]",
            "did you mean `call-time`?",
        ),
        (
            after_plugin("[limits.memory]\nmax = 1"),
            3,
            "`memory` in [limits] has to be text in quotes, and is a table",
            "write it as memory = \"64 MiB\"",
        ),
        (
            after_plugin("[tools]\n\"*\" = \"allow\""),
            3,
            "unknown key `tools` in the manifest",
            "[tools] belongs in a grant",
        ),
        (
            after_plugin("[[roots]]\nname = \"x\"\npath = \"/\""),
            5,
            "unknown key `path` in [[roots]]",
            "a manifest only names a folder",
        ),
        (
            grant("[tool]"),
            1,
            "unknown key `tool` in the grant",
            "did you mean `tools`?",
        ),
        (
            grant("[[roots]]\nname = \"x\"\npath = \"/\"\nrequired = true"),
            4,
            "unknown key `required` in [[roots]]",
            "`required` belongs in a manifest",
        ),
    ] {
        assert_eq!(error.line, Some(line), "{error}");
        assert!(error.message.starts_with(start), "{error}");
        assert!(
            error.remedy.as_ref().unwrap().starts_with(remedy),
            "{error}"
        );
    }
}

#[test]
fn the_first_of_several_unknown_keys_is_named() {
    let error = after_plugin("zebra = 1\nant = 1");
    assert_eq!((error.line, error.key.as_deref()), (Some(3), Some("zebra")));
}

#[test]
fn what_is_not_toml_is_placed() {
    for (text, line) in [
        ("[plugin]\nname = \"a", 2),
        ("[plugin]\nname == \"a\"", 2),
        ("[plugin]\nname = \"a\"\nname = \"b\"", 3),
        ("[plugin]\n[plugin]", 2),
        ("<html>", 1),
        ("[plugin]\nname = \"a\"\n\n\n[env", 5),
        ("{\"plugin\": {}}", 1),
        ("\0asm", 1),
    ] {
        let error = manifest(text);
        assert!(error.message.starts_with("not valid TOML: "), "{error}");
        assert_eq!(error.line, Some(line), "{error}");
    }
}

#[test]
fn wrong_types_say_what_to_write() {
    for (error, text) in [
        (
            after_plugin("version = 1.2"),
            "line 3: `version` in [plugin] has to be text in quotes, and is a number with a fraction\n  write it as version = \"1.2.0\"",
        ),
        (
            after_plugin("[[roots]]\nname = \"x\"\nrequired = \"yes\""),
            "line 5: `required` in [[roots]] has to be true or false, and is text\n  write it as required = true",
        ),
        (
            after_plugin("[roots]\nname = \"x\""),
            "line 3: `roots` in the manifest has to be a list, and is a table\n  write it as [[roots]]",
        ),
        (
            after_plugin("[[limits]]"),
            "line 3: `limits` in the manifest has to be a table, and is a list\n  write it as [limits]",
        ),
        (
            after_plugin("[limits]\nmemory = 64"),
            "line 4: `memory` in [limits] has to be text in quotes, and is a number\n  write it as memory = \"64 MiB\"",
        ),
        (
            after_plugin("[limits]\nconcurrency = \"16\""),
            "line 4: `concurrency` in [limits] has to be a whole number, and is text\n  write it as concurrency = 16",
        ),
        (
            after_plugin("[[roots]]\nname = \"x\"\nhide = \"*.env\""),
            "line 5: `hide` in [[roots]] has to be a list of texts, and is text\n  write it as hide = [\"**/.git/**\"]",
        ),
        (
            after_plugin("[env]\nLANG = true"),
            "line 4: `LANG` in [env] has to be a table, and is true or false\n  write it as LANG = { required = false }",
        ),
        (
            after_plugin("[env]\nLANG = \"de\""),
            "line 4: `LANG` in [env] has the value \"de\"; a manifest only asks\n  write LANG = { required = false }",
        ),
        (
            grant("[env]\nLANG = { required = true }"),
            "line 2: `LANG` in [env] has to be text in quotes, and is a table\n  write it as LANG = \"value\"",
        ),
        (
            grant("[tools]\nfiles.delete = \"ask\""),
            "line 2: `files` in [tools] is a table\n  put patterns with a dot in quotes, as in \"files.*\" = \"ask\"",
        ),
        (
            manifest("plugin = 2024-01-01"),
            "line 1: `plugin` in the manifest has to be a table, and is a date or time\n  write it as [plugin]",
        ),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn what_is_missing_is_named() {
    for (error, text) in [
        (
            manifest(""),
            "line 1: the manifest has no `plugin`\n  add one, for example [plugin] with name = \"notes\"",
        ),
        (
            manifest("\n[plugin]\nversion = \"1\""),
            "line 2: [plugin] has no `name`\n  add one, for example name = \"notes\"",
        ),
        (
            after_plugin("[[roots]]\naccess = \"read-only\""),
            "line 3: [[roots]] has no `name`\n  add one, for example name = \"notes\"",
        ),
        (
            after_plugin("[[network]]\n[[network]]"),
            "line 3: [[network]] has no `to`\n  add one, for example to = \"https://api.example.com\"",
        ),
        (
            after_plugin("[storage]"),
            "line 3: [storage] has no `quota`\n  add one, for example quota = \"8 MiB\"",
        ),
        (
            grant("[[roots]]\nname = \"x\""),
            "line 1: [[roots]] has no `path`\n  add one, for example path = \"/srv/notes\"",
        ),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn columns_count_characters() {
    let error = after_plugin("description = \"ä\", x = 1");
    assert_eq!((error.line, error.column), (Some(3), Some(18)));
}
