//! The one wasmtime engine of a process, set up for many short calls.

use std::sync::Arc;
use std::time::Duration;

use palisade_policy::Limits;
use wasmtime::{
    Config, Enabled, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig,
    component::{self, Component},
};
use wasmtime_wasi::p2;

use crate::bindings::imported_client;
use crate::client::HasClient;
use crate::descriptors::Descriptors;
use crate::error::EngineError;
use crate::state::State;
use crate::ticker::Ticker;
use crate::{files, network};

/// The version of wasmtime, as a test holds.
pub const WASMTIME: &str = "48.0.8";

/// Live instances the pool has room for: the most calls a grant can allow at
/// once, and some made ahead or being asked for their tools. The reservation
/// is address space only, but setting it up costs start-up time.
const INSTANCES: u32 = 272;

/// Room for each further plugin: twice the calls it may run where no grant
/// says otherwise, so that none is without instances because of the others.
const INSTANCES_MORE: u32 = 32;

/// Room for what a single instance may be made of.
const INSTANCES_ONE: u32 = 8;

/// Tables there is room for with each instance. Core instances are only counted,
/// so that there is room for the most that each may have.
const TABLES: u32 = 8;
const CORE_INSTANCES: u32 = 64;
const MEMORIES: u32 = 8;

/// Bytes of each memory that stay resident between calls. Small plugins touch
/// less than this, so that resetting them is a copy and not a page fault.
const KEEP_RESIDENT: usize = 64 * 1024;

/// Stack of WebAssembly code; its async stack adds room for host calls.
pub(crate) const WASM_STACK: usize = 512 * 1024;
const ASYNC_STACK: usize = 1024 * 1024;

/// Address space around a memory where there is little of it, in bytes.
const FEW: u64 = 1024 * 1024;

/// How an [`Engine`] is made. The default is what `palisade` uses.
#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// The time between two chances to stop or to suspend a guest. Default 5 ms.
    pub tick: Duration,
    /// Draw instances from a pool of pre-reserved memory. Default true; where
    /// the address space does not allow it the engine falls back by itself.
    pub pooling: bool,
    /// Plugins there is to be room for. Default 1; with 0 there is room for one
    /// instance at a time, to compile and to ask a plugin what it offers.
    pub plugins: u32,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            tick: Duration::from_millis(5),
            pooling: true,
            plugins: 1,
        }
    }
}

/// A wasmtime engine with everything a plugin may import linked to it.
/// Cheap to clone; all clones are the same engine.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    wasmtime: wasmtime::Engine,
    linker: component::Linker<State>,
    ticker: Ticker,
    pooling: bool,
    descriptors: Descriptors,
}

impl Engine {
    /// Makes the engine: pooling allocator with copy-on-write memory images
    /// where the address space allows it, on-demand allocation with a warning
    /// where it does not; epoch interruption always.
    ///
    /// # Errors
    ///
    /// [`EngineError`] when wasmtime can't run here at all.
    pub fn new(options: &EngineOptions) -> Result<Self, EngineError> {
        let instances = match options.plugins {
            0 => INSTANCES_ONE,
            plugins => INSTANCES.saturating_add((plugins - 1).saturating_mul(INSTANCES_MORE)),
        };
        let pooled = options
            .pooling
            .then(|| wasmtime::Engine::new(&config(Some(pool(instances)))));
        let (wasmtime, pooling) = match pooled {
            Some(Ok(engine)) => (engine, true),
            Some(Err(error)) => {
                tracing::warn!(
                    "no room to reserve memory for {instances} instances ({error:#}); \
                     calls will be slower"
                );
                (on_demand()?, false)
            }
            None => (on_demand()?, false),
        };
        let mut linker = component::Linker::new(&wasmtime);
        p2::add_to_linker_async(&mut linker).map_err(EngineError::Link)?;
        files::add_to_linker(&mut linker).map_err(EngineError::Link)?;
        network::add_to_linker(&mut linker).map_err(EngineError::Link)?;
        imported_client::add_to_linker::<State, HasClient>(&mut linker, State::client_view)
            .map_err(EngineError::Link)?;
        let ticker = Ticker::new(wasmtime.clone(), options.tick);
        Ok(Self(Arc::new(Inner {
            wasmtime,
            linker,
            ticker,
            pooling,
            descriptors: Descriptors::shared_by(options.plugins),
        })))
    }

    /// Whether instances come from the pool.
    #[must_use]
    pub fn is_pooling(&self) -> bool {
        self.0.pooling
    }

    pub(crate) fn wasmtime(&self) -> &wasmtime::Engine {
        &self.0.wasmtime
    }

    pub(crate) fn linker(&self) -> &component::Linker<State> {
        &self.0.linker
    }

    /// How many handles a call may hold at once.
    pub(crate) fn handles(&self, limits: &Limits) -> u32 {
        self.0.descriptors.handles(limits)
    }

    pub(crate) fn ticker(&self) -> &Ticker {
        &self.0.ticker
    }
}

/// How many instances of the usual kind one of this component counts for: the
/// pool has room for one memory and [`TABLES`] tables with each.
pub(crate) fn weight(component: &Component) -> u32 {
    let needs = component.resources_required();
    needs.map_or(MEMORIES, |needs| {
        needs
            .num_memories
            .max(needs.num_tables.div_ceil(TABLES))
            .max(1)
    })
}

/// How many of its `concurrency` places a call of a plugin with instances of
/// this weight takes, so that no plugin takes the room of another.
pub(crate) fn places(weight: u32, concurrency: u32) -> u32 {
    match weight {
        0 | 1 => 1,
        more => more
            .saturating_mul(concurrency)
            .div_ceil(INSTANCES_MORE)
            .clamp(1, concurrency.max(1)),
    }
}

fn on_demand() -> Result<wasmtime::Engine, EngineError> {
    wasmtime::Engine::new(&config(None)).map_err(EngineError::Unusable)
}

fn config(pool: Option<PoolingAllocationConfig>) -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        .memory_init_cow(true)
        .cranelift_opt_level(OptLevel::Speed)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(ASYNC_STACK)
        // A relaxed SIMD result may differ from machine to machine.
        .wasm_relaxed_simd(false)
        // Offsets into a stranger's binary help nobody who reads our errors.
        .generate_address_map(false)
        .wasm_backtrace_max_frames(None);
    match pool {
        Some(pool) => {
            config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        }
        // Where the pool does not fit, the 4 GiB that wasmtime would set aside
        // for every memory do not fit either.
        None => {
            config
                .memory_reservation(0)
                .memory_reservation_for_growth(FEW)
                .memory_guard_size(FEW);
        }
    }
    config
}

fn pool(instances: u32) -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::default();
    // A component of the usual toolchains is one module with memory and a few
    // shims; interpreters (Python) bring dozens of modules and large tables.
    pool.total_component_instances(instances)
        .total_core_instances(instances.saturating_mul(CORE_INSTANCES))
        .total_memories(instances)
        .total_tables(instances.saturating_mul(TABLES))
        .total_stacks(instances)
        .max_core_instances_per_component(CORE_INSTANCES)
        .max_memories_per_component(MEMORIES)
        .max_tables_per_component(64)
        .table_elements(100_000)
        .max_unused_warm_slots(16)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        .table_keep_resident(KEEP_RESIDENT)
        .async_stack_keep_resident(KEEP_RESIDENT);
    if PoolingAllocationConfig::is_pagemap_scan_available() {
        pool.pagemap_scan(Enabled::Auto);
    } else {
        // Without it every reset is a system call: make them in batches.
        pool.decommit_batch_size(16);
    }
    pool
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_of_wasmtime_is_the_one_that_is_built() {
        let lock = include_str!("../../../Cargo.lock");
        let entry = format!("name = \"wasmtime\"\nversion = \"{}\"\n", super::WASMTIME);
        assert!(lock.contains(&entry), "{}", super::WASMTIME);
    }
}
