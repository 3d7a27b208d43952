//! Lines of at most some length, from whoever writes them.

use std::io::{BufRead, Read as _};

/// What was read.
pub(crate) enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// One that is longer than it may be; it has been skipped.
    TooLong,
    /// There is no more.
    End,
}

/// The next line. A stream that can't be read is one that has ended.
pub(crate) fn next(reader: &mut impl BufRead, most: u64) -> Line {
    let mut line = Vec::new();
    let read = reader.by_ref().take(most + 1).read_until(b'\n', &mut line);
    if !matches!(read, Ok(1..)) {
        return Line::End;
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Line::Whole(line);
    }
    if (line.len() as u64) <= most {
        return Line::Whole(line);
    }
    match reader.skip_until(b'\n') {
        Ok(_) => Line::TooLong,
        Err(_) => Line::End,
    }
}
