//! Escapes: how one character is written in URLs, in JSON and other strings of
//! programs, and in HTML.

/// Characters of the longest escape: two of JSON that are one character.
pub(super) const LONGEST: usize = 12;

/// What a text is, as an escape.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// What follows will tell.
    More,
    /// None.
    No,
    /// One, of this.
    Is(char),
    /// One, of a byte.
    Byte(u8),
}

/// Whether an escape may begin with this.
pub(super) fn starts(byte: u8) -> bool {
    matches!(byte, b'%' | b'\\' | b'&')
}

/// What a text is that begins like an escape.
pub(super) fn read(text: &[u8]) -> Read {
    match text {
        [b'%', digits @ ..] | [b'\\', b'x', digits @ ..] => match fixed(digits, 2) {
            Ok(byte) => u8::try_from(byte).map_or(Read::No, Read::Byte),
            Err(other) => other,
        },
        [b'\\', b'u', rest @ ..] => utf16(rest),
        [b'\\'] | [b'&'] | [b'&', b'#'] => Read::More,
        [b'\\', one] => match one {
            b'/' | b'\\' | b'"' | b'\'' => Read::Byte(*one),
            b'n' => Read::Byte(b'\n'),
            b'r' => Read::Byte(b'\r'),
            b't' => Read::Byte(b'\t'),
            _ => Read::No,
        },
        [b'&', b'#', b'x' | b'X', digits @ ..] => numbered(digits, 16, 6),
        [b'&', b'#', digits @ ..] => numbered(digits, 10, 7),
        [b'&', name @ ..] => named(name),
        _ => Read::No,
    }
}

/// A number of so many hexadecimal digits.
fn fixed(digits: &[u8], count: usize) -> Result<u32, Read> {
    if digits.len() > count {
        return Err(Read::No);
    }
    match number(digits, 16) {
        Some(number) if digits.len() == count => Ok(number),
        Some(_) => Err(Read::More),
        None => Err(Read::No),
    }
}

/// A few digits as a number; none are nought.
fn number(digits: &[u8], radix: u32) -> Option<u32> {
    digits.iter().try_fold(0, |sum: u32, digit| {
        let digit = char::from(*digit).to_digit(radix)?;
        sum.checked_mul(radix)?.checked_add(digit)
    })
}

/// What follows `\u`.
fn utf16(text: &[u8]) -> Read {
    let (first, rest) = text.split_at(text.len().min(4));
    let high = match fixed(first, 4) {
        Ok(unit) => unit,
        Err(other) => return other,
    };
    if !(0xd800..0xdc00).contains(&high) {
        return char::from_u32(high).map_or(Read::No, Read::Is);
    }
    // The first half of a pair.
    let low = match rest {
        [] | [b'\\'] => return Read::More,
        [b'\\', b'u', digits @ ..] => fixed(digits, 4),
        _ => return Read::No,
    };
    match low {
        Ok(low @ 0xdc00..0xe000) => {
            let c = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            char::from_u32(c).map_or(Read::No, Read::Is)
        }
        Ok(_) => Read::No,
        Err(other) => other,
    }
}

/// What follows `&#` or `&#x`.
fn numbered(text: &[u8], radix: u32, most: usize) -> Read {
    let digits = text.strip_suffix(b";").unwrap_or(text);
    let ended = digits.len() < text.len();
    match number(digits, radix).filter(|_| digits.len() <= most) {
        Some(number) if ended && !digits.is_empty() => {
            char::from_u32(number).map_or(Read::No, Read::Is)
        }
        Some(_) if !ended => Read::More,
        _ => Read::No,
    }
}

/// What follows `&`, up to the `;`.
fn named(text: &[u8]) -> Read {
    let Some(name) = text.strip_suffix(b";") else {
        let more = text.len() <= 6 && text.iter().all(u8::is_ascii_alphabetic);
        return if more { Read::More } else { Read::No };
    };
    let byte = match name {
        b"amp" | b"AMP" => b'&',
        b"lt" | b"LT" => b'<',
        b"gt" | b"GT" => b'>',
        b"quot" | b"QUOT" => b'"',
        b"apos" => b'\'',
        b"sol" => b'/',
        b"bsol" => b'\\',
        b"plus" => b'+',
        b"equals" => b'=',
        b"num" => b'#',
        b"percnt" => b'%',
        b"colon" => b':',
        b"semi" => b';',
        b"comma" => b',',
        b"period" => b'.',
        b"excl" => b'!',
        b"dollar" => b'$',
        b"lpar" => b'(',
        b"rpar" => b')',
        b"ast" => b'*',
        b"commat" => b'@',
        b"quest" => b'?',
        b"lowbar" => b'_',
        b"Tab" => b'\t',
        _ => return Read::No,
    };
    Read::Byte(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_escapes_are() {
        for (text, is) in [
            ("%41", Read::Byte(b'A')),
            ("%c3", Read::Byte(0xc3)),
            ("\\x4A", Read::Byte(b'J')),
            ("\\u0041", Read::Is('A')),
            ("\\u00E9", Read::Is('é')),
            ("\\ud83d\\uDE00", Read::Is('😀')),
            ("\\/", Read::Byte(b'/')),
            ("&#65;", Read::Is('A')),
            ("&#0000065;", Read::Is('A')),
            ("&#x1F600;", Read::Is('😀')),
            ("&amp;", Read::Byte(b'&')),
            ("&period;", Read::Byte(b'.')),
        ] {
            assert!(text.len() <= LONGEST);
            assert_eq!(read(text.as_bytes()), is, "{text}");
            for end in 1..text.len() {
                assert_eq!(read(&text.as_bytes()[..end]), Read::More, "{text} {end}");
            }
        }
        for text in [
            "%4g",
            "\\u004g",
            "\\a",
            "&;",
            "&#;",
            "&#x;",
            "&a=",
            "&nothing",
            "&none;",
            "&#xg",
            "&#x0000041;",
            "\\ud83d\\u0041",
            "\\udc00",
            "\\ud83d.",
            "&#x110000;",
        ] {
            assert_eq!(read(text.as_bytes()), Read::No, "{text}");
        }
    }
}
