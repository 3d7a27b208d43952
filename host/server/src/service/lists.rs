//! The lists of all plugins, as one, under the names clients get.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use palisade_runtime::contract::{ListKind, Prompt, ResourceTemplate, TaskSupport, Tool};

use super::Member;
use super::definitions::Absent;
use crate::names::Naming;

/// What is served at one moment: what was recorded when the plugins were first
/// loaded, or what they have said since.
#[derive(Default)]
pub struct Lists {
    tools: Vec<Tool>,
    prompts: Vec<Prompt>,
    templates: Vec<ResourceTemplate>,
    tool_routes: HashMap<String, Arc<Route>>,
    prompt_routes: HashMap<String, Arc<Route>>,
    absent_tools: HashMap<String, Absent>,
    absent_prompts: HashMap<String, Absent>,
    /// What is left out, a sentence each.
    pub(super) notes: Vec<String>,
}

/// Where a tool or a prompt is: the member, and its own name there.
pub(super) struct Route {
    pub(super) member: usize,
    pub(super) name: String,
    /// Whether calls of it may, or must, run as tasks.
    pub(super) task_support: TaskSupport,
}

impl Lists {
    /// The tools, in the order of the plugins.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The prompts, in the order of the plugins.
    #[must_use]
    pub fn prompts(&self) -> &[Prompt] {
        &self.prompts
    }

    /// The resource templates, in the order of the plugins.
    #[must_use]
    pub fn templates(&self) -> &[ResourceTemplate] {
        &self.templates
    }

    pub(super) fn tool(&self, name: &str) -> Option<&Arc<Route>> {
        self.tool_routes.get(name)
    }

    pub(super) fn prompt(&self, name: &str) -> Option<&Arc<Route>> {
        self.prompt_routes.get(name)
    }

    /// Why a tool is not served that a plugin has.
    pub(super) fn absent_tool(&self, name: &str) -> Option<String> {
        Some(self.absent_tools.get(name)?.of("tool", name))
    }

    /// Why a prompt is not served that a plugin has.
    pub(super) fn absent_prompt(&self, name: &str) -> Option<String> {
        Some(self.absent_prompts.get(name)?.of("prompt", name))
    }

    /// Those of all plugins.
    pub(super) fn of(naming: Naming, members: &[Member]) -> Self {
        let mut this = Self::default();
        for (index, member) in members.iter().enumerate() {
            this.add(naming, index, member);
        }
        this
    }

    /// In which lists there is something else.
    pub(super) fn differing(&self, other: &Self) -> impl Iterator<Item = ListKind> {
        let all = [
            (self.tools != other.tools, ListKind::Tools),
            (self.prompts != other.prompts, ListKind::Prompts),
            (self.templates != other.templates, ListKind::Resources),
        ];
        all.into_iter()
            .filter_map(|(differs, kind)| differs.then_some(kind))
    }

    fn add(&mut self, naming: Naming, index: usize, member: &Member) {
        let route = |name: &str, task_support| {
            Arc::new(Route {
                member: index,
                name: name.to_owned(),
                task_support,
            })
        };
        let defined = member.defined();
        let tool_name = |own: &str| naming.item(member.name(), member.name_of(own));
        for tool in &defined.tools {
            let name = tool_name(&tool.name);
            match self.tool_routes.entry(name.clone()) {
                Entry::Vacant(place) => {
                    place.insert(route(&tool.name, tool.task_support));
                    self.tools.push(Tool {
                        name,
                        ..tool.clone()
                    });
                }
                Entry::Occupied(_) => self.left_out("tool", member, &tool.name),
            }
        }
        for prompt in &defined.prompts {
            let name = naming.item(member.name(), &prompt.name);
            match self.prompt_routes.entry(name.clone()) {
                Entry::Vacant(place) => {
                    place.insert(route(&prompt.name, TaskSupport::Forbidden));
                    self.prompts.push(Prompt {
                        name,
                        ..prompt.clone()
                    });
                }
                Entry::Occupied(_) => self.left_out("prompt", member, &prompt.name),
            }
        }
        for template in &defined.templates {
            self.templates.push(ResourceTemplate {
                uri_template: naming.uri(member.name(), &template.uri_template),
                ..template.clone()
            });
        }
        for (own, why) in &defined.absent_tools {
            self.absent_tools.insert(tool_name(own), *why);
        }
        for (own, why) in &defined.absent_prompts {
            let name = naming.item(member.name(), own);
            self.absent_prompts.insert(name, *why);
        }
    }

    /// Two names that became one; the first keeps it.
    fn left_out(&mut self, what: &str, member: &Member, name: &str) {
        self.notes.push(format!(
            "The {what} {name:?} of {} is not served: its name can't be told from another one.",
            member.name()
        ));
    }
}
