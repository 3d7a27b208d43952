//! What a plugin asks for, one thing at a time, in words for the person who is to
//! say yes or no to each; and what has become more or less of it in an update.

use std::collections::BTreeSet;

use crate::limits::LimitsRequest;
use crate::manifest::Manifest;
use crate::network::{Destination, NetworkRequest};
use crate::roots::{Access, RootRequest};
use crate::secrets::{SecretRequest, SecretUse};
use crate::text::visible;
use crate::units::{format_duration, format_size};

mod changes;

pub use changes::{Change, ChangeKind, changes};

/// One thing that a plugin asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// What it is.
    pub wants: Wants,
    /// Whether the plugin does not start without it.
    pub required: bool,
}

/// What a plugin may ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wants {
    /// A directory.
    Root(RootRequest),
    /// A place in the network.
    Network(NetworkRequest),
    /// A variable of the environment.
    Env(String),
    /// A secret.
    Secret(SecretRequest),
    /// Storage, in bytes.
    Storage(u64),
    /// A limit other than the default; its name and its value.
    Limit(&'static str, Amount),
}

/// How much of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Amount {
    /// Bytes.
    Size(u64),
    /// Time.
    Time(std::time::Duration),
    /// Calls.
    Count(u32),
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size(bytes) => f.write_str(&format_size(*bytes)),
            Self::Time(time) => f.write_str(&format_duration(*time)),
            Self::Count(count) => write!(f, "{count}"),
        }
    }
}

impl Ask {
    /// In words that read on after "It asks to …", on one line.
    #[must_use]
    pub fn words(&self) -> String {
        match &self.wants {
            Wants::Root(root) => of_root(root),
            Wants::Network(rule) => of_rule(rule),
            Wants::Env(name) => format!("read your environment variable {}", visible(name)),
            Wants::Secret(secret) => of_secret(secret),
            Wants::Storage(quota) => format!("keep up to {} between calls", format_size(*quota)),
            Wants::Limit(name, amount) => match *name {
                "memory" => format!("use {amount} of memory in a call"),
                "call-time" => format!("take {amount} for a call"),
                "cpu-time" => format!("use {amount} of processor time in a call"),
                "output" => format!("answer with up to {amount}"),
                _ => format!("run {amount} calls at once"),
            },
        }
    }

    /// What is worth a second look about it, if anything is.
    #[must_use]
    pub fn warning(&self) -> Option<&'static str> {
        match &self.wants {
            Wants::Secret(SecretRequest {
                use_as: SecretUse::Expose,
                ..
            }) => Some("it gets to see the secret itself, and can pass it on"),
            Wants::Network(rule) if rule.to.host == "*" => {
                Some("it can send what it reads to anybody")
            }
            Wants::Network(rule) if rule.private => {
                Some("this may be a device or a server in your own network")
            }
            Wants::Network(rule) if rule.to.scheme.to_string() == "http" => {
                Some("others on the way can read and change what is sent")
            }
            _ => None,
        }
    }
}

/// Everything a manifest asks for, folders first.
#[must_use]
pub fn asks(manifest: &Manifest) -> Vec<Ask> {
    let mut all = Vec::new();
    let mut add = |wants, required| all.push(Ask { wants, required });
    for root in &manifest.roots {
        add(Wants::Root(root.clone()), root.required);
    }
    for rule in &manifest.network {
        add(Wants::Network(rule.clone()), false);
    }
    for secret in &manifest.secrets {
        add(Wants::Secret(secret.clone()), secret.required);
    }
    for (name, asked) in &manifest.env {
        add(Wants::Env(name.clone()), asked.required);
    }
    if let Some(storage) = manifest.storage {
        add(Wants::Storage(storage.quota), false);
    }
    for (name, amount) in limits(&manifest.limits) {
        add(Wants::Limit(name, amount), false);
    }
    all
}

fn limits(asked: &LimitsRequest) -> impl Iterator<Item = (&'static str, Amount)> {
    [
        ("memory", asked.memory.map(Amount::Size)),
        ("call-time", asked.call_time.map(Amount::Time)),
        ("cpu-time", asked.cpu_time.map(Amount::Time)),
        ("output", asked.output.map(Amount::Size)),
        ("concurrency", asked.concurrency.map(Amount::Count)),
    ]
    .into_iter()
    .filter_map(|(name, amount)| Some((name, amount?)))
}

fn of_root(root: &RootRequest) -> String {
    let what = match root.access {
        Access::ReadOnly => "read files",
        Access::ReadWrite => "read, write and delete files",
    };
    if root.name == RootRequest::ANY {
        format!("{what} in folders you choose, as many as you like")
    } else {
        format!(
            "{what} in ONE folder you choose, which it calls {}",
            root.name
        )
    }
}

/// "talk to api.example.com over https, GET only, under /v1/**".
fn of_rule(rule: &NetworkRequest) -> String {
    let to = match &*rule.to.host {
        "*" => "any server there is".to_owned(),
        host => match host.strip_prefix("*.") {
            Some(parent) => format!("any server below {parent}"),
            None => host.to_owned(),
        },
    };
    let mut text = format!("talk to {to} over {}", rule.to.scheme);
    match port(&rule.to) {
        None => {}
        Some(0) => text.push_str(" at any port"),
        Some(port) => text.push_str(&format!(" at port {port}")),
    }
    let list = |set: &BTreeSet<String>| {
        let all: Vec<_> = set.iter().map(|one| visible(one)).collect();
        all.join(", ")
    };
    if !rule.methods.is_empty() {
        text.push_str(&format!(", {} only", list(&rule.methods)));
    }
    if !rule.paths.is_empty() {
        text.push_str(&format!(", under {}", list(&rule.paths)));
    }
    if rule.private {
        text.push_str(", also in your own network");
    }
    text
}

/// The port, where it is not what the scheme has anyway.
fn port(to: &Destination) -> Option<u16> {
    (to.scheme.default_port() != Some(to.port)).then_some(to.port)
}

fn of_secret(secret: &SecretRequest) -> String {
    let name = visible(&secret.name);
    match &secret.use_as {
        SecretUse::Inject(injection) => {
            format!(
                "use {name} towards {} alone, without seeing it",
                injection.to
            )
        }
        SecretUse::Expose => format!("SEE the secret {name}"),
    }
}
