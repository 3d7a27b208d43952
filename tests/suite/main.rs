//! The suite: one module a behaviour, named for it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod handshake;
mod mixed_eras;
mod process_end;
mod sandbox_links_stay_inside;
mod sandbox_no_path_leads_out;
mod sandbox_nothing_granted;
mod sandbox_only_granted_variables;
mod sandbox_own_files;
mod sandbox_read_only_root;
mod sandbox_root_is_resolved_once;
mod sandbox_roots_do_not_mix;
mod sandbox_special_files;
mod sandbox_stage;
mod stateless_requests;
mod streams;
