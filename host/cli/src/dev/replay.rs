//! What a new host has to be told of a session that is older than it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::message::{self, Message};

/// Begins the ids of our own requests.
const OURS: &str = "palisade-dev/";

/// What a client that connects has said so far.
#[derive(Default)]
pub(super) struct Session {
    /// Its `initialize`.
    initialize: Option<Vec<u8>>,
    /// The id of that, until it is answered.
    greeting: Option<String>,
    /// Whether it has said `initialized`.
    initialized: bool,
    /// Its last `logging/setLevel`.
    level: Option<Vec<u8>>,
    /// Its `resources/subscribe`, by address.
    subscriptions: BTreeMap<String, Vec<u8>>,
    /// Its `subscriptions/listen`, by id.
    pub(super) listens: BTreeMap<String, Vec<u8>>,
    /// What it was told that is offered.
    capabilities: Option<Value>,
}

impl Session {
    /// Remembers what is to be said again.
    pub(super) fn heard(&mut self, said: &Message<'_>, line: &[u8]) {
        let uri = || Some(said.param("uri")?.as_str()?.to_owned());
        match said.method.as_deref() {
            Some("initialize") => {
                self.initialize = Some(line.to_owned());
                self.greeting = said.key();
            }
            Some("notifications/initialized") => self.initialized = true,
            Some("logging/setLevel") => self.level = Some(line.to_owned()),
            Some("resources/subscribe") => {
                if let Some(uri) = uri() {
                    self.subscriptions.insert(uri, line.to_owned());
                }
            }
            Some("resources/unsubscribe") => {
                if let Some(uri) = uri() {
                    self.subscriptions.remove(&uri);
                }
            }
            Some("subscriptions/listen") => {
                if let Some(key) = said.key() {
                    self.listens.insert(key, line.to_owned());
                }
            }
            _ => {}
        }
    }

    /// Looks at an answer that the client gets.
    pub(super) fn answered(&mut self, key: &str, answer: &Message<'_>) {
        self.listens.remove(key);
        if self.greeting.as_deref() == Some(key) {
            self.greeting = None;
            match capabilities(answer) {
                Some(capabilities) => self.capabilities = Some(capabilities),
                // It was refused: there is no session.
                None => self.initialize = None,
            }
        }
    }

    /// Asks whether a host is there, without saying anything of the client.
    pub(super) fn probe() -> Vec<u8> {
        let about = json!({"name": "palisade dev", "version": env!("CARGO_PKG_VERSION")});
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": about,
        });
        let id = format!("{OURS}probe");
        message::request(&id, "server/discover", &json!({ "_meta": meta }))
    }

    /// The client's greeting, to another host.
    pub(super) fn greet(&self) -> Option<Vec<u8>> {
        let id = Value::from(format!("{OURS}greeting"));
        message::with_id(self.initialize.as_ref()?, &id)
    }

    /// What follows the greeting.
    pub(super) fn rest(&self) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        if self.initialized {
            all.push(message::notification("notifications/initialized", None));
        }
        let requests = self.level.iter().chain(self.subscriptions.values());
        all.extend(requests.enumerate().filter_map(|(number, line)| {
            message::with_id(line, &Value::from(format!("{OURS}again/{number}")))
        }));
        all
    }

    /// What a session is told when another version serves it.
    pub(super) fn news(&self) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        for kind in ["tools", "prompts", "resources"] {
            let method = format!("notifications/{kind}/list_changed");
            let told = self.capabilities.as_ref();
            if told.is_some_and(|all| all[kind]["listChanged"] == true) && self.initialized {
                all.push(message::notification(&method, None));
            }
            for line in self.listens.values() {
                let Some(listen) = Message::of(line) else {
                    continue;
                };
                let filter = listen.param("notifications").unwrap_or_default();
                let id = listen.id.and_then(|id| serde_json::from_str(id.get()).ok());
                if let (Value::Bool(true), Some(id)) = (&filter[format!("{kind}ListChanged")], id) {
                    let id: Value = id;
                    let params = json!({"_meta": {"io.modelcontextprotocol/subscriptionId": id}});
                    all.push(message::notification(&method, Some(params)));
                }
            }
        }
        all
    }

    /// What is offered now, and was not when the client was told.
    pub(super) fn unknown_to_client(&self, answer: &Message<'_>) -> Vec<String> {
        let (Some(Value::Object(now)), Some(told)) = (capabilities(answer), &self.capabilities)
        else {
            return Vec::new();
        };
        now.into_iter()
            .map(|(name, _)| name)
            .filter(|name| told.get(name).is_none())
            .collect()
    }
}

/// Whether an id is one of ours.
pub(super) fn is_ours(key: &str) -> bool {
    key.starts_with(&format!("\"{OURS}"))
}

/// Whether it is the answer to a greeting of ours.
pub(super) fn is_greeting(key: &str) -> bool {
    key == format!("\"{OURS}greeting\"")
}

fn capabilities(answer: &Message<'_>) -> Option<Value> {
    let result: Value = serde_json::from_str(answer.result?.get()).ok()?;
    Some(result["capabilities"].clone())
}
