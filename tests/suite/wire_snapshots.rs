//! Every method of every revision, message by message as it is on the wire.
//!
//! What must differ from run to run is replaced: the version, sealed states,
//! and the bytes of media. What every stateless request says of its client is
//! left out. After a wanted change: `INSTA_UPDATE=always cargo
//! nextest run -p palisade-tests wire_snapshots`, and read the difference.

use std::collections::BTreeMap;

use palisade_tests::{Palisade, Session, plugin, rpc};
use serde_json::{Value, json};

/// One conversation, and all that was said in it.
struct Conversation {
    session: Session,
    revision: &'static str,
    /// How often each id was used, to tell them apart.
    ids: BTreeMap<String, u32>,
    said: String,
    /// What was told about changes: nothing says whether it comes before or
    /// after the answer of the call that made them.
    news: Vec<Value>,
}

impl Conversation {
    fn new(revision: &'static str) -> Self {
        Self {
            session: Palisade::run(plugin("everything")).start(),
            revision,
            ids: BTreeMap::new(),
            said: String::new(),
            news: Vec::new(),
        }
    }

    fn is_stateless(&self) -> bool {
        self.revision == rpc::STATELESS
    }

    /// `params`, and what the revision wants in them.
    fn params(&self, params: Value) -> Value {
        if !self.is_stateless() {
            return params;
        }
        let mut params = rpc::stateless(params);
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities();
        params
    }

    fn note(&mut self, direction: &str, message: &Value) {
        let mut message = message.clone();
        redact(&mut message);
        let items = take_items(&mut message);
        self.said.push_str(&format!("{direction} {message}\n"));
        for item in items {
            self.said.push_str(&format!("      {item}\n"));
        }
    }

    /// An id that says what it is for, and stays the same when something is
    /// added elsewhere.
    fn id(&mut self, method: &str, params: &Value) -> String {
        let what = ["name", "uri"].iter().find_map(|key| params[*key].as_str());
        let id = [Some(method), what]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ");
        let used = self.ids.entry(id.clone()).or_default();
        *used += 1;
        if *used == 1 {
            id
        } else {
            format!("{id} #{used}")
        }
    }

    fn send(&mut self, message: &Value) {
        self.note("→", message);
        self.session.send(message);
    }

    /// Sends a request, answers what the host asks meanwhile, and returns the
    /// answer.
    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.ask_with_meta(method, params, &[])
    }

    #[track_caller]
    fn ask_with_meta(&mut self, method: &str, params: Value, meta: &[(&str, Value)]) -> Value {
        let id = self.id(method, &params);
        let mut params = self.params(params);
        for (key, value) in meta {
            params["_meta"][*key] = value.clone();
        }
        self.said.push('\n');
        self.send(&rpc::request(id.clone(), method, params));
        loop {
            let message = self.session.receive().expect("the host goes on");
            if is_news(&message) {
                self.news.push(message);
                continue;
            }
            self.note("←", &message);
            if message.get("method").is_none() {
                assert_eq!(message["id"], id, "nothing else was asked");
                return message;
            }
            if message.get("id").is_some() {
                let method = message["method"].as_str().unwrap().to_owned();
                let answer = answer_to(&method, &message["params"]);
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}));
            }
        }
    }

    /// Calls a tool, through as many rounds of questions as it takes.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) {
        self.until_complete("tools/call", rpc::tool(tool, arguments));
    }

    #[track_caller]
    fn until_complete(&mut self, method: &str, params: Value) {
        let mut next = params.clone();
        loop {
            let response = self.ask(method, next);
            let result = &response["result"];
            if result["resultType"] != "input_required" {
                return;
            }
            next = params.clone();
            let requests = result["inputRequests"]
                .as_object()
                .cloned()
                .unwrap_or_default();
            for (key, request) in requests {
                let asked = request["method"].as_str().unwrap();
                next["inputResponses"][key] = answer_to(asked, &request["params"]);
            }
            if let Some(state) = result.get("requestState") {
                next["requestState"] = state.clone();
            }
        }
    }

    /// Notes what comes unasked, until that many messages have.
    #[track_caller]
    fn hear(&mut self, count: usize) {
        for _ in 0..count {
            let message = self.session.receive().expect("the host goes on");
            self.note("←", &message);
        }
    }

    /// Calls a tool that changes something, until the change is told.
    #[track_caller]
    fn change(&mut self, tool: &str) {
        self.call(tool, json!({}));
        let news = match self.news.pop() {
            Some(news) => news,
            None => self.session.receive().expect("the host goes on"),
        };
        assert!(is_news(&news) && self.news.is_empty(), "{news}");
        self.note("←", &news);
    }

    /// Ends it; what was said, for a snapshot.
    #[track_caller]
    fn end(mut self) -> String {
        assert_eq!(self.news, Vec::<Value>::new());
        self.session.end_input();
        while let Some(message) = self.session.receive() {
            self.note("←", &message);
        }
        self.said
    }
}

fn capabilities() -> Value {
    json!({"sampling": {}, "roots": {}, "elicitation": {}})
}

/// What this client answers.
fn answer_to(method: &str, params: &Value) -> Value {
    match method {
        "elicitation/create" => {
            let wanted = params["requestedSchema"]["properties"].as_object().unwrap();
            let given = json!({
                "username": "ada",
                "email": "ada@example.org",
                "name": "Ada",
                "ok": true,
                "color": "blue",
                "context": "a context",
            });
            let content: serde_json::Map<_, _> = wanted
                .keys()
                .filter_map(|key| Some((key.clone(), given.get(key)?.clone())))
                .collect();
            json!({"action": "accept", "content": content})
        }
        "sampling/createMessage" => json!({
            "role": "assistant",
            "model": "a-model",
            "content": {"type": "text", "text": "a model's words"},
        }),
        "roots/list" => json!({"roots": [{"uri": "file:///somewhere/of/mine", "name": "mine"}]}),
        "ping" => json!({}),
        other => panic!("no server of MCP asks for {other}"),
    }
}

/// Replaces what may differ from run to run, and what nobody wants to read.
fn redact(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(redact),
        Value::Object(members) => {
            for (key, value) in members {
                match key.as_str() {
                    // The same in every request.
                    "_meta" => {
                        if let Value::Object(meta) = value {
                            for key in ["protocolVersion", "clientCapabilities", "clientInfo"] {
                                meta.remove(&format!("io.modelcontextprotocol/{key}"));
                            }
                        }
                        redact(value);
                    }
                    "requestState" => *value = json!("[state]"),
                    "blob" | "data" if value.is_string() && is_media(value) => {
                        *value = json!("[bytes]")
                    }
                    "version" if value.is_string() => *value = json!("[version]"),
                    "taskId" => *value = json!("[task]"),
                    "createdAt" | "lastUpdatedAt" => *value = json!("[time]"),
                    _ => redact(value),
                }
            }
        }
        _ => {}
    }
}

/// Takes the items out of a list of a result, to be shown one a line.
fn take_items(message: &mut Value) -> Vec<Value> {
    ["tools", "resources", "resourceTemplates", "prompts"]
        .iter()
        .find_map(
            |list| match message.pointer_mut(&format!("/result/{list}")) {
                Some(Value::Array(items)) => Some(std::mem::take(items)),
                _ => None,
            },
        )
        .unwrap_or_default()
}

/// Whether text is base64 of a PNG or a WAV, not the words of a log message.
fn is_media(value: &Value) -> bool {
    value.as_str().is_some_and(|text| {
        ["iVBOR", "UklGR"]
            .iter()
            .any(|start| text.starts_with(start))
    })
}

/// Opens a session, where the revision has one.
#[track_caller]
fn open(talk: &mut Conversation) {
    if talk.is_stateless() {
        talk.ask("server/discover", Value::Null);
        return;
    }
    let mut hello = rpc::hello(talk.revision);
    hello["capabilities"] = capabilities();
    if talk.revision < "2025-06-18" {
        hello["capabilities"]
            .as_object_mut()
            .unwrap()
            .remove("elicitation");
    }
    talk.ask("initialize", hello);
    talk.send(&rpc::notification("notifications/initialized", Value::Null));
    talk.ask("ping", Value::Null);
    talk.ask("logging/setLevel", json!({"level": "debug"}));
}

/// What all revisions have.
#[track_caller]
fn lists_reads_and_calls(talk: &mut Conversation) {
    for list in [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ] {
        talk.ask(list, Value::Null);
    }
    for tool in [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_error_handling",
    ] {
        talk.call(tool, json!({}));
    }
    talk.call("greet", json!({"name": "Ada"}));
    talk.call("greet", json!({"name": 7}));
    talk.call("no such tool", json!({}));
    let progress = [("progressToken", json!("mine"))];
    let call = rpc::tool("test_tool_with_progress", json!({}));
    talk.ask_with_meta("tools/call", call, &progress);
    for uri in [
        "test://static-text",
        "test://static-binary",
        "test://template/123/data",
        "test://nowhere",
    ] {
        talk.ask("resources/read", json!({"uri": uri}));
    }
    let arguments = json!({"arg1": "one", "arg2": "two"});
    for params in [
        json!({"name": "test_simple_prompt"}),
        json!({"name": "test_prompt_with_arguments", "arguments": arguments}),
        json!({"name": "test_prompt_with_arguments"}),
        json!({"name": "test_prompt_with_embedded_resource", "arguments": {"resourceUri": "test://static-text"}}),
        json!({"name": "test_prompt_with_image"}),
        json!({"name": "no such prompt"}),
    ] {
        talk.until_complete("prompts/get", params);
    }
    let reference = json!({"type": "ref/prompt", "name": "test_prompt_with_arguments"});
    let argument = json!({"name": "arg1", "value": "t"});
    talk.ask(
        "completion/complete",
        json!({"ref": reference, "argument": argument}),
    );
    talk.call("test_input_required_result_list_roots", json!({}));
    talk.call("test_input_required_result_sampling", json!({}));
    talk.ask("no/such/method", Value::Null);
}

#[track_caller]
fn handshake_only(talk: &mut Conversation) {
    talk.call("test_tool_with_logging", json!({}));
    talk.call("test_sampling", json!({"prompt": "Say something."}));
    if talk.revision >= "2025-06-18" {
        talk.call("test_elicitation", json!({"message": "Who are you?"}));
        talk.call("test_elicitation_sep1034_defaults", json!({}));
        talk.call("test_elicitation_sep1330_enums", json!({}));
    }
    let watched = json!({"uri": "test://watched-resource"});
    talk.ask("resources/subscribe", watched.clone());
    talk.change("test_trigger_resource_update");
    talk.ask("resources/unsubscribe", watched);
    talk.change("test_trigger_tool_change");
    talk.change("test_trigger_prompt_change");
}

#[track_caller]
fn stateless_only(talk: &mut Conversation) {
    for tool in [
        "test_input_required_result_elicitation",
        "test_input_required_result_request_state",
        "test_input_required_result_multiple_inputs",
        "test_input_required_result_multi_round",
        "test_missing_capability",
        "test_streaming_elicitation",
    ] {
        talk.call(tool, json!({}));
    }
    talk.until_complete(
        "prompts/get",
        json!({"name": "test_input_required_result_prompt"}),
    );
    let level = [("io.modelcontextprotocol/logLevel", json!("debug"))];
    let call = rpc::tool("test_logging_tool", json!({}));
    talk.ask_with_meta("tools/call", call, &level);

    let wanted =
        json!({"toolsListChanged": true, "resourceSubscriptions": ["test://watched-resource"]});
    let listen = talk.params(json!({"notifications": wanted}));
    talk.said.push('\n');
    talk.send(&rpc::request("listen", "subscriptions/listen", listen));
    talk.hear(1);
    talk.change("test_trigger_resource_update");
    talk.change("test_trigger_tool_change");
}

/// Whether something is said to have changed.
fn is_news(message: &Value) -> bool {
    message["method"].as_str().is_some_and(|method| {
        method.ends_with("/list_changed") || method == "notifications/resources/updated"
    })
}

#[track_caller]
fn converse(revision: &'static str) -> String {
    let mut talk = Conversation::new(revision);
    open(&mut talk);
    lists_reads_and_calls(&mut talk);
    if talk.is_stateless() {
        stateless_only(&mut talk);
    } else {
        handshake_only(&mut talk);
    }
    talk.end()
}

#[test]
fn of_2024_11_05() {
    insta::assert_snapshot!(converse("2024-11-05"));
}

#[test]
fn of_2025_03_26() {
    insta::assert_snapshot!(converse("2025-03-26"));
}

#[test]
fn of_2025_06_18() {
    insta::assert_snapshot!(converse("2025-06-18"));
}

#[test]
fn of_2025_11_25() {
    insta::assert_snapshot!(converse("2025-11-25"));
}

#[test]
fn of_2026_07_28() {
    insta::assert_snapshot!(converse("2026-07-28"));
}
