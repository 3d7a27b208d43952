//! Pull requests.

use palisade_sdk::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{Api, Ask, Page};
use crate::issues::{Comment, EXCERPT, State, WHOLE, said, word};
use crate::place::Repository;
use crate::shape::{List, cut, login, names, text};

/// How much of a diff is shown, in bytes.
const DIFF: usize = 512 << 10;

/// A pull request. What GitHub does not say in a list is not there in one.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct PullRequest {
    /// Its number.
    pub(crate) number: u64,
    /// Its title.
    pub(crate) title: String,
    /// `open` or `closed`.
    pub(crate) state: String,
    /// Whether it is not meant to be merged yet.
    #[serde(default)]
    pub(crate) draft: bool,
    /// When it was merged; not there if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) merged_at: Option<String>,
    /// Who opened it.
    #[serde(default, deserialize_with = "login")]
    pub(crate) user: String,
    /// From where.
    pub(crate) head: Branch,
    /// To where.
    pub(crate) base: Branch,
    /// Its labels.
    #[serde(default, deserialize_with = "names")]
    pub(crate) labels: Vec<String>,
    /// When it was opened.
    #[serde(default, deserialize_with = "text")]
    pub(crate) created_at: String,
    /// When something of it last changed.
    #[serde(default, deserialize_with = "text")]
    pub(crate) updated_at: String,
    /// How many commits it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commits: Option<u64>,
    /// How many lines it adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) additions: Option<u64>,
    /// How many lines it removes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deletions: Option<u64>,
    /// How many files it changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) changed_files: Option<u64>,
    /// Where it is to be looked at.
    pub(crate) html_url: String,
    /// What it is about; in a list, how that begins.
    #[serde(default, deserialize_with = "text")]
    pub(crate) body: String,
}

/// A branch and where it stands.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Branch {
    /// `owner:branch`.
    #[serde(default, deserialize_with = "text")]
    pub(crate) label: String,
    /// The branch.
    #[serde(rename = "ref")]
    pub(crate) name: String,
    /// The commit.
    pub(crate) sha: String,
}

/// What a list is narrowed to.
#[derive(Debug)]
pub(crate) struct Which {
    pub(crate) state: State,
    pub(crate) head: Option<String>,
    pub(crate) base: Option<String>,
}

pub(crate) fn list(
    api: &Api,
    repository: &Repository,
    which: &Which,
    page: Page,
) -> Result<List<PullRequest>> {
    let mut query = vec![("state", word(which.state))];
    for (key, value) in [("head", &which.head), ("base", &which.base)] {
        query.extend(value.clone().map(|value| (key, value)));
    }
    query.extend(page.query());
    let (mut items, next_page): (Vec<PullRequest>, _) = api.get(&Ask {
        what: format!("the pull requests of {repository}"),
        at: repository.at(&["pulls"]),
        query,
    })?;
    for pull in &mut items {
        cut(&mut pull.body, EXCERPT);
    }
    Ok(List { items, next_page })
}

pub(crate) fn one(api: &Api, repository: &Repository, number: u64) -> Result<PullRequest> {
    let text = number.to_string();
    let (mut pull, _): (PullRequest, _) = api.get(&ask(repository, &text))?;
    cut(&mut pull.body, WHOLE);
    Ok(pull)
}

pub(crate) fn diff(api: &Api, repository: &Repository, number: u64) -> Result<String> {
    let text = number.to_string();
    let mut diff = api.text(&ask(repository, &text), "application/vnd.github.diff")?;
    cut(&mut diff, DIFF);
    Ok(diff)
}

pub(crate) fn comments(
    api: &Api,
    repository: &Repository,
    number: u64,
    page: Page,
) -> Result<List<Comment>> {
    let number = number.to_string();
    said(
        api,
        &Ask {
            what: format!("the review comments on {number} of {repository}"),
            at: repository.at(&["pulls", &number, "comments"]),
            query: page.query(),
        },
    )
}

fn ask<'a>(repository: &'a Repository, number: &'a str) -> Ask<'a> {
    Ask {
        what: format!("pull request {number} of {repository}"),
        at: repository.at(&["pulls", number]),
        query: Vec::new(),
    }
}
