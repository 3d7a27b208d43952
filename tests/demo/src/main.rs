//! Shows Palisade at its main job, for real: starts `palisade run` on the
//! filesystem plugin with one folder granted, talks to it with an MCP client
//! over stdio, tries three ways out of the folder, and checks each step by what
//! is on disk. `cargo xtask demo` builds what it needs and runs it.
//!
//! `PALISADE_BIN` and `PALISADE_PLUGINS` say where the host binary and the
//! folder of built plugins are; without them, they are where a build puts them.

mod client_config;
mod folders;
mod session;
mod stage;
mod story;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::folders::Folders;
use crate::session::Session;
use crate::stage::Stage;

/// What the demo runs.
struct Built {
    palisade: PathBuf,
    plugin: PathBuf,
}

impl Built {
    fn find() -> Result<Self> {
        let here = env::current_exe().context("this program's own path is unknown")?;
        let profile = here.parent().unwrap_or(Path::new("."));
        let palisade = from_env("PALISADE_BIN").unwrap_or_else(|| {
            profile
                .join("palisade")
                .with_extension(env::consts::EXE_EXTENSION)
        });
        let plugins = from_env("PALISADE_PLUGINS").unwrap_or_else(|| profile.join("../plugins"));
        Ok(Self {
            palisade: present(&palisade)?,
            plugin: present(&plugins.join("filesystem.wasm"))?,
        })
    }
}

fn from_env(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from)
}

/// The path in full, as it must stand in a client's configuration.
fn present(path: &Path) -> Result<PathBuf> {
    path.canonicalize().with_context(|| {
        format!(
            "{} is missing; `cargo xtask demo` builds it",
            path.display()
        )
    })
}

async fn run() -> Result<()> {
    let built = Built::find()?;
    let folders = Folders::lay_out()?;
    let mut stage = Stage::on_stdout();
    stage.title("Palisade at work: one plugin, one folder, a real MCP client")?;

    let session = Session::start(&built, &folders).await?;
    story::opening(&mut stage, &session, &folders)?;
    let told = async {
        story::everyday_work(&mut stage, &session, &folders).await?;
        story::three_ways_out(&mut stage, &session, &folders).await
    }
    .await;
    // Whatever happened, the server is not left running, and what it said to
    // its person is shown.
    let ended = session.end().await;
    let for_the_person = ended.as_ref().map_or("", |ended| ended.stderr.as_str());
    stage.aside(
        "what Palisade told the person who runs it, on standard error",
        for_the_person,
    )?;
    told?;
    ended?;
    folders.remove()?;
    client_config::show(&mut stage, &built)
}

fn main() -> ExitCode {
    let outcome = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no runtime for the client")
        .and_then(|runtime| runtime.block_on(run()));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo: {error:#}");
            ExitCode::FAILURE
        }
    }
}
