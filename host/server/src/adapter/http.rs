//! MCP over HTTP, as far as it knows rmcp: bodies become messages, sessions
//! and single requests are served by rmcp's loop, what it sends becomes events
//! of a log.

mod guard;
mod headers;
mod message;
mod once;
mod session;

pub(crate) use headers::VERSION;
pub(crate) use message::{Body, Kind, Message, read};
pub(super) use once::no_room;
pub(crate) use once::{last_word, serve_once};
pub(crate) use session::{Opened, Session};
