//! Questions to the person at the client.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::ask::{Question, Settled};
use crate::bindings::types::{self, ElicitationAnswer};
use crate::field::Field;
use crate::schema::{self, text_of};
use crate::{Error, Result};

/// A question to the person at the client: a form to fill in, or an address to
/// visit. Never ask for secrets in a form.
#[derive(Clone, Copy, Debug)]
pub struct Elicit;

impl Elicit {
    /// A form, field by field. Without fields it asks for a yes or no.
    ///
    /// ```
    /// use palisade_sdk::prelude::*;
    ///
    /// let form = Elicit::form("Who is it?")
    ///     .field("name", Field::text().title("Name").max_length(100))
    ///     .optional("age", Field::integer().min(0));
    /// ```
    pub fn form(message: impl Into<String>) -> Form {
        Form {
            message: message.into(),
            fields: Vec::new(),
        }
    }

    /// A form whose fields are those of a struct: texts, numbers, booleans,
    /// enums, lists of enums, and `Option`s of these. The answer is the struct.
    pub fn form_of<T: JsonSchema + DeserializeOwned>(message: impl Into<String>) -> FormOf<T> {
        FormOf {
            message: message.into(),
            answer: PhantomData,
        }
    }

    /// A form with a schema of your own, as JSON text.
    pub fn form_with_schema(
        message: impl Into<String>,
        schema: impl Into<Cow<'static, str>>,
    ) -> FormWithSchema {
        FormWithSchema {
            message: message.into(),
            schema: schema.into(),
        }
    }

    /// An address to visit. That it was accepted says only that the person
    /// agreed to go there.
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> UrlToVisit {
        UrlToVisit(types::UrlElicitation {
            message: message.into(),
            url: url.into(),
        })
    }
}

/// What a person did with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// Answered it.
    Accept(T),
    /// Said no.
    Decline,
    /// Went away without an answer.
    Cancel,
}

impl<T> Elicited<T> {
    /// The answer, if there is one. `.accepted().context("…")?` ends a tool
    /// where there is none.
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accept(answer) => Some(answer),
            Self::Decline | Self::Cancel => None,
        }
    }

    /// Whether there is an answer.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accept(_))
    }
}

/// A form that was filled in: a JSON object, and shorter ways to the fields
/// that are required.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filled(Map<String, Value>);

impl Filled {
    /// The text, or the choice, in a field.
    ///
    /// # Errors
    /// There is none.
    pub fn text(&self, field: &str) -> Result<&str> {
        self.read(field, "text", Value::as_str)
    }

    /// The whole number in a field.
    ///
    /// # Errors
    /// There is none.
    pub fn integer(&self, field: &str) -> Result<i64> {
        // A client may write 3 as 3.0.
        let whole = |number: f64| (number.fract() == 0.0).then_some(number);
        self.read(field, "whole number", |value| {
            value.as_i64().or_else(|| {
                let number = whole(value.as_f64()?)?;
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "it is whole; `as` saturates"
                )]
                Some(number as i64)
            })
        })
    }

    /// The number in a field.
    ///
    /// # Errors
    /// There is none.
    pub fn number(&self, field: &str) -> Result<f64> {
        self.read(field, "number", Value::as_f64)
    }

    /// Whether a field says yes.
    ///
    /// # Errors
    /// It says neither yes nor no.
    pub fn flag(&self, field: &str) -> Result<bool> {
        self.read(field, "yes or no", Value::as_bool)
    }

    /// The choices in a field of which several can be chosen.
    ///
    /// # Errors
    /// There are none.
    pub fn choices(&self, field: &str) -> Result<Vec<&str>> {
        self.read(field, "choices", |value| {
            value.as_array()?.iter().map(Value::as_str).collect()
        })
    }

    fn read<'a, T>(
        &'a self,
        field: &str,
        what: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T> {
        self.0
            .get(field)
            .and_then(read)
            .ok_or_else(|| Error::msg(format_args!("the answer has no {what} in `{field}`")))
    }
}

impl Deref for Filled {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// The form behind [`Elicit::form`].
#[derive(Clone, Debug)]
pub struct Form {
    message: String,
    fields: Vec<schema::FormField>,
}

impl Form {
    /// Adds a field that has to be filled in.
    #[must_use]
    pub fn field<K>(self, name: impl Into<String>, field: Field<K>) -> Self {
        self.add(name.into(), field.schema(), true)
    }

    /// Adds a field that may stay empty.
    #[must_use]
    pub fn optional<K>(self, name: impl Into<String>, field: Field<K>) -> Self {
        self.add(name.into(), field.schema(), false)
    }

    fn add(mut self, name: String, schema: Map<String, Value>, required: bool) -> Self {
        self.fields.push(schema::FormField {
            name,
            schema: Value::Object(schema),
            required,
        });
        self
    }
}

impl Question for Form {
    type Answer = Elicited<Filled>;

    fn settle(self, answer: Option<&types::AnswerValue>) -> Settled<Self::Answer> {
        settle(answer, || (self.message, schema::form(&self.fields)))
    }
}

/// The form behind [`Elicit::form_of`].
#[derive(Clone)]
pub struct FormOf<T> {
    message: String,
    answer: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for FormOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FormOf").field(&self.message).finish()
    }
}

impl<T: JsonSchema + DeserializeOwned> Question for FormOf<T> {
    type Answer = Elicited<T>;

    fn settle(self, answer: Option<&types::AnswerValue>) -> Settled<Self::Answer> {
        settle(answer, || (self.message, schema::form_of::<T>()))
    }
}

/// The form behind [`Elicit::form_with_schema`].
#[derive(Clone, Debug)]
pub struct FormWithSchema {
    message: String,
    schema: Cow<'static, str>,
}

impl Question for FormWithSchema {
    type Answer = Elicited<Filled>;

    fn settle(self, answer: Option<&types::AnswerValue>) -> Settled<Self::Answer> {
        settle(answer, || (self.message, self.schema.into_owned()))
    }
}

/// The question behind [`Elicit::url`].
#[derive(Clone, Debug)]
pub struct UrlToVisit(types::UrlElicitation);

impl Question for UrlToVisit {
    type Answer = Elicited<()>;

    fn settle(self, answer: Option<&types::AnswerValue>) -> Settled<Self::Answer> {
        match answer {
            Some(types::AnswerValue::Elicitation(answer)) => Settled::Known(Ok(match answer {
                ElicitationAnswer::Accept(_) => Elicited::Accept(()),
                ElicitationAnswer::Decline => Elicited::Decline,
                ElicitationAnswer::Cancel => Elicited::Cancel,
            })),
            _ => Settled::Ask(Box::new(types::InputAsk::ElicitUrl(self.0))),
        }
    }
}

impl<'de> serde::Deserialize<'de> for Filled {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self)
    }
}

fn settle<T: DeserializeOwned>(
    answer: Option<&types::AnswerValue>,
    form: impl FnOnce() -> (String, String),
) -> Settled<Elicited<T>> {
    let Some(types::AnswerValue::Elicitation(answer)) = answer else {
        let (message, requested_schema) = form();
        let form = types::FormElicitation {
            message,
            requested_schema,
        };
        return Settled::Ask(Box::new(types::InputAsk::ElicitForm(form)));
    };
    Settled::Known(match answer {
        ElicitationAnswer::Decline => Ok(Elicited::Decline),
        ElicitationAnswer::Cancel => Ok(Elicited::Cancel),
        ElicitationAnswer::Accept(content) => {
            let content = content.as_deref().unwrap_or("{}");
            serde_json::from_str(content)
                .map(Elicited::Accept)
                .map_err(|error| Error::msg(format_args!("the answer does not fit: {error}")))
        }
    })
}

/// An answer for [`Context::answering`](crate::Context::answering), in the unit
/// tests of a plugin that asks.
#[derive(Clone, Debug)]
pub struct Answer(pub(crate) types::AnswerValue);

impl Answer {
    /// A form filled in: `Answer::accept(json!({ "name": "Ada" }))`.
    #[must_use]
    pub fn accept(content: Value) -> Self {
        Self::elicitation(ElicitationAnswer::Accept(Some(text_of(&content))))
    }

    /// An address visited.
    #[must_use]
    pub fn visit() -> Self {
        Self::elicitation(ElicitationAnswer::Accept(None))
    }

    /// The person said no.
    #[must_use]
    pub fn decline() -> Self {
        Self::elicitation(ElicitationAnswer::Decline)
    }

    /// The person went away.
    #[must_use]
    pub fn cancel() -> Self {
        Self::elicitation(ElicitationAnswer::Cancel)
    }

    /// The model said this.
    pub fn sampled(text: impl Into<String>) -> Self {
        Self(types::AnswerValue::Sampling(types::SamplingAnswer {
            role: types::Role::Assistant,
            content: vec![types::SamplingContent::Text(types::TextContent {
                text: text.into(),
                annotations: None,
                meta: None,
            })],
            model: "test".to_owned(),
            stop_reason: None,
        }))
    }

    /// The client's roots, by URI.
    pub fn roots<U: Into<String>>(uris: impl IntoIterator<Item = U>) -> Self {
        let root = |uri: U| types::ClientRoot {
            uri: uri.into(),
            name: None,
        };
        Self(types::AnswerValue::Roots(
            uris.into_iter().map(root).collect(),
        ))
    }

    fn elicitation(answer: ElicitationAnswer) -> Self {
        Self(types::AnswerValue::Elicitation(answer))
    }
}
