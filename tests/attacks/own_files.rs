//! Palisade's own files can't be granted: who can write compiled code, or a
//! grant, needs no way out of a sandbox.

use std::fs;
use std::os::unix::fs::symlink;

use palisade_tests::{Palisade, guest};

fn refused(command: &Palisade) {
    let finished = command.output();
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert_eq!(finished.stdout, "");
    assert!(finished.stderr.contains("can't be granted"), "{finished:?}");
}

#[test]
fn neither_they_nor_what_holds_them() {
    let command = Palisade::run(guest("escapes"));
    let home = command.home().to_owned();
    let cache = home.join("cache");
    let compiled = cache.join("palisade/compiled");
    let command = command.cache(&cache);
    // Once, so that there is something to protect.
    let finished = command.output();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(compiled.is_dir());

    fs::create_dir_all(home.join(".config/palisade")).unwrap();
    let link = home.join("innocent");
    symlink(&compiled, &link).unwrap();
    for path in [
        home.as_path(),
        &cache,
        &compiled,
        &link,
        &home.join(".config"),
        &home.join(".config/palisade"),
        std::path::Path::new("/"),
    ] {
        for access in ["ro", "rw"] {
            refused(&command.clone().root("own", path, access));
        }
    }
    // What lies beside them is a folder like any other.
    let beside = home.join("notes");
    fs::create_dir(&beside).unwrap();
    let finished = command.root("own", &beside, "rw").output();
    assert_eq!(finished.code, Some(0), "{finished:?}");
}

/// Whoever grants a home today must not grant by it what comes to be tomorrow.
#[test]
fn even_where_they_are_not_there_yet() {
    let command = Palisade::run(guest("escapes"));
    let home = command.home().to_owned();
    refused(&command.root("own", &home, "rw"));
}

/// A plugin that can write the grant it runs on grants itself the next one.
#[test]
fn nor_the_grant_that_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let grant = folder.path().join("grant.toml");
    fs::write(&grant, "[limits]\nmemory = \"8 MiB\"\n").unwrap();
    let command = Palisade::run(guest("escapes")).grant(&grant);
    let command = command.root("notes", folder.path(), "rw");
    refused(&command);
}

/// Nor where the grant file is found by way of a folder it may change.
#[test]
fn nor_what_the_grant_is_found_by() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let grant = elsewhere.path().join("grant.toml");
    fs::write(&grant, "[limits]\nmemory = \"8 MiB\"\n").unwrap();
    let link = folder.path().join("grant.toml");
    symlink(&grant, &link).unwrap();
    let command = Palisade::run(guest("escapes")).grant(&link);
    refused(&command.root("notes", folder.path(), "rw"));
}

/// A folder inside one that the plugin may change could be a link by the next
/// start, to wherever the plugin likes.
#[test]
fn nor_another_root_that_depends_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("inner")).unwrap();
    symlink(elsewhere.path(), folder.path().join("way")).unwrap();
    symlink(folder.path().join("way"), elsewhere.path().join("first")).unwrap();
    let dependent = [
        folder.path().join("inner"),
        folder.path().join("way"),
        elsewhere.path().join("first"),
    ];
    for inner in dependent {
        for access in ["ro", "rw"] {
            let command = Palisade::run(guest("escapes")).root("inner", &inner, access);
            refused(&command.root("outer", folder.path(), "rw"));
        }
    }
    // Where nothing can be changed, nothing can be made of it.
    let command = Palisade::call(guest("escapes"), "roots", "{}");
    let inner = folder.path().join("inner");
    let command = command.root("outer", folder.path(), "ro");
    let done = command.root("inner", inner, "rw").output();
    assert_eq!(done.code, Some(0), "{done:?}");
}

/// Another session may keep its cache where this one, by its variables, does
/// not.
#[test]
fn nor_the_cache_of_other_sessions() {
    let elsewhere = tempfile::tempdir().unwrap();
    let command = Palisade::run(guest("escapes")).cache(elsewhere.path());
    let default = command.home().join(".cache");
    fs::create_dir_all(default.join("palisade/compiled")).unwrap();
    refused(&command.root("notes", default, "rw"));
}

/// The memory and the environment of the host are files there.
#[cfg(target_os = "linux")]
#[test]
fn nor_what_the_system_shows_of_processes() {
    for path in ["/proc", "/proc/self", "/proc/thread-self", "/proc/1"] {
        for access in ["ro", "rw"] {
            refused(&Palisade::run(guest("escapes")).root("own", path, access));
        }
    }
    let file = Palisade::run(guest("escapes"))
        .arg("--file")
        .arg("own=/proc/self/environ");
    refused(&file);
}

/// Who can put another program in its place needs nothing else.
#[test]
fn nor_the_program_itself_for_writing() {
    let program = palisade_tests::palisade();
    let folder = program.parent().unwrap();
    refused(&Palisade::run(guest("escapes")).root("own", folder, "rw"));
    let finished = Palisade::run(guest("escapes"))
        .root("own", folder, "ro")
        .output();
    assert_eq!(finished.code, Some(0), "{finished:?}");
}

/// What it is by the next start is for whoever installed it to say.
#[test]
fn nor_itself_for_writing() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("plugin.wasm");
    fs::copy(guest("escapes"), &own).unwrap();
    let manifest = folder.path().join("palisade.toml");
    refused(&Palisade::run(&own).root("own", folder.path(), "rw"));
    let asks = "[plugin]\nname = \"escapes\"\n[[roots]]\nname = \"*\"\naccess = \"read-write\"\n";
    fs::write(&manifest, asks).unwrap();
    let file = format!("own={}:rw", manifest.display());
    refused(&Palisade::run(&own).arg("--file").arg(file));
    let finished = Palisade::run(&own)
        .root("own", folder.path(), "ro")
        .output();
    assert_eq!(finished.code, Some(0), "{finished:?}");
}

/// Who knows a server's token is its client, and who knows its key can be it.
#[test]
fn nor_what_a_server_is_known_by() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, "0123456789abcdef0123456789abcdef\n").unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    symlink(&token, &link).unwrap();
    for file in [&token, &link] {
        for access in ["ro", "rw"] {
            let command = Palisade::run(guest("escapes"))
                .arg("--http=127.0.0.1:0")
                .arg("--token-file")
                .arg(file);
            refused(&command.clone().root("own", folder.path(), access));
        }
    }
    let several = Palisade::run_several([guest("escapes"), guest("mallory")])
        .arg("--http=127.0.0.1:0")
        .arg("--token-file")
        .arg(&token)
        .arg("--file")
        .arg(format!("escapes/own={}", token.display()))
        .arg("--file")
        .arg(format!("mallory/own={}", token.display()));
    let finished = several.output();
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert!(
        finished.stderr.contains("could be read there"),
        "{finished:?}"
    );
}
