//! Checks of the lists a plugin gives when it is loaded. No plugin is served
//! with a list that a client could misread.

use serde::{Deserialize, Serialize};

use crate::bindings::contract::{Annotations, Prompt, ResourceTemplate, Tool};
use crate::component::Offers;
use crate::error::LoadError;
use crate::size::Size;

mod headers;
mod prompts;
mod templates;
mod tools;

pub(crate) use prompts::check as check_prompts;
pub(crate) use templates::check as check_templates;
pub(crate) use tools::check as check_tools;

/// Entries one list may have.
const MAX_ENTRIES: usize = 1_000;

/// Bytes of all entries of one list together.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// Longest name of a tool or prompt, in characters (MCP on tools: 1 to 128 of
/// `[A-Za-z0-9_.-]`).
const MAX_NAME: usize = 128;

/// What a plugin says it offers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Listing {
    pub(crate) tools: Vec<Tool>,
    pub(crate) templates: Vec<ResourceTemplate>,
    pub(crate) prompts: Vec<Prompt>,
}

impl Listing {
    /// Checks all of it.
    ///
    /// # Errors
    ///
    /// [`LoadError::BadListing`] naming what is wrong,
    /// [`LoadError::NothingToServe`] if there is nothing in it and can't be.
    pub(crate) fn check(&self, offers: Offers) -> Result<(), LoadError> {
        // Which resources there are depends on the grant.
        if self.tools.is_empty() && self.prompts.is_empty() && !offers.resources {
            let found = match (offers.tools, offers.prompts) {
                (true, true) => "its lists of tools and of prompts are empty",
                (false, true) => "its prompt list is empty",
                _ => "its tool list is empty",
            };
            return Err(LoadError::NothingToServe {
                found: found.to_owned(),
            });
        }
        tools::check(&self.tools)?;
        templates::check(&self.templates)?;
        prompts::check(&self.prompts)
    }
}

fn bad<T>(message: String) -> Result<T, LoadError> {
    Err(LoadError::BadListing(message))
}

/// Bounds a list as a whole.
fn check_size<T: Size>(what: &str, list: &[T]) -> Result<(), LoadError> {
    if list.len() > MAX_ENTRIES {
        return bad(format!(
            "it has {} {what}, more than the {MAX_ENTRIES} a plugin may offer",
            list.len()
        ));
    }
    let text: usize = list.iter().map(Size::size).sum();
    if text > MAX_TEXT {
        return bad(format!(
            "its list of {what} is {text} bytes long, more than the {MAX_TEXT} it may be"
        ));
    }
    Ok(())
}

/// A name that reads the same everywhere.
fn check_name(what: &str, name: &str) -> Result<(), LoadError> {
    let is_name = (1..=MAX_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
    if is_name {
        return Ok(());
    }
    bad(format!(
        "{name:?} is not a {what} name (1 to {MAX_NAME} of A-Z a-z 0-9 _ . -)"
    ))
}

/// JSON that has to be an object; `whose` is a name.
fn object(
    what: &str,
    whose: &str,
    text: &str,
) -> Result<serde_json::Map<String, serde_json::Value>, LoadError> {
    serde_json::from_str(text).map_err(|error| {
        LoadError::BadListing(format!(
            "the {what} of {whose:?} is no JSON object ({error})"
        ))
    })
}

/// `_meta`, if there is one.
fn check_meta(whose: &str, meta: Option<&String>) -> Result<(), LoadError> {
    match meta {
        Some(meta) => object("_meta", whose, meta).map(drop),
        None => Ok(()),
    }
}

/// A priority between none and all.
fn check_annotations(whose: &str, annotations: Option<&Annotations>) -> Result<(), LoadError> {
    match annotations.and_then(|annotations| annotations.priority) {
        Some(priority) if !(0.0..=1.0).contains(&priority) => bad(format!(
            "the priority of {whose:?} is {priority}, and not between 0 and 1"
        )),
        _ => Ok(()),
    }
}
