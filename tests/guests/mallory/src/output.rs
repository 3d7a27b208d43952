//! What a program says.

use palisade_sdk::prelude::*;
use wasip2::cli::{stderr, stdout};

/// Bytes that are written at once.
const PIECE: usize = 4096;

pub(crate) fn print(bytes: &[u8]) -> Result<&'static str> {
    let (out, err) = (stdout::get_stdout(), stderr::get_stderr());
    for piece in bytes.chunks(PIECE) {
        out.blocking_write_and_flush(piece)?;
        err.blocking_write_and_flush(piece)?;
    }
    Ok("printed")
}

pub(crate) fn print_often(text: &str, times: u32) -> Result<&'static str> {
    let out = stdout::get_stdout();
    for _ in 0..times {
        out.blocking_write_and_flush(text.as_bytes())?;
    }
    Ok("printed")
}

pub(crate) fn log_flood(bytes: usize, times: u32, ctx: &Context) -> &'static str {
    let text = "x".repeat(bytes);
    for _ in 0..times {
        ctx.info(&text);
    }
    "logged"
}
