//! Connections to exactly what a person allowed.
//!
//! [`Egress`] is everything one plugin may reach. A request is held against the
//! rules first; only then is its name resolved, every address it leads to is
//! looked at, and the connection is made to the very address that was. Nothing
//! is followed or retried elsewhere on its own: a redirect is an answer like
//! any other, and what the guest makes of it is a request of its own.
//!
//! Knows the rules of `palisade-policy` and nothing of WebAssembly or MCP.

mod body;
mod connect;
mod egress;
mod error;
pub mod fuzzing;
mod interim;
mod outside;
mod proxy;
mod refusals;
mod resolve;
mod secrets;
mod stream;
mod tls;
mod usage;

pub use body::Incoming;
pub use egress::{Egress, EgressLimits, Timeouts};
pub use error::{NetError, OutsideError, ProxyError, ResolverError, TrustError};
pub use outside::{Needs, Outside};
pub use proxy::Proxies;
pub use refusals::Refusals;
pub use resolve::Resolver;
pub use secrets::{Injector, InjectorError, Mask, Masked};
pub use tls::Trust;
