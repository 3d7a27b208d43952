//! Questions to the client's model (MCP sampling).

use schemars::JsonSchema;
use serde_json::{Map, Value};

use crate::ask::{Question, Settled};
use crate::bindings::types::{self, SamplingContent};
use crate::schema::{self, text_of};
use crate::{Content, Error, Result};

use crate::bindings::types::Role;
pub use crate::bindings::types::{ToolChoice, ToolUse};

/// A question to the client's model.
///
/// ```
/// use palisade_sdk::prelude::*;
///
/// # fn tool(ctx: &Context) -> Result<String> {
/// let question = Sample::new(200)
///     .system("You are brief.")
///     .user("Why is the sky blue?");
/// let answer = ctx.ask("sky", question)?;
/// # Ok(answer.text())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Sample(types::SamplingRequest);

impl Sample {
    /// A question whose answer has at most so many tokens. Nothing is asked
    /// yet.
    #[must_use]
    pub fn new(max_tokens: u32) -> Self {
        Self(types::SamplingRequest {
            messages: Vec::new(),
            max_tokens,
            system_prompt: None,
            model_preferences: None,
            temperature: None,
            stop_sequences: Vec::new(),
            metadata: None,
            tools: Vec::new(),
            tool_choice: None,
        })
    }

    /// The user says something: a text, a [`Part`], or several parts.
    #[must_use]
    pub fn user(self, parts: impl Into<Parts>) -> Self {
        self.turn(Role::User, parts.into().0)
    }

    /// The model said something.
    #[must_use]
    pub fn assistant(self, parts: impl Into<Parts>) -> Self {
        self.turn(Role::Assistant, parts.into().0)
    }

    /// The model said this when it was last asked; the conversation goes on.
    #[must_use]
    pub fn after(self, answer: &Sampled) -> Self {
        self.turn(answer.0.role, answer.0.content.clone())
    }

    fn turn(mut self, role: Role, content: Vec<SamplingContent>) -> Self {
        self.0
            .messages
            .push(types::SamplingMessage { role, content });
        self
    }

    /// Says how to answer.
    #[must_use]
    pub fn system(mut self, prompt: impl Into<String>) -> Self {
        self.0.system_prompt = Some(prompt.into());
        self
    }

    /// Models that would be liked, most wanted first, by name or part of one.
    #[must_use]
    pub fn models<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.preferences().hints = names.into_iter().map(Into::into).collect();
        self
    }

    /// How much a low price matters, from 0.0 to 1.0.
    #[must_use]
    pub fn cost_priority(mut self, priority: f64) -> Self {
        self.preferences().cost_priority = Some(priority.clamp(0.0, 1.0));
        self
    }

    /// How much a quick answer matters, from 0.0 to 1.0.
    #[must_use]
    pub fn speed_priority(mut self, priority: f64) -> Self {
        self.preferences().speed_priority = Some(priority.clamp(0.0, 1.0));
        self
    }

    /// How much a clever answer matters, from 0.0 to 1.0.
    #[must_use]
    pub fn intelligence_priority(mut self, priority: f64) -> Self {
        self.preferences().intelligence_priority = Some(priority.clamp(0.0, 1.0));
        self
    }

    fn preferences(&mut self) -> &mut types::ModelPreferences {
        self.0
            .model_preferences
            .get_or_insert_with(|| types::ModelPreferences {
                hints: Vec::new(),
                cost_priority: None,
                speed_priority: None,
                intelligence_priority: None,
            })
    }

    /// How varied the answer may be.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.0.temperature = Some(temperature);
        self
    }

    /// The answer ends before one of these texts.
    #[must_use]
    pub fn stop_at<T: Into<String>>(mut self, texts: impl IntoIterator<Item = T>) -> Self {
        self.0.stop_sequences = texts.into_iter().map(Into::into).collect();
        self
    }

    /// Something for the provider of the model.
    #[must_use]
    pub fn metadata(mut self, metadata: Map<String, Value>) -> Self {
        self.0.metadata = Some(text_of(&Value::Object(metadata)));
        self
    }

    /// Offers the model a tool that takes a `T`. What it wants called is in
    /// [`Sampled::tool_uses`]; ask again [`after`](Self::after) that answer,
    /// with [`Part::tool_result`]s.
    ///
    /// # Errors
    /// `T` is no struct.
    pub fn tool<T: JsonSchema>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
    ) -> Result<Self> {
        Ok(self.tool_with_schema(name, description, schema::input_of::<T>()?))
    }

    /// Offers the model a tool with an input schema of your own, as JSON text.
    #[must_use]
    pub fn tool_with_schema(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: impl Into<String>,
    ) -> Self {
        self.0.tools.push(types::Tool {
            name: name.into(),
            title: None,
            description: Some(description.into()),
            input_schema: input_schema.into(),
            output_schema: None,
            annotations: None,
            icons: Vec::new(),
            task_support: types::TaskSupport::Forbidden,
            meta: None,
        });
        self
    }

    /// Whether the model may, must or must not use a tool.
    #[must_use]
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.0.tool_choice = Some(choice);
        self
    }
}

impl Question for Sample {
    type Answer = Sampled;

    fn settle(self, answer: Option<&types::AnswerValue>) -> Settled<Sampled> {
        match answer {
            Some(types::AnswerValue::Sampling(answer)) => {
                Settled::Known(Ok(Sampled(answer.clone())))
            }
            _ => Settled::Ask(Box::new(types::InputAsk::Sample(self.0))),
        }
    }
}

/// What the model said.
#[derive(Clone, Debug)]
pub struct Sampled(types::SamplingAnswer);

impl Sampled {
    /// The text of it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for part in &self.0.content {
            if let SamplingContent::Text(part) = part {
                text.push_str(&part.text);
            }
        }
        text
    }

    /// The tools it wants called.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUse> {
        self.0.content.iter().filter_map(|part| match part {
            SamplingContent::ToolUse(tool_use) => Some(tool_use),
            _ => None,
        })
    }

    /// All of it.
    #[must_use]
    pub fn parts(&self) -> &[SamplingContent] {
        &self.0.content
    }

    /// The model's name.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.0.model
    }

    /// Why it said no more.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&str> {
        self.0.stop_reason.as_deref()
    }
}

/// A part of what is said in a conversation with a model.
#[derive(Clone, Debug)]
pub struct Part(SamplingContent);

impl Part {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self(SamplingContent::Text(types::TextContent {
            text: text.into(),
            annotations: None,
            meta: None,
        }))
    }

    /// An image, as its bytes (not base64) and MIME type.
    pub fn image(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self(SamplingContent::Image(media(data.into(), mime_type.into())))
    }

    /// Sound, as its bytes (not base64) and MIME type.
    pub fn audio(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self(SamplingContent::Audio(media(data.into(), mime_type.into())))
    }

    /// What a tool answered that the model wanted called.
    pub fn tool_result(
        tool_use: &ToolUse,
        content: impl IntoIterator<Item = impl Into<Content>>,
    ) -> Self {
        Self(SamplingContent::ToolResult(types::ToolUseResult {
            tool_use_id: tool_use.id.clone(),
            content: content.into_iter().map(|block| block.into().0).collect(),
            structured_content: None,
            is_error: false,
        }))
    }

    /// That a tool did not work, and why.
    #[must_use]
    pub fn tool_error(tool_use: &ToolUse, error: &Error) -> Self {
        Self(SamplingContent::ToolResult(types::ToolUseResult {
            tool_use_id: tool_use.id.clone(),
            content: vec![Content::text(error.message()).0],
            structured_content: None,
            is_error: true,
        }))
    }
}

fn media(data: Vec<u8>, mime_type: String) -> types::MediaContent {
    types::MediaContent {
        data,
        mime_type,
        annotations: None,
        meta: None,
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

/// What is said in one turn: a text, a [`Part`], or several parts.
#[derive(Clone, Debug)]
pub struct Parts(Vec<SamplingContent>);

impl<P: Into<Part>> From<P> for Parts {
    fn from(part: P) -> Self {
        Self(vec![part.into().0])
    }
}

impl From<Vec<Part>> for Parts {
    fn from(parts: Vec<Part>) -> Self {
        Self(parts.into_iter().map(|part| part.0).collect())
    }
}

impl<const N: usize> From<[Part; N]> for Parts {
    fn from(parts: [Part; N]) -> Self {
        Self(parts.into_iter().map(|part| part.0).collect())
    }
}
