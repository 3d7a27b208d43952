//! What a client's roots (MCP `roots/list`) leave of the granted directories.
//!
//! A client's roots can only *narrow*: a directory is served where both the
//! grant and a root of the client contain it. [`ClientPath`] reads one address
//! of a client that may be hostile, [`narrow`] compares paths. What is on the
//! disk is looked at elsewhere.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;

use crate::text::shown;

mod narrow;

pub use narrow::{Portion, narrow};

/// Roots of a client that are looked at; the rest of a longer list is as if it
/// were not there.
pub const MAX_CLIENT_ROOTS: usize = 1_000;

/// Longest address of a root that is looked at, in bytes.
pub const MAX_CLIENT_ROOT_BYTES: usize = 8 * 1024;

/// What a client's roots mean for the granted directories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClientRoots {
    /// They narrow them. A client that has no roots gets what is granted.
    #[default]
    Narrow,
    /// They narrow them. A client that has no roots gets no directory.
    Require,
    /// Nothing: the client is never asked.
    Ignore,
}

/// Why an address is not one of a directory on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadRoot {
    /// Longer than [`MAX_CLIENT_ROOT_BYTES`].
    #[error("it is longer than {MAX_CLIENT_ROOT_BYTES} bytes")]
    TooLong,
    /// Another scheme, or none.
    #[error("it does not begin with file://")]
    NotFile,
    /// Another machine.
    #[error("it is on another machine")]
    Host,
    /// `//server/share`.
    #[error("it is a network share (//server/share)")]
    Share,
    /// No path that begins with a slash.
    #[error("it has no absolute path")]
    Relative,
    /// `?` or `#`.
    #[error("it has a query or a fragment (write %3F for ? and %23 for #)")]
    NotOnlyPath,
    /// `%` without two hexadecimal digits.
    #[error("it has a % that is followed by no two hexadecimal digits")]
    Escape,
    /// A slash or backslash within a name.
    #[error("it has a slash or backslash that is no separator")]
    Separator,
    /// NUL, or a control character that is not escaped.
    #[error("it has a character that no path has")]
    Character,
    /// Bytes that are no UTF-8.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// A drive where there are none.
    #[error("it is on a drive of Windows")]
    Drive,
}

/// The path in a `file:` address, as the address says it: absolute, without
/// `.` and `..`.
///
/// A parser of URLs in general is of no use here. It mends what it does not
/// understand (backslashes, tabs, missing slashes), and what has to be mended
/// is not to be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientPath {
    drive: Option<char>,
    names: Vec<String>,
}

impl ClientPath {
    /// Reads an address: `file://`, nothing or `localhost`, and a path.
    ///
    /// # Errors
    ///
    /// [`BadRoot`].
    pub fn parse(uri: &str) -> Result<Self, BadRoot> {
        if uri.len() > MAX_CLIENT_ROOT_BYTES {
            return Err(BadRoot::TooLong);
        }
        let rest = match uri.split_at_checked("file://".len()) {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file://") => rest,
            _ => return Err(BadRoot::NotFile),
        };
        let start = rest.find('/').ok_or(BadRoot::Relative)?;
        let (host, path) = rest.split_at(start);
        if !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) {
            return Err(BadRoot::Host);
        }
        if path.contains(['?', '#']) {
            return Err(BadRoot::NotOnlyPath);
        }
        if path.chars().any(char::is_control) {
            return Err(BadRoot::Character);
        }
        if path.starts_with("//") {
            return Err(BadRoot::Share);
        }
        let mut drive = None;
        let mut names: Vec<String> = Vec::new();
        for (place, segment) in path[1..].split('/').enumerate() {
            let name = decoded(segment)?;
            if place == 0 && is_drive(&name) {
                drive = name.chars().next().map(|it| it.to_ascii_uppercase());
                continue;
            }
            match &*name {
                "" | "." => {}
                ".." => drop(names.pop()),
                _ => names.push(name),
            }
        }
        Ok(Self { drive, names })
    }

    /// The path as this system has it.
    ///
    /// # Errors
    ///
    /// [`BadRoot::Drive`] where there are no drives. That `/C:` could be a
    /// directory there as well is no reason to think that it was meant.
    #[cfg(not(windows))]
    pub fn to_path(&self) -> Result<PathBuf, BadRoot> {
        match self.drive {
            Some(_) => Err(BadRoot::Drive),
            None => Ok(std::iter::once("/")
                .chain(self.names.iter().map(String::as_str))
                .collect()),
        }
    }

    /// The path as this system has it.
    ///
    /// # Errors
    ///
    /// [`BadRoot::Relative`] without a drive; [`BadRoot::Character`] for a name
    /// with a colon, which means something else here.
    #[cfg(windows)]
    pub fn to_path(&self) -> Result<PathBuf, BadRoot> {
        let drive = self.drive.ok_or(BadRoot::Relative)?;
        if self.names.iter().any(|name| name.contains(':')) {
            return Err(BadRoot::Character);
        }
        Ok(std::iter::once(&*format!("{drive}:\\"))
            .chain(self.names.iter().map(String::as_str))
            .collect())
    }
}

/// What a list of addresses comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientRootList {
    /// The paths, each with its place in the list.
    pub paths: Vec<(usize, PathBuf)>,
    /// What of it can't be used, for a person; at most one sentence for the
    /// addresses and one for their number.
    pub problems: Vec<String>,
}

impl ClientRootList {
    /// Reads a client's list. What can't be used of it grants nothing.
    pub fn read<'a>(uris: impl IntoIterator<Item = &'a str>) -> Self {
        let mut list = Self::default();
        let mut bad = 0_usize;
        let mut first = None;
        let mut uris = uris.into_iter().enumerate();
        for (place, uri) in uris.by_ref().take(MAX_CLIENT_ROOTS) {
            match ClientPath::parse(uri).and_then(|path| path.to_path()) {
                Ok(path) => list.paths.push((place, path)),
                Err(why) => {
                    bad += 1;
                    first.get_or_insert_with(|| format!("\"{}\": {why}", shown(uri)));
                }
            }
        }
        if let Some(first) = first {
            let all = if bad == 1 {
                "a root of the client can't be used".to_owned()
            } else {
                format!("{bad} roots of the client can't be used, of which the first is")
            };
            list.problems.push(format!("{all} {first}"));
        }
        if uris.next().is_some() {
            list.problems.push(format!(
                "the client has more roots than the {MAX_CLIENT_ROOTS} that are looked at"
            ));
        }
        list
    }
}

/// A name between two slashes.
fn decoded(segment: &str) -> Result<String, BadRoot> {
    let mut rest = segment;
    while let Some((_, after)) = rest.split_once('%') {
        let digits = after.as_bytes().get(..2);
        if !digits.is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit)) {
            return Err(BadRoot::Escape);
        }
        rest = &after[2..];
    }
    let name = percent_decode_str(segment)
        .decode_utf8()
        .map_err(|_| BadRoot::NotUtf8)?;
    if name.contains('\0') {
        return Err(BadRoot::Character);
    }
    // Which of them separates names differs from system to system.
    if name.contains(['/', '\\']) {
        return Err(BadRoot::Separator);
    }
    Ok(name.into_owned())
}

/// `C:`, or `C|` as it was once written.
fn is_drive(name: &str) -> bool {
    matches!(name.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}
