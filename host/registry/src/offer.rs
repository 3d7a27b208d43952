//! What a plugin asked for and offered when a person said yes to it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Digest;

/// A plugin's request, and every definition that it gave: what a person saw, kept
/// so that an update can be compared with it word by word.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// The text of its manifest, if it has one.
    pub request: Option<String>,
    /// Tools by name.
    #[serde(default)]
    pub tools: BTreeMap<String, Value>,
    /// Prompts by name.
    #[serde(default)]
    pub prompts: BTreeMap<String, Value>,
    /// Resources by address.
    #[serde(default)]
    pub resources: BTreeMap<String, Value>,
    /// Templates of resources by pattern.
    #[serde(default)]
    pub templates: BTreeMap<String, Value>,
}

/// The digests of an offer: of the request's text, and of the canonical JSON of
/// each definition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfferDigests {
    /// That of the request, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Digest>,
    /// Tools by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, Digest>,
    /// Prompts by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prompts: BTreeMap<String, Digest>,
    /// Resources by address.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Digest>,
    /// Templates of resources by pattern.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub templates: BTreeMap<String, Digest>,
}

impl Offer {
    /// Its digests.
    #[must_use]
    pub fn digests(&self) -> OfferDigests {
        let all = |definitions: &BTreeMap<String, Value>| {
            (definitions.iter())
                .map(|(name, value)| (name.clone(), definition_digest(value)))
                .collect()
        };
        OfferDigests {
            request: (self.request.as_deref()).map(|text| Digest::of(text.as_bytes())),
            tools: all(&self.tools),
            prompts: all(&self.prompts),
            resources: all(&self.resources),
            templates: all(&self.templates),
        }
    }

    /// As it is kept: the same offer is the same bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let value = serde_json::to_value(self).unwrap_or_default();
        canonical(&value).into_bytes()
    }
}

/// The digest of a definition: of its canonical JSON.
#[must_use]
pub fn definition_digest(value: &Value) -> Digest {
    Digest::of(canonical(value).as_bytes())
}

/// JSON without spaces, its keys sorted at every level: the same value is the same
/// text, in whatever order a plugin gave its keys.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            // Some crate in a build may have JSON keep the order of keys.
            let sorted: BTreeMap<_, _> = map.iter().collect();
            out.push('{');
            for (i, (key, item)) in sorted.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(item, out);
            }
            out.push('}');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use serde_json::json;

    use super::*;

    #[test]
    fn order_means_nothing_and_words_mean_all() {
        let one = serde_json::from_str(r#"{"b": [1, {"y": 0, "x": "\n"}], "a": null}"#).unwrap();
        let same = serde_json::from_str(r#"{"a":null,"b":[1,{"x":"\u000a","y":0}]}"#).unwrap();
        let other = json!({"a": null, "b": [1, {"x": " ", "y": 0}]});
        assert_eq!(canonical(&one), r#"{"a":null,"b":[1,{"x":"\n","y":0}]}"#);
        assert_eq!(definition_digest(&one), definition_digest(&same));
        assert_ne!(definition_digest(&one), definition_digest(&other));
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let offer = Offer {
            request: Some("[plugin]\nname = \"a\"\n".to_owned()),
            tools: [("t".to_owned(), json!({"name": "t"}))].into(),
            ..Offer::default()
        };
        let read: Offer = serde_json::from_slice(&offer.to_bytes()).unwrap();
        assert_eq!(read, offer);
        assert_eq!(read.digests(), offer.digests());
        assert_eq!(offer.digests().tools.len(), 1);
    }
}
