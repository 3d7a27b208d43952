//! From bytes to text: a mark at the beginning, the header, what the page says of
//! itself, and then the best guess, in the order that browsers have (HTML,
//! "determining the character encoding").

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How much of a page is looked at for what it says of itself.
const HEAD: usize = 1024;

/// The text, with U+FFFD where there is none.
pub(crate) fn decode(bytes: &[u8], content_type: &str) -> String {
    let (text, _, _) = encoding(bytes, content_type).decode(bytes);
    text.into_owned()
}

fn encoding(bytes: &[u8], content_type: &str) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    let named = parameter(content_type, "charset")
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .or_else(|| declared(&bytes[..bytes.len().min(HEAD)]));
    match named {
        Some(encoding) => encoding,
        None if str::from_utf8(bytes).is_ok() => UTF_8,
        None => WINDOWS_1252,
    }
}

/// A parameter of a header such as `text/html; charset="utf-8"`.
fn parameter<'v>(value: &'v str, name: &str) -> Option<&'v str> {
    value.split(';').skip(1).find_map(|pair| {
        let (own, value) = pair.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        own.trim().eq_ignore_ascii_case(name).then_some(value)
    })
}

/// `<meta charset=…>`, `<meta http-equiv=… content="…; charset=…">` or
/// `<?xml … encoding=…?>`.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    // What matters is ASCII, whatever the rest is.
    let head = head.to_ascii_lowercase();
    let head: String = head.iter().map(|byte| char::from(*byte)).collect();
    let xml = head.trim_start().strip_prefix("<?xml");
    let xml = xml.and_then(|rest| rest.split("?>").next());
    let meta = (head.split("<meta").skip(1)).filter_map(|rest| rest.split('>').next());
    let label = (xml.and_then(|text| value_of(text, "encoding")))
        .or_else(|| meta.into_iter().find_map(|text| value_of(text, "charset")))?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    // It could not have been read if it were true.
    match encoding.is_ascii_compatible() {
        true => Some(encoding),
        false => Some(UTF_8),
    }
}

/// What stands behind `name=`, with or without quotes.
fn value_of<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.match_indices(name).find_map(|(at, _)| {
        let rest = text[at + name.len()..].trim_start().strip_prefix('=')?;
        let rest = rest.trim_start().trim_start_matches(['"', '\'']);
        let end = rest.find(|c: char| c.is_ascii_whitespace() || "\"';/".contains(c));
        Some(&rest[..end.unwrap_or(rest.len())]).filter(|value| !value.is_empty())
    })
}
