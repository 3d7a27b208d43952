//! `palisade dev`: a client stays connected while what serves it is replaced.
//!
//! This process keeps the client's streams and starts an ordinary `palisade run`
//! for each version of the plugin. That is a process more than exchanging the
//! plugin within one, and it is why what an author tries is what people will run:
//! the same command, with all its walls, which a process that starts compilers
//! could not have; and nothing of an old version can be left in a new one.

mod host;
mod lines;
mod message;
mod proxy;
mod replay;
mod told;
mod watch;
mod work;

pub(crate) use lines::{Line, next as next_line};
pub(crate) use proxy::{Event, Proxy};
pub(crate) use watch::watch;
pub(crate) use work::builder;
