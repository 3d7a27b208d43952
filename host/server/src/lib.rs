//! MCP sessions over Palisade plugins.
//!
//! [`Service`] is what is served, in the house's own types: a plugin, what it
//! may use, and the gate every call passes. [`serve_stdio`] speaks MCP for it
//! over standard input and output, [`HttpServer`] over HTTP. The types of the `rmcp` crate stay inside
//! the `adapter` module; this crate knows nothing of the command line.

mod adapter;
mod fit;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod gate;
mod http;
mod hub;
mod kept;
mod names;
mod outcome;
mod pages;
mod service;
mod stdio;
mod wire;

pub use gate::check_schemas;
pub use http::{
    Access, AllowedHost, AllowedOrigin, HttpError, HttpLimits, HttpOptions, HttpServer, NameError,
    Tls, TlsError, TokenError, Tokens,
};
pub use outcome::{Checked, CheckedPrompt};
pub use service::{
    Agreement, CallRequest, DefinitionKind, Identity, Lists, PluginSetup, Refusal, Reply, Run,
    Service, View, Withheld, prompt_json, template_json, tool_json,
};
pub use stdio::{ServeError, serve_stdio};
