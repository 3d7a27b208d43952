//! Tools that write to standard output, where only MCP belongs, and to
//! standard error.

#![allow(clippy::print_stdout, reason = "that is what this guest is for")]

use std::io::Write as _;

use palisade_sdk::prelude::*;

/// Prints.
#[derive(Default)]
struct Prints;

#[plugin]
impl Prints {
    /// Prints a line to standard output and one to standard error.
    #[tool]
    fn print(&self, text: String) -> &'static str {
        println!("{text}");
        eprintln!("{text}");
        "printed"
    }

    /// Prints without a line's end.
    #[tool]
    fn print_part(&self, text: String) -> Result<&'static str> {
        print!("{text}");
        std::io::stdout().flush()?;
        Ok("printed")
    }

    /// Prints bytes that are no text.
    #[tool]
    fn print_bytes(&self, bytes: Vec<u8>) -> Result<&'static str> {
        std::io::stdout().write_all(&bytes)?;
        std::io::stdout().flush()?;
        Ok("printed")
    }

    /// Prints lines of a hundred bytes, and says how many bytes went out
    /// without an error.
    #[tool]
    fn print_much(&self, bytes: usize) -> String {
        let line = format!("{}\n", "x".repeat(99));
        let mut printed = 0;
        let mut out = std::io::stdout().lock();
        while printed < bytes && out.write_all(line.as_bytes()).is_ok() {
            printed += line.len();
        }
        format!("printed {printed} bytes")
    }
}
