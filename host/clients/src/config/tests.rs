use proptest::prelude::*;
use serde_json::json;

use super::*;

fn client() -> &'static Client {
    Client::find("zed").unwrap()
}

fn server() -> Server {
    Server {
        command: "/opt/odd \"name\"\\palisade".to_owned(),
        args: vec!["run".to_owned(), "notes".to_owned()],
        env: [("XDG_DATA_HOME".to_owned(), "/data\n".to_owned())].into(),
    }
}

fn read(text: &str) -> Value {
    let options = ParseOptions::default();
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    let root = CstRootNode::parse(text, &options).unwrap();
    root.to_serde_value().unwrap_or(json!({}))
}

fn added(text: &str) -> Edit {
    add(text, client(), "notes", &server(), false).unwrap()
}

#[test]
fn comments_order_and_line_ends_stay() {
    let before = "\u{feff}// mine\r\n{\r\n    \"b\": 1, // one\r\n    \"context_servers\": {\r\n        /* other */ \"other\": {\"command\": \"x\"}, // last\r\n    },\r\n    \"a\": [1, 2,],\r\n}\r\n";
    let edit = added(before);
    assert_eq!(edit.change, Change::Added);
    let kept: Vec<_> = before.lines().collect();
    let now: Vec<_> = edit
        .text
        .lines()
        .filter(|line| kept.contains(line))
        .collect();
    assert_eq!(now, kept, "{}", edit.text);
    assert!(
        !edit.text.replace("\r\n", "").contains('\n'),
        "{:?}",
        edit.text
    );
    let again = added(&edit.text);
    assert_eq!((again.change, &again.text), (Change::Same, &edit.text));
    let removed = remove(&edit.text, client(), "notes").unwrap().unwrap();
    assert_eq!(removed, before);
}

#[test]
fn nothing_becomes_something() {
    for nothing in [
        "",
        " \n",
        "// only a comment",
        "{}",
        "{\"context_servers\":{}}",
    ] {
        let edit = added(nothing);
        let entry = server().entry(client());
        assert_eq!(
            read(&edit.text),
            json!({ "context_servers": { "notes": entry } }),
            "{nothing}"
        );
        assert!(edit.text.contains("comment") == nothing.contains("comment"));
    }
}

#[test]
fn what_a_person_added_to_an_entry_stays() {
    let before = json!({ "context_servers": { "notes": {
        "command": "/old/palisade",
        "args": ["run", "notes", "--root", "x=/x"],
        "env": { "MINE": "1" },
        "enabled": false,
    } } });
    let edit = added(&before.to_string());
    assert_eq!(edit.change, Change::Updated);
    let now = &read(&edit.text)["context_servers"]["notes"];
    assert_eq!(now["command"], server().command);
    assert_eq!(now["args"], json!(["run", "notes", "--root", "x=/x"]));
    assert_eq!(
        now["env"],
        json!({ "MINE": "1", "XDG_DATA_HOME": "/data\n" })
    );
    assert_eq!(now["enabled"], false);
    let over = add(&before.to_string(), client(), "notes", &server(), true).unwrap();
    assert_eq!(
        read(&over.text)["context_servers"]["notes"],
        server().entry(client())
    );
}

#[test]
fn what_is_not_ours_stays() {
    for entry in [
        json!({ "command": "npx", "args": ["run", "notes"] }),
        json!({ "command": "palisade", "args": ["run", "other"] }),
        json!({ "command": "palisade", "args": ["secret"] }),
        json!({ "url": "https://example.com" }),
        json!("text"),
    ] {
        let before = json!({ "context_servers": { "notes": entry } }).to_string();
        let foreign = Err(ConfigError::Foreign("notes".to_owned()));
        assert_eq!(add(&before, client(), "notes", &server(), false), foreign);
        assert_eq!(
            remove(&before, client(), "notes").map(|_| ()),
            foreign.map(|_| ())
        );
        let edit = add(&before, client(), "notes", &server(), true).unwrap();
        assert_eq!(edit.change, Change::Replaced);
    }
}

#[test]
fn what_can_not_be_read_is_said_with_its_place() {
    let wrong = |text: &str| add(text, client(), "notes", &server(), false).unwrap_err();
    let place = |text: &str| match wrong(text) {
        ConfigError::NotJson { line, column, .. } => (line, column),
        other => panic!("{text}: {other}"),
    };
    assert_eq!(place("{\n  \"a\": nope\n}"), (2, 8));
    assert_eq!(place("{\"a\" 1}").0, 1);
    assert_eq!(place("{\n\"a\": 1").0, 1);
    assert_eq!(place("{a: 1}"), (1, 2));
    place("{'a': 1}");
    place("{} {}");
    place(&"[".repeat(100_000));
    assert_eq!(wrong("[]"), ConfigError::NotAnObject);
    assert_eq!(
        wrong("{\"context_servers\": []}"),
        ConfigError::NoServers("context_servers")
    );
    for twice in [
        "{\"context_servers\": {}, \"context\\u005fservers\": {}}",
        "{\"context_servers\": {\"notes\": {}, \"notes\": {}}}",
    ] {
        assert!(matches!(wrong(twice), ConfigError::Twice(_)), "{twice}");
    }
}

/// JSON of any kind, small.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A configuration, and its text in one of the ways people write it.
fn any_config() -> impl Strategy<Value = (Value, String)> {
    let map = || prop::collection::btree_map(any::<String>(), any_json(), 0..4);
    let servers = prop::option::of((map(), any::<bool>()));
    (map(), servers, any::<bool>(), any::<bool>()).prop_map(|(rest, servers, pretty, comments)| {
        let mut top: serde_json::Map<_, _> = rest.into_iter().collect();
        if let Some((servers, there)) = servers {
            let mut servers: serde_json::Map<_, _> = servers.into_iter().collect();
            servers.remove("notes");
            if there {
                let old = json!({ "command": "palisade", "args": ["run", "notes"], "x": 1 });
                servers.insert("notes".to_owned(), old);
            }
            top.insert(client().key.to_owned(), Value::Object(servers));
        }
        let value = Value::Object(top);
        let text = match pretty {
            true => serde_json::to_string_pretty(&value).unwrap(),
            false => value.to_string(),
        };
        let text = match comments {
            // A line end in JSON's text is never within a string.
            true => format!("/* a */ {} // z", text.replace('\n', " // c, }\n")),
            false => text,
        };
        (value, text)
    })
}

/// Without the entry that is meant; an object that has become empty by that is as
/// good as none.
fn others(value: &Value) -> Value {
    let mut value = value.clone();
    let top = value.as_object_mut().unwrap();
    if let Some(servers) = top.get_mut(client().key).and_then(Value::as_object_mut) {
        servers.remove("notes");
        if servers.is_empty() {
            top.remove(client().key);
        }
    }
    value
}

proptest! {
    #[test]
    fn editing_changes_nothing_but_our_entry((before, text) in any_config()) {
        let edit = added(&text);
        let after = read(&edit.text);
        prop_assert_eq!(others(&after), others(&before));
        let entry = &after[client().key]["notes"];
        prop_assert_eq!(plugin_of(entry), Some("notes"));
        prop_assert_eq!(&entry["command"], &json!(server().command));
        let comments = |text: &str| text.matches("// c, }").count();
        prop_assert!(comments(&edit.text) >= comments(&text));
        let again = added(&edit.text);
        prop_assert_eq!(again.text, edit.text.clone());
        let removed = remove(&edit.text, client(), "notes").unwrap().unwrap();
        prop_assert_eq!(others(&read(&removed)), others(&before));
    }

    #[test]
    fn no_text_is_too_odd_to_be_refused(text in any::<String>()) {
        let _ = add(&text, client(), "notes", &server(), true);
        let _ = entries(&text, client());
    }
}
