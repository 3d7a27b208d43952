//! A plugin is compiled once, and what was compiled is run only if nobody else
//! can have written it.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use palisade_tests::{Finished, Palisade, plugin};
use tempfile::TempDir;

/// A cache of its own, and a call that needs what is in it.
struct Cache {
    folder: TempDir,
    call: Palisade,
}

impl Cache {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let call = Palisade::call(plugin("hello"), "greet", r#"{"name": "Ada"}"#)
            .env("PALISADE_LOG", "debug")
            .cache(folder.path());
        Self { folder, call }
    }

    /// With the plugin in it.
    fn filled() -> Self {
        let cache = Self::new();
        assert!(compiled(&cache.call()), "nothing was there");
        assert!(!compiled(&cache.call()), "it was there");
        cache
    }

    fn call(&self) -> Finished {
        self.call.output()
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("palisade/compiled")
    }

    fn file(&self, ending: &str) -> PathBuf {
        let found: Vec<_> = entries(&self.dir())
            .into_iter()
            .filter(|path| path.extension().is_some_and(|found| found == ending))
            .collect();
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    }
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect()
}

/// Whether the plugin had to be compiled; in any case it must have worked.
#[track_caller]
fn compiled(done: &Finished) -> bool {
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), "Hello, Ada!\n"),
        "{done:?}"
    );
    match (
        done.stderr.contains("compiled=true"),
        done.stderr.contains("compiled=false"),
    ) {
        (true, false) => true,
        (false, true) => false,
        _ => panic!("the log does not say: {done:?}"),
    }
}

#[track_caller]
fn warns(done: &Finished, of: &str) {
    let warned = done
        .stderr
        .lines()
        .any(|line| line.contains("WARN") && line.contains(of));
    assert!(warned, "no warning of {of:?}: {}", done.stderr);
}

#[test]
fn a_plugin_is_compiled_at_its_first_start_only() {
    let cache = Cache::filled();
    assert!(!compiled(&cache.call()));
    // Another path, another time: the same plugin.
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("copy.wasm");
    fs::copy(plugin("hello"), &copy).unwrap();
    let call = Palisade::call(copy, "greet", r#"{"name": "Ada"}"#)
        .env("PALISADE_LOG", "debug")
        .cache(cache.folder.path());
    assert!(!compiled(&call.output()));
}

#[test]
fn a_changed_plugin_is_another_one() {
    let cache = Cache::filled();
    let elsewhere = tempfile::tempdir().unwrap();
    let changed = elsewhere.path().join("hello.wasm");
    let mut bytes = fs::read(plugin("hello")).unwrap();
    // An empty custom section of the name "x".
    bytes.extend_from_slice(&[0, 2, 1, b'x']);
    fs::write(&changed, bytes).unwrap();
    let call = Palisade::call(changed, "greet", r#"{"name": "Ada"}"#)
        .env("PALISADE_LOG", "debug")
        .cache(cache.folder.path());
    assert!(compiled(&call.output()));
}

#[test]
fn only_its_owner_can_read_it() {
    let cache = Cache::filled();
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().mode() & 0o7777;
    assert_eq!(mode(&cache.dir()), 0o700);
    let files = entries(&cache.dir());
    assert!(files.len() >= 2, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn a_folder_that_others_can_write_to_is_not_used() {
    for mode in [0o720, 0o1777] {
        let cache = Cache::filled();
        fs::set_permissions(cache.dir(), fs::Permissions::from_mode(mode)).unwrap();
        let done = cache.call();
        assert!(compiled(&done), "mode {mode:o}");
        warns(&done, "cache directory");
        assert!(compiled(&cache.call()), "and nothing is written there");
    }
}

#[test]
fn a_file_that_others_can_write_to_is_not_used() {
    for ending in ["cwasm", "json"] {
        let cache = Cache::filled();
        let file = cache.file(ending);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        let done = cache.call();
        assert!(compiled(&done), "{ending}");
        warns(&done, "others may write");
        // What was not used has been replaced.
        assert!(!compiled(&cache.call()), "{ending}");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_link_is_not_followed() {
    for ending in ["cwasm", "json"] {
        let cache = Cache::filled();
        let file = cache.file(ending);
        let moved = cache.folder.path().join("moved");
        fs::rename(&file, &moved).unwrap();
        symlink(&moved, &file).unwrap();
        let before = fs::read(&moved).unwrap();
        assert!(compiled(&cache.call()), "{ending}");
        assert_eq!(
            fs::read(&moved).unwrap(),
            before,
            "nothing is written through it"
        );
        assert!(!compiled(&cache.call()), "{ending}");
    }
}

#[test]
fn a_link_in_place_of_the_folder_is_not_followed() {
    let cache = Cache::filled();
    let moved = cache.folder.path().join("moved");
    fs::rename(cache.dir(), &moved).unwrap();
    symlink(&moved, cache.dir()).unwrap();
    let done = cache.call();
    assert!(compiled(&done));
    warns(&done, "cache directory");
}

#[test]
fn what_is_not_whole_is_compiled_again() {
    let cache = Cache::filled();
    for ending in ["cwasm", "json"] {
        let file = cache.file(ending);
        let length = fs::metadata(&file).unwrap().len();
        for left in [0, length / 2, length - 1] {
            fs::OpenOptions::new()
                .write(true)
                .open(&file)
                .unwrap()
                .set_len(left)
                .unwrap();
            assert!(compiled(&cache.call()), "{left} bytes of {ending}");
            assert!(!compiled(&cache.call()), "and kept");
        }
        fs::remove_file(&file).unwrap();
        assert!(compiled(&cache.call()), "no {ending}");
    }
}

/// Bits that rot, or a disk that lost a page.
#[test]
fn what_is_damaged_is_compiled_again() {
    let cache = Cache::filled();
    let file = cache.file("cwasm");
    let whole = fs::read(&file).unwrap();
    let middle = whole.len() / 2;
    for (start, length) in [(0, 16), (64, 512), (middle, 4096), (whole.len() - 512, 512)] {
        let mut damaged = whole.clone();
        damaged[start..start + length].fill(0);
        if damaged == whole {
            continue;
        }
        fs::write(&file, damaged).unwrap();
        assert!(
            compiled(&cache.call()),
            "{length} zeros at {start} of {}",
            whole.len()
        );
        assert!(!compiled(&cache.call()), "and kept");
    }
}

#[test]
fn a_record_of_another_kind_is_not_believed() {
    let cache = Cache::filled();
    let file = cache.file("json");
    for text in [
        "",
        "null",
        "[]",
        "{}",
        "{\"code_len\":1}",
        "\u{0}\u{0}",
        &"[".repeat(100_000),
    ] {
        fs::write(&file, text).unwrap();
        assert!(compiled(&cache.call()), "{:?}", &text[..text.len().min(20)]);
    }
}

#[test]
fn a_folder_that_can_not_be_made_costs_only_time() {
    let cache = Cache::new();
    fs::write(cache.folder.path().join("palisade"), "a file").unwrap();
    let done = cache.call();
    assert!(compiled(&done));
    warns(&done, "compiled anew");
}

#[test]
fn two_at_once_do_not_get_in_each_others_way() {
    let cache = Cache::new();
    let running: Vec<_> = (0..2).map(|_| cache.call.start()).collect();
    for session in running {
        compiled(&session.finish());
    }
    assert!(!compiled(&cache.call()));
    let left: Vec<_> = entries(&cache.dir());
    assert_eq!(left.len(), 2, "nothing temporary is left: {left:?}");
}
