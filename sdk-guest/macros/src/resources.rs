//! The methods that are resources, list them or read them.

use syn::{Attribute, ImplItemFn, LitStr, Meta};

use crate::methods::Method;
use crate::options::ResourceOptions;
use crate::problems::{Problems, did_you_mean};
use crate::template::{self, Template};

/// A resource, or a family of them.
pub(crate) struct Resource {
    pub(crate) method: Method,
    pub(crate) name: String,
    pub(crate) options: ResourceOptions,
    pub(crate) address: Address,
}

/// Where a resource is found.
pub(crate) enum Address {
    /// `uri`
    One(LitStr),
    /// `template`
    Family(LitStr, Template),
}

impl Resource {
    /// The template's text and parts, if it is one.
    pub(crate) fn family(&self) -> Option<(&LitStr, &Template)> {
        match &self.address {
            Address::One(_) => None,
            Address::Family(text, template) => Some((text, template)),
        }
    }

    fn text(&self) -> &LitStr {
        match &self.address {
            Address::One(text) | Address::Family(text, _) => text,
        }
    }
}

/// Reads a resource or a template.
pub(crate) fn read(
    method: &mut ImplItemFn,
    mark: &Attribute,
    before: &[Resource],
    problems: &mut Problems,
) -> Option<Resource> {
    let mut options = ResourceOptions::read(mark, problems);
    let method = Method::read(method, "resource", problems);
    method.must_be_described("resource", "people and models read", problems);
    let address = match (options.uri.take(), options.template.take()) {
        (Some(uri), _) => Address::One(uri),
        (None, Some(text)) => {
            let template = template::read(&text, problems);
            Address::Family(text, template)
        }
        (None, None) => return None,
    };
    check_parameters(&method, &address, problems);
    let resource = Resource {
        name: method.name_or(options.labels.name.as_ref()),
        method,
        options,
        address,
    };
    let text = resource.text();
    if text.value().is_empty() {
        problems.at(text, "an address cannot be empty");
    }
    if before
        .iter()
        .any(|other| other.text().value() == text.value() && other.method.beside(&resource.method))
    {
        problems.at(text, format!("two resources are at `{}`", text.value()));
    }
    Some(resource)
}

fn check_parameters(method: &Method, address: &Address, problems: &mut Problems) {
    let arguments = method.arguments(problems);
    let variables: Vec<&str> = match address {
        Address::One(_) => Vec::new(),
        Address::Family(_, template) => template
            .variables
            .iter()
            .map(|(name, _)| name.as_str())
            .collect(),
    };
    if matches!(address, Address::Family(..)) && variables.is_empty() {
        // The template itself was refused already.
        return;
    }
    for argument in &arguments {
        argument.no_schema(problems);
        let name = &argument.name;
        if !variables.contains(&name.as_str()) {
            let message = match address {
                Address::One(_) => {
                    "a resource with one address takes nothing but `ctx: &Context`".to_owned()
                }
                Address::Family(..) => format!(
                    "the template has no variable `{{{name}}}`{}",
                    did_you_mean(name, &variables)
                ),
            };
            problems.at(&argument.ty, message);
        }
    }
    if let Address::Family(text, _) = address {
        for variable in variables {
            if !arguments.iter().any(|argument| argument.name == variable) {
                problems.at(
                    text,
                    format!(
                        "`{{{variable}}}` goes nowhere: add the parameter `{variable}: String`"
                    ),
                );
            }
        }
    }
}

/// Reads the method that lists resources.
pub(crate) fn list(method: &mut ImplItemFn, mark: &Attribute, problems: &mut Problems) -> Method {
    no_options(mark, "resources", problems);
    let method = Method::read(method, "list of resources", problems);
    for argument in method.arguments(problems) {
        problems.at(
            &argument.ty,
            "a list of resources is made from nothing but `ctx: &Context`",
        );
    }
    method
}

/// Reads the method that reads every other resource.
pub(crate) fn fallback(
    method: &mut ImplItemFn,
    mark: &Attribute,
    problems: &mut Problems,
) -> Method {
    no_options(mark, "read", problems);
    let method = Method::read(method, "reader of resources", problems);
    let arguments = method.arguments(problems);
    match &arguments[..] {
        [uri] if uri.is_optional_text() == Some(false) => uri.no_schema(problems),
        _ => problems.at(
            &method.ident,
            "a `#[read]` method takes the address, `uri: String`, and `ctx: &Context` if it wants to",
        ),
    }
    method
}

/// Complains about anything in parentheses.
pub(crate) fn no_options(mark: &Attribute, what: &str, problems: &mut Problems) {
    if !matches!(mark.meta, Meta::Path(_)) {
        problems.at(mark, format!("`#[{what}]` takes no options"));
    }
}
