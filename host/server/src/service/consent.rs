//! Calls that a person is asked about first: `"tool" = "ask"` in a grant.
//!
//! The question is the host's own and goes the way of a plugin's questions, so
//! every client that can be asked at all can be asked this. What was answered is
//! bound to this very call.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use palisade_policy::Shown as Place;
use palisade_runtime::contract::{
    AnswerValue, ClientCapabilities, Context, ElicitationAnswer, FormElicitation, InputAsk,
    InputRequest, InputRequired, Tool,
};
use serde_json::{Value, json};

/// The key of the question. No plugin may ask under it.
const KEY: &str = "palisade/consent";

/// What a plugin is told that did.
pub(super) const CLAIMED: &str =
    "the plugin asked a question in the name of the host, which it may not";

/// What has to be ticked.
const FIELD: &str = "run";

/// Characters of one text among the arguments that are shown.
const TEXT: usize = 400;

/// Characters of all arguments that are shown.
const ALL: usize = 6000;

/// Whether a call may run.
pub(super) enum Consent {
    /// The person said yes.
    Given,
    /// The person has to be asked.
    Ask(InputRequired),
    /// No; why, in words for a model.
    Refused(String),
}

/// Tools of which it has been told that nobody can be asked.
#[derive(Default)]
pub(super) struct Told(Mutex<HashSet<String>>);

impl Told {
    /// Whether this is the first time for this tool.
    pub(super) fn first(&self, tool: &str) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert(tool.to_owned())
    }
}

/// Whether a plugin asks under the host's key.
pub(super) fn is_claimed(questions: &InputRequired) -> bool {
    questions.requests.iter().any(|request| request.key == KEY)
}

/// Whether the client has a way to ask the person.
pub(super) fn can_be_asked(context: &Context) -> bool {
    (context.capabilities).contains(ClientCapabilities::ELICITATION_FORM)
}

/// What the person said, or what to ask. The plugin does not get to see the
/// answer.
pub(super) fn of(context: &mut Context, message: impl FnOnce() -> String) -> Consent {
    let place = (context.answers)
        .iter()
        .position(|answer| answer.key == KEY);
    if let Some(place) = place {
        let said = context.answers.remove(place).value;
        return match said {
            AnswerValue::Elicitation(ElicitationAnswer::Accept(Some(form))) if is_yes(&form) => {
                Consent::Given
            }
            _ => Consent::Refused("not permitted: the person said no to this call".to_owned()),
        };
    }
    if !can_be_asked(context) {
        return Consent::Refused(
            "not permitted: the person is to be asked before this tool runs, and this client \
             has no way to ask (MCP elicitation)"
                .to_owned(),
        );
    }
    let schema = json!({
        "type": "object",
        "properties": {
            FIELD: {"type": "boolean", "title": "Run it", "default": false},
        },
        "required": [FIELD],
    });
    Consent::Ask(InputRequired {
        requests: vec![InputRequest {
            key: KEY.to_owned(),
            ask: InputAsk::ElicitForm(FormElicitation {
                message: message(),
                requested_schema: schema.to_string(),
            }),
        }],
        state: context.state.clone(),
    })
}

fn is_yes(form: &str) -> bool {
    let form: Option<Value> = serde_json::from_str(form).ok();
    form.is_some_and(|form| form[FIELD] == true)
}

/// What a person has to know to decide.
pub(super) struct Shown<'a> {
    pub(super) plugin: &'a str,
    /// What the client knows the tool as.
    pub(super) name: &'a str,
    pub(super) tool: Option<&'a Tool>,
    pub(super) arguments: &'a Value,
    /// Puts `*` in the place of secrets.
    pub(super) hide: &'a dyn Fn(&str) -> String,
}

impl Shown<'_> {
    /// Which tool, with what, and what it may do.
    pub(super) fn message(&self) -> String {
        let mut text = format!(
            "Run {} of the plugin {}? {}",
            one_line(self.name),
            one_line(self.plugin),
            effect(self.tool)
        );
        let empty = self
            .arguments
            .as_object()
            .is_some_and(serde_json::Map::is_empty);
        if empty {
            text.push_str("\n\nIt is called without arguments.");
            return text;
        }
        // Hidden before it is cut: what is left of a secret is one as well.
        let arguments = map_texts(self.arguments, &|text| cut(&(self.hide)(text), TEXT));
        let arguments = serde_json::to_string_pretty(&arguments).unwrap_or_default();
        let _ = write!(
            text,
            "\n\nWith:\n{}",
            cut(&Place::Lines.of(&arguments), ALL)
        );
        text
    }
}

/// What it may do by its own word, which is only that.
fn effect(tool: Option<&Tool>) -> &'static str {
    let hints = tool.and_then(|tool| tool.annotations.as_ref());
    match hints {
        Some(hints) if hints.read_only_hint == Some(true) => "By its own word it changes nothing.",
        Some(hints) if hints.destructive_hint == Some(false) => {
            "By its own word it adds something, and destroys nothing."
        }
        _ => "It may change or destroy things.",
    }
}

fn one_line(text: &str) -> String {
    Place::OneLine.of(text).into_owned()
}

/// The same value with other texts, keys among them.
fn map_texts(value: &Value, change: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Array(all) => all.iter().map(|one| map_texts(one, change)).collect(),
        Value::Object(all) => (all.iter())
            .map(|(key, one)| (change(key), map_texts(one, change)))
            .collect(),
        other => other.clone(),
    }
}

/// Its beginning and its end, and how much is not shown.
fn cut(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let half = most / 2;
    let begin: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(count - half).collect();
    format!(
        "{begin} […{} characters are not shown…] {end}",
        count - 2 * half
    )
}
