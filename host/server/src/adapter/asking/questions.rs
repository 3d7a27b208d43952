//! A plugin's questions, as MCP's.

use palisade_runtime::contract as from;
use rmcp::model::{self as to, InputRequest, ServerRequest};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::adapter::convert;
use crate::outcome::clean;

/// One question, the same for every revision.
pub(in crate::adapter) enum Question {
    Elicit(to::ElicitRequest),
    Sample(to::CreateMessageRequest),
    Roots(to::ListRootsRequest),
}

impl Question {
    /// # Errors
    ///
    /// What of it MCP has no form for.
    pub(super) fn new(ask: from::InputAsk) -> Result<Self, String> {
        match ask {
            from::InputAsk::ElicitForm(form) => {
                let params = to::ElicitRequestParams::FormElicitationParams {
                    meta: None,
                    message: clean(form.message),
                    // From the text, in which the fields stand in the order
                    // in which a person is to see them.
                    requested_schema: serde_json::from_str(&form.requested_schema)
                        .map_err(|error| format!("its schema is no form of MCP's ({error})"))?,
                };
                Ok(Self::Elicit(to::ElicitRequest::new(params)))
            }
            from::InputAsk::ElicitUrl(link) => {
                let params = to::ElicitRequestParams::UrlElicitationParams {
                    meta: None,
                    message: clean(link.message),
                    url: address(link.url)?,
                    elicitation_id: identifier()?,
                };
                Ok(Self::Elicit(to::ElicitRequest::new(params)))
            }
            from::InputAsk::Sample(sample) => Ok(Self::Sample(to::CreateMessageRequest::new(
                sampling(sample)?,
            ))),
            from::InputAsk::ListRoots => Ok(Self::Roots(to::ListRootsRequest::default())),
        }
    }
}

impl From<Question> for InputRequest {
    fn from(question: Question) -> Self {
        match question {
            Question::Elicit(elicit) => Self::Elicitation(elicit),
            Question::Sample(sample) => Self::CreateMessage(sample),
            Question::Roots(roots) => Self::ListRoots(roots),
        }
    }
}

impl From<Question> for ServerRequest {
    fn from(question: Question) -> Self {
        match question {
            Question::Elicit(elicit) => Self::ElicitRequest(elicit),
            Question::Sample(sample) => Self::CreateMessageRequest(sample),
            Question::Roots(roots) => Self::ListRootsRequest(roots),
        }
    }
}

/// An address a person may be sent to.
fn address(url: String) -> Result<String, String> {
    let parsed =
        url::Url::parse(&url).map_err(|error| format!("its url is not valid ({error})"))?;
    match parsed.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&parsed) => Ok(url),
        other => Err(format!(
            "a person is only sent to https addresses, not to {other}:"
        )),
    }
}

fn is_loopback(url: &url::Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn identifier() -> Result<String, String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| format!("there are no random numbers ({error})"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Through JSON, since these types can't be made field by field.
fn sampling(sample: from::SamplingRequest) -> Result<to::CreateMessageRequestParams, String> {
    let messages = sample
        .messages
        .into_iter()
        .map(message)
        .collect::<Result<Vec<_>, _>>()?;
    let mut params = json!({ "messages": messages, "maxTokens": sample.max_tokens });
    let mut set = |key: &str, value: serde_json::Value| {
        if !value.is_null() {
            params[key] = value;
        }
    };
    set("systemPrompt", json!(sample.system_prompt.map(clean)));
    set("temperature", json!(sample.temperature));
    if !sample.stop_sequences.is_empty() {
        set("stopSequences", json!(sample.stop_sequences));
    }
    if let Some(metadata) = sample.metadata {
        let metadata: serde_json::Map<_, _> = parse("metadata", &metadata)?;
        set("metadata", metadata.into());
    }
    if let Some(preferences) = sample.model_preferences {
        set("modelPreferences", model_preferences(preferences));
    }
    if !sample.tools.is_empty() {
        let tools: Vec<_> = sample.tools.iter().map(convert::tool).collect();
        set("tools", json!(tools));
    }
    if let Some(choice) = sample.tool_choice {
        let mode = match choice {
            from::ToolChoice::Auto => "auto",
            from::ToolChoice::Required => "required",
            from::ToolChoice::None => "none",
        };
        set("toolChoice", json!({ "mode": mode }));
    }
    let params: to::CreateMessageRequestParams =
        serde_json::from_value(params).map_err(|error| error.to_string())?;
    params.validate()?;
    Ok(params)
}

fn model_preferences(preferences: from::ModelPreferences) -> serde_json::Value {
    let mut json = json!({});
    if !preferences.hints.is_empty() {
        let hints: Vec<_> = preferences
            .hints
            .into_iter()
            .map(|name| json!({ "name": name }))
            .collect();
        json["hints"] = json!(hints);
    }
    for (key, priority) in [
        ("costPriority", preferences.cost_priority),
        ("speedPriority", preferences.speed_priority),
        ("intelligencePriority", preferences.intelligence_priority),
    ] {
        if let Some(priority) = priority.filter(|it| (0.0..=1.0).contains(it)) {
            json[key] = json!(priority);
        }
    }
    json
}

fn message(message: from::SamplingMessage) -> Result<serde_json::Value, String> {
    let mut blocks = message
        .content
        .into_iter()
        .map(block)
        .collect::<Result<Vec<_>, _>>()?;
    // A single block is what every revision knows.
    let content = match blocks.pop() {
        Some(only) if blocks.is_empty() => only,
        Some(last) => {
            blocks.push(last);
            blocks.into()
        }
        None => return Err("one of its messages is empty".into()),
    };
    let role = match message.role {
        from::Role::User => "user",
        from::Role::Assistant => "assistant",
    };
    Ok(json!({ "role": role, "content": content }))
}

fn block(block: from::SamplingContent) -> Result<serde_json::Value, String> {
    use from::{ContentBlock, SamplingContent};
    let plain = |block: ContentBlock| {
        serde_json::to_value(convert::block(block)).map_err(|error| error.to_string())
    };
    match block {
        SamplingContent::Text(text) => plain(ContentBlock::Text(text)),
        SamplingContent::Image(image) => plain(ContentBlock::Image(image)),
        SamplingContent::Audio(audio) => plain(ContentBlock::Audio(audio)),
        SamplingContent::ToolUse(call) => {
            let input: serde_json::Map<_, _> = parse("input", &call.input)?;
            Ok(json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": input }))
        }
        SamplingContent::ToolResult(result) => {
            let content = result
                .content
                .into_iter()
                .map(plain)
                .collect::<Result<Vec<_>, _>>()?;
            let mut json = json!({
                "type": "tool_result",
                "toolUseId": result.tool_use_id,
                "content": content,
                "isError": result.is_error,
            });
            if let Some(structured) = result.structured_content {
                json["structuredContent"] =
                    parse::<serde_json::Value>("structured content", &structured)?;
            }
            Ok(json)
        }
    }
}

fn parse<T: DeserializeOwned>(what: &str, json: &str) -> Result<T, String> {
    serde_json::from_str(json).map_err(|error| format!("its {what} is not valid JSON ({error})"))
}
