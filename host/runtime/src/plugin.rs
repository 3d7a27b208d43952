//! A component that is compiled, understood and linked.

use std::io::Read;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use crate::cache::{self, CompiledCache, Key, hex};
use crate::call;
use crate::client::EventSink;
use crate::compile::{Compile, Here};
use crate::component::check_header;
use crate::engine::Engine;
use crate::error::{CallError, LoadError};
use crate::linked::Linked;
use crate::metadata::Metadata;
use crate::operation::Operation;
use crate::placement::{Placement, Pool};
use crate::sandbox::Sandbox;

/// How a plugin is loaded.
#[derive(Default)]
pub struct LoadOptions<'a> {
    /// Where compiled code is kept; none compiles every time.
    pub cache: Option<&'a CompiledCache>,
    /// What compiles it; none does so in this process, for as long as it takes.
    pub compiler: Option<&'a dyn Compile>,
    /// What else must hold of a plugin that is seen for the first time; the
    /// error is one sentence.
    pub vet: Option<&'a Vet>,
}

/// A check of a plugin's metadata; the error is one sentence.
pub type Vet = dyn Fn(&Metadata) -> Result<(), String>;

/// A component that need only be read as a whole if it has not been compiled.
pub struct Source<'a> {
    /// SHA-256 of all of it; see [`digest`].
    pub digest: [u8; 32],
    /// Reads it.
    pub read: &'a dyn Fn() -> std::io::Result<Vec<u8>>,
}

/// SHA-256 of all that `reader` gives.
///
/// # Errors
///
/// Those of the reader.
pub fn digest(mut reader: impl Read) -> std::io::Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; 32 * 1024];
    loop {
        match reader.read(&mut chunk)? {
            0 => return Ok(hasher.finalize().into()),
            length => hasher.update(&chunk[..length]),
        }
    }
}

/// What a plugin is asked for.
pub struct Asked<O, F> {
    /// The operation.
    pub operation: O,
    /// Takes what the guest says meanwhile.
    pub sink: Arc<dyn EventSink>,
    /// Stops it.
    pub cancel: CancellationToken,
    /// Makes of the outcome what it is needed for. It belongs to the call: it
    /// holds the call's place, and has what is left of its time. Where there is
    /// much to do it runs on a thread of its own.
    pub finish: F,
}

/// A plugin ready to be called. Cheap to clone.
#[derive(Clone)]
pub struct Plugin(Arc<Inner>);

struct Inner {
    digest: [u8; 32],
    from_cache: bool,
    metadata: Metadata,
    linked: Arc<Linked>,
}

impl Plugin {
    /// Loads a component: from the cache if it is there, else read, compiled,
    /// asked what it offers in an empty sandbox, and kept.
    ///
    /// All of it blocks the calling thread.
    ///
    /// # Errors
    ///
    /// [`LoadError`]; nothing is served of a component that is not understood
    /// as a whole.
    pub fn load(
        engine: &Engine,
        source: Source<'_>,
        options: LoadOptions<'_>,
    ) -> Result<Self, LoadError> {
        let digest = source.digest;
        let key = Key::new(engine.wasmtime(), &digest);
        let cached = options
            .cache
            .and_then(|cache| cache.load(engine.wasmtime(), &key));
        let from_cache = cached.is_some();
        let (component, metadata) = match cached {
            Some(cached) => cached,
            None => {
                let bytes = (source.read)().map_err(LoadError::Read)?;
                // Hashed before anything looks inside.
                if <[u8; 32]>::from(Sha256::digest(&bytes)) != digest {
                    return Err(LoadError::Changed);
                }
                // What is no component at all is not worth a process.
                check_header(&bytes)?;
                let compiler = options.compiler.unwrap_or(&Here);
                let compiled = compiler.compile(engine, &bytes)?;
                if let Some(vet) = options.vet {
                    vet(&compiled.metadata).map_err(LoadError::BadSchema)?;
                }
                let kept = options.cache.and_then(|cache| {
                    cache.store(&key, &compiled);
                    cache.load(engine.wasmtime(), &key)
                });
                match kept {
                    Some(kept) => kept,
                    None => (
                        cache::fresh(engine.wasmtime(), &compiled)?,
                        compiled.metadata,
                    ),
                }
            }
        };
        let linked = Linked::new(engine, &component)?;
        Ok(Self(Arc::new(Inner {
            digest,
            from_cache,
            metadata,
            linked: Arc::new(linked),
        })))
    }

    /// SHA-256 of the component, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> String {
        hex(&self.0.digest)
    }

    /// Whether its compiled code came from the cache.
    #[must_use]
    pub fn was_compiled_before(&self) -> bool {
        self.0.from_cache
    }

    /// What it says of itself.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.0.metadata
    }

    /// Makes an instance ahead of the next call, for a moment in which nothing
    /// else is to be done.
    pub async fn prepare(&self, sandbox: &Sandbox) {
        call::prepare(&self.0.linked, sandbox).await;
    }

    /// Runs one operation in an instance of its own, and `finish` on what it
    /// comes to.
    ///
    /// # Errors
    ///
    /// [`CallError`]; whatever it is, no other call notices.
    pub async fn run<O, F, T>(
        &self,
        sandbox: &Arc<Sandbox>,
        pool: &Pool,
        placement: Placement,
        asked: Asked<O, F>,
    ) -> Result<T, CallError>
    where
        O: Operation,
        F: FnOnce(O::Outcome) -> T + Send + 'static,
        T: Send + 'static,
    {
        let linked = Arc::clone(&self.0.linked);
        let sandbox = Arc::clone(sandbox);
        // A connection belongs to the threads on which it was made. Those of the
        // pool are where a call goes on that has waited for one.
        let placement = match sandbox.network.is_granted() {
            true => Placement::Shared,
            false => placement,
        };
        pool.run(placement, call::run(linked, sandbox, asked)).await
    }
}
