//! This end of the process in which a plugin is compiled.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::compile::frames::{self, Frame, unexpected};
use crate::compile::{About, Compile, Compiled};
use crate::engine::Engine;
use crate::error::LoadError;
use crate::listing::Listing;

/// Longest lists, as JSON: a list is far below that when it has been checked.
const LISTING: u64 = 96 * 1024 * 1024;

/// Longest reason, as JSON.
const REFUSAL: u64 = 1024 * 1024;

/// What is kept of what the process writes to its standard error, in bytes.
const SAID: u64 = 1024 * 1024;

/// Compiles in a process of its own, within bounds.
pub struct CompilerProcess {
    /// The command that starts one, with [`serve_compiler`](crate::serve_compiler)
    /// at the other end of a socket which is its standard input. It keeps to
    /// [`Self::memory`] by itself.
    pub command: Box<dyn Fn(&Engine) -> Command + Send + Sync>,
    /// Wall clock for compiling and asking what the plugin offers.
    pub time: Duration,
    /// Memory for that, in bytes.
    pub memory: u64,
    /// Gets what the plugin printed meanwhile, line by line.
    pub heard: fn(&str),
}

impl Compile for CompilerProcess {
    fn compile(&self, engine: &Engine, component: &[u8]) -> Result<Compiled, LoadError> {
        let deadline = Instant::now() + self.time;
        let (ours, theirs) = UnixStream::pair().map_err(LoadError::NoCompiler)?;
        let mut child = (self.command)(engine)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(LoadError::NoCompiler)?;
        let errors = child.stderr.take();
        let (talked, status, said) = std::thread::scope(|scope| {
            // Read all the while, so that it never waits for that; ends with
            // the process.
            let said = scope.spawn(|| errors.map(head).unwrap_or_default());
            let talked = talk(&ours, deadline, component, self.memory);
            // It has said all it has to say, or more than it should.
            let status = end(&mut child);
            (talked, status, said.join().unwrap_or_default())
        });
        tracing::debug!(?status, "the compiler has ended");
        match talked {
            Ok(answer) => {
                said.lines().for_each(self.heard);
                answer
            }
            Err(error) if error.kind() == ErrorKind::TimedOut => {
                Err(LoadError::CompileTime(self.time))
            }
            Err(error) => Err(self.why(&error, status, &said)),
        }
    }
}

impl CompilerProcess {
    /// What became of a process that broke off.
    fn why(&self, error: &std::io::Error, status: Option<ExitStatus>, said: &str) -> LoadError {
        /// What there is to read where there was no memory to be had.
        const NO_MEMORY: [&str; 3] = [
            "memory allocation of",
            "out of memory",
            "Cannot allocate memory",
        ];
        /// SIGXCPU, on all systems.
        const CPU_TIME: i32 = 24;
        let died = |why: &str| LoadError::CompilerDied(why.to_owned());
        match status.and_then(|status| status.signal()) {
            // Rust's words and the system's, which a test holds.
            _ if NO_MEMORY.iter().any(|words| said.contains(words)) => {
                LoadError::CompileMemory(self.memory)
            }
            _ if said.contains("has overflowed its stack") => died("it nests too deeply"),
            Some(CPU_TIME) => LoadError::CompileTime(self.time),
            Some(signal) => died(&format!("signal {signal}; {error}")),
            None => {
                tracing::debug!("the compiler said: {said}");
                died(&error.to_string())
            }
        }
    }
}

/// Sends the component, and takes what comes: first all that is known before
/// the plugin runs, then its own words. The outer error is of the process, the
/// inner one of the component.
fn talk(
    stream: &UnixStream,
    deadline: Instant,
    component: &[u8],
    max: u64,
) -> std::io::Result<Result<Compiled, LoadError>> {
    let mut channel = Timed { stream, deadline };
    // A process that ends early has said why.
    let sent = frames::write(&mut channel, Frame::Component, component);
    if let Err(error) = sent
        && error.kind() == ErrorKind::TimedOut
    {
        return Err(error);
    }
    let about = match frames::read(&mut channel, max)? {
        (Frame::About, about) => frames::json::<About>(&about)?,
        (Frame::Refusal, why) => return Ok(Err(frames::json(&why)?)),
        _ => return Err(unexpected("a frame out of turn")),
    };
    let (Frame::Code, code) = frames::read(&mut channel, max)? else {
        return Err(unexpected("a frame out of turn"));
    };
    // From here on it may be the plugin that speaks.
    frames::write(&mut channel, Frame::GoOn, &[])?;
    let (kind, bytes) = frames::read(&mut channel, LISTING)?;
    match kind {
        Frame::Listing => {
            let listing = frames::json::<Listing>(&bytes)?;
            Ok(about
                .with(listing)
                .map(|metadata| Compiled { code, metadata }))
        }
        Frame::Refusal if bytes.len() as u64 <= REFUSAL => Ok(Err(frames::json(&bytes)?)),
        _ => Err(unexpected("a frame out of turn")),
    }
}

/// Ends a process, whatever it does. One that has ended by itself keeps its
/// status.
fn end(child: &mut Child) -> Option<ExitStatus> {
    // Fails if it has been waited for, which it has not.
    let _ = child.kill();
    child.wait().ok()
}

/// The beginning of what is written; the rest is read and forgotten.
fn head(mut errors: impl Read) -> String {
    let mut bytes = Vec::new();
    // What can't be read is not there.
    let _ = errors.by_ref().take(SAID).read_to_end(&mut bytes);
    let _ = std::io::copy(&mut errors, &mut std::io::sink());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A stream that nobody waits for beyond a point in time.
struct Timed<'a> {
    stream: &'a UnixStream,
    deadline: Instant,
}

impl Timed<'_> {
    fn left(&self) -> std::io::Result<Duration> {
        match self.deadline.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(ErrorKind::TimedOut.into()),
            left => Ok(left),
        }
    }
}

/// A stream says of its own timeout that it would block.
fn timed_out(error: std::io::Error) -> std::io::Error {
    match error.kind() {
        ErrorKind::WouldBlock => ErrorKind::TimedOut.into(),
        _ => error,
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(buffer).map_err(timed_out)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(bytes).map_err(timed_out)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
