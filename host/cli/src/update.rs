//! Definitions that a model reads, before and after an update, word by word.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use palisade_registry::Offer;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use crate::output::{self, printable};

/// Longest text that is compared, in bytes; a longer one is told to be another.
const LONGEST: usize = 64 << 10;

/// One definition that is not what it was.
pub(crate) struct Definitions {
    /// "tool", "prompt", …
    kind: &'static str,
    name: String,
    was: Option<Value>,
    is: Option<Value>,
}

/// Every definition that is not what it was.
pub(crate) fn different(old: &Offer, new: &Offer) -> Vec<Definitions> {
    let mut all = Vec::new();
    let kinds = [
        ("tool", &old.tools, &new.tools),
        ("prompt", &old.prompts, &new.prompts),
        ("resource", &old.resources, &new.resources),
        ("resource template", &old.templates, &new.templates),
    ];
    for (kind, old, new) in kinds {
        let names: BTreeSet<_> = old.keys().chain(new.keys()).collect();
        for name in names {
            let (was, is) = (old.get(name), new.get(name));
            if was != is {
                all.push(Definitions {
                    kind,
                    name: name.clone(),
                    was: was.cloned(),
                    is: is.cloned(),
                });
            }
        }
    }
    all
}

impl Definitions {
    /// Whether it says anything that nobody has agreed to.
    pub(crate) fn is_new_to_a_model(&self) -> bool {
        self.is.is_some()
    }

    /// In lines: what was taken out in brackets with a minus, what was put in with
    /// a plus.
    pub(crate) fn text(&self, colour: bool) -> String {
        let name = printable(&self.name);
        match (&self.was, &self.is) {
            (_, None) => format!("  - {} {name}", self.kind),
            (None, Some(is)) => {
                let mut text = format!("  + {} {name}", self.kind);
                for (key, value) in fields(is) {
                    let _ = write!(text, "\n      {key}: {}", within(&value));
                }
                output_red(&text, colour)
            }
            (Some(was), Some(is)) => {
                let mut text = format!("  ~ {} {name}", self.kind);
                let (was, is) = (fields(was), fields(is));
                let keys: BTreeSet<_> = was.keys().chain(is.keys()).collect();
                for key in keys {
                    let none = String::new();
                    let before = was.get(key).unwrap_or(&none);
                    let after = is.get(key).unwrap_or(&none);
                    if before != after {
                        let _ = write!(text, "\n      {key}: {}", within(&words(before, after)));
                    }
                }
                output_red(&text, colour)
            }
        }
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "kind": self.kind, "name": self.name, "was": self.was, "is": self.is })
    }
}

/// A stranger's text, whose lines stay below its own: none of them may look like
/// one of ours.
fn within(text: &str) -> String {
    printable(text).replace('\n', "\n        | ")
}

fn output_red(text: &str, colour: bool) -> String {
    let lines: Vec<_> = text.lines().map(|line| output::red(line, colour)).collect();
    lines.join("\n")
}

/// What a definition says, by key; nested parts as JSON.
fn fields(definition: &Value) -> BTreeMap<String, String> {
    let Some(all) = definition.as_object() else {
        return BTreeMap::new();
    };
    (all.iter())
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| {
            let text = match value {
                Value::String(text) => text.clone(),
                other => palisade_registry::canonical(other),
            };
            (key.clone(), text)
        })
        .collect()
}

/// "Reads [-a-] {+any+} file."
fn words(before: &str, after: &str) -> String {
    if before.len().max(after.len()) > LONGEST {
        return "it is another one, too long to be shown word by word".to_owned();
    }
    let diff = TextDiff::from_words(before, after);
    let marks = |tag| match tag {
        ChangeTag::Equal => ("", ""),
        ChangeTag::Delete => ("[-", "-]"),
        ChangeTag::Insert => ("{+", "+}"),
    };
    let (mut text, mut last) = (String::new(), ChangeTag::Equal);
    for change in diff.iter_all_changes() {
        if change.tag() != last {
            text.push_str(marks(last).1);
            last = change.tag();
            text.push_str(marks(last).0);
        }
        text.push_str(change.value());
    }
    text.push_str(marks(last).1);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_belong_together_are_marked_together() {
        assert_eq!(
            words("Reads.", "Reads. And sends."),
            "Reads.{+ And sends.+}"
        );
        assert_eq!(words("a b c", "a x y c"), "a [-b-]{+x y+} c");
        assert_eq!(words("a", ""), "[-a-]");
    }

    #[test]
    fn a_strangers_lines_do_not_look_like_ours() {
        let tool = |text: &str| json!({ "name": "t", "description": text });
        let offer = |text: &str| Offer {
            tools: [("t".to_owned(), tool(text))].into(),
            ..Offer::default()
        };
        let hostile = "Reads.\n  - tool delete_all\n\u{1b}[2K  nothing else";
        for old in [Offer::default(), offer("Reads.")] {
            let all = different(&old, &offer(hostile));
            let text = all[0].text(false);
            let ours = text.lines().filter(|line| !line.starts_with("      "));
            assert_eq!(ours.count(), 1, "{text}");
            assert!(!text.contains('\u{1b}'), "{text}");
        }
    }
}
