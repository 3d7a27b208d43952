//! Standard input and output without a thread hop for every message.
//!
//! tokio's own stdin and stdout go through a thread of their own, which costs
//! more than a call. Pipes and sockets can be had without: pipes are opened
//! anew through `/proc`, so that the non-blocking flag is ours alone; sockets
//! (Node's way to start a child) can't be opened anew and are set
//! non-blocking. Terminals and files take the slow way.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt as _;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

/// What a session reads from.
pub(crate) type Input = Pin<Box<dyn AsyncRead + Send>>;

/// What a session writes to.
pub(crate) type Output = Pin<Box<dyn AsyncWrite + Send>>;

/// The fastest way to read this process's standard input.
pub(crate) fn open_input() -> io::Result<Input> {
    match Stream::of(io::stdin().as_fd())? {
        Stream::Pipe(pipe) => Ok(Box::pin(pipe::Receiver::from_owned_fd(reopen(
            &pipe,
            rustix::fs::OFlags::RDONLY,
        )?)?)),
        Stream::Socket(socket) => Ok(Box::pin(socket)),
        #[allow(clippy::disallowed_methods, reason = "terminals and files only")]
        Stream::Other => Ok(Box::pin(tokio::io::stdin())),
    }
}

/// The fastest way to write this process's standard output.
pub(crate) fn open_output() -> io::Result<Output> {
    match Stream::of(io::stdout().as_fd())? {
        Stream::Pipe(pipe) => Ok(Box::pin(pipe::Sender::from_owned_fd(reopen(
            &pipe,
            rustix::fs::OFlags::WRONLY,
        )?)?)),
        Stream::Socket(socket) => Ok(Box::pin(socket)),
        #[allow(clippy::disallowed_methods, reason = "terminals and files only")]
        Stream::Other => Ok(Box::pin(tokio::io::stdout())),
    }
}

enum Stream {
    Pipe(OwnedFd),
    Socket(UnixStream),
    Other,
}

impl Stream {
    fn of(fd: BorrowedFd<'_>) -> io::Result<Self> {
        let owned = fd.try_clone_to_owned()?;
        let file_type = File::from(owned.try_clone()?).metadata()?.file_type();
        if file_type.is_fifo() {
            return Ok(Self::Pipe(owned));
        }
        if !file_type.is_socket() {
            return Ok(Self::Other);
        }
        let socket = std::os::unix::net::UnixStream::from(owned);
        if socket.local_addr().is_err() {
            // A socket of another family.
            return Ok(Self::Other);
        }
        socket.set_nonblocking(true)?;
        Ok(Self::Socket(UnixStream::from_std(socket)?))
    }
}

/// The same pipe under a file description of our own; where there is no
/// `/proc`, the given one made non-blocking.
fn reopen(pipe: &OwnedFd, flags: rustix::fs::OFlags) -> io::Result<OwnedFd> {
    use std::os::fd::AsRawFd as _;
    let path = format!("/proc/self/fd/{}", pipe.as_raw_fd());
    let flags = flags | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    if let Ok(fd) = rustix::fs::open(path, flags, rustix::fs::Mode::empty()) {
        return Ok(fd);
    }
    let fd = pipe.try_clone()?;
    let old = rustix::fs::fcntl_getfl(&fd)?;
    rustix::fs::fcntl_setfl(&fd, old | rustix::fs::OFlags::NONBLOCK)?;
    Ok(fd)
}
