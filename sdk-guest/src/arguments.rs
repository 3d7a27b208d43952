//! From the JSON of a call to the parameters of a function.
//!
//! `#[plugin]` writes, for each tool, a struct of options and an implementation
//! of [`Fields`] that says which name goes where. The text is read once,
//! straight into the parameters' own types.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut};

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::schema::{self, Input};
use crate::{Error, Result};

/// A tool's arguments as one struct, for tools that have many.
///
/// `T` is a struct with `#[derive(Deserialize, JsonSchema)]`; its schema is the
/// tool's input schema. Put `#[serde(deny_unknown_fields)]` on it so that a
/// misspelt argument is refused, as it is for plain parameters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Args<T>(pub T);

impl<T> Deref for Args<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Args<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// What the type of an argument has to be: owned, readable from JSON, and able
/// to describe itself. Every type that is both `Deserialize` and `JsonSchema`
/// is one.
//
// What `#[plugin]` does with an argument are methods of this trait, not
// functions with a bound, and the trait has no supertraits: so a type that is
// no argument is complained about once, in these words, not at every use.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "not something that can be read from JSON and described to a model",
    note = "an argument's type is owned and implements `serde::Deserialize` and \
            `schemars::JsonSchema`: put `#[derive(Deserialize, JsonSchema)]` on it",
    note = "the call itself is taken as `ctx: &Context`"
)]
pub trait Argument: Sized {
    #[doc(hidden)]
    fn describe(input: &mut Input, name: &'static str, description: &'static str);

    #[doc(hidden)]
    fn describe_with_default(
        input: &mut Input,
        name: &'static str,
        description: &'static str,
        default: &Self,
    ) where
        Self: Serialize;

    #[doc(hidden)]
    fn read<'de, A: MapAccess<'de>>(
        slot: &mut Option<Self>,
        name: &str,
        values: &mut A,
    ) -> std::result::Result<bool, A::Error>;

    #[doc(hidden)]
    fn take(slot: Option<Self>, name: &str) -> Result<Self>;

    #[doc(hidden)]
    fn describe_whole() -> Result<String>;

    #[doc(hidden)]
    fn read_whole(json: &str) -> Result<Args<Self>>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Argument for T {
    fn describe(input: &mut Input, name: &'static str, description: &'static str) {
        let schema = input.schema_of::<Self>();
        input.add(name, description, schema, None, absent::<Self>().is_some());
    }

    fn describe_with_default(
        input: &mut Input,
        name: &'static str,
        description: &'static str,
        default: &Self,
    ) where
        Self: Serialize,
    {
        let schema = input.schema_of::<Self>();
        let default = serde_json::to_value(default).ok();
        input.add(name, description, schema, default, true);
    }

    // Reads it, if it was not there before.
    fn read<'de, A: MapAccess<'de>>(
        slot: &mut Option<Self>,
        name: &str,
        values: &mut A,
    ) -> std::result::Result<bool, A::Error> {
        if slot.is_some() {
            return Err(A::Error::custom(format_args!("`{name}` is there twice")));
        }
        match values.next_value() {
            Ok(value) => *slot = Some(value),
            Err(error) => return Err(A::Error::custom(format_args!("`{name}`: {error}"))),
        }
        Ok(true)
    }

    // A type that can do without, an `Option`, need not have been there.
    fn take(slot: Option<Self>, name: &str) -> Result<Self> {
        match slot {
            Some(value) => Ok(value),
            None => absent().ok_or_else(|| unusable(format_args!("`{name}` is missing"))),
        }
    }

    fn describe_whole() -> Result<String> {
        schema::input_of::<Self>()
    }

    fn read_whole(json: &str) -> Result<Args<Self>> {
        serde_json::from_str(json)
            .map(Args)
            .map_err(|error| wrong(&error))
    }
}

/// Where a call's arguments go.
pub trait Fields {
    /// Every argument's name.
    const NAMES: &'static [&'static str];

    /// Reads the value of `name` into its slot; false if there is none.
    ///
    /// # Errors
    /// The value has another type, or was there before.
    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        values: &mut A,
    ) -> std::result::Result<bool, A::Error>;
}

/// The value of an argument that was left out, if its type has one.
fn absent<T: DeserializeOwned>() -> Option<T> {
    T::deserialize(Absent).ok()
}

/// Reads a tool's arguments.
///
/// # Errors
/// A tool error in plain words.
pub fn read_arguments<F: Fields>(json: &str, fields: &mut F) -> Result<()> {
    let mut text = serde_json::Deserializer::from_str(json);
    text.deserialize_map(Object(fields))
        .and_then(|()| text.end())
        .map_err(|error| wrong(&error))
}

#[cold]
fn wrong(error: &serde_json::Error) -> Error {
    let text = error.to_string();
    // Models do not count columns.
    let place = format!(" at line {} column {}", error.line(), error.column());
    unusable(text.strip_suffix(&place).unwrap_or(&text))
}

#[cold]
fn unusable(why: impl fmt::Display) -> Error {
    Error::msg(format_args!("wrong arguments: {why}"))
}

struct Object<'a, F>(&'a mut F);

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de, F: Fields> Visitor<'de> for Object<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut values: A) -> std::result::Result<(), A::Error> {
        while let Some(Name(name)) = values.next_key()? {
            if !self.0.read(&name, &mut values)? {
                return Err(A::Error::custom(unknown(&name, F::NAMES)));
            }
        }
        Ok(())
    }
}

#[cold]
fn unknown(name: &str, known: &[&str]) -> String {
    match known {
        [] => format!("`{name}` is not known; this tool takes no arguments"),
        _ => format!("`{name}` is not known; there is `{}`", known.join("`, `")),
    }
}

/// Gives `None` to types that take an option, and nothing to all others.
struct Absent;

impl<'de> Deserializer<'de> for Absent {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(
        self,
        _visitor: V,
    ) -> std::result::Result<V::Value, Self::Error> {
        Err(Self::Error::custom("missing"))
    }

    fn deserialize_option<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> std::result::Result<V::Value, Self::Error> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}
