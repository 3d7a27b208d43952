//! The fields of a form, see [`Elicit::form`](crate::Elicit::form).

use std::marker::PhantomData;

use serde_json::{Map, Number, Value, json};

/// One field of a form. `K` says of which kind, and so what can be said of it;
/// nobody has to write it down.
#[derive(Clone, Debug)]
pub struct Field<K> {
    schema: Map<String, Value>,
    kind: PhantomData<K>,
}

/// A field for text.
#[derive(Clone, Copy, Debug)]
pub enum Text {}

/// A field for a whole number.
#[derive(Clone, Copy, Debug)]
pub enum Integer {}

/// A field for a number.
#[derive(Clone, Copy, Debug)]
pub enum Decimal {}

/// A field for yes or no.
#[derive(Clone, Copy, Debug)]
pub enum Flag {}

/// A field in which one of several values is chosen.
#[derive(Clone, Copy, Debug)]
pub enum Choice {}

/// A field in which any of several values are chosen.
#[derive(Clone, Copy, Debug)]
pub enum Choices {}

/// What a text has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An address for electronic mail.
    Email,
    /// A URI.
    Uri,
    /// A day, as in `2026-11-30`.
    Date,
    /// A moment, as in `2026-11-30T12:00:00Z`.
    DateTime,
}

impl<K> Field<K> {
    fn new(kind: &str) -> Self {
        let schema = Map::new();
        let kind_of = PhantomData;
        Self {
            schema,
            kind: kind_of,
        }
        .with("type", kind)
    }

    fn with(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.schema.insert(keyword.to_owned(), value.into());
        self
    }

    pub(crate) fn schema(self) -> Map<String, Value> {
        self.schema
    }

    /// Its name for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        self.with("title", title.into())
    }

    /// What is to be filled in.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        self.with("description", description.into())
    }
}

impl Field<Text> {
    /// A text.
    #[must_use]
    pub fn text() -> Self {
        Self::new("string")
    }

    /// What the text has to be.
    #[must_use]
    pub fn format(self, format: Format) -> Self {
        let format = match format {
            Format::Email => "email",
            Format::Uri => "uri",
            Format::Date => "date",
            Format::DateTime => "date-time",
        };
        self.with("format", format)
    }

    /// How many characters there are at least.
    #[must_use]
    pub fn min_length(self, characters: u32) -> Self {
        self.with("minLength", characters)
    }

    /// How many characters there are at most.
    #[must_use]
    pub fn max_length(self, characters: u32) -> Self {
        self.with("maxLength", characters)
    }

    /// What stands there at first.
    #[must_use]
    pub fn default(self, text: impl Into<String>) -> Self {
        self.with("default", text.into())
    }
}

impl Field<Integer> {
    /// A whole number.
    #[must_use]
    pub fn integer() -> Self {
        Self::new("integer")
    }

    /// The smallest there may be.
    #[must_use]
    pub fn min(self, min: i64) -> Self {
        self.with("minimum", min)
    }

    /// The largest there may be.
    #[must_use]
    pub fn max(self, max: i64) -> Self {
        self.with("maximum", max)
    }

    /// What stands there at first.
    #[must_use]
    pub fn default(self, number: i64) -> Self {
        self.with("default", number)
    }
}

impl Field<Decimal> {
    /// A number.
    #[must_use]
    pub fn number() -> Self {
        Self::new("number")
    }

    /// The smallest there may be.
    #[must_use]
    pub fn min(self, min: f64) -> Self {
        self.with_number("minimum", min)
    }

    /// The largest there may be.
    #[must_use]
    pub fn max(self, max: f64) -> Self {
        self.with_number("maximum", max)
    }

    /// What stands there at first.
    #[must_use]
    pub fn default(self, number: f64) -> Self {
        self.with_number("default", number)
    }

    // Infinity and its kin have no JSON, and as a bound they say nothing.
    fn with_number(self, keyword: &str, number: f64) -> Self {
        match Number::from_f64(number) {
            Some(number) => self.with(keyword, Value::Number(number)),
            None => self,
        }
    }
}

impl Field<Flag> {
    /// Yes or no.
    #[must_use]
    pub fn flag() -> Self {
        Self::new("boolean")
    }

    /// What stands there at first.
    #[must_use]
    pub fn default(self, flag: bool) -> Self {
        self.with("default", flag)
    }
}

impl Field<Choice> {
    /// One of these values.
    #[must_use]
    pub fn one_of<V: Into<String>>(values: impl IntoIterator<Item = V>) -> Self {
        Self::new("string").with("enum", texts(values))
    }

    /// One of these values, each with a title for people.
    #[must_use]
    pub fn one_of_titled<V: Into<String>, T: Into<String>>(
        values: impl IntoIterator<Item = (V, T)>,
    ) -> Self {
        Self::new("string").with("oneOf", titled(values))
    }

    /// As [`one_of_titled`](Self::one_of_titled), in the older form with
    /// `enumNames`, which some clients still want.
    #[must_use]
    pub fn one_of_named<V: Into<String>, T: Into<String>>(
        values: impl IntoIterator<Item = (V, T)>,
    ) -> Self {
        let (values, names): (Vec<String>, Vec<String>) = values
            .into_iter()
            .map(|(value, name)| (value.into(), name.into()))
            .unzip();
        Self::new("string")
            .with("enum", values)
            .with("enumNames", names)
    }

    /// What is chosen at first.
    #[must_use]
    pub fn default(self, value: impl Into<String>) -> Self {
        self.with("default", value.into())
    }
}

impl Field<Choices> {
    /// Any of these values.
    #[must_use]
    pub fn any_of<V: Into<String>>(values: impl IntoIterator<Item = V>) -> Self {
        Self::new("array").with("items", json!({ "type": "string", "enum": texts(values) }))
    }

    /// Any of these values, each with a title for people.
    #[must_use]
    pub fn any_of_titled<V: Into<String>, T: Into<String>>(
        values: impl IntoIterator<Item = (V, T)>,
    ) -> Self {
        Self::new("array").with("items", json!({ "anyOf": titled(values) }))
    }

    /// How many are chosen at least.
    #[must_use]
    pub fn min_items(self, items: u32) -> Self {
        self.with("minItems", items)
    }

    /// How many are chosen at most.
    #[must_use]
    pub fn max_items(self, items: u32) -> Self {
        self.with("maxItems", items)
    }

    /// What is chosen at first.
    #[must_use]
    pub fn default<V: Into<String>>(self, values: impl IntoIterator<Item = V>) -> Self {
        self.with("default", texts(values))
    }
}

fn texts<V: Into<String>>(values: impl IntoIterator<Item = V>) -> Value {
    let values = values.into_iter().map(|value| Value::String(value.into()));
    Value::Array(values.collect())
}

fn titled<V: Into<String>, T: Into<String>>(values: impl IntoIterator<Item = (V, T)>) -> Value {
    let values = values
        .into_iter()
        .map(|(value, title)| json!({ "const": value.into(), "title": title.into() }));
    Value::Array(values.collect())
}
