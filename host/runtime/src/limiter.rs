//! Memory, tables and instances of one call.

use palisade_policy::Limits;
use wasmtime::ResourceLimiter;

use crate::error::Limit;

/// Counts what a store's guests have taken, over all their memories together.
pub(crate) struct Limiter {
    limits: Limits,
    memory: u64,
    table_elements: usize,
    refused: Option<Limit>,
}

impl Limiter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            limits: *limits,
            memory: 0,
            table_elements: 0,
            refused: None,
        }
    }

    /// The limit for which a request was refused, the last one if there were
    /// several. Most guests then trap with a message that does not say why.
    pub(crate) fn refused(&self) -> Option<Limit> {
        self.refused
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let more = (desired as u64).saturating_sub(current as u64);
        let total = self.memory.saturating_add(more);
        if total > self.limits.memory {
            self.refused = Some(Limit::Memory(self.limits.memory));
            return Ok(false);
        }
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        self.memory = total;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self
            .table_elements
            .saturating_add(desired.saturating_sub(current));
        if total > self.limits.table_elements as usize {
            self.refused = Some(Limit::TableElements(self.limits.table_elements));
            return Ok(false);
        }
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        self.table_elements = total;
        Ok(true)
    }

    fn instances(&self) -> usize {
        self.limits.instances as usize
    }

    fn tables(&self) -> usize {
        self.limits.tables as usize
    }

    fn memories(&self) -> usize {
        self.limits.memories as usize
    }
}
