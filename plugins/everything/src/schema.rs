//! An input schema that has to arrive as it is written.

/// What no Rust type would come out as.
pub(crate) const CONTACT: &str = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": {
        "street": { "type": "string" },
        "city": { "type": "string" }
      }
    }
  },
  "properties": {
    "name": { "type": "string", "description": "Who it is." },
    "address": { "$ref": "#/$defs/address", "description": "Where they live." },
    "contactMethod": {
      "type": "string",
      "enum": ["phone", "email"],
      "description": "How to reach them."
    },
    "phone": { "type": "string", "description": "Their number." },
    "email": { "type": "string", "description": "Their address for mail." }
  },
  "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
  "if": {
    "properties": { "contactMethod": { "const": "phone" } },
    "required": ["contactMethod"]
  },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] },
  "additionalProperties": false
}"##;
