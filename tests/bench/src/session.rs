//! Opening a conversation, in the two ways MCP knows.

use std::time::Instant;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use crate::calls::excerpt;
use crate::link::Link;

/// The first request id free for calls once [`open`] is done.
pub(crate) const FIRST_CALL: u64 = 16;

/// How a client and a server of one kind of MCP revision talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// `initialize` first; revision 2025-11-25.
    Handshake,
    /// Every request for itself; revision 2026-07-28.
    Stateless,
}

impl Era {
    /// The revision that is spoken.
    pub(crate) fn revision(self) -> &'static str {
        match self {
            Self::Handshake => "2025-11-25",
            Self::Stateless => "2026-07-28",
        }
    }

    /// Adds the `_meta` that every request's params need in this era.
    pub(crate) fn stamp(self, params: &mut Value) {
        if self == Self::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": self.revision(),
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
    }
}

/// Opens the conversation up to the answered `tools/list`; when that answer had
/// been read.
pub(crate) fn open(link: &mut Link, era: Era) -> anyhow::Result<Instant> {
    let mut opening = String::new();
    if era == Era::Handshake {
        let params = json!({
            "protocolVersion": era.revision(),
            "capabilities": {},
            "clientInfo": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
        });
        link.send(request(0, "initialize", &params).as_bytes())?;
        let (result, _) = answer(link, 0).context("initialize")?;
        let spoken = result.get("protocolVersion").and_then(Value::as_str);
        if spoken != Some(era.revision()) {
            bail!(
                "asked for revision {}, the server answered {result}",
                era.revision()
            );
        }
        opening.push_str("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    }
    let mut params = json!({});
    era.stamp(&mut params);
    opening.push_str(&request(1, "tools/list", &params));
    link.send(opening.as_bytes())?;
    let (result, at) = answer(link, 1).context("tools/list")?;
    let tools = result.get("tools").and_then(Value::as_array);
    if !tools.is_some_and(|tools| tools.iter().any(|tool| tool["name"] == "read_text_file")) {
        bail!("the server does not offer read_text_file");
    }
    Ok(at)
}

fn request(id: u64, method: &str, params: &Value) -> String {
    let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    format!("{request}\n")
}

/// The result with this id and when its line had been read; parsing is later.
fn answer(link: &mut Link, id: u64) -> anyhow::Result<(Value, Instant)> {
    loop {
        let line = link.receive()?;
        let at = Instant::now();
        let mut message: Value =
            serde_json::from_slice(line).with_context(|| format!("not JSON: {}", excerpt(line)))?;
        if message.get("id").is_none() && message.get("method").is_some() {
            continue;
        }
        if message["id"] != id || message.get("result").is_none() {
            bail!("not the answer that was awaited: {}", excerpt(line));
        }
        return Ok((message["result"].take(), at));
    }
}
