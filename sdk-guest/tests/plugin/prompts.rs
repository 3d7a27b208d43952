//! Prompts, and the completion of arguments.

use palisade_sdk::bindings::completion::exports::palisade::mcp::completion as completing;
use palisade_sdk::bindings::prompts::exports::palisade::mcp::prompts::{
    Guest, PromptOutcome, PromptResult as Result_,
};
use palisade_sdk::bindings::types::{self, ContentBlock};
use palisade_sdk::prelude::*;

use crate::context;

const CITY: &str = "city://{country}/{city}";

#[derive(Default)]
struct Writes;

#[plugin]
impl Writes {
    /// Writes a letter.
    #[prompt(name = "write-letter", title = "Letter", meta = r#"{"a":1}"#)]
    fn letter(
        &self,
        /// Whom to write to.
        #[arg(name = "to", title = "To")]
        receiver: String,
        tone: Option<String>,
    ) -> String {
        format!(
            "A {} letter to {receiver}.",
            tone.as_deref().unwrap_or("kind")
        )
    }

    /// A whole conversation.
    #[prompt]
    fn talk(&self, ctx: &Context) -> Result<PromptResult> {
        let sure = ctx.ask("sure", Elicit::form("Talk?"))?;
        sure.accepted().context("no talk")?;
        Ok(PromptResult::new([
            Message::user("Hello"),
            Message::assistant(Content::image([1], "image/png")),
        ])
        .description("A talk"))
    }

    /// A city.
    #[resource(template = "city://{country}/{city}")]
    fn city(&self, country: String, city: String) -> String {
        format!("{city} in {country}")
    }

    #[complete(prompt = "write-letter", argument = "tone")]
    fn tones(&self, value: String) -> Completion {
        Completion::starting_with(&value, ["kind", "kurt", "rude"]).total(3)
    }

    #[complete(template = "city://{country}/{city}", argument = "city")]
    #[complete(prompt = "write-letter", argument = "to")]
    fn cities(&self, value: String, country: Option<String>, _ctx: &Context) -> Vec<String> {
        vec![format!("{value} {country:?}")]
    }
}

fn get(name: &str, arguments: &[(&str, &str)]) -> Result<Result_, types::Error> {
    let arguments = arguments
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let outcome = <Writes as Guest>::get_prompt(name.to_owned(), arguments, context())?;
    match outcome {
        PromptOutcome::Complete(result) => Ok(result),
        PromptOutcome::InputRequired(required) => panic!("{required:?}"),
    }
}

fn text(result: &Result_) -> &str {
    match &result.messages[0].content {
        ContentBlock::Text(text) => &text.text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn prompts_are_listed_as_they_are_written() {
    let list = <Writes as Guest>::list_prompts().unwrap();
    let [letter, talk] = &list[..] else {
        panic!("{list:?}")
    };
    assert_eq!(letter.name, "write-letter");
    assert_eq!(letter.title.as_deref(), Some("Letter"));
    assert_eq!(letter.description.as_deref(), Some("Writes a letter."));
    assert_eq!(letter.meta.as_deref(), Some(r#"{"a":1}"#));
    let [to, tone] = &letter.arguments[..] else {
        panic!("{letter:?}")
    };
    assert_eq!((&to.name[..], to.required), ("to", true));
    assert_eq!(to.title.as_deref(), Some("To"));
    assert_eq!(to.description.as_deref(), Some("Whom to write to."));
    assert_eq!((&tone.name[..], tone.required), ("tone", false));
    assert_eq!(tone.description, None);
    assert!(talk.arguments.is_empty());
}

#[test]
fn arguments_are_filled_in() {
    let letter = get("write-letter", &[("to", "Ada")]).unwrap();
    assert_eq!(text(&letter), "A kind letter to Ada.");
    let letter = get("write-letter", &[("tone", "rude"), ("to", "Ada")]).unwrap();
    assert_eq!(text(&letter), "A rude letter to Ada.");

    let error = get("write-letter", &[]).unwrap_err();
    assert_eq!(error.kind, types::ErrorKind::InvalidParams);
    assert_eq!(error.message, "the argument `to` is missing");
    let error = get("letter", &[]).unwrap_err();
    assert_eq!(error.kind, types::ErrorKind::NotFound);
}

#[test]
fn a_prompt_may_ask() {
    let outcome = <Writes as Guest>::get_prompt("talk".to_owned(), Vec::new(), context());
    let PromptOutcome::InputRequired(required) = outcome.unwrap() else {
        panic!()
    };
    assert_eq!(required.requests[0].key, "sure");

    let answered = Context::default().answering("sure", Answer::accept(serde_json::json!({})));
    assert!(Writes.talk(&answered).is_ok());
}

fn complete(reference: completing::CompletionReference, name: &str, value: &str) -> Vec<String> {
    let argument = completing::CompletionArgument {
        name: name.to_owned(),
        value: value.to_owned(),
        filled: vec![("country".to_owned(), "it".to_owned())],
    };
    <Writes as completing::Guest>::complete(reference, argument, context())
        .unwrap()
        .values
}

#[test]
fn each_argument_is_completed_by_its_method() {
    use completing::CompletionReference::{Prompt, Template};

    let letter = || Prompt("write-letter".to_owned());
    assert_eq!(complete(letter(), "tone", "K"), ["kind", "kurt"]);
    assert_eq!(complete(letter(), "to", "x"), [r#"x Some("it")"#]);
    let city = Template(CITY.to_owned());
    assert_eq!(complete(city, "city", "ro"), [r#"ro Some("it")"#]);
    // Nobody has an idea.
    let country = Template(CITY.to_owned());
    assert!(complete(country, "country", "").is_empty());
}
