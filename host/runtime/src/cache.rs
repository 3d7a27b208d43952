//! Compiled code kept on disk.
//!
//! Compiled code is machine code: whoever can write it can run anything in
//! this process. So it is kept only in a directory that belongs to this user
//! alone, every file is opened through the handle of that directory, checked
//! for its owner, and mapped through the handle that was checked.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use wasmtime::component::Component;

use crate::compile::Compiled;
use crate::engine::Engine;
use crate::error::{CacheError, LoadError};
use crate::metadata::{FORMAT, Metadata};

mod private_dir;

use private_dir::PrivateDir;

/// A directory of compiled components and what is recorded with them.
#[derive(Debug)]
pub struct CompiledCache {
    dir: PrivateDir,
}

/// What lies beside the compiled code.
#[derive(Serialize, Deserialize)]
struct Sidecar {
    /// Length of the compiled code.
    code_len: u64,
    /// CRC-32 of it: a disk that lost a page must not decide what runs.
    code_crc: u32,
    metadata: Metadata,
}

/// Names one component compiled by one engine in one configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// `digest` is the SHA-256 of the component.
    pub(crate) fn new(engine: &wasmtime::Engine, digest: &[u8; 32]) -> Self {
        let mut hasher = Sha256Hasher(Sha256::new());
        // Covers wasmtime's version, the compiler's flags, the tunables and
        // the CPU features in use.
        std::hash::Hash::hash(&engine.precompile_compatibility_hash(), &mut hasher);
        let mut sha = hasher.0;
        sha.update(FORMAT.to_le_bytes());
        sha.update(env!("CARGO_PKG_VERSION"));
        sha.update(digest);
        Self(hex(&sha.finalize()))
    }
}

impl CompiledCache {
    /// Opens the directory, making it (mode 700) where it is missing.
    ///
    /// # Errors
    ///
    /// [`CacheError::NotPrivate`] if another user could write to it,
    /// [`CacheError::Directory`] if it can't be made or opened.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, CacheError> {
        Ok(Self {
            dir: PrivateDir::open(path.into())?,
        })
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The component and its metadata, if they are here, whole and ours. Any
    /// doubt is a miss: the worst that follows is compiling again.
    pub(crate) fn load(
        &self,
        engine: &wasmtime::Engine,
        key: &Key,
    ) -> Option<(Component, Metadata)> {
        let sidecar = self.dir.read(&format!("{}.json", key.0))?;
        let sidecar: Sidecar = serde_json::from_slice(&sidecar).ok()?;
        let code = self.dir.open_file(&format!("{}.cwasm", key.0))?;
        if code.len() != sidecar.code_len || code.crc()? != sidecar.code_crc {
            return None;
        }
        #[allow(
            clippy::disallowed_methods,
            reason = "this is the one place where compiled code may come from"
        )]
        // SAFETY: wasmtime asks that the file was made by `serialize` and is
        // not modified while mapped. The file and its directory belong to this
        // user and nobody else can write to either (`PrivateDir`), it is
        // opened by the handle those checks were made on, and files here are
        // only ever replaced by rename, never written in place.
        let component = unsafe { Component::deserialize_file(engine, code.handle_path()) };
        match component {
            Ok(component) => Some((component, sidecar.metadata)),
            Err(error) => {
                tracing::debug!("compiled code in the cache is not usable: {error:#}");
                None
            }
        }
    }

    /// Takes away what `engine` made of a component, by its SHA-256.
    pub fn forget(&self, engine: &Engine, digest: &[u8; 32]) {
        let key = Key::new(engine.wasmtime(), digest);
        for ending in ["cwasm", "json"] {
            // One that stays is of no use to anybody without the component.
            let _ = self.dir.remove(&format!("{}.{ending}", key.0));
        }
    }

    /// Keeps a component. A failure costs only time, so it is a warning.
    pub(crate) fn store(&self, key: &Key, compiled: &Compiled) {
        if let Err(error) = self.try_store(key, compiled) {
            tracing::warn!(
                "compiled code can't be kept in {}: {error}",
                self.path().display()
            );
        }
    }

    fn try_store(&self, key: &Key, compiled: &Compiled) -> std::io::Result<()> {
        let code = &compiled.code;
        let sidecar = serde_json::to_vec(&Sidecar {
            code_len: code.len() as u64,
            code_crc: crc32fast::hash(code),
            metadata: compiled.metadata.clone(),
        })?;
        self.dir.write(&format!("{}.cwasm", key.0), code)?;
        self.dir.write(&format!("{}.json", key.0), &sidecar)?;
        Ok(())
    }
}

/// The component of which this code has just been made.
pub(crate) fn fresh(
    engine: &wasmtime::Engine,
    compiled: &Compiled,
) -> Result<Component, LoadError> {
    #[allow(
        clippy::disallowed_methods,
        reason = "this is the other place where compiled code may come from"
    )]
    // SAFETY: wasmtime asks that the bytes were made by `serialize`. They were
    // by the compiler that was asked for them, which handed them over before
    // any of the plugin ran (`compile`), and nobody has had them since.
    let component = unsafe { Component::deserialize(engine, &compiled.code) };
    component.map_err(|error| LoadError::CompilerDied(format!("its code is unusable: {error:#}")))
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// wasmtime offers its compatibility data as something hashable; std's own
/// hasher is not promised to stay the same.
struct Sha256Hasher(Sha256);

impl std::hash::Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let digest = self.0.clone().finalize();
        digest
            .iter()
            .take(8)
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
    }
}
