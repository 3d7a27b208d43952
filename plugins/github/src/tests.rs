//! What of it needs no network: addresses, what GitHub's answers become, and its
//! refusals. The answers have the shape of those in GitHub's own documentation.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says where it failed by panicking"
)]

mod answers;
mod places;
mod refusals;
mod tools;
