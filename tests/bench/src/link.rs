//! One end of a conversation in JSON lines over a pair of pipes.
//!
//! No SDK, no thread and no allocation a message, so that what the client costs
//! is small and the same for every server measured.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::ops::Range;
use std::os::fd::OwnedFd;

use anyhow::{Context as _, bail};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::ioctl_fionbio;

/// As much as a pipe holds unless told otherwise.
const PIPE: usize = 64 * 1024;
/// A server that answers with a longer line is broken.
const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// The client's ends of a server's stdin and stdout.
#[derive(Debug)]
pub(crate) struct Link {
    to: File,
    from: File,
    buffer: Vec<u8>,
    /// What was read and not yet handed out: `buffer[begin..end]`.
    begin: usize,
    end: usize,
    /// No line break before this index.
    scanned: usize,
}

impl Link {
    /// A link that writes to `to` and reads from `from`.
    pub(crate) fn new(to: OwnedFd, from: OwnedFd) -> Self {
        Self {
            to: to.into(),
            from: from.into(),
            buffer: vec![0; PIPE],
            begin: 0,
            end: 0,
            scanned: 0,
        }
    }

    /// Writes whole lines, waiting where the pipe is full.
    pub(crate) fn send(&mut self, lines: &[u8]) -> anyhow::Result<()> {
        self.to
            .write_all(lines)
            .context("the server stopped reading")
    }

    /// The next line without its line break, waiting for it.
    pub(crate) fn receive(&mut self) -> anyhow::Result<&[u8]> {
        let line = loop {
            if let Some(line) = self.take_line() {
                break line;
            }
            self.fill()?;
        };
        Ok(&self.buffer[line])
    }

    /// The next line, if a whole one was already read.
    pub(crate) fn received(&mut self) -> Option<&[u8]> {
        self.take_line().map(|line| &self.buffer[line])
    }

    /// Reads once. The server closing its end is an error, and so is finding
    /// nothing on a link that does not block.
    pub(crate) fn fill(&mut self) -> anyhow::Result<()> {
        if self.begin == self.end {
            (self.begin, self.end, self.scanned) = (0, 0, 0);
        } else if self.end == self.buffer.len() && self.begin > 0 {
            self.buffer.copy_within(self.begin..self.end, 0);
            self.scanned -= self.begin;
            self.end -= self.begin;
            self.begin = 0;
        }
        if self.end == self.buffer.len() {
            if self.end >= LONGEST_LINE {
                bail!("the server sent a line of more than {LONGEST_LINE} bytes");
            }
            self.buffer.resize(self.end * 2, 0);
        }
        let count = loop {
            match self.from.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read.context("the server's answers can't be read")?,
            }
        };
        if count == 0 {
            bail!("the server closed its output before it had answered");
        }
        self.end += count;
        Ok(())
    }

    /// Writes what fits at once and says how much that was. Only for a link that
    /// does not block.
    pub(crate) fn write_some(&mut self, bytes: &[u8]) -> anyhow::Result<usize> {
        match self.to.write(bytes) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                Ok(0)
            }
            written => written.context("the server stopped reading"),
        }
    }

    /// Waits until there is something to read or, if `writing`, room to write;
    /// whether there is something to read. The server closing its end is both.
    pub(crate) fn wait(&self, writing: bool) -> anyhow::Result<bool> {
        let mut both = [
            PollFd::new(&self.from, PollFlags::IN),
            PollFd::new(&self.to, PollFlags::OUT),
        ];
        let watched = if writing {
            &mut both[..]
        } else {
            &mut both[..1]
        };
        match poll(watched, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(!both[0].revents().is_empty()),
            Err(error) => Err(error).context("the pipes can't be waited for"),
        }
    }

    /// Turns waiting reads and writes on or off, for this end of the pipes only.
    pub(crate) fn set_blocking(&self, blocking: bool) -> anyhow::Result<()> {
        for end in [&self.to, &self.from] {
            ioctl_fionbio(end, !blocking).context("a pipe's mode can't be set")?;
        }
        Ok(())
    }

    /// Closes the way to the server, then reads and drops what it still says.
    pub(crate) fn close(self) {
        let Self { to, mut from, .. } = self;
        drop(to);
        // A server that was killed meanwhile closes its end too.
        let _ = io::copy(&mut from, &mut io::sink());
    }

    fn take_line(&mut self) -> Option<Range<usize>> {
        let Some(at) = memchr::memchr(b'\n', &self.buffer[self.scanned..self.end]) else {
            self.scanned = self.end;
            return None;
        };
        let line = self.begin..self.scanned + at;
        self.begin = line.end + 1;
        self.scanned = self.begin;
        Some(line)
    }
}
