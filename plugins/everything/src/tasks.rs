//! Tools that may, or must, run as tasks.

use std::time::Duration;

use palisade_sdk::prelude::*;

use crate::asking::name_form;
use crate::waiting::wait;

pub(crate) fn slow(seconds: f64, label: Option<String>, ctx: &Context) -> Result<String> {
    // The schema bounds it, and a plugin's own unit tests go around that.
    let duration = Duration::try_from_secs_f64(seconds)?;
    wait(duration, ctx)?;
    let label = label.as_deref().unwrap_or("computation");
    Ok(format!("{label}: done after {seconds} seconds"))
}

pub(crate) fn failing(ctx: &Context) -> Result<String> {
    wait(Duration::from_secs(1), ctx)?;
    bail!("the job failed, as it always does");
}

pub(crate) fn protocol_error(ctx: &Context) -> Result<String> {
    wait(Duration::from_millis(200), ctx)?;
    Err(Error::internal("the job broke, as it always does"))
}

pub(crate) fn confirm_delete(filename: &str, ctx: &Context) -> Result<String> {
    let form = Elicit::form(format!("Delete {filename}?"))
        .field("confirm", Field::flag().title("Really delete it"));
    let sure = match ctx.ask("confirm", form)?.accepted() {
        Some(form) => form.flag("confirm")?,
        None => false,
    };
    Ok(if sure {
        format!("Deleted {filename} (there never was such a file).")
    } else {
        format!("Kept {filename}.")
    })
}

/// The suite answers both with a name and a confirmation, in whichever order.
pub(crate) fn multi_input(ctx: &Context) -> Result<String> {
    let confirm = Elicit::form("Is that right?").field("confirm", Field::flag());
    let (name, confirm) = ctx.ask_all((("name", name_form()), ("confirm", confirm)))?;
    let name = name.accepted().context("nobody gave a name")?;
    let confirm = confirm.accepted().context("nobody confirmed it")?;
    Ok(format!(
        "{}: {}",
        name.text("name")?,
        confirm.flag("confirm")?
    ))
}

pub(crate) fn with_name(ctx: &Context) -> Result<String> {
    let form = ctx.ask("user_name", name_form())?;
    let form = form.accepted().context("nobody gave a name")?;
    wait(Duration::from_millis(200), ctx)?;
    Ok(format!("The task for {} is done.", form.text("name")?))
}
