//! The entry by which a client starts a server.

use std::collections::BTreeMap;

use jsonc_parser::cst::CstInputValue;
use serde_json::{Map, Value, json};

use crate::client::Client;

/// How a client starts a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables it is started with, beside the client's own.
    pub env: BTreeMap<String, String>,
}

impl Server {
    /// The entry as this client writes it.
    #[must_use]
    pub fn entry(&self, client: &Client) -> Value {
        let mut entry = Map::new();
        if client.typed {
            entry.insert("type".to_owned(), json!("stdio"));
        }
        entry.insert("command".to_owned(), json!(self.command));
        entry.insert("args".to_owned(), json!(self.args));
        if !self.env.is_empty() {
            entry.insert("env".to_owned(), json!(self.env));
        }
        Value::Object(entry)
    }

    /// What is to be pasted into a configuration that has nothing yet.
    #[must_use]
    pub fn snippet(&self, client: &Client, name: &str) -> Value {
        json!({ client.key: { name: self.entry(client) } })
    }

    pub(crate) fn input(&self, client: &Client) -> CstInputValue {
        let text = |text: &String| CstInputValue::String(text.clone());
        let mut entry = Vec::new();
        if client.typed {
            entry.push(("type".to_owned(), CstInputValue::from("stdio")));
        }
        entry.push(("command".to_owned(), text(&self.command)));
        let args = self.args.iter().map(text).collect();
        entry.push(("args".to_owned(), CstInputValue::Array(args)));
        if !self.env.is_empty() {
            let env = self.env.iter();
            let env = env.map(|(name, value)| (name.clone(), text(value)));
            entry.push(("env".to_owned(), CstInputValue::Object(env.collect())));
        }
        CstInputValue::Object(entry)
    }
}

/// The installed plugin that an entry runs, if it is an entry of Palisade's:
/// `palisade run NAME`, wherever `palisade` is, whatever follows.
#[must_use]
pub fn plugin_of(entry: &Value) -> Option<&str> {
    let command = entry.get("command")?.as_str()?;
    let program = command.rsplit(['/', '\\']).next()?;
    if !matches!(program, "palisade" | "palisade.exe") {
        return None;
    }
    let args = entry.get("args")?.as_array()?;
    match args.first()?.as_str()? {
        "run" => args.get(1)?.as_str(),
        _ => None,
    }
}
