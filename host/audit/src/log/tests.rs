#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;
use crate::record::Event;

fn removed(plugin: &str) -> Record {
    Record::now(plugin, None, Event::Removed)
}

fn names(log: &Log) -> Vec<String> {
    let name = |line: &Line| match line {
        Line::Record(record) => record.plugin.clone(),
        Line::Unknown(text) => format!("? {text}"),
    };
    log.read().unwrap().iter().map(name).collect()
}

#[test]
fn what_was_written_is_read_in_its_order_across_files() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::of(folder.path().join("audit")).with_most(1000);
    assert!(log.read().unwrap().is_empty());
    let all: Vec<_> = (0..100).map(|number| format!("p{number:03}")).collect();
    for name in &all {
        log.add(&removed(name)).unwrap();
    }
    let read = names(&log);
    assert!(all.ends_with(&read) && read.len() > 20, "{read:?}");
    let file = log.folder().join(NAME);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(log.folder()), mode(&file)), (0o700, 0o600));
    for place in 0..=OLD {
        assert!(log.path(place).metadata().unwrap().len() <= 1000);
    }
    assert!(!log.folder().join("audit.5.jsonl").exists());
}

#[test]
fn lines_of_several_never_mix() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::of(folder.path()).with_most(20_000);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let log = log.clone();
            scope.spawn(move || {
                for number in 0..200 {
                    log.add(&removed(&format!("p{writer}-{number}"))).unwrap();
                }
            });
        }
    });
    let read = names(&log);
    assert!(read.iter().all(|name| name.starts_with('p')), "{read:?}");
    assert!(read.len() > 500, "{}", read.len());
}

#[test]
fn what_others_could_have_written_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::of(folder.path().join("audit"));
    log.add(&removed("a")).unwrap();
    let file = log.folder().join(NAME);
    let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    open(&file, 0o622).unwrap();
    assert!(matches!(log.read(), Err(AuditError::NotOurs { .. })));
    assert!(matches!(
        log.add(&removed("b")),
        Err(AuditError::NotOurs { .. })
    ));
    open(&file, 0o600).unwrap();
    open(log.folder(), 0o777).unwrap();
    assert!(matches!(
        log.add(&removed("b")),
        Err(AuditError::NotOurs { .. })
    ));
    open(log.folder(), 0o700).unwrap();
    let other = folder.path().join("other");
    fs::rename(&file, &other).unwrap();
    symlink(&other, &file).unwrap();
    assert!(log.add(&removed("b")).is_err() && log.read().is_err());
    fs::remove_file(&file).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &file,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert!(log.add(&removed("b")).is_err() && log.read().is_err());
    assert_eq!(fs::read_to_string(other).unwrap().lines().count(), 1);
}

#[test]
fn a_damaged_line_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::of(folder.path());
    log.add(&removed("a")).unwrap();
    let mut file = OpenOptions::new()
        .append(true)
        .open(log.folder().join(NAME))
        .unwrap();
    file.write_all(b"{\"at\":\"nonsense\xff\n").unwrap();
    log.add(&removed("b")).unwrap();
    let read = names(&log);
    assert_eq!((read.len(), &*read[0], &*read[2]), (3, "a", "b"));
    assert!(read[1].starts_with("? {"), "{read:?}");
}

#[test]
fn what_is_long_is_shortened() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::of(folder.path());
    let what = vec!["x\n\u{1b}[2J".repeat(1_000_000); 1000];
    log.add(&Record::now("a", None, Event::Withheld { what }))
        .unwrap();
    let text = fs::read_to_string(log.folder().join(NAME)).unwrap();
    assert_eq!(text.lines().count(), 1);
    assert!(text.len() < 32 * 1024, "{}", text.len());
    assert!(text.contains("and 968 more"));
}
