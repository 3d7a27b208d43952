//! Schemas of forms: flat objects whose properties are primitive, which is all
//! that clients draw.
//!
//! These are made in a call, but only when the form is really asked.

use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::{root, settings, text_of, without_null};

/// One field.
#[derive(Clone, Debug)]
pub(crate) struct FormField {
    pub(crate) name: String,
    pub(crate) schema: Value,
    pub(crate) required: bool,
}

/// The schema of these fields, in their order.
pub(crate) fn form(fields: &[FormField]) -> String {
    let mut text = String::from(r#"{"type":"object","properties":{"#);
    for (place, field) in fields.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        text.push_str(&text_of(&Value::from(&field.name[..])));
        text.push(':');
        text.push_str(&text_of(&field.schema));
    }
    text.push('}');
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.required)
        .map(|field| &field.name[..])
        .collect();
    if !required.is_empty() {
        text.push_str(r#","required":"#);
        text.push_str(&text_of(&Value::from(required)));
    }
    text.push('}');
    text
}

/// The schema of a struct as a form. What is no form is refused by the host.
pub(crate) fn form_of<T: JsonSchema>() -> String {
    let settings = settings()
        .for_deserialize()
        .with(|settings| settings.inline_subschemas = true);
    let mut schema = root::<T>(settings);
    let required: Vec<String> = match schema.remove("required") {
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    };
    let Some(Value::Object(mut properties)) = schema.remove("properties") else {
        return form(&[]);
    };
    // `properties` is sorted by name, `required` as the struct is.
    let mut fields: Vec<FormField> = Vec::new();
    for name in required {
        if let Some(schema) = properties.remove(&name) {
            fields.push(field(name, schema, true));
        }
    }
    for (name, schema) in properties {
        fields.push(field(name, schema, false));
    }
    form(&fields)
}

fn field(name: String, schema: Value, required: bool) -> FormField {
    let mut schema = schemars::Schema::try_from(schema).unwrap_or_default();
    without_null(&mut schema);
    let schema = schema.ensure_object();
    choices(schema);
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        choices(items);
        // Of several, titled choices are `anyOf`.
        if let Some(titled) = items.remove("oneOf") {
            items.remove("type");
            items.insert("anyOf".to_owned(), titled);
        }
    }
    FormField {
        name,
        schema: Value::Object(std::mem::take(schema)),
        required,
    }
}

/// An enum whose variants have doc comments is `oneOf` constants: the comments
/// become the choices' titles.
fn choices(schema: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = schema.get_mut("oneOf") else {
        return;
    };
    for choice in choices {
        if let Value::Object(choice) = choice {
            let title = choice.remove("description");
            let title = title.or_else(|| choice.get("const").cloned());
            choice.remove("type");
            if let Some(title) = title {
                choice.insert("title".to_owned(), title);
            }
        }
    }
    schema.insert("type".to_owned(), "string".into());
}
