//! What the tests of questions share: a client that can be asked.

use palisade_tests::{Palisade, Session, plugin, rpc};
use serde_json::{Value, json};

/// What it declares if it can be asked everything.
pub(crate) fn everything() -> Value {
    json!({"elicitation": {}, "sampling": {}, "roots": {}})
}

/// A session of a handshake revision.
pub(crate) fn opened(capabilities: Value) -> Session {
    let mut session = Palisade::run(plugin("everything")).start();
    let mut hello = rpc::hello("2025-11-25");
    hello["capabilities"] = capabilities;
    rpc::result(&session.ask("initialize", hello));
    session.notify("notifications/initialized", Value::Null);
    session
}

/// The parameters of a stateless request.
pub(crate) fn stateless(params: Value, capabilities: Value) -> Value {
    let mut params = rpc::stateless(params);
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    params
}

/// A person's answer.
pub(crate) fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// A model's answer.
pub(crate) fn sampled(text: &str) -> Value {
    json!({
        "role": "assistant",
        "model": "a model",
        "stopReason": "endTurn",
        "content": {"type": "text", "text": text},
    })
}

/// The roots a client has.
pub(crate) fn roots() -> Value {
    json!({"roots": [{"uri": "file:///one"}, {"uri": "file:///two", "name": "two"}]})
}
