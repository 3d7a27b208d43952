//! `--allow RULE`: a rule on the command line, and what to write there so that
//! something that was refused is allowed.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::path::{PathPattern, PlainPath};
use super::{
    ANY_PORT, Destination, Host, NetworkRequest, NetworkRules, Scheme, Special, Target,
    not_a_method, not_a_pattern,
};
use crate::error::FlagError;
use crate::text::{shell_word, shown};

const USAGE: &str = "write --allow '[METHOD[,METHOD] ][private:]scheme://host[:port][/path]', \
                     for example --allow https://api.example.com or \
                     --allow 'GET https://api.example.com/v1/**'";

const PRIVATE: &str = "private:";

/// `--allow [METHOD[,METHOD] ][private:]scheme://host[:port][/path]`: one rule,
/// as `[[network]]` has it. Without methods any is meant, without a path any
/// path; in a path, `*` and `**` are the wildcards of `paths`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowFlag(pub NetworkRequest);

impl FromStr for AllowFlag {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        let no = |problem: &str| FlagError::new(format!("`{}` {problem}", shown(text)), USAGE);
        const BLANK: [char; 2] = [' ', '\t'];
        let whole = text.trim_matches(BLANK);
        let (methods, rest) = match whole.split_once(BLANK) {
            Some((methods, rest)) => (Some(methods), rest.trim_start_matches(BLANK)),
            None => (None, whole),
        };
        let (private, rest) = match rest.strip_prefix(PRIVATE) {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let authority = rest.find("://").map_or(0, |colon| colon + 3);
        let slash = rest[authority..].find('/').map(|slash| authority + slash);
        let (to, path) = rest.split_at(slash.unwrap_or(rest.len()));
        let to = Destination::read(to)
            .map_err(|problem| no(&format!("is no rule: \"{}\", {problem}", shown(to))))?;
        if !to.scheme.is_http() && (methods.is_some() || !path.is_empty()) {
            return Err(no(
                "has a method or a path, which mean nothing to tcp and udp",
            ));
        }
        if path == "/" {
            // As copied from a browser, where it stands for all of the site.
            return Err(FlagError::new(
                format!("`{}` ends in a slash, which is one page alone", shown(text)),
                format!(
                    "leave it out to allow every path: {}",
                    shell_word(&whole[..whole.len() - 1])
                ),
            ));
        }
        let mut rule = NetworkRequest {
            to,
            methods: BTreeSet::new(),
            paths: BTreeSet::new(),
            private,
        };
        for method in methods.into_iter().flat_map(|methods| methods.split(',')) {
            if let Some(why) = not_a_method(method) {
                return Err(no(&format!(
                    "has the method \"{}\", which {why}",
                    shown(method)
                )));
            }
            rule.methods.insert(method.to_owned());
        }
        if !path.is_empty() {
            if let Some(why) = not_a_pattern(path) {
                return Err(no(&format!(
                    "has the path \"{}\", which {why}",
                    shown(path)
                )));
            }
            rule.paths.insert(path.to_owned());
        }
        Ok(Self(rule))
    }
}

impl fmt::Display for AllowFlag {
    /// As a person would write it, so that it reads back as the same rule.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = &self.0;
        if !rule.methods.is_empty() {
            let methods: Vec<_> = rule.methods.iter().map(String::as_str).collect();
            write!(f, "{} ", methods.join(","))?;
        }
        if rule.private {
            f.write_str(PRIVATE)?;
        }
        // A flag has one path; it is never made with more.
        let path = rule.paths.first().map_or("", String::as_str);
        write!(f, "{}{path}", rule.to)
    }
}

/// What would have to change so that something is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// A person would have to grant this.
    Allow(AllowFlag),
    /// The plugin's own manifest does not ask for it, so that no grant helps.
    Manifest,
    /// No rule can allow it.
    None,
}

impl Remedy {
    /// The flag, ready for a shell: `--allow 'GET https://api.example.com'`.
    /// `plugin` is whom it is for where there are several.
    #[must_use]
    pub fn flag(&self, plugin: Option<&str>) -> Option<String> {
        let Self::Allow(flag) = self else {
            return None;
        };
        let word = match plugin {
            Some(plugin) => format!("{plugin}/{flag}"),
            None => flag.to_string(),
        };
        Some(format!("--allow {}", shell_word(&word)))
    }
}

impl NetworkRules {
    /// What would allow a target that is denied, or what it leads to, where that
    /// is an address that its rule does not open.
    #[must_use]
    pub fn remedy(&self, target: &Target<'_>, leads_to: Option<Special>) -> Remedy {
        if self
            .decide(target)
            .is_ok_and(|allowed| allowed.admits(leads_to))
        {
            return Remedy::None;
        }
        // Whatever is granted, it would not hold.
        if self.not_asked_for(target) {
            return Remedy::Manifest;
        }
        let private = match (leads_to, &target.host) {
            // A rule that names an address means it, whatever it is.
            (None, _) | (_, Host::Address(_)) => false,
            (Some(special), Host::Name(_)) if special.is_private() => true,
            (Some(_), Host::Name(_)) => return Remedy::None,
        };
        let Ok(to) = Destination::read(&target.to_string()) else {
            return Remedy::None;
        };
        let mut rule = NetworkRequest {
            to,
            methods: BTreeSet::new(),
            paths: BTreeSet::new(),
            private,
        };
        match (self.decide(target), target.request) {
            (Err(super::Denied::NotAsked), _) => return Remedy::Manifest,
            (_, None) => {}
            (denied, Some((method, path))) => {
                if not_a_method(method).is_some() {
                    return Remedy::None;
                }
                rule.methods.insert(method.to_owned());
                if denied == Err(super::Denied::Path) {
                    // One that means the same to every server, and no wildcard.
                    let plain = PlainPath::parse(path).is_some()
                        && !path.contains('*')
                        && path != "/"
                        && PathPattern::parse(path).is_ok();
                    match plain {
                        true => rule.paths.insert(path.to_owned()),
                        false => return Remedy::None,
                    };
                }
            }
        }
        match self.would_hold(&rule, target, leads_to) {
            true => Remedy::Allow(AllowFlag(rule)),
            false => Remedy::Manifest,
        }
    }

    /// Whether a rule more would allow it.
    fn would_hold(
        &self,
        rule: &NetworkRequest,
        target: &Target<'_>,
        leads_to: Option<Special>,
    ) -> bool {
        let allowed = Self::new([rule]).decide(target).ok();
        let allowed = match &self.asked {
            None => allowed,
            Some(asked) => allowed
                .zip(asked.decide(target).ok())
                .map(|(granted, asked)| granted.and(asked)),
        };
        allowed.is_some_and(|allowed| allowed.admits(leads_to))
    }

    /// Where a name would have to be allowed so that it may be looked up; none if
    /// the plugin's own manifest asks for nothing there. Without a manifest that
    /// is any port.
    #[must_use]
    pub fn name_remedy(&self, name: &Host) -> Option<(Scheme, Option<u16>)> {
        let Some(asked) = &self.asked else {
            return Some((Scheme::Tcp, None));
        };
        let (scheme, port) = asked
            .places()
            .find(|(scheme, port)| asked.destination(*scheme, name, *port).is_some())?;
        Some((scheme, (port != ANY_PORT).then_some(port)))
    }

    /// Whether a grant could have the plugin speak in this way: its own manifest,
    /// if it has one, asks for that.
    #[must_use]
    pub fn could_speak(&self, scheme: Scheme) -> bool {
        (self.asked.as_ref()).is_none_or(|asked| asked.speaks(scheme))
    }
}
