//! The configuration, which comes before everything else.

use palisade_sdk::bindings::lifecycle::exports::palisade::mcp::lifecycle::Guest;
use palisade_sdk::prelude::*;
use serde::Deserialize;

use crate::text;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(default)]
    greeting: Option<String>,
}

#[derive(Default)]
struct Configured {
    greeting: String,
}

#[plugin]
impl Configured {
    #[start]
    fn start(&mut self, config: Config) -> Result<()> {
        let greeting = config.greeting.unwrap_or_else(|| "Hello".to_owned());
        if greeting.is_empty() {
            bail!("the greeting is empty");
        }
        self.greeting = greeting;
        Ok(())
    }

    /// Greets.
    #[tool]
    fn greet(&self) -> String {
        self.greeting.clone()
    }
}

#[test]
fn the_configuration_is_there_when_a_tool_is_called() {
    <Configured as Guest>::start(r#"{"greeting":"Salve"}"#.to_owned()).unwrap();
    assert_eq!(text::<Configured>("greet", "{}"), "Salve");
}

#[test]
fn a_configuration_that_does_not_fit_is_refused_in_one_sentence() {
    let refusal = |config: &str| <Configured as Guest>::start(config.to_owned()).unwrap_err();
    assert_eq!(refusal(r#"{"greeting":""}"#), "the greeting is empty");
    assert!(refusal(r#"{"greet":1}"#).starts_with("the configuration does not fit: unknown field"),);
}
