//! The methods that are tools.

use syn::ext::IdentExt;
use syn::{Attribute, ImplItemFn};

use crate::methods::Method;
use crate::options::ToolOptions;
use crate::problems::Problems;

/// A tool, as far as its signature tells.
pub(crate) struct Tool {
    pub(crate) method: Method,
    pub(crate) name: String,
    pub(crate) options: ToolOptions,
}

/// Reads a tool.
pub(crate) fn read(
    method: &mut ImplItemFn,
    mark: &Attribute,
    before: &[Tool],
    problems: &mut Problems,
) -> Tool {
    let options = ToolOptions::read(mark, problems);
    let method = Method::read(method, "tool", problems);
    method.must_be_described("tool", "a model reads to decide when to call it", problems);
    check_name(&method, problems);
    let name = method.name_or(options.labels.name.as_ref());
    let twin = before.iter().find(|other| other.name == name);
    // Of two with conditions perhaps only one is ever there.
    if let Some(twin) = twin
        && twin.method.beside(&method)
    {
        let message = format!(
            "two tools are called `{name}`: the methods `{}` and `{}`",
            twin.method.ident, method.ident
        );
        match &options.labels.name {
            Some(place) => problems.at(place, message),
            None => problems.at(&method.ident, message),
        }
    }
    Tool {
        method,
        name,
        options,
    }
}

fn check_name(method: &Method, problems: &mut Problems) {
    // A long name can only come from a long method name; options are checked
    // where they are read.
    let name = method.ident.unraw().to_string();
    if name.len() > 128 || !name.is_ascii() {
        problems.at(
            &method.ident,
            "a tool's name has 1 to 128 characters of `A-Z a-z 0-9 _ . -`: give it one with \
             `#[tool(name = \"…\")]`",
        );
    }
}
