//! What the things of a plugin are called by a client.
//!
//! One plugin alone keeps its own names. Beside others, everything it offers
//! carries its name, so that nothing of one can be taken for another's.

/// How names are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// One plugin, its own names.
    Alone,
    /// Several plugins, each with its name before everything it offers.
    Prefixed,
}

impl Naming {
    /// The name of a tool or prompt, `plugin__name`.
    pub(crate) fn item(self, plugin: &str, name: &str) -> String {
        match self {
            Self::Alone => name.to_owned(),
            Self::Prefixed => format!("{plugin}__{name}"),
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
