//! `without landlock|seccomp|processes PROGRAM ARGUMENT…`: starts a program as
//! if the kernel did not have one of these. Without `room` the disk is full, without
//! `writing` it is read-only; without `fsync` or `renameat` whoever calls it is
//! killed there.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test's helper fails by panicking"
)]

use std::os::unix::process::CommandExt as _;
use std::process::Command;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let what = arguments.next().unwrap();
    let program = arguments.next().unwrap();
    let (calls, error) = match what.to_str() {
        Some("landlock") => (
            vec![(libc::SYS_landlock_create_ruleset, Vec::new())],
            libc::ENOSYS,
        ),
        // A kernel built without filters has the call, and refuses them.
        Some("seccomp") => (vec![(libc::SYS_seccomp, Vec::new())], libc::EINVAL),
        // Threads are made by the same call.
        Some("processes") => (
            vec![
                (libc::SYS_clone, vec![no_thread()]),
                (libc::SYS_clone3, Vec::new()),
            ],
            libc::ENOSYS,
        ),
        Some("room") => (room(), libc::ENOSPC),
        Some("writing") => (writing(), libc::EROFS),
        Some("fsync") => (vec![(libc::SYS_fsync, Vec::new())], 0),
        Some("renameat") => (
            vec![
                #[cfg(target_arch = "x86_64")]
                (libc::SYS_renameat, Vec::new()),
                (libc::SYS_renameat2, Vec::new()),
            ],
            0,
        ),
        _ => panic!("there is no way to do without {what:?}"),
    };
    let filter = SeccompFilter::new(
        calls.into_iter().collect(),
        SeccompAction::Allow,
        match error {
            0 => SeccompAction::KillProcess,
            error => SeccompAction::Errno(error.unsigned_abs()),
        },
        TargetArch::try_from(std::env::consts::ARCH).unwrap(),
    );
    let program_of_filter = BpfProgram::try_from(filter.unwrap()).unwrap();
    apply_filter(&program_of_filter).unwrap();
    let error = Command::new(program).args(arguments).exec();
    panic!("it can't be started: {error}");
}

fn no_thread() -> SeccompRule {
    let flag = u64::from(libc::CLONE_THREAD.cast_unsigned());
    let is = SeccompCmpOp::MaskedEq(flag);
    let condition = SeccompCondition::new(0, SeccompCmpArgLen::Dword, is, 0);
    SeccompRule::new(vec![condition.unwrap()]).unwrap()
}

fn when(argument: u8, how: SeccompCmpOp, value: u64) -> SeccompRule {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value);
    SeccompRule::new(vec![condition.unwrap()]).unwrap()
}

/// Nothing can be written but to standard output and error, and what wakes a thread
/// (an eventfd: always eight bytes, and on no disk).
fn room() -> Vec<(i64, Vec<SeccompRule>)> {
    let is = |argument, how, value| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value).unwrap()
    };
    let beyond = is(0, SeccompCmpOp::Gt, 2);
    let no_wake = is(2, SeccompCmpOp::Ne, 8);
    let rule = SeccompRule::new(vec![beyond, no_wake]).unwrap();
    vec![(libc::SYS_write, vec![rule])]
}

/// Nothing can be made, renamed or removed.
fn writing() -> Vec<(i64, Vec<SeccompRule>)> {
    let creating = u64::from(libc::O_CREAT.cast_unsigned());
    let creates = when(2, SeccompCmpOp::MaskedEq(creating), creating);
    vec![
        (libc::SYS_openat, vec![creates]),
        (libc::SYS_mkdirat, Vec::new()),
        (libc::SYS_unlinkat, Vec::new()),
        (libc::SYS_renameat2, Vec::new()),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mkdir, Vec::new()),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_renameat, Vec::new()),
    ]
}
