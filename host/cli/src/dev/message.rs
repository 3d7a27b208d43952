//! As much of JSON-RPC as it takes to pass it on to the right process. What is
//! not understood is passed on as it is: whoever gets it answers that.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// One message, by its outermost keys.
#[derive(Debug, Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

impl<'a> Message<'a> {
    /// Reads one, if it is one.
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    /// Its id as it is spelled by everybody.
    pub(super) fn key(&self) -> Option<String> {
        self.id.map(key)
    }

    /// A part of its parameters.
    pub(super) fn param(&self, name: &str) -> Option<Value> {
        let params: Value = serde_json::from_str(self.params?.get()).ok()?;
        params.get(name).cloned()
    }
}

/// An id as it is spelled by everybody: of one number or text, there are
/// several spellings.
pub(super) fn key(id: &RawValue) -> String {
    let value = serde_json::from_str::<Value>(id.get());
    value.map_or_else(|_| id.get().to_owned(), |value| value.to_string())
}

/// The messages of an array, if it is one.
pub(super) fn batch(line: &[u8]) -> Option<Vec<&RawValue>> {
    let begins = line.iter().find(|byte| !byte.is_ascii_whitespace());
    match begins {
        Some(b'[') => serde_json::from_slice(line).ok(),
        _ => None,
    }
}

/// The message with another id.
pub(super) fn with_id(line: &[u8], id: &Value) -> Option<Vec<u8>> {
    with(line, "id", id)
}

/// The message with something else under one of its outermost keys.
pub(super) fn with(line: &[u8], name: &str, value: &Value) -> Option<Vec<u8>> {
    let mut all: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(line).ok()?;
    let value = serde_json::value::to_raw_value(value).ok()?;
    all.insert(name.to_owned(), value);
    serde_json::to_vec(&all).ok()
}

/// A request.
pub(super) fn request(id: &str, method: &str, params: &Value) -> Vec<u8> {
    let all = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    all.to_string().into_bytes()
}

/// A notification.
pub(super) fn notification(method: &str, params: Option<Value>) -> Vec<u8> {
    let mut all = json!({"jsonrpc": "2.0", "method": method});
    if let Some(params) = params {
        all["params"] = params;
    }
    all.to_string().into_bytes()
}

/// An answer that says what went wrong. `id` is as it was written.
pub(super) fn error(id: &str, code: i32, message: &str) -> Vec<u8> {
    let id: Value = serde_json::from_str(id).unwrap_or_default();
    let error = json!({"code": code, "message": message});
    let all = json!({"jsonrpc": "2.0", "id": id, "error": error});
    all.to_string().into_bytes()
}
