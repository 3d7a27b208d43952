//! One `palisade run`, which serves one version of the plugin.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::lines::{Line, next};
use super::proxy::Event;
use super::told::Call;
use crate::compiler::this_program;

/// Longest line of a host that is passed on, in bytes: the largest results, and
/// what JSON makes of them.
const MOST: u64 = 512 * 1024 * 1024;

/// How often a process that has closed its streams is asked whether it is gone.
const ASK_AGAIN: Duration = Duration::from_millis(10);

/// A running `palisade run`.
pub(super) struct Host {
    child: Arc<Mutex<Child>>,
    input: Option<Sender<Vec<u8>>>,
    /// What it serves.
    pub(super) file: PathBuf,
    /// Requests of the client that it has not answered, by their ids.
    pub(super) pending: BTreeMap<String, Pending>,
    /// Ids whose answers are not for the client any more.
    pub(super) unwanted: BTreeSet<String>,
    /// Subscriptions that it took over, whose acknowledgements the client has.
    pub(super) acknowledged: BTreeSet<String>,
}

/// A request that is not answered yet.
pub(super) struct Pending {
    pub(super) method: String,
    /// If it is a call, to be told about.
    pub(super) call: Option<Call>,
}

impl Host {
    /// Starts one. What it says comes as events of this generation.
    pub(super) fn start(
        file: &Path,
        flags: &[OsString],
        generation: u32,
        events: &SyncSender<Event>,
    ) -> std::io::Result<Self> {
        let mut child = Command::new(this_program())
            .arg("run")
            .arg(file)
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let child = Arc::new(Mutex::new(child));
        let (input, lines) = channel::<Vec<u8>>();
        thread::spawn(move || {
            let Some(mut stdin) = stdin else { return };
            for line in lines {
                // Its end is told by whoever reads it.
                if stdin.write_all(&line).is_err() {
                    return;
                }
            }
        });
        let (events, process) = (events.clone(), Arc::clone(&child));
        thread::spawn(move || {
            if let Some(stdout) = stdout {
                let mut reader = BufReader::new(stdout);
                while let Line::Whole(line) = next(&mut reader, MOST) {
                    if events.send(Event::Host(generation, line)).is_err() {
                        return;
                    }
                }
            }
            while let Ok(None) = lock(&process).try_wait() {
                #[allow(
                    clippy::disallowed_methods,
                    reason = "a thread of its own; waiting for the end would keep others from killing it"
                )]
                thread::sleep(ASK_AGAIN);
            }
            // Nobody is there to be told.
            let _ = events.send(Event::HostEnd(generation));
        });
        Ok(Self {
            child,
            input: Some(input),
            file: file.to_owned(),
            pending: BTreeMap::new(),
            unwanted: BTreeSet::new(),
            acknowledged: BTreeSet::new(),
        })
    }

    /// Sends a line.
    pub(super) fn send(&self, line: &[u8]) {
        if let Some(input) = &self.input {
            // If it has ended, that is told as an event.
            let _ = input.send([line, b"\n"].concat());
        }
    }

    /// Lets it end: what runs has some seconds more.
    pub(super) fn close(&mut self) {
        self.input = None;
    }

    /// Ends it.
    pub(super) fn kill(&self) {
        // It may have ended by itself.
        let _ = lock(&self.child).kill();
    }
}

fn lock(child: &Mutex<Child>) -> std::sync::MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}
