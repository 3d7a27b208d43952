//! Asking a plugin anew what it has, once it has said that something changed.

use palisade_policy::Limits;

use super::sealed;
use crate::bindings::contract::{Context, Prompt, ResourceTemplate, Tool};
use crate::error::{CallError, LoadError};
use crate::function;
use crate::listing;

/// What is taken of one list from the guest, in bytes: more than may be in one that
/// is good, so that one that is not is told for what it is.
const MOST: u64 = 8 * 1024 * 1024;

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident: $item:ty, $check:path;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name {
            /// Lists are for every client alike: nothing of one belongs in here.
            pub context: Context,
        }

        impl sealed::Runs for $name {
            type Outcome = Vec<$item>;
            type Function = function::$name;

            fn context(&self) -> &Context {
                &self.context
            }

            fn takes(&self) {}

            fn most(_: &Limits) -> u64 {
                MOST
            }

            fn check(outcome: &Vec<$item>, _: &Limits) -> Result<(), CallError> {
                $check(outcome).map_err(bad)
            }
        }
    )*};
}

lists! {
    /// Lists the tools that there are now, checked as when the plugin was loaded.
    ListTools: Tool, listing::check_tools;
    /// Lists the prompts that there are now, checked as when the plugin was loaded.
    ListPrompts: Prompt, listing::check_prompts;
    /// Lists the resource templates that there are now, checked as when the plugin
    /// was loaded.
    ListTemplates: ResourceTemplate, listing::check_templates;
}

fn bad(error: LoadError) -> CallError {
    CallError::BadAnswer(match error {
        LoadError::BadListing(why) => why,
        other => other.to_string(),
    })
}
