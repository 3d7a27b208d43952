//! A person is told what was refused, once, with what would allow it.

use palisade_tests::internet::{Internet, Web, ok};
use palisade_tests::stage::{open, refused};
use palisade_tests::{Palisade, guest};
use serde_json::json;

use super::{get, not_permitted};

#[test]
fn once_for_each_place_with_the_flag_that_allows_it() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(|_, pipe| ok(pipe, "fine"));
    let url = format!("http://api.test:{}", server.port());
    let mut session = open(&internet.run(&[]));
    for _ in 0..3 {
        let why = not_permitted(&mut session, &format!("{url}/a/b?secret=1"));
        assert_eq!(
            why,
            format!("not permitted: {url} is not in this plugin's grant")
        );
    }
    let line = format!("mallory was refused {url} (GET /a/b); to allow it: --allow 'GET {url}'");
    session.until_stderr(|said| said.contains(&line));
    let stderr = session.finish().stderr;
    assert_eq!(stderr.matches("was refused").count(), 1, "{stderr}");
    assert!(!stderr.contains("secret"), "{stderr}");

    // Word for word: then the name is allowed, and where it leads is not.
    let rule = format!("GET {url}");
    let mut session = open(&internet.run(&[&rule]));
    not_permitted(&mut session, &url);
    let rule = format!("GET private:{url}");
    let line = format!("to allow it: --allow '{rule}'");
    session.until_stderr(|said| said.contains(&line));
    let mut session = open(&internet.run(&[&rule]));
    get(&mut session, &url).unwrap();
    let stderr = session.finish().stderr;
    assert!(!stderr.contains("was refused"), "{stderr}");
}

#[test]
fn beside_others_with_the_plugins_name() {
    let internet = Internet::new();
    let file = guest("mallory").display().to_string();
    let command = Palisade::run_several([format!("ada={file}"), format!("bob={file}")]);
    let mut session = open(&internet.reach(command, &[]));
    let arguments = json!({"method": "GET", "url": "https://api.test/"});
    refused(&mut session, "bob__http", arguments);
    let line =
        "bob was refused https://api.test (GET /); to allow it: --allow 'bob/GET https://api.test'";
    session.until_stderr(|said| said.contains(line));
}

/// Whatever a plugin tries, it can't fill the log or steer the terminal.
#[test]
fn a_flood_of_them_is_cut_off() {
    let internet = Internet::new();
    let mut session = open(&internet.run(&[]));
    for number in 0..100 {
        get(&mut session, &format!("https://a{number}.test/%1b")).unwrap_err();
    }
    session.until_stderr(|said| said.contains("what else it is refused is not told"));
    let stderr = session.finish().stderr;
    assert_eq!(stderr.matches("was refused").count(), 32, "{stderr}");
    assert!(!stderr.contains('\u{1b}'), "{stderr}");
}

#[test]
fn sockets_and_names_too() {
    let internet = Internet::new();
    let mut session = open(&internet.run(&["tcp://db.test:1"]));
    refused(
        &mut session,
        "tcp_connect",
        json!({"address": "192.0.2.1:5432"}),
    );
    session.until_stderr(|said| {
        said.contains("refused tcp://192.0.2.1:5432; to allow it: --allow tcp://192.0.2.1:5432")
    });
    refused(&mut session, "resolve", json!({"name": "evil.test"}));
    session.until_stderr(|said| {
        said.contains("refused to look up evil.test; to allow it: --allow tcp://evil.test:PORT")
    });
    // Also where nothing but requests is granted.
    let mut session = open(&internet.run(&["https://api.test"]));
    refused(
        &mut session,
        "tcp_connect",
        json!({"address": "192.0.2.1:5432"}),
    );
    session.until_stderr(|said| said.contains("to allow it: --allow tcp://192.0.2.1:5432"));
}

/// Where there is no socket at all, nobody knows where it would have gone.
#[test]
fn sockets_that_were_never_made() {
    let internet = Internet::new();
    for (rules, tool, line) in [
        (
            &["https://api.test"][..],
            "udp_send",
            "refused datagrams (UDP); to allow it: --allow udp://HOST:PORT",
        ),
        (
            &[],
            "tcp_connect",
            "refused a connection (TCP); to allow it: --allow tcp://HOST:PORT",
        ),
    ] {
        let mut session = open(&internet.run(rules));
        for _ in 0..3 {
            refused(&mut session, tool, json!({"address": "192.0.2.1:53"}));
        }
        session.until_stderr(|said| said.contains(line));
        let stderr = session.finish().stderr;
        assert_eq!(stderr.matches("was refused").count(), 1, "{stderr}");
    }
}

/// What can't help is not proposed.
#[test]
fn no_flag_where_none_would_help() {
    let internet = Internet::new();
    internet.names.say("api.test", &[&["169.254.169.254"]]);
    let mut session = open(&internet.run(&["http://api.test"]));
    not_permitted(&mut session, "http://api.test/");
    session.until_stderr(|said| {
        said.contains("was refused http://api.test (GET /), which no rule can allow")
    });
}

/// An installed plugin is granted more by a command, which then works.
#[test]
fn of_an_installed_plugin_with_the_command_that_allows_it() {
    const MANIFEST: &str = "[plugin]\nname = \"notes\"\n\
        [[network]]\nto = \"http://*:*\"\nprivate = true\n\
        [[network]]\nto = \"tcp://db.test:5432\"\n";
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(|_, pipe| ok(pipe, "fine"));
    let url = format!("http://api.test:{}", server.port());
    let home = tempfile::tempdir().unwrap();
    let palisade =
        |arguments: &[&str]| Palisade::new(arguments.iter().copied()).env("HOME", home.path());
    let file = home.path().join("plugin.wasm");
    std::fs::copy(guest("mallory"), &file).unwrap();
    std::fs::write(home.path().join("palisade.toml"), MANIFEST).unwrap();
    palisade(&["install"]).arg(&file).output().success();
    let tools = ["--tool", "http=allow", "--tool", "resolve=allow"];
    palisade(&[&["grant", "notes"], &tools[..]].concat())
        .output()
        .success();

    for scheme in ["", "private:"] {
        let mut session = open(&internet.reach(palisade(&["run", "notes"]), &[]));
        not_permitted(&mut session, &url);
        let flag = format!("--allow 'GET {scheme}{url}'");
        let line = format!("to allow it: palisade grant notes {flag}");
        session.until_stderr(|said| said.contains(&line));
        refused(&mut session, "resolve", json!({"name": "db.test"}));
        refused(&mut session, "resolve", json!({"name": "evil.test"}));
        session.until_stderr(|said| {
            said.contains("look up db.test; to allow it: palisade grant notes --allow tcp://db.test:5432")
                && said.contains("look up evil.test; to allow it: palisade grant notes --allow http://evil.test:PORT")
        });
        let rule = format!("GET {scheme}{url}");
        palisade(&["grant", "notes", "--allow", &rule])
            .output()
            .success();
    }
    let mut session = open(&internet.reach(palisade(&["run", "notes"]), &[]));
    get(&mut session, &url).unwrap();
    let stderr = session.finish().stderr;
    assert!(!stderr.contains("was refused"), "{stderr}");
}
