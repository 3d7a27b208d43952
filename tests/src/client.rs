//! A real MCP client on a running host.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::process::Stdio;
use std::sync::Arc;

use rmcp::ClientServiceExt as _;
use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion, Tool};
use rmcp::service::{ClientLifecycleMode, RunningService, ServiceError};
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Child;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::PATIENCE;
use crate::command::Palisade;

/// rmcp's own client, connected to a `palisade run`. It may be used from
/// ordinary test functions: each method waits for its answer.
#[derive(Debug)]
pub struct Client {
    client: RunningService<RoleClient, ()>,
    child: Child,
    runtime: Runtime,
    stderr: File,
    _home: Arc<TempDir>,
}

impl Client {
    /// Starts the host and opens a session of the newest revision.
    ///
    /// # Panics
    ///
    /// If the two don't come to an understanding in time.
    #[track_caller]
    pub fn connect(command: &Palisade) -> Self {
        Self::connect_with(
            command,
            ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::LATEST],
            },
        )
    }

    /// Starts the host and opens a session with the handshake of older
    /// revisions.
    ///
    /// # Panics
    ///
    /// If the two don't come to an understanding in time.
    #[track_caller]
    pub fn connect_with_handshake(command: &Palisade) -> Self {
        Self::connect_with(command, ClientLifecycleMode::Initialize)
    }

    #[track_caller]
    fn connect_with(command: &Palisade, lifecycle: ClientLifecycleMode) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.expect("a runtime can be made");
        // A file, so that nobody needs to read it meanwhile.
        let stderr = tempfile::tempfile().expect("temporary files can be made");
        let for_child = stderr.try_clone().expect("handles can be copied");
        let (child, greeted) = runtime.block_on(async {
            let mut child = tokio::process::Command::from(command.command())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(for_child)
                .kill_on_drop(true)
                .spawn()
                .expect("the host can be started");
            let streams = child.stdout.take().zip(child.stdin.take());
            let streams = streams.expect("both are pipes");
            let greeting = ().serve_with_lifecycle(streams, lifecycle);
            (child, timeout(PATIENCE, greeting).await)
        });
        let client = match greeted {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => panic!("they did not shake hands: {error}\n{}", read(&stderr)),
            Err(_) => panic!("the host did not answer\n{}", read(&stderr)),
        };
        Self {
            client,
            child,
            runtime,
            stderr,
            _home: command.keep_home(),
        }
    }

    /// The protocol revision that was agreed on.
    ///
    /// # Panics
    ///
    /// If none was.
    #[must_use]
    pub fn revision(&self) -> String {
        let info = self
            .client
            .peer_info()
            .expect("the server has introduced itself");
        info.protocol_version.to_string()
    }

    /// All that the host has written to standard error.
    #[must_use]
    pub fn stderr(&self) -> String {
        read(&self.stderr)
    }

    /// All tools.
    ///
    /// # Panics
    ///
    /// If they can't be listed in time.
    #[track_caller]
    pub fn tools(&self) -> Vec<Tool> {
        let listing = async { timeout(PATIENCE, self.client.list_all_tools()).await };
        let listed = self.runtime.block_on(listing).expect("it answers in time");
        listed.expect("tools can be listed")
    }

    /// Calls a tool; the error is that of the protocol.
    ///
    /// # Errors
    ///
    /// What the client makes of an answer that is no result.
    ///
    /// # Panics
    ///
    /// If there is no answer in time, or `arguments` are no object.
    #[track_caller]
    pub fn try_call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object: {arguments}");
        };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let calling = async { timeout(PATIENCE, self.client.call_tool(params)).await };
        self.runtime.block_on(calling).expect("it answers in time")
    }

    /// Calls a tool and returns its result as JSON, for the functions of
    /// [`crate::rpc`].
    ///
    /// # Panics
    ///
    /// As [`Self::try_call`], and if the answer is no result.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        let result = self
            .try_call(tool, arguments)
            .expect("the answer is a result");
        serde_json::to_value(result).expect("results are JSON")
    }

    /// Hangs up and waits for the host to end; returns its exit code.
    ///
    /// # Panics
    ///
    /// If it does not end in time.
    #[track_caller]
    pub fn close(mut self) -> Option<i32> {
        self.runtime.block_on(async {
            let closed = timeout(PATIENCE, self.client.close()).await;
            closed
                .expect("the client ends in time")
                .expect("the client ends");
            let ended = timeout(PATIENCE, self.child.wait()).await;
            ended
                .expect("the host ends in time")
                .expect("a child can be waited for")
                .code()
        })
    }
}

/// A file from its start, wherever its handle stands.
fn read(file: &File) -> String {
    let length = file.metadata().expect("it is open").len();
    let mut bytes = vec![0; usize::try_from(length).expect("it fits")];
    file.read_exact_at(&mut bytes, 0).expect("it is that long");
    String::from_utf8_lossy(&bytes).into_owned()
}
