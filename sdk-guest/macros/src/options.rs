//! The options of `#[tool(…)]`, of the other marks, and of `#[arg(…)]`.

use syn::{Attribute, Expr, LitStr};

use crate::pairs::pairs;
use crate::problems::Problems;

/// What can be said of everything that has a place in a list.
#[derive(Default)]
pub(crate) struct Labels {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    pub(crate) icons: Option<Expr>,
    pub(crate) meta: Option<Expr>,
}

/// The options of a tool.
#[derive(Default)]
pub(crate) struct ToolOptions {
    pub(crate) labels: Labels,
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
    pub(crate) task: Option<LitStr>,
    pub(crate) schema: Option<Expr>,
}

/// The options of a resource or a template.
#[derive(Default)]
pub(crate) struct ResourceOptions {
    pub(crate) labels: Labels,
    pub(crate) uri: Option<LitStr>,
    pub(crate) template: Option<LitStr>,
    pub(crate) mime_type: Option<LitStr>,
    pub(crate) size: Option<Expr>,
}

/// What `#[complete(…)]` names.
#[derive(Default)]
pub(crate) struct CompleteOptions {
    pub(crate) prompt: Option<LitStr>,
    pub(crate) template: Option<LitStr>,
    pub(crate) argument: Option<LitStr>,
}

/// The options of an argument.
#[derive(Default)]
pub(crate) struct ArgOptions {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    pub(crate) default: Option<ArgDefault>,
    pub(crate) extend: Vec<(LitStr, Expr)>,
}

/// `default` or `default = …`.
pub(crate) enum ArgDefault {
    OfType,
    Value(Expr),
}

const TOOL_OPTIONS: &[&str] = &[
    "name",
    "title",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "task",
    "schema",
    "icons",
    "meta",
];
const RESOURCE_OPTIONS: &[&str] = &[
    "uri",
    "template",
    "mime_type",
    "size",
    "name",
    "title",
    "icons",
    "meta",
];
const PROMPT_OPTIONS: &[&str] = &["name", "title", "icons", "meta"];
const COMPLETE_OPTIONS: &[&str] = &["prompt", "template", "argument"];
const ARG_OPTIONS: &[&str] = &["name", "default", "title", "extend"];

impl ToolOptions {
    pub(crate) fn read(attribute: &Attribute, problems: &mut Problems) -> Self {
        let mut options = Self::default();
        for pair in pairs(attribute, "tool", TOOL_OPTIONS, problems) {
            match pair.name.to_string().as_str() {
                "name" => options.labels.name = pair.text(problems),
                "title" => options.labels.title = pair.text(problems),
                "icons" => options.labels.icons = pair.expression(problems),
                "meta" => options.labels.meta = pair.expression(problems),
                "read_only" => options.read_only = pair.flag(problems),
                "destructive" => options.destructive = pair.flag(problems),
                "idempotent" => options.idempotent = pair.flag(problems),
                "task" => options.task = pair.text(problems),
                "schema" => options.schema = pair.expression(problems),
                _ => options.open_world = pair.flag(problems),
            }
        }
        if options.read_only == Some(true) && options.destructive == Some(true) {
            problems.at(
                attribute,
                "a tool cannot be both `read_only` and `destructive`",
            );
        }
        if let Some(task) = &options.task
            && !["forbidden", "optional", "required"].contains(&task.value().as_str())
        {
            problems.at(
                task,
                "`task` is \"optional\" or \"required\"; what is not said is \"forbidden\"",
            );
        }
        if let Some(name) = &options.labels.name {
            check_tool_name(name, problems);
        }
        options
    }
}

impl ResourceOptions {
    pub(crate) fn read(attribute: &Attribute, problems: &mut Problems) -> Self {
        let mut options = Self::default();
        for pair in pairs(attribute, "resource", RESOURCE_OPTIONS, problems) {
            match pair.name.to_string().as_str() {
                "uri" => options.uri = pair.text(problems),
                "template" => options.template = pair.text(problems),
                "mime_type" => options.mime_type = pair.text(problems),
                "size" => options.size = pair.expression(problems),
                "name" => options.labels.name = pair.text(problems),
                "title" => options.labels.title = pair.text(problems),
                "icons" => options.labels.icons = pair.expression(problems),
                _ => options.labels.meta = pair.expression(problems),
            }
        }
        if options.uri.is_some() == options.template.is_some() {
            problems.at(
                attribute,
                "a resource has an address, `uri = \"…\"`, or a family of them, `template = \"…{id}…\"`",
            );
        }
        if let (Some(_), Some(size)) = (&options.template, &options.size) {
            problems.at(
                size,
                "a template has no `size`: each of its resources has its own",
            );
        }
        options
    }
}

impl Labels {
    pub(crate) fn of_prompt(attribute: &Attribute, problems: &mut Problems) -> Self {
        let mut labels = Self::default();
        for pair in pairs(attribute, "prompt", PROMPT_OPTIONS, problems) {
            match pair.name.to_string().as_str() {
                "name" => labels.name = pair.text(problems),
                "title" => labels.title = pair.text(problems),
                "icons" => labels.icons = pair.expression(problems),
                _ => labels.meta = pair.expression(problems),
            }
        }
        if let Some(name) = labels.name.as_ref().filter(|name| name.value().is_empty()) {
            problems.at(name, "a prompt's name cannot be empty");
        }
        labels
    }
}

impl CompleteOptions {
    pub(crate) fn read(attribute: &Attribute, problems: &mut Problems) -> Self {
        let mut options = Self::default();
        for pair in pairs(attribute, "complete", COMPLETE_OPTIONS, problems) {
            match pair.name.to_string().as_str() {
                "prompt" => options.prompt = pair.text(problems),
                "template" => options.template = pair.text(problems),
                _ => options.argument = pair.text(problems),
            }
        }
        let belongs = options.prompt.is_some() != options.template.is_some();
        if !belongs || options.argument.is_none() {
            problems.at(
                attribute,
                "`#[complete]` names an argument and what it belongs to: `#[complete(prompt = \"…\", \
                 argument = \"…\")]`, or `template` instead of `prompt`",
            );
        }
        options
    }
}

impl ArgOptions {
    pub(crate) fn read(attribute: &Attribute, problems: &mut Problems) -> Self {
        let mut options = Self::default();
        for pair in pairs(attribute, "arg", ARG_OPTIONS, problems) {
            match pair.name.to_string().as_str() {
                "name" => {
                    options.name = pair.text(problems);
                    if let Some(name) = options.name.as_ref().filter(|name| name.value().is_empty())
                    {
                        problems.at(name, "an argument's name cannot be empty");
                    }
                }
                "title" => options.title = pair.text(problems),
                "extend" if pair.list.is_empty() => problems.at(
                    pair.name,
                    "`extend` takes keywords of JSON Schema: `extend(\"maximum\" = 10)`",
                ),
                "extend" => options.extend = pair.list,
                _ => {
                    options.default =
                        Some(pair.value.map_or(ArgDefault::OfType, ArgDefault::Value));
                }
            }
        }
        options
    }
}

fn check_tool_name(name: &LitStr, problems: &mut Problems) {
    let text = name.value();
    let bad = text
        .chars()
        .find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')));
    if let Some(bad) = bad {
        let message =
            format!("a tool's name is made of `A-Z a-z 0-9 _ . -`; {bad:?} is none of these");
        problems.at(name, message);
    } else if text.is_empty() || text.len() > 128 {
        let message = format!(
            "a tool's name has 1 to 128 characters, this one {}",
            text.len()
        );
        problems.at(name, message);
    }
}
