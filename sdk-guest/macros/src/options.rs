//! What stands in the parentheses of `#[tool(…)]` and `#[arg(…)]`.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Token};

use crate::problems::{Problems, did_you_mean};

/// The options of a tool.
#[derive(Default)]
pub(crate) struct ToolOptions {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
}

/// The options of an argument.
#[derive(Default)]
pub(crate) struct ArgOptions {
    pub(crate) name: Option<LitStr>,
    pub(crate) default: Option<ArgDefault>,
}

/// `default` or `default = …`.
pub(crate) enum ArgDefault {
    OfType,
    Value(Expr),
}

const TOOL_OPTIONS: &[&str] = &[
    "name",
    "title",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
];
const ARG_OPTIONS: &[&str] = &["name", "default"];

impl ToolOptions {
    pub(crate) fn read(attribute: &Attribute, problems: &mut Problems) -> Self {
        let mut options = Self::default();
        for pair in pairs(attribute, "tool", TOOL_OPTIONS, problems) {
            let name = pair.name.to_string();
            match name.as_str() {
                "name" => options.name = pair.text(problems),
                "title" => options.title = pair.text(problems),
                "read_only" => options.read_only = pair.flag(problems),
                "destructive" => options.destructive = pair.flag(problems),
                "idempotent" => options.idempotent = pair.flag(problems),
                _ => options.open_world = pair.flag(problems),
            }
        }
        if options.read_only == Some(true) && options.destructive == Some(true) {
            problems.at(
                attribute,
                "a tool cannot be both `read_only` and `destructive`",
            );
        }
        if let Some(name) = &options.name {
            check_tool_name(name, problems);
        }
        options
    }
}

impl ArgOptions {
    pub(crate) fn read(attribute: &Attribute, problems: &mut Problems) -> Self {
        let mut options = Self::default();
        for pair in pairs(attribute, "arg", ARG_OPTIONS, problems) {
            if pair.name == "name" {
                options.name = pair.text(problems);
                if let Some(name) = options.name.as_ref().filter(|name| name.value().is_empty()) {
                    problems.at(name, "an argument's name cannot be empty");
                }
            } else {
                options.default = Some(pair.value.map_or(ArgDefault::OfType, ArgDefault::Value));
            }
        }
        options
    }
}

fn check_tool_name(name: &LitStr, problems: &mut Problems) {
    let text = name.value();
    let bad = text
        .chars()
        .find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')));
    if let Some(bad) = bad {
        let message =
            format!("a tool's name is made of `A-Z a-z 0-9 _ . -`; {bad:?} is none of these");
        problems.at(name, message);
    } else if text.is_empty() || text.len() > 128 {
        let message = format!(
            "a tool's name has 1 to 128 characters, this one {}",
            text.len()
        );
        problems.at(name, message);
    }
}

/// One option: a name, and a value if one is given.
struct Pair {
    name: Ident,
    value: Option<Expr>,
}

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Self { name, value })
    }
}

impl Pair {
    fn text(self, problems: &mut Problems) -> Option<LitStr> {
        if let Some(Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        })) = self.value
        {
            return Some(text);
        }
        let message = format!("`{0}` takes a text: `{0} = \"…\"`", self.name);
        problems.at(self.name, message);
        None
    }

    fn flag(self, problems: &mut Problems) -> Option<bool> {
        match self.value {
            None => Some(true),
            Some(Expr::Lit(ExprLit {
                lit: Lit::Bool(flag),
                ..
            })) => Some(flag.value),
            Some(other) => {
                let message = format!("`{0}` is a flag: `{0}`, or `{0} = false`", self.name);
                problems.at(other, message);
                None
            }
        }
    }
}

/// The pairs of an attribute that are known and not repeated.
fn pairs(attribute: &Attribute, of: &str, known: &[&str], problems: &mut Problems) -> Vec<Pair> {
    if let Meta::Path(_) = attribute.meta {
        return Vec::new();
    }
    let pairs = match attribute.parse_args_with(Punctuated::<Pair, Token![,]>::parse_terminated) {
        Ok(pairs) => pairs,
        Err(error) => {
            problems.add(error);
            return Vec::new();
        }
    };
    let mut seen: Vec<Pair> = Vec::new();
    for pair in pairs {
        let name = pair.name.to_string();
        if !known.contains(&name.as_str()) {
            let guess = did_you_mean(&name, known);
            let message = if guess.is_empty() {
                format!(
                    "`#[{of}]` has no option `{name}`, only `{}`",
                    known.join("`, `")
                )
            } else {
                format!("`#[{of}]` has no option `{name}`{guess}")
            };
            problems.at(&pair.name, message);
        } else if seen.iter().any(|other| other.name == pair.name) {
            problems.at(&pair.name, format!("`{name}` is there twice"));
        } else {
            seen.push(pair);
        }
    }
    seen
}
