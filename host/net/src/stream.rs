//! A connection, with or without TLS.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::{Connected, Connection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio_rustls::client::TlsStream;

use crate::usage::Metered;

/// A connection. While it lives, it counts as one.
pub(crate) struct Stream {
    io: Io,
    /// Whether it is to a proxy that requests are addressed to.
    proxied: bool,
    _place: OwnedSemaphorePermit,
}

/// What it is made of.
pub(crate) enum Io {
    Plain(Metered<TcpStream>),
    Tls(Box<TlsStream<Metered<TcpStream>>>),
}

impl Stream {
    pub(crate) fn new(io: Io, proxied: bool, place: OwnedSemaphorePermit) -> Self {
        Self {
            io,
            proxied,
            _place: place,
        }
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        let usage = match &self.io {
            Io::Plain(stream) => stream.usage(),
            Io::Tls(stream) => stream.get_ref().0.usage(),
        };
        // Whoever has an answer can tell by it which connection it came on.
        let connected = Connected::new().proxy(self.proxied).extra(usage.clone());
        match &self.io {
            Io::Tls(tls) if tls.get_ref().1.alpn_protocol() == Some(b"h2") => {
                connected.negotiated_h2()
            }
            _ => connected,
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.io {
            Io::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Io::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.io {
            Io::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Io::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.io {
            Io::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Io::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.io {
            Io::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Io::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
