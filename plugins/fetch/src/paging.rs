//! The part of a text that is asked for. Everything is counted in characters,
//! as the reference does.

/// Which part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    /// The first character.
    pub(crate) start: u64,
    /// How many there may be.
    pub(crate) length: u32,
}

impl Window {
    /// The part, and how to get on if there is more.
    pub(crate) fn of(self, text: &str) -> String {
        let start = usize::try_from(self.start).unwrap_or(usize::MAX);
        let length = usize::try_from(self.length).unwrap_or(usize::MAX);
        let rest = match start {
            0 => Some(text),
            skipped => (text.char_indices().nth(skipped)).map(|(at, _)| &text[at..]),
        };
        let Some(rest) = rest.filter(|rest| !rest.is_empty()) else {
            return "<error>No more content available.</error>".to_owned();
        };
        match rest.char_indices().nth(length) {
            None => rest.to_owned(),
            Some((end, _)) => format!(
                "{}\n\n<error>Content truncated. Call the fetch tool with a start_index of {} to get more content.</error>",
                &rest[..end],
                self.start + u64::from(self.length)
            ),
        }
    }
}
