//! Secrets that the host adds to requests on their way out.

use std::fmt;

use crate::error::ParseError;
use crate::network::{Destination, http_destination};
use crate::parse::{Item, Table};
use crate::text::shown;

const PLACE: &str = "[[secrets]]";
const INJECT: &str = "inject = { to = \"https://api.example.com\", header = \"authorization\" }";

/// Headers that belong to the connection or the message's framing.
const RESERVED: [&str; 11] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// A `[[secrets]]` rule of a manifest or a grant. The value is neither here nor
/// ever in the guest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretRequest {
    /// The secret's name, `[A-Za-z0-9_-]{1,64}`.
    pub name: String,
    /// Where the host puts it.
    pub inject: Injection,
}

/// Where and how a secret is added to a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Injection {
    /// Only requests to this destination get it.
    pub to: Destination,
    /// The header's name, in lower case.
    pub header: String,
    /// The header's value, with exactly one `{}` for the secret. Default: `{}`.
    pub format: String,
}

/// `[[secrets]]` of a manifest or a grant.
pub(crate) fn rules(item: &Item<'_>) -> Result<Vec<SecretRequest>, ParseError> {
    let mut rules: Vec<SecretRequest> = Vec::new();
    for table in item.tables(PLACE)? {
        table.only(&["name", "inject"], &[])?;
        let rule = SecretRequest {
            name: name(&table)?,
            inject: injection(&table.require("inject", INJECT)?)?,
        };
        let place = |rule: &SecretRequest| (rule.inject.to.clone(), rule.inject.header.clone());
        if rules.iter().any(|other| place(other) == place(&rule)) {
            return Err(table.error(
                format!(
                    "{PLACE} sets the header {} towards {} a second time",
                    rule.inject.header, rule.inject.to
                ),
                "a header can carry one secret; remove one of the two",
            ));
        }
        rules.push(rule);
    }
    Ok(rules)
}

fn name(table: &Table<'_>) -> Result<String, ParseError> {
    let example = "name = \"EXAMPLE_TOKEN\"";
    let item = table.require("name", example)?;
    let name = item.string(example)?;
    let good = (1..=64).contains(&name.len())
        && (name.bytes()).all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    match good {
        true => Ok(name.to_owned()),
        false => Err(item.error(
            &format!("is \"{}\", which is not a secret's name", shown(name)),
            "a secret's name is 1 to 64 of the characters A-Z, a-z, 0-9, _ and -",
        )),
    }
}

fn injection(item: &Item<'_>) -> Result<Injection, ParseError> {
    let table = item.table("`inject` in [[secrets]]", INJECT)?;
    table.only(&["to", "header", "format"], &[])?;
    let to = http_destination(&table.require("to", INJECT)?)?;

    let item = table.require("header", INJECT)?;
    let header = item.string(INJECT)?.to_ascii_lowercase();
    let token = (1..=64).contains(&header.len())
        && (header.bytes()).all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b));
    if !token {
        return Err(item.error(
            &format!("is \"{}\", which is not a header's name", shown(&header)),
            "for example header = \"authorization\"",
        ));
    }
    if RESERVED.contains(&header.as_str()) {
        return Err(item.error(
            &format!("is \"{header}\", which is the host's own"),
            "use another header, for example \"authorization\"",
        ));
    }

    let example = "format = \"Bearer {}\"";
    let format = match table.get("format") {
        None => "{}",
        Some(item) => {
            let format = item.string(example)?;
            let plain = (format.bytes()).all(|b| b.is_ascii_graphic() || b == b' ');
            if format.len() > 256 || !plain || format.matches("{}").count() != 1 {
                return Err(item.error(
                    "has to be plain ASCII with exactly one {} where the secret goes",
                    format!("for example {example}"),
                ));
            }
            format
        }
    };
    Ok(Injection {
        to,
        header,
        format: format.to_owned(),
    })
}

impl fmt::Display for SecretRequest {
    /// `EXAMPLE_TOKEN, only towards https://api.example.com (authorization: Bearer {})`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Injection { to, header, format } = &self.inject;
        write!(f, "{}, only towards {to} ({header}: {format})", self.name)
    }
}
