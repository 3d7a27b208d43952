//! The methods that are tools.

use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, Ident, ImplItem, ImplItemFn, ReceiverKind, ReturnType, Safety, Signature, Type,
    parse_quote_spanned,
};

use crate::docs;
use crate::options::ToolOptions;
use crate::parameters::{self, Parameter};
use crate::problems::Problems;

/// A tool, as far as its signature tells.
pub(crate) struct Tool {
    pub(crate) method: Ident,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) options: ToolOptions,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) returns: Type,
    /// The conditions under which the method is there at all.
    pub(crate) conditions: Vec<Attribute>,
}

/// Reads the tools among the items of an impl block, and takes out of it what
/// only this macro understands.
pub(crate) fn read(items: &mut [ImplItem], problems: &mut Problems) -> Vec<Tool> {
    let mut tools: Vec<Tool> = Vec::new();
    for item in items {
        let ImplItem::Fn(method) = item else { continue };
        let Some(tool) = tool(method, problems) else {
            continue;
        };
        let twin = tools.iter().find(|other| other.name == tool.name);
        // Of two with conditions perhaps only one is ever there.
        if let Some(twin) = twin
            && (twin.conditions.is_empty() || tool.conditions.is_empty())
        {
            let (name, first) = (&tool.name, &twin.method);
            let message = format!(
                "two tools are called `{name}`: the methods `{first}` and `{}`",
                tool.method
            );
            match &tool.options.name {
                Some(place) => problems.at(place, message),
                None => problems.at(&tool.method, message),
            }
        }
        tools.push(tool);
    }
    tools
}

fn tool(method: &mut ImplItemFn, problems: &mut Problems) -> Option<Tool> {
    let marks: Vec<Attribute> = method
        .attrs
        .extract_if(.., |attribute| is_tool(attribute))
        .collect();
    let (mark, more) = marks.split_first()?;
    for other in more {
        problems.at(other, "one `#[tool]` is enough");
    }
    let options = ToolOptions::read(mark, problems);
    let description = docs::description(&method.attrs);
    let ident = method.sig.ident.clone();
    if description.is_empty() {
        let message = format!(
            "the tool `{ident}` has no description: put a doc comment (`/// …`) above it, which a \
             model reads to decide when to call it"
        );
        problems.at(&ident, message);
    }
    check_signature(&method.sig, problems);
    let returns = match &method.sig.output {
        ReturnType::Default => parse_quote_spanned!(ident.span()=> ()),
        ReturnType::Type(_, ty) => (**ty).clone(),
    };
    match &returns {
        Type::ImplTrait(ty) => problems.at(
            ty,
            "a tool returns a concrete type: its output schema is made from it",
        ),
        Type::Reference(ty)
            if ty
                .lifetime
                .as_ref()
                .is_none_or(|life| life.ident != "static") =>
        {
            problems.at(
                ty,
                "a tool returns something of its own, such as a `String` or a `&'static str`",
            );
        }
        _ => {}
    }
    Some(Tool {
        name: options
            .name
            .as_ref()
            .map_or_else(|| ident.unraw().to_string(), syn::LitStr::value),
        method: ident,
        description,
        options,
        parameters: parameters::read(method.sig.inputs.iter_mut(), problems),
        returns,
        conditions: method
            .attrs
            .iter()
            .filter(|attribute| attribute.path().is_ident("cfg"))
            .cloned()
            .collect(),
    })
}

fn is_tool(attribute: &Attribute) -> bool {
    attribute
        .path()
        .segments
        .last()
        .is_some_and(|segment| segment.ident == "tool")
}

fn check_signature(signature: &Signature, problems: &mut Problems) {
    let Signature {
        ident,
        asyncness,
        safety,
        abi,
        generics,
        ..
    } = signature;
    match signature.receiver() {
        None => problems.at(
            ident,
            format!("a tool's first parameter is `&self` or `&mut self`: `fn {ident}(&self, …)`"),
        ),
        Some(receiver) if !matches!(receiver.kind, ReceiverKind::Reference(..)) => {
            problems.at(receiver, "a tool takes `&self` or `&mut self`");
        }
        Some(_) => {}
    }
    if let Some(asyncness) = asyncness {
        problems.at(
            asyncness,
            "a tool is not `async`: an instance runs one call at a time, so simply wait",
        );
    }
    for parameter in &generics.params {
        problems.at(
            parameter,
            "a tool is not generic: its schema is made from concrete types",
        );
    }
    if let Safety::Unsafe(token) = safety {
        problems.at(
            token,
            "a tool is not `unsafe`: anybody may call it with anything",
        );
    }
    if let Some(abi) = abi {
        problems.at(abi, "a tool is an ordinary Rust method");
    }
    // A long name can only come from a long method name; options are checked
    // where they are read.
    let name = ident.unraw().to_string();
    if name.len() > 128 || !name.is_ascii() {
        problems.at(
            ident,
            "a tool's name has 1 to 128 characters of `A-Z a-z 0-9 _ . -`: give it one with \
             `#[tool(name = \"…\")]`",
        );
    }
}

/// Where to point at for the type of the whole.
pub(crate) fn span_of(tokens: &impl ToTokens) -> Span {
    tokens.to_token_stream().span()
}
