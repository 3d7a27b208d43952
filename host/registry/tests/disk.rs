//! A disk that is full, or that can't be written: one sentence, and nothing half
//! written. The kernel says so to one thread (seccomp), with all it starts.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::thread;

use common::Home;
use common::net::COMPONENT;
use palisade_registry::StoreError;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// A call, and the only condition in which it fails; none if it always does.
type Call = (i64, Option<SeccompCondition>);

fn condition(argument: u8, how: SeccompCmpOp, value: i32) -> Option<SeccompCondition> {
    let value = u64::from(value.cast_unsigned());
    Some(SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value).unwrap())
}

/// Does something where these calls fail.
fn where_fail<T: Send>(calls: Vec<Call>, error: i32, doing: impl FnOnce() -> T + Send) -> T {
    let rule = |condition| SeccompRule::new(vec![condition]).unwrap();
    let rules = calls
        .into_iter()
        .map(|(call, condition)| (call, condition.map(rule)));
    let mut all = std::collections::BTreeMap::<i64, Vec<SeccompRule>>::new();
    for (call, rule) in rules {
        all.entry(call).or_default().extend(rule);
    }
    let filter = SeccompFilter::new(
        all,
        SeccompAction::Allow,
        SeccompAction::Errno(error.unsigned_abs()),
        TargetArch::try_from(std::env::consts::ARCH).unwrap(),
    );
    let filter = BpfProgram::try_from(filter.unwrap()).unwrap();
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            apply_filter(&filter).unwrap();
            doing()
        });
        thread.join().unwrap()
    })
}

/// Nothing can be written but to standard output and error.
fn full() -> Vec<Call> {
    vec![(libc::SYS_write, condition(0, SeccompCmpOp::Gt, 2))]
}

/// Nothing can be made, renamed, removed or opened to be written.
fn read_only() -> Vec<Call> {
    let wants = |argument, flag: i32| {
        let is = SeccompCmpOp::MaskedEq(u64::from(flag.cast_unsigned()));
        condition(argument, is, flag)
    };
    vec![
        (libc::SYS_openat, wants(2, libc::O_CREAT)),
        (libc::SYS_openat, wants(2, libc::O_RDWR)),
        (libc::SYS_faccessat, wants(2, libc::W_OK)),
        (libc::SYS_faccessat2, wants(2, libc::W_OK)),
        (libc::SYS_mkdirat, None),
        (libc::SYS_unlinkat, None),
        (libc::SYS_renameat2, None),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mkdir, None),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_renameat, None),
    ]
}

#[test]
fn a_full_disk() {
    let home = Home::new();
    home.install("notes", b"one", "first").unwrap();
    let before = home.state("notes");
    for what in ["grant", "remove"] {
        let error = where_fail(full(), libc::ENOSPC, || match what {
            "grant" => home.regrant("second").unwrap_err(),
            _ => home.remove("notes", b"one", "first").unwrap_err(),
        });
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
        let error = error.to_string();
        assert!(
            error.starts_with("there is no room left on the disk"),
            "{error}"
        );
        assert_eq!(home.state("notes"), before);
        assert!(!home.path().join("store/journal").exists());
        drop(home.store().begin().unwrap());
        assert_eq!(home.left().len(), 3, "{:?}", home.left());
    }
    // A component on its way.
    let error = where_fail(full(), libc::ENOSPC, || {
        let mut blob = home.store().temporary().unwrap();
        blob.write(COMPONENT).unwrap_err()
    });
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert_eq!(home.left().len(), 3, "{:?}", home.left());
}

#[test]
fn a_disk_that_cannot_be_written() {
    let home = Home::new();
    home.install("notes", b"one", "first").unwrap();
    let before = home.state("notes");
    let error = where_fail(read_only(), libc::EROFS, || {
        // What is there is of use.
        assert_eq!(home.state("notes"), before);
        assert_eq!(home.store().load("notes").unwrap().unwrap().1, b"one");
        assert!(home.store().verify().unwrap().is_empty());
        home.regrant("second").unwrap_err()
    });
    let read_only = matches!(
        error,
        StoreError::Forbidden {
            read_only: true,
            ..
        }
    );
    assert!(read_only, "{error}");
    assert!(
        error.to_string().contains("file system is read-only"),
        "{error}"
    );
    assert_eq!(home.state("notes"), before);
}
