//! How much a guest hands over, against the limit of `output`.
//!
//! Everything a guest chose counts: text, bytes, names, annotations, metadata.

use palisade_policy::Limits;

use crate::bindings::contract::{
    Annotations, CompletionValues, ContentBlock, EmbeddedResource, Error, FormElicitation, Icon,
    InputAsk, InputRequest, InputRequired, MediaContent, ModelPreferences, Prompt, PromptArgument,
    PromptMessage, PromptOutcome, PromptResult, ReadOutcome, ResourceBody, ResourceContents,
    ResourceInfo, ResourceTemplate, Role, SamplingContent, SamplingMessage, SamplingRequest,
    TextContent, Tool, ToolAnnotations, ToolOutcome, ToolResult, ToolUse, ToolUseResult,
    UrlElicitation,
};
use crate::error::{CallError, Limit};

/// Refuses what is more than the limit.
pub(crate) fn check(size: usize, limits: &Limits) -> Result<(), CallError> {
    within(size, limits.output)
}

/// Refuses what is more than `most`.
pub(crate) fn within(size: usize, most: u64) -> Result<(), CallError> {
    if size as u64 > most {
        return Err(CallError::Limit(Limit::Output(most)));
    }
    Ok(())
}

/// How much a tool's result holds, in bytes: its text, its bytes, and whatever
/// else the plugin chose.
#[must_use]
pub fn result_size(result: &ToolResult) -> usize {
    result.size()
}

/// How much a piece of content holds, counted in the same way.
#[must_use]
pub fn content_size(block: &ContentBlock) -> usize {
    block.size()
}

/// Something that takes room.
pub(crate) trait Size {
    /// Its text and bytes together, in bytes.
    fn size(&self) -> usize;
}

impl Size for String {
    fn size(&self) -> usize {
        self.len()
    }
}

impl Size for Vec<u8> {
    fn size(&self) -> usize {
        self.len()
    }
}

impl<T: Size> Size for Vec<T> {
    fn size(&self) -> usize {
        self.iter().map(Size::size).sum()
    }
}

impl<T: Size> Size for Option<T> {
    fn size(&self) -> usize {
        self.as_ref().map_or(0, Size::size)
    }
}

impl Size for Role {
    fn size(&self) -> usize {
        1
    }
}

/// Counts records. What has no size of its own stands behind the bar, so that a
/// field that is added to the contract has to be put somewhere.
macro_rules! records {
    ($($record:ident { $($counted:ident)* | $($fixed:ident)* })+) => {$(
        impl Size for $record {
            fn size(&self) -> usize {
                let Self { $($counted,)* $($fixed: _,)* } = self;
                0 $(+ $counted.size())*
            }
        }
    )+};
}

records! {
    Annotations { audience last_modified | priority }
    CompletionValues { values | total has_more }
    EmbeddedResource { contents annotations meta | }
    Error { message data | kind }
    FormElicitation { message requested_schema | }
    Icon { src mime_type sizes | theme }
    InputRequest { key ask | }
    InputRequired { requests state | }
    MediaContent { data mime_type annotations meta | }
    ModelPreferences { hints | cost_priority speed_priority intelligence_priority }
    Prompt { name title description arguments icons meta | }
    PromptArgument { name title description | required }
    PromptMessage { content | role }
    PromptResult { description messages meta | }
    ResourceContents { uri mime_type body meta | }
    ResourceInfo { uri name title description mime_type annotations icons meta | size }
    ResourceTemplate { uri_template name title description mime_type annotations icons meta | }
    SamplingMessage { content | role }
    SamplingRequest {
        messages system_prompt model_preferences stop_sequences metadata tools
        | max_tokens temperature tool_choice
    }
    TextContent { text annotations meta | }
    Tool { name title description input_schema output_schema annotations icons meta | task_support }
    ToolAnnotations {
        title
        | read_only_hint destructive_hint idempotent_hint open_world_hint
    }
    ToolResult { content structured_content meta | is_error }
    ToolUse { id name input | }
    ToolUseResult { tool_use_id content structured_content | is_error }
    UrlElicitation { message url | }
}

/// Counts variants.
macro_rules! variants {
    ($($variant:ident { $($case:ident)+ $(| $($empty:ident)+)? })+) => {$(
        impl Size for $variant {
            fn size(&self) -> usize {
                match self {
                    $(Self::$case(inner) => inner.size(),)+
                    $($(Self::$empty => 0,)+)?
                }
            }
        }
    )+};
}

variants! {
    ContentBlock { Text Image Audio ResourceLink Embedded }
    InputAsk { ElicitForm ElicitUrl Sample | ListRoots }
    PromptOutcome { Complete InputRequired }
    ReadOutcome { Complete InputRequired }
    ResourceBody { Text Blob }
    SamplingContent { Text Image Audio ToolUse ToolResult }
    ToolOutcome { Complete InputRequired }
}

#[cfg(test)]
mod tests {
    use super::Size as _;
    use crate::bindings::contract::{
        InputAsk, InputRequest, InputRequired, MediaContent, Prompt, PromptArgument, Role,
        SamplingContent, SamplingMessage, SamplingRequest, ToolOutcome,
    };

    #[test]
    fn what_a_question_says_counts() {
        let image = MediaContent {
            data: vec![0; 1_000],
            mime_type: "image/png".to_owned(),
            annotations: None,
            meta: Some("{}".to_owned()),
        };
        let request = SamplingRequest {
            messages: vec![SamplingMessage {
                role: Role::User,
                content: vec![SamplingContent::Image(image)],
            }],
            max_tokens: 1,
            system_prompt: Some("be brief".to_owned()),
            model_preferences: None,
            temperature: None,
            stop_sequences: vec!["stop".to_owned()],
            metadata: None,
            tools: Vec::new(),
            tool_choice: None,
        };
        let outcome = ToolOutcome::InputRequired(InputRequired {
            requests: vec![InputRequest {
                key: "model".to_owned(),
                ask: InputAsk::Sample(request),
            }],
            state: Some(vec![0; 10]),
        });
        assert_eq!(outcome.size(), 1_000 + 9 + 2 + 8 + 4 + 5 + 10);
    }

    #[test]
    fn what_a_prompt_says_of_its_arguments_counts() {
        let argument = PromptArgument {
            name: "who".to_owned(),
            title: Some("Who".to_owned()),
            description: None,
            required: true,
        };
        let prompt = Prompt {
            name: "greet".to_owned(),
            title: None,
            description: None,
            arguments: vec![argument.clone(), argument],
            icons: Vec::new(),
            meta: None,
        };
        assert_eq!(prompt.size(), 5 + 6 + 6);
    }
}
