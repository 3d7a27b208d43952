//! Repositories, and where the API has things.

use std::fmt;

use palisade_sdk::http::Url;
use palisade_sdk::prelude::*;

/// `owner/repo`, of characters that GitHub has in names.
#[derive(Debug)]
pub(crate) struct Repository {
    owner: String,
    name: String,
}

impl Repository {
    /// # Errors
    /// If one of them is no name, so that the address would be another one.
    pub(crate) fn new(owner: &str, name: &str) -> Result<Self> {
        for (what, text) in [("owner", owner), ("repo", name)] {
            if !is_name(text) {
                return Err(Error::invalid_params(format_args!(
                    "{what} is {text:?}, which is not a name on GitHub"
                )));
            }
        }
        Ok(Self {
            owner: owner.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Below `repos/OWNER/REPO` of an API.
    pub(crate) fn at<'s>(&'s self, rest: &[&'s str]) -> Vec<&'s str> {
        [&["repos", &self.owner, &self.name], rest].concat()
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// Whether it is an owner's or a repository's name.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=100).contains(&text.len()) && text.bytes().all(plain) && !matches!(text, "." | "..")
}

/// The segments of a path in a repository.
///
/// # Errors
/// If it leads somewhere else.
pub(crate) fn segments(path: &str) -> Result<Vec<&str>> {
    let path = path.trim_matches('/');
    if path.is_empty() {
        return Ok(Vec::new());
    }
    let segments: Vec<_> = path.split('/').collect();
    match segments.iter().any(|one| matches!(*one, "" | "." | "..")) {
        true => Err(Error::invalid_params(format_args!(
            "path is {path:?}: it has to be whole, without `.`, `..` and empty parts"
        ))),
        false => Ok(segments),
    }
}

/// An address below another one.
pub(crate) fn below(base: &Url, segments: &[&str], query: &[(&str, String)]) -> Result<Url> {
    let mut url = base.clone();
    url.path_segments_mut()
        .map_err(|()| Error::msg(format_args!("{base} is no address of an API")))?
        .pop_if_empty()
        .extend(segments);
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    Ok(url)
}
