//! From a file to a plugin.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use palisade_policy::Manifest;
use palisade_runtime::{
    CompiledCache, CompilerProcess, Engine, EngineOptions, LoadError, LoadOptions, Plugin, Source,
    digest, offered,
};
use palisade_server::check_schemas;
use palisade_signing::Trust;

use crate::args::CompileArgs;
use crate::compiler::compiler;
use crate::failure::Failure;
use crate::files::{open_file, read_file, read_text};
use crate::installed::{self, Subject};
use crate::places::Places;
use crate::signed::{self, Verdict};

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
    trust: Result<Trust, Failure>,
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
            trust: signed::trust(places),
        })
    }

    /// Loads a plugin. One that is installed is hashed each time: what runs is
    /// what was agreed to.
    pub(crate) fn load(&self, subject: &Subject) -> Result<Plugin, Failure> {
        match subject {
            Subject::File(file) => {
                let digest = open_file(file, MAX_PLUGIN)
                    .and_then(digest)
                    .map_err(|error| unreadable(file, &error))?;
                let read = || read_file(file, MAX_PLUGIN);
                self.load_from(&file.display(), digest, &read)
            }
            Subject::Installed(installed, store) => {
                // What may run was said when it was installed, and may have been said
                // otherwise since.
                let trust = self.trust.as_ref().map_err(Failure::clone)?;
                Verdict::of_installed(trust, &installed.entry).satisfies(&installed.name)?;
                let bytes = store.blob(installed.entry.digest);
                let bytes = bytes.map_err(|error| installed::failure(&error))?;
                self.load_bytes(&installed.name, &bytes)
            }
        }
    }

    /// Loads a plugin from its bytes.
    pub(crate) fn load_bytes(&self, shown: &dyn Display, bytes: &[u8]) -> Result<Plugin, Failure> {
        let digest = digest(bytes)
            .map_err(|error| Failure::because(format!("{shown} can't be loaded"), &error))?;
        self.load_from(shown, digest, &|| Ok(bytes.to_vec()))
    }

    fn load_from(
        &self,
        shown: &dyn Display,
        digest: [u8; 32],
        read: &dyn Fn() -> std::io::Result<Vec<u8>>,
    ) -> Result<Plugin, Failure> {
        let source = Source { digest, read };
        let started = Instant::now();
        let options = LoadOptions {
            cache: self.cache.as_deref(),
            compiler: Some(&*self.compiler),
            vet: Some(&check_schemas),
        };
        let plugin = Plugin::load(&self.engine, source, options).map_err(|error| {
            let failure = Failure::because(shown, &error);
            match remedy(&error) {
                Some(remedy) => failure.remedy(remedy),
                None => failure,
            }
        })?;
        tracing::debug!(
            compiled = !plugin.was_compiled_before(),
            "loaded {shown} in {:?}",
            started.elapsed()
        );
        Ok(plugin)
    }
}

/// Takes the compiled code of a component away, as this engine made it. What other
/// versions made stays in the cache, which may be emptied at any time.
pub(crate) fn forget_compiled(places: &Places, digest: [u8; 32]) {
    let engine = Engine::new(&EngineOptions::default());
    let cache = CompiledCache::open(places.compiled());
    if let (Ok(engine), Ok(cache)) = (engine, cache) {
        cache.forget(&engine, &digest);
    }
}

/// Why a file can't be loaded at all.
pub(crate) fn unreadable(file: &Path, error: &std::io::Error) -> Failure {
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

/// The text of the manifest a plugin carries, else of the one beside the file, and
/// where it stands.
pub(crate) fn manifest_text(
    file: &Path,
    carried: Option<&String>,
) -> Result<Option<(String, String)>, Failure> {
    if let Some(text) = carried {
        return Ok(Some((text.clone(), "its manifest".to_owned())));
    }
    let beside = manifest_beside(file);
    match read_text(&beside) {
        Ok(text) => Ok(Some((text, format!("its manifest {}", beside.display())))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let what = format!("{} can't be read", beside.display());
            Err(Failure::because(what, &error)
                .remedy("correct it, or take it away if it is not the plugin's"))
        }
    }
}

/// The manifest a plugin carries, else the one beside the file.
pub(crate) fn manifest(file: &Path, carried: Option<&String>) -> Result<Option<Manifest>, Failure> {
    let Some((text, place)) = manifest_text(file, carried)? else {
        return Ok(None);
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
