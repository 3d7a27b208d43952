//! From a file to a plugin.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use palisade_policy::Manifest;
use palisade_runtime::{
    CompiledCache, CompilerProcess, Engine, EngineOptions, LoadError, LoadOptions, Plugin, Source,
    digest, offered,
};
use palisade_server::check_schemas;

use crate::args::CompileArgs;
use crate::compiler::compiler;
use crate::failure::Failure;
use crate::files::{open_file, read_file, read_text};
use crate::places::Places;

/// The manifest beside a plugin that carries none.
const MANIFEST: &str = "palisade.toml";

/// Largest plugin that is loaded, in bytes.
pub(crate) const MAX_PLUGIN: u64 = 256 * 1024 * 1024;

/// What loading takes besides a file. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Loader {
    engine: Engine,
    cache: Option<Arc<CompiledCache>>,
    compiler: Arc<CompilerProcess>,
}

impl Loader {
    /// One for this many plugins.
    pub(crate) fn new(
        places: Option<&Places>,
        plugins: usize,
        compile: CompileArgs,
    ) -> Result<Self, Failure> {
        let options = EngineOptions {
            plugins: u32::try_from(plugins).unwrap_or(u32::MAX),
            ..EngineOptions::default()
        };
        let engine = Engine::new(&options)
            .map_err(|error| Failure::because("plugins can't be run here", &error))?;
        let cache = places.and_then(|places| {
            CompiledCache::open(places.compiled())
                .inspect_err(|error| {
                    tracing::warn!("plugins are compiled anew every time: {error}");
                })
                .ok()
                .map(Arc::new)
        });
        Ok(Self {
            engine,
            cache,
            compiler: Arc::new(compiler(compile)),
        })
    }

    /// Loads a plugin.
    pub(crate) fn load(&self, file: &Path) -> Result<Plugin, Failure> {
        self.load_as(file, file)
    }

    /// Loads a plugin that is called `shown` in what is said about it.
    pub(crate) fn load_as(&self, file: &Path, shown: &Path) -> Result<Plugin, Failure> {
        let digest = open_file(file, MAX_PLUGIN)
            .and_then(digest)
            .map_err(|error| unreadable(file, &error))?;
        let source = Source {
            digest,
            read: &|| read_file(file, MAX_PLUGIN),
        };
        let started = Instant::now();
        let options = LoadOptions {
            cache: self.cache.as_deref(),
            compiler: Some(&*self.compiler),
            vet: Some(&check_schemas),
        };
        let plugin = Plugin::load(&self.engine, source, options).map_err(|error| {
            let failure = Failure::because(shown.display(), &error);
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

/// What a person can do about a file that is no plugin.
fn remedy(error: &LoadError) -> Option<String> {
    Some(match error {
        LoadError::UnknownImport { .. } => format!("offered: {}", offered()),
        // They say it themselves.
        LoadError::NotAComponent(_) | LoadError::Changed => return None,
        LoadError::Compile(_) => "the file is damaged, or from other tools: get it again".into(),
        LoadError::CompileTime(_) => "if you trust it so far, give it more: --compile-time".into(),
        LoadError::CompileMemory(_) => {
            "if you trust it so far, give it more: --compile-memory".into()
        }
        LoadError::NoCompiler(_) => {
            "plugins are compiled in a process of its own, which the system did not allow".into()
        }
        LoadError::CompilerDied(_) => {
            "try again; if it stays like that, do without this plugin and report it".into()
        }
        LoadError::NothingToServe { .. } => {
            "a plugin exports an interface of the WIT package palisade:mcp".into()
        }
        _ => "its author can mend that; until then nothing of it is served".into(),
    })
}

/// Where the manifest of a plugin is that carries none.
pub(crate) fn manifest_beside(file: &Path) -> PathBuf {
    file.with_file_name(MANIFEST)
}

/// The manifest a plugin carries, else the one beside the file.
pub(crate) fn manifest(file: &Path, carried: Option<&String>) -> Result<Option<Manifest>, Failure> {
    let (text, place) = match carried {
        Some(text) => (text.clone(), "its manifest".to_owned()),
        None => {
            let beside = manifest_beside(file);
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
pub(crate) fn file_name(file: &Path) -> String {
    file.file_stem().map_or_else(
        || "plugin".to_owned(),
        |stem| crate::output::printable(&stem.to_string_lossy()),
    )
}
