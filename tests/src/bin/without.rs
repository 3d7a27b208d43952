//! `without landlock|seccomp|processes PROGRAM ARGUMENT…`: starts a program as
//! if the kernel did not have one of these.

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
        _ => panic!("there is no way to do without {what:?}"),
    };
    let filter = SeccompFilter::new(
        calls.into_iter().collect(),
        SeccompAction::Allow,
        SeccompAction::Errno(error.unsigned_abs()),
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
