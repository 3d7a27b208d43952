//! What an answer must be beyond its type and its size.

use std::collections::HashSet;

use crate::bindings::contract::{InputRequired, ResourceInfo};
use crate::error::CallError;

/// Resources one list may hold.
const MAX_RESOURCES: usize = 10_000;

/// Questions one outcome may ask.
const MAX_REQUESTS: usize = 100;

/// Longest address of a resource, in bytes.
pub(crate) const MAX_URI: usize = 8 * 1024;

/// Longest part of an address that a message shows, in characters.
const SHOWN: usize = 200;

fn bad<T>(message: String) -> Result<T, CallError> {
    Err(CallError::BadAnswer(message))
}

/// A list whose every entry can be read, by an address of its own.
pub(crate) fn check_resources(resources: &[ResourceInfo]) -> Result<(), CallError> {
    if resources.len() > MAX_RESOURCES {
        return bad(format!(
            "it lists {} resources, more than the {MAX_RESOURCES} a list may have",
            resources.len()
        ));
    }
    let mut seen = HashSet::with_capacity(resources.len());
    for resource in resources {
        let uri = resource.uri.as_str();
        if uri.is_empty() {
            return bad(format!(
                "it lists the resource {:?} without a URI",
                shown(&resource.name)
            ));
        }
        if uri.len() > MAX_URI {
            return bad(format!(
                "it lists a resource whose URI is {} bytes long, more than the {MAX_URI} it may be",
                uri.len()
            ));
        }
        if !seen.insert(uri) {
            return bad(format!(
                "it lists two resources with the URI {:?}",
                shown(uri)
            ));
        }
    }
    Ok(())
}

/// Questions that can be told apart, or a state to come back with.
pub(crate) fn check_input_required(input: &InputRequired) -> Result<(), CallError> {
    if input.requests.is_empty() && input.state.is_none() {
        return bad("it asks for input, but for none in particular".to_owned());
    }
    if input.requests.len() > MAX_REQUESTS {
        return bad(format!(
            "it asks {} questions, more than the {MAX_REQUESTS} an answer may have",
            input.requests.len()
        ));
    }
    let mut seen = HashSet::new();
    for request in &input.requests {
        if request.key.is_empty() {
            return bad("it asks a question without a key".to_owned());
        }
        if !seen.insert(request.key.as_str()) {
            return bad(format!(
                "it asks two questions under the key {:?}",
                shown(&request.key)
            ));
        }
    }
    Ok(())
}

/// As much as fits into a sentence.
fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::{MAX_REQUESTS, check_input_required, shown};
    use crate::bindings::contract::{InputAsk, InputRequest, InputRequired};

    fn asking(keys: impl IntoIterator<Item = String>, state: Option<Vec<u8>>) -> InputRequired {
        let requests = keys.into_iter().map(|key| InputRequest {
            key,
            ask: InputAsk::ListRoots,
        });
        InputRequired {
            requests: requests.collect(),
            state,
        }
    }

    #[test]
    fn questions_have_keys_of_their_own() {
        let keys = |keys: &[&str]| asking(keys.iter().map(|key| (*key).to_owned()), None);
        assert!(check_input_required(&keys(&["a", "b"])).is_ok());
        assert!(check_input_required(&keys(&["a", "a"])).is_err());
        assert!(check_input_required(&keys(&["a", ""])).is_err());
    }

    #[test]
    fn there_are_some_but_not_too_many() {
        assert!(check_input_required(&asking([], None)).is_err());
        assert!(check_input_required(&asking([], Some(Vec::new()))).is_ok());
        let many = |count: usize| asking((0..count).map(|n| n.to_string()), None);
        assert!(check_input_required(&many(MAX_REQUESTS)).is_ok());
        assert!(check_input_required(&many(MAX_REQUESTS + 1)).is_err());
    }

    #[test]
    fn a_message_does_not_repeat_a_long_address() {
        assert_eq!(shown(&"ä".repeat(1_000)).chars().count(), 200);
    }
}
