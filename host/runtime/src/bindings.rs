//! Rust types and linkage generated from the repository's `wit/` folder.

mod generated {
    #![allow(
        missing_docs,
        unreachable_pub,
        clippy::all,
        reason = "generated from wit/, whose items are documented there"
    )]

    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "plugin",
        imports: { default: trappable },
        exports: { default: async },
        additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
    });
}

/// wasmtime's flags types take no derives; the derives above need these.
mod flags {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::generated::palisade::mcp::types::ClientCapabilities as Can;

    const ALL: [Can; 5] = [
        Can::ELICITATION_FORM,
        Can::ELICITATION_URL,
        Can::SAMPLING,
        Can::SAMPLING_TOOLS,
        Can::ROOTS,
    ];

    impl Serialize for Can {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            ALL.map(|one| self.contains(one)).serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for Can {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let given = <[bool; ALL.len()]>::deserialize(deserializer)?;
            let set = ALL.into_iter().zip(given).filter(|(_, given)| *given);
            Ok(set.fold(Can::empty(), |all, (one, _)| all | one))
        }
    }
}

pub(crate) use generated::palisade::mcp::client as imported_client;
pub(crate) use generated::palisade::mcp::types as imported_types;

/// The types of the WIT package `palisade:mcp`, as the rest of the house uses
/// them. Each is documented in the file of `wit/` that its interface lies in.
pub mod contract {
    use super::generated::exports::palisade::mcp::{completion, prompts, resources, tools};

    pub use super::generated::palisade::mcp::types::*;
    pub use completion::{CompletionArgument, CompletionReference, CompletionValues};
    pub use prompts::{Prompt, PromptArgument, PromptMessage, PromptOutcome, PromptResult};
    pub use resources::{ReadOutcome, ResourceTemplate};
    pub use tools::ToolOutcome;
}
