//! Files and directories of a repository.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use palisade_sdk::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{Api, Ask};
use crate::place::{Repository, segments};
use crate::shape::text;

/// The largest file that GitHub hands over in this way, in bytes.
const LARGEST: u64 = 1 << 20;

/// What is at a path: a file's text, or the entries of a directory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Contents {
    /// The path.
    pub(crate) path: String,
    /// `file` or `dir`.
    pub(crate) kind: &'static str,
    /// The SHA of a file's content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sha: Option<String>,
    /// A file's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// What is in a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) entries: Option<Vec<Entry>>,
}

/// An entry of a directory.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Entry {
    /// Its name.
    pub(crate) name: String,
    /// `file`, `dir`, `symlink` or `submodule`.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Bytes of a file.
    #[serde(default)]
    pub(crate) size: u64,
}

/// As GitHub has it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum There {
    Directory(Vec<Entry>),
    One(One),
}

/// A file, or what is neither that nor a directory.
#[derive(Debug, Deserialize)]
pub(crate) struct One {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    size: u64,
    sha: String,
    #[serde(default, deserialize_with = "text")]
    content: String,
    #[serde(default, deserialize_with = "text")]
    encoding: String,
}

pub(crate) fn contents(
    api: &Api,
    repository: &Repository,
    path: &str,
    reference: Option<&str>,
) -> Result<Json<Contents>> {
    let within = segments(path)?;
    let at = [&["contents"], &within[..]].concat();
    let path = within.join("/");
    let what = match path.is_empty() {
        true => repository.to_string(),
        false => format!("{path} of {repository}"),
    };
    let (there, _) = api.get(&Ask {
        what: what.clone(),
        at: repository.at(&at),
        query: (reference.map(|name| ("ref", name.to_owned())).into_iter()).collect(),
    })?;
    shown(there, path).context(what)
}

/// What is shown of it.
pub(crate) fn shown(there: There, path: String) -> Result<Json<Contents>> {
    let file = match there {
        There::Directory(entries) => {
            let lines: Vec<_> = entries.iter().map(Entry::line).collect();
            let contents = Contents {
                path,
                kind: "dir",
                sha: None,
                text: None,
                entries: Some(entries),
            };
            return Ok(Json::new(contents).with_content([Content::text(lines.join("\n"))]));
        }
        There::One(file) => file,
    };
    if file.kind != "file" {
        bail!("it is a {}, which has no content of its own", file.kind);
    }
    if file.encoding != "base64" {
        bail!(
            "it has {} bytes, more than the {LARGEST} that can be read",
            file.size
        );
    }
    let mut encoded = file.content;
    encoded.retain(|c| !c.is_ascii_whitespace());
    let Ok(bytes) = STANDARD.decode(encoded) else {
        bail!("GitHub's answer is not what it should be");
    };
    let length = bytes.len();
    let Ok(text) = String::from_utf8(bytes) else {
        bail!("it is a file of {length} bytes that is not text in UTF-8");
    };
    let contents = Contents {
        path,
        kind: "file",
        sha: Some(file.sha),
        text: Some(text.clone()),
        entries: None,
    };
    Ok(Json::new(contents).with_content([Content::text(text)]))
}

impl Entry {
    fn line(&self) -> String {
        match &self.kind[..] {
            "file" => format!("[FILE] {} ({} bytes)", self.name, self.size),
            "dir" => format!("[DIR] {}", self.name),
            other => format!("[{}] {}", other.to_uppercase(), self.name),
        }
    }
}
