//! What the things of a plugin are called by a client.
//!
//! One plugin alone keeps its own names. Beside others, everything it offers
//! carries its name, so that nothing of one can be taken for another's.
//!
//! What a name becomes depends on the plugin's name and on nothing else: a
//! client that has learned it finds it again, whatever is served beside it.

use sha2::{Digest as _, Sha256};

/// How names are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// One plugin, its own names.
    Alone,
    /// Several plugins, each with its name before everything it offers.
    Prefixed,
}

impl Naming {
    /// The name of a tool or prompt: `plugin__name`, where that is a name every
    /// client takes, else as much of it as there is room for and a hash.
    pub(crate) fn item(self, plugin: &str, name: &str) -> String {
        match self {
            Self::Alone => name.to_owned(),
            Self::Prefixed => prefixed(plugin, name),
        }
    }

    /// The address of a resource, or of a template of addresses.
    pub(crate) fn uri(self, plugin: &str, uri: &str) -> String {
        match self {
            Self::Alone => uri.to_owned(),
            Self::Prefixed => format!("{SCHEME}{plugin}/{uri}"),
        }
    }

    /// The plugin an address leads to, if it says, and what it calls it.
    pub(crate) fn resolve(self, uri: &str) -> Option<(Option<&str>, &str)> {
        match self {
            Self::Alone => Some((None, uri)),
            Self::Prefixed => {
                let (plugin, uri) = uri.strip_prefix(SCHEME)?.split_once('/')?;
                Some((Some(plugin), uri))
            }
        }
    }
}

/// What addresses begin with where several plugins are served.
const SCHEME: &str = "palisade://";

/// Between a plugin's name and that of what it offers. Plugins have no `_` in
/// their names, so the first one ends it.
const SEPARATOR: &str = "__";

/// Longest name that the clients and models in use take, in characters of
/// `A-Z a-z 0-9 _ -`.
const MAX: usize = 64;

/// What a hash begins with, and its characters: 60 bits. A plugin that looks
/// for two names of one hash finds them only among its own, or works for years.
const MARK: &str = "_h";
const HASH: usize = 12;
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

fn prefixed(plugin: &str, name: &str) -> String {
    let plain = format!("{plugin}{SEPARATOR}{name}");
    if plain.len() <= MAX && plain.chars().all(is_taken_everywhere) && !looks_hashed(&plain) {
        return plain;
    }
    let readable = plain
        .chars()
        .map(|c| if is_taken_everywhere(c) { c } else { '_' })
        .take(MAX - MARK.len() - HASH);
    readable
        .chain(MARK.chars())
        .chain(hash(plugin, name))
        .collect()
}

fn is_taken_everywhere(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Whether a name ends as one with a hash does; if it came about otherwise, it
/// gets a hash of its own, so that no name is made in two ways.
fn looks_hashed(name: &str) -> bool {
    let Some((_, end)) = name.split_at_checked(name.len().saturating_sub(MARK.len() + HASH)) else {
        return false;
    };
    end.strip_prefix(MARK)
        .is_some_and(|hash| hash.len() == HASH && hash.bytes().all(|byte| ALPHABET.contains(&byte)))
}

fn hash(plugin: &str, name: &str) -> impl Iterator<Item = char> {
    let mut hasher = Sha256::new();
    hasher.update(plugin);
    // Ends the plugin's name, in which it can't be.
    hasher.update([0]);
    hasher.update(name);
    let digest = hasher.finalize();
    (0..HASH).map(move |place| {
        // 5 bits a character; 12 of them are in the first 8 bytes.
        let bit = place * 5;
        let pair = (u16::from(digest[bit / 8]) << 8) | u16::from(digest[bit / 8 + 1]);
        let five = (pair >> (11 - bit % 8)) & 31;
        char::from(ALPHABET[usize::from(five)])
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn item(plugin: &str, name: &str) -> String {
        Naming::Prefixed.item(plugin, name)
    }

    /// Anything a plugin may be called.
    fn plugin() -> impl Strategy<Value = String> {
        "[a-z0-9-]{1,48}"
    }

    /// Anything a tool may be called; few different characters and lengths, so
    /// that names are alike. Some are what another became.
    fn name() -> impl Strategy<Value = String> {
        prop_oneof![
            "[A-Za-z0-9_.-]{1,128}",
            "[a_.-]{1,3}",
            "a{40,70}[ab.]",
            "[a_]{0,3}_h[a-c2]{12}",
            (plugin(), "[A-Za-z0-9_.-]{1,128}").prop_map(|(plugin, name)| {
                let made = item(&plugin, &name);
                made.split_once(SEPARATOR)
                    .map_or(name, |(_, rest)| rest.to_owned())
            }),
        ]
        .prop_filter("names are not empty", |name| !name.is_empty())
    }

    proptest! {
        #[test]
        fn every_client_takes_it(plugin in plugin(), name in name()) {
            let made = item(&plugin, &name);
            prop_assert!((1..=64).contains(&made.len()), "{}", made);
            prop_assert!(
                made.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'),
                "{}", made
            );
            let before = format!("{plugin}__");
            prop_assert!(made.starts_with(&before), "{}", made);
        }

        #[test]
        fn no_two_become_one(
            one in (prop_oneof![plugin(), "[a-]{1,3}"], name()),
            other in (prop_oneof![plugin(), "[a-]{1,3}"], name()),
        ) {
            let (made, of_other) = (item(&one.0, &one.1), item(&other.0, &other.1));
            prop_assert_eq!(one == other, made == of_other);
        }

        #[test]
        fn none_becomes_what_another_became(plugin in plugin(), name in name()) {
            let made = item(&plugin, &name);
            if let Some(rest) = made.strip_prefix(&format!("{plugin}__"))
                && rest != name
            {
                prop_assert_ne!(item(&plugin, rest), made);
            }
        }

        #[test]
        fn an_address_leads_back(plugin in plugin(), uri in ".*") {
            let made = Naming::Prefixed.uri(&plugin, &uri);
            prop_assert_eq!(
                Naming::Prefixed.resolve(&made),
                Some((Some(plugin.as_str()), uri.as_str()))
            );
        }

        #[test]
        fn alone_nothing_is_changed(name in ".*") {
            prop_assert_eq!(&Naming::Alone.item("plugin", &name), &name);
            prop_assert_eq!(&Naming::Alone.uri("plugin", &name), &name);
        }
    }

    /// Clients keep names, in permissions for example: they stay what they are
    /// from version to version.
    #[test]
    fn what_names_become() {
        assert_eq!(item("notes", "search"), "notes__search");
        assert_eq!(item("notes", "_h"), "notes___h");
        let dotted = item("notes", "search.all");
        assert!(dotted.starts_with("notes__search_all_h"), "{dotted}");
        assert_ne!(dotted, item("notes", "search_all"));
        assert_ne!(dotted, item("notes", "search-all"));
        let long = item(&"n".repeat(48), &"x".repeat(128));
        assert!(
            long.starts_with(&format!("{}___h", "n".repeat(48))),
            "{long}"
        );
        assert_eq!(long.len(), 64);
    }
}
