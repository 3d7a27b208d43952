//! What stands in the parentheses of an attribute: names, with values or without.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Token, parenthesized, token};

use crate::problems::{Problems, did_you_mean};

/// One option: a name, and a value if one is given.
pub(crate) struct Pair {
    pub(crate) name: Ident,
    pub(crate) value: Option<Expr>,
    /// `("keyword" = value, …)`
    pub(crate) list: Vec<(LitStr, Expr)>,
}

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        let mut list = Vec::new();
        if input.peek(token::Paren) {
            let inside;
            parenthesized!(inside in input);
            for keyword in Punctuated::<Keyword, Token![,]>::parse_terminated(&inside)? {
                list.push((keyword.0, keyword.1));
            }
        }
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Self { name, value, list })
    }
}

/// `"keyword" = value`
struct Keyword(LitStr, Expr);

impl Parse for Keyword {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let keyword = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self(keyword, input.parse()?))
    }
}

impl Pair {
    pub(crate) fn text(self, problems: &mut Problems) -> Option<LitStr> {
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

    /// Any expression.
    pub(crate) fn expression(self, problems: &mut Problems) -> Option<Expr> {
        if self.value.is_none() {
            let message = format!("`{0}` takes a value: `{0} = …`", self.name);
            problems.at(self.name, message);
        }
        self.value
    }

    pub(crate) fn flag(self, problems: &mut Problems) -> Option<bool> {
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
pub(crate) fn pairs(
    attribute: &Attribute,
    of: &str,
    known: &[&str],
    problems: &mut Problems,
) -> Vec<Pair> {
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
        } else if name != "extend" && !pair.list.is_empty() {
            problems.at(&pair.name, format!("`{name}` takes no parentheses"));
        } else {
            seen.push(pair);
        }
    }
    seen
}
