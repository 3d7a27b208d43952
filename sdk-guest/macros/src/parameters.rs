//! The parameters of the methods that a plugin offers.

use syn::ext::IdentExt;
use syn::{Attribute, FnArg, GenericArgument, Ident, Pat, PatType, PathArguments, Type};

use crate::docs;
use crate::options::ArgOptions;
use crate::problems::Problems;

/// A parameter after the receiver.
pub(crate) enum Parameter {
    /// `ctx: &Context`
    Context,
    /// `args: Args<T>`, with `T`
    Whole(Box<Type>),
    /// One argument.
    Argument(Box<Argument>),
}

/// One argument.
pub(crate) struct Argument {
    /// Its name in JSON.
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) ty: Type,
    pub(crate) options: ArgOptions,
}

impl Argument {
    /// Whether it is a `String`, or an `Option` of one; `None` if neither.
    pub(crate) fn is_optional_text(&self) -> Option<bool> {
        let is_text = |ty: &Type| {
            last_segment(ty).is_some_and(|(name, arguments)| {
                name == "String" && matches!(arguments, PathArguments::None)
            })
        };
        match generic(&self.ty, "Option") {
            Some(inner) => is_text(inner).then_some(true),
            None => is_text(&self.ty).then_some(false),
        }
    }

    /// Refuses what only the arguments of tools have.
    pub(crate) fn no_schema(&self, problems: &mut Problems) {
        for (keyword, _) in &self.options.extend {
            problems.at(keyword, "only arguments of tools have a schema to extend");
        }
        if self.options.default.is_some() {
            problems.at(
                &self.ty,
                "only arguments of tools have a `default`: take an `Option<String>`",
            );
        }
    }
}

/// Reads the parameters of a method.
pub(crate) fn read<'a>(
    inputs: impl Iterator<Item = &'a mut FnArg>,
    problems: &mut Problems,
) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for input in inputs {
        let FnArg::Typed(input) = input else { continue };
        let attributes = take_attributes(&mut input.attrs);
        if let Some(parameter) = parameter(input, &attributes, &parameters, problems) {
            parameters.push(parameter);
        }
    }
    parameters
}

/// Doc comments and `#[arg]` may not stay: a function's parameters have none.
fn take_attributes(attributes: &mut Vec<Attribute>) -> Vec<Attribute> {
    attributes
        .extract_if(.., |attribute| {
            attribute.path().is_ident("doc") || attribute.path().is_ident("arg")
        })
        .collect()
}

fn parameter(
    input: &PatType,
    attributes: &[Attribute],
    before: &[Parameter],
    problems: &mut Problems,
) -> Option<Parameter> {
    if let Some(parameter) = context(input, before, problems) {
        return parameter;
    }
    if let Type::Reference(reference) = &*input.ty {
        problems.at(
            reference,
            "arguments are owned, for example `String` or `Vec<u8>`; only the call itself is \
             borrowed: `ctx: &Context`",
        );
        return None;
    }
    if let Type::ImplTrait(ty) = &*input.ty {
        problems.at(
            ty,
            "an argument needs a concrete type: its description is made from it",
        );
        return None;
    }
    if let Some(whole) = generic(&input.ty, "Args") {
        if before
            .iter()
            .any(|other| !matches!(other, Parameter::Context))
        {
            problems.at(
                &input.ty,
                "`Args` takes all arguments, so no other can stand beside it",
            );
        }
        if let Some(attribute) = attributes.first() {
            problems.at(
                attribute,
                "`Args` is not an argument but all of them: describe its struct's fields instead",
            );
        }
        return Some(Parameter::Whole(Box::new(whole.clone())));
    }
    argument(input, attributes, before, problems)
}

/// Whether it is the call, written well or not.
fn context(
    input: &PatType,
    before: &[Parameter],
    problems: &mut Problems,
) -> Option<Option<Parameter>> {
    let (ty, shared) = match &*input.ty {
        Type::Reference(reference) => (&*reference.elem, reference.mutability.is_none()),
        ty => (ty, false),
    };
    if last_segment(ty).is_none_or(|(name, _)| name != "Context") {
        return None;
    }
    if !shared {
        problems.at(&input.ty, "the call is taken as `&Context`");
        return Some(None);
    }
    if before
        .iter()
        .any(|other| matches!(other, Parameter::Context))
    {
        problems.at(&input.ty, "one `&Context` is enough");
        return Some(None);
    }
    Some(Some(Parameter::Context))
}

fn argument(
    input: &PatType,
    attributes: &[Attribute],
    before: &[Parameter],
    problems: &mut Problems,
) -> Option<Parameter> {
    let mut options = ArgOptions::default();
    let mut said = false;
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("arg"))
    {
        if said {
            problems.at(attribute, "one `#[arg(…)]` is enough");
        }
        options = ArgOptions::read(attribute, problems);
        said = true;
    }
    let name = match (&options.name, name_of(&input.pat)) {
        (Some(name), _) => name.value(),
        (None, Some(name)) => name,
        (None, None) => {
            problems.at(
                &input.pat,
                "an argument needs a name: write `name: Type`, or `#[arg(name = \"…\")]` before it",
            );
            return None;
        }
    };
    for other in before {
        match other {
            Parameter::Whole(_) => {
                problems.at(
                    input,
                    "`Args` takes all arguments, so no other can stand beside it",
                );
            }
            Parameter::Argument(other) if other.name == name => {
                problems.at(
                    &input.pat,
                    format!("there are two arguments called `{name}`"),
                );
            }
            _ => {}
        }
    }
    Some(Parameter::Argument(Box::new(Argument {
        name,
        description: docs::description(attributes),
        ty: (*input.ty).clone(),
        options,
    })))
}

/// The name of a plain variable, without the underscores that only tell the
/// compiler that it is not used.
fn name_of(pattern: &Pat) -> Option<String> {
    let Pat::Ident(pattern) = pattern else {
        return None;
    };
    let name = pattern.ident.unraw().to_string();
    let name = name.trim_start_matches('_');
    (pattern.subpat.is_none() && !name.is_empty()).then(|| name.to_owned())
}

/// `T`, if `ty` is `wanted<T>`.
fn generic<'a>(ty: &'a Type, wanted: &str) -> Option<&'a Type> {
    let (name, arguments) = last_segment(ty)?;
    let PathArguments::AngleBracketed(arguments) = arguments else {
        return None;
    };
    match arguments.args.first() {
        Some(GenericArgument::Type(ty)) if name == wanted && arguments.args.len() == 1 => Some(ty),
        _ => None,
    }
}

fn last_segment(ty: &Type) -> Option<(&Ident, &PathArguments)> {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .map(|segment| (&segment.ident, &segment.arguments)),
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}
