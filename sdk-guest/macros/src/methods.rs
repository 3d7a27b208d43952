//! What all methods have in common that a plugin offers.

use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, Ident, ImplItemFn, ReceiverKind, ReturnType, Safety, Signature, Type,
    parse_quote_spanned,
};

use crate::docs;
use crate::parameters::{self, Parameter};
use crate::problems::Problems;

/// A method, as far as its signature tells.
pub(crate) struct Method {
    pub(crate) ident: Ident,
    pub(crate) description: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) returns: Type,
    /// The conditions under which the method is there at all.
    pub(crate) conditions: Vec<Attribute>,
}

impl Method {
    /// Reads a method that is `what`, such as `tool`, and takes out of it what
    /// only this macro understands.
    pub(crate) fn read(method: &mut ImplItemFn, what: &str, problems: &mut Problems) -> Self {
        let ident = method.sig.ident.clone();
        check_signature(&method.sig, what, problems);
        let returns = match &method.sig.output {
            ReturnType::Default => parse_quote_spanned!(ident.span()=> ()),
            ReturnType::Type(_, ty) => (**ty).clone(),
        };
        match &returns {
            Type::ImplTrait(ty) if what == "tool" => problems.at(
                ty,
                "a tool returns a concrete type: its output schema is made from it",
            ),
            Type::ImplTrait(ty) => problems.at(ty, format!("a {what} returns a concrete type")),
            Type::Reference(ty)
                if ty
                    .lifetime
                    .as_ref()
                    .is_none_or(|life| life.ident != "static") =>
            {
                problems.at(
                    ty,
                    format!(
                        "a {what} returns something of its own, such as a `String` or a \
                         `&'static str`"
                    ),
                );
            }
            _ => {}
        }
        Self {
            ident,
            description: docs::description(&method.attrs),
            parameters: parameters::read(method.sig.inputs.iter_mut(), problems),
            returns,
            conditions: method
                .attrs
                .iter()
                .filter(|attribute| attribute.path().is_ident("cfg"))
                .cloned()
                .collect(),
        }
    }

    /// The method's own name, or the one it was given.
    pub(crate) fn name_or(&self, given: Option<&syn::LitStr>) -> String {
        given.map_or_else(|| self.ident.unraw().to_string(), syn::LitStr::value)
    }

    /// Complains where there is no doc comment.
    pub(crate) fn must_be_described(&self, what: &str, reader: &str, problems: &mut Problems) {
        if self.description.is_empty() {
            let ident = &self.ident;
            let message = format!(
                "the {what} `{ident}` has no description: put a doc comment (`/// …`) above it, \
                 which {reader}"
            );
            problems.at(ident, message);
        }
    }

    /// The arguments, with a complaint where there are `Args`.
    pub(crate) fn arguments(&self, problems: &mut Problems) -> Vec<&parameters::Argument> {
        let mut arguments = Vec::new();
        for parameter in &self.parameters {
            match parameter {
                Parameter::Context => {}
                Parameter::Argument(argument) => arguments.push(&**argument),
                Parameter::Whole(ty) => {
                    problems.at(ty, "only a tool takes its arguments as `Args`");
                }
            }
        }
        arguments
    }

    /// Whether it takes the call.
    pub(crate) fn takes_context(&self) -> bool {
        self.parameters
            .iter()
            .any(|parameter| matches!(parameter, Parameter::Context))
    }

    /// Whether two methods may both be there.
    pub(crate) fn beside(&self, other: &Self) -> bool {
        self.conditions.is_empty() || other.conditions.is_empty()
    }
}

fn check_signature(signature: &Signature, what: &str, problems: &mut Problems) {
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
            format!("a {what}'s first parameter is `&self` or `&mut self`: `fn {ident}(&self, …)`"),
        ),
        Some(receiver) if !matches!(receiver.kind, ReceiverKind::Reference(..)) => {
            problems.at(receiver, format!("a {what} takes `&self` or `&mut self`"));
        }
        Some(_) => {}
    }
    if let Some(asyncness) = asyncness {
        problems.at(
            asyncness,
            format!("a {what} is not `async`: an instance runs one call at a time, so simply wait"),
        );
    }
    for parameter in &generics.params {
        problems.at(
            parameter,
            if what == "tool" {
                "a tool is not generic: its schema is made from concrete types".to_owned()
            } else {
                format!("a {what} is not generic")
            },
        );
    }
    if let Safety::Unsafe(token) = safety {
        problems.at(
            token,
            format!("a {what} is not `unsafe`: anybody may call it with anything"),
        );
    }
    if let Some(abi) = abi {
        problems.at(abi, format!("a {what} is an ordinary Rust method"));
    }
}

/// Where to point at for the type of the whole.
pub(crate) fn span_of(tokens: &impl ToTokens) -> Span {
    tokens.to_token_stream().span()
}
