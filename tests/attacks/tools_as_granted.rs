//! A grant may say which tools can be called; the rest is as good as not
//! there.

use std::fs;

use palisade_tests::stage::{Stage, done, open};
use palisade_tests::{Palisade, guest, rpc};
use serde_json::json;

fn granted(command: &Palisade, grant: &str) -> Palisade {
    let file = command.home().join("grant.toml");
    fs::write(&file, grant).unwrap();
    command.clone().grant(file)
}

#[test]
fn a_tool_that_is_denied_does_not_exist() {
    let stage = Stage::new();
    let command = Palisade::run(guest("escapes")).root("in", stage.inside(), "rw");
    let rules = "[tools]\n\"*\" = \"deny\"\n\"re*\" = \"allow\"\nread_link = \"deny\"\n";
    let mut session = open(&granted(&command, rules));
    let listed = session.ask("tools/list", json!({}));
    let mut names: Vec<_> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["read", "remove_dir", "rename"]);
    let a = json!({"path": "/in/a.txt"});
    assert_eq!(done(&mut session, "read", a.clone()), "the inside's a");
    for tool in ["delete", "read_link", "write"] {
        let response = session.ask("tools/call", rpc::tool(tool, a.clone()));
        assert_eq!(rpc::error_code(&response), -32602, "{tool}: {response}");
    }
    assert!(stage.inside().join("a.txt").exists());
}

#[test]
fn a_tool_goes_by_the_name_it_is_given() {
    let stage = Stage::new();
    let command = Palisade::run(guest("escapes")).root("in", stage.inside(), "rw");
    let rules = "[tools]\n\"*\" = \"deny\"\nread = { name = \"get\" }\n\
                 delete = { call = \"deny\", name = \"read\" }\n";
    let mut session = open(&granted(&command, rules));
    let listed = session.ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    let names: Vec<_> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["get"]);
    let a = json!({"path": "/in/a.txt"});
    assert_eq!(done(&mut session, "get", a.clone()), "the inside's a");
    for tool in ["read", "delete"] {
        let response = session.ask("tools/call", rpc::tool(tool, a.clone()));
        assert_eq!(rpc::error_code(&response), -32602, "{tool}: {response}");
    }
}

#[test]
fn no_two_tools_go_by_one_name() {
    let stage = Stage::new();
    let command = Palisade::run(guest("escapes")).root("in", stage.inside(), "rw");
    let rules = "[tools]\nread = { name = \"write\" }\n";
    let finished = granted(&command, rules).output();
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let says = "two of its tools would be called `write`";
    assert!(finished.stderr.contains(says), "{finished:?}");
}
