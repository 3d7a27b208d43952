//! Bytes: bounded lines in, whole lines out, and the streams they go over.

mod lines;
mod outbox;
mod streams;

pub(crate) use lines::{Line, Lines};
pub(crate) use outbox::Outbox;
pub(crate) use streams::{Input, Output, open_input, open_output};
