//! Both ends of a child's standard streams, without blocking.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// What a child writes, as far as it has been read.
#[derive(Debug)]
pub(crate) struct Incoming {
    /// None once it has ended.
    stream: Option<OwnedFd>,
    bytes: Vec<u8>,
    /// Up to where lines have been taken out of it.
    taken: usize,
    /// Up to where it is known to hold no newline.
    scanned: usize,
}

/// Bytes that are read in one go: what is there may be there for ever.
const AT_ONCE: usize = 1 << 20;

impl Incoming {
    pub(crate) fn new(stream: OwnedFd) -> Self {
        set_nonblocking(&stream);
        Self {
            stream: Some(stream),
            bytes: Vec::new(),
            taken: 0,
            scanned: 0,
        }
    }

    pub(crate) fn stream(&self) -> Option<BorrowedFd<'_>> {
        self.stream.as_ref().map(|stream| stream.as_fd())
    }

    /// What has been read and not been taken.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    /// The next line, without its newline, if it has been read; at the end of
    /// the stream also what has none.
    pub(crate) fn line(&mut self) -> Option<Vec<u8>> {
        let rest = &self.bytes[self.scanned..];
        let end = match rest.iter().position(|byte| *byte == b'\n') {
            Some(length) => self.scanned + length,
            None if self.stream.is_none() && !self.bytes().is_empty() => self.bytes.len(),
            None => {
                self.scanned = self.bytes.len();
                return None;
            }
        };
        let line = self.bytes[self.taken..end].to_vec();
        self.taken = (end + 1).min(self.bytes.len());
        self.scanned = self.taken;
        Some(line)
    }

    /// Reads what is there.
    pub(crate) fn read(&mut self) {
        self.bytes.drain(..self.taken);
        self.scanned -= self.taken;
        self.taken = 0;
        let mut chunk = [0; 64 * 1024];
        let enough = self.bytes.len() + AT_ONCE;
        while let Some(stream) = &self.stream
            && self.bytes.len() < enough
        {
            match rustix::io::read(stream, &mut chunk) {
                Ok(0) | Err(Errno::CONNRESET) => self.stream = None,
                Ok(length) => self.bytes.extend_from_slice(&chunk[..length]),
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => {}
                Err(error) => panic!("the child's output can't be read: {error}"),
            }
        }
    }
}

pub(crate) fn set_nonblocking(stream: &OwnedFd) {
    // Of a pipe and of a socket pair each end has a flag of its own: this one
    // is not the child's.
    rustix::io::ioctl_fionbio(stream, true).expect("pipes and sockets need not block");
}

/// Waits until one of `streams` is ready for what is asked of it, or has ended.
/// False at the deadline.
pub(crate) fn any_ready(streams: &[(BorrowedFd<'_>, PollFlags)], deadline: Instant) -> bool {
    let mut polled: Vec<_> = streams
        .iter()
        .map(|(stream, flags)| PollFd::from_borrowed_fd(*stream, *flags))
        .collect();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).expect("no wait is that long");
        match poll(&mut polled, Some(&left)) {
            Ok(count) => return count > 0,
            Err(Errno::INTR) => {}
            Err(error) => panic!("the child can't be waited for: {error}"),
        }
    }
}

/// [`any_ready`] for a single one.
pub(crate) fn ready(stream: BorrowedFd<'_>, flags: PollFlags, deadline: Instant) -> bool {
    any_ready(&[(stream, flags)], deadline)
}
