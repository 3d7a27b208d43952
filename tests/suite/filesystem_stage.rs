//! What the tests of the filesystem plugin share: a folder of notes, and a
//! real client that may use it.

use std::fs;
use std::path::{Path, PathBuf};

use palisade_tests::{Client, Palisade, plugin, rpc};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder of notes that the plugin sees as `/notes`.
pub(crate) struct Notes {
    folder: TempDir,
}

impl Notes {
    pub(crate) fn new() -> Self {
        let notes = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        notes.write("a.md", "one\ntwo\nthree\n");
        notes.write("b.md", "bee\n");
        notes.write("sub/c.txt", "sea\n");
        notes.write("sub/deep/d.md", "dee\n");
        notes
    }

    /// The folder as the host knows it, without links.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("notes")
    }

    /// Writes a file, and the folders it is in.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        path
    }

    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// A path as the host writes it.
    pub(crate) fn host(&self, name: &str) -> String {
        let path = self.path().join(name);
        path.to_str().unwrap().trim_end_matches('/').to_owned()
    }

    /// What lies beside the notes and is not granted.
    pub(crate) fn outside(&self) -> PathBuf {
        let path = self.path().with_file_name("outside");
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// A client of a host to which the notes are granted.
    pub(crate) fn client(&self, access: &str) -> Client {
        Client::connect(&Palisade::run(plugin("filesystem")).root("notes", self.path(), access))
    }
}

/// Calls a tool that must work, and returns its text, which is also its
/// structured content.
#[track_caller]
pub(crate) fn text(client: &Client, tool: &str, arguments: Value) -> String {
    let result = client.call(tool, arguments);
    let text = rpc::tool_text(&result);
    assert_eq!(result["structuredContent"], json!({"content": text}));
    text
}

/// Calls a tool that must fail, and returns in which words.
#[track_caller]
pub(crate) fn failure(client: &Client, tool: &str, arguments: Value) -> String {
    let shown = format!("{tool} {arguments}");
    let result = client.call(tool, arguments);
    assert_eq!(result["isError"], true, "{shown} worked: {result}");
    rpc::tool_error(&result)
}

/// `{"path": …}`.
pub(crate) fn at(path: impl AsRef<Path>) -> Value {
    json!({"path": path.as_ref().to_str().unwrap()})
}
