//! URI templates (RFC 6570), level 1: `notes://{folder}/{name}`.

/// A template, taken apart by `#[plugin]`, which refuses every other level.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// What stands before the first variable.
    pub start: &'static str,
    /// What stands after each variable; never empty but at the end.
    pub after: &'static [&'static str],
}

impl Template {
    /// The variables' values, percent-decoded, if this address is one of the
    /// template's. A value is never empty and spans no `/`, `?` or `#`, which
    /// are encoded in one.
    #[must_use]
    pub fn matches(&self, uri: &str) -> Option<Vec<String>> {
        let mut rest = uri.strip_prefix(self.start)?;
        let mut values = Vec::with_capacity(self.after.len());
        let (last, inner) = self.after.split_last()?;
        for literal in inner {
            // Where it is first found leaves the most for what follows: no
            // other place can fit if this one does not.
            let first = rest.chars().next()?.len_utf8();
            let end = first + rest.get(first..)?.find(literal)?;
            values.push(decoded(rest.get(..end)?)?);
            rest = rest.get(end + literal.len()..)?;
        }
        values.push(decoded(rest.strip_suffix(last)?)?);
        Some(values)
    }
}

fn decoded(value: &str) -> Option<String> {
    if value.is_empty() || value.contains(['/', '?', '#']) {
        return None;
    }
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => digit(rest.next()?)? << 4 | digit(rest.next()?)?,
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16)?.try_into().ok()
}
