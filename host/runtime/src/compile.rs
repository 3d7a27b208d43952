//! A component that is met for the first time: compiled, understood, and asked
//! what it offers.
//!
//! Compiling a stranger's file can take for ever, and asking what it offers
//! runs it. So both are done in a process of their own ([`CompilerProcess`] is
//! this end of it, [`serve_compiler`] the other), which hands over the code
//! before any of the plugin runs: whatever becomes of it then, all that it can
//! still say are lists.

use serde::{Deserialize, Serialize};
use wasmtime::component::Component;

use crate::call;
use crate::component::{self, Export, Import, Kind, Offers, check_header};
use crate::engine::Engine;
use crate::error::{Cause, LoadError};
use crate::linked::Linked;
use crate::listing::Listing;
use crate::metadata::Metadata;
use crate::sandbox::Sandbox;

mod frames;
mod process;
mod serve;

pub use process::CompilerProcess;
pub use serve::{ServeCompilerError, serve_compiler};

/// Makes code of a component, and asks it what it offers.
pub trait Compile {
    /// Does so for an engine like `engine`.
    ///
    /// # Errors
    ///
    /// [`LoadError`]; nothing is served of a component that is not understood
    /// as a whole.
    fn compile(&self, engine: &Engine, component: &[u8]) -> Result<Compiled, LoadError>;
}

/// What became of a component.
pub struct Compiled {
    /// Machine code, as wasmtime writes it.
    pub(crate) code: Vec<u8>,
    /// What is known of the plugin.
    pub(crate) metadata: Metadata,
}

/// What is known of a component before any of it has run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) kind: Kind,
    pub(crate) imports: Vec<Import>,
    pub(crate) exports: Vec<Export>,
    pub(crate) offers: Offers,
    pub(crate) manifest: Option<String>,
}

impl About {
    /// With what the plugin says when it is asked, which is checked.
    fn with(self, listing: Listing) -> Result<Metadata, LoadError> {
        listing.check(self.offers)?;
        Ok(Metadata {
            kind: self.kind,
            imports: self.imports,
            exports: self.exports,
            tools: listing.tools,
            templates: listing.templates,
            prompts: listing.prompts,
            offers: self.offers,
            manifest: self.manifest,
        })
    }
}

/// A component of which nothing has run.
pub(crate) struct Understood {
    pub(crate) component: Component,
    pub(crate) about: About,
    linked: Linked,
}

impl Understood {
    /// Compiles a component, checks what it needs and offers, and links it.
    pub(crate) fn new(engine: &Engine, bytes: &[u8]) -> Result<Self, LoadError> {
        check_header(bytes)?;
        let component = Component::new(engine.wasmtime(), bytes)
            .map_err(|error| LoadError::Compile(error.into()))?;
        let (imports, exports) = component::names(engine.wasmtime(), &component);
        if let Some(import) = component::unknown_import(&imports) {
            return Err(LoadError::UnknownImport {
                import: import.clone(),
            });
        }
        let offers = Offers::of(&exports);
        let kind = component::kind(&exports, offers)?;
        let linked = Linked::new(engine, &component)?;
        let about = About {
            kind,
            imports,
            exports,
            offers,
            manifest: component::manifest(bytes)?,
        };
        Ok(Self {
            component,
            about,
            linked,
        })
    }

    pub(crate) fn code(&self) -> Result<Vec<u8>, LoadError> {
        self.component
            .serialize()
            .map_err(|error| LoadError::Compile(error.into()))
    }

    /// Asks it what it offers, in a sandbox in which nothing is granted.
    pub(crate) fn list(&self) -> Result<Listing, LoadError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| LoadError::Listing(Cause::of(&error)))?;
        runtime.block_on(call::list(&self.linked, &Sandbox::empty()))
    }
}

/// Compiles in this process, for as long as it takes: for components that one
/// trusts, as in tests.
pub(crate) struct Here;

impl Compile for Here {
    fn compile(&self, engine: &Engine, component: &[u8]) -> Result<Compiled, LoadError> {
        let understood = Understood::new(engine, component)?;
        // On a thread that is in no runtime yet.
        let listing = std::thread::scope(|scope| {
            let asked = scope.spawn(|| understood.list());
            asked
                .join()
                .unwrap_or_else(|_| Err(LoadError::CompilerDied("it panicked".to_owned())))
        })?;
        Ok(Compiled {
            code: understood.code()?,
            metadata: understood.about.with(listing)?,
        })
    }
}
