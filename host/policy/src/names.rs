//! Which names are names.

/// Longest plugin or root name, in characters.
pub(crate) const NAME_MAX: usize = 48;

/// The rule for plugin and root names, as told to a person.
pub(crate) const NAME_RULE: &str = "a name is 1 to 48 of the characters a-z, 0-9 and -";

/// Longest environment variable name, in bytes.
const ENV_NAME_MAX: usize = 255;

/// The rule for environment variable names, as told to a person.
pub(crate) const ENV_NAME_RULE: &str =
    "a variable's name is 1 to 255 bytes without `=`, spaces and control characters";

/// Whether `text` may name a plugin or a root: `[a-z0-9-]{1,48}`.
///
/// A root's name becomes its mount point (`/NAME`), so nothing that means
/// something in a path is allowed.
pub fn is_name(text: &str) -> bool {
    (1..=NAME_MAX).contains(&text.len())
        && text
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// Whether `text` may name an environment variable: not empty, at most 255
/// bytes, no `=`, no white space, no control or invisible characters (NUL
/// included).
pub fn is_env_name(text: &str) -> bool {
    (1..=ENV_NAME_MAX).contains(&text.len())
        && !text
            .chars()
            .any(|c| c == '=' || c.is_whitespace() || crate::text::steers(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for good in ["a", "notes", "my-notes-2", "-", &"x".repeat(48)] {
            assert!(is_name(good), "{good}");
        }
        for bad in [
            "",
            "Notes",
            "a_b",
            "a/b",
            "..",
            "a b",
            "ä",
            "*",
            &"x".repeat(49),
        ] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn env_names() {
        for good in ["LANG", "lang", "_", "A.B", "ProgramFiles(x86)", "ÄÖ"] {
            assert!(is_env_name(good), "{good}");
        }
        for bad in [
            "",
            "A=B",
            "A\0",
            "A B",
            "A\nB",
            "A\u{202e}B",
            &"x".repeat(256),
        ] {
            assert!(!is_env_name(bad), "{bad}");
        }
    }
}
