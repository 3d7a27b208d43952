//! What a person is shown before they say yes to a plugin.

use std::fmt::Write as _;

use palisade_policy::{Access, Ask, Manifest, ToolDecision, Wants, asks};
use palisade_registry::Offer;
use palisade_runtime::Metadata;
use palisade_runtime::contract::Tool;

use crate::failure::Failure;
use crate::installed::Installed;
use crate::output::{self, one_line};
use crate::signed::Verdict;
use crate::terminal;

pub(crate) mod answers;

/// Names of tools and prompts that are shown.
const NAMES: usize = 24;

/// Everything there is to know of a plugin that is not installed yet.
pub(crate) struct Card<'a> {
    pub(crate) name: &'a str,
    pub(crate) manifest: Option<&'a Manifest>,
    pub(crate) metadata: &'a Metadata,
    /// Where it comes from.
    pub(crate) source: String,
    pub(crate) digest: String,
    /// Whose signature was checked.
    pub(crate) verdict: &'a Verdict,
}

impl Card<'_> {
    /// In lines. What is worth a second look is red, if colour may be used.
    pub(crate) fn text(&self, colour: bool) -> String {
        let about = self.manifest.map(|manifest| &manifest.plugin);
        let mut title = self.name.to_owned();
        if let Some(version) = about.and_then(|about| about.version.as_ref()) {
            let _ = write!(title, " {version}");
        }
        if let Some(description) = about.and_then(|about| about.description.as_ref()) {
            let _ = write!(title, " · {}", one_line(description));
        }
        let signer = one_line(&self.verdict.words());
        let mut text = format!(
            "  {title}\n  from      {}\n  digest    sha256:{}\n  signed    {signer}\n  kind      {}",
            one_line(&self.source),
            self.digest,
            self.metadata.kind,
        );
        let tools = self
            .metadata
            .tools
            .iter()
            .map(|tool| match is_destructive(tool) {
                true => format!("{} ⚠", tool.name),
                false => tool.name.clone(),
            });
        if self.metadata.offers.tools {
            let _ = write!(text, "\n  tools     {}", names(tools));
        }
        if self.metadata.offers.prompts {
            let prompts = self
                .metadata
                .prompts
                .iter()
                .map(|prompt| prompt.name.clone());
            let _ = write!(text, "\n  prompts   {}", names(prompts));
        }
        if self.metadata.offers.resources {
            text.push_str("\n  resources as it lists them");
        }
        if self.metadata.tools.iter().any(is_destructive) {
            text.push_str("\n            ⚠ may change or destroy things: you are asked each time");
        }
        text.push_str("\n\n");
        text.push_str(&self.wants(colour));
        text
    }

    fn wants(&self, colour: bool) -> String {
        let Some(manifest) = self.manifest else {
            return "  It has no manifest, so it asks for nothing; what you grant it, it gets."
                .to_owned();
        };
        let asks = asks(manifest);
        if asks.is_empty() {
            return "  It asks for nothing: no folder, no network, nothing of your environment."
                .to_owned();
        }
        let mut text = "  It asks to".to_owned();
        for ask in &asks {
            let needed = if ask.required {
                " (it does not start without)"
            } else {
                ""
            };
            let _ = write!(text, "\n    - {}{needed}", one_line(&ask.words()));
            if let Some(warning) = ask.warning() {
                let line = format!("      ⚠ {warning}");
                let _ = write!(text, "\n{}", output::red(&line, colour));
            }
        }
        for line in consequences(&asks) {
            let _ = write!(text, "\n  {line}");
        }
        if let Some(line) = not_asked(&asks) {
            let _ = write!(text, "\n  {line}");
        }
        text
    }
}

/// What it could do with all of it.
fn consequences(asks: &[Ask]) -> Vec<String> {
    let mut lines = Vec::new();
    let roots = || {
        asks.iter().filter_map(|ask| match &ask.wants {
            Wants::Root(root) => Some(root),
            _ => None,
        })
    };
    let mut places: Vec<String> = (asks.iter())
        .filter_map(|ask| match &ask.wants {
            Wants::Network(rule) if rule.to.host == "*" => Some("any server there is".to_owned()),
            Wants::Network(rule) => Some(rule.to.host.clone()),
            _ => None,
        })
        .collect();
    places.sort();
    places.dedup();
    if roots().any(|root| root.access == Access::ReadWrite) {
        lines.push(
            "If you grant all of it, it can delete everything in a folder you let it write to."
                .to_owned(),
        );
    }
    if roots().next().is_some() && !places.is_empty() {
        lines.push(format!(
            "If you grant all of it, it can send what is in these folders to {}.",
            one_line(&places.join(", "))
        ));
    }
    lines
}

fn not_asked(asks: &[Ask]) -> Option<String> {
    let any = |is: fn(&Wants) -> bool| asks.iter().any(|ask| is(&ask.wants));
    let mut not = Vec::new();
    not.push(match any(|wants| matches!(wants, Wants::Root(_))) {
        true => "other folders",
        false => "any folder",
    });
    let everywhere = any(|wants| matches!(wants, Wants::Network(rule) if rule.to.host == "*"));
    if !everywhere {
        not.push(match any(|wants| matches!(wants, Wants::Network(_))) {
            true => "other hosts",
            false => "the network",
        });
    }
    if !any(|wants| matches!(wants, Wants::Env(_))) {
        not.push("your environment");
    }
    Some(format!("It does not ask for: {}.", not.join(", ")))
}

/// A tool that may destroy something, by its own word or for lack of one.
pub(crate) fn is_destructive(tool: &Tool) -> bool {
    let hints = tool.annotations.as_ref();
    let read_only = hints
        .and_then(|hints| hints.read_only_hint)
        .unwrap_or(false);
    let destructive = hints
        .and_then(|hints| hints.destructive_hint)
        .unwrap_or(true);
    !read_only && destructive
}

/// How a person agrees to something that stands for itself by a digest.
pub(crate) struct Agreeing<'a> {
    /// The digest that they said yes to in advance.
    pub(crate) accepted: Option<&'a str>,
    /// What they are asked otherwise; nothing, where nobody is.
    pub(crate) question: Option<&'a str>,
    /// The command that shows what there is.
    pub(crate) look: String,
}

impl Agreeing<'_> {
    /// Whether they do.
    pub(crate) fn with(&self, digest: &str) -> Result<bool, Failure> {
        match (self.accepted, self.question) {
            (Some(accepted), _) if accepted == digest => Ok(true),
            (Some(_), _) => Err(Failure::new(format!(
                "what is there now is {digest}, and not what you accepted"
            ))
            .remedy(format!("look at it: {}", self.look))
            .into_refusal()),
            (None, None) => Ok(false),
            (None, Some(question)) => Ok(terminal::yes(question)?.unwrap_or(false)),
        }
    }
}

/// The grant of a plugin that offers this from now on, and what of it a person has to
/// know, in sentences. Of a tool that may destroy something, did not before, and of
/// which the grant says nothing, a person is asked; a rule about none of its tools,
/// with which it would not start, is taken away.
pub(crate) fn grant_for(
    installed: &Installed,
    offer: &Offer,
) -> Result<(Option<String>, Vec<String>), Failure> {
    let mut text = installed.grant_text()?;
    let grant = text.grant().map_err(|error| installed.bad_grant(&error))?;
    let rules = grant.tools;
    let known = |name: &str| installed.offer.tools.get(name).is_some_and(may_destroy);
    let asked: Vec<_> = (offer.tools.iter())
        .filter(|(name, tool)| may_destroy(tool) && !known(name) && !rules.is_about(name))
        .map(|(name, _)| name.clone())
        .collect();
    let gone: Vec<_> = (rules.about_none(offer.tools.keys().map(String::as_str)))
        .map(|(pattern, decision)| (pattern.to_owned(), decision))
        .collect();
    for name in &asked {
        text.set_tool(name, ToolDecision::Ask);
    }
    for (pattern, _) in &gone {
        text.remove_tool(pattern);
    }
    let unchanged = asked.is_empty() && gone.is_empty();
    let mut notes = Vec::new();
    if !asked.is_empty() {
        let names = names(asked.iter().cloned());
        notes.push(format!(
            "you are asked each time before {names}, which may change or destroy things"
        ));
    }
    for (pattern, decision) in gone {
        notes.push(format!(
            "the rule {pattern}={decision} is gone with what it was about"
        ));
    }
    Ok(match unchanged {
        true => (installed.grant.clone(), notes),
        false => (Some(text.to_string()), notes),
    })
}

/// The same as [`is_destructive`], of a definition as clients get it.
fn may_destroy(tool: &serde_json::Value) -> bool {
    let hint = |name: &str| tool["annotations"][name].as_bool();
    !hint("readOnlyHint").unwrap_or(false) && hint("destructiveHint").unwrap_or(true)
}

fn names(all: impl Iterator<Item = String>) -> String {
    let all: Vec<_> = all.map(|name| one_line(&name)).collect();
    match all.len() {
        0 => "none".to_owned(),
        count if count > NAMES => {
            format!("{}, and {} more", all[..NAMES].join(", "), count - NAMES)
        }
        _ => all.join(", "),
    }
}
