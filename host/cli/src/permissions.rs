//! What was decided about a plugin, as a table.

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use palisade_policy::{Decision, Row, SecretGrant};
use palisade_secrets::Store;
use serde_json::{Value, json};

use crate::{output, secrets};

/// What was decided, and where the secrets in it are kept.
#[derive(Clone, Copy)]
pub(crate) struct Permissions<'a> {
    pub(crate) decision: &'a Decision,
    pub(crate) secrets: &'a [SecretGrant],
    pub(crate) store: Option<&'a Store>,
}

impl Permissions<'_> {
    /// For a person: what is asked, granted and effective, a row each.
    pub(crate) fn table(&self, colour: bool) -> String {
        let mut rules = table();
        rules.set_header(["", "asked", "granted", "effective", ""]);
        let mut exposed = Vec::new();
        for row in &self.decision.rows {
            let mut cells = cells(row);
            let secret = self.secret(row);
            if let Some(secret) = &secret {
                cells[2] = secrets::granted_cell(row, secret);
            }
            exposed.push(secret.is_some_and(|secret| secret.exposed));
            rules.add_row(cells);
        }
        // A line each, after the heading.
        let rules = rules.to_string();
        let rules: Vec<_> = (rules.lines().zip(std::iter::once(false).chain(exposed)))
            .map(|(line, exposed)| output::red(line.trim_end(), colour && exposed))
            .collect();
        rules.join("\n")
    }

    /// The same for a program.
    pub(crate) fn json(&self) -> Vec<Value> {
        (self.decision.rows.iter())
            .map(|row| {
                let mut shown = json!({
                    "what": row.what,
                    "asked": row.asked,
                    "granted": row.granted,
                    "effective": row.effective,
                    "why": row.why,
                });
                if let Some(name) = &row.secret {
                    let secret = self.secret(row);
                    shown["secret"] = json!({
                        "name": name,
                        "set": secret.as_ref().is_some_and(|secret| secret.set),
                        "exposed": secret.is_some_and(|secret| secret.exposed),
                    });
                }
                shown
            })
            .collect()
    }

    /// What is known of the secret that a row is about.
    fn secret(&self, row: &Row) -> Option<secrets::Shown> {
        secrets::shown(row, self.secrets, self.store)
    }
}

fn cells(row: &Row) -> [String; 5] {
    let or_dash = |cell: &Option<String>| cell.clone().unwrap_or_else(|| "—".to_owned());
    [
        row.what.clone(),
        or_dash(&row.asked),
        or_dash(&row.granted),
        or_dash(&row.effective),
        row.why.clone().unwrap_or_default(),
    ]
}

/// A table without lines.
pub(crate) fn table() -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table
}
