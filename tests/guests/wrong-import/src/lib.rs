//! A plugin that needs an interface of a package the host offers, but one that
//! is not in it.

use palisade_sdk::prelude::*;

#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::undocumented_unsafe_blocks,
    reason = "generated"
)]
mod more {
    wit_bindgen::generate!({
        inline: "
            package palisade:mcp@0.1.0;
            interface powers {
                grant-everything: func() -> bool;
            }
            world wishful {
                import powers;
            }
        ",
        world: "palisade:mcp/wishful",
        generate_all,
    });
    pub(crate) use palisade::mcp::powers::grant_everything;
}

/// Wishes.
#[derive(Default)]
struct WrongImport;

#[plugin]
impl WrongImport {
    /// Asks for everything.
    #[tool]
    fn wish(&self) -> String {
        format!("granted: {}", more::grant_everything())
    }
}
