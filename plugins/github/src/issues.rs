//! Issues and what is said of them.

use palisade_sdk::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::api::{Api, Ask, Page};
use crate::place::Repository;
use crate::shape::{List, cut, login, logins, names, text};

/// How much of a text is shown in a list, in bytes.
pub(crate) const EXCERPT: usize = 1000;

/// How much of a text is shown where it is what was asked for, in bytes.
pub(crate) const WHOLE: usize = 64 << 10;

/// How much of a comment is shown, in bytes.
const COMMENT: usize = 8 << 10;

/// An issue; GitHub counts pull requests among them.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Issue {
    /// Its number.
    pub(crate) number: u64,
    /// Its title.
    pub(crate) title: String,
    /// `open` or `closed`.
    pub(crate) state: String,
    /// Who opened it.
    #[serde(rename = "user", default, deserialize_with = "login")]
    pub(crate) user: String,
    /// Its labels.
    #[serde(default, deserialize_with = "names")]
    pub(crate) labels: Vec<String>,
    /// Who is to work on it.
    #[serde(default, deserialize_with = "logins")]
    pub(crate) assignees: Vec<String>,
    /// How many comments there are.
    #[serde(default)]
    pub(crate) comments: u64,
    /// When it was opened.
    #[serde(default, deserialize_with = "text")]
    pub(crate) created_at: String,
    /// When something of it last changed.
    #[serde(default, deserialize_with = "text")]
    pub(crate) updated_at: String,
    /// Where it is to be looked at.
    pub(crate) html_url: String,
    /// Whether it is a pull request.
    #[serde(
        rename(deserialize = "pull_request"),
        default,
        deserialize_with = "there"
    )]
    pub(crate) is_pull_request: bool,
    /// What it is about; in a list, how that begins.
    #[serde(default, deserialize_with = "text")]
    pub(crate) body: String,
}

/// A comment, or one of a review.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Comment {
    /// Who said it.
    #[serde(default, deserialize_with = "login")]
    pub(crate) user: String,
    /// When.
    #[serde(default, deserialize_with = "text")]
    pub(crate) created_at: String,
    /// Of which file, in a review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// Of which line, in a review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u64>,
    /// Where it is to be looked at.
    #[serde(default, deserialize_with = "text")]
    pub(crate) html_url: String,
    /// What was said.
    #[serde(default, deserialize_with = "text")]
    pub(crate) body: String,
}

/// Which of them.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    #[default]
    Open,
    Closed,
    All,
}

/// By what they are sorted.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sort {
    #[default]
    Created,
    Updated,
    Comments,
}

/// Which come first.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    Asc,
    #[default]
    Desc,
}

/// What a list is narrowed to.
#[derive(Debug)]
pub(crate) struct Which {
    pub(crate) state: State,
    pub(crate) labels: Vec<String>,
    pub(crate) since: Option<String>,
    pub(crate) sort: Sort,
    pub(crate) direction: Direction,
}

/// What is to be opened.
#[derive(Debug)]
pub(crate) struct NewIssue {
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    pub(crate) labels: Vec<String>,
    pub(crate) assignees: Vec<String>,
}

impl Which {
    fn query(&self) -> Vec<(&'static str, String)> {
        let mut query = vec![
            ("state", word(self.state)),
            ("sort", word(self.sort)),
            ("direction", word(self.direction)),
        ];
        if !self.labels.is_empty() {
            query.push(("labels", self.labels.join(",")));
        }
        if let Some(since) = &self.since {
            query.push(("since", since.clone()));
        }
        query
    }
}

/// The word that a choice is written as.
pub(crate) fn word(choice: impl Serialize) -> String {
    let written = serde_json::to_value(choice).unwrap_or_default();
    written.as_str().unwrap_or_default().to_owned()
}

pub(crate) fn list(
    api: &Api,
    repository: &Repository,
    which: &Which,
    page: Page,
) -> Result<List<Issue>> {
    let mut query = which.query();
    query.extend(page.query());
    let (mut items, next_page): (Vec<Issue>, _) = api.get(&Ask {
        what: format!("the issues of {repository}"),
        at: repository.at(&["issues"]),
        query,
    })?;
    for issue in &mut items {
        cut(&mut issue.body, EXCERPT);
    }
    Ok(List { items, next_page })
}

pub(crate) fn one(api: &Api, repository: &Repository, number: u64) -> Result<Issue> {
    let number = number.to_string();
    let (mut issue, _): (Issue, _) = api.get(&Ask {
        what: format!("issue {number} of {repository}"),
        at: repository.at(&["issues", &number]),
        query: Vec::new(),
    })?;
    cut(&mut issue.body, WHOLE);
    Ok(issue)
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
            what: format!("the comments on {number} of {repository}"),
            at: repository.at(&["issues", &number, "comments"]),
            query: page.query(),
        },
    )
}

/// A page of comments, wherever they are.
pub(crate) fn said(api: &Api, ask: &Ask<'_>) -> Result<List<Comment>> {
    let (mut items, next_page): (Vec<Comment>, _) = api.get(ask)?;
    for comment in &mut items {
        cut(&mut comment.body, COMMENT);
    }
    Ok(List { items, next_page })
}

pub(crate) fn create(api: &Api, repository: &Repository, new: &NewIssue) -> Result<Issue> {
    if new.title.trim().is_empty() {
        return Err(Error::invalid_params(
            "title is empty: say what it is about",
        ));
    }
    let mut body = json!({"title": new.title});
    if let Some(text) = &new.body {
        body["body"] = json!(text);
    }
    for (key, list) in [("labels", &new.labels), ("assignees", &new.assignees)] {
        if !list.is_empty() {
            body[key] = json!(list);
        }
    }
    let ask = Ask {
        what: format!("opening an issue in {repository}"),
        at: repository.at(&["issues"]),
        query: Vec::new(),
    };
    let mut issue: Issue = api.post(&ask, &body)?;
    cut(&mut issue.body, EXCERPT);
    Ok(issue)
}

/// Whether there is anything.
fn there<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let value = Option::<serde::de::IgnoredAny>::deserialize(deserializer)?;
    Ok(value.is_some())
}
