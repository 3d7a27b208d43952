//! A bundle for clients that install with one click: a zip archive with a
//! `manifest.json`, by the MCPB specification (MANIFEST.md of
//! modelcontextprotocol/mcpb).
//!
//! It holds the component and a grant, and starts a `palisade` that is installed
//! already. A runtime that came in the bundle would have to be trusted like any
//! program from whoever made it, which is what a plugin is to spare a person.

use std::io::{Cursor, Write as _};

use serde_json::{Map, Value, json};
use thiserror::Error;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// The version of the specification: the newest that is not called experimental.
pub const MANIFEST_VERSION: &str = "0.3";

/// Everything in a bundle.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// The plugin's name, `[a-z0-9-]{1,48}`.
    pub name: String,
    /// Its version; if that is no semantic version, the manifest says 0.0.0.
    pub version: Option<String>,
    /// One line about it.
    pub description: String,
    /// What it gets, in Markdown.
    pub long_description: String,
    /// Who made it, as far as that is known.
    pub author: String,
    /// The program that runs it.
    pub command: String,
    /// The component.
    pub component: Vec<u8>,
    /// What it asks for: its manifest's text.
    pub request: Option<String>,
    /// What it is granted whoever installs it: a grant file's text.
    pub grant: String,
    /// What whoever installs it is asked for.
    pub fields: Vec<Field>,
    /// Tools by name, with their descriptions.
    pub tools: Vec<(String, Option<String>)>,
    /// Whether there are prompts. They are not listed: their text is made when they
    /// are asked for.
    pub prompts: bool,
}

/// Something a person fills in when they install a bundle. Each has to be: what is
/// left empty is passed on as the name of its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// What it is.
    pub kind: FieldKind,
    /// The name of the root, variable or secret; `[A-Za-z0-9_-]+`.
    pub name: String,
    /// What it is for, in one sentence.
    pub description: String,
}

/// What may be filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A directory, and whether it may be written to.
    Directory {
        /// It may.
        write: bool,
    },
    /// A single file, and whether it may be written to.
    File {
        /// It may.
        write: bool,
    },
    /// An environment variable.
    Variable,
    /// A secret: masked, kept by the client, and handed on in its own variable.
    Secret,
}

/// Why there is no bundle.
#[derive(Debug, Error)]
#[error("the bundle can't be put together")]
pub struct BundleError(#[from] zip::result::ZipError);

/// The variable of the host's environment in which a client hands a secret on.
#[must_use]
pub fn secret_variable(name: &str) -> String {
    format!("PALISADE_SECRET_{name}")
}

impl Field {
    /// Its name among the fields: two kinds of thing may have one name.
    fn key(&self) -> String {
        let kind = match self.kind {
            FieldKind::Directory { .. } => "folder",
            FieldKind::File { .. } => "file",
            FieldKind::Variable => "variable",
            FieldKind::Secret => "secret",
        };
        format!("{kind}_{}", self.name)
    }

    fn reference(&self) -> String {
        format!("${{user_config.{}}}", self.key())
    }

    /// What stands on the command line for it.
    fn arguments(&self) -> Option<[String; 2]> {
        let (name, value) = (&self.name, self.reference());
        let access = |write| if write { "rw" } else { "ro" };
        let (flag, text) = match self.kind {
            FieldKind::Directory { write } => {
                ("--root", format!("{name}={value}:{}", access(write)))
            }
            FieldKind::File { write } => ("--file", format!("{name}={value}:{}", access(write))),
            FieldKind::Variable => ("--env", format!("{name}={value}")),
            // Whoever lists processes sees their arguments.
            FieldKind::Secret => return None,
        };
        Some([flag.to_owned(), text])
    }

    fn option(&self) -> Value {
        let (kind, what) = match self.kind {
            FieldKind::Directory { .. } => ("directory", "Folder"),
            FieldKind::File { .. } => ("file", "File"),
            FieldKind::Variable => ("string", "Variable"),
            FieldKind::Secret => ("string", "Secret"),
        };
        let mut option = json!({
            "type": kind,
            "title": format!("{what} {}", self.name),
            "description": self.description,
            "required": true,
        });
        if self.kind == FieldKind::Secret {
            option["sensitive"] = json!(true);
        }
        option
    }
}

impl Bundle {
    /// The name of the component's file.
    fn component_file(&self) -> String {
        format!("{}.wasm", self.name)
    }

    /// `manifest.json`.
    #[must_use]
    pub fn manifest(&self) -> Value {
        let mut args = vec![
            "run".to_owned(),
            format!("${{__dirname}}/{}", self.component_file()),
            "--grant".to_owned(),
            "${__dirname}/grant.toml".to_owned(),
        ];
        args.extend(self.fields.iter().filter_map(Field::arguments).flatten());
        let secrets = (self.fields.iter()).filter(|field| field.kind == FieldKind::Secret);
        let env: Map<_, _> = secrets
            .map(|field| (secret_variable(&field.name), json!(field.reference())))
            .collect();
        let tools: Vec<_> = (self.tools.iter())
            .map(|(name, description)| match description {
                Some(description) => json!({ "name": name, "description": description }),
                None => json!({ "name": name }),
            })
            .collect();
        let options: Map<_, _> = (self.fields.iter())
            .map(|field| (field.key(), field.option()))
            .collect();
        json!({
            "manifest_version": MANIFEST_VERSION,
            "name": self.name,
            "version": version(self.version.as_deref()),
            "description": self.description,
            "long_description": self.long_description,
            "author": { "name": self.author },
            "server": {
                "type": "binary",
                "entry_point": self.component_file(),
                "mcp_config": { "command": self.command, "args": args, "env": env },
            },
            "tools": tools,
            "prompts_generated": self.prompts,
            "compatibility": { "platforms": ["darwin", "linux"] },
            "user_config": options,
        })
    }

    /// The archive. Equal bundles have equal bytes, on every machine and at any time.
    ///
    /// # Errors
    /// [`BundleError`], if it is larger than an archive may be.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BundleError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        let mut file = |name: &str, bytes: &[u8]| {
            archive.start_file(name, options)?;
            archive.write_all(bytes).map_err(zip::result::ZipError::Io)
        };
        let manifest = format!("{:#}\n", self.manifest());
        file("manifest.json", manifest.as_bytes())?;
        file("grant.toml", self.grant.as_bytes())?;
        if let Some(request) = &self.request {
            file("palisade.toml", request.as_bytes())?;
        }
        file(&self.component_file(), &self.component)?;
        Ok(archive.finish()?.into_inner())
    }
}

/// A version as clients compare them.
fn version(text: Option<&str>) -> &str {
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    let is_semantic = |text: &&str| {
        let core = text.split(['-', '+']).next().unwrap_or_default();
        let parts: Vec<_> = core.split('.').collect();
        parts.len() == 3 && parts.into_iter().all(is_number)
    };
    text.filter(is_semantic).unwrap_or("0.0.0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_one_or_none() {
        for good in ["1.2.3", "0.0.1", "1.2.3-rc.1", "1.2.3+b"] {
            assert_eq!(version(Some(good)), good);
        }
        for bad in ["1", "1.2", "01.2.3", "v1.2.3", "1.2.3.4", "1..2", ""] {
            assert_eq!(version(Some(bad)), "0.0.0", "{bad}");
        }
        assert_eq!(version(None), "0.0.0");
    }
}
