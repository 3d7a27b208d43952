//! Environment variables a plugin asks for.

use std::collections::BTreeMap;

use crate::error::ParseError;
use crate::keys;
use crate::names::{ENV_NAME_RULE, is_env_name};
use crate::parse::{Item, Table};
use crate::text::shown;

/// A variable of a manifest's `[env]`. Its value comes from the grant, never
/// from the plugin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EnvRequest {
    /// Whether the plugin cannot start without it. Default: no.
    pub required: bool,
}

/// `[env]` of a manifest: `LANG = { required = false }`.
pub(crate) fn requests(table: &Table<'_>) -> Result<BTreeMap<String, EnvRequest>, ParseError> {
    (table.items().iter())
        .map(|item| {
            let name = name(item)?;
            let place = format!("`{}` in [env]", shown(&name));
            if let Ok(text) = item.string("") {
                return Err(item.error(
                    &format!("has the value \"{}\"; a manifest only asks", shown(text)),
                    format!("write {name} = {{ required = false }}"),
                ));
            }
            let options = item.table(&place, &format!("{name} = {{ required = false }}"))?;
            options.only(&keys::ENV_OPTIONS, &[])?;
            let required = options.get("required").map(|item| item.boolean());
            let required = required.transpose()?.unwrap_or(false);
            Ok((name, EnvRequest { required }))
        })
        .collect()
}

/// `[env]` of a grant: `LANG = "de_DE.UTF-8"`.
pub(crate) fn values(table: &Table<'_>) -> Result<BTreeMap<String, String>, ParseError> {
    (table.items().iter())
        .map(|item| {
            let name = name(item)?;
            let value = item.string(&format!("{name} = \"value\""))?;
            if value.contains('\0') {
                return Err(item.error("has a NUL in its value", "remove it"));
            }
            Ok((name, value.to_owned()))
        })
        .collect()
}

fn name(item: &Item<'_>) -> Result<String, ParseError> {
    match is_env_name(item.key()) {
        true => Ok(item.key().to_owned()),
        false => Err(item.error("is not a variable's name", ENV_NAME_RULE)),
    }
}
