//! What a call must satisfy before a guest runs, and a result before a client
//! sees it: the JSON Schemas of a tool.

use std::sync::OnceLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, Retrieve, Uri, Validator};
use palisade_runtime::Metadata;
use palisade_runtime::contract::Tool;
use serde_json::Value;

mod budget;
mod steps;

/// Steps a pattern may take before matching gives up: a schema comes from the
/// plugin, the text from the client, and neither may keep the host busy.
const BACKTRACK_LIMIT: usize = 100_000;

/// Problems named in one message.
const MAX_PROBLEMS: usize = 8;

/// Longest message about one problem, in bytes.
const MAX_PROBLEM: usize = 300;

/// The compiled schemas of one tool, each compiled when first needed.
#[derive(Debug)]
pub(crate) struct ToolGate {
    input: Lazy,
    output: Option<Lazy>,
}

#[derive(Debug)]
struct Lazy {
    schema: Value,
    validator: OnceLock<Result<Validator, String>>,
}

impl ToolGate {
    /// `tool` has passed the checks of [`Metadata`], so its schemas parse.
    pub(crate) fn new(tool: &Tool) -> serde_json::Result<Self> {
        Ok(Self {
            input: Lazy::new(&tool.input_schema)?,
            output: tool.output_schema.as_deref().map(Lazy::new).transpose()?,
        })
    }

    /// Checks arguments.
    ///
    /// # Errors
    ///
    /// What is wrong with them, in words for a model.
    pub(crate) fn check_arguments(&self, arguments: &Value) -> Result<(), String> {
        self.input
            .check(arguments)
            .map_err(|problems| format!("invalid arguments: {problems}"))
    }

    /// Whether there has to be structured content.
    pub(crate) fn demands_structured(&self) -> bool {
        self.output.is_some()
    }

    /// Checks structured content, which must be there if there is a schema.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(crate) fn check_structured(&self, content: Option<&Value>) -> Result<(), String> {
        match (&self.output, content) {
            (None, _) => Ok(()),
            (Some(_), None) => {
                Err("the plugin returned no structured content, which its output schema demands".into())
            }
            (Some(schema), Some(content)) => schema.check(content).map_err(|problems| {
                format!("the plugin returned structured content that breaks its own output schema: {problems}")
            }),
        }
    }
}

impl Lazy {
    fn new(schema: &str) -> serde_json::Result<Self> {
        Ok(Self {
            schema: serde_json::from_str(schema)?,
            validator: OnceLock::new(),
        })
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        let validator = self.validator.get_or_init(|| compile(&self.schema));
        let validator = validator.as_ref().map_err(|error| {
            format!(
                "the tool's schema is unusable: {}",
                shortened(error.clone())
            )
        })?;
        let unchecked = |spent| format!("to check it against the tool's schema takes {spent}");
        if budget::within(|| validator.is_valid(value)).map_err(unchecked)? {
            return Ok(());
        }
        let mut problems = unexpected(&self.schema, value);
        problems.extend(budget::within(|| found(validator, value)).map_err(unchecked)?);
        problems.truncate(MAX_PROBLEMS);
        if problems.is_empty() {
            problems.push("they do not match the schema".into());
        }
        Err(problems.join("; "))
    }
}

/// What the schema finds wrong, as it says it.
fn found(validator: &Validator, value: &Value) -> Vec<String> {
    validator
        .iter_errors(value)
        // It names the value and not the argument; `unexpected` does.
        .filter(|error| !matches!(error.kind(), ValidationErrorKind::FalseSchema))
        .take(MAX_PROBLEMS)
        .map(|error| {
            let place = error.instance_path().to_string();
            let problem = shortened(error.to_string());
            if place.is_empty() {
                problem
            } else {
                format!("{}: {problem}", shortened(place))
            }
        })
        .collect()
}

/// Arguments the schema does not know and does not want.
fn unexpected(schema: &Value, value: &Value) -> Vec<String> {
    let (Some(schema), Some(given)) = (schema.as_object(), value.as_object()) else {
        return Vec::new();
    };
    if schema.get("additionalProperties") != Some(&Value::Bool(false))
        || schema.contains_key("patternProperties")
    {
        return Vec::new();
    }
    let known = schema.get("properties").and_then(Value::as_object);
    given
        .keys()
        .filter(|key| !known.is_some_and(|known| known.contains_key(*key)))
        .take(MAX_PROBLEMS)
        .map(|key| shortened(format!("there is no argument {key:?}")))
        .collect()
}

/// A model need not be shown again all that it sent.
fn shortened(mut text: String) -> String {
    if text.len() > MAX_PROBLEM {
        text.truncate(text.floor_char_boundary(MAX_PROBLEM));
        text.push('…');
    }
    text
}

/// JSON Schema 2020-12 unless the schema says otherwise; nothing is fetched.
fn compile(schema: &Value) -> Result<Validator, String> {
    let schema = steps::put(schema)?;
    let options = jsonschema::options()
        .with_retriever(NothingElse)
        .with_keyword(steps::NAME, steps::keyword)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT));
    budget::within(|| options.build(&schema).map_err(|error| error.to_string()))
        .unwrap_or_else(|spent| Err(format!("to compile it takes {spent}")))
}

/// Whether `value` is what `schema` asks for; a schema that can't be used is
/// satisfied by nothing.
pub(crate) fn satisfies(schema: &Value, value: &Value) -> bool {
    compile(schema).is_ok_and(|validator| budget::within(|| validator.is_valid(value)) == Ok(true))
}

/// What is wrong with `value` by `schema`, as a tool's gate says it.
#[cfg(any(test, fuzzing))]
pub(crate) fn judge(schema: &Value, value: &Value) -> Result<(), String> {
    let lazy = Lazy {
        schema: schema.clone(),
        validator: OnceLock::new(),
    };
    lazy.check(value)
}

/// A schema stands for itself: what it refers to elsewhere is not fetched.
struct NothingElse;

impl Retrieve for NothingElse {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("it refers to {uri}, and other documents are never fetched").into())
    }
}

/// Compiles every schema of a plugin, for the moment it is first loaded.
///
/// # Errors
///
/// One sentence naming the tool whose schema can't be used.
pub fn check_schemas(metadata: &Metadata) -> Result<(), String> {
    check_tool_schemas(&metadata.tools)
}

/// The same of tools that a plugin says it has now.
///
/// # Errors
///
/// As [`check_schemas`].
pub(crate) fn check_tool_schemas(tools: &[Tool]) -> Result<(), String> {
    for tool in tools {
        let schemas = [
            ("input", Some(&tool.input_schema)),
            ("output", tool.output_schema.as_ref()),
        ];
        for (which, schema) in schemas {
            let Some(schema) = schema else { continue };
            serde_json::from_str(schema)
                .map_err(|error| error.to_string())
                .and_then(|schema| compile(&schema))
                .map_err(|error| format!("the {which} schema of {:?}: {error}", tool.name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{Lazy, compile, satisfies};

    /// `$defs` in which each refers to the next one as `each` says.
    fn chain(length: usize, each: impl Fn(Value) -> Value) -> Value {
        let mut defs = Map::new();
        for number in 0..length {
            let next = json!({"$ref": format!("#/$defs/a{}", number + 1)});
            defs.insert(format!("a{number}"), each(next));
        }
        defs.insert(format!("a{length}"), json!({"type": "object"}));
        json!({"$defs": defs, "$ref": "#/$defs/a0"})
    }

    fn nested(depth: usize) -> Value {
        (0..depth).fold(json!({}), |inner, _| json!({"a": inner}))
    }

    fn problem(schema: &Value, value: &Value) -> String {
        let gate = Lazy::new(&schema.to_string()).ok();
        gate.and_then(|gate| gate.check(value).err())
            .unwrap_or_default()
    }

    #[test]
    fn a_schema_that_takes_for_ever_is_given_up() {
        let twice = chain(60, |next| json!({"allOf": [next, next]}));
        let told = problem(&twice, &json!({}));
        assert!(told.contains("250 ms"), "{told}");
        assert!(!satisfies(&twice, &json!({})));
        // Wrong at once, but in more ways than can be told.
        let told = problem(&twice, &json!(1));
        assert!(told.contains("250 ms"), "{told}");

        let child = json!({"properties": {"a": {"$ref": "#/$defs/n"}}, "required": ["b"]});
        let tree = json!({"$defs": {"n": {"anyOf": [child, child]}}, "$ref": "#/$defs/n"});
        let told = problem(&tree, &nested(60));
        assert!(told.contains("250 ms"), "{told}");

        let patterns = json!({"items": {"pattern": "^(a+)+(?=b)$"}});
        let strings = vec!["a".repeat(40); 100_000];
        let told = problem(&patterns, &json!(strings));
        assert!(told.contains("250 ms"), "{told}");
    }

    #[test]
    fn a_schema_deeper_than_the_stack_is_refused() {
        assert!(compile(&chain(24, |next| json!({"allOf": [next]}))).is_ok());
        let links: [fn(Value) -> Value; 4] = [
            |next| json!({"allOf": [{"not": {"not": next}}]}),
            |next| json!({"allOf": [next]}),
            |next| json!({"properties": {"a": next}, "$comment": "here"}),
            |next| next,
        ];
        for draft in ["2020-12", "07"] {
            for link in links {
                for length in [1_000, 3_000, 10_000] {
                    let mut long = chain(length, link);
                    if draft == "07" {
                        long["$schema"] = json!("http://json-schema.org/draft-07/schema#");
                    }
                    // Compiled or not, it ends.
                    let told = problem(&long, &nested(100));
                    assert!(
                        told.is_empty() || told.contains("takes ") || told.contains("lead through"),
                        "{told}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_merely_large_is_checked() {
        let schema = json!({
            "$defs": {"n": {"properties": {"a": {"$ref": "#/$defs/n"}}, "additionalProperties": false}},
            "properties": {"tree": {"$ref": "#/$defs/n"}, "list": {"items": {"type": "integer"}}},
        });
        let mut value = json!({"tree": nested(100), "list": vec![1; 100_000]});
        assert_eq!(problem(&schema, &value), "");
        value["list"][77_777] = json!("no");
        let told = problem(&schema, &value);
        assert!(told.contains("/list/77777"), "{told}");
    }
}
