//! robots.txt, RFC 9309.
//!
//! No crate that is kept up reads it, and the whole of it is a page.

use palisade_sdk::http::Url;

use crate::robots_path::{Pattern, normal};

/// What one visitor may fetch of a site.
#[derive(Debug, Default)]
pub(crate) struct Robots {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    allow: bool,
    pattern: Pattern,
}

impl Robots {
    /// How much of a file is read: what the RFC has every crawler read at least.
    pub(crate) const LARGEST: usize = 500 << 10;

    /// The rules of all groups for a visitor, or those for `*` if none names it.
    pub(crate) fn parse(text: &str, user_agent: &str) -> Self {
        let token = product(user_agent);
        let (mut own, mut others) = (None::<Vec<Rule>>, Vec::new());
        // Whom the group that is read is for, and whether its rules have begun.
        let (mut for_us, mut for_all, mut begun) = (false, false, true);
        for (key, value) in records(text) {
            match &*key {
                "user-agent" => {
                    if begun {
                        (for_us, for_all, begun) = (false, false, false);
                    }
                    let named = product(value);
                    for_us |= !named.is_empty() && named.eq_ignore_ascii_case(token);
                    for_all |= value == "*" || value.starts_with("* ");
                    if for_us {
                        own.get_or_insert_default();
                    }
                }
                "allow" | "disallow" => {
                    begun = true;
                    // An empty one says nothing.
                    if value.is_empty() {
                        continue;
                    }
                    let rule = || Rule {
                        allow: key == "allow",
                        pattern: Pattern::new(value),
                    };
                    if for_us && let Some(own) = &mut own {
                        own.push(rule());
                    }
                    if for_all {
                        others.push(rule());
                    }
                }
                // A sitemap, say, is nobody's in particular.
                _ => {}
            }
        }
        Self {
            rules: own.unwrap_or(others),
        }
    }

    /// Whether a page may be fetched: the longest rule that fits says so, and an
    /// `Allow` before a `Disallow` as long.
    pub(crate) fn allows(&self, page: &Url) -> bool {
        if page.path() == "/robots.txt" {
            return true;
        }
        let path = match page.query() {
            Some(query) => normal(&format!("{}?{query}", page.path())),
            None => normal(page.path()),
        };
        let fitting = self.rules.iter().filter(|rule| rule.pattern.fits(&path));
        fitting
            .max_by_key(|rule| (rule.pattern.length(), rule.allow))
            .is_none_or(|rule| rule.allow)
    }
}

/// `key: value` of every line that has one, keys in lower case.
fn records(text: &str) -> impl Iterator<Item = (String, &str)> {
    let text = text.trim_start_matches('\u{feff}');
    text.split(['\n', '\r']).filter_map(|line| {
        let line = line.split('#').next().unwrap_or_default();
        let (key, value) = line.split_once(':')?;
        Some((key.trim().to_ascii_lowercase(), value.trim()))
    })
}

/// `ExampleBot` of `ExampleBot/1.0 (…)`.
fn product(user_agent: &str) -> &str {
    let end = user_agent.find(|c: char| !(c.is_ascii_alphabetic() || c == '-' || c == '_'));
    &user_agent[..end.unwrap_or(user_agent.len())]
}
