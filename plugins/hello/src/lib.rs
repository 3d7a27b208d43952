//! The smallest plugin: one tool that greets.

use palisade_sdk::prelude::*;

/// Greets people.
#[derive(Default)]
struct Hello;

#[plugin]
impl Hello {
    /// Greets somebody by name, for example "Hello, Ada!".
    #[tool(title = "Greet", read_only, idempotent, open_world = false)]
    fn greet(
        &self,
        /// Whom to greet.
        name: String,
        /// How many times; once if not given.
        times: Option<u8>,
        ctx: &Context,
    ) -> Result<String> {
        if name.trim().is_empty() {
            bail!("the name is empty: say whom to greet");
        }
        let times = times.unwrap_or(1);
        ctx.debug(format_args!("greeting {name} {times} times"));
        Ok(vec![format!("Hello, {name}!"); times.into()].join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greets_as_often_as_asked() -> Result<()> {
        let ctx = Context::default();
        assert_eq!(Hello.greet("Ada".to_owned(), None, &ctx)?, "Hello, Ada!");
        assert_eq!(
            Hello.greet("Ada".to_owned(), Some(2), &ctx)?,
            "Hello, Ada! Hello, Ada!"
        );
        Ok(())
    }

    #[test]
    fn asks_for_a_name() {
        let error = Hello
            .greet(" ".to_owned(), None, &Context::default())
            .unwrap_err();
        assert_eq!(error.message(), "the name is empty: say whom to greet");
    }
}
