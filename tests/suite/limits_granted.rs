//! What the limits' tests share: a session with a guest whose grant sets some
//! of them, and what the host's process weighs.

use std::fs;

use palisade_tests::{Palisade, Session, guest};

use crate::sandbox_stage::open;

/// A mebibyte.
pub(crate) const MIB: u64 = 1 << 20;

/// Opens a session; `limits` is the `[limits]` section of the grant.
pub(crate) fn limited(name: &str, limits: &str) -> Session {
    let command = Palisade::run(guest(name));
    let grant = command.home().join("grant.toml");
    fs::write(&grant, format!("[limits]\n{limits}\n")).unwrap();
    open(&command.grant(grant))
}

/// Memory of the host that is resident now, in bytes.
pub(crate) fn resident(session: &Session) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", session.process.id())).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    let kibibytes: u64 = line.split_whitespace().next().unwrap().parse().unwrap();
    kibibytes * 1024
}
