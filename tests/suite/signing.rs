//! Signed by its author, and known by those who install it: the signature inside a
//! plugin, and the list of those who are trusted.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use palisade_tests::{Finished, guest};

use crate::install_stage::{Desk, NOTES};
use crate::mistakes::{FAILED, REFUSED};

/// An author with a key, and the file that is installed from.
struct Author {
    desk: Desk,
    key: String,
}

impl Author {
    fn new() -> Self {
        let desk = Desk::new();
        let made = desk.palisade(["keygen", "--json"]).output().success();
        let key = made.json()["key"].as_str().unwrap().to_owned();
        Self { desk, key }
    }

    /// A packed plugin under the name notes.
    fn packed(&self, component: &str) -> PathBuf {
        let source = self.desk.source(&guest(component), NOTES);
        let file = self.desk.home().join("notes.wasm");
        let pack = self.desk.palisade(["pack"]).arg(source.parent().unwrap());
        pack.arg("-o").arg(&file).output().success();
        file
    }

    fn sign(&self, file: &Path) -> Finished {
        self.desk.palisade(["sign"]).arg(file).output()
    }

    fn signed(&self, component: &str) -> PathBuf {
        let file = self.packed(component);
        self.sign(&file).success();
        file
    }
}

/// A person with a list of those they trust.
fn person(trust: &str) -> Desk {
    let desk = Desk::new();
    trusts(&desk, trust);
    desk
}

fn trusts(desk: &Desk, trust: &str) {
    let folder = desk.home().join(".config/palisade");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("trust.toml"), trust).unwrap();
}

fn signer(author: &Author) -> String {
    let key = &author.key;
    format!("[[signer]]\nname = \"Ann\"\nkey = \"{key}\"\nsources = [\"*\"]\n")
}

fn listed(desk: &Desk) -> serde_json::Value {
    desk.palisade(["list", "--json"]).output().success().json()
}

/// A call that nobody is to be asked about.
fn call(desk: &Desk) -> Finished {
    desk.palisade(["grant", "notes", "--tool", "env=allow"])
        .output();
    desk.palisade(["call", "notes", "env"]).output()
}

#[test]
fn a_key_is_made_once_and_for_its_owner_alone() {
    let author = Author::new();
    let file = author.desk.home().join(".config/palisade/signing.key");
    let mode = file.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let before = fs::read(&file).unwrap();
    let again = author.desk.palisade(["keygen"]).output();
    assert_eq!(again.code, Some(FAILED), "{again:?}");
    assert!(again.stderr.contains("is there already"), "{again:?}");
    assert_eq!(fs::read(&file).unwrap(), before);
    // OpenSSH says the same of keys that others can read.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let plugin = author.packed("escapes");
    let open = author.sign(&plugin);
    assert_eq!(open.code, Some(FAILED), "{open:?}");
    assert!(open.stderr.contains("chmod 600"), "{open:?}");
}

#[test]
fn the_card_the_lock_and_the_list_say_who_it_was() {
    let author = Author::new();
    let file = author.packed("escapes");
    let signed = author.sign(&file).success();
    assert!(signed.stdout.contains(&author.key), "{signed:?}");
    assert!(signed.stdout.contains("palisade push"), "{signed:?}");
    let again = author.sign(&file);
    assert!(
        again.stderr.contains("signed by this key already"),
        "{again:?}"
    );

    let stranger = Desk::new();
    let card = stranger.install(&file, &[]).success();
    let says = format!("by key {}, not in your trust list", author.key);
    assert!(card.stdout.contains(&says), "{card:?}");
    assert_eq!(
        listed(&stranger)[0]["signer"],
        format!("key {}", author.key)
    );

    let friend = person(&signer(&author));
    let inspected = friend.palisade(["inspect"]).arg(&file).output().success();
    assert!(
        inspected.stdout.contains("matches your trust list: Ann"),
        "{inspected:?}"
    );
    let card = friend.install(&file, &[]).success();
    assert!(
        card.stdout.contains("matches your trust list: Ann"),
        "{card:?}"
    );
    assert!(card.stdout.contains("A folder of notes"), "{card:?}");
    let shown = friend.palisade(["inspect", "notes", "--json"]);
    let shown = shown.output().success().json();
    assert!(shown["signed"].to_string().contains("Ann"), "{shown}");
    call(&friend).success();
}

#[test]
fn what_was_changed_after_it_was_signed_is_refused() {
    let author = Author::new();
    let good = fs::read(author.signed("escapes")).unwrap();
    let plain = fs::read(author.packed("escapes")).unwrap();
    let section = good.len() - plain.len();
    let mut tampered = good.clone();
    *tampered.last_mut().unwrap() ^= 1;
    let appended = [&good[..], b"\0\x05\x04more"].concat();
    let late = [&plain[..], &good[8..8 + section]].concat();
    let twice = [&good[..8 + section], &good[8..]].concat();
    let desk = Desk::new();
    let file = desk.home().join("notes.wasm");
    for (bytes, why) in [
        (tampered, "has been changed after it was signed"),
        (appended, "has been changed after it was signed"),
        (late, "not at the beginning"),
        (twice, "there twice"),
    ] {
        fs::write(&file, bytes).unwrap();
        let refused = desk.install(&file, &["--json"]);
        assert_eq!(refused.code, Some(REFUSED), "{why}: {refused:?}");
        assert!(refused.stderr.contains(why), "{why}: {refused:?}");
    }
    // A part of it is no plugin, signed or not.
    fs::write(&file, &good[..good.len() / 2]).unwrap();
    let refused = desk.install(&file, &["--json"]);
    assert_eq!(refused.code, Some(FAILED), "{refused:?}");
    assert_eq!(listed(&desk), serde_json::json!([]));
    // Taken away altogether, it is nobody's.
    fs::write(&file, [&good[..8], &good[8 + section..]].concat()).unwrap();
    let card = desk.install(&file, &[]).success();
    assert!(card.stdout.contains("by nobody"), "{card:?}");
}

#[test]
fn what_has_to_be_signed_by_somebody_who_may_is() {
    let (author, other) = (Author::new(), Author::new());
    let trust = format!("require-signature = true\n{}", signer(&author));
    let desk = person(&trust);
    for file in [author.packed("escapes"), other.signed("escapes")] {
        let refused = desk.install(&file, &["--json"]);
        assert_eq!(refused.code, Some(REFUSED), "{refused:?}");
        assert!(refused.stderr.contains("has to be signed"), "{refused:?}");
        assert_eq!(refused.stderr.lines().count(), 2, "{refused:?}");
    }
    assert_eq!(listed(&desk), serde_json::json!([]));
    // Several may sign one file, and one of them who may is enough.
    let file = author.signed("escapes");
    other.sign(&file).success();
    let card = desk.install(&file, &[]).success();
    assert!(
        card.stdout.contains("matches your trust list: Ann"),
        "{card:?}"
    );

    // What was said later counts for what was installed before.
    trusts(
        &desk,
        &format!(
            "require-signature = true\n{}",
            signer(&other).replace("Ann", "Bob")
        ),
    );
    let refused = call(&desk);
    assert_eq!(refused.code, Some(REFUSED), "{refused:?}");
    assert!(refused.stderr.contains("has to be signed"), "{refused:?}");
    let verified = desk.palisade(["verify"]).output();
    assert_eq!(verified.code, Some(FAILED), "{verified:?}");
    assert!(
        verified.stderr.contains("notes: it has to be signed")
            && verified.stderr.contains("trust.toml"),
        "{verified:?}"
    );
    let doctor = desk.palisade(["doctor"]).output();
    assert!(
        doctor.stdout.contains("notes has to be signed"),
        "{doctor:?}"
    );
    trusts(&desk, &trust);
    call(&desk).success();
    desk.palisade(["verify"]).output().success();
}

#[test]
fn an_update_by_somebody_else_is_nothing_in_passing() {
    let (author, other) = (Author::new(), Author::new());
    let desk = person(&signer(&author));
    let file = desk.home().join("notes.wasm");
    fs::copy(author.signed("escapes"), &file).unwrap();
    desk.install(&file, &[]).success();
    let update = |more: &[&str]| {
        let arguments = ["update", "notes"].iter().chain(more).copied();
        desk.palisade(arguments).output()
    };
    for next in [other.signed("escapes"), other.packed("escapes")] {
        fs::copy(next, &file).unwrap();
        let refused = update(&[]);
        assert_eq!(refused.code, Some(REFUSED), "{refused:?}");
        assert!(refused.stdout.contains("signed by  key"), "{refused:?}");
        assert!(
            refused.stderr.contains("matches your trust list: Ann"),
            "{refused:?}"
        );
        assert!(refused.stderr.contains("--accept sha256:"), "{refused:?}");
        assert_eq!(listed(&desk)[0]["signer"], format!("key {}", author.key));
    }
    let json = update(&["--json"]);
    assert_eq!(json.code, Some(REFUSED), "{json:?}");
    update(&["--accept", json.json()["digest"].as_str().unwrap()]).success();
    assert!(listed(&desk)[0]["signer"].is_null());
    // Nobody was trusted with it any more; a new signer still takes a yes.
    fs::copy(other.signed("escapes"), &file).unwrap();
    let refused = update(&[]);
    assert_eq!(refused.code, Some(REFUSED), "{refused:?}");
    assert!(refused.stdout.contains("signed by  nobody"), "{refused:?}");
}

#[test]
fn a_list_that_is_not_understood_stops_everything() {
    let author = Author::new();
    let desk = Desk::new();
    desk.install(&author.signed("escapes"), &[]).success();
    let list = desk.home().join(".config/palisade/trust.toml");
    for (text, mode, why) in [
        (
            "require-signatures = true\n",
            0o600,
            "line 1: unknown field",
        ),
        (
            "[[signer]]\nname = \"a\"\nkey = \"x\"\nsources = []\n",
            0o600,
            "line 1",
        ),
        ("", 0o622, "others can write to it"),
    ] {
        fs::write(&list, text).unwrap();
        fs::set_permissions(&list, fs::Permissions::from_mode(mode)).unwrap();
        let file = author.packed("shows-roots").display().to_string();
        for command in [
            vec!["call", "notes", "env"],
            vec!["install", &file, "--json"],
        ] {
            let refused = desk.palisade(command.iter().copied()).output();
            assert_eq!(refused.code, Some(FAILED), "{refused:?}");
            assert!(refused.stderr.contains(why), "{why}: {refused:?}");
            assert!(refused.stderr.lines().count() <= 2, "{refused:?}");
        }
    }
}

#[test]
fn the_list_in_the_guide_is_understood() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/installing.md");
    let guide = fs::read_to_string(guide).unwrap();
    let list = guide.split("```toml\n").nth(1).unwrap();
    let list = list.split("```").next().unwrap();
    assert!(list.contains("require-signature"), "{list}");
    let desk = person(list);
    desk.palisade(["verify"]).output().success();
    let install = desk.install(&desk.notes(), &[]);
    install.success();
    // A key that is cut short is one that is not understood.
    trusts(&desk, &list.replacen("AxZuE=", "", 1));
    assert_eq!(desk.palisade(["verify"]).output().code, Some(FAILED));
}
