//! The Python SDK: for each revision the release that was the last to call it
//! its newest.
//!
//! The releases of 2024-11-05 have a client for Streamable HTTP, which the
//! revision itself does not; its own HTTP+SSE is deprecated and not served.

use std::env;
use std::process::Command;

use palisade_tests::{client, rpc, source};
use serde_json::Value;

use crate::clients_stage::{Over, Seen, converse};

#[track_caller]
fn talk(revision: &'static str, over: Over) -> Seen {
    let stateless = revision == rpc::STATELESS;
    let driver = if stateless {
        "stateless.py"
    } else {
        "handshake.py"
    };
    let own = client(&format!("python/{revision}"));
    let path = env::join_paths([own, client("python/shared")]).unwrap();
    let mut python = Command::new("python3");
    python
        .arg("-B")
        .arg(source("clients/python").join(driver))
        .env("PYTHONPATH", path)
        .env("PYTHONNOUSERSITE", "1");
    converse(python, revision, over, Value::Null)
}

#[test]
fn of_2024_11_05_over_stdio() {
    talk("2024-11-05", Over::Stdio).is_all_there();
}

#[test]
fn of_2024_11_05_over_http() {
    talk("2024-11-05", Over::Http).is_all_there();
}

#[test]
fn of_2025_03_26_over_stdio() {
    talk("2025-03-26", Over::Stdio).is_all_there();
}

#[test]
fn of_2025_03_26_over_http() {
    talk("2025-03-26", Over::Http).is_all_there();
}

#[test]
fn of_2025_06_18_over_stdio() {
    talk("2025-06-18", Over::Stdio).is_all_there();
}

#[test]
fn of_2025_06_18_over_http() {
    talk("2025-06-18", Over::Http).is_all_there();
}

#[test]
fn of_2025_11_25_over_stdio() {
    talk("2025-11-25", Over::Stdio).is_all_there();
}

#[test]
fn of_2025_11_25_over_http() {
    talk("2025-11-25", Over::Http).is_all_there();
}

#[test]
fn of_2026_07_28_over_stdio() {
    talk("2026-07-28", Over::Stdio).is_all_there();
}

#[test]
fn of_2026_07_28_over_http() {
    talk("2026-07-28", Over::Http).is_all_there();
}
