//! Prepared conversations.

use palisade_sdk::prelude::*;

use crate::content;

pub(crate) fn embedded(uri: String) -> Vec<Message> {
    let text = "Embedded resource content for testing.";
    vec![
        Message::user(Content::embedded_text(uri, "text/plain", text)),
        Message::user("Please process the embedded resource above."),
    ]
}

pub(crate) fn image() -> Vec<Message> {
    vec![
        Message::user(content::image()),
        Message::user("Please analyze the image above."),
    ]
}

pub(crate) fn with_context(ctx: &Context) -> Result<Vec<Message>> {
    let form = Elicit::form("What context should the prompt use?")
        .field("context", Field::text().title("Context"));
    let form = ctx.ask("user_context", form)?;
    let form = form.accepted().context("nobody gave a context")?;
    Ok(vec![Message::user(format!(
        "Use the following context: {}",
        form.text("context")?
    ))])
}
