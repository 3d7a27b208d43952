//! One file a subcommand.

pub(crate) mod ask_keyring;
pub(crate) mod call;
pub(crate) mod compile_plugin;
pub(crate) mod dev;
pub(crate) mod doctor;
pub(crate) mod inspect;
pub(crate) mod new;
pub(crate) mod pack;
pub(crate) mod run;
mod run_http;
pub(crate) mod secret;
