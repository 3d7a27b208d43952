//! Everything but tools, and less than that, under lints an author may have.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, clippy::all)]

use palisade_sdk::prelude::*;

mod prompts {
    use palisade_sdk::prelude::*;

    #[derive(Default)]
    struct OnlyPrompts;

    #[plugin]
    impl OnlyPrompts {
        /// Says hello.
        #[prompt(icons = ["https://example.org/a.png"])]
        fn hello(&self, r#type: Option<String>) -> Message {
            Message::user(r#type.unwrap_or_default())
        }
    }
}

/// Only what comes and goes.
#[derive(Default)]
struct OnlyResources {
    prefix: String,
}

#[plugin]
impl OnlyResources {
    #[start]
    fn start(&mut self, config: std::collections::BTreeMap<String, String>) {
        self.prefix = config.into_values().collect();
    }

    #[resources]
    fn list(&mut self, _ctx: &Context) -> Vec<ResourceLink> {
        vec![ResourceLink::new("a://b", "b").icon(Icon::new("data:,").size("any").dark())]
    }

    #[palisade_sdk::read]
    fn other(&self, uri: String, ctx: &Context) -> Result<Contents> {
        ctx.resource_updated(&uri);
        ctx.changed(List::Resources);
        Ok(Contents::text(format!("{}{uri}", self.prefix)))
    }

    /// Never there.
    #[cfg(any())]
    #[resource(uri = "never://")]
    fn never(&self) -> DoesNotExist {}
}

fn main() {}
