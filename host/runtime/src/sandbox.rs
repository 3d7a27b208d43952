//! What an instance may see of the machine.
//!
//! A [`Sandbox`] is made once a session from an effective permission. Its
//! directories are opened then and kept by handle, so that what a path means
//! can't change later.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use palisade_net::{Injector, Outside};
use palisade_policy::{Effective, EffectiveNetwork, Granting, Limits};
use tokio::sync::Semaphore;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder};

use crate::bindings::contract;
use crate::call::Spare;
use crate::console::Console;
use crate::error::LoadError;
use crate::files::{Moves, Preopen};
use crate::network::{self, InstanceNetwork, Network};

mod granted;
mod local;
mod narrow;

use granted::Granted;
pub use narrow::{FoundRoot, Narrowed};

/// The configuration where nobody gave one.
const NO_CONFIG: &str = "{}";

/// Everything the instances of one plugin may use during one session.
pub struct Sandbox {
    name: Arc<str>,
    granted: Arc<[Granted]>,
    /// What of it guests see.
    pub(crate) preopens: Arc<[Preopen]>,
    pub(crate) inline_files: bool,
    /// Where something is hidden.
    pub(crate) moves: Option<Moves>,
    /// What may be reached: one for all calls, so that connections are kept.
    pub(crate) network: Arc<Network>,
    env: Vec<(String, String)>,
    /// What instances are told when they start, a JSON object.
    pub(crate) config: String,
    pub(crate) roots: Arc<[contract::Root]>,
    pub(crate) limits: Limits,
    pub(crate) running: Arc<Semaphore>,
    pub(crate) waiting: Arc<Semaphore>,
    /// Who makes something of a large outcome.
    pub(crate) finishing: Arc<Semaphore>,
    pub(crate) spare: Arc<Spare>,
    /// Which view of what was granted this is.
    pub(crate) view: u64,
    /// How many there have been.
    views: Arc<AtomicU64>,
    /// For directories that are opened below granted ones.
    room: Arc<Semaphore>,
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
        // On a local file system an operation takes less than the way to
        // another thread and back; on a network one it may take for ever.
        let local = effective
            .roots
            .iter()
            .all(|root| local::is_local(&root.path));
        // What is moved from one directory to another is looked at at both ends.
        let guarded = (effective.roots.iter()).any(granted::hides_something);
        let mut granted = Vec::with_capacity(effective.roots.len());
        for root in &effective.roots {
            granted.push(Granted::open(root, local, guarded)?);
        }
        let (preopens, roots): (Vec<_>, Vec<_>) = granted.iter().map(Granted::whole).unzip();
        let concurrency = effective.limits.concurrency as usize;
        Ok(Self {
            name: name.into(),
            granted: granted.into(),
            preopens: preopens.into(),
            inline_files: local,
            moves: guarded.then(Moves::default),
            network: Arc::new(Network::new(
                name,
                &effective.network,
                Outside::default(),
                1,
                Granting::Flag,
            )),
            env: effective.env.clone().into_iter().collect(),
            config: NO_CONFIG.to_owned(),
            roots: roots.into(),
            limits: effective.limits,
            running: Arc::new(Semaphore::new(concurrency)),
            waiting: Arc::new(Semaphore::new(concurrency)),
            finishing: Arc::new(Semaphore::new(1)),
            spare: Arc::default(),
            view: 0,
            views: Arc::new(AtomicU64::new(1)),
            room: Arc::new(Semaphore::new(narrow::MAX_OPEN)),
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

    /// The same, with a way to what is granted of the network, and secrets that
    /// are added to what is sent there; without it, names lead nowhere. `plugins`
    /// are served by this process, this one with them; whoever is told of what it
    /// is refused is told `how` to grant that.
    #[must_use]
    pub fn with_outside(
        self,
        effective: &EffectiveNetwork,
        outside: Outside,
        secrets: Injector,
        plugins: u32,
        how: Granting,
    ) -> Self {
        let network = Network::new(&self.name, effective, outside, plugins, how);
        let network = network.with_secrets(secrets);
        Self {
            network: Arc::new(network),
            ..self
        }
    }

    /// How a person grants it more.
    #[must_use]
    pub fn granting(&self) -> &Granting {
        self.network.granting()
    }

    /// A text with `*` in the place of the secrets that are added to requests.
    #[must_use]
    pub fn hide_secrets(&self, text: &str) -> String {
        match self.network.mask() {
            Some(mask) => String::from_utf8_lossy(&mask.bytes(text.as_bytes())).into_owned(),
            None => text.to_owned(),
        }
    }

    /// A sandbox in which nothing is granted, to ask a plugin what it offers.
    pub(crate) fn empty() -> Self {
        Self {
            name: "plugin".into(),
            granted: Arc::new([]),
            preopens: Arc::new([]),
            inline_files: false,
            moves: None,
            network: Arc::new(Network::new(
                "plugin",
                &EffectiveNetwork::default(),
                Outside::default(),
                1,
                Granting::Flag,
            )),
            env: Vec::new(),
            config: NO_CONFIG.to_owned(),
            roots: Arc::new([]),
            limits: Limits::default(),
            running: Arc::new(Semaphore::new(1)),
            waiting: Arc::new(Semaphore::new(0)),
            finishing: Arc::new(Semaphore::new(1)),
            spare: Arc::default(),
            view: 0,
            views: Arc::new(AtomicU64::new(1)),
            room: Arc::new(Semaphore::new(0)),
        }
    }

    /// The WASI side of a new instance: its own name as argv[0], a closed
    /// stdin, the granted variables, sockets for what is granted. Its directories
    /// are handed out by [`crate::files`].
    pub(crate) fn context(&self, network: &InstanceNetwork) -> WasiCtx {
        let console = Console::new(Arc::clone(&self.name), self.limits.log);
        let mut builder = WasiCtxBuilder::new();
        builder
            .arg(&*self.name)
            .envs(&self.env)
            .stdout(console.clone())
            .stderr(console)
            .max_random_size(self.limits.random);
        network::allow(&mut builder, network);
        builder.build()
    }
}
