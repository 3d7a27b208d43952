//! A plugin that needs an interface no host offers.

use palisade_sdk::prelude::*;

#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::undocumented_unsafe_blocks,
    reason = "generated"
)]
mod door {
    wit_bindgen::generate!({
        inline: "
            package evil:host@1.0.0;
            interface door {
                open: func(key: string) -> bool;
            }
            world visitor {
                import door;
            }
        ",
        world: "evil:host/visitor",
        generate_all,
    });
    pub(crate) use evil::host::door::open;
}

/// Knocks.
#[derive(Default)]
struct UnknownImport;

#[plugin]
impl UnknownImport {
    /// Tries a key.
    #[tool]
    fn knock(&self, key: String) -> String {
        format!("the door is open: {}", door::open(&key))
    }
}
