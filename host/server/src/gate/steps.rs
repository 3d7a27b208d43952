//! A keyword in every schema there is within a schema, so that whoever follows
//! it takes a [step](super::budget::step) at each.

use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value};

use super::budget;

/// The keyword. A plugin that uses it itself gains nothing.
pub(super) const NAME: &str = "x-palisade-step";

/// Keywords whose value is a map of schemas.
const MAPS: [&str; 6] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
];

/// Keywords whose value holds no schema.
const DATA: [&str; 7] = [
    "enum",
    "const",
    "default",
    "examples",
    "required",
    "dependentRequired",
    "$vocabulary",
];

/// The schema with the keyword in all places.
///
/// # Errors
///
/// If it refers to something that is no schema, where no keyword could be put.
pub(super) fn put(schema: &Value) -> Result<Value, String> {
    let mut schema = schema.clone();
    check_references(&schema)?;
    put_into(&mut schema);
    Ok(schema)
}

fn put_into(schema: &mut Value) {
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(put_into),
        Value::Object(keywords) => {
            for (keyword, value) in keywords.iter_mut() {
                if DATA.contains(&keyword.as_str()) {
                    continue;
                }
                match value {
                    Value::Object(map) if MAPS.contains(&keyword.as_str()) => {
                        map.values_mut().for_each(put_into);
                    }
                    // One that is unknown may be referred to.
                    other => put_into(other),
                }
            }
            keywords.insert(NAME.to_owned(), Value::Bool(true));
        }
        _ => {}
    }
}

/// Looks at every reference, wherever it stands.
fn check_references(value: &Value) -> Result<(), String> {
    match value {
        Value::Array(values) => values.iter().try_for_each(check_references),
        Value::Object(keywords) => {
            for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
                let reference = keywords.get(keyword).and_then(Value::as_str);
                if let Some(reference) = reference
                    && leads_into_data(reference)
                {
                    return Err(format!("it refers to {reference:?}, which is no schema"));
                }
            }
            keywords.values().try_for_each(check_references)
        }
        _ => Ok(()),
    }
}

/// Whether a JSON Pointer goes through the value of a keyword that holds data.
fn leads_into_data(reference: &str) -> bool {
    let Some((_, pointer)) = reference.split_once("#/") else {
        return false;
    };
    // What is written in another way than it need be is not looked through.
    if pointer.contains('%') && DATA.iter().any(|word| decoded(pointer).contains(word)) {
        return true;
    }
    let mut parts = pointer.split('/');
    while let Some(part) = parts.next() {
        if DATA.contains(&part) {
            return true;
        }
        if MAPS.contains(&part) {
            // A name, whatever it is.
            parts.next();
        }
    }
    false
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after
            .get(..2)
            .and_then(|two| std::str::from_utf8(two).ok())
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        match hex {
            Some(value) if byte == b'%' => {
                bytes.push(value);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Takes a step, and finds nothing wrong.
struct Step;

impl<'i> Keyword<'i> for Step {
    fn validate(&self, _: &'i Value) -> Result<(), ValidationError<'i>> {
        budget::step();
        Ok(())
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        budget::step();
        true
    }
}

/// Makes the keyword, which is a step as well: to compile a schema is to follow
/// it.
#[allow(
    clippy::unnecessary_wraps,
    reason = "the library's type for those who make keywords"
)]
pub(super) fn keyword<'a>(
    _: &'a Map<String, Value>,
    _: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    budget::step();
    Ok(Box::new(Step))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{NAME, put};

    #[test]
    fn every_schema_has_it_and_nothing_else() {
        let schema = json!({
            "properties": {"enum": {"type": "string"}, "b": true},
            "allOf": [{"enum": [{"a": 1}]}],
            "x-mine": {"deep": [{"not": {}}]},
            "dependentRequired": {"a": ["b"]},
        });
        let with = json!({
            NAME: true,
            "properties": {"enum": {NAME: true, "type": "string"}, "b": true},
            "allOf": [{NAME: true, "enum": [{"a": 1}]}],
            "x-mine": {NAME: true, "deep": [{NAME: true, "not": {NAME: true}}]},
            "dependentRequired": {"a": ["b"]},
        });
        assert_eq!(put(&schema), Ok(with));
    }

    #[test]
    fn references_into_data_are_refused() {
        for (reference, fine) in [
            ("#", true),
            ("#here", true),
            ("#/$defs/enum", true),
            ("#/properties/default/items", true),
            ("#/enum/0", false),
            ("#/$defs/a/const", false),
            ("other#/items/examples/0", false),
            ("#/%65num/0", false),
        ] {
            let schema = json!({"const": {"deep": {"$ref": reference}}});
            assert_eq!(put(&schema).is_ok(), fine, "{reference}");
        }
    }
}
