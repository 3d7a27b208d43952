//! One MCP session: `palisade run` as a child process, and rmcp's client on its
//! standard input and output.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion, Tool};
use rmcp::service::{ClientLifecycleMode, RunningService};
use rmcp::{ClientServiceExt, RoleClient};
use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::Built;
use crate::folders::Folders;

/// A debug build compiles the plugin at its first start.
const TO_START: Duration = Duration::from_secs(120);
const TO_ANSWER: Duration = Duration::from_secs(30);

/// A running server and the client that talks to it.
pub(crate) struct Session {
    child: Child,
    stderr: JoinHandle<std::io::Result<String>>,
    client: RunningService<RoleClient, ()>,
    /// How the server was started, as one would type it.
    pub(crate) command: String,
    /// From starting the process to the first answer.
    pub(crate) ready_after: Duration,
}

/// What is known once a server has ended.
pub(crate) struct Ended {
    /// All it wrote to standard error.
    pub(crate) stderr: String,
}

impl Session {
    /// Starts the server with one folder granted and shakes hands.
    ///
    /// # Errors
    /// Where the server does not start or does not answer as MCP says; with
    /// what it wrote to standard error.
    pub(crate) async fn start(built: &Built, folders: &Folders) -> Result<Self> {
        let grant = format!("notes={}:rw", folders.notes().display());
        let begun = Instant::now();
        let mut child = Command::new(&built.palisade)
            .arg("run")
            .arg(&built.plugin)
            .args(["--root", &grant])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} can't be started", built.palisade.display()))?;
        let (Some(stdin), Some(stdout), Some(mut stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            bail!("the server has no standard input and output");
        };
        // Read all along: a full pipe would stop the server.
        let stderr = tokio::spawn(async move {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).await?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        });
        let lifecycle = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::LATEST],
            legacy_version: None,
        };
        let greeting = ().serve_with_lifecycle((stdout, stdin), lifecycle);
        let client = match timeout(TO_START, greeting).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => {
                let said = said(&mut child, stderr).await;
                return Err(error).context(format!("the server did not shake hands{said}"));
            }
            Err(_) => {
                let said = said(&mut child, stderr).await;
                bail!("the server said nothing for {} s{said}", TO_START.as_secs());
            }
        };
        Ok(Self {
            child,
            stderr,
            client,
            command: format!(
                "{} run {} --root {grant}",
                built.palisade.display(),
                built.plugin.display()
            ),
            ready_after: begun.elapsed(),
        })
    }

    /// The protocol revision agreed on, and the server's name and version.
    pub(crate) fn parties(&self) -> (String, String) {
        let Some(info) = self.client.peer_info() else {
            return ("?".into(), "?".into());
        };
        let server = info.server_info.as_ref().map_or_else(
            || "a server without a name".to_owned(),
            |server| format!("{} {}", server.name, server.version),
        );
        (info.protocol_version.to_string(), server)
    }

    /// `tools/list`, all of it.
    ///
    /// # Errors
    /// Where there is no proper answer in time.
    pub(crate) async fn tools(&self) -> Result<Vec<Tool>> {
        timeout(TO_ANSWER, self.client.list_all_tools())
            .await
            .context("no answer to tools/list in time")?
            .context("tools/list failed")
    }

    /// `tools/call`.
    ///
    /// # Errors
    /// Where there is no proper answer in time. An answer that tells of an
    /// error is an answer.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<CallToolResult> {
        let Value::Object(arguments) = arguments else {
            bail!("arguments of {tool} are not an object");
        };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        timeout(TO_ANSWER, self.client.call_tool(params))
            .await
            .with_context(|| format!("no answer from {tool} in time"))?
            .with_context(|| format!("calling {tool} failed"))
    }

    /// Hangs up, and waits for the server to end by itself.
    ///
    /// # Errors
    /// Where it has to be killed, or ends with an error.
    pub(crate) async fn end(mut self) -> Result<Ended> {
        self.client
            .close()
            .await
            .context("the client did not stop")?;
        let status = match timeout(TO_ANSWER, self.child.wait()).await {
            Ok(status) => status.context("the server was lost")?,
            Err(_) => {
                self.child
                    .kill()
                    .await
                    .context("the server can't be killed")?;
                bail!("the server did not end when its input did");
            }
        };
        let stderr = self
            .stderr
            .await?
            .context("the server's standard error broke")?;
        ensure!(
            status.success(),
            "the server ended with {status}: {}",
            stderr.trim_end()
        );
        Ok(Ended { stderr })
    }
}

/// Stops a server that will not do, for its last words.
async fn said(child: &mut Child, stderr: JoinHandle<std::io::Result<String>>) -> String {
    // Its input is closed by now. It may be about to say why it ends.
    if timeout(Duration::from_secs(2), child.wait()).await.is_err() {
        // It may have ended just now, which is as good.
        child.kill().await.ok();
    }
    match stderr.await {
        Ok(Ok(text)) if !text.trim().is_empty() => format!("; it wrote: {}", text.trim_end()),
        _ => String::new(),
    }
}
