//! `[[secrets]]`, read and checked.

use std::path::PathBuf;

use super::{Carrier, Injection, SecretGrant, SecretRequest, SecretSource, SecretUse};
use crate::error::ParseError;
use crate::keys;
use crate::names::{ENV_NAME_RULE, is_env_name};
use crate::network::http_destination;
use crate::parse::{Item, Table};
use crate::text::shown;

const PLACE: &str = "[[secrets]]";
const INJECT: &str = "inject = { to = \"https://api.example.com\", header = \"authorization\" }";

/// The rule for names, as told to a person.
pub(super) const SECRET_NAME_RULE: &str =
    "a secret's name is 1 to 64 of the characters A-Z, a-z, 0-9, _ and -";

/// Headers that belong to the connection, to the message's framing, or to what
/// an answer has to look like for a secret in it to be found.
const RESERVED: [&str; 16] = [
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "expect",
    "host",
    "if-range",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// Whether `text` may name a secret.
pub(crate) fn is_secret_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && (text.bytes()).all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// `[[secrets]]` of a manifest.
pub(crate) fn requests(item: &Item<'_>) -> Result<Vec<SecretRequest>, ParseError> {
    let mut rules: Vec<SecretRequest> = Vec::new();
    for table in item.tables(PLACE)? {
        table.only(
            &keys::SECRETS_ASKED.names(),
            &[
                ("file", "where a value comes from is said in a grant"),
                ("env", "where a value comes from is said in a grant"),
            ],
        )?;
        let name = name(&table)?;
        let use_as = (use_as(&table)?).ok_or_else(|| {
            let no = table.require("inject", INJECT).err();
            no.unwrap_or_else(|| table.error(format!("{PLACE} has no use"), INJECT))
        })?;
        let required = table.get("required").map(|item| item.boolean());
        let required = required.transpose()?.unwrap_or(true);
        check_spot(&table, &name, Some(&use_as), |name, use_as| {
            rules
                .iter()
                .any(|other| takes(&other.name, Some(&other.use_as), name, use_as))
        })?;
        rules.push(SecretRequest {
            name,
            use_as,
            required,
        });
    }
    Ok(rules)
}

/// `[[secrets]]` of a grant.
pub(crate) fn grants(item: &Item<'_>) -> Result<Vec<SecretGrant>, ParseError> {
    let mut rules: Vec<SecretGrant> = Vec::new();
    for table in item.tables(PLACE)? {
        table.only(
            &keys::SECRETS_GRANTED.names(),
            &[
                (
                    "required",
                    "whether it is needed is for the plugin's manifest to say",
                ),
                (
                    "value",
                    "values do not belong in here; `palisade secret set NAME` keeps them",
                ),
            ],
        )?;
        let name = name(&table)?;
        let use_as = use_as(&table)?;
        let source = source(&table)?;
        check_spot(&table, &name, use_as.as_ref(), |name, use_as| {
            rules
                .iter()
                .any(|other| takes(&other.name, other.use_as.as_ref(), name, use_as))
        })?;
        if let Some(other) = rules.iter().find(|other| other.name == name)
            && other.source != source
        {
            return Err(table.error(
                format!(
                    "{PLACE} takes {name} from {}, and before from {}",
                    shown(&source.to_string()),
                    shown(&other.source.to_string())
                ),
                "a secret has one value; say the same both times",
            ));
        }
        rules.push(SecretGrant {
            name,
            use_as,
            source,
        });
    }
    Ok(rules)
}

/// Whether one secret is already where another would go.
fn takes(name: &str, taken: Option<&SecretUse>, other: &str, wanted: Option<&SecretUse>) -> bool {
    match (taken, wanted) {
        (Some(SecretUse::Inject(taken)), Some(SecretUse::Inject(wanted))) => {
            taken.to == wanted.to && taken.carrier.spot() == wanted.carrier.spot()
        }
        (taken, wanted) => name == other && taken == wanted,
    }
}

fn check_spot(
    table: &Table<'_>,
    name: &str,
    use_as: Option<&SecretUse>,
    taken: impl Fn(&str, Option<&SecretUse>) -> bool,
) -> Result<(), ParseError> {
    if !taken(name, use_as) {
        return Ok(());
    }
    let what = match use_as {
        Some(use_as) => use_as.to_string(),
        None => "as the plugin asks for it".to_owned(),
    };
    Err(table.error(
        format!("{PLACE} has a secret {what} a second time"),
        "one place can carry one secret; remove one of the two",
    ))
}

fn name(table: &Table<'_>) -> Result<String, ParseError> {
    let example = "name = \"EXAMPLE_TOKEN\"";
    let item = table.require("name", example)?;
    let name = item.string(example)?;
    match is_secret_name(name) {
        true => Ok(name.to_owned()),
        false => Err(item.error(
            &format!("is \"{}\", which is not a secret's name", shown(name)),
            SECRET_NAME_RULE,
        )),
    }
}

/// What is to be done with it, if that is said.
fn use_as(table: &Table<'_>) -> Result<Option<SecretUse>, ParseError> {
    let inject = table.get("inject");
    let expose = table.get("expose");
    let exposed = expose.as_ref().map(|item| item.boolean()).transpose()?;
    match (inject, expose, exposed) {
        (Some(_), Some(expose), Some(true)) => Err(expose.error(
            "is beside `inject`",
            "write two [[secrets]] of one name, one for each",
        )),
        (Some(item), _, _) => Ok(Some(SecretUse::Inject(injection(&item)?))),
        (None, _, Some(true)) => Ok(Some(SecretUse::Expose)),
        (None, ..) => Ok(None),
    }
}

fn source(table: &Table<'_>) -> Result<SecretSource, ParseError> {
    let (file, env) = (table.get("file"), table.get("env"));
    match (file, env) {
        (None, None) => Ok(SecretSource::Store),
        (Some(_), Some(env)) => Err(env.error(
            "is beside `file`",
            "a secret has one value; say one place where it comes from",
        )),
        (Some(file), None) => {
            let example = "file = \"/run/secrets/token\"";
            let path = file.string(example)?;
            match path.is_empty() || path.contains('\0') {
                true => Err(file.error("is not a path", format!("for example {example}"))),
                false => Ok(SecretSource::File(PathBuf::from(path))),
            }
        }
        (None, Some(env)) => {
            let name = env.string("env = \"EXAMPLE_TOKEN\"")?;
            match is_env_name(name) {
                true => Ok(SecretSource::Env(name.to_owned())),
                false => Err(env.error("is not a variable's name", ENV_NAME_RULE)),
            }
        }
    }
}

fn injection(item: &Item<'_>) -> Result<Injection, ParseError> {
    let table = item.table("`inject` in [[secrets]]", INJECT)?;
    table.only(&keys::INJECTION.names(), &[])?;
    let to = http_destination(&table.require("to", INJECT)?)?;
    let (header, basic, query) = (table.get("header"), table.get("basic"), table.get("query"));
    if let (Some(format), None) = (table.get("format"), &header) {
        return Err(format.error("means nothing without `header`", "remove it"));
    }
    let carrier = match (header, basic, query) {
        (Some(item), None, None) => Carrier::Header {
            name: header_name(&item)?,
            format: format(&table)?,
        },
        (None, Some(item), None) => Carrier::Basic { user: user(&item)? },
        (None, None, Some(item)) => Carrier::Query { key: key(&item)? },
        (None, None, None) => {
            table.require("header", INJECT)?;
            return Err(table.error("`inject` says no place".to_owned(), INJECT));
        }
        _ => {
            return Err(table.error(
                "`inject` has more than one of `header`, `basic` and `query`".to_owned(),
                "say one place; another one is another [[secrets]]",
            ));
        }
    };
    Ok(Injection { to, carrier })
}

fn header_name(item: &Item<'_>) -> Result<String, ParseError> {
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
    Ok(header)
}

fn format(table: &Table<'_>) -> Result<String, ParseError> {
    let example = "format = \"Bearer {}\"";
    let Some(item) = table.get("format") else {
        return Ok("{}".to_owned());
    };
    let format = item.string(example)?;
    let plain = (format.bytes()).all(|b| b.is_ascii_graphic() || b == b' ');
    if format.len() > 256 || !plain || format.matches("{}").count() != 1 {
        return Err(item.error(
            "has to be plain ASCII with exactly one {} where the secret goes",
            format!("for example {example}"),
        ));
    }
    Ok(format.to_owned())
}

fn user(item: &Item<'_>) -> Result<String, ParseError> {
    let example = "basic = \"user\"";
    let user = item.string(example)?;
    let plain = (user.bytes()).all(|b| (b.is_ascii_graphic() || b == b' ') && b != b':');
    match plain && user.len() <= 64 {
        true => Ok(user.to_owned()),
        false => Err(item.error(
            "has to be at most 64 plain ASCII characters without `:`",
            format!("for example {example}"),
        )),
    }
}

fn key(item: &Item<'_>) -> Result<String, ParseError> {
    let example = "query = \"key\"";
    let key = item.string(example)?;
    let plain = (key.bytes()).all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b));
    match plain && (1..=64).contains(&key.len()) {
        true => Ok(key.to_owned()),
        false => Err(item.error(
            "has to be 1 to 64 of the characters A-Z, a-z, 0-9, -, ., _ and ~",
            format!("for example {example}"),
        )),
    }
}
