//! MCP clients: where each keeps its configuration, how an entry is put into it,
//! and bundles (`.mcpb`) that a client installs with one click.
//!
//! The crate is pure: text goes in and text comes out. It reads no file, and knows
//! nothing of plugins, grants or WebAssembly. What stands in a configuration is
//! somebody else's: only the entry that is meant is touched, and no error repeats a
//! value from the file.

mod bundle;
mod client;
mod config;
mod server;

pub use bundle::{Bundle, BundleError, Field, FieldKind, MANIFEST_VERSION, secret_variable};
pub use client::{Bases, CLIENTS, Client, Os, Scope};
pub use config::{Change, ConfigError, Edit, Entry, add, entries, remove};
pub use server::{Server, plugin_of};
