//! What the two processes say to each other: a byte for what it is, a length,
//! and as many bytes.

use std::io::{Error, ErrorKind, Read, Result, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Frame {
    /// To the compiler: the component.
    Component = b'w',
    /// From it, JSON: what is known before any of the plugin has run.
    About = b'a',
    /// From it: the code.
    Code = b'c',
    /// To it: the code is here, the plugin may be run. Empty.
    GoOn = b'g',
    /// From it, JSON: what the plugin says it offers.
    Listing = b'l',
    /// From it, JSON: why there is nothing more.
    Refusal = b'r',
}

const KINDS: [Frame; 6] = [
    Frame::Component,
    Frame::About,
    Frame::Code,
    Frame::GoOn,
    Frame::Listing,
    Frame::Refusal,
];

/// Writes a frame.
pub(super) fn write(out: &mut impl Write, kind: Frame, bytes: &[u8]) -> Result<()> {
    out.write_all(&[kind as u8])?;
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(bytes)
}

/// Writes a frame of JSON.
pub(super) fn write_json(out: &mut impl Write, kind: Frame, value: &impl Serialize) -> Result<()> {
    write(out, kind, &serde_json::to_vec(value)?)
}

/// Reads a frame of at most `max` bytes.
pub(super) fn read(input: &mut impl Read, max: u64) -> Result<(Frame, Vec<u8>)> {
    let mut head = [0; 9];
    input.read_exact(&mut head)?;
    let [kind, length @ ..] = head;
    let kind = KINDS
        .into_iter()
        .find(|known| *known as u8 == kind)
        .ok_or_else(|| unexpected("a frame of no known kind"))?;
    let length = u64::from_le_bytes(length);
    if length > max {
        return Err(unexpected("a frame that is too long"));
    }
    // What is said of a length is not believed before the bytes are there.
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == length {
        true => Ok((kind, bytes)),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
}

/// Reads JSON.
pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(Error::from)
}

/// The other side does not keep to what was agreed.
pub(super) fn unexpected(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn frames_come_as_they_were_sent() {
        let mut sent = Vec::new();
        write(&mut sent, Frame::Code, b"code").unwrap();
        write_json(&mut sent, Frame::Listing, &[1, 2]).unwrap();
        let mut input = sent.as_slice();
        assert_eq!(
            read(&mut input, 4).unwrap(),
            (Frame::Code, b"code".to_vec())
        );
        let (kind, bytes) = read(&mut input, 100).unwrap();
        assert_eq!(kind, Frame::Listing);
        assert_eq!(json::<Vec<u8>>(&bytes).unwrap(), [1, 2]);
    }

    #[test]
    fn what_is_no_frame_is_refused_whatever_length_it_claims() {
        let long = [&b"c"[..], &u64::MAX.to_le_bytes()].concat();
        let cut = [&b"c"[..], &9_u64.to_le_bytes(), b"short"].concat();
        for (bytes, max) in [(&b"x12345678"[..], 9), (&long, 9), (&cut, 9), (b"c1", 9)] {
            assert!(read(&mut &*bytes, max).is_err(), "{bytes:?}");
        }
        // What is not there is not made room for either.
        assert!(read(&mut long.as_slice(), u64::MAX).is_err());
    }
}
