//! A server process: started, talked to over its stdin and stdout, and ended.

use std::fs::{self, File};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::args::Name;
use crate::contender::Contender;
use crate::link::Link;
use crate::memory::Memory;
use crate::session::{self, Era};
use crate::watchdog::{Watch, Watchdog};

/// How long a server may take to exit once its stdin is closed.
const FAREWELL: Timespec = Timespec {
    tv_sec: 10,
    tv_nsec: 0,
};

/// A running server with an open MCP session.
#[derive(Debug)]
pub(crate) struct Server {
    name: Name,
    child: Child,
    /// `None` once it was closed.
    link: Option<Link>,
    watch: Watch,
    errors: PathBuf,
    /// From before the process existed to `tools/list` answered.
    pub(crate) start: Duration,
}

impl Server {
    /// Starts `contender` and opens a session. It is ended after `limit`.
    pub(crate) fn start(
        contender: &Contender,
        era: Era,
        watchdog: &Watchdog,
        limit: Duration,
    ) -> anyhow::Result<Self> {
        let errors = contender.home.join("stderr.log");
        let mut command = contender.command();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&errors)?);
        let started = Instant::now();
        let mut child = command
            .spawn()
            .with_context(|| format!("{} can't be started", contender.program.display()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        // From here on the child is ended whatever happens: dropping does it.
        let watch = watchdog.watch(child.id(), limit);
        let (watch, (stdin, stdout)) = match (watch, pipes) {
            (Ok(watch), Some(pipes)) => (watch, pipes),
            (watch, _) => {
                end(&mut child);
                watch?;
                bail!("{} has no pipes", contender.kind);
            }
        };
        let mut server = Self {
            name: contender.kind,
            child,
            link: Some(Link::new(stdin.into(), stdout.into())),
            watch,
            errors,
            start: Duration::ZERO,
        };
        let answered = server.talk(|link| session::open(link, era))?;
        server.start = answered.duration_since(started);
        Ok(server)
    }

    /// Talks to the server. An error is told with the server's name and what it
    /// last said on stderr.
    pub(crate) fn talk<T>(
        &mut self,
        talk: impl FnOnce(&mut Link) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let link = self.link.as_mut().context("the session is closed")?;
        talk(link).map_err(|error| {
            let late = if self.watch.ended() {
                "\n  it took too long and was stopped"
            } else {
                ""
            };
            anyhow!("{}: {error:#}{late}{}", self.name, last_words(&self.errors))
        })
    }

    /// What the process holds in memory now.
    pub(crate) fn memory(&self) -> anyhow::Result<Memory> {
        Memory::of(self.child.id())
    }

    /// Closes the session as a client does, by closing the server's stdin, and
    /// waits for it to exit.
    pub(crate) fn stop(mut self) {
        if let Some(link) = self.link.take() {
            link.close();
        }
        // The pipe's end is not yet the process's: it may still be saving things.
        let exited = i32::try_from(self.child.id())
            .ok()
            .and_then(Pid::from_raw)
            .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        if let Some(exited) = exited {
            let mut exited = [PollFd::from_borrowed_fd(exited.as_fd(), PollFlags::IN)];
            let _ = poll(&mut exited, Some(&FAREWELL));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// The last lines of what a server said on stderr, made to follow a message.
fn last_words(errors: &Path) -> String {
    let said = fs::read_to_string(errors).unwrap_or_default();
    let lines: Vec<&str> = said.lines().collect();
    match &lines[lines.len().saturating_sub(5)..] {
        [] => String::new(),
        last => format!("\n  it said on stderr:\n    {}", last.join("\n    ")),
    }
}

fn end(child: &mut Child) {
    // Both fail only for a child that was already waited for.
    let _ = child.kill();
    let _ = child.wait();
}
