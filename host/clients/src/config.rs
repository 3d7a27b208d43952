//! A configuration file, in which one entry is changed: comments, order and
//! everything else stay as they are.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;
use thiserror::Error;

use crate::client::Client;
use crate::server::{Server, plugin_of};

/// Some editors begin a file with it; it is no part of what the file says.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Why a configuration is left as it is. No text from the file is in here, but
/// names that were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// It can't be read.
    #[error("line {line}, column {column}: {why}")]
    NotJson {
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// What is wrong there.
        why: String,
    },
    /// It is no object.
    #[error("what it holds is not an object")]
    NotAnObject,
    /// What should hold the servers does not.
    #[error("its `{0}` is not an object")]
    NoServers(&'static str),
    /// Something stands in it twice, and readers differ in which counts.
    #[error("`{0}` stands in it twice")]
    Twice(String),
    /// There is an entry of this name that is somebody else's.
    #[error("it has another server named `{0}`")]
    Foreign(String),
    /// It would not come out as it went in.
    #[error("it is written in a way that would not be kept")]
    Unsure,
}

/// What has become of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is there already.
    Same,
    /// It is new.
    Added,
    /// It was Palisade's, and starts the plugin as it does now.
    Updated,
    /// It was somebody else's.
    Replaced,
}

/// A configuration that has been edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// All of it.
    pub text: String,
    /// What is different.
    pub change: Change,
}

/// An entry, as far as anybody need know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name it stands under.
    pub name: String,
    /// The installed plugin it runs, if it is one of Palisade's.
    pub plugin: Option<String>,
}

/// Puts a server in. One that runs the same plugin already keeps what a person has
/// added to it; one of the same name that does not is replaced only if that is said.
///
/// # Errors
/// [`ConfigError`], if the text is to stay as it is.
pub fn add(
    text: &str,
    client: &Client,
    name: &str,
    server: &Server,
    replace: bool,
) -> Result<Edit, ConfigError> {
    let config = Config::parse(text)?;
    let top = config.top_or_new()?;
    let change = match servers(&top, client)? {
        None => {
            let servers = vec![(name.to_owned(), server.input(client))];
            top.append(client.key, CstInputValue::Object(servers));
            Change::Added
        }
        Some(servers) => match only(&servers, name)? {
            None => {
                servers.append(name, server.input(client));
                Change::Added
            }
            Some(entry) => put(&entry, client, name, server, replace)?,
        },
    };
    Ok(Edit {
        text: match change {
            Change::Same => text.to_owned(),
            _ => config.text(),
        },
        change,
    })
}

/// Takes the entry of an installed plugin out; none if there is none.
///
/// # Errors
/// [`ConfigError`], if the text is to stay as it is.
pub fn remove(text: &str, client: &Client, name: &str) -> Result<Option<String>, ConfigError> {
    let config = Config::parse(text)?;
    let Some(top) = config.top()? else {
        return Ok(None);
    };
    let Some(servers) = servers(&top, client)? else {
        return Ok(None);
    };
    let Some(entry) = only(&servers, name)? else {
        return Ok(None);
    };
    let value = value(&entry);
    if value.as_ref().and_then(plugin_of) != Some(name) {
        return Err(ConfigError::Foreign(name.to_owned()));
    }
    entry.remove();
    Ok(Some(config.text()))
}

/// The entries there are.
///
/// # Errors
/// [`ConfigError`], if it can't be read.
pub fn entries(text: &str, client: &Client) -> Result<Vec<Entry>, ConfigError> {
    let config = Config::parse(text)?;
    let Some(top) = config.top()? else {
        return Ok(Vec::new());
    };
    let Some(servers) = servers(&top, client)? else {
        return Ok(Vec::new());
    };
    let entry = |entry: CstObjectProp| {
        Some(Entry {
            name: entry.decoded_name()?,
            plugin: (value(&entry).as_ref().and_then(plugin_of)).map(str::to_owned),
        })
    };
    Ok(servers.properties().into_iter().filter_map(entry).collect())
}

/// A text that has been read.
struct Config {
    root: CstRootNode,
    marked: bool,
}

impl Config {
    fn parse(text: &str) -> Result<Self, ConfigError> {
        let body = text.strip_prefix(BYTE_ORDER_MARK);
        let marked = body.is_some();
        let body = body.unwrap_or(text);
        // JSON with comments, as VS Code and Zed write it, and no other dialect.
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let root = CstRootNode::parse(body, &options).map_err(|error| ConfigError::NotJson {
            line: error.line_display(),
            column: error.column_display(),
            why: lower(&error.kind().to_string()),
        })?;
        if root.to_string() != body {
            return Err(ConfigError::Unsure);
        }
        Ok(Self { root, marked })
    }

    fn top(&self) -> Result<Option<CstObject>, ConfigError> {
        match self.root.value() {
            None => Ok(None),
            Some(value) => value.as_object().map(Some).ok_or(ConfigError::NotAnObject),
        }
    }

    fn top_or_new(&self) -> Result<CstObject, ConfigError> {
        let object = self.root.object_value_or_create();
        object.ok_or(ConfigError::NotAnObject)
    }

    fn text(&self) -> String {
        let mark = if self.marked { "\u{feff}" } else { "" };
        format!("{mark}{}", self.root)
    }
}

/// As the rest of a sentence.
fn lower(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(characters).collect()
}

/// The one property of this name; its escapes are resolved, as its reader does it.
fn only(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, ConfigError> {
    let named = |property: &CstObjectProp| property.decoded_name().as_deref() == Some(name);
    let mut found = object.properties().into_iter().filter(named);
    match (found.next(), found.next()) {
        (first, None) => Ok(first),
        _ => Err(ConfigError::Twice(name.to_owned())),
    }
}

fn servers(top: &CstObject, client: &Client) -> Result<Option<CstObject>, ConfigError> {
    let Some(property) = only(top, client.key)? else {
        return Ok(None);
    };
    let object = property.object_value();
    object.map(Some).ok_or(ConfigError::NoServers(client.key))
}

fn value(property: &CstObjectProp) -> Option<Value> {
    property.value().as_ref().and_then(CstNode::to_serde_value)
}

/// Makes an entry that is there the wanted one.
fn put(
    entry: &CstObjectProp,
    client: &Client,
    name: &str,
    server: &Server,
    replace: bool,
) -> Result<Change, ConfigError> {
    let now = value(entry);
    if now.as_ref() == Some(&server.entry(client)) {
        return Ok(Change::Same);
    }
    let ours = now.as_ref().and_then(plugin_of) == Some(name);
    match (entry.object_value(), now) {
        (Some(object), Some(now)) if ours && !replace => update(&object, &now, client, server),
        _ if replace => {
            entry.set_value(server.input(client));
            Ok(match ours {
                true => Change::Updated,
                false => Change::Replaced,
            })
        }
        _ => Err(ConfigError::Foreign(name.to_owned())),
    }
}

/// Changes what says where Palisade is, and leaves arguments and settings that a
/// person has added.
fn update(
    object: &CstObject,
    now: &Value,
    client: &Client,
    server: &Server,
) -> Result<Change, ConfigError> {
    let mut change = Change::Same;
    if now.get("command").and_then(Value::as_str) != Some(&server.command) {
        set(object, "command", &server.command)?;
        change = Change::Updated;
    }
    if client.typed && now.get("type").is_none() {
        object.insert(0, "type", "stdio".into());
        change = Change::Updated;
    }
    let variables = now.get("env");
    for (variable, text) in &server.env {
        let known = variables.and_then(|all| all.get(variable));
        if known.and_then(Value::as_str) != Some(text) {
            if only(object, "env")?.is_none() {
                object.append("env", CstInputValue::Object(Vec::new()));
            }
            let env = only(object, "env")?.and_then(|env| env.object_value());
            set(&env.ok_or(ConfigError::NoServers("env"))?, variable, text)?;
            change = Change::Updated;
        }
    }
    Ok(change)
}

fn set(object: &CstObject, key: &str, text: &str) -> Result<(), ConfigError> {
    match only(object, key)? {
        Some(property) => property.set_value(text.into()),
        None => {
            object.append(key, text.into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
