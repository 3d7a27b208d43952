//! The host under test, serving over HTTP.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

use crate::command;
use crate::layout::Layout;

/// A debug build compiles the plugin before it serves.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running `palisade run --http`. Dropping it ends it.
pub(super) struct Server {
    child: Child,
    /// Where it serves.
    pub(super) url: String,
}

impl Server {
    /// Starts the host that was built, with the plugin that has everything.
    ///
    /// # Errors
    /// Where it does not serve, with what it said.
    pub(super) fn start(layout: &Layout) -> Result<Self> {
        let home = home(layout)?;
        let mut command = command::program(layout.host(false));
        command
            .arg("run")
            .arg(layout.plugins().join("everything.wasm"))
            .args(["--http", "127.0.0.1:0", "--no-auth"])
            // Nothing of this person's configuration.
            .env("HOME", &home)
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env_remove("XDG_CONFIG_HOME")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().context("the host can't be started")?;
        let errors = child.stderr.take();
        let mut server = Self {
            child,
            url: String::new(),
        };
        let errors = errors.context("the host has no standard error")?;
        server.url = until_served(errors)?;
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn home(layout: &Layout) -> Result<PathBuf> {
    let home = layout.target.join("conformance/home");
    fs::create_dir_all(&home).with_context(|| format!("{} can't be made", home.display()))?;
    Ok(home)
}

/// Waits for the line that says where it serves. What comes after is read, so
/// that nobody waits for it, and shown, since it explains a failure.
fn until_served(errors: ChildStderr) -> Result<String> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut errors = BufReader::new(errors);
        let mut said = String::new();
        let mut line = String::new();
        while matches!(errors.read_line(&mut line), Ok(length) if length > 0) {
            if let Some(url) = url(&line) {
                let _ = tell.send(Ok(url));
                break;
            }
            said.push_str(&line);
            line.clear();
        }
        let _ = tell.send(Err(said));
        let _ = errors.read_to_end(&mut Vec::new());
    });
    match told.recv_timeout(PATIENCE) {
        Ok(Ok(url)) => Ok(url),
        Ok(Err(said)) => bail!("the host ended before it served: {}", said.trim()),
        Err(_) => Err(anyhow!(
            "the host does not say where it serves, after {} s",
            PATIENCE.as_secs()
        )),
    }
}

/// The address in `palisade: serving NAME at URL`.
fn url(line: &str) -> Option<String> {
    let said = line.trim_end().strip_prefix("palisade: serving ")?;
    let (_, url) = said.rsplit_once(" at ")?;
    url.starts_with("http").then(|| url.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_its_line_only() {
        let line = "palisade: serving everything at http://127.0.0.1:4711/mcp\n";
        assert_eq!(url(line).as_deref(), Some("http://127.0.0.1:4711/mcp"));
        assert_eq!(
            url("palisade: plugin says: serving x at http://evil/"),
            None
        );
        assert_eq!(url("palisade: serving nothing\n"), None);
    }
}
