//! From a file and flags to something that can be served.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use palisade_hardening::Wall;
use palisade_policy::{
    Decision, EffectiveRoot, Grant, Granting, Manifest, Need, RootGrant, RowKind, SecretGrant,
    compare,
};
use palisade_runtime::{Plugin, Sandbox, threads_for_calls};
use palisade_secrets::Store;
use palisade_server::{Agreement, Identity, PluginSetup, Service};
use tokio::runtime::{Builder, Runtime};

use crate::args::{CompileArgs, GrantArgs};
use crate::audit;
use crate::failure::Failure;
use crate::grants::{self, Granted, Source};
use crate::installed::Subject;
use crate::installed::agreed::Agreed;
use crate::installed::watch::{Seen, Watched};
use crate::keyring;
use crate::load::{Loader, file_name, manifest};
use crate::outside::Ways;
use crate::places::Places;
use crate::secrets::{self, Values};
use crate::wall;

/// A plugin and what it says of itself.
pub(crate) struct Loaded {
    /// What was meant.
    subject: Subject,
    /// For messages and as argv[0]: as a person calls it, else from the
    /// manifest, else from the file.
    pub(crate) name: String,
    /// What it asks for, under that name.
    pub(crate) manifest: Option<Manifest>,
    /// The loaded plugin.
    pub(crate) plugin: Plugin,
}

/// A plugin and what was decided about it.
pub(crate) struct Prepared {
    /// For messages and as argv[0]: from the manifest, else from the file.
    pub(crate) name: String,
    /// What it asks for.
    pub(crate) manifest: Option<Manifest>,
    /// What it gets.
    pub(crate) decision: Decision,
    /// The loaded plugin.
    pub(crate) plugin: Plugin,
    /// Directories and files that are granted.
    pub(crate) roots: Vec<RootGrant>,
    /// Secrets that are granted.
    pub(crate) secrets: Vec<SecretGrant>,
    /// Where their values are kept.
    pub(crate) store: Option<Store>,
    /// The file that grants them, where there is one.
    grant_file: Option<PathBuf>,
    /// What is to be watched while it is served: the grant file of an installed
    /// plugin, what it says, and what was granted beside it.
    watch: Option<(PathBuf, Option<String>, Grant)>,
    /// What was agreed to of what an installed plugin says it has.
    agreed: Option<Arc<Agreed>>,
    /// The paths that decide what is granted the next time.
    pub(crate) sources: Vec<Source>,
    /// How it is granted more.
    pub(crate) granting: Granting,
}

/// A runtime on which everything of one session runs on one thread.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    built(Builder::new_current_thread())
}

/// A runtime for many sessions.
pub(crate) fn runtime_of_many() -> Result<Runtime, Failure> {
    let mut builder = Builder::new_multi_thread();
    builder
        .thread_name("palisade-http")
        .worker_threads(threads_for_calls());
    built(builder)
}

fn built(mut builder: Builder) -> Result<Runtime, Failure> {
    let failed = |error| Failure::because("the system refused what a session needs", &error);
    builder.enable_all().build().map_err(failed)
}

/// Loads a plugin and computes its effective permission.
pub(crate) fn prepare(
    file: &Path,
    args: &GrantArgs,
    compile: CompileArgs,
) -> Result<Prepared, Failure> {
    let places = Places::find();
    prepare_as(file, None, compile, places, || Granted::by(args))
}

/// The same, under another name. What is granted is looked at once the plugin
/// is known to be one.
pub(crate) fn prepare_as(
    file: &Path,
    name: Option<&str>,
    compile: CompileArgs,
    places: Option<Places>,
    granted: impl FnOnce() -> Result<Granted, Failure>,
) -> Result<Prepared, Failure> {
    let subject = Subject::find(file, places.as_ref())?;
    let plugin = Loader::new(places.as_ref(), 1, compile)?.load(&subject)?;
    Loaded::new(subject, name, plugin)?.decide(granted()?, places.as_ref())
}

impl Loaded {
    /// What a plugin is called and asks for.
    pub(crate) fn new(
        subject: Subject,
        name: Option<&str>,
        plugin: Plugin,
    ) -> Result<Self, Failure> {
        let (mut manifest, own) = match &subject {
            Subject::File(file) => {
                let manifest = manifest(file, plugin.metadata().manifest.as_ref())?;
                (manifest, file_name(file))
            }
            Subject::Installed(installed, _) => (installed.manifest()?, installed.name.clone()),
        };
        if let (Some(manifest), Some(name)) = (&mut manifest, name) {
            // Whoever gives it another name grants by that name as well.
            name.clone_into(&mut manifest.plugin.name);
        }
        let name = match (name, &manifest) {
            (Some(name), _) => name.to_owned(),
            (None, Some(manifest)) => manifest.plugin.name.clone(),
            (None, None) => own,
        };
        Ok(Self {
            subject,
            name,
            manifest,
            plugin,
        })
    }

    /// Computes its effective permission.
    pub(crate) fn decide(
        self,
        granted: Granted,
        places: Option<&Places>,
    ) -> Result<Prepared, Failure> {
        let Self {
            subject,
            name,
            manifest,
            plugin,
        } = self;
        let of_this_run = granted.file.is_some();
        let granting = match &subject {
            Subject::Installed(installed, _) if !of_this_run => {
                Granting::Command(installed.name.clone())
            }
            _ => Granting::Flag,
        };
        let collected = grants::collect(granted, &subject, manifest.as_ref(), places)?;
        let watch = match &subject {
            Subject::Installed(installed, _) if !of_this_run => {
                let flags = collected.flags.clone();
                Some((installed.grant_file.clone(), installed.grant.clone(), flags))
            }
            _ => None,
        };
        let agreed = match (&subject, places) {
            (Subject::Installed(installed, store), Some(places)) => {
                Some(Agreed::of(installed, store, places))
            }
            _ => None,
        };
        let decision = compare(manifest.as_ref(), &collected.grant)
            .map_err(|error| Failure::refused(format!("{name} can't start"), &error))?;
        Ok(Prepared {
            name,
            manifest,
            decision,
            plugin,
            roots: collected.grant.roots,
            secrets: collected.grant.secrets,
            store: places.map(|places| places.secrets(keyring::AT_START)),
            grant_file: collected.file,
            watch,
            agreed,
            sources: collected.sources,
            granting,
        })
    }
}

impl Prepared {
    /// Keeps what it is granted within reach of this process.
    pub(crate) fn keep(&self, wall: &mut Wall) {
        wall::keep(wall, &self.decision.effective);
        let watched = self.watch.as_ref().and_then(|(file, ..)| file.parent());
        wall.readable
            .extend(watched.filter(|folder| folder.exists()).map(Path::to_owned));
        if let Some(agreed) = &self.agreed {
            wall.readable.push(agreed.store().path().to_owned());
            match agreed.log().make_folder() {
                Ok(()) => wall.writable.push(agreed.log().folder().to_owned()),
                Err(error) => tracing::warn!("{}", audit::unrecorded(&self.name, &error)),
            }
            match agreed.file().make_folder() {
                Ok(()) => wall.writable.push(agreed.file().folder().to_owned()),
                Err(error) => tracing::warn!(
                    "what is withheld of {} can't be written down in {}: {error}",
                    self.name,
                    agreed.file().folder().display()
                ),
            }
        }
    }

    /// Reads the secrets it has the use of.
    pub(crate) fn values(&self) -> Result<Values, Failure> {
        let secrets = &self.decision.effective.secrets;
        secrets::load(&self.name, secrets, self.store.as_ref())
    }

    /// A directory, a place in the network or a secret that was granted and has
    /// no effect is most likely a slip.
    pub(crate) fn tell_unused(&self) {
        for row in &self.decision.rows {
            let (RowKind::Folder | RowKind::Network | RowKind::Secret, Some(granted), None) =
                (row.kind, &row.granted, &row.effective)
            else {
                continue;
            };
            let what = match row.kind {
                RowKind::Network => granted,
                _ => &row.what,
            };
            tracing::warn!(
                "{what} is granted but {} does not get it: {}",
                self.name,
                row.why.as_deref().unwrap_or("not asked for")
            );
        }
        for (shown, hidden) in overlaps(&self.decision.effective.roots) {
            tracing::warn!(
                "{} of {} shows what `hide` of {} takes out: one lies in the other, and each \
                 is shown by its own patterns",
                shown.name,
                self.name,
                hidden.name
            );
        }
    }

    /// A rule for tools that can't be meant: what is wrong, and what to do.
    pub(crate) fn bad_rule(&self) -> Option<(String, String)> {
        self.idle_rule().or_else(|| self.same_name())
    }

    /// A rule for tools that is about none.
    fn idle_rule(&self) -> Option<(String, String)> {
        /// Names that are told.
        const TOLD: usize = 12;
        let tools = self.tools();
        let names = tools.iter().map(String::as_str);
        let idle = self.decision.effective.tools.unmatched(names.clone())?;
        let place = grants::place(self.grant_file.as_deref(), idle.line);
        let problem = format!("{place}`{}` in [tools] matches no tool", idle.pattern);
        let remedy = match (idle.closest, tools.len()) {
            (Some(closest), _) => format!("did you mean `{closest}`?"),
            (None, 0) => "it has no tools".to_owned(),
            (None, count) => {
                let names: Vec<_> = names.take(TOLD).collect();
                let more = if count > TOLD { ", …" } else { "" };
                format!("its tools: {}{more}", names.join(", "))
            }
        };
        Some((problem, remedy))
    }

    /// The tools it has: those that were recorded, and those that somebody has agreed
    /// to since.
    fn tools(&self) -> Vec<String> {
        let recorded = self.plugin.metadata().tools.iter();
        let mut all: Vec<_> = recorded.map(|tool| tool.name.clone()).collect();
        let agreed = self.agreed.iter().flat_map(|agreed| agreed.tools());
        for tool in agreed {
            if !all.contains(&tool) {
                all.push(tool);
            }
        }
        all
    }

    /// A tool that is given the name of another one.
    fn same_name(&self) -> Option<(String, String)> {
        let tools = self.tools();
        let names = tools.iter().map(String::as_str);
        let same = self.decision.effective.tools.same_name(names)?;
        let place = grants::place(self.grant_file.as_deref(), same.line);
        let problem = format!("{place}two of its tools would be called `{}`", same.name);
        Some((problem, format!("give `{}` another name", same.renamed)))
    }

    /// Opens what is granted. Of an installed plugin, what a person may decide
    /// otherwise while it is served comes with it.
    pub(crate) fn setup(self, ways: &Ways) -> Result<(PluginSetup, Seen), Failure> {
        let bad = self.bad_rule();
        let name = self.name;
        if let Some((problem, remedy)) = bad {
            return Err(Failure::new(format!("{name} can't start: {problem}")).remedy(remedy));
        }
        let granting = match self.granting {
            Granting::Flag if ways.plugins > 1 => Granting::FlagFor(name.clone()),
            granting => granting,
        };
        if !self.decision.needs.is_empty() {
            return Err(missing(&name, &self.decision.needs, &granting));
        }
        let values = secrets::load(&name, &self.decision.effective.secrets, self.store.as_ref())?;
        secrets::tell_exposed(&name, &values);
        let mut effective = self.decision.effective;
        let outside = ways.of(&name, &effective.network)?;
        let watched = self.watch.map(|(file, text, flags)| Watched {
            name: name.clone(),
            file,
            text,
            flags,
            manifest: self.manifest,
            began_with: effective.clone(),
            values: values.clone(),
            outside: outside.clone(),
            plugins: ways.plugins,
            granting: granting.clone(),
        });
        for (name, value) in &values.exposed {
            (effective.env).insert(name.clone(), value.reveal().to_owned());
        }
        let sandbox = Sandbox::open(&name, &effective)
            .map_err(|error| Failure::because(format!("{name} can't start"), &error))?;
        let injector = values.injector(&name)?;
        let sandbox = sandbox.with_outside(
            &effective.network,
            outside,
            injector,
            ways.plugins,
            granting,
        );
        let setup = PluginSetup {
            name,
            plugin: self.plugin,
            sandbox,
            rules: effective.tools,
            agreement: self
                .agreed
                .clone()
                .map(|agreed| agreed as Arc<dyn Agreement>),
        };
        let seen = Seen {
            grant: watched,
            agreed: self.agreed,
        };
        Ok((setup, seen))
    }

    /// Opens what is granted, to serve this plugin alone.
    pub(crate) fn service(self, ways: &Ways) -> Result<(Service, Seen), Failure> {
        let about = self
            .manifest
            .as_ref()
            .map(|manifest| manifest.plugin.clone());
        let (version, instructions) =
            about.map_or((None, None), |about| (about.version, about.description));
        let (setup, seen) = self.setup(ways)?;
        let identity = Identity {
            name: setup.name.clone(),
            version: version.unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()),
            instructions,
        };
        let service = Service::new(identity, setup)
            .map_err(|error| Failure::because("the recorded tool list can't be read", &error))?;
        Ok((service, seen))
    }
}

/// Why a plugin that is not granted what it can't do without does not start.
fn missing(name: &str, needs: &[Need], granting: &Granting) -> Failure {
    let what: Vec<_> = needs.iter().map(|need| need.what.as_str()).collect();
    let are = if needs.len() == 1 { "is" } else { "are" };
    let what = what.join(" and ");
    Failure::new(format!(
        "{name} can't start: it needs {what}, which {are} not granted"
    ))
    .remedy(format!("to grant it: {}", granting.needs(needs)))
    .into_refusal()
}

/// Directories that lie in each other, or are the same, where the first does not
/// hide all that the second does.
fn overlaps(roots: &[EffectiveRoot]) -> Vec<(&EffectiveRoot, &EffectiveRoot)> {
    let mut found = Vec::new();
    for (place, one) in roots.iter().enumerate() {
        for other in roots.iter().skip(place + 1) {
            if !one.path.starts_with(&other.path) && !other.path.starts_with(&one.path) {
                continue;
            }
            for (shown, hidden) in [(one, other), (other, one)] {
                let also_hidden = |pattern| {
                    // Anywhere below is the same for both of them.
                    shown.hide.contains(pattern)
                        && (shown.path == hidden.path || pattern.starts_with("**/"))
                };
                if !hidden.hide.iter().all(also_hidden) {
                    found.push((shown, hidden));
                }
            }
        }
    }
    found
}
