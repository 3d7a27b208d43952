//! The comparison shown to a person, one row a rule.

/// What a row is about, for grouping and for machine-readable output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKind {
    /// A directory.
    Folder,
    /// A network destination.
    Network,
    /// An environment variable.
    Environment,
    /// A secret.
    Secret,
    /// Storage kept between calls.
    Storage,
    /// A limit.
    Limit,
    /// A pattern of tool names.
    Tool,
}

/// One rule: asked, granted, effective, and why they differ. Every text is safe
/// to print; values of environment variables are never among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What the row is about.
    pub kind: RowKind,
    /// Its name, for example "folder notes" or "memory".
    pub what: String,
    /// What the plugin asks for; `None` for nothing.
    pub asked: Option<String>,
    /// What the person granted; `None` for nothing.
    pub granted: Option<String>,
    /// What holds; `None` for nothing.
    pub effective: Option<String>,
    /// Why what holds is not what was asked or granted: "not granted", "not
    /// asked for", "grant is read-only", "asks for read-only", "asks for less",
    /// "grant is narrower", "what both allow", "ceiling",
    /// "default", "more than the default needs a grant", or in what the grant of a
    /// secret differs.
    pub why: Option<String>,
    /// The secret it is about, if it is about one. Whether that has a value is
    /// not known here.
    pub secret: Option<String>,
}

pub(crate) const NOT_GRANTED: &str = "not granted";
pub(crate) const NOT_ASKED: &str = "not asked for";
