//! One file a subcommand.

pub(crate) mod approve;
pub(crate) mod ask_keyring;
pub(crate) mod audit;
pub(crate) mod call;
pub(crate) mod client;
pub(crate) mod compile_plugin;
pub(crate) mod dev;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod grant;
pub(crate) mod inspect;
pub(crate) mod install;
pub(crate) mod list;
pub(crate) mod new;
pub(crate) mod pack;
pub(crate) mod push;
pub(crate) mod remove;
pub(crate) mod run;
mod run_http;
pub(crate) mod secret;
pub(crate) mod sign;
pub(crate) mod update;
