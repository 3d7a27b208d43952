//! MCP over Streamable HTTP.
//!
//! [`HttpServer`] is bound, then serves until it is told to stop. Requests of
//! the stateless revisions are served one by one; older clients open sessions,
//! whose streams can be gone on with after a connection broke.

mod access;
mod answer;
mod body;
mod endpoint;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod headers;
mod log;
mod names;
mod options;
mod payload;
mod rules;
mod server;
mod sessions;
mod shares;
mod tls;

pub use access::{Access, TokenError, Tokens};
pub use names::{AllowedHost, AllowedOrigin, NameError};
pub use options::{HttpLimits, HttpOptions};
pub use server::{HttpError, HttpServer};
pub use tls::{Tls, TlsError};

pub(crate) use answer::Refusal;
pub(crate) use headers::{Single, single};
pub(crate) use log::{Log, Reader, STANDALONE};

/// Where MCP is served.
pub(crate) const PATH: &str = "/mcp";
