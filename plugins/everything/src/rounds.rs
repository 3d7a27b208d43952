//! Several questions, several rounds, and what is kept between them.

use palisade_sdk::Form;
use palisade_sdk::prelude::*;

use crate::asking::name_form;

fn confirm_form() -> Form {
    Elicit::form("Please confirm").field("ok", Field::flag())
}

/// Completes only if the state came back with the answer.
pub(crate) fn state(ctx: &Context) -> Result<&'static str> {
    let returned: Option<String> = ctx.state()?;
    ctx.keep(&"waiting for a confirmation")?;
    ctx.ask("confirm", confirm_form())?;
    match returned {
        Some(_) => Ok("state-ok"),
        None => bail!("the state did not come back"),
    }
}

pub(crate) fn multiple(ctx: &Context) -> Result<String> {
    ctx.keep(&"waiting for three answers")?;
    let (name, greeting, roots) = ctx.ask_all((
        ("user_name", name_form()),
        ("greeting", Sample::new(50).user("Write a greeting.")),
        ("client_roots", ListRoots),
    ))?;
    let name = name.accepted().context("nobody gave a name")?;
    Ok(format!(
        "{}, {}! There are {} roots.",
        greeting.text(),
        name.text("name")?,
        roots.len()
    ))
}

pub(crate) fn multi_round(ctx: &Context) -> Result<String> {
    ctx.keep(&1)?;
    let name = ctx.ask("step1", name_form())?;
    let name = name.accepted().context("nobody gave a name")?;
    ctx.keep(&2)?;
    let form = Elicit::form("What is your favourite colour?").field("color", Field::text());
    let color = ctx.ask("step2", form)?;
    let color = color.accepted().context("nobody gave a colour")?;
    Ok(format!(
        "{} likes {}.",
        name.text("name")?,
        color.text("color")?
    ))
}

/// Asks only what the client says it can answer.
pub(crate) fn capabilities(ctx: &Context) -> Result<String> {
    let can = ctx.capabilities();
    let (name, greeting, roots) = ctx.ask_all((
        (
            "user_name",
            can.contains(Capabilities::ELICITATION_FORM).then(name_form),
        ),
        (
            "greeting",
            can.contains(Capabilities::SAMPLING)
                .then(|| Sample::new(50).user("Write a greeting.")),
        ),
        (
            "client_roots",
            can.contains(Capabilities::ROOTS).then_some(ListRoots),
        ),
    ))?;
    let answers = [name.is_some(), greeting.is_some(), roots.is_some()];
    let answers = answers.iter().filter(|&&there| there).count();
    Ok(format!("The client answered {answers} questions."))
}
