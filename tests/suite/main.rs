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
mod cancellation;
mod compiled_cache;
mod docs_commands;
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
mod inspecting;
mod limits_call_time;
mod limits_concurrency;
mod limits_console;
mod limits_cpu_time;
mod limits_granted;
mod limits_handles;
mod limits_host_work;
mod limits_log;
mod limits_memory;
mod limits_output;
mod little_address_space;
mod logging;
mod mistakes;
mod mixed_eras;
mod process_end;
mod progress;
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
mod sandbox_tools_as_granted;
mod stateless_requests;
mod stdout_purity;
mod streams;
mod tool_calls;
