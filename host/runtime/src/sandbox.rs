//! What an instance may see of the machine.
//!
//! A [`Sandbox`] is made once a session from an effective permission. Its
//! directories are opened then and kept by handle, so that what a path means
//! can't change later.

use std::sync::Arc;

use palisade_policy::{Effective, Limits};
use tokio::sync::Semaphore;
use wasmtime_wasi::filesystem::WasiFilesystemCtx;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder};

use crate::bindings::contract;
use crate::call::Spare;
use crate::console::Console;
use crate::error::LoadError;
use crate::files::Mounts;

mod local;
mod root;

/// Most random bytes a guest gets in one call of `wasi:random`.
const RANDOM_BYTES: u64 = 1024 * 1024;

/// The configuration where nobody gave one.
const NO_CONFIG: &str = "{}";

/// Everything the instances of one plugin may use during one session.
pub struct Sandbox {
    name: Arc<str>,
    files: WasiFilesystemCtx,
    pub(crate) inline_files: bool,
    /// Where something is hidden.
    pub(crate) mounts: Option<Arc<Mounts>>,
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
    /// [`LoadError::Root`], [`LoadError::RootIsNoDirectory`],
    /// [`LoadError::RootIsNoFile`] or [`LoadError::Hide`] for the first that
    /// can't be opened.
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
        let mut mounts = Vec::new();
        let guarded = (effective.roots.iter()).any(root::hides_something);
        for root in &effective.roots {
            root::open(&mut builder, root)?;
            if guarded {
                mounts.push(root::mount(root)?);
            }
            roots.push(root::described(root));
        }
        let concurrency = effective.limits.concurrency as usize;
        Ok(Self {
            name: name.into(),
            files: std::mem::take(builder.build().filesystem()),
            inline_files: local,
            mounts: guarded.then(|| Mounts::new(mounts)),
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
            mounts: None,
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
            .max_random_size(RANDOM_BYTES);
        let mut context = builder.build();
        *context.filesystem() = self.files.clone();
        context
    }
}
