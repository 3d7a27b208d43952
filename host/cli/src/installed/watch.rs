//! What a person takes back while a plugin is served: it is gone within a second.
//!
//! What is added holds as soon where it is within what was granted when the plugin
//! began: a tool, a place in the network beside others, a folder below one. The rest
//! takes another start, since this process has given it up; which that is, is said.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use palisade_net::{Injector, Outside};
use palisade_policy::{Effective, EffectiveNetwork, Grant, Granting, Manifest, RootKind, compare};
use palisade_runtime::Sandbox;
use palisade_server::Service;

use super::agreed::Agreed;
use crate::failure::Failure;
use crate::secrets::Values;

/// How often it is looked whether the file has changed.
const LOOK: Duration = Duration::from_millis(400);

/// A plugin's grant, as it was when the plugin began, and everything it takes to
/// make a new sandbox of it.
pub(crate) struct Watched {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    pub(crate) text: Option<String>,
    /// What is granted for this run, beside the file.
    pub(crate) flags: Grant,
    pub(crate) manifest: Option<Manifest>,
    pub(crate) began_with: Effective,
    pub(crate) values: Values,
    pub(crate) outside: Outside,
    pub(crate) plugins: u32,
    pub(crate) granting: Granting,
}

/// What a person may decide otherwise about a plugin while it is served.
#[derive(Default)]
pub(crate) struct Seen {
    /// What it is granted.
    pub(crate) grant: Option<Watched>,
    /// What was agreed to of what it says it has.
    pub(crate) agreed: Option<Arc<Agreed>>,
}

/// Watches that for plugins, each with its place among those that are served, for as
/// long as the process lives.
pub(crate) fn start(service: &Service, mut seen: Vec<(usize, Seen)>) -> Result<(), Failure> {
    seen.retain(|(_, one)| one.grant.is_some() || one.agreed.is_some());
    if seen.is_empty() {
        return Ok(());
    }
    let service = service.clone();
    std::thread::Builder::new()
        .name("palisade-grants".to_owned())
        .spawn(move || {
            loop {
                std::thread::park_timeout(LOOK);
                for (place, one) in &mut seen {
                    if let Some(grant) = &mut one.grant {
                        grant.look(&service, *place);
                    }
                    if let Some(agreed) = &one.agreed {
                        agreed.look(&service);
                    }
                }
            }
        })
        .map(drop)
        .map_err(|error| Failure::because("grants can't be watched for changes", &error))
}

impl Watched {
    fn look(&mut self, service: &Service, place: usize) {
        let now = match crate::files::read_text(&self.file) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            // Whatever it says now, it can't be known: nothing is granted.
            Err(error) => Some(format!("can't be read: {error}")),
        };
        if now == self.text {
            return;
        }
        self.text = now;
        let grant = match self.text.as_deref().map(Grant::parse) {
            None => Grant::default(),
            Some(Ok(grant)) => grant,
            Some(Err(error)) => {
                tracing::warn!(
                    "nothing is granted to {} any more: its grant file {}, {error}",
                    self.name,
                    self.file.display()
                );
                Grant::default()
            }
        };
        let folder = self.file.parent().unwrap_or(&self.file);
        let grant = crate::grants::at(grant, folder).merge(self.flags.clone());
        let effective = match compare(self.manifest.as_ref(), &grant) {
            Ok(decision) => decision.effective,
            Err(error) => {
                tracing::warn!("nothing is granted to {} any more: {error}", self.name);
                return self.nothing(service, place);
            }
        };
        let rules = effective.tools.clone();
        let (effective, added) = self.within(effective);
        match self.sandbox(&effective) {
            Ok(sandbox) => service.replace(place, sandbox, rules),
            Err(failure) => {
                tracing::warn!(
                    "nothing is granted to {} any more: {}",
                    self.name,
                    failure.sentence()
                );
                return self.nothing(service, place);
            }
        }
        let more = match added.is_empty() {
            true => String::new(),
            false => format!(
                "; {} was added and holds from its next start on: restart the client",
                added.join(", ")
            ),
        };
        tracing::warn!(
            "the grant of {} has changed, and holds now{more}",
            self.name
        );
    }

    /// What holds now, of what was within reach at the beginning; and what is not,
    /// in words.
    fn within(&self, mut now: Effective) -> (Effective, Vec<String>) {
        let then = &self.began_with;
        let mut added = Vec::new();
        now.roots.retain_mut(|root| {
            // As it was written then and resolved; a path in a file may have links.
            if let Ok(resolved) = root.path.canonicalize() {
                root.path = resolved;
            }
            // The second wall lets this process at what was granted then, whatever it
            // was called, and at what lies below.
            let began = then.roots.iter().filter(|known| match known.kind {
                RootKind::Directory => root.path.starts_with(&known.path),
                RootKind::File => (known.kind, &known.path) == (root.kind, &root.path),
            });
            let Some(access) = began.map(|known| known.access).max() else {
                let what = match root.kind {
                    RootKind::Directory => "folder",
                    RootKind::File => "file",
                };
                added.push(format!("the {what} {}", root.name));
                return false;
            };
            if root.access > access {
                added.push(format!("writing to {}", root.name));
                root.access = access;
            }
            true
        });
        let has = |secret: &palisade_policy::EffectiveSecret| {
            then.secrets.iter().any(|known| known == secret)
        };
        let new = now.secrets.iter().filter(|secret| !has(secret));
        added.extend(new.map(|secret| format!("the secret {}", secret.name)));
        now.secrets.retain(has);
        if then.network.is_empty() && !now.network.is_empty() {
            added.push("the network".to_owned());
            now.network = then.network.clone();
        }
        (now, added)
    }

    fn sandbox(&self, effective: &Effective) -> Result<Sandbox, Failure> {
        let mut effective = effective.clone();
        let mut values = self.values.clone();
        values.keep(&effective.secrets);
        for (name, value) in &values.exposed {
            (effective.env).insert(name.clone(), value.reveal().to_owned());
        }
        let sandbox = Sandbox::open(&self.name, &effective)
            .map_err(|error| Failure::because(&self.name, &error))?;
        let injector = values.injector(&self.name)?;
        Ok(self.reaching(sandbox, &effective.network, injector))
    }

    fn reaching(&self, sandbox: Sandbox, network: &EffectiveNetwork, secrets: Injector) -> Sandbox {
        let outside = self.outside.clone();
        sandbox.with_outside(
            network,
            outside,
            secrets,
            self.plugins,
            self.granting.clone(),
        )
    }

    fn nothing(&self, service: &Service, place: usize) {
        let Ok(decision) = compare(None, &Grant::default()) else {
            return;
        };
        if let Ok(sandbox) = Sandbox::open(&self.name, &decision.effective) {
            let network = EffectiveNetwork::default();
            let sandbox = self.reaching(sandbox, &network, Injector::default());
            service.replace(place, sandbox, decision.effective.tools);
        }
    }
}
