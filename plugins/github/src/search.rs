//! Searching.

use palisade_sdk::prelude::*;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::api::{Api, Ask, Page};
use crate::issues::{EXCERPT, Issue};
use crate::place::{Repository, is_name};
use crate::shape::{cut, text};

/// A part of what was found.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Found<T> {
    /// How many there are in all; GitHub shows a thousand of them.
    pub(crate) total_count: u64,
    /// Whether GitHub gave up before it had looked everywhere.
    #[serde(default)]
    pub(crate) incomplete_results: bool,
    /// What is on this page.
    pub(crate) items: Vec<T>,
    /// The number of the next page; not there on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) next_page: Option<u32>,
}

/// A repository.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct FoundRepository {
    /// `owner/repo`.
    pub(crate) full_name: String,
    /// What it is.
    #[serde(default, deserialize_with = "text")]
    pub(crate) description: String,
    /// Where it is to be looked at.
    pub(crate) html_url: String,
    /// The language most of it is written in.
    #[serde(default, deserialize_with = "text")]
    pub(crate) language: String,
    /// How many people starred it.
    #[serde(default)]
    pub(crate) stargazers_count: u64,
    /// How many issues and pull requests are open.
    #[serde(default)]
    pub(crate) open_issues_count: u64,
    /// Whether only some can see it.
    #[serde(default)]
    pub(crate) private: bool,
    /// Whether nobody can write to it any more.
    #[serde(default)]
    pub(crate) archived: bool,
    /// The branch it is read from.
    #[serde(default)]
    pub(crate) default_branch: String,
    /// When it was last written to.
    #[serde(default, deserialize_with = "text")]
    pub(crate) pushed_at: String,
}

/// A file in which something was found.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Code {
    /// Its path.
    pub(crate) path: String,
    /// The repository.
    pub(crate) repository: InRepository,
    /// Where it is to be looked at.
    pub(crate) html_url: String,
    /// The SHA of what is in it.
    pub(crate) sha: String,
}

/// The repository of a file.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct InRepository {
    /// `owner/repo`.
    pub(crate) full_name: String,
}

pub(crate) fn repositories(api: &Api, query: &str, page: Page) -> Result<Found<FoundRepository>> {
    let mut found: Found<FoundRepository> = search(api, "repositories", query, page)?;
    for one in &mut found.items {
        cut(&mut one.description, 500);
    }
    Ok(found)
}

pub(crate) fn code(api: &Api, query: &str, page: Page) -> Result<Found<Code>> {
    search(api, "code", query, page)
}

pub(crate) fn issues(api: &Api, query: &str, page: Page) -> Result<Found<Issue>> {
    let mut found: Found<Issue> = search(api, "issues", query, page)?;
    for one in &mut found.items {
        cut(&mut one.body, EXCERPT);
    }
    Ok(found)
}

/// A query, narrowed to an owner or a repository.
pub(crate) fn within(query: &str, owner: Option<&str>, repo: Option<&str>) -> Result<String> {
    Ok(match (owner, repo) {
        (None, None) => query.to_owned(),
        (Some(owner), Some(repo)) => format!("{query} repo:{}", Repository::new(owner, repo)?),
        (Some(owner), None) if is_name(owner) => format!("{query} user:{owner}"),
        (Some(owner), None) => {
            return Err(Error::invalid_params(format_args!(
                "owner is {owner:?}, which is not a name on GitHub"
            )));
        }
        (None, Some(_)) => {
            return Err(Error::invalid_params("repo says nothing without owner"));
        }
    })
}

fn search<T: DeserializeOwned>(
    api: &Api,
    kind: &'static str,
    query: &str,
    page: Page,
) -> Result<Found<T>> {
    let mut parameters = vec![("q", query.to_owned())];
    parameters.extend(page.query());
    let (mut found, next): (Found<T>, _) = api.get(&Ask {
        what: format!("searching for {kind}"),
        at: vec!["search", kind],
        query: parameters,
    })?;
    found.next_page = next;
    Ok(found)
}
