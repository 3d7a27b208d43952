//! The headers that repeat what a stateless request says, for those who
//! forward it without reading it. They must agree with it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper::HeaderMap;
use rmcp::model::{ClientRequest, GetMeta as _, ProtocolVersion};
use serde_json::{Map, Value};

use crate::http::{Single, single};
use crate::service::Service;

/// The revision in which a request is written.
pub(crate) const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
const PARAM: &str = "mcp-param-";

/// The property of a schema that names a header.
const ANNOTATION: &str = "x-mcp-header";

/// Compares; the error says what does not agree.
pub(super) fn check(
    headers: &HeaderMap,
    request: &ClientRequest,
    service: &Service,
) -> Result<(), String> {
    let Some(version) = request.get_meta().protocol_version() else {
        return Ok(());
    };
    same(headers, VERSION, version.as_str())?;
    let known = ProtocolVersion::KNOWN_VERSIONS.contains(&version);
    if !known || version < ProtocolVersion::V_2026_07_28 {
        // The one is refused for that; the others know no more headers.
        return Ok(());
    }
    same(headers, METHOD, request.method())?;
    if let Some(name) = name(request) {
        same(headers, NAME, name)?;
    }
    if let ClientRequest::CallToolRequest(call) = request {
        let lists = service.lists();
        let tool = lists
            .tools()
            .iter()
            .find(|tool| tool.name == call.params.name);
        if let Some(tool) = tool.filter(|tool| tool.input_schema.contains(ANNOTATION)) {
            let schema = serde_json::from_str(&tool.input_schema).unwrap_or_default();
            parameters(headers, &schema, call.params.arguments.as_ref())?;
        }
    }
    Ok(())
}

/// What a request is about, where it is about something that has a name.
fn name(request: &ClientRequest) -> Option<&str> {
    match request {
        ClientRequest::CallToolRequest(call) => Some(&call.params.name),
        ClientRequest::GetPromptRequest(get) => Some(&get.params.name),
        ClientRequest::ReadResourceRequest(read) => Some(&read.params.uri),
        ClientRequest::GetTaskRequest(get) => Some(&get.params.task_id),
        ClientRequest::UpdateTaskRequest(update) => Some(&update.params.task_id),
        ClientRequest::CancelTaskRequest(cancel) => Some(&cancel.params.task_id),
        ClientRequest::CustomRequest(custom) => {
            let key = match custom.method.as_str() {
                "tools/call" | "prompts/get" => "name",
                "resources/read" => "uri",
                "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
                _ => return None,
            };
            custom.params.as_ref()?.get(key)?.as_str()
        }
        _ => None,
    }
}

/// Checks the headers of a tool's annotated parameters.
fn parameters(
    headers: &HeaderMap,
    schema: &Value,
    arguments: Option<&Map<String, Value>>,
) -> Result<(), String> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Ok(());
    };
    for (key, schema) in properties {
        let value = arguments.and_then(|arguments| arguments.get(key));
        let annotated = schema.get(ANNOTATION).and_then(Value::as_str);
        if let Some(header) = annotated.filter(|header| !header.is_empty()) {
            parameter(headers, &format!("{PARAM}{}", header.to_lowercase()), value)?;
        }
        parameters(headers, schema, value.and_then(Value::as_object))?;
    }
    Ok(())
}

fn parameter(headers: &HeaderMap, header: &str, value: Option<&Value>) -> Result<(), String> {
    let expected = match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Bool(bool)) => bool.to_string(),
        Some(Value::Number(number)) => {
            let shown = decoded(headers, header)?;
            let same = shown
                .as_deref()
                .and_then(|shown| shown.parse::<serde_json::Number>().ok())
                .is_some_and(|shown| shown == *number || shown.as_f64() == number.as_f64());
            return if same { Ok(()) } else { Err(differs(header)) };
        }
        _ => {
            return match decoded(headers, header)? {
                None => Ok(()),
                Some(_) => Err(differs(header)),
            };
        }
    };
    same(headers, header, &expected)
}

fn same(headers: &HeaderMap, header: &str, expected: &str) -> Result<(), String> {
    match decoded(headers, header)? {
        Some(shown) if shown == expected => Ok(()),
        Some(_) => Err(differs(header)),
        None => Err(format!("the header {header} is missing")),
    }
}

fn differs(header: &str) -> String {
    format!("the header {header} does not say what the body says")
}

/// The value of a header, which may be in base64 where it could not stand
/// there as it is.
fn decoded(headers: &HeaderMap, header: &str) -> Result<Option<String>, String> {
    let shown = match single(headers, header) {
        Single::Absent => return Ok(None),
        Single::Given(shown) => shown,
        Single::Unreadable => return Err(format!("the header {header} can't be read")),
    };
    // Names of headers and versions are never encoded; nothing is lost by
    // reading them as if they might be.
    let encoded = shown
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    let Some(encoded) = encoded else {
        return Ok(Some(shown.to_owned()));
    };
    let bytes = BASE64_STANDARD.decode(encoded).ok();
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map(Some)
        .ok_or_else(|| format!("the header {header} holds no base64 of UTF-8"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use hyper::header::{HeaderName, HeaderValue};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
        }
        headers
    }

    #[test]
    fn annotated_parameters_must_agree() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {"type": "object", "properties": {
                "count": {"type": "integer", "x-mcp-header": "Count"},
            }},
            "flag": {"type": "boolean", "x-mcp-header": "Flag"},
        }});
        let check = |arguments: Value, pairs: &[(&str, &str)]| {
            parameters(&headers(pairs), &schema, arguments.as_object()).is_ok()
        };
        assert!(check(json!({}), &[]));
        assert!(check(json!({"region": null}), &[]));
        assert!(!check(json!({"region": "x"}), &[]));
        assert!(check(json!({"region": "x"}), &[("Mcp-Param-Region", "x")]));
        let utf8 = [("Mcp-Param-Region", "=?base64?w6k=?=")];
        assert!(check(json!({"region": "é"}), &utf8));
        assert!(!check(json!({"region": "e"}), &utf8));
        let broken = [("Mcp-Param-Region", "=?base64?w6k?=")];
        assert!(!check(json!({"region": "é"}), &broken));
        assert!(!check(json!({}), &[("Mcp-Param-Region", "x")]));
        assert!(check(
            json!({"deep": {"count": 7}}),
            &[("mcp-param-count", "7.0")]
        ));
        assert!(!check(
            json!({"deep": {"count": 7}}),
            &[("mcp-param-count", "8")]
        ));
        assert!(check(json!({"flag": true}), &[("mcp-param-flag", "true")]));
        let twice = [("mcp-param-flag", "true"), ("mcp-param-flag", "true")];
        assert!(!check(json!({"flag": true}), &twice));
        assert!(check(json!({}), &[("mcp-param-unknown", "x")]));
    }

    proptest! {
        /// Whatever a value is, its base64 stands for it and for nothing else.
        #[test]
        fn any_text_can_be_sent(text: String, other: String) {
            let encoded = format!("=?base64?{}?=", BASE64_STANDARD.encode(&text));
            let headers = headers(&[(NAME, &encoded)]);
            prop_assert!(same(&headers, NAME, &text).is_ok());
            prop_assert_eq!(same(&headers, NAME, &other).is_ok(), text == other);
        }
    }
}
