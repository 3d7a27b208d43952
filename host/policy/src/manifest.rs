//! What a plugin asks for.

use std::collections::BTreeMap;

use crate::env::{self, EnvRequest};
use crate::error::ParseError;
use crate::keys;
use crate::limits::LimitsRequest;
use crate::names::{NAME_RULE, is_name};
use crate::network::{self, NetworkRequest};
use crate::parse::{Item, Table, document};
use crate::roots::{self, RootRequest};
use crate::secrets::{self, SecretRequest};
use crate::storage::StorageRequest;
use crate::text::{shown, steers};

/// A plugin's request (`palisade.toml`, or the custom section
/// `palisade-manifest` of its component). It grants nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Who is asking.
    pub plugin: PluginInfo,
    /// Directories, in the order of the file.
    pub roots: Vec<RootRequest>,
    /// Network destinations, in the order of the file.
    pub network: Vec<NetworkRequest>,
    /// Environment variables by name.
    pub env: BTreeMap<String, EnvRequest>,
    /// Secrets, in the order of the file.
    pub secrets: Vec<SecretRequest>,
    /// Storage kept between calls.
    pub storage: Option<StorageRequest>,
    /// Limits other than the defaults.
    pub limits: LimitsRequest,
}

/// The `[plugin]` of a manifest. The plugin's own words: nothing in here is
/// verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginInfo {
    /// Its name, `[a-z0-9-]{1,48}`.
    pub name: String,
    /// Its version, 1 to 64 visible ASCII characters.
    pub version: Option<String>,
    /// One line about it, at most 500 bytes, without control and invisible
    /// characters.
    pub description: Option<String>,
    /// Under which licence it may be used, an SPDX expression by intention: one
    /// line of at most 200 bytes.
    pub license: Option<String>,
    /// Where its source is, an address of the web.
    pub source: Option<String>,
    /// Where more is said about it, an address of the web.
    pub homepage: Option<String>,
    /// Who made it, at most 16, each one line of at most 200 bytes.
    pub authors: Vec<String>,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// [`ParseError`] for a text over [`crate::MAX_TEXT_BYTES`], for what is not
    /// TOML, for every unknown key, wrong type, impossible value or double name,
    /// and for a plugin without a name.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let document = document(text)?;
        let top = Table::top(text, "the manifest", &document);
        top.only(
            &keys::MANIFEST.tops(),
            &[(
                "tools",
                "[tools] belongs in a grant; a plugin has no say in it",
            )],
        )?;
        let example = "[plugin] with name = \"notes\"";
        let plugin = top.require("plugin", example)?;
        Ok(Self {
            plugin: PluginInfo::parse(&plugin)?,
            roots: optional(&top, "roots", roots::requests)?,
            network: optional(&top, "network", network::rules)?,
            env: optional(&top, "env", |item| env::requests(&section(item)?))?,
            secrets: optional(&top, "secrets", secrets::requests)?,
            storage: optional(&top, "storage", |item| {
                StorageRequest::parse(&section(item)?).map(Some)
            })?,
            limits: optional(&top, "limits", |item| LimitsRequest::parse(&section(item)?))?,
        })
    }
}

/// A part of the file that may be left out.
pub(crate) fn optional<'a, T: Default>(
    top: &Table<'a>,
    key: &str,
    parse: impl Fn(&Item<'a>) -> Result<T, ParseError>,
) -> Result<T, ParseError> {
    top.get(key)
        .map_or_else(|| Ok(T::default()), |item| parse(&item))
}

/// A key of the top level as the table `[key]`.
pub(crate) fn section<'a>(item: &Item<'a>) -> Result<Table<'a>, ParseError> {
    let place = format!("[{}]", item.key());
    item.table(&place, &place)
}

impl PluginInfo {
    pub(crate) fn parse(item: &Item<'_>) -> Result<Self, ParseError> {
        let table = section(item)?;
        table.only(&keys::PLUGIN.names(), &[])?;

        let example = "name = \"notes\"";
        let item = table.require("name", example)?;
        let name = item.string(example)?;
        if !is_name(name) {
            let problem = format!("is \"{}\", which is not a name", shown(name));
            return Err(item.error(&problem, NAME_RULE));
        }

        let text = |key, example, good: fn(&str) -> bool, rule: &str| {
            let Some(item) = table.get(key) else {
                return Ok(None);
            };
            let text = item.string(example)?;
            match good(text) {
                true => Ok(Some(text.to_owned())),
                false => Err(item.error("cannot be that", rule)),
            }
        };
        Ok(Self {
            name: name.to_owned(),
            version: text(
                "version",
                "version = \"1.2.0\"",
                |text| (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic()),
                "a version is 1 to 64 visible ASCII characters, for example \"1.2.0\"",
            )?,
            description: text(
                "description",
                "description = \"Search and edit a folder of notes\"",
                |text| is_line(text, 500),
                "a description is one line of at most 500 bytes, without control and invisible characters",
            )?,
            license: text(
                "license",
                "license = \"Apache-2.0\"",
                |text| is_line(text, MOST_WORDS),
                "a licence is an SPDX expression of at most 200 bytes, for example \"MIT OR Apache-2.0\"",
            )?,
            source: text(
                "source",
                "source = \"https://example.com/notes\"",
                is_web,
                WEB_RULE,
            )?,
            homepage: text(
                "homepage",
                "homepage = \"https://example.com\"",
                is_web,
                WEB_RULE,
            )?,
            authors: match table.get("authors") {
                Some(item) => authors(&item)?,
                None => Vec::new(),
            },
        })
    }
}

/// Longest name of an author or a licence, in bytes.
const MOST_WORDS: usize = 200;

/// Most authors.
const MOST_AUTHORS: usize = 16;

/// Longest address, in bytes.
const MOST_ADDRESS: usize = 1024;

const WEB_RULE: &str = "write an address of at most 1024 bytes that begins with https:// or http://, \
     without a user name and password";

/// Whether it is one line that can be shown.
fn is_line(text: &str, most: usize) -> bool {
    !text.trim().is_empty() && text.len() <= most && !text.chars().any(steers)
}

/// Whether it is an address that can be shown, and opened in a browser.
fn is_web(text: &str) -> bool {
    is_line(text, MOST_ADDRESS)
        && !text.contains(char::is_whitespace)
        && url::Url::parse(text).is_ok_and(|url| {
            matches!(url.scheme(), "https" | "http")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
        })
}

fn authors(item: &Item<'_>) -> Result<Vec<String>, ParseError> {
    let names = item.strings("authors = [\"Ada\"]")?;
    if names.len() > MOST_AUTHORS {
        return Err(item.error("names too many", "name at most 16 authors"));
    }
    (names.into_iter())
        .map(|(name, item)| match is_line(name, MOST_WORDS) {
            true => Ok(name.to_owned()),
            false => Err(item.error(
                "holds what is no name",
                "an author is one line of at most 200 bytes, without control and invisible characters",
            )),
        })
        .collect()
}
