//! What the tools do, on paths that are already known to be allowed.
//!
//! Plain blocking calls: a local file of usual size is read in a few
//! microseconds, less than handing it to `tokio::fs`'s threads and back costs.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::SystemTime;

use chrono::{DateTime, Utc};

/// The whole file as text; bytes that are not UTF-8 are replaced.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    fs::read(path).map(text)
}

/// The first `lines` lines, without the last one's line break.
pub(crate) fn head(path: &Path, lines: usize) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut reader = BufReader::new(File::open(path)?);
    for _ in 0..lines {
        if reader.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
    }
    if bytes.ends_with(b"\n") {
        bytes.pop();
    }
    Ok(text(bytes))
}

/// The last `lines` lines, without the last one's line break.
pub(crate) fn tail(path: &Path, lines: usize) -> io::Result<String> {
    let whole = read(path)?;
    let whole = whole.strip_suffix('\n').unwrap_or(&whole);
    let start = match lines {
        0 => whole.len(),
        _ => whole
            .rmatch_indices('\n')
            .nth(lines - 1)
            .map_or(0, |(at, _)| at + 1),
    };
    Ok(whole[start..].to_owned())
}

/// Creates the file, or replaces it in one step so that nobody sees half of it
/// and no symlink put there meanwhile is written through.
pub(crate) fn write(path: &Path, content: &str) -> io::Result<()> {
    match File::create_new(path) {
        Ok(mut file) => file.write_all(content.as_bytes()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let permissions = fs::metadata(path)?.permissions();
            let directory = path.parent().unwrap_or(Path::new("/"));
            let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
            temporary.write_all(content.as_bytes())?;
            temporary.as_file().set_permissions(permissions)?;
            temporary.persist(path)?;
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// One line an entry, `[DIR] name` or `[FILE] name`, in the directory's order.
pub(crate) fn list(path: &Path) -> io::Result<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = if entry.file_type()?.is_dir() {
            "DIR"
        } else {
            "FILE"
        };
        lines.push(format!("[{kind}] {}", entry.file_name().to_string_lossy()));
    }
    Ok(lines.join("\n"))
}

/// Size, times, kind and permissions, one `key: value` a line.
pub(crate) fn info(path: &Path) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    Ok(format!(
        "size: {}\ncreated: {}\nmodified: {}\naccessed: {}\nisDirectory: {}\nisFile: {}\npermissions: {:03o}",
        metadata.len(),
        // Not every file system knows when a file was made.
        date(metadata.created().unwrap_or(SystemTime::UNIX_EPOCH)),
        date(metadata.modified()?),
        date(metadata.accessed()?),
        metadata.is_dir(),
        metadata.is_file(),
        metadata.permissions().mode() & 0o777,
    ))
}

fn date(time: SystemTime) -> String {
    DateTime::<Utc>::from(time)
        .format("%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)")
        .to_string()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;

    #[test]
    fn head_and_tail_count_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "one\ntwo\nthree\n").unwrap();
        assert_eq!(head(&path, 2).unwrap(), "one\ntwo");
        assert_eq!(head(&path, 9).unwrap(), "one\ntwo\nthree");
        assert_eq!(tail(&path, 2).unwrap(), "two\nthree");
        assert_eq!(tail(&path, 9).unwrap(), "one\ntwo\nthree");
        assert_eq!(tail(&path, 0).unwrap(), "");
    }

    #[test]
    fn writing_replaces_a_file_and_keeps_its_permissions() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        write(&path, "first").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write(&path, "second").unwrap();
        assert_eq!(read(&path).unwrap(), "second");
        assert!(
            info(&path)
                .unwrap()
                .ends_with("isFile: true\npermissions: 640")
        );
        assert_eq!(list(dir.path()).unwrap(), "[FILE] f");
    }
}
