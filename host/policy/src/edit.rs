//! A grant file, changed one thing at a time: what a person wrote there besides,
//! comments and order included, stays as it is.

use std::fmt;

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

use crate::error::ParseError;
use crate::grant::Grant;
use crate::network::NetworkRequest;
use crate::roots::{Access, RootKind};
use crate::tools::ToolDecision;

/// The text of a grant file.
#[derive(Debug, Clone)]
pub struct GrantText(DocumentMut);

impl GrantText {
    /// That of a plugin to which nothing is granted.
    #[must_use]
    pub fn new(plugin: &str) -> Self {
        let mut this = Self(DocumentMut::new());
        if let Some(about) = this.section("plugin") {
            about.insert("name", value(plugin));
        }
        this
    }

    /// Reads one.
    ///
    /// # Errors
    /// As [`Grant::parse`]: what is no grant is not changed.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Grant::parse(text)?;
        // What one reader takes the other one takes too; if not, it is said as
        // for any text that is no TOML.
        let document = text.parse::<DocumentMut>();
        document.map(Self).map_err(|error| ParseError {
            line: None,
            column: None,
            key: None,
            message: error.message().to_owned(),
            remedy: None,
        })
    }

    /// Grants a directory or a file; one of the same name is replaced, with what
    /// is hidden in it.
    pub fn set_root(&mut self, name: &str, kind: RootKind, path: &str, access: Access) {
        let key = match kind {
            RootKind::Directory => "path",
            RootKind::File => "file",
        };
        let Some(roots) = self.list("roots") else {
            return;
        };
        let place = roots.iter().position(|root| is(root, "name", name));
        let table = match place.and_then(|place| roots.get_mut(place)) {
            Some(table) => table,
            None => {
                roots.push(Table::new());
                let last = roots.len() - 1;
                let Some(table) = roots.get_mut(last) else {
                    return;
                };
                table.insert("name", value(name));
                table
            }
        };
        let other = if key == "path" { "file" } else { "path" };
        table.remove(other);
        if kind == RootKind::File {
            table.remove("hide");
        }
        set(table, key, path.into());
        set(table, "access", access.to_string().into());
    }

    /// Takes a directory or a file back; false if there is none of that name.
    pub fn remove_root(&mut self, name: &str) -> bool {
        self.remove("roots", |root| is(root, "name", name))
    }

    /// Grants a place in the network, unless the same is granted.
    pub fn add_network(&mut self, rule: &NetworkRequest) {
        let same = |grant: Grant| grant.network.contains(rule);
        if Grant::parse(&self.to_string()).is_ok_and(same) {
            return;
        }
        let texts = |set: &std::collections::BTreeSet<String>| {
            value(set.iter().map(String::as_str).collect::<Value>())
        };
        let mut table = Table::new();
        table.insert("to", value(rule.to.to_string()));
        if !rule.methods.is_empty() {
            table.insert("methods", texts(&rule.methods));
        }
        if !rule.paths.is_empty() {
            table.insert("paths", texts(&rule.paths));
        }
        if rule.private {
            table.insert("private", value(true));
        }
        if let Some(rules) = self.list("network") {
            rules.push(table);
        }
    }

    /// Takes a place in the network back, by the very rule that granted it; false
    /// if there is no such rule.
    pub fn remove_network(&mut self, rule: &NetworkRequest) -> bool {
        // As they are read, in the same order.
        let rules = Grant::parse(&self.to_string()).map(|grant| grant.network);
        let place = rules
            .ok()
            .and_then(|rules| rules.iter().position(|one| one == rule));
        let mut number = 0..;
        self.remove("network", |_| number.next() == place)
    }

    /// Grants a variable with a value.
    pub fn set_env(&mut self, name: &str, text: &str) {
        if let Some(env) = self.section("env") {
            set(env, name, text.into());
        }
    }

    /// Takes a variable back; false if it is not there.
    pub fn remove_env(&mut self, name: &str) -> bool {
        self.remove_key("env", name)
    }

    /// Grants the use of a secret, as the plugin asks for it, unless there is a
    /// rule for it; `expose` lets the plugin see it.
    pub fn add_secret(&mut self, name: &str, expose: bool) {
        let Some(secrets) = self.list("secrets") else {
            return;
        };
        let known = |table: &Table| is(table, "name", name);
        if secrets
            .iter()
            .any(|table| known(table) && !(expose && table.get("expose").is_none()))
        {
            return;
        }
        let mut table = Table::new();
        table.insert("name", value(name));
        if expose {
            table.insert("expose", value(true));
        }
        secrets.push(table);
    }

    /// Takes the use of a secret back; false if there is no rule for it.
    pub fn remove_secret(&mut self, name: &str) -> bool {
        self.remove("secrets", |table| is(table, "name", name))
    }

    /// Decides about tools, by name or pattern. A name that is given to the tool
    /// stays.
    pub fn set_tool(&mut self, pattern: &str, decision: ToolDecision) {
        let Some(tools) = self.section("tools") else {
            return;
        };
        let given = tools.get(pattern).and_then(|rule| rule.get("name"));
        match given.and_then(Item::as_str).map(str::to_owned) {
            None => set(tools, pattern, decision.to_string().into()),
            Some(name) => {
                let mut both = InlineTable::new();
                both.insert("call", decision.to_string().into());
                both.insert("name", name.into());
                set(tools, pattern, both.into());
            }
        }
    }

    /// Forgets a decision about tools; false if there is none.
    pub fn remove_tool(&mut self, pattern: &str) -> bool {
        self.remove_key("tools", pattern)
    }

    /// The grant it is.
    ///
    /// # Errors
    /// As [`Grant::parse`], if what was changed does not go with the rest.
    pub fn grant(&self) -> Result<Grant, ParseError> {
        Grant::parse(&self.to_string())
    }

    /// A section, made if it is not there.
    fn section(&mut self, key: &str) -> Option<&mut dyn TableLike> {
        let new = || Item::Table(Table::new());
        self.0.entry(key).or_insert_with(new).as_table_like_mut()
    }

    /// Removes a key of a section; false if it is not there.
    fn remove_key(&mut self, section: &str, key: &str) -> bool {
        let Some(table) = (self.0.get_mut(section)).and_then(Item::as_table_like_mut) else {
            return false;
        };
        let removed = table.remove(key).is_some();
        if table.is_empty() {
            self.0.remove(section);
        }
        removed
    }

    /// A list of tables, made if it is not there.
    fn list(&mut self, key: &str) -> Option<&mut ArrayOfTables> {
        let new = || Item::ArrayOfTables(ArrayOfTables::new());
        let item = self.0.entry(key).or_insert_with(new);
        if !item.is_array_of_tables() {
            // As it is, in the other form.
            let tables = std::mem::take(item).into_array_of_tables();
            *item = Item::ArrayOfTables(tables.unwrap_or_default());
        }
        item.as_array_of_tables_mut()
    }

    /// Removes those of a list that are meant; false if there are none.
    fn remove(&mut self, key: &str, mut meant: impl FnMut(&Table) -> bool) -> bool {
        if !self.0.contains_key(key) {
            return false;
        }
        let Some(list) = self.list(key) else {
            return false;
        };
        let before = list.len();
        list.retain(|table| !meant(table));
        let removed = list.len() < before;
        if list.is_empty() {
            self.0.remove(key);
        }
        removed
    }
}

impl fmt::Display for GrantText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Sets a key to a value, with what was written around the old one.
fn set(table: &mut dyn TableLike, key: &str, mut new: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => {
            table.insert(key, Item::Value(new));
        }
    }
}

/// Whether a table has this text under a key.
fn is(table: &Table, key: &str, text: &str) -> bool {
    table.get(key).and_then(Item::as_str) == Some(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::path::Path;

    use super::*;
    use crate::AllowFlag;

    fn rule(text: &str) -> NetworkRequest {
        text.parse::<AllowFlag>().unwrap().0
    }

    #[test]
    fn everything_that_is_granted_can_be_taken_back() {
        let mut text = GrantText::new("notes");
        let empty = text.to_string();
        let get = rule("GET https://a.test/v1/**");
        text.set_root("n", RootKind::Directory, "/srv/\"n\"", Access::ReadWrite);
        text.add_network(&get);
        text.add_network(&get);
        text.add_network(&rule("private:tcp://b.test:1"));
        text.set_env("LANG", "de\n");
        text.add_secret("T", false);
        text.add_secret("T", false);
        text.set_tool("delete_*", ToolDecision::Ask);
        let grant = text.grant().unwrap();
        assert_eq!(grant.plugin.as_deref(), Some("notes"));
        assert_eq!(grant.roots[0].path, Path::new("/srv/\"n\""));
        assert_eq!(grant.network, [get.clone(), rule("private:tcp://b.test:1")]);
        assert_eq!(grant.env["LANG"], "de\n");
        assert_eq!(grant.secrets.len(), 1);
        assert_eq!(grant.tools.decide("delete_it"), ToolDecision::Ask);

        assert!(text.remove_root("n") && !text.remove_root("n"));
        assert!(text.remove_network(&get) && !text.remove_network(&get));
        assert_eq!(
            text.grant().unwrap().network,
            [rule("private:tcp://b.test:1")]
        );
        assert!(text.remove_network(&rule("private:tcp://b.test:1")));
        assert!(text.remove_env("LANG") && !text.remove_env("LANG"));
        assert!(text.remove_secret("T") && !text.remove_secret("T"));
        assert!(text.remove_tool("delete_*") && !text.remove_tool("delete_*"));
        assert_eq!(text.to_string(), empty);
    }

    #[test]
    fn what_a_person_wrote_stays() {
        let by_hand = "# mine\n[[roots]] # here\nname = \"n\"\npath = \"a\" # old\nhide = [\"x\"]\n\n\
                       [tools]\n# why\nread = { name = \"get\" }\n";
        let mut text = GrantText::parse(by_hand).unwrap();
        assert_eq!(text.to_string(), by_hand);
        text.set_root("n", RootKind::Directory, "b", Access::ReadOnly);
        text.set_tool("read", ToolDecision::Ask);
        let shown = text.to_string();
        for kept in ["# mine", "# here", "hide = [\"x\"]", "# why"] {
            assert!(shown.contains(kept), "{shown}");
        }
        let grant = text.grant().unwrap();
        assert_eq!(grant.roots.len(), 1);
        assert_eq!(grant.tools.name_of("read"), "get");
        assert_eq!(grant.tools.decide("read"), ToolDecision::Ask);
    }

    #[test]
    fn a_list_in_one_line_is_a_list_as_well() {
        let mut text = GrantText::parse("network = [{ to = \"https://a.test\" }]\n").unwrap();
        text.add_network(&rule("https://a.test"));
        text.add_network(&rule("https://b.test"));
        assert_eq!(text.grant().unwrap().network.len(), 2);
        assert!(text.remove_network(&rule("https://a.test")));
        assert_eq!(text.grant().unwrap().network, [rule("https://b.test")]);
    }

    #[test]
    fn what_is_no_grant_is_not_changed() {
        assert!(GrantText::parse("[[roots]]\nname = \"n\"\n").is_err());
        assert!(GrantText::parse("x").is_err());
    }
}
