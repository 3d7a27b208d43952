//! A reference server, to be compared with; that of files is from npm, one exact
//! version, installed when it is first needed.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use palisade_tests::rpc;
use serde_json::{Value, json};

/// The benchmark measures the same one, so it is pinned there.
const PACKAGE: &str = include_str!("../bench/npm/package.json");
const LOCK: &str = include_str!("../bench/npm/package-lock.json");
const ENTRY: &str = "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";

/// Written last, so that half an installation is not taken for one.
const DONE: &str = "installed.json";

/// A running reference server.
pub(crate) struct Reference {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Reference {
    /// Starts it on one directory; none where there is no Node.js, without
    /// which Palisade itself is built and tested.
    pub(crate) fn start(directory: &Path) -> Option<Self> {
        let mut command = Command::new("node");
        command.arg(installed()?).arg(directory);
        Some(Self::of(command))
    }

    /// Starts one that speaks over its standard input and output.
    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self {
            child,
            input,
            output,
            last_id: 0,
        };
        server.ask("initialize", rpc::hello("2025-06-18"));
        let initialized = rpc::notification("notifications/initialized", Value::Null);
        server.send(&initialized);
        server
    }

    /// Its tools, as it describes them.
    pub(crate) fn tools(&mut self) -> Vec<Value> {
        let listed = self.ask("tools/list", json!({}));
        listed["tools"].as_array().unwrap().clone()
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", rpc::tool(tool, arguments))
    }

    /// The answer to any request.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        self.send(&rpc::request(self.last_id, method, params));
        loop {
            let mut line = String::new();
            let length = self.output.read_line(&mut line).unwrap();
            assert_ne!(length, 0, "the reference server has ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == self.last_id {
                return rpc::result(&message).clone();
            }
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The script to give to node.
fn installed() -> Option<PathBuf> {
    if Command::new("npm").arg("--version").output().is_err() {
        eprintln!("not compared: there is no Node.js with npm on this machine");
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tests-npm");
    fs::create_dir_all(&folder).unwrap();
    // Tests are processes or threads; one of them installs.
    let turn = File::create(folder.join("lock")).unwrap();
    turn.lock().unwrap();
    let done = folder.join(DONE);
    if fs::read_to_string(&done).is_ok_and(|lock| lock == LOCK) {
        return Some(folder.join(ENTRY));
    }
    fs::write(folder.join("package.json"), PACKAGE).unwrap();
    fs::write(folder.join("package-lock.json"), LOCK).unwrap();
    let output = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "npm can't install the reference server: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    fs::write(done, LOCK).unwrap();
    Some(folder.join(ENTRY))
}
