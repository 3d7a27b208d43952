//! A running host, spoken to line by line or byte by byte.

use std::collections::VecDeque;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::io::Errno;
use serde_json::Value;
use tempfile::TempDir;

use crate::finished::Finished;
use crate::process::Process;
use crate::streams::{Incoming, any_ready, set_nonblocking};
use crate::{PATIENCE, rpc};

/// How long a compiler may take.
const COMPILING: Duration = Duration::from_secs(240);

/// A client that knows nothing but lines. All of it runs on the test's own
/// thread: it reads while it waits, and not otherwise.
#[derive(Debug)]
pub struct Session {
    /// The process, to be looked at or sent signals.
    pub process: Process,
    input: Option<OwnedFd>,
    output: Option<Incoming>,
    errors: Option<Incoming>,
    /// Messages that came while another was waited for.
    set_aside: VecDeque<Value>,
    next_id: u64,
    _home: Arc<TempDir>,
}

/// Our ends of a child's streams.
pub(crate) struct Streams {
    pub(crate) input: Option<OwnedFd>,
    pub(crate) output: Option<OwnedFd>,
    pub(crate) errors: Option<OwnedFd>,
}

impl Session {
    pub(crate) fn new(process: Process, streams: Streams, home: Arc<TempDir>) -> Self {
        if let Some(input) = &streams.input {
            set_nonblocking(input);
        }
        Self {
            process,
            input: streams.input,
            output: streams.output.map(Incoming::new),
            errors: streams.errors.map(Incoming::new),
            set_aside: VecDeque::new(),
            next_id: 1,
            _home: home,
        }
    }

    // Sending

    /// Sends a message as one line.
    ///
    /// # Panics
    ///
    /// As [`Self::send_bytes`].
    #[track_caller]
    pub fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    /// Sends a request under an id of its own, which is returned.
    ///
    /// # Panics
    ///
    /// As [`Self::send_bytes`].
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&rpc::request(id, method, params));
        id
    }

    /// Sends a notification.
    ///
    /// # Panics
    ///
    /// As [`Self::send_bytes`].
    #[track_caller]
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&rpc::notification(method, params));
    }

    /// Sends exactly these bytes. Reads meanwhile, as a good client does.
    ///
    /// # Panics
    ///
    /// If the host does not take them in time, or has ended.
    #[track_caller]
    pub fn send_bytes(&mut self, mut bytes: &[u8]) {
        let deadline = Instant::now() + PATIENCE;
        while !bytes.is_empty() {
            let sent = self.write_some(bytes);
            bytes = &bytes[sent..];
            if sent == 0 && !self.turn(true, true, deadline) {
                self.fail(&format!("the host took no more input within {PATIENCE:?}"));
            }
        }
    }

    /// Sends as many of these bytes as the host takes while nothing it writes
    /// is read; gives up when it has taken none for `patience`. Returns how
    /// many it took.
    ///
    /// # Panics
    ///
    /// If the host has ended.
    #[track_caller]
    pub fn send_deaf(&mut self, bytes: &[u8], patience: Duration) -> usize {
        let mut sent = 0;
        loop {
            sent += self.write_some(&bytes[sent..]);
            let input = self.input.as_ref().expect("the input is open").as_fd();
            let wait = [(input, PollFlags::OUT)];
            if sent == bytes.len() || !any_ready(&wait, Instant::now() + patience) {
                return sent;
            }
        }
    }

    /// Waits until the host has read all that was sent, so that what is sent
    /// next comes to it in a read of its own.
    ///
    /// # Panics
    ///
    /// If it does not read in time.
    #[track_caller]
    pub fn until_read(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let input = self.input.as_ref().expect("the input is open");
            let left = rustix::io::ioctl_fionread(input).expect("pipes know how full they are");
            if left == 0 {
                return;
            }
            if Instant::now() > deadline {
                self.fail(&format!(
                    "the host did not read its input within {PATIENCE:?}"
                ));
            }
            // No event tells when a pipe has been emptied.
            std::thread::yield_now();
        }
    }

    /// Waits until the host has used this much CPU time since it started: a
    /// guest that computes is at it then.
    ///
    /// # Panics
    ///
    /// If it does not come to that.
    #[track_caller]
    pub fn until_busy(&mut self, cpu_time: Duration) {
        let deadline = Instant::now() + PATIENCE;
        while self.process.cpu_time() < cpu_time {
            if Instant::now() > deadline {
                self.fail("the host is idle");
            }
            // No event tells how much a process has computed.
            std::thread::yield_now();
        }
    }

    /// Closes our end of the host's standard output, unread.
    pub fn close_output(&mut self) {
        self.output = None;
    }

    /// Ends the host's standard input.
    pub fn end_input(&mut self) {
        if let Some(input) = self.input.take() {
            // One socket may be both input and output; of a pipe this fails.
            let _ = rustix::net::shutdown(&input, rustix::net::Shutdown::Write);
        }
    }

    // Receiving

    /// The next message, in the order in which they came; none at the end.
    ///
    /// # Panics
    ///
    /// If nothing comes in time, or something that is not JSON.
    #[track_caller]
    pub fn receive(&mut self) -> Option<Value> {
        match self.set_aside.pop_front() {
            Some(message) => Some(message),
            None => self.read_message(),
        }
    }

    /// The answer to the request of this id. What comes before it is kept for
    /// [`Self::receive`].
    ///
    /// # Panics
    ///
    /// If it does not come in time.
    #[track_caller]
    pub fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        let answers = |message: &Value| message.get("method").is_none() && message["id"] == id;
        if let Some(place) = self.set_aside.iter().position(answers) {
            return self.set_aside.remove(place).expect("it was found there");
        }
        loop {
            match self.read_message() {
                Some(message) if answers(&message) => return message,
                Some(message) => self.set_aside.push_back(message),
                None => self.fail(&format!("the output ended before {id} was answered")),
            }
        }
    }

    /// Sends a request and returns the whole response to it.
    ///
    /// # Panics
    ///
    /// If it is not answered in time.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Calls a tool of a session that is open, and returns its result.
    ///
    /// # Panics
    ///
    /// If it is not answered with a result in time.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let response = self.ask("tools/call", rpc::tool(tool, arguments));
        rpc::result(&response).clone()
    }

    /// Opens a session of a handshake revision, and returns what the server
    /// answered to `initialize`.
    ///
    /// # Panics
    ///
    /// If that is no result.
    #[track_caller]
    pub fn initialize(&mut self, version: &str) -> Value {
        let response = self.ask("initialize", rpc::hello(version));
        self.notify("notifications/initialized", Value::Null);
        rpc::result(&response).clone()
    }

    /// Watches the output for a while.
    ///
    /// # Panics
    ///
    /// If anything comes, or has come and not been looked at.
    #[track_caller]
    pub fn stays_quiet(&mut self, during: Duration) {
        let deadline = Instant::now() + during;
        loop {
            let line = self.output.as_mut().and_then(Incoming::line);
            let said = self
                .set_aside
                .pop_front()
                .map(|message| message.to_string());
            let said = said.or(line.map(|line| String::from_utf8_lossy(&line).into_owned()));
            if let Some(said) = said {
                self.fail(&format!(
                    "the host should have said nothing, and said {said}"
                ));
            }
            if !self.turn(false, true, deadline) {
                return;
            }
        }
    }

    /// Messages that came while answers were waited for, and have not been
    /// looked at.
    pub fn take_others(&mut self) -> Vec<Value> {
        self.set_aside.drain(..).collect()
    }

    // The end

    /// Waits until `says` holds for what has been written to standard error.
    ///
    /// # Panics
    ///
    /// If it never does.
    #[track_caller]
    pub fn until_stderr(&mut self, says: impl Fn(&str) -> bool) {
        self.until_stderr_within(PATIENCE, says);
    }

    /// Waits until this has been written to standard error so often, for as long
    /// as a compiler may take.
    ///
    /// # Panics
    ///
    /// If it never is.
    #[track_caller]
    pub fn until_built(&mut self, says: &str, times: usize) {
        self.until_stderr_within(COMPILING, |said| said.matches(says).count() >= times);
    }

    #[track_caller]
    fn until_stderr_within(&mut self, patience: Duration, says: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + patience;
        while !says(&self.stderr()) {
            if !self.turn(false, true, deadline) {
                self.fail("what was waited for was not written to standard error");
            }
        }
    }

    /// Standard error as far as it has been read.
    #[must_use]
    pub fn stderr(&self) -> String {
        let bytes = self.errors.as_ref().map_or(&[][..], Incoming::bytes);
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// From now on nothing reads standard error.
    pub fn ignore_stderr(&mut self) -> impl Sized + use<> {
        // Open, but never read: what a careless client does.
        self.errors.take()
    }

    /// Ends the input, reads everything to its end and waits for the process.
    ///
    /// # Panics
    ///
    /// If that takes too long.
    #[track_caller]
    pub fn finish(mut self) -> Finished {
        self.end_input();
        self.until_end()
    }

    /// As [`Self::finish`], with the input left open: the process must have a
    /// reason of its own to end.
    ///
    /// # Panics
    ///
    /// If that takes too long.
    #[track_caller]
    pub fn until_end(&mut self) -> Finished {
        let deadline = Instant::now() + PATIENCE;
        while self.open_streams().next().is_some() {
            if !self.turn(false, true, deadline) {
                self.fail(&format!("the host did not end within {PATIENCE:?}"));
            }
        }
        let status = self.process.wait();
        let all = |stream: &Option<Incoming>| {
            let bytes = stream.as_ref().map_or(&[][..], Incoming::bytes);
            String::from_utf8_lossy(bytes).into_owned()
        };
        Finished {
            code: status.code(),
            stdout: all(&self.output),
            stderr: all(&self.errors),
        }
    }

    // Below

    #[track_caller]
    fn read_message(&mut self) -> Option<Value> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let output = self.output.as_mut().expect("the output is ours");
            if let Some(line) = output.line() {
                return Some(match serde_json::from_slice(&line) {
                    Ok(message) => message,
                    Err(error) => {
                        let line = String::from_utf8_lossy(&line).into_owned();
                        self.fail(&format!("not JSON on standard output ({error}): {line:?}"))
                    }
                });
            }
            output.stream()?;
            if !self.turn(false, true, deadline) {
                self.fail(&format!("the host said nothing for {PATIENCE:?}"));
            }
        }
    }

    /// Writes what can be written now; returns how much that is.
    #[track_caller]
    fn write_some(&mut self, bytes: &[u8]) -> usize {
        let input = self.input.as_ref().expect("the input is open");
        match rustix::io::write(input, bytes) {
            Ok(sent) => sent,
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(error) => self.fail(&format!("the host takes no input any more: {error}")),
        }
    }

    fn open_streams(&self) -> impl Iterator<Item = std::os::fd::BorrowedFd<'_>> {
        let both = [&self.output, &self.errors].into_iter().flatten();
        both.filter_map(Incoming::stream)
    }

    /// Waits until something can be done, and reads what is there. False at
    /// the deadline.
    fn turn(&mut self, write: bool, read: bool, deadline: Instant) -> bool {
        let mut streams: Vec<_> = Vec::new();
        if read {
            streams.extend(self.open_streams().map(|stream| (stream, PollFlags::IN)));
        }
        if let (true, Some(input)) = (write, &self.input) {
            streams.push((input.as_fd(), PollFlags::OUT));
        }
        if !any_ready(&streams, deadline) {
            return false;
        }
        for stream in [&mut self.output, &mut self.errors].into_iter().flatten() {
            stream.read();
        }
        true
    }

    #[track_caller]
    fn fail(&mut self, why: &str) -> ! {
        for stream in [&mut self.output, &mut self.errors].into_iter().flatten() {
            stream.read();
        }
        panic!("{why}\n--- standard error of the host:\n{}", self.stderr());
    }
}
