//! One file a subcommand.

pub(crate) mod call;
pub(crate) mod inspect;
pub(crate) mod run;
mod run_http;
