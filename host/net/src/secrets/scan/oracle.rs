//! Masking, slowly and simply: everything decoded, then searched. It shares
//! nothing with what is tested but what is looked for.

use crate::secrets::DEPTH;
use crate::secrets::spelling::{Spelling, is_in, plain, wide};

/// A byte, and from where to where it stands in the text.
type Unit = (u8, usize, usize);

/// The whole text at once.
pub(super) fn oracle(secrets: &[&str], text: &[u8]) -> Vec<u8> {
    let mut out = text.to_vec();
    let mut layer: Vec<Unit> = (text.iter().enumerate())
        .map(|(at, byte)| (*byte, at, at + 1))
        .collect();
    for depth in 0..=DEPTH {
        for secret in secrets {
            hide(&mut out, &layer, &plain(secret));
            for lines in without_breaks(&layer) {
                hide(&mut out, &lines, &wide(secret));
            }
        }
        if depth < DEPTH {
            layer = decoded(&layer);
        }
    }
    out
}

fn hide<'s>(out: &mut [u8], units: &[Unit], all: impl IntoIterator<Item = &'s Spelling>) {
    let values: Vec<u8> = units.iter().map(|unit| unit.0).collect();
    for spelling in all {
        for first in 0..units.len() {
            if !values[first..].starts_with(&spelling.bytes) {
                continue;
            }
            let last = first + spelling.bytes.len() - 1;
            let mut place = units[first].1..units[last].2;
            if first > 0 && is_in(spelling.before, values[first - 1]) {
                place.start = units[first - 1].1;
            }
            if values
                .get(last + 1)
                .is_some_and(|next| is_in(spelling.after, *next))
            {
                place.end = units[last + 1].2;
            }
            out[place].fill(b'*');
        }
    }
}

/// The text without white space, in parts between empty lines.
fn without_breaks(units: &[Unit]) -> Vec<Vec<Unit>> {
    let mut parts = vec![Vec::new()];
    let mut breaks = 0;
    for unit in units {
        match unit.0 {
            b'\n' => {
                breaks += 1;
                if breaks == 2 {
                    parts.push(Vec::new());
                }
            }
            b' ' | b'\t' | b'\r' => {}
            _ => {
                breaks = 0;
                parts.last_mut().unwrap().push(*unit);
            }
        }
    }
    parts
}

fn decoded(units: &[Unit]) -> Vec<Unit> {
    let mut out = Vec::new();
    let mut rest = units;
    while let Some((first, others)) = rest.split_first() {
        let ahead: Vec<u8> = rest.iter().take(12).map(|unit| unit.0).collect();
        let escape = (2..=ahead.len()).find_map(|length| {
            let text = std::str::from_utf8(&ahead[..length]).ok()?;
            Some((length, bytes(text)?))
        });
        match escape {
            None => {
                out.push(*first);
                rest = others;
            }
            Some((length, bytes)) => {
                let place = (first.1, rest[length - 1].2);
                out.extend(bytes.iter().map(|byte| (*byte, place.0, place.1)));
                rest = &rest[length..];
            }
        }
    }
    out
}

/// What an escape is of.
fn bytes(escape: &str) -> Option<Vec<u8>> {
    let number = |digits: &str, radix| {
        let plain = digits.chars().all(|digit| digit.is_digit(radix));
        (plain && !digits.is_empty()).then(|| u32::from_str_radix(digits, radix).ok())?
    };
    let numeric = |digits: &str, radix, most| {
        let c = char::from_u32(number(digits, radix)?)?;
        (digits.len() <= most).then(|| c.to_string().into_bytes())
    };
    let of_byte = escape.strip_prefix('%').or(escape.strip_prefix("\\x"));
    if let Some(digits) = of_byte {
        return (digits.len() == 2).then(|| Some(vec![number(digits, 16)? as u8]))?;
    }
    if let Some(units) = escape.strip_prefix("\\u") {
        let units: Vec<&str> = units.split("\\u").collect();
        let four = units.iter().all(|unit| unit.len() == 4);
        let units: Option<Vec<u16>> = (units.iter())
            .map(|unit| number(unit, 16).map(|unit| unit as u16))
            .collect();
        let text = String::from_utf16(&units.filter(|_| four)?).ok()?;
        return (text.chars().count() == 1).then(|| text.into_bytes());
    }
    if let Some(name) = escape
        .strip_prefix('&')
        .and_then(|rest| rest.strip_suffix(';'))
    {
        if let Some(digits) = name.strip_prefix("#x").or(name.strip_prefix("#X")) {
            return numeric(digits, 16, 6);
        }
        if let Some(digits) = name.strip_prefix('#') {
            return numeric(digits, 10, 7);
        }
    }
    let text = match escape {
        "\\/" | "&sol;" => "/",
        "\\\\" | "&bsol;" => "\\",
        "\\\"" | "&quot;" | "&QUOT;" => "\"",
        "\\'" | "&apos;" => "'",
        "\\n" => "\n",
        "\\r" => "\r",
        "\\t" | "&Tab;" => "\t",
        "&amp;" | "&AMP;" => "&",
        "&lt;" | "&LT;" => "<",
        "&gt;" | "&GT;" => ">",
        "&plus;" => "+",
        "&equals;" => "=",
        "&num;" => "#",
        "&percnt;" => "%",
        "&colon;" => ":",
        "&semi;" => ";",
        "&comma;" => ",",
        "&period;" => ".",
        "&excl;" => "!",
        "&dollar;" => "$",
        "&lpar;" => "(",
        "&rpar;" => ")",
        "&ast;" => "*",
        "&commat;" => "@",
        "&quest;" => "?",
        "&lowbar;" => "_",
        _ => return None,
    };
    Some(text.as_bytes().to_vec())
}
