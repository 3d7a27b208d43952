//! The calls on which the filesystem plugin and the reference server are
//! compared.

use serde_json::{Value, json};

type Calls = Vec<(&'static str, Value)>;

/// Calls that change nothing; `top` is the folder that is granted.
pub(crate) fn reading(top: &str) -> Calls {
    let at = |name: &str| format!("{top}/{name}");
    let mut calls: Calls = Vec::new();
    for name in [
        "a.txt",
        "no-end.txt",
        "empty.txt",
        "numbered.txt",
        "odd.bin",
        ".env",
        "é.txt",
        "日本.md",
        "a b.md",
        "z[1].txt",
    ] {
        let path = at(name);
        calls.push(("read_text_file", json!({"path": path})));
        calls.push(("read_file", json!({"path": path})));
        for count in [1, 2, 3, 4, 100] {
            calls.push(("read_text_file", json!({"path": path, "head": count})));
            calls.push(("read_text_file", json!({"path": path, "tail": count})));
        }
        calls.push(("read_media_file", json!({"path": path})));
    }
    let large = at("large.txt");
    calls.push(("read_text_file", json!({"path": large, "head": 5_000})));
    calls.push(("read_text_file", json!({"path": large, "tail": 5_000})));
    let both = json!({"path": large, "head": 1, "tail": 1});
    calls.push(("read_text_file", both));
    for name in ["pic.PNG", "s.mp3", "doc 1%.pdf"] {
        calls.push(("read_media_file", json!({"path": at(name)})));
    }
    for name in [
        "missing.txt",
        "sub",
        "a.txt/x",
        "sub/../a.txt",
        "./a.txt",
        "link/b.txt",
    ] {
        for tool in ["read_text_file", "read_media_file", "get_file_info"] {
            // Media say where they are, and of a link that differs on purpose.
            if tool == "read_media_file" && name.starts_with("link") {
                continue;
            }
            calls.push((tool, json!({"path": at(name)})));
            calls.push((tool, json!({"path": name})));
        }
    }
    for path in [
        "/etc/passwd",
        "/",
        "../outside",
        &format!("{top}x/a"),
        &at("../x"),
    ] {
        for tool in [
            "read_text_file",
            "list_directory",
            "directory_tree",
            "get_file_info",
        ] {
            calls.push((tool, json!({"path": path})));
        }
    }
    let several = json!([
        at("a.txt"),
        at("missing"),
        "/etc/passwd",
        at("B.md"),
        at("sub")
    ]);
    calls.push(("read_multiple_files", json!({"paths": several})));
    calls.push(("read_multiple_files", json!({"paths": [at("a.txt")]})));
    for name in ["", "sub", "empty", ".hidden", "link", "missing", "a.txt"] {
        let path = at(name);
        calls.push(("list_directory", json!({"path": path})));
        for order in ["name", "size"] {
            let sorted = json!({"path": path, "sortBy": order});
            calls.push(("list_directory_with_sizes", sorted));
        }
        calls.push(("get_file_info", json!({"path": path})));
    }
    searching(top, &mut calls);
    calls.push(("list_allowed_directories", json!({})));
    calls
}

fn searching(top: &str, calls: &mut Calls) {
    for exclude in [
        &[][..],
        &["node_modules"],
        &["**/*.txt"],
        &["*.txt"],
        &["sub"],
        &["sub/deep"],
        &["deep"],
        &["**/node_modules/**"],
        &[".hidden", ".env"],
        &["*.{md,txt}"],
        &["!(sub)"],
        &["z[1].txt"],
    ] {
        for name in ["", "sub"] {
            let path = format!("{top}/{name}");
            let tree = json!({"path": path, "excludePatterns": exclude});
            calls.push(("directory_tree", tree));
            let search = json!({"path": path, "pattern": "**", "excludePatterns": exclude});
            calls.push(("search_files", search));
        }
    }
    for pattern in [
        "*.txt",
        "**/*.txt",
        "*",
        "**",
        "*.md",
        "sub/**",
        "**/deep/*",
        "*.{txt,md}",
        "?.txt",
        "[a-c]*",
        "**/node_modules",
        "!(*.txt)",
        "*.none",
        "./a.txt",
        "!*.txt",
        "**/.*",
        "z\\[1\\].txt",
        "é*",
    ] {
        calls.push(("search_files", json!({"path": top, "pattern": pattern})));
        let sub = format!("{top}/sub");
        calls.push(("search_files", json!({"path": sub, "pattern": pattern})));
    }
}

/// Calls that change something, each on the same files.
pub(crate) fn changing(top: &str) -> Calls {
    let at = |name: &str| format!("{top}/{name}");
    let mut calls: Calls = Vec::new();
    for name in [
        "new.txt",
        "a.txt",
        "sub/new.txt",
        "no/such/new.txt",
        "a.txt/x",
        "link/new.txt",
        "é.txt",
    ] {
        let write = json!({"path": at(name), "content": "written\n"});
        calls.push(("write_file", write));
    }
    calls.push((
        "write_file",
        json!({"path": "relative.txt", "content": "r"}),
    ));
    calls.push(("write_file", json!({"path": "/etc/x", "content": "r"})));
    for name in ["d1", "d1/d2/d3", "sub", "a.txt", "a.txt/x", "link/new"] {
        calls.push(("create_directory", json!({"path": at(name)})));
    }
    for (from, to) in [
        ("a.txt", "moved.txt"),
        ("a.txt", "sub/moved.txt"),
        ("a.txt", "B.md"),
        ("sub", "sub2"),
        ("sub", "empty"),
        ("missing", "x"),
        ("B.md", "no/dir/x"),
        ("B.md", "a.txt/x"),
        ("pic.PNG", "pic.PNG"),
        ("empty", "s.mp3"),
    ] {
        let moved = json!({"source": at(from), "destination": at(to)});
        calls.push(("move_file", moved));
    }
    let out = json!({"source": at("B.md"), "destination": "/etc/x"});
    calls.push(("move_file", out));
    calls.push((
        "move_file",
        json!({"source": "/etc/passwd", "destination": at("x")}),
    ));
    editing(top, &mut calls);
    calls
}

fn editing(top: &str, calls: &mut Calls) {
    let edits: &[(&str, &[(&str, &str)])] = &[
        ("a.txt", &[("two", "TWO")]),
        ("a.txt", &[("one", "one")]),
        ("a.txt", &[("nope", "x")]),
        ("a.txt", &[("one\n", "$& $1\n")]),
        ("a.txt", &[("", "start ")]),
        ("a.txt", &[]),
        ("a.txt", &[("one", "1"), ("1", "ONE"), ("three", "3")]),
        ("a.txt", &[("one", "1"), ("nope", "x")]),
        ("no-end.txt", &[("two", "TWO\n")]),
        ("no-end.txt", &[("one\ntwo", "")]),
        ("empty.txt", &[("", "new")]),
        (
            "numbered.txt",
            &[
                ("line 5\n", "LINE 5\n"),
                ("line 14\n", "LINE 14\n"),
                ("line 23\n", "LINE 23\nx\n"),
                ("line 50\n", ""),
            ],
        ),
        ("numbered.txt", &[("line 1\n", "")]),
        (
            "numbered.txt",
            &[("line 30\n", "a\nb\nc\n"), ("line 31\n", "")],
        ),
        (
            "code.py",
            &[("if x:\n  return 1", "if x:\n    y = 2\n    return y")],
        ),
        (
            "code.py",
            &[(
                "  def g():\n    pass",
                "  def g():\n      return 3\n  # end",
            )],
        ),
        ("code.py", &[("\tpass", "\tdone")]),
        ("ticks.md", &[("code", "CODE")]),
        ("é.txt", &[("composed", "x")]),
        ("missing", &[("a", "b")]),
        ("sub", &[("a", "b")]),
    ];
    for (name, edits) in edits {
        let edits: Vec<_> = edits
            .iter()
            .map(|(old, new)| json!({"oldText": old, "newText": new}))
            .collect();
        for dry_run in [true, false] {
            let path = format!("{top}/{name}");
            let edit = json!({"path": path, "edits": edits, "dryRun": dry_run});
            calls.push(("edit_file", edit));
        }
    }
}
