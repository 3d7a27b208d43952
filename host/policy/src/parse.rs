//! From text to checked tables: positions, types, unknown keys.
//!
//! Built on the `toml` crate's document with spans rather than on serde, so
//! that every error can name the line, the key and what was expected there.

use toml::de::{DeTable, DeValue};
use toml_parser::lexer::TokenKind;

use crate::error::ParseError;
use crate::text::{alternatives, shown};

/// Most dots outside of strings. Dotted keys are one level of nesting a dot,
/// and tables are dropped recursively: a few kilobytes of them would overflow
/// the stack. Real files have a handful.
const MAX_DOTS: usize = 256;

/// Reads a whole file into a document.
pub(crate) fn document(text: &str) -> Result<DeTable<'_>, ParseError> {
    if text.len() > crate::MAX_TEXT_BYTES {
        let limit = crate::units::format_size(crate::MAX_TEXT_BYTES as u64);
        return Err(ParseError {
            line: None,
            column: None,
            key: None,
            message: format!("the file has {} bytes, more than {limit}", text.len()),
            remedy: Some("this is hardly a permission file; check its path".into()),
        });
    }
    let dots = toml_parser::Source::new(text)
        .lex()
        .filter(|token| token.kind() == TokenKind::Dot)
        .nth(MAX_DOTS);
    if let Some(dot) = dots {
        return Err(at(
            text,
            dot.span().start(),
            None,
            "too many dotted keys".into(),
            Some("write tables, as in [limits], instead of dotted keys".into()),
        ));
    }
    DeTable::parse(text)
        .map(|table| table.into_inner())
        .map_err(|error| {
            let offset = error.span().map_or(text.len(), |span| span.start);
            let message = format!("not valid TOML: {}", shown(error.message()));
            at(text, offset, None, message, None)
        })
}

/// A table of the file, and what to call it.
#[derive(Clone)]
pub(crate) struct Table<'a> {
    text: &'a str,
    place: String,
    offset: usize,
    table: &'a DeTable<'a>,
}

/// A key of a table with its value.
#[derive(Clone)]
pub(crate) struct Item<'a> {
    text: &'a str,
    place: String,
    key: String,
    offset: usize,
    value: &'a DeValue<'a>,
}

impl<'a> Table<'a> {
    /// The whole document, called `place` in messages.
    pub(crate) fn top(text: &'a str, place: &str, table: &'a DeTable<'a>) -> Self {
        Self {
            text,
            place: place.into(),
            offset: 0,
            table,
        }
    }

    /// Refuses every key that is not in `keys`. `elsewhere` knows keys that
    /// belong somewhere else and says so.
    pub(crate) fn only(&self, keys: &[&str], elsewhere: &[(&str, &str)]) -> Result<(), ParseError> {
        let mut unknown: Vec<_> = (self.table.keys())
            .filter(|key| !keys.contains(&key.get_ref().as_ref()))
            .collect();
        unknown.sort_by_key(|key| key.span().start);
        let Some(key) = unknown.first() else {
            return Ok(());
        };
        let name = key.get_ref().as_ref();
        let told = elsewhere.iter().find(|(other, _)| *other == name);
        let remedy = match (told, closest(name, keys)) {
            (Some((_, told)), _) => (*told).to_owned(),
            (None, Some(close)) => format!("did you mean `{close}`?"),
            (None, None) => {
                let keys = keys.iter().map(|key| format!("`{key}`"));
                format!("known here: {}", keys.collect::<Vec<_>>().join(", "))
            }
        };
        let message = format!("unknown key `{}` in {}", shown(name), self.place);
        Err(at(
            self.text,
            key.span().start,
            Some(name),
            message,
            Some(remedy),
        ))
    }

    /// The value of a key, if it is there.
    pub(crate) fn get(&self, key: &str) -> Option<Item<'a>> {
        let value = self.table.get(key)?;
        Some(Item {
            text: self.text,
            place: self.place.clone(),
            key: key.into(),
            offset: value.span().start,
            value: value.get_ref(),
        })
    }

    /// The value of a key that has to be there.
    pub(crate) fn require(&self, key: &str, example: &str) -> Result<Item<'a>, ParseError> {
        self.get(key).ok_or_else(|| {
            at(
                self.text,
                self.offset,
                Some(key),
                format!("{} has no `{key}`", self.place),
                Some(format!("add one, for example {example}")),
            )
        })
    }

    /// Every key with its value, in the order of the file.
    pub(crate) fn items(&self) -> Vec<Item<'a>> {
        let mut items: Vec<_> = self.table.iter().collect();
        items.sort_by_key(|(key, _)| key.span().start);
        items
            .into_iter()
            .map(|(key, value)| Item {
                text: self.text,
                place: self.place.clone(),
                key: key.get_ref().clone().into_owned(),
                offset: key.span().start,
                value: value.get_ref(),
            })
            .collect()
    }

    /// An error about the table as a whole.
    pub(crate) fn error(&self, message: String, remedy: &str) -> ParseError {
        at(self.text, self.offset, None, message, Some(remedy.into()))
    }
}

impl<'a> Item<'a> {
    /// The key, as written.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// The line it stands in, counted from 1.
    pub(crate) fn line(&self) -> usize {
        line(self.text, self.offset)
    }

    /// An error about this key: "`key` in \[place\] PROBLEM".
    pub(crate) fn error(&self, problem: &str, remedy: impl Into<String>) -> ParseError {
        at(
            self.text,
            self.offset,
            Some(&self.key),
            format!("`{}` in {} {problem}", shown(&self.key), self.place),
            Some(remedy.into()),
        )
    }

    fn wrong_type(&self, expected: &str, example: &str) -> ParseError {
        let found = match self.value {
            DeValue::String(_) => "text",
            DeValue::Integer(_) => "a number",
            DeValue::Float(_) => "a number with a fraction",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.error(
            &format!("has to be {expected}, and is {found}"),
            format!("write it as {example}"),
        )
    }

    /// Text in quotes.
    pub(crate) fn string(&self, example: &str) -> Result<&'a str, ParseError> {
        match self.value {
            DeValue::String(text) => Ok(text.as_ref()),
            _ => Err(self.wrong_type("text in quotes", example)),
        }
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self) -> Result<bool, ParseError> {
        let example = format!("{} = true", shown(&self.key));
        (self.value.as_bool()).ok_or_else(|| self.wrong_type("true or false", &example))
    }

    /// A whole number from 0 on; one too large to hold becomes the largest,
    /// which every bound refuses.
    pub(crate) fn integer(&self, example: &str) -> Result<u64, ParseError> {
        let DeValue::Integer(number) = self.value else {
            return Err(self.wrong_type("a whole number", example));
        };
        if number.as_str().starts_with('-') {
            return Ok(0);
        }
        let digits = number.as_str().trim_start_matches('+');
        Ok(u64::from_str_radix(digits, number.radix()).unwrap_or(u64::MAX))
    }

    /// A table, to be called `place`.
    pub(crate) fn table(&self, place: &str, example: &str) -> Result<Table<'a>, ParseError> {
        match self.value {
            DeValue::Table(table) => Ok(Table {
                text: self.text,
                place: place.into(),
                offset: self.offset,
                table,
            }),
            _ => Err(self.wrong_type("a table", example)),
        }
    }

    /// A list of tables, `[[key]]`, each to be called `place`.
    pub(crate) fn tables(&self, place: &str) -> Result<Vec<Table<'a>>, ParseError> {
        let list = (self.value.as_array()).ok_or_else(|| self.wrong_type("a list", place))?;
        list.iter()
            .map(|value| self.element(value).table(place, place))
            .collect()
    }

    /// A list of texts, with the position of each.
    pub(crate) fn strings(&self, example: &str) -> Result<Vec<(&'a str, Item<'a>)>, ParseError> {
        let list =
            (self.value.as_array()).ok_or_else(|| self.wrong_type("a list of texts", example))?;
        list.iter()
            .map(|value| {
                let item = self.element(value);
                Ok((item.string(example)?, item))
            })
            .collect()
    }

    fn element(&self, value: &'a toml::Spanned<DeValue<'a>>) -> Item<'a> {
        Item {
            offset: value.span().start,
            value: value.get_ref(),
            ..self.clone()
        }
    }

    /// One of several words.
    pub(crate) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, ParseError> {
        let words = alternatives(choices.iter().map(|(word, _)| format!("\"{word}\"")));
        let example = format!("{} = {words}", shown(&self.key));
        let text = self.string(&example)?;
        let found = choices.iter().find(|(word, _)| *word == text);
        found.map(|(_, value)| *value).ok_or_else(|| {
            self.error(
                &format!("is \"{}\", which it cannot be", shown(text)),
                format!("write {words}"),
            )
        })
    }
}

/// The key that was probably meant, if one is close enough.
fn closest<'k>(name: &str, keys: &[&'k str]) -> Option<&'k str> {
    let wanted = name.to_ascii_lowercase().replace('_', "-");
    if wanted.len() > 64 {
        return None;
    }
    (keys.iter())
        .map(|key| (strsim::osa_distance(&wanted, key), *key))
        .filter(|(distance, key)| *distance <= (key.len() / 3).max(1))
        .min()
        .map(|(_, key)| key)
}

/// The line of an offset, counted from 1.
fn line(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or(text);
    before.matches('\n').count() + 1
}

fn at(
    text: &str,
    offset: usize,
    key: Option<&str>,
    message: String,
    remedy: Option<String>,
) -> ParseError {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    ParseError {
        line: Some(line(text, offset)),
        column: Some(before[line_start..].chars().count() + 1),
        key: key.map(str::to_owned),
        message,
        remedy,
    }
}
