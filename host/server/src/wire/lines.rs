//! Lines of bounded length out of a stream of bytes.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Longest line that is kept, in bytes (16 MiB, as in rmcp's own transport).
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;

/// Bytes asked of the stream at once.
const CHUNK: usize = 64 * 1024;

/// The buffer is given back to the allocator when a line needed more.
const KEEP: usize = 1024 * 1024;

/// What stood between two line ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The bytes, without the line end.
    Whole(Vec<u8>),
    /// More than [`MAX_LINE`] bytes, which are gone.
    TooLong,
}

/// Splits what it reads at newlines. Holds at most one line and one chunk.
pub(crate) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Where the line that is next begins.
    start: usize,
    /// Up to where the buffer is known to hold no newline.
    scanned: usize,
    skipping: bool,
    ended: bool,
    max: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self::with_max(reader, MAX_LINE)
    }

    fn with_max(reader: R, max: usize) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            skipping: false,
            ended: false,
            max,
        }
    }

    /// The next line; none at the end of the stream. What follows the last
    /// newline counts as a line. Cancel safe.
    ///
    /// # Errors
    ///
    /// Those of the stream.
    pub(crate) async fn next(&mut self) -> std::io::Result<Option<Line>> {
        loop {
            if let Some(line) = self.buffered() {
                return Ok(Some(line));
            }
            if self.ended {
                return Ok(self.last());
            }
            self.make_room();
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                self.ended = true;
            }
        }
    }

    /// A line that is already in the buffer.
    fn buffered(&mut self) -> Option<Line> {
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.scanned..]);
            let Some(length) = found else {
                self.scanned = self.buffer.len();
                if self.scanned - self.start > self.max {
                    self.skipping = true;
                }
                if self.skipping {
                    self.start = self.scanned;
                }
                return None;
            };
            let end = self.scanned + length;
            let line = self.start..end;
            self.start = end + 1;
            self.scanned = self.start;
            if std::mem::take(&mut self.skipping) || line.len() > self.max {
                return Some(Line::TooLong);
            }
            if let Some(line) = whole(&self.buffer[line]) {
                return Some(line);
            }
        }
    }

    fn last(&mut self) -> Option<Line> {
        let rest = std::mem::take(&mut self.buffer);
        let rest = &rest[self.start..];
        self.start = 0;
        self.scanned = 0;
        if std::mem::take(&mut self.skipping) {
            return Some(Line::TooLong);
        }
        whole(rest)
    }

    /// Drops what has been handed out, and makes room for another chunk.
    fn make_room(&mut self) {
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        if self.buffer.is_empty() && self.buffer.capacity() > KEEP {
            self.buffer = Vec::new();
        }
        self.buffer.reserve(CHUNK);
    }
}

/// A line without the carriage return some clients end it with; none if there
/// is nothing on it.
fn whole(line: &[u8]) -> Option<Line> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let blank = line.iter().all(u8::is_ascii_whitespace);
    (!blank).then(|| Line::Whole(line.to_vec()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::collections::VecDeque;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use proptest::prelude::*;
    use tokio::io::ReadBuf;

    use super::*;

    /// A stream that gives its bytes in pieces of given sizes.
    struct Pieces(VecDeque<Vec<u8>>);

    impl AsyncRead for Pieces {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<std::io::Result<()>> {
            if let Some(mut piece) = self.0.pop_front() {
                let rest = piece.split_off(piece.len().min(buf.remaining()));
                buf.put_slice(&piece);
                if !rest.is_empty() {
                    self.0.push_front(rest);
                }
            }
            Poll::Ready(Ok(()))
        }
    }

    fn all(pieces: Vec<Vec<u8>>, max: usize) -> Vec<Line> {
        let pieces = pieces
            .into_iter()
            .filter(|piece| !piece.is_empty())
            .collect();
        let mut lines = Lines::with_max(Pieces(pieces), max);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut found = Vec::new();
            while let Some(line) = lines.next().await.unwrap() {
                found.push(line);
            }
            found
        })
    }

    proptest! {
        /// However a stream is cut, the same lines come out.
        #[test]
        fn cutting_changes_nothing(
            lines in prop::collection::vec("[a-z]{1,40}", 0..20),
            ends in prop::collection::vec(prop::bool::ANY, 20),
            cuts in prop::collection::vec(0usize..800, 0..12),
        ) {
            let mut stream = Vec::new();
            for (line, crlf) in lines.iter().zip(&ends) {
                stream.extend_from_slice(line.as_bytes());
                stream.extend_from_slice(if *crlf { b"\r\n" } else { b"\n" });
            }
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).map(|pair| stream[pair[0]..pair[1]].to_vec()).collect();
            let expected: Vec<_> = lines
                .iter()
                .map(|line| if line.len() > 30 {
                    Line::TooLong
                } else {
                    Line::Whole(line.clone().into_bytes())
                })
                .collect();
            // A carriage return counts towards the limit: leave room for it.
            prop_assume!(lines.iter().all(|line| line.len() != 30));
            prop_assert_eq!(all(pieces, 30), expected);
        }
    }

    #[test]
    fn a_long_line_is_gone_and_the_next_one_is_not() {
        let pieces = vec![
            vec![b'x'; 100_000],
            vec![b'x'; 100_000],
            b"\nnext\n".to_vec(),
        ];
        assert_eq!(
            all(pieces, 1_000),
            [Line::TooLong, Line::Whole(b"next".to_vec())]
        );
    }

    #[test]
    fn what_follows_the_last_newline_counts() {
        assert_eq!(
            all(vec![b"one\n\n \r\ntwo".to_vec()], 100),
            [Line::Whole(b"one".to_vec()), Line::Whole(b"two".to_vec())]
        );
    }
}
