//! Paths as the host writes them. The guest is always POSIX, but the host may
//! be Windows: what a client sends follows the host, not this target's `Path`.

use percent_encoding::percent_decode_str;

/// An absolute, lexically normalised path on the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostPath {
    /// Nothing on POSIX; `C:` or `\\server\share` on Windows.
    prefix: Option<String>,
    parts: Vec<String>,
}

impl HostPath {
    /// Reads a `file:` URI (RFC 8089). `None` when it is not one, or when it
    /// does not decode to UTF-8.
    pub(crate) fn from_uri(uri: &str) -> Option<Self> {
        let rest = strip_scheme(uri)?;
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => rest.split_at(rest.find('/')?),
            None => ("", rest),
        };
        if path.contains(['?', '#']) {
            return None;
        }
        let path = percent_decode_str(path).decode_utf8().ok()?;
        if path.contains('\0') {
            return None;
        }
        if !authority.is_empty() && !authority.eq_ignore_ascii_case("localhost") {
            return Self::windows(&format!("//{authority}{path}"));
        }
        let after_slash = path.strip_prefix('/')?;
        if starts_with_drive(after_slash) {
            return Self::windows(after_slash);
        }
        Some(Self::posix(&path))
    }

    /// A POSIX path that starts with `/`.
    pub(crate) fn posix(path: &str) -> Self {
        Self {
            prefix: None,
            parts: normalise(Vec::new(), path, false),
        }
    }

    /// A Windows path with a drive and a root, or a UNC path.
    pub(crate) fn windows(path: &str) -> Option<Self> {
        if starts_with_drive(path) {
            let (drive, rest) = path.split_at(2);
            return rest
                .is_empty()
                .then_some("")
                .or_else(|| rest.starts_with(['/', '\\']).then_some(rest))
                .map(|rest| Self {
                    prefix: Some(drive.to_ascii_uppercase()),
                    parts: normalise(Vec::new(), rest, true),
                });
        }
        let unc = path
            .strip_prefix("\\\\")
            .or_else(|| path.strip_prefix("//"))?;
        let mut split = unc.splitn(3, ['/', '\\']);
        let (server, share) = (split.next()?, split.next()?);
        if [server, share]
            .iter()
            .any(|name| matches!(*name, "" | "." | ".." | "?"))
        {
            return None;
        }
        Some(Self {
            prefix: Some(format!("\\\\{server}\\{share}")),
            parts: normalise(Vec::new(), split.next().unwrap_or(""), true),
        })
    }

    /// Whether the host is Windows.
    pub(crate) fn is_windows(&self) -> bool {
        self.prefix.is_some()
    }

    /// How many names it is below its own root.
    pub(crate) fn depth(&self) -> usize {
        self.parts.len()
    }

    /// What is left of `self` below `base`; `None` when it is not below it.
    pub(crate) fn below(&self, base: &Self) -> Option<&[String]> {
        let same = |a: &str, b: &str| match self.is_windows() {
            true => a.to_lowercase() == b.to_lowercase(),
            false => a == b,
        };
        let prefixes = match (&self.prefix, &base.prefix) {
            (None, None) => true,
            (Some(a), Some(b)) => same(a, b),
            _ => false,
        };
        let (head, tail) = self.parts.split_at_checked(base.parts.len())?;
        let inside = prefixes && head.iter().zip(&base.parts).all(|(a, b)| same(a, b));
        inside.then_some(tail)
    }

    /// A path that may hold `..`, taken from here.
    pub(crate) fn join(&self, path: &str) -> Self {
        Self {
            prefix: self.prefix.clone(),
            parts: normalise(self.parts.clone(), path, self.is_windows()),
        }
    }

    /// The path as the host writes it, with `names` appended.
    pub(crate) fn show(&self, names: &[String]) -> String {
        let separator = if self.is_windows() { '\\' } else { '/' };
        let mut text = self.prefix.clone().unwrap_or_default();
        for name in self.parts.iter().chain(names) {
            text.push(separator);
            text.push_str(name);
        }
        if self.parts.is_empty() && names.is_empty() {
            text.push(separator);
        }
        text
    }
}

/// True for `C:` and everything that starts with it.
pub(crate) fn starts_with_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes, [drive, b':', ..] if drive.is_ascii_alphabetic())
}

/// Appends the names of `path` to `base`, working out `.` and `..` without
/// looking at the disk. `..` at the top stays at the top.
pub(crate) fn normalise(mut base: Vec<String>, path: &str, windows: bool) -> Vec<String> {
    for name in path.split(|c| c == '/' || (windows && c == '\\')) {
        match name {
            "" | "." => {}
            ".." => {
                base.pop();
            }
            name => base.push(name.to_owned()),
        }
    }
    base
}

fn strip_scheme(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_at_checked("file:".len())?;
    scheme.eq_ignore_ascii_case("file:").then_some(rest)
}
