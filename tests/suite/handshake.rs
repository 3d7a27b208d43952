//! A client of an older revision opens its session with `initialize`.

use palisade_tests::{Client, Palisade, Session, plugin, rpc};
use serde_json::{Value, json};

fn hello() -> Session {
    Palisade::run(plugin("hello")).start()
}

#[test]
fn every_older_revision_is_agreed_to_as_asked() {
    for version in rpc::HANDSHAKE_REVISIONS {
        let mut session = hello();
        let agreed = session.initialize(version);
        assert_eq!(agreed["protocolVersion"], version);
        assert_eq!(agreed["serverInfo"]["name"], "hello");
        assert!(agreed["serverInfo"]["version"].is_string(), "{agreed}");
        assert!(agreed["capabilities"]["tools"].is_object(), "{agreed}");
        assert!(agreed["capabilities"]["logging"].is_object(), "{agreed}");

        let result = session.call("greet", json!({"name": "Ada"}));
        assert_eq!(rpc::tool_text(&result), "Hello, Ada!", "at {version}");
    }
}

#[test]
fn an_unknown_revision_is_answered_with_the_newest_that_has_a_handshake() {
    for version in ["1999-01-01", "2099-12-31", "", "latest", rpc::STATELESS] {
        let mut session = hello();
        let agreed = session.initialize(version);
        assert_eq!(
            agreed["protocolVersion"], "2025-11-25",
            "asked for {version:?}"
        );
        let result = session.call("greet", json!({"name": "Ada"}));
        assert_eq!(rpc::tool_text(&result), "Hello, Ada!");
    }
}

#[test]
fn a_real_client_shakes_hands_and_calls() {
    let client = Client::connect_with_handshake(&Palisade::run(plugin("hello")));
    assert_eq!(client.revision(), "2025-11-25");
    assert_eq!(client.tools().len(), 1);
    let result = client.call("greet", json!({"name": "Ada", "times": 2}));
    assert_eq!(rpc::tool_text(&result), "Hello, Ada! Hello, Ada!");
    assert_eq!(client.close(), Some(0));
}

/// What only the stateless revision has would confuse a strict older client.
#[test]
fn results_carry_nothing_of_the_stateless_revision() {
    for version in rpc::HANDSHAKE_REVISIONS {
        let mut session = hello();
        let results = [
            session.initialize(version),
            rpc::result(&session.ask("ping", Value::Null)).clone(),
            rpc::result(&session.ask("tools/list", Value::Null)).clone(),
            session.call("greet", json!({"name": "Ada"})),
            session.call("greet", json!({"nobody": "Ada"})),
        ];
        for result in results {
            for key in ["resultType", "ttlMs", "cacheScope"] {
                assert!(result.get(key).is_none(), "{key} at {version}: {result}");
            }
            let said = result["_meta"].get("io.modelcontextprotocol/serverInfo");
            assert!(said.is_none(), "serverInfo in _meta at {version}: {result}");
        }
    }
}

#[test]
fn before_it_only_ping_is_answered_with_a_result() {
    let mut session = hello();
    assert_eq!(rpc::result(&session.ask("ping", Value::Null)), &json!({}));
    for (method, params) in [
        ("tools/list", Value::Null),
        ("tools/call", rpc::tool("greet", json!({"name": "Ada"}))),
        ("logging/setLevel", json!({"level": "debug"})),
    ] {
        let code = rpc::error_code(&session.ask(method, params));
        assert!([-32600, -32602].contains(&code), "{method}: {code}");
    }
    session.initialize("2025-11-25");
    assert_eq!(rpc::result(&session.ask("ping", Value::Null)), &json!({}));
    rpc::result(&session.ask("tools/list", Value::Null));
}

/// Requests may overtake the notification that the client is ready.
#[test]
fn nobody_waits_for_the_initialized_notification() {
    let mut session = hello();
    session.ask("initialize", rpc::hello("2025-06-18"));
    rpc::result(&session.ask("tools/list", Value::Null));
}

#[test]
fn what_nobody_asked_for_does_not_end_the_session() {
    let strays = [
        rpc::notification("notifications/initialized", Value::Null),
        rpc::notification("notifications/cancelled", json!({"requestId": 99})),
        rpc::notification("notifications/unheard_of", json!({"a": [1, 2]})),
        rpc::notification("notifications/roots/list_changed", Value::Null),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": "x", "error": {"code": -32601, "message": "what?"}}),
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "what?"}}),
    ];
    for stray in strays {
        let mut session = hello();
        session.send(&stray);
        session.initialize("2025-11-25");
        session.send(&stray);
        rpc::result(&session.ask("tools/list", Value::Null));
        assert_eq!(session.take_others(), [] as [Value; 0], "after {stray}");
    }
}

#[test]
fn unusable_parameters_of_initialize_are_refused_and_it_can_be_tried_again() {
    let mut session = hello();
    for params in [
        Value::Null,
        json!({}),
        json!({"protocolVersion": 7}),
        json!([]),
    ] {
        let code = rpc::error_code(&session.ask("initialize", params.clone()));
        assert_eq!(code, -32602, "{params}");
    }
    session.initialize("2025-11-25");
    rpc::result(&session.ask("tools/list", Value::Null));
}

#[test]
fn what_is_not_offered_is_an_unknown_method() {
    let mut session = hello();
    session.initialize("2025-11-25");
    for (method, params) in [
        ("no/such/method", Value::Null),
        ("resources/subscribe", json!({"uri": "x:y"})),
        ("prompts/list", Value::Null),
        ("prompts/get", json!({"name": "x"})),
        ("sampling/createMessage", Value::Null),
    ] {
        let code = rpc::error_code(&session.ask(method, params));
        assert_eq!(code, -32601, "{method:?}");
    }
}

/// The host itself has resources: results that were too large to be sent.
#[test]
fn without_a_plugins_resources_there_are_none_to_list() {
    let mut session = hello();
    let agreed = session.initialize("2025-11-25");
    assert_eq!(agreed["capabilities"]["resources"], json!({}), "{agreed}");
    let listed = session.ask("resources/list", Value::Null);
    assert_eq!(rpc::result(&listed)["resources"], json!([]));
    let templates = session.ask("resources/templates/list", Value::Null);
    assert_eq!(rpc::result(&templates)["resourceTemplates"], json!([]));
    for uri in ["file:///etc/passwd", "palisade-result://0"] {
        let read = session.ask("resources/read", json!({ "uri": uri }));
        assert_eq!(rpc::error_code(&read), -32002, "{uri}");
    }
}

#[test]
fn unusable_parameters_are_refused() {
    let mut session = hello();
    session.initialize("2025-11-25");
    for (method, params) in [
        ("tools/call", Value::Null),
        ("tools/call", json!({})),
        ("tools/call", json!({"name": 7})),
        ("tools/call", json!({"arguments": {"name": "Ada"}})),
        ("tools/call", json!({"name": "greet", "arguments": []})),
        ("tools/call", json!({"name": "greet", "arguments": "Ada"})),
        ("tools/list", json!({"cursor": 7})),
        ("tools/list", json!({"cursor": "not one of yours"})),
        ("logging/setLevel", json!({})),
        ("logging/setLevel", json!({"level": "shouting"})),
    ] {
        let code = rpc::error_code(&session.ask(method, params.clone()));
        assert_eq!(code, -32602, "{method} {params}");
    }
}

/// The contract promises plugins that the host does this for them.
#[test]
fn older_clients_get_no_content_of_a_kind_they_do_not_know() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("beep.wav"), b"RIFF\0\0\0\0WAVE").unwrap();
    let command = Palisade::run(plugin("filesystem")).root("sounds", folder.path(), "ro");
    let kinds_at = |version: &str| {
        let mut session = command.start();
        session.initialize(version);
        let result = session.call("read_media_file", json!({"path": "/sounds/beep.wav"}));
        rpc::tool_text(&result);
        let blocks = result["content"].as_array().unwrap().clone();
        assert!(!blocks.is_empty(), "nothing is left of it: {result}");
        blocks
            .iter()
            .map(|block| block["type"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds_at("2025-03-26"), ["audio"]);
    for kind in kinds_at("2024-11-05") {
        assert!(
            ["text", "image", "resource"].contains(&kind.as_str()),
            "{kind}"
        );
    }
}
