//! Rules against a request.

use std::collections::HashMap;
use std::fmt;

use super::address::Special;
use super::authority::{Authority, Host};
use super::path::{PathPattern, PlainPath};
use super::{ANY_HOST, ANY_PORT, NetworkRequest, Scheme};

/// Where something is to be sent, and what.
#[derive(Debug, Clone)]
pub struct Target<'a> {
    /// How it is spoken to.
    pub scheme: Scheme,
    /// The host.
    pub host: Host,
    /// The port.
    pub port: u16,
    /// Of HTTP: its method, and its path without the query.
    pub request: Option<(&'a str, &'a str)>,
}

impl<'a> Target<'a> {
    /// A request of HTTP. Without a port, the scheme's own is meant.
    pub fn http(scheme: Scheme, authority: Authority, method: &'a str, path: &'a str) -> Self {
        Self {
            port: authority.port.or(scheme.default_port()).unwrap_or(0),
            host: authority.host,
            scheme,
            request: Some((method, path)),
        }
    }
}

impl fmt::Display for Target<'_> {
    /// "https://api.example.com:8443".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        match self.scheme.default_port() == Some(self.port) {
            true => Ok(()),
            false => write!(f, ":{}", self.port),
        }
    }
}

/// What rules allow of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowed {
    /// A name may lead to a private address.
    pub private: bool,
    /// The target is an address, and a rule names that very address.
    pub by_address: bool,
}

impl Allowed {
    /// What holds of this, which is granted, where that is asked for. Who asks for
    /// private addresses wherever they are asks for the one that is granted.
    pub(super) fn and(self, asked: Self) -> Self {
        Self {
            private: self.private && asked.private,
            by_address: self.by_address && (asked.by_address || asked.private),
        }
    }

    /// What one rule allows beside another one.
    fn or(self, other: Self) -> Self {
        Self {
            private: self.private || other.private,
            by_address: self.by_address || other.by_address,
        }
    }

    /// Whether an address that is this may be connected to; none is one on the
    /// public internet.
    #[must_use]
    pub fn admits(self, what: Option<Special>) -> bool {
        what.is_none_or(|what| self.by_address || self.private && what.is_private())
    }
}

/// How near a target came to being allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Denied {
    /// No rule is for this host, scheme and port.
    Destination,
    /// A rule is for the destination, and for other methods.
    Method,
    /// A rule is for the destination and the method, and for other paths.
    Path,
    /// It is granted, and the plugin's own manifest does not ask for it.
    NotAsked,
}

/// Rules, compiled once. Looking one up costs a hash or two, however many
/// there are.
#[derive(Debug, Clone, Default)]
pub struct NetworkRules {
    /// By scheme, port, and host.
    exact: HashMap<(Scheme, u16), HashMap<Host, Vec<Rule>>>,
    /// By scheme, port, and what follows `*.`.
    below: HashMap<(Scheme, u16), HashMap<String, Vec<Rule>>>,
    /// For any host: by scheme, with the port they are for.
    any: HashMap<Scheme, Vec<(u16, Rule)>>,
    /// What has to allow it as well.
    pub(super) asked: Option<Box<NetworkRules>>,
}

#[derive(Debug, Clone)]
struct Rule {
    /// Any if there is none.
    methods: Vec<String>,
    /// Any if there is none.
    paths: Vec<PathPattern>,
    private: bool,
}

impl NetworkRules {
    /// Compiles rules.
    pub fn new<'r>(rules: impl IntoIterator<Item = &'r NetworkRequest>) -> Self {
        let mut compiled = Self::default();
        for rule in rules {
            let to = &rule.to;
            let paths = (rule.paths.iter())
                .map(|pattern| PathPattern::parse(pattern))
                .collect::<Result<Vec<_>, _>>();
            // The parser of rules has refused what is no pattern: without its
            // paths a rule would be wider, so it is none.
            let Ok(paths) = paths else { continue };
            let place = (to.scheme, to.port);
            let own = Rule {
                methods: rule.methods.iter().cloned().collect(),
                paths,
                private: rule.private,
            };
            if to.host == ANY_HOST {
                compiled
                    .any
                    .entry(to.scheme)
                    .or_default()
                    .push((to.port, own));
                continue;
            }
            match to.host.strip_prefix("*.") {
                Some(parent) => {
                    let hosts = compiled.below.entry(place).or_default();
                    hosts.entry(parent.to_owned()).or_default().push(own);
                }
                None => {
                    let Ok(authority) = to.host.parse::<Authority>() else {
                        continue;
                    };
                    let hosts = compiled.exact.entry(place).or_default();
                    hosts.entry(authority.host).or_default().push(own);
                }
            }
        }
        compiled
    }

    /// Compiles what is granted, of which only that holds which is asked for as
    /// well; with `None`, nothing is asked for in particular and all of it holds.
    pub fn both<'r>(
        granted: impl IntoIterator<Item = &'r NetworkRequest>,
        asked: Option<impl IntoIterator<Item = &'r NetworkRequest>>,
    ) -> Self {
        Self {
            asked: asked.map(|asked| Box::new(Self::new(asked))),
            ..Self::new(granted)
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.below.is_empty() && self.any.is_empty()
    }

    /// What is allowed of a target.
    ///
    /// # Errors
    /// [`Denied`], the nearest that any rule came.
    pub fn decide(&self, target: &Target<'_>) -> Result<Allowed, Denied> {
        let granted = self.decide_alone(target)?;
        match &self.asked {
            None => Ok(granted),
            Some(asked) => match asked.decide_alone(target) {
                Ok(asked) => Ok(granted.and(asked)),
                Err(_) => Err(Denied::NotAsked),
            },
        }
    }

    /// Whether there is a manifest, and it does not ask for this.
    pub(super) fn not_asked_for(&self, target: &Target<'_>) -> bool {
        (self.asked.as_ref()).is_some_and(|asked| asked.decide_alone(target).is_err())
    }

    fn decide_alone(&self, target: &Target<'_>) -> Result<Allowed, Denied> {
        let mut denied = Denied::Destination;
        let mut allowed: Option<Allowed> = None;
        let path = target.request.map(|(_, path)| PlainPath::parse(path));
        for (rule, exact) in self.of(target.scheme, target.port, &target.host) {
            match rule.admits(target.request.map(|(method, _)| method), path.as_ref()) {
                Ok(()) => allowed = Some(rule.allows(&target.host, exact, allowed)),
                Err(why) => denied = denied.max(why),
            }
        }
        allowed.ok_or(denied)
    }

    /// What is allowed of a connection that is good for every request to this
    /// destination; none if no rule is for it.
    pub fn destination(&self, scheme: Scheme, host: &Host, port: u16) -> Option<Allowed> {
        let granted = self.destination_alone(scheme, host, port)?;
        match &self.asked {
            None => Some(granted),
            Some(asked) => {
                (asked.destination_alone(scheme, host, port)).map(|asked| granted.and(asked))
            }
        }
    }

    /// The same of what is granted, whatever is asked for.
    pub(super) fn destination_alone(
        &self,
        scheme: Scheme,
        host: &Host,
        port: u16,
    ) -> Option<Allowed> {
        let mut all: Option<Allowed> = None;
        for (rule, exact) in self.of(scheme, port, host) {
            all = Some(rule.allows(host, exact, all));
        }
        all
    }

    /// What is allowed of the addresses that a name leads to, whatever is then
    /// sent there; none where the name may not be looked up, since nothing could
    /// be sent to what it leads to.
    pub fn lookup(&self, host: &Host) -> Option<Allowed> {
        // What is granted for any port may be asked for at one.
        let asked = self.asked.iter().flat_map(|asked| asked.places());
        (self.places().chain(asked))
            .filter_map(|(scheme, port)| self.destination(scheme, host, port))
            .reduce(Allowed::or)
    }

    /// Whether a name may be looked up: only where something could be sent to
    /// what it leads to.
    pub fn names(&self, host: &Host) -> bool {
        self.lookup(host).is_some()
    }

    /// Whether anything may be sent in one of these ways.
    pub fn speaks(&self, scheme: Scheme) -> bool {
        self.places().any(|(one, _)| one == scheme)
    }

    /// Schemes and ports there are rules for.
    pub(super) fn places(&self) -> impl Iterator<Item = (Scheme, u16)> {
        let any = (self.any.iter())
            .flat_map(|(scheme, rules)| rules.iter().map(|(port, _)| (*scheme, *port)));
        let named = self.exact.keys().chain(self.below.keys());
        named.copied().chain(any)
    }

    /// The rules for a destination, and whether they name this very host.
    fn of<'s>(
        &'s self,
        scheme: Scheme,
        port: u16,
        host: &'s Host,
    ) -> impl Iterator<Item = (&'s Rule, bool)> {
        let place = (scheme, port);
        let exact = (self.exact.get(&place)).and_then(|hosts| hosts.get(host));
        let below = self.below.get(&place);
        let parents = match host {
            Host::Name(name) => Some(parents(name)),
            Host::Address(_) => None,
        };
        let below = (parents.into_iter().flatten())
            .filter_map(move |parent| below.and_then(|hosts| hosts.get(parent)))
            .flatten()
            .map(|rule| (rule, false));
        let any = (self.any.get(&scheme).into_iter().flatten())
            .filter(move |(its, _)| *its == ANY_PORT || *its == port)
            .map(|(_, rule)| (rule, false));
        exact
            .into_iter()
            .flatten()
            .map(|rule| (rule, true))
            .chain(below)
            .chain(any)
    }
}

/// `b.c` and `c` of `a.b.c`.
fn parents(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('.').map(|(dot, _)| &name[dot + 1..])
}

impl Rule {
    /// What it allows of a host it is for, beside what others do.
    fn allows(&self, host: &Host, exact: bool, others: Option<Allowed>) -> Allowed {
        // Who names this machine means it.
        let own = exact && matches!(host, Host::Name(name) if name == "localhost");
        let others = others.unwrap_or(Allowed {
            private: false,
            by_address: false,
        });
        Allowed {
            private: others.private || self.private || own,
            by_address: others.by_address || exact && matches!(host, Host::Address(_)),
        }
    }

    fn admits(&self, method: Option<&str>, path: Option<&Option<PlainPath>>) -> Result<(), Denied> {
        let any = |set: &[String]| set.is_empty();
        if !any(&self.methods)
            && !method.is_some_and(|method| self.methods.iter().any(|one| one == method))
        {
            return Err(Denied::Method);
        }
        let admitted = self.paths.is_empty()
            || path
                .and_then(Option::as_ref)
                .is_some_and(|path| self.paths.iter().any(|pattern| pattern.matches(path)));
        admitted.then_some(()).ok_or(Denied::Path)
    }
}
