//! A client's answers, as a plugin gets them. Nothing of them is believed.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use palisade_runtime::contract as to;
use rmcp::model as from;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::gate;

/// What kind of answer a question has.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Expected {
    /// A form that satisfies this schema.
    Form(Value),
    /// What a person did with an address.
    Url,
    Sampling,
    Roots,
}

/// The answer in the contract's terms; none if it is not what was asked for.
pub(super) fn read(expected: &Expected, answer: &Value) -> Option<to::AnswerValue> {
    match expected {
        Expected::Form(schema) => elicited(answer, Some(schema)).map(to::AnswerValue::Elicitation),
        Expected::Url => elicited(answer, None).map(to::AnswerValue::Elicitation),
        Expected::Sampling => sampled(answer).map(to::AnswerValue::Sampling),
        Expected::Roots => roots(answer).map(to::AnswerValue::Roots),
    }
}

fn elicited(answer: &Value, schema: Option<&Value>) -> Option<to::ElicitationAnswer> {
    let result = from::ElicitResult::deserialize(answer).ok()?;
    match result.action {
        from::ElicitationAction::Decline => Some(to::ElicitationAnswer::Decline),
        from::ElicitationAction::Cancel => Some(to::ElicitationAnswer::Cancel),
        from::ElicitationAction::Accept => {
            let Some(schema) = schema else {
                return Some(to::ElicitationAnswer::Accept(None));
            };
            let content = result.content.filter(Value::is_object)?;
            gate::satisfies(schema, &content)
                .then(|| to::ElicitationAnswer::Accept(Some(content.to_string())))
        }
        _ => None,
    }
}

fn sampled(answer: &Value) -> Option<to::SamplingAnswer> {
    let result = from::CreateMessageResult::deserialize(answer).ok()?;
    let content = result
        .message
        .content
        .into_vec()
        .into_iter()
        .map(block)
        .collect::<Option<Vec<_>>>()?;
    Some(to::SamplingAnswer {
        role: role(&result.message.role),
        content,
        model: result.model,
        stop_reason: result.stop_reason,
    })
}

fn block(block: from::SamplingMessageContentBlock) -> Option<to::SamplingContent> {
    use from::SamplingMessageContentBlock as Block;
    match block {
        Block::Text(text) => Some(to::SamplingContent::Text(to::TextContent {
            text: text.text,
            annotations: None,
            meta: meta(text.meta),
        })),
        Block::Image(image) => {
            media(&image.data, image.mime_type, image.meta).map(to::SamplingContent::Image)
        }
        Block::Audio(audio) => {
            media(&audio.data, audio.mime_type, audio.meta).map(to::SamplingContent::Audio)
        }
        Block::ToolUse(call) => Some(to::SamplingContent::ToolUse(to::ToolUse {
            id: call.id,
            name: call.name,
            input: Value::Object(call.input).to_string(),
        })),
        // Results of tools go to a model and do not come from one.
        _ => None,
    }
}

fn media(
    data: &str,
    mime_type: String,
    meta_object: Option<from::MetaObject>,
) -> Option<to::MediaContent> {
    Some(to::MediaContent {
        data: BASE64_STANDARD.decode(data).ok()?,
        mime_type,
        annotations: None,
        meta: meta(meta_object),
    })
}

fn meta(meta: Option<from::MetaObject>) -> Option<String> {
    meta.map(|meta| Value::Object(meta.0).to_string())
}

fn role(role: &from::Role) -> to::Role {
    match role {
        from::Role::Assistant => to::Role::Assistant,
        _ => to::Role::User,
    }
}

fn roots(answer: &Value) -> Option<Vec<to::ClientRoot>> {
    let result = from::ListRootsResult::deserialize(answer).ok()?;
    Some(
        result
            .roots
            .into_iter()
            .map(|root| to::ClientRoot {
                uri: root.uri,
                name: root.name,
            })
            .collect(),
    )
}
