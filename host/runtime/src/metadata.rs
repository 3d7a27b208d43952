//! What a plugin says of itself, asked once and recorded with its code.

use serde::{Deserialize, Serialize};

use crate::bindings::contract::{Prompt, ResourceTemplate, Tool};
use crate::component::{Export, Import, Kind, Offers};

/// Raise when the recorded form, or what is checked of it, changes: it is part
/// of the cache key.
pub(crate) const FORMAT: u32 = 3;

/// What is known of a plugin without running it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// How it is served.
    pub kind: Kind,
    /// What it needs.
    pub imports: Vec<Import>,
    /// What it offers.
    pub exports: Vec<Export>,
    /// Its tools, in its own order.
    pub tools: Vec<Tool>,
    /// Its resource templates, in its own order.
    pub templates: Vec<ResourceTemplate>,
    /// Its prompts, in its own order.
    pub prompts: Vec<Prompt>,
    /// Which of the contract's interfaces it exports.
    pub offers: Offers,
    /// The manifest it carries, as it stands there: not parsed yet.
    pub manifest: Option<String>,
}
