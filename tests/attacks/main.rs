//! Attacks: what a plugin, or what it left behind, may try against its host, the
//! files of the person and other plugins. One module a class, each test named
//! for what does not come of it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod limits_aftermath;
mod limits_bite;
mod limits_busy;
mod limits_call_time;
mod limits_concurrency;
mod limits_console;
mod limits_cpu_time;
mod limits_handles;
mod limits_host_work;
mod limits_instances;
mod limits_large_results;
mod limits_log;
mod limits_memory;
mod limits_neighbours;
mod limits_of_the_system;
mod limits_output;
mod limits_schemas;
mod links_stay_inside;
mod little_address_space;
mod network;
mod no_path_leads_out;
mod nothing_granted;
mod only_granted_variables;
mod output;
mod own_files;
mod races;
mod read_only_root;
mod root_is_resolved_once;
mod roots_do_not_mix;
mod secrets;
mod special_files;
mod state;
mod surroundings;
mod tools_as_granted;
mod tools_asked_first;
