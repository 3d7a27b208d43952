//! The filesystem plugin is a drop-in for the reference filesystem server: the
//! same tools, and the same answers to the same calls on the same files. What
//! differs on purpose is in the plugin's README and not called here.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use palisade_tests::{Client, Palisade, plugin};
use serde_json::{Value, json};

use crate::filesystem_calls::{changing, reading};
use crate::filesystem_reference::Reference;

/// What is in a folder: paths and contents.
type Contents = Vec<(String, Vec<u8>)>;

/// A folder to which both are let, one after the other.
struct Folder {
    _temporary: tempfile::TempDir,
    path: PathBuf,
}

impl Folder {
    fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().canonicalize().unwrap().join("the notes");
        let folder = Self {
            path,
            _temporary: temporary,
        };
        fs::create_dir(&folder.path).unwrap();
        folder.fill();
        folder
    }

    /// Makes it what it is at first; the folder itself stays.
    fn fill(&self) {
        for entry in fs::read_dir(&self.path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
        let numbered: String = (1..60).map(|n| format!("line {n}\n")).collect();
        let large: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
        let python =
            "def f(x):\n    if x:\n        return 1\n    return 2\n\n\ndef g():\n    pass\n";
        for (name, contents) in [
            ("a.txt", "one\ntwo\nthree\n"),
            ("no-end.txt", "one\ntwo"),
            ("empty.txt", ""),
            ("numbered.txt", &numbered),
            ("large.txt", &large),
            ("code.py", python),
            ("ticks.md", "```js\ncode\n```\n````\n"),
            ("B.md", "B"),
            ("a b.md", "spaces"),
            ("é.txt", "composed"),
            ("日本.md", "japanese"),
            ("z[1].txt", "brackets"),
            (".env", "A=1"),
            (".hidden/x.txt", "hidden"),
            ("sub/b.txt", "b"),
            ("sub/deep/c.md", "c"),
            ("sub/deep/d.txt", "dddd"),
            ("node_modules/m/index.js", "m"),
            ("sub/node_modules/q.js", "q"),
        ] {
            let path = self.path.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, contents).unwrap();
        }
        fs::write(self.path.join("odd.bin"), b"ok\xff\xfe\nx\x80y\n").unwrap();
        fs::write(self.path.join("pic.PNG"), b"\x89PNG\0\x01\x02").unwrap();
        fs::write(self.path.join("s.mp3"), b"ID3abc").unwrap();
        fs::write(self.path.join("doc 1%.pdf"), b"%PDF").unwrap();
        fs::create_dir(self.path.join("empty")).unwrap();
        symlink("sub", self.path.join("link")).unwrap();
    }

    fn contents(&self) -> Contents {
        let mut found = Vec::new();
        collect(&self.path, &self.path, &mut found);
        found.sort();
        found
    }

    fn client(&self) -> Client {
        Client::connect(&Palisade::run(plugin("filesystem")).root("notes", &self.path, "rw"))
    }
}

fn collect(top: &Path, folder: &Path, found: &mut Contents) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(top).unwrap().display().to_string();
        if path.is_symlink() {
            found.push((name, b"link".into()));
        } else if path.is_dir() {
            found.push((format!("{name}/"), Vec::new()));
            collect(top, &path, found);
        } else {
            found.push((name, fs::read(&path).unwrap()));
        }
    }
}

/// What of an answer must be the same.
fn comparable(tool: &str, result: &Value) -> Value {
    let failed = result["isError"] == true;
    let mut content = result["content"].clone();
    let mut structured = result["structuredContent"].clone();
    if failed {
        // Neither has any; the reference says which system call failed, which
        // is an accident of how it is written.
        structured = Value::Null;
        if let Some(text) = content[0]["text"].as_str() {
            content = json!(without_operation(text));
        }
    } else if tool == "get_file_info" {
        // Times and modes are known to differ.
        let text = content[0]["text"].as_str().unwrap();
        let lines: Vec<_> = text
            .lines()
            .filter(|line| line.starts_with("size") || line.starts_with("is"))
            .collect();
        content = json!(lines);
        structured = Value::Null;
    }
    json!({"failed": failed, "content": content, "structured": structured})
}

/// `ENOENT: no such file, open '/x'` without the name of the operation.
fn without_operation(text: &str) -> String {
    match text.split_once(", ") {
        Some((code, rest)) if code.starts_with('E') => {
            let rest = rest.split_once(' ').map_or(rest, |(_, path)| path);
            format!("{code}, {rest}")
        }
        _ => text.to_owned(),
    }
}

#[test]
fn the_same_tools() {
    let folder = Folder::new();
    let Some(mut reference) = Reference::start(&folder.path) else {
        return;
    };
    let ours = folder.client().tools();
    let ours: Vec<Value> = ours
        .iter()
        .map(|tool| serde_json::to_value(tool).unwrap())
        .collect();
    let theirs = reference.tools();
    let same = |tool: &Value| {
        let properties = tool["inputSchema"]["properties"].as_object();
        let types: Vec<_> = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| {
                (
                    name.clone(),
                    schema["type"].clone(),
                    schema["default"].clone(),
                )
            })
            .collect();
        let required = tool["inputSchema"]["required"].as_array().cloned();
        let output = tool["outputSchema"]["properties"].as_object();
        let output: Vec<_> = output
            .into_iter()
            .flatten()
            .map(|it| it.0.clone())
            .collect();
        json!({
            "name": tool["name"],
            "title": tool["title"],
            "annotations": tool["annotations"],
            "arguments": types,
            "required": required.unwrap_or_default(),
            "answers": output,
            "answers must": tool["outputSchema"]["required"],
        })
    };
    let ours: Vec<_> = ours.iter().map(same).collect();
    let theirs: Vec<_> = theirs.iter().map(same).collect();
    for (our, their) in ours.iter().zip(&theirs) {
        assert_eq!(our, their);
    }
    assert_eq!(ours.len(), theirs.len());
}

/// Runs all calls with `call`, and returns for each what was answered and, if
/// it `changes` something, what is in the folder then.
fn answers(
    folder: &Folder,
    calls: &[(&'static str, Value)],
    changes: bool,
    mut call: impl FnMut(&str, Value) -> Value,
) -> Vec<(Value, Contents)> {
    calls
        .iter()
        .map(|(tool, arguments)| {
            if changes {
                folder.fill();
            }
            let answer = comparable(tool, &call(tool, arguments.clone()));
            let contents = if changes {
                folder.contents()
            } else {
                Vec::new()
            };
            (answer, contents)
        })
        .collect()
}

fn the_same_answers(calls: impl Fn(&str) -> Vec<(&'static str, Value)>, changes: bool) {
    let folder = Folder::new();
    let Some(mut reference) = Reference::start(&folder.path) else {
        return;
    };
    let calls = calls(folder.path.to_str().unwrap());
    let theirs = answers(&folder, &calls, changes, |tool, arguments| {
        reference.call(tool, arguments)
    });
    let client = folder.client();
    let ours = answers(&folder, &calls, changes, |tool, arguments| {
        client.call(tool, arguments)
    });
    let mut different = Vec::new();
    for ((call, theirs), ours) in calls.iter().zip(theirs).zip(ours) {
        if theirs != ours {
            let (tool, arguments) = call;
            different.push(format!(
                "{tool} {arguments}\n  theirs {}\n  ours   {}\n  same files: {}",
                theirs.0,
                ours.0,
                theirs.1 == ours.1
            ));
        }
    }
    let (count, all) = (different.len(), calls.len());
    assert!(
        different.is_empty(),
        "{count} of {all} answers differ:\n{}",
        different.join("\n")
    );
}

#[test]
fn the_same_answers_to_calls_that_read() {
    the_same_answers(reading, false);
}

#[test]
fn the_same_answers_to_calls_that_change_something() {
    the_same_answers(changing, true);
}
