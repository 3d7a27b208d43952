//! A first look at what comes: whether it can be WebAssembly at all.

use super::error::FetchError;

/// What every WebAssembly binary begins with.
const MAGIC: &[u8] = b"\0asm";

/// The beginning of what has come.
#[derive(Default)]
pub(crate) struct Look(Vec<u8>);

impl Look {
    /// More of it.
    pub(crate) fn at(&mut self, from: &str, piece: &[u8]) -> Result<(), FetchError> {
        let missing = MAGIC.len() - self.0.len().min(MAGIC.len());
        if missing == 0 {
            return Ok(());
        }
        self.0.extend(&piece[..piece.len().min(missing)]);
        match MAGIC.starts_with(&self.0) {
            true => Ok(()),
            false => Err(not_wasm(from, piece)),
        }
    }

    /// That was all.
    pub(crate) fn end(&self, from: &str) -> Result<(), FetchError> {
        match self.0 == MAGIC {
            true => Ok(()),
            false => Err(FetchError::NotWasm {
                from: from.to_owned(),
                what: match self.0.is_empty() {
                    true => "empty",
                    false => "no WebAssembly: it breaks off at its beginning",
                },
            }),
        }
    }
}

fn not_wasm(from: &str, piece: &[u8]) -> FetchError {
    let start = piece.trim_ascii_start();
    let what = match start {
        [b'<', ..] => {
            "a web page and no WebAssembly; give the address of the .wasm file itself, and not that of a page about it"
        }
        [b'{' | b'[', ..] => "JSON and no WebAssembly; give the address of the .wasm file itself",
        [b'(', ..] => "WebAssembly as text; make a binary of it first",
        [0x1f, 0x8b, ..] | [b'P', b'K', ..] => "an archive and no WebAssembly; unpack it first",
        _ => "no WebAssembly: it begins otherwise",
    };
    FetchError::NotWasm {
        from: from.to_owned(),
        what,
    }
}
