//! Granting a place in the network, and looking at what that gives.

use std::fs;
use std::path::PathBuf;

use palisade_tests::{Palisade, guest};
use serde_json::json;
use tempfile::TempDir;

/// Mallory with a manifest beside it.
fn asking(network: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mallory.wasm");
    fs::copy(guest("mallory"), &file).unwrap();
    let manifest = format!("[plugin]\nname = \"mallory\"\n{network}");
    fs::write(folder.path().join("palisade.toml"), manifest).unwrap();
    (folder, file)
}

#[test]
fn inspect_shows_what_is_asked_for_granted_and_holds() {
    let (_folder, file) = asking(
        "[[network]]\nto = \"https://api.example.com\"\n\
         [[network]]\nto = \"https://cdn.example.com\"\nmethods = [\"GET\"]\n\
         [[network]]\nto = \"https://never.test\"\n",
    );
    let command = Palisade::inspect(&file)
        .arg("--allow")
        .arg("https://*.example.com")
        .arg("--allow")
        .arg("https://unasked.test")
        .arg("--json");
    let seen = command.output().success().json();
    let rows: Vec<_> = seen["permissions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["what"] == "network")
        .map(|row| json!([row["asked"], row["granted"], row["effective"], row["why"]]))
        .collect();
    assert_eq!(
        rows,
        [
            json!([
                "https://api.example.com",
                "https://*.example.com",
                "https://api.example.com",
                "asks for less"
            ]),
            json!([
                "GET https://cdn.example.com",
                "https://*.example.com",
                "GET https://cdn.example.com",
                "asks for less"
            ]),
            json!(["https://never.test", null, null, "not granted"]),
            json!([null, "https://unasked.test", null, "not asked for"]),
        ]
    );
}

#[test]
fn what_has_no_effect_is_a_warning() {
    let (_folder, file) = asking("");
    let finished = Palisade::run(&file)
        .arg("--allow")
        .arg("https://a.test")
        .output();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let line = "https://a.test is granted but mallory does not get it: not asked for";
    assert!(finished.stderr.contains(line), "{}", finished.stderr);
}

#[test]
fn rules_that_are_none_are_usage_errors() {
    for (rule, why) in [
        ("api.example.com", "which has no scheme"),
        ("https://api.example.com/", "ends in a slash"),
        ("tcp://db.example.com", "which has no port"),
        ("get https://a.test", "not a method in upper case"),
        ("https://127.1", "not four plain numbers"),
        (
            "mallory/https://a.test",
            "there is one plugin, which is not named here",
        ),
    ] {
        let finished = Palisade::run(guest("mallory"))
            .arg("--allow")
            .arg(rule)
            .output();
        assert_eq!(finished.code, Some(2), "{rule}: {}", finished.stderr);
        assert!(finished.stderr.contains(why), "{rule}: {}", finished.stderr);
    }
    let finished = Palisade::run(guest("mallory"))
        .arg("--resolver")
        .arg("dns.test")
        .output();
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("give an IP address"),
        "{}",
        finished.stderr
    );
}

#[test]
fn beside_others_a_rule_says_for_whom_it_is() {
    let file = guest("mallory").display().to_string();
    let both = || Palisade::run_several([format!("ada={file}"), format!("bob={file}")]);
    let finished = both().arg("--allow").arg("GET https://a.test").output();
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    let remedy = "write --allow 'ada/GET https://a.test'";
    assert!(finished.stderr.contains(remedy), "{}", finished.stderr);
    let finished = both().arg("--allow").arg("eve/https://a.test").output();
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
}

#[test]
fn without_certificates_https_can_not_be_granted() {
    let command = Palisade::run(guest("mallory"))
        .env("SSL_CERT_FILE", "/nowhere/certificates.pem")
        .arg("--allow");
    let finished = command.clone().arg("https://a.test").output();
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    let begins = "palisade: mallory can't reach what it is granted: ";
    assert!(finished.stderr.contains(begins), "{}", finished.stderr);
    // Without TLS nobody needs them.
    let finished = command
        .arg("http://a.test")
        .arg("--resolver")
        .arg("127.0.0.1")
        .output();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}
