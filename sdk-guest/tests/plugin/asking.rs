//! Questions, round by round, as a host sees them.

use palisade_sdk::bindings::tools::exports::palisade::mcp::tools::{Guest as _, ToolOutcome};
use palisade_sdk::bindings::types::{self, AnswerValue, ElicitationAnswer, InputAsk};
use palisade_sdk::prelude::*;
use palisade_sdk::{Context, ErrorKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{context, only_text};

#[derive(Deserialize, JsonSchema)]
struct Person {
    name: String,
    age: u8,
}

#[derive(Default)]
struct Asks;

#[plugin]
impl Asks {
    /// Asks for a name.
    #[tool]
    fn name(&self, ctx: &Context) -> Result<String> {
        let form = Elicit::form("Name?").field("name", Field::text());
        match ctx.ask("name", form).context("asking for a name")? {
            Elicited::Accept(form) => Ok(format!("Hello, {}!", form.text("name")?)),
            Elicited::Decline => bail!("declined"),
            Elicited::Cancel => bail!("cancelled"),
        }
    }

    /// Asks for a person.
    #[tool]
    fn person(&self, ctx: &Context) -> Result<String> {
        let person = ctx.ask("person", Elicit::form_of::<Person>("Who?"))?;
        let person = person.accepted().context("nobody")?;
        Ok(format!("{} {}", person.name, person.age))
    }

    /// Asks for three things at once.
    #[tool]
    fn three(&self, ctx: &Context) -> Result<String> {
        ctx.keep(&"three")?;
        let sampling = ctx
            .capabilities()
            .contains(types::ClientCapabilities::SAMPLING);
        let (visit, poem, roots) = ctx.ask_all((
            ("visit", Elicit::url("Look", "https://example.org/")),
            ("poem", sampling.then(|| Sample::new(10).user("A poem."))),
            ("roots", ListRoots),
        ))?;
        Ok(format!(
            "{:?} {:?} {:?}",
            visit.is_accepted(),
            poem.map(|poem| poem.text()),
            roots.first().map(|root| &root.uri)
        ))
    }

    /// Asks twice, and remembers.
    #[tool]
    fn steps(&self, ctx: &Context) -> Result<String> {
        let first = ctx.ask("first", Elicit::form("First?"))?;
        if ctx.state::<String>()?.is_none() {
            ctx.keep(&format!("first {}", first.is_accepted()))?;
        }
        ctx.ask("second", Elicit::form("Second?"))?;
        ctx.state()?.context("it is forgotten")
    }

    /// Wants to be called again.
    #[tool]
    fn again(&self, ctx: &Context) -> Result<String> {
        match ctx.state::<u8>()? {
            Some(2) => Ok("done".to_owned()),
            times => Err(ctx.call_again(&(times.unwrap_or(0) + 1))),
        }
    }
}

fn accept(key: &str, content: &str) -> types::Answer {
    types::Answer {
        key: key.to_owned(),
        value: AnswerValue::Elicitation(ElicitationAnswer::Accept(Some(content.to_owned()))),
    }
}

fn round(name: &str, context: types::Context) -> Result<String, types::InputRequired> {
    match Asks::call_tool(name.to_owned(), "{}".to_owned(), context).unwrap() {
        ToolOutcome::Complete(result) => Ok(only_text(&result)),
        ToolOutcome::InputRequired(required) => Err(required),
    }
}

fn keys(required: &types::InputRequired) -> Vec<&str> {
    let keys = required.requests.iter().map(|request| &request.key[..]);
    keys.collect()
}

#[test]
fn what_has_no_answer_is_asked_and_what_has_is_not() {
    let required = round("name", context()).unwrap_err();
    let [request] = &required.requests[..] else {
        panic!("{required:?}")
    };
    assert_eq!((&request.key[..], required.state), ("name", None));
    let InputAsk::ElicitForm(form) = &request.ask else {
        panic!("{request:?}")
    };
    assert_eq!(form.message, "Name?");

    let mut second = context();
    second.answers = vec![accept("name", r#"{"name":"Ada"}"#)];
    assert_eq!(round("name", second).unwrap(), "Hello, Ada!");
}

#[test]
fn an_answer_to_another_question_or_of_another_kind_is_none() {
    let mut other = context();
    other.answers = vec![
        accept("nam", r#"{"name":"Ada"}"#),
        types::Answer {
            key: "name".to_owned(),
            value: AnswerValue::Roots(Vec::new()),
        },
    ];
    assert_eq!(keys(&round("name", other).unwrap_err()), ["name"]);
}

#[test]
fn the_newest_answer_counts() {
    let mut twice = context();
    twice.answers = vec![
        accept("name", r#"{"name":"Ada"}"#),
        accept("name", r#"{"name":"Bea"}"#),
    ];
    assert_eq!(round("name", twice).unwrap(), "Hello, Bea!");
}

#[test]
fn no_is_an_answer() {
    for (answer, text) in [
        (Answer::decline(), "declined"),
        (Answer::cancel(), "cancelled"),
    ] {
        let error = Asks.name(&Context::default().answering("name", answer));
        assert_eq!(error.unwrap_err().message(), text);
    }
}

#[test]
fn a_typed_answer_is_the_type() {
    let person = |json| {
        let context = Context::default().answering("person", Answer::accept(json));
        Asks.person(&context)
    };
    assert_eq!(
        person(json!({ "name": "Ada", "age": 36 })).unwrap(),
        "Ada 36"
    );
    let error = person(json!({ "name": "Ada", "age": 360 })).unwrap_err();
    assert!(
        error.message().starts_with("the answer does not fit: "),
        "{error}"
    );
}

#[test]
fn all_that_is_missing_is_asked_at_once_with_the_state() {
    let mut first = context();
    first.capabilities = types::ClientCapabilities::SAMPLING;
    let required = round("three", first).unwrap_err();
    assert_eq!(keys(&required), ["visit", "poem", "roots"]);
    assert_eq!(required.state.as_deref(), Some(&b"\"three\""[..]));

    // A question that is not asked is not missing.
    let without = Context::default()
        .answering("visit", Answer::visit())
        .answering("roots", Answer::roots(["file:///home"]));
    assert_eq!(
        Asks.three(&without).unwrap(),
        r#"true None Some("file:///home")"#
    );

    // Nor is one that has its answer.
    let error = Asks
        .three(&Context::default().answering("visit", Answer::visit()))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InputRequired);
    assert_eq!(error.asks().collect::<Vec<_>>(), ["roots"]);
}

#[test]
fn what_is_kept_lasts_until_something_else_is() {
    let first = round("steps", context()).unwrap_err();
    assert_eq!((keys(&first), &first.state), (vec!["first"], &None));

    let mut second = context();
    second.answers = vec![accept("first", "{}")];
    let second = round("steps", second).unwrap_err();
    assert_eq!(keys(&second), ["second"]);

    let mut third = context();
    third.answers = vec![accept("first", "{}"), accept("second", "{}")];
    third.state = second.state;
    assert_eq!(round("steps", third).unwrap(), "first true");
}

#[test]
fn a_state_alone_is_enough() {
    let mut state = None;
    for _ in 0..2 {
        let mut context = context();
        context.state = state;
        let required = round("again", context).unwrap_err();
        assert!(required.requests.is_empty());
        state = required.state;
        assert!(state.is_some());
    }
    let mut last = context();
    last.state = state;
    assert_eq!(round("again", last).unwrap(), "done");

    let mut foreign = context();
    foreign.state = Some(b"\"text\"".to_vec());
    let error = Asks::call_tool("again".to_owned(), "{}".to_owned(), foreign).unwrap_err();
    assert_eq!(error.kind, types::ErrorKind::Internal);
}
