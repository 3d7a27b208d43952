//! What answers have in common: of GitHub's many fields, those somebody reads,
//! and of each no more than fits.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Part of a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct List<T> {
    /// What is on this page.
    pub(crate) items: Vec<T>,
    /// The number of the next page; not there on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_page: Option<u32>,
}

/// `{"login": …}` of GitHub, as the name alone; empty for an account that is gone.
pub(crate) fn login<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    struct User {
        login: String,
    }
    let user = Option::<User>::deserialize(deserializer)?;
    Ok(user.map_or_else(|| "ghost".to_owned(), |user| user.login))
}

/// `[{"login": …}, …]`, as names.
pub(crate) fn logins<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    struct User {
        login: String,
    }
    let users = Option::<Vec<User>>::deserialize(deserializer)?;
    Ok((users.into_iter().flatten())
        .map(|user| user.login)
        .collect())
}

/// `[{"name": …}, "…"]`, as names.
pub(crate) fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Label {
        Object { name: Option<String> },
        Text(String),
    }
    let labels = Option::<Vec<Label>>::deserialize(deserializer)?;
    Ok((labels.into_iter().flatten())
        .filter_map(|label| match label {
            Label::Object { name } => name,
            Label::Text(text) => Some(text),
        })
        .collect())
}

/// A text that may be `null`.
pub(crate) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.unwrap_or_default())
}

/// No more than so many bytes, and a note where there was more.
pub(crate) fn cut(text: &mut String, most: usize) {
    if text.len() <= most {
        return;
    }
    let whole = text.len();
    text.truncate(text.floor_char_boundary(most));
    text.push_str(&format!("\n… (cut: {most} of {whole} bytes)"));
}
