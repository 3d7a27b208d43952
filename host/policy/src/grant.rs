//! What a person granted.

use std::collections::BTreeMap;

use crate::env;
use crate::error::ParseError;
use crate::keys;
use crate::limits::LimitsRequest;
use crate::manifest::{PluginInfo, optional, section};
use crate::network::{self, NetworkRequest};
use crate::parse::{Table, document};
use crate::roots::{self, RootGrant, union};
use crate::secrets::{self, SecretGrant};
use crate::storage::StorageRequest;
use crate::tools::ToolRules;

/// What a person granted one plugin, in a file or by flags. The default grants
/// nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant {
    /// The plugin it was written for (`name` in `[plugin]`), where it says so.
    pub plugin: Option<String>,
    /// Directories. No two have one name.
    pub roots: Vec<RootGrant>,
    /// Network rules.
    pub network: Vec<NetworkRequest>,
    /// Environment variables with their values.
    pub env: BTreeMap<String, String>,
    /// Secret rules (the values are kept elsewhere).
    pub secrets: Vec<SecretGrant>,
    /// Storage kept between calls.
    pub storage: Option<StorageRequest>,
    /// Ceilings.
    pub limits: LimitsRequest,
    /// Which tools may be called.
    pub tools: ToolRules,
}

impl Grant {
    /// Reads a grant file. It has the vocabulary of a manifest, but roots have
    /// a `path` and no `required`, variables have values
    /// (`LANG = "de_DE.UTF-8"`), limits are ceilings, and there is `[tools]`.
    /// `[plugin]` may be left out.
    ///
    /// # Errors
    /// [`ParseError`], as for [`crate::Manifest::parse`].
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let document = document(text)?;
        let top = Table::top(text, "the grant", &document);
        top.only(&keys::GRANT.tops(), &[])?;
        Ok(Self {
            plugin: optional(&top, "plugin", |item| {
                PluginInfo::parse(item).map(|plugin| Some(plugin.name))
            })?,
            roots: optional(&top, "roots", roots::grants)?,
            network: optional(&top, "network", network::rules)?,
            env: optional(&top, "env", |item| env::values(&section(item)?))?,
            secrets: optional(&top, "secrets", secrets::grants)?,
            storage: optional(&top, "storage", |item| {
                StorageRequest::parse(&section(item)?).map(Some)
            })?,
            limits: optional(&top, "limits", |item| LimitsRequest::parse(&section(item)?))?,
            tools: optional(&top, "tools", |item| ToolRules::parse(&section(item)?))?,
        })
    }

    /// This grant with that of the command line added. A flag replaces the
    /// root, variable, limit, storage or tool pattern of the same name; network
    /// and secret rules are added. What a replaced root hides stays hidden: no
    /// flag says it, so none means to take it back.
    #[must_use]
    pub fn merge(mut self, flags: Self) -> Self {
        for root in flags.roots {
            match self.roots.iter_mut().find(|old| old.name == root.name) {
                Some(old) => {
                    let hide = union(&old.hide, &root.hide);
                    *old = RootGrant { hide, ..root };
                }
                None => self.roots.push(root),
            }
        }
        for rule in flags.network {
            if !self.network.contains(&rule) {
                self.network.push(rule);
            }
        }
        for mut rule in flags.secrets {
            // A flag names a secret; where its value comes from, the file says.
            if let Some(named) = self.secrets.iter().find(|old| old.name == rule.name) {
                rule.source = named.source.clone();
            }
            if !self.secrets.contains(&rule) {
                self.secrets.push(rule);
            }
        }
        self.env.extend(flags.env);
        Self {
            plugin: flags.plugin.or(self.plugin),
            storage: flags.storage.or(self.storage),
            limits: self.limits.overridden_by(flags.limits),
            tools: self.tools.overridden_by(flags.tools),
            ..self
        }
    }
}
