//! What follows from a request and a grant.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use crate::effective::{Effective, EffectiveRoot};
use crate::env::EnvRequest;
use crate::error::{Need, PolicyError};
use crate::grant::Grant;
use crate::limits::{Limits, LimitsRequest, cap};
use crate::manifest::Manifest;
use crate::names::is_name;
use crate::network::{EffectiveNetwork, NetworkRequest, meet};
use crate::roots::{Access, RootGrant, RootRequest, describe, union, without};
use crate::rows::{NOT_ASKED, NOT_GRANTED, Row, RowKind};
use crate::text::{shell_word, shown, visible};
use crate::units::{format_duration, format_size};

mod secrets;

/// The permission that holds, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What the plugin may do.
    pub effective: Effective,
    /// Every rule asked or granted and every limit, in the order to show them.
    pub rows: Vec<Row>,
    /// What the plugin can't do without and is not granted. While there is
    /// something, it must not start.
    pub needs: Vec<Need>,
}

/// Computes the effective permission.
///
/// Without a manifest a plugin asks for nothing of its own, and whatever the
/// person granted is what it gets. With one:
///
/// - A root holds when it is asked for by name, or by `*`, and granted. Its
///   access is the lesser of the two; what either hides is hidden.
/// - A variable holds when it is asked for and granted.
/// - A request over the network is let through when what is asked for allows it
///   and what is granted does.
/// - A secret holds as asked for and granted, towards the narrower of the two
///   destinations; a plugin is shown one only where the grant says just that.
/// - A storage rule holds when the grant has the very same.
/// - A limit is what is asked, but at most the grant's ceiling, or the default
///   where the grant sets none. A plugin that does not ask gets the ceiling, or
///   else the default.
/// - Tool rules are the grant's.
///
/// # Errors
/// [`PolicyError`] when something required is not granted, when the grant is
/// for a plugin of another name, and when its roots have bad or double names.
pub fn intersect(manifest: Option<&Manifest>, grant: &Grant) -> Result<Decision, PolicyError> {
    let decision = compare(manifest, grant)?;
    match decision.needs.is_empty() {
        true => Ok(decision),
        false => Err(PolicyError::Missing {
            needs: decision.needs,
        }),
    }
}

/// As [`intersect`], for looking only: what is required and not granted stands
/// in [`Decision::needs`] and is no error.
///
/// # Errors
/// [`PolicyError`], but never `Missing`.
pub fn compare(manifest: Option<&Manifest>, grant: &Grant) -> Result<Decision, PolicyError> {
    check(manifest, grant)?;
    let mut table = Comparison::default();
    let effective = Effective {
        roots: table.roots(manifest.map(|asks| asks.roots.as_slice()), &grant.roots),
        network: table.network(manifest.map(|asks| asks.network.as_slice()), &grant.network),
        env: table.env(manifest.map(|asks| &asks.env), &grant.env),
        secrets: table.secrets(manifest.map(|asks| asks.secrets.as_slice()), &grant.secrets),
        storage: (table.equal(
            (RowKind::Storage, |_| "storage".into()),
            manifest.map(|asks| asks.storage.as_slice()),
            grant.storage.as_slice(),
        ))
        .pop(),
        limits: table.limits(
            manifest.map_or(LimitsRequest::default(), |asks| asks.limits),
            grant.limits,
        ),
        tools: grant.tools.clone(),
    };
    for (pattern, decision) in grant.tools.iter() {
        let decision = Some(match grant.tools.name_of(pattern) {
            name if name == pattern => decision.to_string(),
            name => format!("{decision}, as {}", visible(name)),
        });
        let what = format!("tool {}", visible(pattern));
        table.row(
            RowKind::Tool,
            what,
            [None, decision.clone(), decision],
            None,
        );
    }
    Ok(Decision {
        effective,
        rows: table.rows,
        needs: table.needs,
    })
}

/// What the parser guarantees, and a grant put together in code may not keep.
fn check(manifest: Option<&Manifest>, grant: &Grant) -> Result<(), PolicyError> {
    if let (Some(manifest), Some(granted)) = (manifest, &grant.plugin)
        && manifest.plugin.name != *granted
    {
        return Err(PolicyError::OtherPlugin {
            granted: shown(granted),
            asked: shown(&manifest.plugin.name),
        });
    }
    let mut seen = BTreeSet::new();
    for root in &grant.roots {
        if !is_name(&root.name) {
            let name = shown(&root.name);
            return Err(PolicyError::InvalidRoot { name });
        }
        if !seen.insert(&root.name) {
            let name = root.name.clone();
            return Err(PolicyError::DuplicateRoot { name });
        }
    }
    Ok(())
}

/// Collects the rows, and what is missing.
#[derive(Default)]
struct Comparison {
    rows: Vec<Row>,
    needs: Vec<Need>,
}

impl Comparison {
    fn row(
        &mut self,
        kind: RowKind,
        what: String,
        [asked, granted, effective]: [Option<String>; 3],
        why: Option<&str>,
    ) {
        self.rows.push(Row {
            kind,
            what,
            asked,
            granted,
            effective,
            why: why.map(str::to_owned),
            secret: None,
        });
    }

    fn roots(
        &mut self,
        asked: Option<&[RootRequest]>,
        granted: &[RootGrant],
    ) -> Vec<EffectiveRoot> {
        let requests = asked.unwrap_or_default();
        let any = requests.iter().find(|request| request.is_any());
        let named = |name: &str| {
            (requests.iter()).find(|request| !request.is_any() && request.name == name)
        };

        for request in requests.iter().filter(|request| !request.is_any()) {
            let grant = granted.iter().find(|grant| grant.name == request.name);
            self.root(asked.is_some(), Some(request), grant);
        }
        let others = || granted.iter().filter(|grant| named(&grant.name).is_none());
        for grant in others() {
            self.root(asked.is_some(), any, Some(grant));
        }
        if any.is_some() && others().next().is_none() {
            self.root(true, any, None);
        }

        (granted.iter())
            .filter_map(|grant| match (asked, named(&grant.name).or(any)) {
                (None, _) => Some(narrow(None, grant)),
                (Some(_), Some(request)) => Some(narrow(Some(request), grant)),
                (Some(_), None) => None,
            })
            .collect()
    }

    /// The row of one root, and the need where it is required and not granted.
    fn root(&mut self, asks: bool, request: Option<&RootRequest>, grant: Option<&RootGrant>) {
        let asked = request.map(|request| {
            let any = if request.is_any() { "any, " } else { "" };
            let required = if request.required { ", required" } else { "" };
            format!(
                "{any}{}{required}{}",
                request.access,
                without(&request.hide)
            )
        });
        let granted =
            grant.map(|grant| describe(grant.kind, &grant.path, grant.access, &grant.hide));
        let what = match (grant, request) {
            (Some(grant), _) => format!("{} {}", grant.kind.word(), grant.name),
            (None, Some(request)) if !request.is_any() => {
                format!("folder {}", shown(&request.name))
            }
            (None, _) => "any folder".into(),
        };
        let (effective, why) = match (request, grant) {
            (None, Some(_)) if asks => (None, Some(NOT_ASKED)),
            (_, None) => (None, Some(NOT_GRANTED)),
            (request, Some(grant)) => {
                let root = narrow(request, grant);
                let why = request.and_then(|request| match (request.access, grant.access) {
                    (Access::ReadWrite, Access::ReadOnly) => Some("grant is read-only"),
                    (Access::ReadOnly, Access::ReadWrite) => Some("asks for read-only"),
                    _ => None,
                });
                (
                    Some(describe(root.kind, &root.path, root.access, &root.hide)),
                    why,
                )
            }
        };
        self.row(RowKind::Folder, what, [asked, granted, effective], why);

        if let (Some(request), None) = (request, grant)
            && request.required
        {
            let access = request.access;
            let (what, name) = match request.is_any() {
                true => (format!("at least one folder ({access})"), String::new()),
                false => {
                    let name = shown(&request.name);
                    (
                        format!("the folder `{name}` ({access})"),
                        format!("{name}="),
                    )
                }
            };
            let flag = format!("{name}PATH:{}", access.short());
            self.needs.push(Need {
                what,
                flag: format!("--root {}", shell_word(&flag)),
                granted_by: None,
            });
        }
    }

    fn env(
        &mut self,
        asked: Option<&BTreeMap<String, EnvRequest>>,
        granted: &BTreeMap<String, String>,
    ) -> BTreeMap<String, String> {
        let names: BTreeSet<&String> = (asked.iter())
            .flat_map(|asked| asked.keys())
            .chain(granted.keys())
            .collect();
        let mut effective = BTreeMap::new();
        for name in names {
            let request = asked.and_then(|asked| asked.get(name));
            let value = granted.get(name);
            let holds = value.filter(|_| asked.is_none() || request.is_some());
            let why = match (holds, value) {
                (Some(_), _) => None,
                (None, Some(_)) => Some(NOT_ASKED),
                (None, None) => Some(NOT_GRANTED),
            };
            let asked = request.map(|request| match request.required {
                true => "required".to_owned(),
                false => "optional".to_owned(),
            });
            let set = |value: Option<&String>| value.map(|_| "set".to_owned());
            let what = format!("env {}", shown(name));
            self.row(
                RowKind::Environment,
                what,
                [asked, set(value), set(holds)],
                why,
            );
            if let Some(value) = holds {
                effective.insert(name.clone(), value.clone());
            } else if request.is_some_and(|request| request.required) {
                self.needs.push(Need {
                    what: format!("the environment variable `{}`", shown(name)),
                    flag: format!("--env {}", shell_word(&format!("{name}=VALUE"))),
                    granted_by: None,
                });
            }
        }
        effective
    }

    /// Each pair of rules that have something in common, and what has no other.
    fn network(
        &mut self,
        asked: Option<&[NetworkRequest]>,
        granted: &[NetworkRequest],
    ) -> EffectiveNetwork {
        let text = |rule: &dyn Display| Some(visible(&rule.to_string()));
        let mut row = |texts, why| self.row(RowKind::Network, "network".into(), texts, why);
        let Some(asked) = asked else {
            for rule in granted {
                row([None, text(rule), text(rule)], None);
            }
            return EffectiveNetwork {
                granted: granted.to_vec(),
                asked: None,
            };
        };
        for rule in asked {
            let mut met = false;
            for grant in granted {
                let Some(both) = meet(rule, grant) else {
                    continue;
                };
                met = true;
                let why = match (both.is(rule), both.is(grant)) {
                    (true, true) => None,
                    (true, false) => Some("asks for less"),
                    (false, true) => Some("grant is narrower"),
                    (false, false) => Some("what both allow"),
                };
                row([text(rule), text(grant), text(&both)], why);
            }
            if !met {
                row([text(rule), None, None], Some(NOT_GRANTED));
            }
        }
        let useful = |grant: &&NetworkRequest| asked.iter().any(|rule| meet(rule, grant).is_some());
        for grant in granted.iter().filter(|grant| !useful(grant)) {
            row([None, text(grant), None], Some(NOT_ASKED));
        }
        EffectiveNetwork {
            granted: granted.iter().filter(useful).cloned().collect(),
            asked: Some(asked.to_vec()),
        }
    }

    /// Rules that hold only where the grant has the very same.
    fn equal<T: PartialEq + Clone + Display>(
        &mut self,
        (kind, what): (RowKind, fn(&T) -> String),
        asked: Option<&[T]>,
        granted: &[T],
    ) -> Vec<T> {
        let text = |rule: &T| Some(visible(&rule.to_string()));
        for rule in asked.unwrap_or_default() {
            let same = granted.contains(rule);
            let granted = same.then(|| text(rule)).flatten();
            let why = (!same).then_some(NOT_GRANTED);
            self.row(
                kind,
                what(rule),
                [text(rule), granted.clone(), granted],
                why,
            );
        }
        for rule in granted {
            match asked {
                Some(asked) if asked.contains(rule) => {}
                Some(_) => self.row(kind, what(rule), [None, text(rule), None], Some(NOT_ASKED)),
                None => self.row(kind, what(rule), [None, text(rule), text(rule)], None),
            }
        }
        (granted.iter())
            .filter(|rule| asked.is_none_or(|asked| asked.contains(rule)))
            .cloned()
            .collect()
    }

    fn limits(&mut self, asked: LimitsRequest, granted: LimitsRequest) -> Limits {
        let default = Limits::default();
        Limits {
            memory: self.limit(
                "memory",
                asked.memory,
                granted.memory,
                default.memory,
                format_size,
            ),
            call_time: self.limit(
                "call time",
                asked.call_time,
                granted.call_time,
                default.call_time,
                format_duration,
            ),
            cpu_time: self.limit(
                "cpu time",
                asked.cpu_time,
                granted.cpu_time,
                default.cpu_time,
                format_duration,
            ),
            output: self.limit(
                "output",
                asked.output,
                granted.output,
                default.output,
                format_size,
            ),
            concurrency: self.limit(
                "concurrency",
                asked.concurrency,
                granted.concurrency,
                default.concurrency,
                |calls| calls.to_string(),
            ),
            ..default
        }
    }

    fn limit<T: Ord + Copy>(
        &mut self,
        what: &str,
        asked: Option<T>,
        granted: Option<T>,
        default: T,
        show: fn(T) -> String,
    ) -> T {
        let limit = cap(asked, granted, default);
        let texts = [asked, granted, Some(limit.value)].map(|value| value.map(show));
        self.row(RowKind::Limit, what.into(), texts, limit.why);
        limit.value
    }
}

/// A granted root, narrowed to what is asked for.
fn narrow(request: Option<&RootRequest>, grant: &RootGrant) -> EffectiveRoot {
    let (access, hide) = match request {
        Some(request) => (
            request.access.min(grant.access),
            union(&request.hide, &grant.hide),
        ),
        None => (grant.access, union(&grant.hide, &[])),
    };
    EffectiveRoot {
        name: grant.name.clone(),
        kind: grant.kind,
        path: grant.path.clone(),
        access,
        hide,
    }
}
