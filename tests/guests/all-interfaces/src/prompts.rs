//! Prompts.

use crate::bindings::exports::palisade::mcp::prompts::{
    Guest, Prompt, PromptArgument, PromptMessage, PromptOutcome, PromptResult,
};
use crate::bindings::palisade::mcp::types::{Context, Error, Role};
use crate::{AllInterfaces, large, questions, text_block, unknown};

impl Guest for AllInterfaces {
    fn list_prompts() -> Result<Vec<Prompt>, Error> {
        let argument = |name: &str, required| PromptArgument {
            name: name.into(),
            title: None,
            description: None,
            required,
        };
        Ok(vec![Prompt {
            name: "greeting".into(),
            title: None,
            description: Some("Greets somebody.".into()),
            arguments: vec![argument("who", true), argument("how", false)],
            icons: Vec::new(),
            meta: None,
        }])
    }

    fn get_prompt(
        name: String,
        arguments: Vec<(String, String)>,
        _: Context,
    ) -> Result<PromptOutcome, Error> {
        let words = match name.as_str() {
            "greeting" => arguments
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect::<Vec<_>>()
                .join(" "),
            "large" => large(),
            "asks-at-length" => {
                return Ok(PromptOutcome::InputRequired(questions(&["name"], &large())));
            }
            other => return Err(unknown(other)),
        };
        Ok(PromptOutcome::Complete(PromptResult {
            description: None,
            messages: vec![PromptMessage {
                role: Role::User,
                content: text_block(words),
            }],
            meta: None,
        }))
    }
}
