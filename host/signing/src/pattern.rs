//! Patterns with one `*`.

/// A text, or one with a `*` in the place of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    before: String,
    after: Option<String>,
}

/// What a pattern is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// A place that plugins come from.
    Source,
    /// Somebody in a certificate.
    Identity,
}

impl Pattern {
    /// Reads one; in words, why it is none.
    pub(crate) fn parse(text: &str, of: Of) -> Result<Self, String> {
        let no = |why: &str| Err(format!("the pattern `{text}` {why}"));
        if text.is_empty() {
            return no("is empty");
        }
        let Some((before, after)) = text.split_once('*') else {
            return Ok(Self {
                before: text.to_owned(),
                after: None,
            });
        };
        if after.contains('*') {
            return no("has more than one *");
        }
        let this = Self {
            before: before.to_owned(),
            after: Some(after.to_owned()),
        };
        match of {
            Of::Source if text == "*" => Ok(this),
            // Otherwise `https://example.co*` would be a stranger's host too.
            Of::Source if !is_within_a_host(before) => {
                no("has its * in the name of a host, which others may have: write it after the /")
            }
            Of::Source if !after.is_empty() => no("has something after its *"),
            Of::Identity if before.is_empty() && !after.starts_with('@') => {
                no("is nearly anybody: write more of whom you mean")
            }
            Of::Source | Of::Identity => Ok(this),
        }
    }

    pub(crate) fn matches_source(&self, source: &str) -> bool {
        let Some(rest) = self.rest(source) else {
            return false;
        };
        // A way back would lead out of what the pattern names.
        let low = rest.to_ascii_lowercase();
        let back = |part: &str| matches!(part.replace("%2e", ".").as_str(), "." | "..");
        let plain = !low.contains(['\\', '?']) && !low.contains("%2f") && !low.contains("%5c");
        self.after.is_none()
            || self.before.is_empty()
            || (plain && !source.to_ascii_lowercase().split('/').any(back))
    }

    /// The `*` is a part of a name, and never reaches into the next.
    pub(crate) fn matches_identity(&self, identity: &str) -> bool {
        (self.rest(identity)).is_some_and(|rest| !rest.contains(['/', '@', '?', '#']))
    }

    /// What stands where the `*` is.
    fn rest<'a>(&self, text: &'a str) -> Option<&'a str> {
        let rest = text.strip_prefix(self.before.as_str())?;
        match &self.after {
            None => rest.is_empty().then_some(rest),
            Some(after) => rest.strip_suffix(after.as_str()),
        }
    }
}

fn is_within_a_host(before: &str) -> bool {
    match before.split_once("://") {
        Some((_, rest)) => rest.contains('/'),
        None => before.starts_with('/'),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn sources() {
        let team = Pattern::parse("oci://reg.example/notes*", Of::Source).unwrap();
        let web = Pattern::parse("https://a.example/team/*", Of::Source).unwrap();
        let here = Pattern::parse("/srv/plugins/*", Of::Source).unwrap();
        assert!(team.matches_source("oci://reg.example/notes:1.0"));
        assert!(!team.matches_source("oci://reg.example.evil.example/notes:1.0"));
        assert!(web.matches_source("https://a.example/team/x.wasm"));
        for way in ["../x", "%2e%2E/x", "a%2f..%2fx", "x?/../y", "..\\x"] {
            let source = format!("https://a.example/team/{way}");
            assert!(!web.matches_source(&source), "{source}");
        }
        assert!(here.matches_source("/srv/plugins/a.wasm"));
        assert!(!here.matches_source("/srv/plugins/../a.wasm"));
        let any = Pattern::parse("*", Of::Source).unwrap();
        assert!(any.matches_source("https://a.example/?x"));
        for bad in [
            "",
            "oci://reg*",
            "oci://*/a",
            "https://a.example/*/b",
            "/a/*/*",
            "notes*",
        ] {
            assert!(Pattern::parse(bad, Of::Source).is_err(), "{bad}");
        }
    }

    #[test]
    fn identities() {
        let text = "https://github.com/t/n/.github/workflows/r.yml@refs/tags/*";
        let tags = Pattern::parse(text, Of::Identity).unwrap();
        let of = |end: &str| text.replace('*', end);
        assert!(tags.matches_identity(&of("v1.0")));
        assert!(!tags.matches_identity(&of("a/b")));
        let domain = Pattern::parse("*@team.example", Of::Identity).unwrap();
        assert!(domain.matches_identity("me@team.example"));
        assert!(!domain.matches_identity("me@evil.example/@team.example"));
        assert!(Pattern::parse("*", Of::Identity).is_err());
    }
}
