//! A keyword in every schema there is within a schema, so that whoever follows
//! it takes a [step](super::budget::step) at each.

use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value, json};

use super::budget;

/// The keyword, which comes before all others in any order. A plugin that uses
/// it itself gains nothing.
pub(super) const NAME: &str = "!palisade-step";

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

/// What is kept beside a `$ref` that stands alone, to be referred to.
const BESIDE: [&str; 3] = ["$schema", "$defs", "definitions"];

/// The schema with the keyword in all places.
///
/// # Errors
///
/// If no keyword could be put where it leads: it refers to something that is no
/// schema, or is of several drafts at once.
pub(super) fn put(schema: &Value) -> Result<Value, String> {
    check_references(schema, true, false)?;
    check_depth(schema)?;
    let draft = schema.get("$schema").and_then(Value::as_str);
    let putting = Putting {
        references_stand_alone: draft.is_some_and(|draft| draft.contains("/draft-0")),
    };
    Ok(putting.schema(schema))
}

struct Putting {
    /// Up to draft 7 nothing is looked at beside a `$ref`.
    references_stand_alone: bool,
}

impl Putting {
    fn schema(&self, schema: &Value) -> Value {
        match schema {
            Value::Array(schemas) => schemas.iter().map(|one| self.schema(one)).collect(),
            Value::Object(keywords) => Value::Object(self.keywords(keywords)),
            other => other.clone(),
        }
    }

    fn keywords(&self, keywords: &Map<String, Value>) -> Map<String, Value> {
        let mut put = Map::new();
        put.insert(NAME.to_owned(), Value::Bool(true));
        let alone = keywords.get("$ref").filter(|_| self.references_stand_alone);
        if let Some(reference) = alone {
            put.insert("allOf".to_owned(), json!([{"$ref": reference}]));
        }
        for (keyword, value) in keywords {
            let name = keyword.as_str();
            if alone.is_some() && !BESIDE.contains(&name) {
                continue;
            }
            let value = match value {
                data if DATA.contains(&name) => data.clone(),
                Value::Object(map) if MAPS.contains(&name) => map
                    .iter()
                    .map(|(name, schema)| (name.clone(), self.schema(schema)))
                    .collect(),
                // One that is unknown may be referred to.
                other => self.schema(other),
            };
            put.insert(keyword.clone(), value);
        }
        put
    }
}

/// Schemas that may stand within each other: to let go of them again takes stack
/// for each, and there nobody takes steps.
const DEEPEST: usize = 4_000;

/// Refuses what could be deeper than that: no more than all of it, nor than its
/// greatest depth once for every reference.
fn check_depth(schema: &Value) -> Result<(), String> {
    let mut found = Found::default();
    found.look_at(schema, 1);
    let deepest = found
        .references
        .saturating_add(1)
        .saturating_mul(found.depth)
        .min(found.schemas);
    if deepest > DEEPEST {
        return Err(format!(
            "its references may lead through {deepest} schemas, and {DEEPEST} are the most"
        ));
    }
    Ok(())
}

/// How much there is in a schema.
#[derive(Default)]
struct Found {
    schemas: usize,
    references: usize,
    depth: usize,
}

impl Found {
    fn look_at(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.look_at(value, depth)),
            Value::Object(keywords) => {
                self.schemas += 1;
                self.depth = self.depth.max(depth);
                self.references += usize::from(keywords.contains_key("$ref"));
                self.references += usize::from(keywords.contains_key("$dynamicRef"));
                for value in keywords.values() {
                    self.look_at(value, depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// Looks at every reference, wherever it stands.
fn check_references(value: &Value, outermost: bool, data: bool) -> Result<(), String> {
    match value {
        Value::Array(values) => values
            .iter()
            .try_for_each(|value| check_references(value, false, data)),
        Value::Object(keywords) => {
            if !outermost && !data && keywords.get("$schema").is_some_and(Value::is_string) {
                return Err("a part of it has a `$schema` of its own".to_owned());
            }
            for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
                let reference = keywords.get(keyword).and_then(Value::as_str);
                if let Some(reference) = reference
                    && leads_into_data(reference)
                {
                    return Err(format!("it refers to {reference:?}, which is no schema"));
                }
            }
            keywords.iter().try_for_each(|(name, value)| {
                check_references(value, false, data || DATA.contains(&name.as_str()))
            })
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
