//! `wasi:filesystem/preopens`: the directories an instance begins with.
//!
//! wasmtime-wasi opens them by their paths. Here they are handles that have
//! been opened before: of a directory that a client's roots narrow, only what
//! is left of it is handed out.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;
use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::filesystem::{Descriptor, Dir};
use wasmtime_wasi::p2::bindings::filesystem::preopens::{self, Host};

use crate::state::State;

/// A directory, and where guests see it.
#[derive(Clone)]
pub(crate) struct Preopen {
    pub(crate) mount: String,
    pub(crate) dir: Dir,
    /// Its place among those that may be open at once, if it needs one.
    pub(crate) room: Option<Arc<OwnedSemaphorePermit>>,
}

/// Those of one instance.
pub(crate) struct Preopens<'a> {
    all: &'a Arc<[Preopen]>,
    table: &'a mut ResourceTable,
}

struct HasPreopens;

impl HasData for HasPreopens {
    type Data<'a> = Preopens<'a>;
}

/// Puts this in the place of wasmtime-wasi's own, which is linked already.
pub(super) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    preopens::add_to_linker::<State, HasPreopens>(linker, |state| Preopens {
        all: &state.preopens,
        table: &mut state.table,
    })
}

impl Host for Preopens<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Resource<Descriptor>, String)>> {
        self.all
            .iter()
            .map(|one| {
                let descriptor = self.table.push(Descriptor::Dir(one.dir.clone()))?;
                Ok((descriptor, one.mount.clone()))
            })
            .collect()
    }
}
