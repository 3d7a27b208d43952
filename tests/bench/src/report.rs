//! What is printed and saved.

use std::collections::BTreeMap;

use comfy_table::{Cell, CellAlignment, LineStyle, Table, presets};
use serde::Serialize;

use crate::args::Name;
use crate::goals::Goal;
use crate::machine::Machine;
use crate::metrics::{Metric, Numbers};
use crate::network::Network;
use crate::stats::ratio;

/// Everything one run found, as it is saved.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) machine: Machine,
    pub(crate) medians: BTreeMap<Name, Numbers>,
    pub(crate) rounds: BTreeMap<Name, Vec<Numbers>>,
    pub(crate) goals: Vec<Goal>,
    /// What the network costs, where that was measured.
    pub(crate) network: Option<Network>,
}

impl Report {
    /// The whole report to read: the machine, the table, and the goals if
    /// `judged`.
    pub(crate) fn text(&self, judged: bool) -> String {
        let rounds = self.rounds.values().map(Vec::len).max().unwrap_or(0);
        let mut text = format!(
            "{}\nread_text_file of 100 bytes unless said, over pipes; medians of {rounds} alternating round{}\n\n{}\n",
            self.machine,
            if rounds == 1 { "" } else { "s" },
            self.table(),
        );
        if judged && !self.goals.is_empty() {
            text.push_str("\nPalisade's goals\n");
            text.push_str(&format!("{}\n", self.goal_table()));
        }
        if let Some(network) = &self.network {
            text.push_str(&network.text());
        }
        text
    }

    fn table(&self) -> Table {
        let names: Vec<Name> = self.medians.keys().copied().collect();
        let peers: Vec<Name> = match names.as_slice() {
            [Name::Palisade, peers @ ..] => peers.to_vec(),
            _ => Vec::new(),
        };
        let mut table = table();
        let mut header = vec![String::new()];
        header.extend(names.iter().map(ToString::to_string));
        header.extend(peers.iter().map(|peer| format!("palisade / {peer}")));
        table.set_header(header.into_iter().map(right));
        for metric in Metric::ALL {
            let value = |name: &Name| self.medians.get(name).and_then(|n| n.get(metric));
            if names.iter().all(|name| value(name).is_none()) {
                continue;
            }
            let mut row = vec![Cell::new(metric.label())];
            row.extend(
                names.iter().map(|name| {
                    right(value(name).map_or("–".to_owned(), |value| metric.show(value)))
                }),
            );
            row.extend(peers.iter().map(|peer| {
                let ratio = ratio(value(&Name::Palisade), value(peer));
                right(ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.3} ×")))
            }));
            table.add_row(row);
        }
        table
    }

    fn goal_table(&self) -> Table {
        let mut table = table();
        table.set_header(["", "palisade", "limit", "which is", ""]);
        for goal in &self.goals {
            let [what, value, limit, rule] = goal.measured();
            table.add_row([
                Cell::new(what),
                right(value),
                right(limit),
                Cell::new(rule),
                Cell::new(goal.mark()),
            ]);
        }
        table
    }
}

fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none()));
    table
}

fn right(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals;

    fn report(names: &[(Name, f64)]) -> Report {
        let mut medians = BTreeMap::new();
        for (name, p50) in names {
            let mut numbers = Numbers::default();
            numbers.set(Metric::CallP50Us, *p50);
            medians.insert(*name, numbers);
        }
        Report {
            machine: Machine::here(),
            goals: goals::judge(&medians),
            rounds: BTreeMap::new(),
            medians,
            network: None,
        }
    }

    #[test]
    fn the_table_has_values_ratios_and_goals() {
        let text = report(&[(Name::Palisade, 30.0), (Name::Native, 20.0)]).text(true);
        for part in [
            "palisade / native",
            "30.0 µs",
            "20.0 µs",
            "1.500 ×",
            "missed by 10.0 µs (50%)",
        ] {
            assert!(text.contains(part), "{part} is missing in:\n{text}");
        }
        assert!(!text.contains("npm"), "{text}");
    }

    #[test]
    fn nothing_is_judged_unless_asked() {
        let text = report(&[(Name::Palisade, 30.0), (Name::Native, 20.0)]).text(false);
        assert!(
            !text.contains("missed") && !text.contains("goals"),
            "{text}"
        );
    }

    #[test]
    fn peers_alone_make_a_table_without_ratios() {
        let text = report(&[(Name::Native, 20.0), (Name::Npm, 500.0)]).text(true);
        assert!(text.contains("500 µs") && !text.contains('×'), "{text}");
    }
}
