//! What of fetching needs no network.
#![allow(
    clippy::unwrap_used,
    reason = "a test says where it failed by panicking"
)]

mod charsets;
mod pages;
mod paging;
mod robots;
mod tools;
