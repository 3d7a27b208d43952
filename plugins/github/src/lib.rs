//! GitHub through its REST API, with a token that the host adds to requests and
//! the plugin never sees. Tools and arguments are called as in GitHub's own MCP
//! server, as far as it has them.

mod api;
mod failure;
mod files;
mod issues;
mod place;
mod pulls;
mod search;
mod shape;

#[cfg(test)]
mod tests;

use palisade_sdk::prelude::*;

use crate::api::{Api, Page};
use crate::files::Contents;
use crate::issues::{Comment, Direction, Issue, NewIssue, Sort, State};
use crate::place::Repository;
use crate::pulls::PullRequest;
use crate::search::{Code, Found, FoundRepository};
use crate::shape::List;

/// GitHub.
#[derive(Debug, Default)]
struct GitHub;

// Thin on purpose: this is the list, the files beside it are the insides.
#[plugin]
impl GitHub {
    /// Search for repositories, for example "language:rust mcp stars:>100".
    #[tool(title = "Search repositories", read_only, open_world)]
    fn search_repositories(
        &self,
        /// What to look for, in GitHub's search syntax.
        query: String,
        /// Page of the results, from 1.
        #[arg(default = 1, extend("minimum" = 1))]
        page: u32,
        /// Results on a page.
        #[arg(name = "perPage", default = 30, extend("minimum" = 1, "maximum" = 100))]
        per_page: u32,
    ) -> Result<Json<Found<FoundRepository>>> {
        search::repositories(&Api::new()?, &query, Page::new(page, per_page)).map(Json::new)
    }

    /// Search for code in the repositories that the token can see, for example
    /// "fn main repo:octocat/hello-world". Takes a token.
    #[tool(title = "Search code", read_only, open_world)]
    fn search_code(
        &self,
        /// What to look for, in GitHub's syntax of code search.
        query: String,
        /// Page of the results, from 1.
        #[arg(default = 1, extend("minimum" = 1))]
        page: u32,
        /// Results on a page.
        #[arg(name = "perPage", default = 30, extend("minimum" = 1, "maximum" = 100))]
        per_page: u32,
    ) -> Result<Json<Found<Code>>> {
        search::code(&Api::new()?, &query, Page::new(page, per_page)).map(Json::new)
    }

    /// Search for issues and pull requests, for example "is:issue is:open label:bug".
    #[tool(title = "Search issues", read_only, open_world)]
    fn search_issues(
        &self,
        /// What to look for, in GitHub's search syntax.
        query: String,
        /// Only in repositories of this owner.
        owner: Option<String>,
        /// Only in this repository of `owner`.
        repo: Option<String>,
        /// Page of the results, from 1.
        #[arg(default = 1, extend("minimum" = 1))]
        page: u32,
        /// Results on a page.
        #[arg(name = "perPage", default = 30, extend("minimum" = 1, "maximum" = 100))]
        per_page: u32,
    ) -> Result<Json<Found<Issue>>> {
        let query = search::within(&query, owner.as_deref(), repo.as_deref())?;
        search::issues(&Api::new()?, &query, Page::new(page, per_page)).map(Json::new)
    }

    /// Read a file of a repository, or list a directory.
    #[tool(title = "Get file or directory contents", read_only, open_world)]
    fn get_file_contents(
        &self,
        /// Owner of the repository.
        owner: String,
        /// Name of the repository.
        repo: String,
        /// Path of the file or directory; the top if it is empty.
        #[arg(default)]
        path: String,
        /// Branch, tag or commit; the default branch if not given.
        #[arg(name = "ref")]
        reference: Option<String>,
    ) -> Result<Json<Contents>> {
        let repository = Repository::new(&owner, &repo)?;
        files::contents(&Api::new()?, &repository, &path, reference.as_deref())
    }

    /// List the issues of a repository, newest first. GitHub counts pull
    /// requests among them.
    #[tool(title = "List issues", read_only, open_world)]
    fn list_issues(
        &self,
        /// Owner of the repository.
        owner: String,
        /// Name of the repository.
        repo: String,
        /// Which ones.
        #[arg(default)]
        state: State,
        /// Only those that have all of these labels.
        #[arg(default)]
        labels: Vec<String>,
        /// Only those changed since, for example 2026-01-31T00:00:00Z.
        since: Option<String>,
        /// By what they are sorted.
        #[arg(default)]
        sort: Sort,
        /// Which come first.
        #[arg(default)]
        direction: Direction,
        /// Page of the results, from 1.
        #[arg(default = 1, extend("minimum" = 1))]
        page: u32,
        /// Results on a page.
        #[arg(name = "perPage", default = 30, extend("minimum" = 1, "maximum" = 100))]
        per_page: u32,
    ) -> Result<Json<List<Issue>>> {
        let which = issues::Which {
            state,
            labels,
            since,
            sort,
            direction,
        };
        let repository = Repository::new(&owner, &repo)?;
        issues::list(&Api::new()?, &repository, &which, Page::new(page, per_page)).map(Json::new)
    }

    /// Read an issue.
    #[tool(title = "Get issue", read_only, open_world)]
    fn get_issue(
        &self,
        /// Owner of the repository.
        owner: String,
        /// Name of the repository.
        repo: String,
        /// Number of the issue.
        issue_number: u64,
    ) -> Result<Json<Issue>> {
        let repository = Repository::new(&owner, &repo)?;
        issues::one(&Api::new()?, &repository, issue_number).map(Json::new)
    }

    /// Read the comments on an issue or a pull request, oldest first.
    #[tool(title = "Get issue comments", read_only, open_world)]
    fn get_issue_comments(
        &self,
        /// Owner of the repository.
        owner: String,
        /// Name of the repository.
        repo: String,
        /// Number of the issue or pull request.
        issue_number: u64,
        /// Page of the results, from 1.
        #[arg(default = 1, extend("minimum" = 1))]
        page: u32,
        /// Results on a page.
        #[arg(name = "perPage", default = 30, extend("minimum" = 1, "maximum" = 100))]
        per_page: u32,
    ) -> Result<Json<List<Comment>>> {
        let repository = Repository::new(&owner, &repo)?;
        let page = Page::new(page, per_page);
        issues::comments(&Api::new()?, &repository, issue_number, page).map(Json::new)
    }

    /// List the pull requests of a repository.
    #[tool(title = "List pull requests", read_only, open_world)]
    fn list_pull_requests(
        &self,
        /// Owner of the repository.
        owner: String,
        /// Name of the repository.
        repo: String,
        /// Which ones.
        #[arg(default)]
        state: State,
        /// Only those from this branch, as owner:branch.
        head: Option<String>,
        /// Only those into this branch.
        base: Option<String>,
        /// Page of the results, from 1.
        #[arg(default = 1, extend("minimum" = 1))]
        page: u32,
        /// Results on a page.
        #[arg(name = "perPage", default = 30, extend("minimum" = 1, "maximum" = 100))]
        per_page: u32,
    ) -> Result<Json<List<PullRequest>>> {
        let repository = Repository::new(&owner, &repo)?;
        let which = pulls::Which { state, head, base };
        pulls::list(&Api::new()?, &repository, &which, Page::new(page, per_page)).map(Json::new)
    }

    /// Read a pull request.
    #[tool(title = "Get pull request", read_only, open_world)]
    fn get_pull_request(
        &self,
        /// Owner of the repository.
        owner: String,
        /// Name of the repository.
        repo: String,
        /// Number of the pull request.
        #[arg(name = "pullNumber")]
        pull_number: u64,
    ) -> Result<Json<PullRequest>> {
        let repository = Repository::new(&owner, &repo)?;
        pulls::one(&Api::new()?, &repository, pull_number).map(Json::new)
    }

    /// Read what was said of the lines of a pull request in its reviews, oldest
    /// first. `get_issue_comments` has what was said of it as a whole.
    #[tool(title = "Get pull request review comments", read_only, open_world)]
    fn get_pull_request_comments(
        &self,
        /// Owner of the repository.
        owner: String,
        /// Name of the repository.
        repo: String,
        /// Number of the pull request.
        #[arg(name = "pullNumber")]
        pull_number: u64,
        /// Page of the results, from 1.
        #[arg(default = 1, extend("minimum" = 1))]
        page: u32,
        /// Results on a page.
        #[arg(name = "perPage", default = 30, extend("minimum" = 1, "maximum" = 100))]
        per_page: u32,
    ) -> Result<Json<List<Comment>>> {
        let repository = Repository::new(&owner, &repo)?;
        let page = Page::new(page, per_page);
        pulls::comments(&Api::new()?, &repository, pull_number, page).map(Json::new)
    }

    /// Read what a pull request changes, as a diff.
    #[tool(title = "Get pull request diff", read_only, open_world)]
    fn get_pull_request_diff(
        &self,
        /// Owner of the repository.
        owner: String,
        /// Name of the repository.
        repo: String,
        /// Number of the pull request.
        #[arg(name = "pullNumber")]
        pull_number: u64,
    ) -> Result<String> {
        let repository = Repository::new(&owner, &repo)?;
        pulls::diff(&Api::new()?, &repository, pull_number)
    }

    /// Open an issue.
    #[tool(
        title = "Open new issue",
        read_only = false,
        destructive = false,
        idempotent = false,
        open_world
    )]
    fn create_issue(
        &self,
        /// Owner of the repository.
        owner: String,
        /// Name of the repository.
        repo: String,
        /// Its title.
        title: String,
        /// What it is about, in Markdown.
        body: Option<String>,
        /// Labels that the repository has.
        #[arg(default)]
        labels: Vec<String>,
        /// Who is to work on it, by their names on GitHub.
        #[arg(default)]
        assignees: Vec<String>,
    ) -> Result<Json<Issue>> {
        let repository = Repository::new(&owner, &repo)?;
        let new = NewIssue {
            title,
            body,
            labels,
            assignees,
        };
        issues::create(&Api::new()?, &repository, &new).map(Json::new)
    }
}
