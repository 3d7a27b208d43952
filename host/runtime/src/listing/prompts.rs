//! The list of prompts.

use std::collections::HashSet;

use super::{bad, check_meta, check_name, check_size};
use crate::bindings::contract::Prompt;
use crate::error::LoadError;

/// Checks the list; an error names the prompt.
pub(crate) fn check(prompts: &[Prompt]) -> Result<(), LoadError> {
    check_size("prompts", prompts)?;
    let mut seen = HashSet::new();
    for prompt in prompts {
        check_name("prompt", &prompt.name)?;
        if !seen.insert(prompt.name.as_str()) {
            return bad(format!("there are two prompts called {:?}", prompt.name));
        }
        let mut arguments = HashSet::new();
        for argument in &prompt.arguments {
            if argument.name.is_empty() {
                return bad(format!(
                    "the prompt {:?} has an argument without a name",
                    prompt.name
                ));
            }
            if !arguments.insert(argument.name.as_str()) {
                return bad(format!(
                    "the prompt {:?} has two arguments called {:?}",
                    prompt.name, argument.name
                ));
            }
        }
        check_meta(&prompt.name, prompt.meta.as_ref())?;
    }
    Ok(())
}
