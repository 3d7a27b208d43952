//! What a plugin asks for, what a person granted, and what follows.
//!
//! A plugin's [`Manifest`] only *asks*. A [`Grant`] is written by a person and
//! lives outside the plugin. [`intersect`] computes the [`Effective`]
//! permission, which is never wider than either, and the [`Row`]s that explain
//! every difference to a person.
//!
//! The crate is pure: it reads no file and no environment, opens nothing, and
//! knows neither WebAssembly nor MCP. Paths are carried as they were written;
//! whoever uses them resolves them. What cannot be understood is an error that
//! names line, key and remedy, never a guess: unknown keys are refused.
//!
//! Roots, network, environment, secrets, limits and tool rules are enforced by
//! the host today. Storage is parsed, validated and compared (a rule is
//! granted only when the grant holds the very same rule).
//!
//! ```
//! use palisade_policy::{Access, Grant, Manifest, intersect};
//!
//! let manifest = Manifest::parse(
//!     r#"
//!     [plugin]
//!     name = "notes"
//!     [[roots]]
//!     name = "notes"
//!     access = "read-write"
//!     [limits]
//!     memory = "512 MiB"
//!     "#,
//! )?;
//! let grant = Grant::parse(
//!     r#"
//!     [[roots]]
//!     name = "notes"
//!     path = "/srv/notes"
//!     access = "read-only"
//!     [limits]
//!     memory = "128 MiB"
//!     "#,
//! )?;
//!
//! let decision = intersect(Some(&manifest), &grant)?;
//! assert_eq!(decision.effective.roots[0].access, Access::ReadOnly);
//! assert_eq!(decision.effective.limits.memory, 128 << 20);
//! assert_eq!(decision.rows[0].why.as_deref(), Some("grant is read-only"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod asks;
mod client_roots;
mod edit;
mod effective;
mod env;
mod error;
mod flags;
pub mod fuzzing;
mod grant;
mod granting;
mod hide;
mod intersect;
pub mod keys;
mod limits;
mod manifest;
mod names;
mod naming;
mod network;
mod parse;
mod portable;
mod roots;
mod rows;
mod secrets;
mod storage;
mod text;
mod tools;
pub mod units;

pub use asks::{Amount, Ask, Change, ChangeKind, Wants, asks, changes};
pub use client_roots::{
    BadRoot, ClientPath, ClientRootList, ClientRoots, MAX_CLIENT_ROOT_BYTES, MAX_CLIENT_ROOTS,
    Portion, narrow,
};
pub use edit::GrantText;
pub use effective::{Effective, EffectiveRoot};
pub use env::EnvRequest;
pub use error::{FlagError, GrantError, Need, ParseError, PolicyError};
pub use flags::{EnvFlag, FileFlag, RootFlag};
pub use grant::Grant;
pub use granting::Granting;
pub use hide::{Entered, HideSet, PatternError, Trail};
pub use intersect::{Decision, compare, intersect};
pub use limits::{Limits, LimitsRequest};
pub use manifest::{Manifest, PluginInfo};
pub use names::{is_env_name, is_name};
pub use naming::{name_from, name_roots};
pub use network::{
    AllowFlag, Allowed, Authority, AuthorityError, Denied, Destination, EffectiveNetwork, Host,
    NetworkRequest, NetworkRules, Remedy, Scheme, Special, Target, special,
};
pub use roots::{Access, RootGrant, RootKind, RootRequest};
pub use rows::{Row, RowKind};
pub use secrets::{
    Carrier, EffectiveSecret, Injection, SecretFlag, SecretGrant, SecretRequest, SecretSource,
    SecretUse, Spot,
};
pub use storage::StorageRequest;
pub use text::Shown;
pub use tools::{SameName, ToolDecision, ToolFlag, ToolRules, UnmatchedPattern};

/// The largest manifest or grant that is looked at, in bytes; anything larger
/// is refused unread.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;
