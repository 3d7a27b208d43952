//! `wasi:filesystem/preopens`: the directories an instance begins with.
//!
//! wasmtime-wasi opens them by their paths. Here they are handles that have
//! been opened before: of a directory that a client's roots narrow, only what
//! is left of it is handed out.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;
use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::{Descriptor, Dir};
use wasmtime_wasi::p2::bindings::filesystem::preopens::Host;

use super::{Files, Place};

/// A directory, and where guests see it.
#[derive(Clone)]
pub(crate) struct Preopen {
    pub(crate) mount: String,
    pub(crate) dir: Dir,
    /// Where it lies, if paths below it have to be walked name by name.
    pub(crate) place: Option<Place>,
    /// Its place among those that may be open at once, if it needs one.
    pub(crate) room: Option<Arc<OwnedSemaphorePermit>>,
}

impl Host for Files<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Resource<Descriptor>, String)>> {
        let mut directories = Vec::with_capacity(self.preopens.len());
        for one in self.preopens.iter() {
            let descriptor = self.view.table.push(Descriptor::Dir(one.dir.clone()))?;
            if let Some(place) = &one.place {
                self.places.open.insert(descriptor.rep(), place.clone());
            }
            directories.push((descriptor, one.mount.clone()));
        }
        Ok(directories)
    }
}
