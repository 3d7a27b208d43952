//! From the exported interface to the method that is told the configuration.

use serde::de::DeserializeOwned;

use crate::bindings::lifecycle::exports::palisade::mcp::lifecycle::Guest;
use crate::plugin::{self, Plugin};
use crate::{Error, Result};

/// A plugin that wants its configuration. `#[plugin]` implements it.
pub trait Starts: Plugin {
    /// Takes the configuration, a JSON object.
    ///
    /// # Errors
    /// It is unusable.
    fn start(&mut self, config: &str) -> Result<()>;
}

impl<T: Starts> Guest for T {
    fn start(config: String) -> Result<(), String> {
        plugin::with(|plugin: &mut T| Starts::start(plugin, &config))
            .map_err(|error| error.message().to_owned())
    }
}

/// Reads the configuration.
///
/// # Errors
/// It is not one of this plugin.
pub fn config<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json)
        .map_err(|error| Error::msg(format_args!("the configuration does not fit: {error}")))
}

/// What a method marked `#[start]` may return: nothing, or a `Result` of it.
#[diagnostic::on_unimplemented(
    message = "a `#[start]` method cannot return `{Self}`",
    label = "not `()` or a `Result<()>`"
)]
pub trait IntoStart {
    /// Whether it is usable.
    ///
    /// # Errors
    /// What the method returned.
    fn into_start(self) -> Result<()>;
}

impl IntoStart for () {
    fn into_start(self) -> Result<()> {
        Ok(())
    }
}

impl<E: Into<Error>> IntoStart for std::result::Result<(), E> {
    fn into_start(self) -> Result<()> {
        self.map_err(Into::into)
    }
}
