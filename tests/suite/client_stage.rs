//! What the tests of clients' configurations share: starting what an entry says, as
//! a client does it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use palisade_tests::{Palisade, palisade, rpc};
use serde_json::{Value, json};

/// Ends when the test does, however that ends.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts an entry (`command`, `args`, `env`) with little more than a home, as a
/// desktop does it; speaks to it, and gives the answers to `initialize` and to these
/// calls of tools. None, if it ends instead.
pub(crate) fn start(entry: &Value, home: &Path, calls: &[(&str, Value)]) -> Option<Vec<Value>> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut command = Command::new(text(&entry["command"]));
    // Compiled code is where all tests have theirs; nothing else is theirs.
    let cache = Palisade::new([""; 0]).entry()["env"]["XDG_CACHE_HOME"].clone();
    command
        .args(entry["args"].as_array().unwrap().iter().map(text))
        .env_clear()
        .env("HOME", home)
        .env("PATH", palisade().parent().unwrap())
        .env("XDG_CACHE_HOME", text(&cache))
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    for (name, value) in entry["env"].as_object().into_iter().flatten() {
        command.env(name, text(value));
    }
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let _started = Started(child);
    let mut say = |message: Value| {
        // One that has ended already does not answer either.
        let _ = writeln!(input, "{message}");
    };
    let mut answer_to = |id: u64| {
        let lines = answers
            .by_ref()
            .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
        lines.into_iter().find(|message| message["id"] == id)
    };
    say(rpc::request(
        1,
        "initialize",
        json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "a client", "version": "1" },
        }),
    ));
    let mut got = vec![answer_to(1)?];
    say(rpc::notification("notifications/initialized", json!({})));
    for (id, (tool, arguments)) in (2..).zip(calls) {
        say(rpc::request(
            id,
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        ));
        got.push(answer_to(id)?);
    }
    Some(got)
}
