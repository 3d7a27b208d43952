//! A grant that is handed to somebody else: what a person decided, without what is
//! theirs alone.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::edit::GrantText;

/// What may be handed on: decisions. Paths, values of variables and a person's
/// comments may not.
const DECISIONS: [&str; 4] = ["network", "tools", "limits", "storage"];

impl GrantText {
    /// The text of a grant that holds the same decisions, without the directories,
    /// the variables and the comments of whoever made them. The named secrets come
    /// out of the environment, each from the variable that `variable` names; where
    /// nothing is granted of one, its use is granted as the plugin asks for it.
    #[must_use]
    pub fn portable(
        &self,
        secrets: &BTreeSet<String>,
        variable: impl Fn(&str) -> String,
    ) -> String {
        // It has been read as a grant before, so it is TOML.
        let granted: Table = self.to_string().parse().unwrap_or_default();
        let mut handed: Table = (granted.iter())
            .filter(|(key, _)| DECISIONS.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let rules = granted.get("secrets").and_then(Value::as_array);
        let mut rules: Vec<Table> = (rules.into_iter().flatten())
            .filter_map(Value::as_table)
            .filter(|rule| name(rule).is_some_and(|name| secrets.contains(name)))
            .cloned()
            .collect();
        for secret in secrets {
            if !rules.iter().any(|rule| name(rule) == Some(secret)) {
                let rule = [("name".to_owned(), Value::from(secret.as_str()))];
                rules.push(rule.into_iter().collect());
            }
        }
        for rule in &mut rules {
            rule.remove("file");
            let from = name(rule).map(&variable);
            rule.insert("env".to_owned(), from.unwrap_or_default().into());
        }
        if !rules.is_empty() {
            handed.insert("secrets".to_owned(), Value::from(rules));
        }
        handed.to_string()
    }
}

fn name(rule: &Table) -> Option<&str> {
    rule.get("name").and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::{Grant, SecretSource, ToolDecision};

    #[test]
    fn decisions_are_handed_on_and_nothing_else() {
        let own = "# my diary is at /home/ada\n[plugin]\nname = \"n\"\n\
            [[roots]]\nname = \"n\"\npath = \"/home/ada/notes\"\n\
            [env]\nLANG = \"private\"\n\
            [[network]]\nto = \"https://a.test\"\nmethods = [\"GET\"]\n\
            [[secrets]]\nname = \"T\"\nfile = \"/home/ada/token\"\n\
            [[secrets]]\nname = \"OTHER\"\n\
            [limits]\nmemory = \"32 MiB\"\n\
            [tools]\n# she is careful\n\"delete_*\" = \"ask\"\nread = { name = \"get\" }\n";
        let secrets = ["T".to_owned(), "U".to_owned()].into();
        let text = GrantText::parse(own)
            .unwrap()
            .portable(&secrets, |name| format!("V_{name}"));
        for private in ["ada", "diary", "private", "careful", "OTHER"] {
            assert!(!text.contains(private), "{private}: {text}");
        }
        let grant = Grant::parse(&text).unwrap();
        let before = Grant::parse(own).unwrap();
        assert_eq!(grant.network, before.network);
        assert_eq!(grant.limits, before.limits);
        assert_eq!(grant.tools.decide("delete_it"), ToolDecision::Ask);
        assert_eq!(grant.tools.name_of("read"), "get");
        assert!(grant.roots.is_empty() && grant.env.is_empty());
        let sources: Vec<_> = grant
            .secrets
            .iter()
            .map(|secret| (secret.name.as_str(), secret.source.clone()))
            .collect();
        let env = |name: &str| SecretSource::Env(name.to_owned());
        assert_eq!(sources, [("T", env("V_T")), ("U", env("V_U"))]);
    }

    #[test]
    fn nothing_stays_nothing() {
        let text = GrantText::new("n").portable(&BTreeSet::new(), str::to_owned);
        assert_eq!(Grant::parse(&text).unwrap(), Grant::default());
    }
}
