//! A guest that no test runs proves nothing.

use std::fs;
use std::path::Path;

#[test]
fn each_is_named_in_the_suite() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources: Vec<_> = ["suite", "attacks"]
        .into_iter()
        .flat_map(|folder| fs::read_dir(tests.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let guests: Vec<_> = fs::read_dir(tests.join("guests"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("Cargo.toml").is_file())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert!(guests.len() >= 10, "only {guests:?} were found");
    let unused: Vec<_> = guests
        .iter()
        .filter(|guest| {
            let named = format!("\"{guest}\"");
            !sources.iter().any(|source| source.contains(&named))
        })
        .collect();
    assert_eq!(unused, [""; 0]);
}
