//! The methods that are prompts, and those that complete arguments.

use syn::{Attribute, ImplItemFn, LitStr};

use crate::methods::Method;
use crate::options::{CompleteOptions, Labels};
use crate::problems::{Problems, did_you_mean};
use crate::resources::Resource;

/// A prompt, as far as its signature tells.
pub(crate) struct Prompt {
    pub(crate) method: Method,
    pub(crate) name: String,
    pub(crate) labels: Labels,
}

/// Reads a prompt.
pub(crate) fn read(
    method: &mut ImplItemFn,
    mark: &Attribute,
    before: &[Prompt],
    problems: &mut Problems,
) -> Prompt {
    let labels = Labels::of_prompt(mark, problems);
    let method = Method::read(method, "prompt", problems);
    method.must_be_described("prompt", "people read to choose one", problems);
    for argument in method.arguments(problems) {
        argument.no_schema(problems);
        if argument.is_optional_text().is_none() {
            problems.at(
                &argument.ty,
                "a prompt's arguments are texts: `String`, or `Option<String>` if it may be left out",
            );
        }
    }
    let name = method.name_or(labels.name.as_ref());
    if before
        .iter()
        .any(|other| other.name == name && other.method.beside(&method))
    {
        problems.at(&method.ident, format!("two prompts are called `{name}`"));
    }
    Prompt {
        method,
        name,
        labels,
    }
}

/// A method that completes, and what it completes.
pub(crate) struct Completer {
    pub(crate) method: Method,
    pub(crate) targets: Vec<Target>,
}

/// An argument that is completed.
pub(crate) struct Target {
    pub(crate) of: Of,
    pub(crate) argument: LitStr,
}

/// What the argument belongs to.
pub(crate) enum Of {
    Prompt(LitStr),
    Template(LitStr),
}

/// Reads a method that completes.
pub(crate) fn completer(
    method: &mut ImplItemFn,
    marks: &[Attribute],
    problems: &mut Problems,
) -> Completer {
    let mut targets = Vec::new();
    for mark in marks {
        let options = CompleteOptions::read(mark, problems);
        let of = match (options.prompt, options.template) {
            (Some(prompt), _) => Of::Prompt(prompt),
            (None, Some(template)) => Of::Template(template),
            (None, None) => continue,
        };
        if let Some(argument) = options.argument {
            targets.push(Target { of, argument });
        }
    }
    let method = Method::read(method, "completion", problems);
    match method.arguments(problems).split_first() {
        Some((value, filled)) if value.is_optional_text() == Some(false) => {
            value.no_schema(problems);
            for argument in filled {
                argument.no_schema(problems);
                if argument.is_optional_text() != Some(true) {
                    problems.at(
                        &argument.ty,
                        "an argument that is already filled in, or not: `Option<String>`",
                    );
                }
            }
        }
        _ => problems.at(
            &method.ident,
            "a `#[complete]` method takes what there is of the argument, `value: String`, and \
             then, as `Option<String>`, others that may be filled in already",
        ),
    }
    Completer { method, targets }
}

/// Complains about a completer for what is not there.
pub(crate) fn check_targets(
    completer: &Completer,
    prompts: &[Prompt],
    resources: &[Resource],
    problems: &mut Problems,
) {
    for target in &completer.targets {
        let (of, names, what, known): (_, Vec<String>, _, _) = match &target.of {
            Of::Prompt(name) => (
                name,
                prompts.iter().map(|prompt| prompt.name.clone()).collect(),
                "prompt",
                prompts
                    .iter()
                    .find(|prompt| prompt.name == name.value())
                    .map(|prompt| arguments(&prompt.method)),
            ),
            Of::Template(text) => {
                let families = || resources.iter().filter_map(Resource::family);
                (
                    text,
                    families().map(|(text, _)| text.value()).collect(),
                    "template",
                    families()
                        .find(|(other, _)| other.value() == text.value())
                        .map(|(_, template)| {
                            let names = template.variables.iter().map(|(name, _)| name.clone());
                            names.collect::<Vec<_>>()
                        }),
                )
            }
        };
        let Some(known) = known else {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let guess = did_you_mean(&of.value(), &names);
            problems.at(of, format!("there is no {what} `{}`{guess}", of.value()));
            continue;
        };
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let argument = target.argument.value();
        if !known.contains(&argument.as_str()) {
            let guess = did_you_mean(&argument, &known);
            let message = format!("the {what} has no argument `{argument}`{guess}");
            problems.at(&target.argument, message);
        }
    }
}

fn arguments(method: &Method) -> Vec<String> {
    let arguments = method.arguments(&mut Problems::default());
    arguments
        .iter()
        .map(|argument| argument.name.clone())
        .collect()
}
