//! The suite: one module a behaviour, named for it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod backpressure;
mod bad_files;
mod bad_flags;
mod bad_grants;
mod batches;
mod cancellation;
mod client_roots_hide;
mod client_roots_hostile;
mod client_roots_http;
mod client_roots_modes;
mod client_roots_sessions;
mod client_roots_stage;
mod client_roots_stateless;
mod clients_inspector;
mod clients_python;
mod clients_stage;
mod clients_typescript;
mod compile_bounds;
mod compiled_cache;
mod docs_commands;
mod docs_threats;
mod doctor;
mod filesystem_calls;
mod filesystem_changes_files;
mod filesystem_client_cannot_leave_a_root;
mod filesystem_finds_files;
mod filesystem_keeps_modes;
mod filesystem_matches_the_reference_server;
mod filesystem_reads_files;
mod filesystem_reference;
mod filesystem_stage;
mod filesystem_takes_both_forms_of_a_path;
mod framing_any_mixture;
mod framing_lines;
mod framing_refusals;
mod guest_called_from_the_shell;
mod guest_calls_run_side_by_side;
mod guest_cancelled_while_it_waits;
mod guest_cannot_be_loaded;
mod guest_cannot_speak_for_the_host;
mod guest_cases;
mod guest_crashes;
mod guest_lists_badly;
mod guest_offers_badly;
mod guest_returns_broken_json;
mod guest_starts_afresh;
mod guest_starts_badly;
mod guests_all_have_a_test;
mod handshake;
mod hardening;
mod heartbeats;
mod http_callers;
mod http_cancellation;
mod http_end;
mod http_handshake;
mod http_limits;
mod http_load;
mod http_refusals;
mod http_streams;
mod http_tasks;
mod inspecting;
mod large_results;
mod logging;
mod mistakes;
mod mixed_eras;
mod network_flags;
mod numbers;
mod process_end;
mod progress;
mod questions;
mod questions_as_requests;
mod questions_stage;
mod sandbox_hide_links_and_moves;
mod sandbox_hide_operations;
mod sandbox_hide_races;
mod sandbox_hide_stage;
mod sandbox_single_files;
mod secrets_at_start;
mod secrets_store;
mod several_plugins;
mod several_plugins_grants;
mod several_plugins_left_out;
mod stateless_requests;
mod stdout_purity;
mod streams;
mod subscriptions;
mod tasks;
mod tool_calls;
mod wire_snapshots;
