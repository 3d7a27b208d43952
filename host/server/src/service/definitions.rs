//! What a plugin says it has, and what of that is served: what a person has neither
//! denied nor yet to agree to.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use palisade_policy::{ToolDecision, ToolRules};
use palisade_runtime::contract::{Prompt, ResourceTemplate, Tool};
use serde_json::Value;

use crate::gate::ToolGate;

/// What a definition is one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefinitionKind {
    /// A tool, by name.
    Tool,
    /// A prompt, by name.
    Prompt,
    /// A resource template, by its pattern.
    ResourceTemplate,
}

/// What a person has agreed to of what a plugin says it has. A model reads all of
/// it, so what nobody has agreed to is withheld.
///
/// Asked whenever lists are made. None of it may block.
pub trait Agreement: Send + Sync {
    /// Whether this definition may be served; names are the plugin's own.
    fn holds(&self, kind: DefinitionKind, name: &str, definition: &Value) -> bool;

    /// How many of a kind have been agreed to. A plugin that has others than were
    /// recorded when it was loaded is asked for them.
    fn count(&self, kind: DefinitionKind) -> usize;

    /// These are withheld now, and no others.
    fn withhold(&self, withheld: &[Withheld]);
}

/// A definition that nobody has agreed to.
#[derive(Debug, Clone, PartialEq)]
pub struct Withheld {
    /// What it is one of.
    pub kind: DefinitionKind,
    /// The plugin's own name for it.
    pub name: String,
    /// What it says.
    pub definition: Value,
}

/// A prompt's definition, as an [`Agreement`] is asked about it.
///
/// # Errors
///
/// If it can't be written as JSON, which no checked one is.
pub fn prompt_json(prompt: &Prompt) -> serde_json::Result<Value> {
    serde_json::to_value(prompt)
}

/// A resource template's definition, as an [`Agreement`] is asked about it.
///
/// # Errors
///
/// If it can't be written as JSON, which no checked one is.
pub fn template_json(template: &ResourceTemplate) -> serde_json::Result<Value> {
    serde_json::to_value(template)
}

/// All that a plugin says it has.
#[derive(Clone)]
pub(super) struct Said {
    pub(super) tools: Arc<[Tool]>,
    pub(super) prompts: Arc<[Prompt]>,
    pub(super) templates: Arc<[ResourceTemplate]>,
}

/// Why something that a plugin has is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    /// It was served, and is not granted any more.
    Revoked,
    /// Nobody has agreed to what it is now.
    NotAgreed,
}

impl Absent {
    /// In words for a model.
    pub(super) fn of(self, what: &str, name: &str) -> String {
        match self {
            Self::Revoked => format!("not permitted: {name} is not granted any more"),
            Self::NotAgreed => format!(
                "not permitted: the {what} {name} is not what was agreed to; the person has to \
                 look at it first (palisade approve)"
            ),
        }
    }
}

/// What of it is served, in the plugin's order.
#[derive(Default)]
pub(super) struct Defined {
    pub(super) tools: Vec<Tool>,
    /// How many were agreed to, with those that are denied.
    tools_agreed: usize,
    pub(super) gates: HashMap<String, Arc<ToolGate>>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) templates: Vec<ResourceTemplate>,
    pub(super) absent_tools: BTreeMap<String, Absent>,
    pub(super) absent_prompts: BTreeMap<String, Absent>,
    pub(super) withheld: Vec<Withheld>,
}

impl Defined {
    /// What holds now; `before` is what did.
    pub(super) fn of(
        said: &Said,
        rules: &ToolRules,
        agreement: Option<&dyn Agreement>,
        before: &Self,
    ) -> serde_json::Result<Self> {
        let mut withheld = Vec::new();
        let mut agreed = |kind, name: &str, json: &dyn Fn() -> serde_json::Result<Value>| {
            let Some(agreement) = agreement else {
                return Ok(true);
            };
            let definition = json()?;
            let holds = agreement.holds(kind, name, &definition);
            if !holds {
                let name = name.to_owned();
                withheld.push(Withheld {
                    kind,
                    name,
                    definition,
                });
            }
            Ok(holds)
        };
        let mut now = Self::default();
        for tool in &*said.tools {
            let name = &tool.name;
            // Asked of all of them, so that it is known what there is to agree to.
            let agreed = agreed(DefinitionKind::Tool, name, &|| super::tool_json(tool))?;
            now.tools_agreed += usize::from(agreed);
            if rules.decide(name) == ToolDecision::Deny {
                let revoked = before.gates.contains_key(name)
                    || before.absent_tools.get(name) == Some(&Absent::Revoked);
                if revoked {
                    now.absent_tools.insert(name.clone(), Absent::Revoked);
                }
            } else if agreed {
                now.gates.insert(name.clone(), before.gate(tool)?);
                now.tools.push(tool.clone());
            } else {
                now.absent_tools.insert(name.clone(), Absent::NotAgreed);
            }
        }
        for prompt in &*said.prompts {
            let name = &prompt.name;
            if agreed(DefinitionKind::Prompt, name, &|| prompt_json(prompt))? {
                now.prompts.push(prompt.clone());
            } else {
                now.absent_prompts.insert(name.clone(), Absent::NotAgreed);
            }
        }
        for template in &*said.templates {
            let kind = DefinitionKind::ResourceTemplate;
            if agreed(kind, &template.uri_template, &|| template_json(template))? {
                now.templates.push(template.clone());
            }
        }
        now.withheld = withheld;
        Ok(now)
    }

    /// Whether it is all that was agreed to, and nothing else.
    pub(super) fn is_all(&self, agreement: &dyn Agreement) -> bool {
        let has = [
            (DefinitionKind::Tool, self.tools_agreed),
            (DefinitionKind::Prompt, self.prompts.len()),
            (DefinitionKind::ResourceTemplate, self.templates.len()),
        ];
        self.withheld.is_empty()
            && has
                .into_iter()
                .all(|(kind, count)| agreement.count(kind) == count)
    }

    /// The gate of a tool: the one it had, if the tool is what it was.
    fn gate(&self, tool: &Tool) -> serde_json::Result<Arc<ToolGate>> {
        match (self.gates.get(&tool.name), self.tool(&tool.name)) {
            (Some(gate), Some(known)) if known == tool => Ok(Arc::clone(gate)),
            _ => ToolGate::new(tool).map(Arc::new),
        }
    }

    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}
