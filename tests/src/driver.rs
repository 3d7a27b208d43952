//! Programs in other languages that drive a client and say what they saw.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::process::Process;

/// Runs a program to its end; the JSON in the last line that it printed.
///
/// # Panics
///
/// If it can't be started, does not end in time, or ends without such a line.
#[track_caller]
pub fn drive(command: &mut Command) -> Value {
    // Files, so that nobody needs to read meanwhile.
    let [stdout, stderr] =
        [(); 2].map(|()| tempfile::tempfile().expect("temporary files can be made"));
    let for_child = |file: &File| Stdio::from(file.try_clone().expect("handles can be copied"));
    let child = command
        .stdin(Stdio::null())
        .stdout(for_child(&stdout))
        .stderr(for_child(&stderr))
        .spawn();
    let child = child.unwrap_or_else(|error| {
        panic!(
            "{} can't be started: {error}",
            command.get_program().display()
        )
    });
    let status = Process::new(child).wait();
    let (stdout, stderr) = (text(stdout), text(stderr));
    let last = stdout.trim_end().lines().next_back().unwrap_or_default();
    match serde_json::from_str(last) {
        Ok(seen) => seen,
        Err(_) => panic!("it says nothing of what it saw ({status})\n{stdout}\n{stderr}"),
    }
}

fn text(mut file: File) -> String {
    let mut bytes = Vec::new();
    file.rewind()
        .and_then(|()| file.read_to_end(&mut bytes))
        .expect("it is open");
    String::from_utf8_lossy(&bytes).into_owned()
}
