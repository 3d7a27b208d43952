//! Connections are kept for their plugin, and used by no other.

use palisade_tests::internet::{Internet, Web, ok};
use palisade_tests::stage::open;
use palisade_tests::{Palisade, guest, rpc};
use serde_json::json;

use super::get;

#[test]
fn one_plugin_uses_its_connection_again() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(|_, pipe| ok(pipe, "fine"));
    let url = format!("http://api.test:{}", server.port());
    let mut session = open(&internet.run(&[&format!("private:{url}")]));
    for _ in 0..5 {
        get(&mut session, &url).unwrap();
    }
    assert_eq!(server.connections(), 1);
}

#[test]
fn another_plugin_has_its_own() {
    let internet = Internet::new();
    internet.names.here("api.test");
    let server = Web::plain(|_, pipe| ok(pipe, "fine"));
    let url = format!("http://api.test:{}", server.port());
    let file = guest("mallory").display().to_string();
    let command = Palisade::run_several([
        format!("ada={file}"),
        format!("bob={file}"),
        format!("eve={file}"),
    ]);
    let rules = [format!("ada/private:{url}"), format!("bob/private:{url}")];
    let rules: Vec<_> = rules.iter().map(String::as_str).collect();
    let mut session = open(&internet.reach(command, &rules));
    let arguments = json!({"method": "GET", "url": url});
    for _ in 0..3 {
        for plugin in ["ada", "bob"] {
            let result = session.call(&format!("{plugin}__http"), arguments.clone());
            assert!(rpc::tool_text(&result).starts_with("200\n"));
        }
        // What was granted to others is not granted to her, open or not.
        let result = session.call("eve__http", arguments.clone());
        assert!(
            rpc::tool_error(&result).starts_with("not permitted: "),
            "{result}"
        );
    }
    assert_eq!(server.connections(), 2);
}
