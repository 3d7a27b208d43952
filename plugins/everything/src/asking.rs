//! Questions to the client, one at a time.

use palisade_sdk::prelude::*;
use palisade_sdk::{Filled, Form};

/// A form that asks for a name.
pub(crate) fn name_form() -> Form {
    Elicit::form("What is your name?").field("name", Field::text().title("Name"))
}

pub(crate) fn sampling(prompt: String, ctx: &Context) -> Result<String> {
    let answer = ctx.ask("completion", Sample::new(100).user(prompt))?;
    Ok(format!("LLM response: {}", answer.text()))
}

pub(crate) fn elicitation(message: String, ctx: &Context) -> Result<String> {
    let form = Elicit::form(message)
        .field("username", Field::text().description("User's response"))
        .field(
            "email",
            Field::text()
                .description("User's email address")
                .format(Format::Email),
        );
    told("User response", &ctx.ask("user", form)?)
}

pub(crate) fn defaults(ctx: &Context) -> Result<String> {
    let status = Field::one_of(["active", "inactive", "pending"]);
    let form = Elicit::form("Please review and update the form fields with defaults")
        .optional(
            "name",
            Field::text().description("User name").default("John Doe"),
        )
        .optional("age", Field::integer().description("User age").default(30))
        .optional(
            "score",
            Field::number().description("User score").default(95.5),
        )
        .optional(
            "status",
            status.description("User status").default("active"),
        )
        .optional(
            "verified",
            Field::flag()
                .description("Verification status")
                .default(true),
        );
    told("Elicitation completed", &ctx.ask("defaults", form)?)
}

pub(crate) fn enums(ctx: &Context) -> Result<String> {
    let titled = [
        ("value1", "First Option"),
        ("value2", "Second Option"),
        ("value3", "Third Option"),
    ];
    let named = [
        ("opt1", "Option One"),
        ("opt2", "Option Two"),
        ("opt3", "Option Three"),
    ];
    let plain = ["option1", "option2", "option3"];
    let form = Elicit::form("Please select options from the enum fields")
        .optional("untitledSingle", Field::one_of(plain))
        .optional("titledSingle", Field::one_of_titled(titled))
        .optional("legacyEnum", Field::one_of_named(named))
        .optional("untitledMulti", Field::any_of(plain))
        .optional("titledMulti", Field::any_of_titled(titled));
    told("Elicitation completed", &ctx.ask("enums", form)?)
}

fn told(what: &str, answer: &Elicited<Filled>) -> Result<String> {
    let (action, content) = match answer {
        Elicited::Accept(form) => ("accept", serde_json::to_string(&**form)?),
        Elicited::Decline => ("decline", "{}".to_owned()),
        Elicited::Cancel => ("cancel", "{}".to_owned()),
    };
    Ok(format!("{what}: action={action}, content={content}"))
}

/// Asks a model, whether or not the client has one: where it has none, the
/// host says so.
pub(crate) fn missing_capability(ctx: &Context) -> Result<&'static str> {
    if !ctx.capabilities().contains(Capabilities::SAMPLING) {
        ctx.ask("completion", Sample::new(100).user("Is anybody there?"))?;
    }
    Ok("The client has a model to ask.")
}

pub(crate) fn greeting(ctx: &Context) -> Result<String> {
    let form = ctx.ask("user_name", name_form())?;
    let form = form.accepted().context("nobody gave a name")?;
    Ok(format!("Hello, {}!", form.text("name")?))
}

pub(crate) fn capital(ctx: &Context) -> Result<String> {
    let question = Sample::new(100).user("What is the capital of France?");
    Ok(ctx.ask("capital_question", question)?.text())
}

pub(crate) fn roots(ctx: &Context) -> Result<String> {
    let roots = ctx.ask("client_roots", ListRoots)?;
    let uris: Vec<&str> = roots.iter().map(|root| &root.uri[..]).collect();
    Ok(format!(
        "The client has {} roots: {}",
        uris.len(),
        uris.join(", ")
    ))
}
