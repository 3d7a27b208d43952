//! The imported `client` interface, and what stands in for it where there is
//! no host: a plugin's own unit tests, built for the author's machine.

#[cfg(target_arch = "wasm32")]
pub(crate) use crate::bindings::client::{
    cancelled, changed, log, progress, resource_updated, roots,
};

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use alone::{cancelled, changed, log, progress, resource_updated, roots};

#[cfg(not(target_arch = "wasm32"))]
mod alone {
    use crate::bindings::types::{ListKind, LogLevel, Root};

    pub(crate) fn log(_level: LogLevel, _logger: Option<&str>, _data: &str) {}

    pub(crate) fn progress(_progress: f64, _total: Option<f64>, _message: Option<&str>) {}

    pub(crate) fn roots() -> Vec<Root> {
        Vec::new()
    }

    pub(crate) fn resource_updated(_uri: &str) {}

    pub(crate) fn changed(_list: ListKind) {}

    pub(crate) fn cancelled() -> bool {
        false
    }
}
