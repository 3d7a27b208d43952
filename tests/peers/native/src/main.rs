//! The native peer: the filesystem server as a competent author would write it
//! on `rmcp`, with no sandbox. `palisade-bench` measures Palisade against it.
//!
//! It answers over stdio, on non-blocking pipes and the multi-thread runtime
//! that `#[tokio::main]` gives by default.

mod files;
mod paths;
mod server;

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use rmcp::ServiceExt as _;
use rmcp::transport::stdio_pipes;

use crate::paths::Allowed;
use crate::server::Filesystem;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let directories: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if directories.is_empty() {
        bail!("usage: palisade-peer-native DIRECTORY…\n  name at least one directory to serve");
    }
    let server = Filesystem::new(Allowed::new(&directories)?)?;
    let running = server
        .serve(stdio_pipes())
        .await
        .context("the client did not open an MCP session")?;
    running.waiting().await?;
    Ok(())
}
