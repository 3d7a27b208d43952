//! Everything that a plugin offers, gathered from its impl block.

use syn::{Attribute, ImplItem, ImplItemFn, Type};

use crate::methods::Method;
use crate::parameters::Argument;
use crate::problems::Problems;
use crate::prompts::{self, Completer, Prompt};
use crate::resources::{self, Resource};
use crate::tools::{self, Tool};

/// What a plugin offers, in the order in which it is written.
#[derive(Default)]
pub(crate) struct Offers {
    pub(crate) tools: Vec<Tool>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) listing: Option<Method>,
    pub(crate) reading: Option<Method>,
    pub(crate) prompts: Vec<Prompt>,
    pub(crate) completers: Vec<Completer>,
    pub(crate) start: Option<(Method, Type)>,
}

const MARKS: &[&str] = &[
    "tool",
    "resource",
    "resources",
    "read",
    "prompt",
    "complete",
    "start",
];

impl Offers {
    /// Reads the items of an impl block, and takes out of it what only this
    /// macro understands.
    pub(crate) fn read(items: &mut [ImplItem], problems: &mut Problems) -> Self {
        let mut offers = Self::default();
        for item in items {
            if let ImplItem::Fn(method) = item {
                offers.method(method, problems);
            }
        }
        for completer in &offers.completers {
            prompts::check_targets(completer, &offers.prompts, &offers.resources, problems);
        }
        if let Some(listing) = &offers.listing
            && offers.reading.is_none()
            && !offers
                .resources
                .iter()
                .any(|other| other.family().is_some())
        {
            problems.at(
                &listing.ident,
                "these resources are listed but cannot be read: mark a method with `#[read]`, or \
                 with `#[resource(template = \"…\")]`",
            );
        }
        offers
    }

    /// Whether it offers nothing that a client can use.
    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_empty() && !self.has_resources() && self.prompts.is_empty()
    }

    /// Whether it offers resources.
    pub(crate) fn has_resources(&self) -> bool {
        !self.resources.is_empty() || self.listing.is_some() || self.reading.is_some()
    }

    fn method(&mut self, method: &mut ImplItemFn, problems: &mut Problems) {
        let marks: Vec<Attribute> = method
            .attrs
            .extract_if(.., |attribute| kind(attribute).is_some())
            .collect();
        let Some((mark, more)) = marks.split_first() else {
            return;
        };
        let Some(what) = kind(mark) else { return };
        for other in more {
            match kind(other) {
                Some("complete") if what == "complete" => {}
                Some(kind) if kind == what => {
                    problems.at(other, format!("one `#[{what}]` is enough"));
                }
                _ => problems.at(other, format!("this method is a `#[{what}]` already")),
            }
        }
        match what {
            "tool" => {
                let tool = tools::read(method, mark, &self.tools, problems);
                self.tools.push(tool);
            }
            "resource" => {
                let resource = resources::read(method, mark, &self.resources, problems);
                self.resources.extend(resource);
            }
            "resources" => {
                let listing = resources::list(method, mark, problems);
                once(&mut self.listing, listing, what, problems);
            }
            "read" => {
                let reading = resources::fallback(method, mark, problems);
                once(&mut self.reading, reading, what, problems);
            }
            "prompt" => {
                let prompt = prompts::read(method, mark, &self.prompts, problems);
                self.prompts.push(prompt);
            }
            "complete" => {
                let completer = prompts::completer(method, &marks, problems);
                self.completers.push(completer);
            }
            _ => self.start(method, mark, problems),
        }
    }

    fn start(&mut self, method: &mut ImplItemFn, mark: &Attribute, problems: &mut Problems) {
        resources::no_options(mark, "start", problems);
        let method = Method::read(method, "start", problems);
        let config = match &method.arguments(problems)[..] {
            [Argument { ty, .. }] if !method.takes_context() => ty.clone(),
            _ => {
                problems.at(
                    &method.ident,
                    "a `#[start]` method takes the configuration and nothing else: \
                     `fn start(&mut self, config: Config)`",
                );
                return;
            }
        };
        if self.start.is_some() {
            problems.at(&method.ident, "one `#[start]` method is enough");
        }
        self.start = Some((method, config));
    }
}

fn once(slot: &mut Option<Method>, method: Method, what: &str, problems: &mut Problems) {
    if slot.is_some() {
        problems.at(&method.ident, format!("one `#[{what}]` method is enough"));
    }
    *slot = Some(method);
}

fn kind(attribute: &Attribute) -> Option<&'static str> {
    let last = attribute.path().segments.last()?;
    MARKS.iter().find(|mark| last.ident == *mark).copied()
}
