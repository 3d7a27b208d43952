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

/// The world of a plugin that offers tools: its `Guest` trait and its
/// `export!` macro, both used by `#[plugin]`.
#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::undocumented_unsafe_blocks,
    clippy::cast_possible_truncation,
    reason = "generated from wit/"
)]
pub mod tools {
    wit_bindgen::generate!({
        path: "../wit",
        world: "palisade:mcp/tools-plugin",
        with: {
            "palisade:mcp/types@0.1.0": crate::bindings::types,
            "palisade:mcp/client@0.1.0": crate::bindings::client,
        },
        pub_export_macro: true,
        default_bindings_module: "palisade_sdk::bindings::tools",
    });
}
