//! The keyring of the system, spoken to by a process of its own: what speaks to
//! it starts threads, and the process that runs plugins has to be one thread
//! until its second wall stands.

use std::io::{ErrorKind, Read, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use crate::value::{MAX_BYTES, SecretValue};

mod serve;

pub use serve::serve_keyring;

/// Longest answer, in bytes: a value, or a reason.
const ANSWER: usize = MAX_BYTES + 1;

/// Longest reason that is repeated, in bytes.
const REASON: usize = 300;

/// The system's keyring, at the other end of a process.
pub struct Keyring {
    /// The command that starts one, with [`serve_keyring`] at the other end of a
    /// socket which is its standard input.
    pub command: Box<dyn Fn() -> Command + Send + Sync>,
    /// Wall clock for one question. A locked keyring asks its owner for a password
    /// meanwhile.
    pub time: Duration,
}

impl std::fmt::Debug for Keyring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keyring")
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}

/// Why the keyring does not do as it is asked.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum KeyringError {
    /// There is none.
    #[error("no keyring answers here")]
    Absent,
    /// It is locked, and nobody unlocked it.
    #[error("the keyring is locked, and was not unlocked")]
    Locked,
    /// It does not want to.
    #[error("the keyring refuses: {0}")]
    Refused(String),
    /// It says nothing.
    #[error(
        "the keyring did not answer within {} s; it may be locked, and nobody there to unlock it",
        .0.as_secs()
    )]
    Time(Duration),
    /// The process that speaks to it can't be started, or broke off.
    #[error("the keyring can't be spoken to: {0}")]
    Broken(String),
}

/// What is asked of a keyring. A question is one of these bytes, a name, a line
/// break and, to set it, a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Get = b'g' as isize,
    Set = b's' as isize,
    Remove = b'r' as isize,
}

/// How an answer begins; a value or a reason may follow.
mod answer {
    pub(super) const DONE: u8 = b'+';
    pub(super) const NOTHING: u8 = b'-';
    pub(super) const ABSENT: u8 = b'0';
    pub(super) const LOCKED: u8 = b'l';
    pub(super) const REFUSED: u8 = b'x';
}

impl Keyring {
    /// A value, if it has one of that name.
    ///
    /// # Errors
    /// [`KeyringError`].
    pub(crate) fn get(&self, name: &str) -> Result<Option<SecretValue>, KeyringError> {
        let Some(bytes) = self.ask(Verb::Get, name, "")? else {
            return Ok(None);
        };
        let no_value = || KeyringError::Refused("what it holds is no value of a secret".to_owned());
        let text = str::from_utf8(&bytes).map_err(|_| no_value())?;
        SecretValue::new(text.to_owned())
            .map(Some)
            .map_err(|_| no_value())
    }

    /// Keeps a value, in place of the one there may be.
    pub(crate) fn set(&self, name: &str, value: &SecretValue) -> Result<(), KeyringError> {
        self.ask(Verb::Set, name, value.reveal()).map(drop)
    }

    /// Forgets a value; whether there was one.
    pub(crate) fn remove(&self, name: &str) -> Result<bool, KeyringError> {
        Ok(self.ask(Verb::Remove, name, "")?.is_some())
    }

    /// One question and its answer; none if there is nothing of that name.
    fn ask(
        &self,
        verb: Verb,
        name: &str,
        value: &str,
    ) -> Result<Option<Zeroizing<Vec<u8>>>, KeyringError> {
        let deadline = Instant::now() + self.time;
        let broken = |error: std::io::Error| KeyringError::Broken(error.to_string());
        let (ours, theirs) = UnixStream::pair().map_err(broken)?;
        let mut child = (self.command)()
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(broken)?;
        let talked = talk(&ours, deadline, verb, name, value);
        // It has said all it has to say, or took too long. Both fail only if it
        // has ended.
        let _ = child.kill();
        let _ = child.wait();
        let mut bytes = talked.map_err(|error| match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => KeyringError::Time(self.time),
            _ => KeyringError::Broken(error.to_string()),
        })?;
        let reason = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let line = text.lines().next().unwrap_or_default();
            line[..line.floor_char_boundary(REASON)].to_owned()
        };
        match bytes.first().copied() {
            Some(answer::DONE) => {
                bytes.remove(0);
                Ok(Some(bytes))
            }
            Some(answer::NOTHING) => Ok(None),
            Some(answer::ABSENT) => Err(KeyringError::Absent),
            Some(answer::LOCKED) => Err(KeyringError::Locked),
            Some(answer::REFUSED) => Err(KeyringError::Refused(reason(&bytes[1..]))),
            _ => Err(KeyringError::Broken(
                "the process that does so ended".to_owned(),
            )),
        }
    }
}

/// Sends the question, and reads the answer up to its end.
fn talk(
    mut stream: &UnixStream,
    deadline: Instant,
    verb: Verb,
    name: &str,
    value: &str,
) -> std::io::Result<Zeroizing<Vec<u8>>> {
    let left = || match deadline.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(std::io::Error::from(ErrorKind::TimedOut)),
        left => Ok(Some(left)),
    };
    let mut question = Zeroizing::new(Vec::with_capacity(name.len() + value.len() + 2));
    question.push(verb as u8);
    question.extend_from_slice(name.as_bytes());
    question.push(b'\n');
    question.extend_from_slice(value.as_bytes());
    // Read at once, whole, before anything is done: one wait is enough.
    stream.set_write_timeout(left()?)?;
    stream.write_all(&question)?;
    stream.shutdown(Shutdown::Write)?;
    // Of its final size, so that no part of it is left where it grew.
    let mut bytes = Zeroizing::new(vec![0; ANSWER + 1]);
    let mut read = 0;
    while read < bytes.len() {
        stream.set_read_timeout(left()?)?;
        match stream.read(&mut bytes[read..]) {
            Ok(0) => break,
            Ok(some) => read += some,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    if read > ANSWER {
        return Err(std::io::Error::new(
            ErrorKind::InvalidData,
            "its answer is too long",
        ));
    }
    bytes.truncate(read);
    Ok(bytes)
}
