//! Palisade as its users have it: the built binary, started as a process and
//! spoken to over its standard streams.
//!
//! Nothing here links to the host's crates. [`Palisade`] is a command line,
//! [`Session`] a running `palisade run` spoken to byte by byte, [`Client`] the
//! same behind a real MCP client (rmcp's). Every wait ends: after
//! [`PATIENCE`] the test fails and says what the process wrote to standard
//! error. A process that is dropped is killed.
//!
//! Linux only: it looks into `/proc` for what a process costs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, and this is only used by tests"
)]

use std::time::Duration;

mod artifacts;
pub mod author;
mod client;
mod command;
pub mod component;
mod driver;
mod finished;
pub mod http;
pub mod internet;
pub mod keyring;
pub mod oci;
mod process;
pub mod rpc;
mod session;
pub mod sigstore;
pub mod stage;
mod streams;
pub mod terminal;

pub use artifacts::{client, guest, palisade, plugin, source};
pub use client::Client;
pub use command::{Palisade, Wiring};
pub use driver::drive;
pub use finished::Finished;
pub use process::{Process, Signal};
pub use session::Session;

/// How long anything may take that should happen. Long, because a machine may
/// be busy and a debug build compiles a plugin when it first meets it; a test
/// that passes never waits for it.
pub const PATIENCE: Duration = Duration::from_secs(60);
