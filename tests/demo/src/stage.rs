//! How the conversation is printed: who says what, in colours on a terminal and
//! plain elsewhere. What a plugin says is not trusted with the terminal.

use std::env;
use std::io::{self, IsTerminal, Stdout, Write};

/// More than this of one answer tires.
const MOST_LINES: usize = 14;

/// Where the demo is played.
pub(crate) struct Stage<W = Stdout> {
    out: W,
    colour: bool,
}

impl Stage {
    /// Standard output, coloured if it is a terminal and `NO_COLOR` is not set.
    pub(crate) fn on_stdout() -> Self {
        let out = io::stdout();
        let colour = out.is_terminal() && env::var_os("NO_COLOR").is_none_or(|no| no.is_empty());
        Self { out, colour }
    }
}

impl<W: Write> Stage<W> {
    /// The title.
    pub(crate) fn title(&mut self, text: &str) -> io::Result<()> {
        let text = self.paint("1", text);
        writeln!(self.out, "{text}\n")
    }

    /// One fact of the opening.
    pub(crate) fn fact(&mut self, name: &str, text: &str) -> io::Result<()> {
        let name = self.paint("2", &format!("{name:<8}"));
        writeln!(self.out, "  {name} {}", harmless(text))
    }

    /// The heading of an act.
    pub(crate) fn act(&mut self, text: &str) -> io::Result<()> {
        let text = self.paint("1", text);
        writeln!(self.out, "\n{text}")
    }

    /// What the client asks.
    pub(crate) fn you(&mut self, text: &str) -> io::Result<()> {
        let who = self.paint("36", "you    →");
        writeln!(self.out, "\n  {who} {}", harmless(text))
    }

    /// What the plugin answers.
    pub(crate) fn plugin(&mut self, text: &str) -> io::Result<()> {
        self.answer(text, |_, line| line)
    }

    /// What the plugin answers where that is a diff.
    pub(crate) fn diff(&mut self, text: &str) -> io::Result<()> {
        self.answer(text, |stage, line| match line.chars().next() {
            Some('+') => stage.paint("32", &line),
            Some('-') => stage.paint("31", &line),
            _ => line,
        })
    }

    fn answer(&mut self, text: &str, paint: impl Fn(&Self, String) -> String) -> io::Result<()> {
        let mut who = self.paint("35", "plugin ←");
        let lines: Vec<&str> = text.trim_end().lines().collect();
        for line in lines.iter().take(MOST_LINES) {
            let line = paint(self, harmless(line));
            writeln!(self.out, "  {who} {line}")?;
            who = " ".repeat("plugin ←".chars().count());
        }
        if lines.len() > MOST_LINES {
            writeln!(
                self.out,
                "  {who} … {} more lines",
                lines.len() - MOST_LINES
            )?;
        }
        Ok(())
    }

    /// Something that has just been made sure of.
    pub(crate) fn proof(&mut self, text: &str) -> io::Result<()> {
        let mark = self.paint("32", "✓");
        writeln!(self.out, "         {mark} {text}")
    }

    /// Something said beside the conversation, if anything was.
    pub(crate) fn aside(&mut self, about: &str, text: &str) -> io::Result<()> {
        if text.trim().is_empty() {
            return Ok(());
        }
        writeln!(self.out, "\n  ({about})")?;
        for line in text.trim_end().lines() {
            let line = self.paint("2", &harmless(line));
            writeln!(self.out, "  {line}")?;
        }
        Ok(())
    }

    /// A line as it is, to be copied.
    pub(crate) fn verbatim(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "\n{text}")
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// The text with everything spelled out that could move the cursor, change
/// colours or turn the reading direction.
fn harmless(text: &str) -> String {
    let turns = |c| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if (c.is_control() && c != '\t') || turns(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test should say where")]

    use super::*;

    fn printed(colour: bool, play: impl FnOnce(&mut Stage<Vec<u8>>) -> io::Result<()>) -> String {
        let mut stage = Stage {
            out: Vec::new(),
            colour,
        };
        play(&mut stage).unwrap();
        String::from_utf8(stage.out).unwrap()
    }

    #[test]
    fn without_colours_there_is_no_escape_at_all() {
        let text = printed(false, |stage| {
            stage.title("t")?;
            stage.you("read")?;
            stage.diff("--- a\n+++ b\n\x1b[2Jcleared\r\u{202e}turned")?;
            stage.proof("p")
        });
        assert!(!text.contains(['\x1b', '\r', '\u{202e}']), "{text:?}");
        assert!(text.contains(r"\u{1b}[2Jcleared\u{d}\u{202e}turned"));
    }

    #[test]
    fn a_diff_is_coloured_line_by_line() {
        let text = printed(true, |stage| stage.diff(" same\n-old\n+new"));
        assert!(text.contains("\x1b[31m-old\x1b[0m") && text.contains("\x1b[32m+new\x1b[0m"));
        assert!(text.contains(" same\n"));
        let list = printed(true, |stage| stage.plugin("- milk"));
        assert!(list.ends_with(" - milk\n"), "{list:?}");
    }

    #[test]
    fn a_long_answer_is_cut_and_says_so() {
        let text = printed(false, |stage| {
            stage.plugin(&"line\n".repeat(MOST_LINES + 3))
        });
        assert_eq!(text.matches("line\n").count(), MOST_LINES);
        assert!(text.contains("… 3 more lines"));
    }
}
