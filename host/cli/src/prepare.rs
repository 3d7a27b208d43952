//! From a file and flags to something that can be served.

use std::path::Path;
use std::time::Instant;

use palisade_policy::{Decision, Manifest, PolicyError, compare};
use palisade_runtime::{
    CompiledCache, Engine, EngineOptions, LoadError, LoadOptions, Plugin, Sandbox, Source, digest,
    offered,
};
use palisade_server::{Identity, Service, check_schemas};
use tokio::runtime::{Builder, Runtime};

use crate::args::GrantArgs;
use crate::failure::Failure;
use crate::files::{open_file, read_file, read_text};
use crate::grants;
use crate::places::Places;

/// The manifest beside a plugin that carries none.
const MANIFEST: &str = "palisade.toml";

/// Largest plugin that is loaded, in bytes.
const MAX_PLUGIN: u64 = 256 * 1024 * 1024;

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
}

/// A runtime on which everything of one session runs on one thread.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    built(Builder::new_current_thread())
}

/// A runtime for many sessions.
pub(crate) fn runtime_of_many() -> Result<Runtime, Failure> {
    let mut builder = Builder::new_multi_thread();
    builder.thread_name("palisade-http");
    built(builder)
}

fn built(mut builder: Builder) -> Result<Runtime, Failure> {
    let failed = |error| Failure::because("the system refused what a session needs", &error);
    let runtime = builder.enable_all().build().map_err(failed)?;
    runtime
        .block_on(async { survive_large_files() })
        .map_err(failed)?;
    Ok(runtime)
}

/// A file that grows over a limit of the system (`ulimit -f`) is an error of
/// the guest that writes it, and not the end of this process. Once there is a
/// handler, it stays.
#[cfg(unix)]
fn survive_large_files() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    /// SIGXFSZ, on Linux, macOS and the BSDs alike.
    const TOO_LARGE: i32 = 25;
    signal(SignalKind::from_raw(TOO_LARGE)).map(drop)
}

#[cfg(not(unix))]
fn survive_large_files() -> std::io::Result<()> {
    Ok(())
}

/// Loads a plugin and computes its effective permission.
pub(crate) fn prepare(
    runtime: &Runtime,
    file: &Path,
    args: &GrantArgs,
) -> Result<Prepared, Failure> {
    let places = Places::find();
    let plugin = load(runtime, file, places.as_ref())?;
    let manifest = manifest(file, &plugin)?;
    let name = manifest
        .as_ref()
        .map_or_else(|| file_name(file), |manifest| manifest.plugin.name.clone());
    let grant = grants::collect(args, manifest.as_ref(), places.as_ref())?;
    let decision = compare(manifest.as_ref(), &grant)
        .map_err(|error| Failure::refused(format!("{name} can't start"), &error))?;
    Ok(Prepared {
        name,
        manifest,
        decision,
        plugin,
    })
}

impl Prepared {
    /// Opens what is granted.
    pub(crate) fn service(self) -> Result<Service, Failure> {
        let name = self.name;
        if !self.decision.needs.is_empty() {
            let missing = PolicyError::Missing {
                needs: self.decision.needs,
            };
            return Err(Failure::refused(format!("{name} can't start"), &missing));
        }
        let effective = &self.decision.effective;
        let sandbox = Sandbox::open(&name, effective)
            .map_err(|error| Failure::because(format!("{name} can't start"), &error))?;
        let about = self.manifest.map(|manifest| manifest.plugin);
        let (version, instructions) =
            about.map_or((None, None), |about| (about.version, about.description));
        let identity = Identity {
            version: version.unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()),
            instructions,
            name,
        };
        Service::new(identity, self.plugin, sandbox, effective.tools.clone())
            .map_err(|error| Failure::because("the recorded tool list can't be read", &error))
    }
}

/// Why a file can't be loaded at all.
fn unreadable(file: &Path, error: &std::io::Error) -> Failure {
    let shown = file.display();
    let failure = match error.kind() {
        std::io::ErrorKind::NotFound => Failure::new(format!("there is no file {shown}")),
        _ => Failure::because(format!("{shown} can't be loaded"), error),
    };
    failure.remedy("give the path of a plugin, a WebAssembly component (.wasm)")
}

fn load(runtime: &Runtime, file: &Path, places: Option<&Places>) -> Result<Plugin, Failure> {
    let digest = open_file(file, MAX_PLUGIN)
        .and_then(digest)
        .map_err(|error| unreadable(file, &error))?;
    let source = Source {
        digest,
        read: &|| read_file(file, MAX_PLUGIN),
    };
    let engine = Engine::new(&EngineOptions::default())
        .map_err(|error| Failure::because("plugins can't be run here", &error))?;
    let cache = places.and_then(|places| {
        CompiledCache::open(places.compiled())
            .inspect_err(|error| tracing::warn!("plugins are compiled anew every time: {error}"))
            .ok()
    });
    let started = Instant::now();
    let options = LoadOptions {
        cache: cache.as_ref(),
        vet: Some(&check_schemas),
    };
    let plugin = runtime
        .block_on(Plugin::load(&engine, source, options))
        .map_err(|error| {
            let failure = Failure::because(file.display(), &error);
            match remedy(&error) {
                Some(remedy) => failure.remedy(remedy),
                None => failure,
            }
        })?;
    tracing::debug!(
        compiled = !plugin.was_compiled_before(),
        "loaded {} in {:?}",
        file.display(),
        started.elapsed()
    );
    Ok(plugin)
}

/// What a person can do about a file that is no plugin.
fn remedy(error: &LoadError) -> Option<String> {
    Some(match error {
        LoadError::UnknownImport { .. } => format!("offered: {}", offered()),
        // They say it themselves.
        LoadError::NotAComponent(_) | LoadError::Changed => return None,
        LoadError::Compile(_) => "the file is damaged, or from other tools: get it again".into(),
        LoadError::NothingToServe { .. } => {
            "a plugin exports an interface of the WIT package palisade:mcp".into()
        }
        _ => "its author can mend that; until then nothing of it is served".into(),
    })
}

/// The plugin's own manifest, else the one beside the file.
fn manifest(file: &Path, plugin: &Plugin) -> Result<Option<Manifest>, Failure> {
    let (text, place) = match &plugin.metadata().manifest {
        Some(text) => (text.clone(), "its manifest".to_owned()),
        None => {
            let beside = file.with_file_name(MANIFEST);
            match read_text(&beside) {
                Ok(text) => (text, format!("its manifest {}", beside.display())),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
                Err(error) => {
                    let what = format!("{} can't be read", beside.display());
                    return Err(Failure::because(what, &error)
                        .remedy("correct it, or take it away if it is not the plugin's"));
                }
            }
        }
    };
    Manifest::parse(&text)
        .map(Some)
        .map_err(|error| Failure::new(format!("{} can't start: {place}, {error}", file_name(file))))
}

/// The file's name without its ending, as far as it can be printed.
fn file_name(file: &Path) -> String {
    file.file_stem().map_or_else(
        || "plugin".to_owned(),
        |stem| crate::output::printable(&stem.to_string_lossy()),
    )
}
