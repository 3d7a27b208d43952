//! How much a guest hands over, against the limit of `output`.
//!
//! Everything a guest chose counts: text, bytes, names, annotations, metadata.

use palisade_policy::Limits;

use crate::aside::LARGE;
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

/// Whether what a guest handed over is so much that it is worked on aside
/// ([`crate::aside`]). Many small pieces count as one that is larger than they
/// are together, since they take longer.
#[must_use]
pub fn is_large(handed_over: &impl Size) -> bool {
    let total = handed_over.total();
    total.bytes + PIECE * total.pieces > LARGE
}

/// What a piece is like in bytes: about what it is written with in JSON.
pub const PIECE: usize = 64;

/// What there is of something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// Its text and bytes together, in bytes.
    bytes: usize,
    /// The records, texts and elements that it is made of.
    pieces: usize,
}

/// Something that takes room.
pub trait Size {
    /// Adds what there is of it.
    fn add_to(&self, total: &mut Total);

    /// What there is of it.
    fn total(&self) -> Total {
        let mut total = Total::default();
        self.add_to(&mut total);
        total
    }

    /// Its text and bytes together, in bytes.
    fn size(&self) -> usize {
        self.total().bytes
    }
}

impl Size for String {
    fn add_to(&self, total: &mut Total) {
        total.bytes += self.len();
        total.pieces += 1;
    }
}

impl Size for Vec<u8> {
    fn add_to(&self, total: &mut Total) {
        total.bytes += self.len();
    }
}

impl<T: Size> Size for Vec<T> {
    fn add_to(&self, total: &mut Total) {
        for one in self {
            one.add_to(total);
        }
    }
}

impl<T: Size> Size for Option<T> {
    fn add_to(&self, total: &mut Total) {
        if let Some(one) = self {
            one.add_to(total);
        }
    }
}

impl Size for Role {
    fn add_to(&self, total: &mut Total) {
        total.bytes += 1;
        total.pieces += 1;
    }
}

/// Counts records. What has no size of its own stands behind the bar, so that a
/// field that is added to the contract has to be put somewhere.
macro_rules! records {
    ($($record:ident { $($counted:ident)* | $($fixed:ident)* })+) => {$(
        impl Size for $record {
            fn add_to(&self, total: &mut Total) {
                let Self { $($counted,)* $($fixed: _,)* } = self;
                total.pieces += 1;
                $($counted.add_to(total);)*
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
            fn add_to(&self, total: &mut Total) {
                match self {
                    $(Self::$case(inner) => inner.add_to(total),)+
                    $($(Self::$empty => total.pieces += 1,)+)?
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
    use super::{Size as _, is_large};
    use crate::bindings::contract::{
        ContentBlock, InputAsk, InputRequest, InputRequired, MediaContent, Prompt, PromptArgument,
        Role, SamplingContent, SamplingMessage, SamplingRequest, TextContent, ToolOutcome,
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
    fn many_small_pieces_weigh_more_than_they_hold() {
        let nothing = TextContent {
            text: String::new(),
            annotations: None,
            meta: None,
        };
        let blocks = vec![ContentBlock::Text(nothing); 10_000];
        assert_eq!(blocks.size(), 0);
        assert!(is_large(&blocks));
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
