//! The MCP side: which tools there are and how a call reaches them.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::files;
use crate::paths::Allowed;

/// The server: a handle that every request shares.
#[derive(Clone, Debug)]
pub(crate) struct Filesystem {
    allowed: Arc<Allowed>,
    tools: Arc<[Tool]>,
}

#[derive(Deserialize)]
struct ReadArguments {
    path: String,
    head: Option<f64>,
    tail: Option<f64>,
}

#[derive(Deserialize)]
struct WriteArguments {
    path: String,
    content: String,
}

#[derive(Deserialize)]
struct PathArguments {
    path: String,
}

impl Filesystem {
    /// A server for the allowed directories.
    pub(crate) fn new(allowed: Allowed) -> anyhow::Result<Self> {
        let tools: Vec<Tool> = serde_json::from_str(include_str!("tools.json"))
            .context("the built-in tool definitions are broken")?;
        Ok(Self {
            allowed: Arc::new(allowed),
            tools: tools.into(),
        })
    }

    fn call(&self, name: &str, arguments: JsonObject) -> anyhow::Result<String> {
        Ok(match name {
            "read_text_file" => self.read(&parse(arguments)?)?,
            "write_file" => {
                let WriteArguments { path, content } = parse(arguments)?;
                files::write(&self.allowed.resolve(&path)?, &content).context(path.clone())?;
                format!("Successfully wrote to {path}")
            }
            "list_directory" => {
                let (path, asked) = self.path(arguments)?;
                files::list(&path).context(asked)?
            }
            "get_file_info" => {
                let (path, asked) = self.path(arguments)?;
                files::info(&path).context(asked)?
            }
            _ => format!("Allowed directories:\n{}", self.allowed.lines()),
        })
    }

    fn read(&self, arguments: &ReadArguments) -> anyhow::Result<String> {
        let path = self.allowed.resolve(&arguments.path)?;
        match (arguments.head, arguments.tail) {
            (Some(_), Some(_)) => bail!("Give head or tail, not both"),
            (Some(lines), None) => files::head(&path, count(lines)?),
            (None, Some(lines)) => files::tail(&path, count(lines)?),
            (None, None) => files::read(&path),
        }
        .with_context(|| arguments.path.clone())
    }

    fn path(&self, arguments: JsonObject) -> anyhow::Result<(PathBuf, String)> {
        let PathArguments { path } = parse(arguments)?;
        Ok((self.allowed.resolve(&path)?, path))
    }
}

impl ServerHandler for Filesystem {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_server_info(
            Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
        )
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !self.tools.iter().any(|tool| tool.name == request.name) {
            let message = format!("there is no tool named {:?}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let answer = self.call(&request.name, request.arguments.unwrap_or_default());
        Ok(match answer {
            Ok(text) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text.clone())]);
                result.structured_content = Some(json!({ "content": text }));
                result.is_error = None;
                result
            }
            Err(error) => CallToolResult::error(vec![ContentBlock::text(format!("{error:#}"))]),
        }
        .into())
    }
}

fn parse<T: DeserializeOwned>(arguments: JsonObject) -> anyhow::Result<T> {
    serde_json::from_value(Value::Object(arguments)).context("Invalid arguments")
}

/// A line count that came as a JSON number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number from 0 to u32::MAX fits"
)]
fn count(lines: f64) -> anyhow::Result<usize> {
    if lines.fract() != 0.0 || !(0.0..=f64::from(u32::MAX)).contains(&lines) {
        bail!("{lines} is not a number of lines");
    }
    Ok(lines as usize)
}
