//! JSON Schemas (draft 2020-12) of what tools take and return.
//!
//! Nothing here runs in a call: schemas are asked for once, when the plugin
//! is loaded.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::{Error, Result};

mod form;

pub(crate) use form::{FormField, form, form_of};

/// The input schema of a tool, parameter by parameter.
pub struct Input {
    generator: SchemaGenerator,
    properties: Vec<(&'static str, Schema)>,
    required: Vec<&'static str>,
}

impl Input {
    /// A tool without arguments.
    #[must_use]
    #[inline(never)]
    pub fn new() -> Self {
        Self {
            generator: settings().for_deserialize().into_generator(),
            properties: Vec::new(),
            required: Vec::new(),
        }
    }

    /// The schema of a parameter's type.
    pub(crate) fn schema_of<T: JsonSchema>(&mut self) -> Schema {
        self.generator.subschema_for::<T>()
    }

    /// Adds a parameter.
    // Not once for every type: a plugin may have many parameters.
    #[inline(never)]
    pub(crate) fn add(
        &mut self,
        name: &'static str,
        description: &'static str,
        mut schema: Schema,
        default: Option<Value>,
        optional: bool,
    ) {
        if optional {
            without_null(&mut schema);
        } else {
            self.required.push(name);
        }
        if !description.is_empty() {
            schema.insert("description".to_owned(), description.into());
        }
        if let Some(default) = default {
            schema.insert("default".to_owned(), default);
        }
        PlainNumbers.transform(&mut schema);
        self.properties.push((name, schema));
    }

    /// Says something more of the parameter added last.
    #[inline(never)]
    pub fn extend(&mut self, keyword: &'static str, value: Value) {
        if let Some((_, schema)) = self.properties.last_mut() {
            schema.insert(keyword.to_owned(), value);
        }
    }

    /// The schema as JSON text.
    ///
    /// Written by hand: a map would sort the parameters by name, and their
    /// order tells a reader something.
    #[must_use]
    #[inline(never)]
    pub fn finish(mut self) -> String {
        let mut text = String::from(r#"{"type":"object""#);
        let mut before = r#","properties":{"#;
        for (name, schema) in &self.properties {
            text.push_str(before);
            text.push_str(&text_of(&Value::from(*name)));
            text.push(':');
            text.push_str(&text_of(schema.as_value()));
            before = ",";
        }
        if !self.properties.is_empty() {
            text.push('}');
        }
        if !self.required.is_empty() {
            text.push_str(r#","required":"#);
            text.push_str(&text_of(&Value::from(self.required)));
        }
        text.push_str(r#","additionalProperties":false"#);
        let definitions = self.generator.take_definitions(true);
        if !definitions.is_empty() {
            text.push_str(r#","$defs":"#);
            text.push_str(&text_of(&Value::from(definitions)));
        }
        text.push('}');
        text
    }
}

impl Default for Input {
    fn default() -> Self {
        Self::new()
    }
}

/// A value as JSON text.
///
/// `Value::to_string` would do, but brings the code for indented JSON into
/// every plugin. A value always has a text: nothing here is a map whose keys
/// are not strings.
pub(crate) fn text_of(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The schema of the `T` in an `Option<T>`: leaving an argument out is how to
/// say "none", `null` would only be a second way.
fn without_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &mut types[..] {
            let only = only.take();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| choice != &json!({ "type": "null" }));
        if let [Value::Object(only)] = &mut choices[..] {
            let only = std::mem::take(only);
            schema.remove("anyOf");
            for (key, value) in only {
                schema.ensure_object().entry(key).or_insert(value);
            }
        }
    }
}

/// The input schema of a tool that takes [`Args`](crate::Args).
///
/// # Errors
/// The type's JSON is not an object.
pub(crate) fn input_of<T: JsonSchema>() -> Result<String> {
    let schema = root::<T>(settings().for_deserialize());
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(Error::internal(format_args!(
            "`Args<{}>`: a tool's arguments are a JSON object, so this must be a struct with named fields",
            T::schema_name()
        )));
    }
    Ok(text_of(schema.as_value()))
}

/// The schema of a structured result.
pub(crate) fn output_of<T: JsonSchema>() -> String {
    text_of(root::<T>(settings().for_serialize()).as_value())
}

fn root<T: JsonSchema + ?Sized>(settings: SchemaSettings) -> Schema {
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name of a Rust type is no title for people.
    if schema.get("title").and_then(Value::as_str) == Some(&T::schema_name()) {
        schema.remove("title");
    }
    schema
}

/// Without `$schema`: draft 2020-12 is what MCP assumes.
fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.meta_schema = None)
        .with_transform(PlainNumbers)
}

/// Takes out `format: "uint32"` and its kin: they are not in JSON Schema, and
/// strict clients refuse a format they do not know.
#[derive(Clone)]
struct PlainNumbers;

impl Transform for PlainNumbers {
    fn transform(&mut self, schema: &mut Schema) {
        let of_a_number = schema
            .get("format")
            .and_then(Value::as_str)
            .is_some_and(|format| {
                let digits = format.trim_start_matches("uint").trim_start_matches("int");
                matches!(format, "float" | "double" | "int" | "uint")
                    || (digits.len() < format.len() && digits.parse::<u8>().is_ok())
            });
        if of_a_number {
            schema.remove("format");
        }
        transform_subschemas(self, schema);
    }
}
