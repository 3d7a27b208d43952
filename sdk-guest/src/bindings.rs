//! The contract of `wit/` as Rust types.
//!
//! Everything an author needs is wrapped elsewhere in this crate; these types
//! are the ones that cross the border to the host.
//!
//! [`types`] and [`client`] are made once and shared. Each interface a plugin
//! can export has a module of its own with a world of its own, so that a
//! plugin exports what it has and nothing else: WIT knows no optional exports.

/// Types that all interfaces share, and the import every plugin may use.
#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::undocumented_unsafe_blocks,
    clippy::cast_possible_truncation,
    reason = "generated from wit/"
)]
mod shared {
    wit_bindgen::generate!({
        path: "../wit",
        inline: "
            package palisade:sdk;
            world shared {
                import palisade:mcp/types@0.1.0;
                import palisade:mcp/client@0.1.0;
            }
        ",
        world: "palisade:sdk/shared",
        generate_all,
        generate_unused_types: true,
    });
}

pub use shared::palisade::mcp::{client, types};

/// The module of one world: its `Guest` trait and its `export!` macro, both
/// used by `#[plugin]`.
macro_rules! world {
    ($(#[$about:meta])* $name:ident, $world:tt, $module:tt, [$($shared:tt)*]) => {
        $(#[$about])*
        #[allow(
            missing_docs,
            unreachable_pub,
            clippy::all,
            clippy::allow_attributes_without_reason,
            clippy::undocumented_unsafe_blocks,
            clippy::cast_possible_truncation,
            reason = "generated from wit/"
        )]
        pub mod $name {
            wit_bindgen::generate!({
                path: "../wit",
                world: $world,
                with: { $($shared)* },
                pub_export_macro: true,
                default_bindings_module: $module,
            });
        }
    };
}

world!(
    /// The world of a plugin that offers tools.
    tools, "palisade:mcp/tools-plugin", "palisade_sdk::bindings::tools",
    [
        "palisade:mcp/types@0.1.0": crate::bindings::types,
        "palisade:mcp/client@0.1.0": crate::bindings::client,
    ]
);
world!(
    /// The world of a plugin that offers resources.
    resources, "palisade:mcp/resources-plugin", "palisade_sdk::bindings::resources",
    [
        "palisade:mcp/types@0.1.0": crate::bindings::types,
        "palisade:mcp/client@0.1.0": crate::bindings::client,
    ]
);
world!(
    /// The world of a plugin that offers prompts.
    prompts, "palisade:mcp/prompts-plugin", "palisade_sdk::bindings::prompts",
    [
        "palisade:mcp/types@0.1.0": crate::bindings::types,
        "palisade:mcp/client@0.1.0": crate::bindings::client,
    ]
);
world!(
    /// The world of a plugin that completes arguments.
    completion, "palisade:mcp/completion-plugin", "palisade_sdk::bindings::completion",
    ["palisade:mcp/types@0.1.0": crate::bindings::types]
);
world!(
    /// The world of a plugin that wants its configuration.
    lifecycle, "palisade:mcp/lifecycle-plugin", "palisade_sdk::bindings::lifecycle",
    ["palisade:mcp/types@0.1.0": crate::bindings::types]
);
