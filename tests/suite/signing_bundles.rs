//! Sigstore bundles that lie beside a plugin: beside a file, at an address, and in a
//! registry, by a key or by a name that a service vouches for.

use std::fs;
use std::path::{Path, PathBuf};

use palisade_tests::guest;
use palisade_tests::oci::Registry;
use palisade_tests::sigstore::{Flaw, OwnKey, SERVICE, Sigstore};
use serde_json::Value;

use crate::install_stage::{Desk, NOTES};
use crate::mistakes::{FAILED, REFUSED};

/// A workflow that signs.
const RELEASE: &str = "https://forge.test/team/notes/release.yml@refs/tags/v1";

fn packed(desk: &Desk, component: &str) -> PathBuf {
    let source = desk.source(&guest(component), NOTES);
    let file = desk.home().join("notes.wasm");
    let pack = desk.palisade(["pack"]).arg(source.parent().unwrap());
    pack.arg("-o").arg(&file).output().success();
    file
}

fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".sigstore.json");
    name.into()
}

fn trusts(desk: &Desk, sigstore: &Sigstore, more: &str) {
    let folder = desk.home().join(".config/palisade");
    fs::create_dir_all(&folder).unwrap();
    let root = folder.join("root.json");
    fs::write(&root, sigstore.trusted_root()).unwrap();
    let text = format!("trusted-root = \"{}\"\n{more}", root.display());
    fs::write(folder.join("trust.toml"), text).unwrap();
}

fn team() -> String {
    let identity = "https://forge.test/team/notes/release.yml@refs/tags/*";
    format!(
        "[[signer]]\nname = \"the team\"\nidentity = \"{identity}\"\nissuer = \"{SERVICE}\"\n\
         sources = [\"*\"]\n"
    )
}

fn listed(desk: &Desk) -> Value {
    desk.palisade(["list", "--json"]).output().success().json()
}

#[test]
fn by_a_name_that_a_service_vouches_for() {
    let (desk, sigstore) = (Desk::new(), Sigstore::new());
    let file = packed(&desk, "escapes");
    let bytes = fs::read(&file).unwrap();
    fs::write(beside(&file), sigstore.sign(&bytes, RELEASE)).unwrap();
    // Whose authorities are not known, nobody is known by.
    let stranger = desk.palisade(["install"]).arg(&file).output();
    assert_eq!(stranger.code, Some(REFUSED), "{stranger:?}");
    trusts(&desk, &sigstore, "");
    let inspected = desk.palisade(["inspect"]).arg(&file).output().success();
    let says = format!("by {RELEASE} (by {SERVICE}), not in your trust list");
    assert!(inspected.stdout.contains(&says), "{inspected:?}");
    trusts(
        &desk,
        &sigstore,
        &format!("require-signature = true\n{}", team()),
    );
    let card = desk.install(&file, &[]).success();
    assert!(
        card.stdout.contains("matches your trust list: the team"),
        "{card:?}"
    );
    assert_eq!(listed(&desk)[0]["signer"], format!("{RELEASE} ({SERVICE})"));
    desk.palisade(["verify"]).output().success();
}

#[test]
fn what_does_not_hold_is_refused() {
    let (desk, sigstore) = (Desk::new(), Sigstore::new());
    trusts(&desk, &sigstore, &team());
    let file = packed(&desk, "escapes");
    let bytes = fs::read(&file).unwrap();
    let good = sigstore.sign(&bytes, RELEASE);
    let other = sigstore.sign(b"another plugin", RELEASE);
    let foreign = Sigstore::new().sign(&bytes, RELEASE);
    let bad = |flaw| sigstore.sign_badly(&bytes, RELEASE, flaw);
    let mut bundles = vec![
        ("of something else", other),
        ("by others", foreign),
        ("expired", bad(Flaw::Expired)),
        ("not in the log", bad(Flaw::NotInTheLog)),
        ("unlogged", bad(Flaw::UnloggedCertificate)),
        ("empty", String::new()),
        ("no bundle", "{}".to_owned()),
        ("long", format!("{good}{}", " ".repeat(2 << 20))),
    ];
    // One part after another belongs to something else.
    let elsewhere: Value =
        serde_json::from_str(&sigstore.sign(&bytes, "https://forge.test/evil/a.yml@refs/tags/v1"))
            .unwrap();
    for part in ["verificationMaterial", "messageSignature"] {
        let mut mixed: Value = serde_json::from_str(&good).unwrap();
        mixed[part] = elsewhere[part].clone();
        bundles.push((part, mixed.to_string()));
    }
    for part in ["certificate", "tlogEntries"] {
        let mut mixed: Value = serde_json::from_str(&good).unwrap();
        mixed["verificationMaterial"][part] = elsewhere["verificationMaterial"][part].clone();
        bundles.push((part, mixed.to_string()));
    }
    for (what, bundle) in bundles {
        fs::write(beside(&file), bundle).unwrap();
        let refused = desk.install(&file, &["--json"]);
        assert_ne!(refused.code, Some(0), "{what}: {refused:?}");
        assert!(refused.stderr.lines().count() <= 2, "{what}: {refused:?}");
        assert_eq!(listed(&desk), serde_json::json!([]), "{what}");
    }
    // By somebody else it holds, and is not the team's.
    fs::write(beside(&file), elsewhere.to_string()).unwrap();
    let card = desk.install(&file, &[]).success();
    assert!(card.stdout.contains("not in your trust list"), "{card:?}");
}

#[test]
fn by_a_key_that_somebody_looks_after() {
    let (desk, sigstore, key) = (Desk::new(), Sigstore::new(), OwnKey::new());
    let file = packed(&desk, "escapes");
    let bytes = fs::read(&file).unwrap();
    fs::write(beside(&file), sigstore.log(&bytes, &key)).unwrap();
    let pem = key.public().replace('\n', "\\n");
    let signer = format!("[[signer]]\nname = \"Ann\"\nkey = \"{pem}\"\nsources = [\"*\"]\n");
    trusts(
        &desk,
        &sigstore,
        &format!("require-signature = true\n{signer}"),
    );
    let card = desk.install(&file, &[]).success();
    assert!(
        card.stdout.contains("matches your trust list: Ann"),
        "{card:?}"
    );
    // Of another key it is a claim, of which nothing is believed.
    let other = sigstore.log(&bytes, &OwnKey::new());
    fs::write(beside(&file), other).unwrap();
    let refused = desk.install(&file, &["--name", "other"]);
    assert_eq!(refused.code, Some(REFUSED), "{refused:?}");
    assert!(refused.stderr.contains("has to be signed"), "{refused:?}");
}

#[test]
fn through_a_registry() {
    let registry = Registry::open();
    let (author, person, sigstore) = (Desk::new(), Desk::new(), Sigstore::new());
    trusts(&author, &sigstore, "");
    let reference = registry.reference("team/notes:1");
    let all = reference.replace("notes:1", "*");
    let trust = format!("require-signature = [\"{all}\"]\n{}", team());
    trusts(&person, &sigstore, &trust);
    let push = |component: &str, identity: Option<&str>| {
        let file = packed(&author, component);
        let command = author.palisade(["push"]).arg(&file).arg(&reference);
        let command = match identity {
            None => command,
            Some(identity) => {
                let bundle = author.home().join("bundle.json");
                let signed = sigstore.sign(&fs::read(&file).unwrap(), identity);
                fs::write(&bundle, signed).unwrap();
                command.arg("--bundle").arg(bundle)
            }
        };
        command.output()
    };
    push("escapes", None).success();
    let refused = person.palisade(["install", &reference]).output();
    assert_eq!(refused.code, Some(REFUSED), "{refused:?}");
    assert!(refused.stderr.contains("has to be signed"), "{refused:?}");

    push("escapes", Some(RELEASE)).success();
    let card = person.palisade(["install", &reference]).output().success();
    assert!(
        card.stdout.contains("matches your trust list: the team"),
        "{card:?}"
    );

    // The tag leads elsewhere now, and that is signed by somebody else.
    push(
        "shows-roots",
        Some("https://forge.test/evil/a.yml@refs/tags/v1"),
    )
    .success();
    let update = person.palisade(["update", "notes"]).output();
    assert_eq!(update.code, Some(REFUSED), "{update:?}");
    assert!(update.stderr.contains("has to be signed"), "{update:?}");
    person.palisade(["verify"]).output().success();

    // A bundle of something else is not even pushed.
    let file = packed(&author, "escapes");
    let bundle = author.home().join("bundle.json");
    fs::write(&bundle, sigstore.sign(b"another", RELEASE)).unwrap();
    let push = author.palisade(["push"]).arg(&file).arg(&reference);
    let refused = push.arg("--bundle").arg(&bundle).output();
    assert_eq!(refused.code, Some(FAILED), "{refused:?}");
    assert!(refused.stderr.contains("nothing is pushed"), "{refused:?}");
}
