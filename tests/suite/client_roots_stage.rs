//! What the tests of client roots share: two granted folders, and clients that
//! say which of them they have open.

use std::fs;
use std::path::{Path, PathBuf};

use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};
use tempfile::TempDir;

/// `desk/` with folders in it, granted as `/desk`; `other/`, granted as
/// `/other`; `outside/`, which is not.
pub(crate) struct Folders(TempDir);

impl Folders {
    pub(crate) fn new() -> Self {
        let folders = Self(tempfile::tempdir().unwrap());
        for (file, text) in [
            ("desk/top.txt", "top"),
            ("desk/a/one.txt", "one"),
            ("desk/a/deep/two.txt", "two"),
            ("desk/b/three.txt", "three"),
            ("desk/My Folder/four.txt", "four"),
            ("other/five.txt", "five"),
            ("outside/secret.txt", "secret"),
        ] {
            let path = folders.path(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folders
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    /// As a client writes it.
    pub(crate) fn uri(&self, name: &str) -> String {
        uri(&self.path(name))
    }

    /// A plugin that shows its directories, and may use both.
    pub(crate) fn command(&self) -> Palisade {
        Palisade::run(guest("shows-roots"))
            .root("desk", self.path("desk"), "rw")
            .root("other", self.path("other"), "ro")
    }

    /// A list of roots.
    pub(crate) fn list(&self, names: &[&str]) -> Value {
        list(&names.iter().map(|name| self.uri(name)).collect::<Vec<_>>())
    }
}

pub(crate) fn uri(path: &Path) -> String {
    format!("file://{}", path.to_str().unwrap().replace(' ', "%20"))
}

/// The result of `roots/list`.
pub(crate) fn list<U: AsRef<str>>(uris: &[U]) -> Value {
    let roots: Vec<_> = uris
        .iter()
        .map(|uri| json!({"uri": uri.as_ref(), "name": "one of them"}))
        .collect();
    json!({ "roots": roots })
}

/// What a client says it can that has roots and can be asked.
pub(crate) fn can() -> Value {
    json!({"roots": {"listChanged": true}, "elicitation": {}})
}

/// Its parameters of `initialize`.
pub(crate) fn hello(version: &str) -> Value {
    let mut hello = rpc::hello(version);
    hello["capabilities"] = can();
    hello
}

/// Opens a session of a client that has roots. It has not been asked.
#[track_caller]
pub(crate) fn open(command: &Palisade, version: &str) -> Session {
    let mut session = command.start();
    rpc::result(&session.ask("initialize", hello(version)));
    session.notify("notifications/initialized", Value::Null);
    session
}

/// The same, with an answer to the first question.
#[track_caller]
pub(crate) fn opened(command: &Palisade, version: &str, roots: &Value) -> Session {
    let mut session = open(command, version);
    let asked = asked(&mut session);
    answer(&mut session, &asked, roots);
    session
}

/// The host's next message, which asks for the roots.
#[track_caller]
pub(crate) fn asked(session: &mut Session) -> Value {
    let message = session.receive().unwrap();
    assert_eq!(message["method"], "roots/list", "{message}");
    assert!(!message["id"].is_null(), "{message}");
    message
}

pub(crate) fn answer(session: &mut Session, question: &Value, result: &Value) {
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}));
}

/// Says that the roots are others, and which, once that is asked.
#[track_caller]
pub(crate) fn change(session: &mut Session, roots: &Value) {
    session.notify("notifications/roots/list_changed", Value::Null);
    let question = asked(session);
    answer(session, &question, roots);
}

/// Where the plugin has its directories.
#[track_caller]
pub(crate) fn mounts(session: &mut Session) -> String {
    rpc::tool_text(&session.call("mounts", json!({})))
}

/// Reads a file that is there.
#[track_caller]
pub(crate) fn read(session: &mut Session, path: &str) -> String {
    rpc::tool_text(&session.call("read", json!({ "path": path })))
}

/// Tries to read a file that is not there for the plugin.
#[track_caller]
pub(crate) fn missing(session: &mut Session, path: &str) {
    let result = session.call("read", json!({ "path": path }));
    let why = rpc::tool_error(&result);
    assert!(!why.contains("secret"), "{path}: {why}");
}
