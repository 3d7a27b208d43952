//! What an instance may see of the machine.
//!
//! A [`Sandbox`] is made once a session from an effective permission. Its
//! directories are opened then and kept by handle, so that what a path means
//! can't change later.

use std::path::Path;
use std::sync::Arc;

use palisade_policy::{Access, Effective, EffectiveRoot, Limits};
use tokio::sync::Semaphore;
use wasmtime_wasi::filesystem::WasiFilesystemCtx;
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxBuilder};

use crate::bindings::contract;
use crate::call::Spare;
use crate::console::Console;
use crate::error::LoadError;

mod local;

/// The configuration where nobody gave one.
const NO_CONFIG: &str = "{}";

/// Everything the instances of one plugin may use during one session.
pub struct Sandbox {
    name: Arc<str>,
    files: WasiFilesystemCtx,
    pub(crate) inline_files: bool,
    env: Vec<(String, String)>,
    /// What instances are told when they start, a JSON object.
    pub(crate) config: String,
    pub(crate) roots: Arc<[contract::Root]>,
    pub(crate) limits: Limits,
    pub(crate) running: Arc<Semaphore>,
    pub(crate) waiting: Arc<Semaphore>,
    pub(crate) spare: Spare,
}

impl Sandbox {
    /// The limits that hold.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Opens every granted directory.
    ///
    /// # Errors
    ///
    /// [`LoadError::Root`] or [`LoadError::RootIsNoDirectory`] for the first
    /// directory that can't be opened.
    pub fn open(name: &str, effective: &Effective) -> Result<Self, LoadError> {
        let mut builder = WasiCtxBuilder::new();
        // On a local file system an operation takes less than the way to
        // another thread and back; on a network one it may take for ever.
        let local = effective
            .roots
            .iter()
            .all(|root| local::is_local(&root.path));
        builder.allow_blocking_current_thread(local);
        let mut roots = Vec::with_capacity(effective.roots.len());
        for root in &effective.roots {
            if !root.hide.is_empty() {
                return Err(LoadError::NotEnforced(format!(
                    "folder {} hides files ({}), which this version does not enforce yet; \
                     take the `hide` patterns out to run it without",
                    root.name,
                    root.hide.join(", ")
                )));
            }
            open_root(&mut builder, root)?;
            roots.push(contract::Root {
                name: root.name.clone(),
                mount: mount_point(&root.name),
                uri: file_uri(&root.path),
                writable: root.access == Access::ReadWrite,
            });
        }
        let concurrency = effective.limits.concurrency as usize;
        Ok(Self {
            name: name.into(),
            files: std::mem::take(builder.build().filesystem()),
            inline_files: local,
            env: effective.env.clone().into_iter().collect(),
            config: NO_CONFIG.to_owned(),
            roots: roots.into(),
            limits: effective.limits,
            running: Arc::new(Semaphore::new(concurrency)),
            waiting: Arc::new(Semaphore::new(concurrency)),
            spare: Spare::default(),
        })
    }

    /// The same, with a configuration: the JSON object that every instance of a
    /// plugin with a lifecycle is told when it starts. Without one it is `{}`.
    #[must_use]
    pub fn with_config(self, json: String) -> Self {
        Self {
            config: json,
            ..self
        }
    }

    /// A sandbox in which nothing is granted, to ask a plugin what it offers.
    pub(crate) fn empty() -> Self {
        Self {
            name: "plugin".into(),
            files: WasiFilesystemCtx::default(),
            inline_files: false,
            env: Vec::new(),
            config: NO_CONFIG.to_owned(),
            roots: Arc::new([]),
            limits: Limits::default(),
            running: Arc::new(Semaphore::new(1)),
            waiting: Arc::new(Semaphore::new(0)),
            spare: Spare::default(),
        }
    }

    /// The WASI side of a new instance: its own name as argv[0], a closed
    /// stdin, the granted directories and variables, no network.
    pub(crate) fn context(&self) -> WasiCtx {
        let console = Console::new(Arc::clone(&self.name), self.limits.log);
        let mut builder = WasiCtxBuilder::new();
        builder
            .arg(&*self.name)
            .envs(&self.env)
            .stdout(console.clone())
            .stderr(console)
            .allow_tcp(false)
            .allow_udp(false)
            .max_random_size(self.limits.random);
        let mut context = builder.build();
        *context.filesystem() = self.files.clone();
        context
    }
}

/// Where a root is mounted for the guest.
fn mount_point(name: &str) -> String {
    format!("/{name}")
}

fn open_root(builder: &mut WasiCtxBuilder, root: &EffectiveRoot) -> Result<(), LoadError> {
    let failed = |source| LoadError::Root {
        path: root.path.clone(),
        source,
    };
    if !std::fs::metadata(&root.path).map_err(failed)?.is_dir() {
        return Err(LoadError::RootIsNoDirectory(root.path.clone()));
    }
    let perms = match root.access {
        Access::ReadOnly => FsPerms::ReadOnly,
        Access::ReadWrite => FsPerms::ReadWrite,
    };
    builder
        .preopened_dir(&root.path, mount_point(&root.name), perms)
        .map_err(|error| failed(std::io::Error::other(format!("{error:#}"))))?;
    Ok(())
}

/// The `file:` URI of an absolute path; empty for one that has none.
fn file_uri(path: &Path) -> String {
    url::Url::from_file_path(path)
        .map(String::from)
        .unwrap_or_default()
}
