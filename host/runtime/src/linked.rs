//! A component with everything it imports, and the functions it is called by.

use wasmtime::component::{Component, InstancePre};

use crate::engine::{self, Engine};
use crate::error::LoadError;
use crate::function::{Export, Exports, Function};
use crate::state::State;

/// What making and calling an instance needs.
pub(crate) struct Linked {
    pub(crate) engine: Engine,
    pub(crate) pre: InstancePre<State>,
    pub(crate) exports: Exports,
    /// How much of the pool an instance takes; see [`engine::weight`].
    pub(crate) weight: u32,
}

impl Linked {
    pub(crate) fn new(engine: &Engine, component: &Component) -> Result<Self, LoadError> {
        let pre = engine
            .linker()
            .instantiate_pre(component)
            .map_err(unlinkable)?;
        Ok(Self {
            engine: engine.clone(),
            pre,
            exports: Exports::find(component)?,
            weight: engine::weight(component),
        })
    }

    /// A function, if the plugin exports it.
    pub(crate) fn export<F: Function>(&self) -> Option<&Export<F>> {
        F::of(&self.exports)
    }
}

/// What is wrong with an import, as far as wasmtime's words tell; a test holds
/// them.
fn unlinkable(error: wasmtime::Error) -> LoadError {
    let text = error.to_string();
    let import = text
        .strip_prefix("component imports ")
        .and_then(|rest| rest.split('`').nth(1))
        .map(str::to_owned);
    match import {
        Some(import) if format!("{error:#}").contains("implementation was not found") => {
            LoadError::UnknownImport { import }
        }
        Some(import) => LoadError::ImportType {
            import,
            source: error.into(),
        },
        None => LoadError::Link(error.into()),
    }
}
