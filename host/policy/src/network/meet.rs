//! What two rules allow together, for a person to read.
//!
//! A request is held against what is granted and against what is asked for, each
//! by itself ([`NetworkRules::both`](super::NetworkRules::both)): two patterns of
//! paths have no common pattern in general. Here it is only said in words.

use std::collections::BTreeSet;
use std::fmt;

use super::{ANY_HOST, ANY_PORT, Destination, NetworkRequest, NetworkRules};

/// What a plugin may reach: what is granted, of which only that holds which is
/// asked for as well.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EffectiveNetwork {
    /// Granted rules, those that allow something of what is asked for.
    pub granted: Vec<NetworkRequest>,
    /// Every asked rule, since what is refused could be granted where it is asked
    /// for; none where the plugin has no manifest, and all that is granted holds.
    pub asked: Option<Vec<NetworkRequest>>,
}

impl EffectiveNetwork {
    /// Whether nothing may be reached.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.granted.is_empty()
    }

    /// Compiled, to hold requests against.
    #[must_use]
    pub fn rules(&self) -> NetworkRules {
        NetworkRules::both(&self.granted, self.asked.as_ref())
    }
}

/// What two rules allow together, if that is anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meet {
    /// Without paths where two sets of patterns hold.
    rule: NetworkRequest,
    /// Where both rules have paths, and not the same: a path has to match both.
    paths: Option<[BTreeSet<String>; 2]>,
}

impl Meet {
    /// Whether it is all that a rule allows.
    pub(crate) fn is(&self, rule: &NetworkRequest) -> bool {
        self.paths.is_none() && self.rule == *rule
    }
}

impl fmt::Display for Meet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(paths) = &self.paths else {
            return self.rule.fmt(f);
        };
        let [one, other] = paths
            .each_ref()
            .map(|set| set.iter().cloned().collect::<Vec<_>>().join(", "));
        write!(f, "{}, paths {one} that are also in {other}", self.rule)
    }
}

/// What an asked and a granted rule allow together.
pub(crate) fn meet(asked: &NetworkRequest, granted: &NetworkRequest) -> Option<Meet> {
    let to = destination(&asked.to, &granted.to)?;
    let methods = match (asked.methods.is_empty(), granted.methods.is_empty()) {
        (true, _) => granted.methods.clone(),
        (false, true) => asked.methods.clone(),
        (false, false) => {
            let both = &asked.methods & &granted.methods;
            if both.is_empty() {
                return None;
            }
            both
        }
    };
    let (paths, two) = if asked.paths.is_empty() || asked.paths == granted.paths {
        (granted.paths.clone(), None)
    } else if granted.paths.is_empty() {
        (asked.paths.clone(), None)
    } else {
        let two = [asked.paths.clone(), granted.paths.clone()];
        (BTreeSet::new(), Some(two))
    };
    Some(Meet {
        rule: NetworkRequest {
            to,
            methods,
            paths,
            private: asked.private && granted.private,
        },
        paths: two,
    })
}

/// The narrower of two destinations; none where neither is.
pub(crate) fn destination(one: &Destination, other: &Destination) -> Option<Destination> {
    if one.scheme != other.scheme {
        return None;
    }
    let port = match (one.port, other.port) {
        (one, other) if one == other => one,
        (ANY_PORT, port) | (port, ANY_PORT) => port,
        _ => return None,
    };
    let host = if one.host == other.host || within(&one.host, &other.host) {
        &one.host
    } else if within(&other.host, &one.host) {
        &other.host
    } else {
        return None;
    };
    Some(Destination {
        scheme: one.scheme,
        host: host.clone(),
        port,
    })
}

/// Whether every host that `inner` means lies below the name in `outer`.
fn within(inner: &str, outer: &str) -> bool {
    if outer == ANY_HOST {
        return true;
    }
    let inner = inner.strip_prefix("*.").map_or(inner, |_| &inner[1..]);
    // `.example.com`; what stands before `*` is never an address.
    (outer.strip_prefix('*'))
        .is_some_and(|below| inner.len() > below.len() && inner.ends_with(below))
}
