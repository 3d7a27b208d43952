//! A client may start the host on whatever streams its platform gives it.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};

use palisade_tests::{Palisade, Wiring, plugin, rpc};
use serde_json::json;

fn a_session_works_over(wiring: Wiring) {
    let mut session = Palisade::run(plugin("hello")).start_on(wiring);
    session.initialize("2025-11-25");
    let result = session.call("greet", json!({"name": "Ada"}));
    assert_eq!(rpc::tool_text(&result), "Hello, Ada!");
    let finished = session.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(finished.stdout, "");
}

#[test]
fn pipes() {
    a_session_works_over(Wiring::Pipes);
}

#[test]
fn a_socket_each_as_node_does_it() {
    a_session_works_over(Wiring::Sockets);
}

#[test]
fn one_socket_for_both() {
    a_session_works_over(Wiring::OneSocket);
}

#[test]
fn files() {
    let mut input = tempfile::tempfile().unwrap();
    for message in [
        rpc::request(1, "initialize", rpc::hello("2025-11-25")),
        rpc::request(2, "tools/call", rpc::tool("greet", json!({"name": "Ada"}))),
    ] {
        writeln!(input, "{message}").unwrap();
    }
    input.rewind().unwrap();
    let mut output = tempfile::tempfile().unwrap();
    let finished = Palisade::run(plugin("hello")).output_with(input, output.try_clone().unwrap());
    assert_eq!(finished.code, Some(0), "{finished:?}");

    output.rewind().unwrap();
    let mut text = String::new();
    output.read_to_string(&mut text).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2, "{text}");
    let greeting = lines.iter().find(|line| line["id"] == 2).unwrap();
    assert_eq!(rpc::tool_text(rpc::result(greeting)), "Hello, Ada!");
}

/// Nothing comes from `/dev/null`, which is neither a pipe nor a file.
#[test]
fn no_input_at_all() {
    let nothing = File::open("/dev/null").unwrap();
    let output = tempfile::tempfile().unwrap();
    let finished = Palisade::run(plugin("hello")).output_with(nothing, output);
    assert_eq!(finished.code, Some(0), "{finished:?}");
}
