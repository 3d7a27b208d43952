//! What the store of one call holds.

use std::sync::Arc;

use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::WasiHttpCtx;

use crate::client::ClientState;
use crate::clock::CallClock;
use crate::files::{Listed, Places, Preopen};
use crate::limiter::Limiter;
use crate::network::{Hooks, InstanceNetwork};

/// Host state of one instance.
pub(crate) struct State {
    pub(crate) wasi: WasiCtx,
    pub(crate) table: ResourceTable,
    /// How many handles the table has room for.
    pub(crate) handles: u32,
    /// The directories it begins with.
    pub(crate) preopens: Arc<[Preopen]>,
    /// File operations may run on the calling thread.
    pub(crate) inline_files: bool,
    /// Where its open directories lie, where something is hidden.
    pub(crate) places: Places,
    /// What it holds of listed directories.
    pub(crate) listed: Listed,
    /// What it may reach, and where the names it looked up led.
    pub(crate) network: InstanceNetwork,
    /// How its requests are sent.
    pub(crate) hooks: Hooks,
    pub(crate) http: WasiHttpCtx,
    pub(crate) client: ClientState,
    pub(crate) limiter: Limiter,
    pub(crate) clock: Arc<CallClock>,
}

impl State {
    pub(crate) fn client_view(&mut self) -> &mut ClientState {
        &mut self.client
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}
