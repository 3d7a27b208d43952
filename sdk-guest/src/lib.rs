#![doc = include_str!("../README.md")]

mod arguments;
pub mod bindings;
mod client;
mod content;
mod context;
mod error;
mod plugin;
mod result;
mod schema;

pub use arguments::{Args, Argument};
pub use content::{Content, ResourceLink, Role};
pub use context::{Capabilities, Client, Context, Level, Root};
pub use error::{Error, ErrorKind, Result, ResultExt};
pub use palisade_sdk_macros::{plugin, tool};
pub use result::{IntoToolResult, Json, Structured, ToolResult};

/// What a plugin's file starts with: `use palisade_sdk::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Args, Content, Context, Error, Json, Level, ResourceLink, Result, ResultExt, Role,
        ToolResult, bail, plugin, tool,
    };
}

/// What `#[plugin]` writes into a plugin. Not for people.
#[doc(hidden)]
pub mod __private {
    pub use crate::arguments::{Fields, read_arguments};
    pub use crate::plugin::{State, ToolInfo, Tools, fresh, unknown_tool};
    pub use crate::schema::Input;
    pub use serde::de::MapAccess;
}
