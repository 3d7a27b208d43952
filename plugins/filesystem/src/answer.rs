//! How much an answer may hold.
//!
//! The host refuses a result above its output limit, 4 MiB unless a person set
//! another. A text counts twice, as content and as structured content, so it
//! is measured here, before a file is read where that is possible.

/// Bytes of one answer, with room for what surrounds the text.
pub(crate) const LIMIT: usize = 4 * 1024 * 1024 - 16 * 1024;

/// The largest file whose text can fit.
pub(crate) const LARGEST_TEXT: usize = LIMIT / 2;

/// The largest file whose bytes can fit: once as they are, once as base64 in
/// the structured content.
pub(crate) const LARGEST_MEDIA: usize = LIMIT / 7 * 3;

/// What a text takes up in an answer: itself, and once more as JSON.
pub(crate) fn cost(text: &str) -> usize {
    let escapes: usize = text
        .bytes()
        .map(|byte| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
            0..0x20 => 5,
            _ => 0,
        })
        .sum();
    2 * text.len() + escapes
}

/// Whether a text fits.
pub(crate) fn fits(text: &str) -> bool {
    // Most texts are far from the limit: no need to count.
    text.len() <= LIMIT / 7 || cost(text) <= LIMIT
}

/// `1.50 MB`: two decimals, powers of 1024, as the reference server writes it.
pub(crate) fn format_size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];
    let mut unit = 0;
    while unit + 1 < UNITS.len() && bytes >> (10 * (unit + 1)) > 0 {
        unit += 1;
    }
    if unit == 0 {
        return format!("{bytes} B");
    }
    let scale = 1_u128 << (10 * unit);
    let hundredths = (u128::from(bytes) * 100 + scale / 2) / scale;
    format!(
        "{}.{:02} {}",
        hundredths / 100,
        hundredths % 100,
        UNITS[unit]
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_read_as_people_write_them() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.00 KB"),
            (1152, "1.13 KB"),
            (1536, "1.50 KB"),
            (1_048_575, "1024.00 KB"),
            (5 << 40, "5.00 TB"),
            (3 << 50, "3072.00 TB"),
        ] {
            assert_eq!(format_size(bytes), text);
        }
    }

    proptest! {
        #[test]
        fn a_text_costs_what_it_takes_up(text in any::<String>()) {
            // Without its two quotes.
            let json = serde_json::to_string(&text).unwrap().len() - 2;
            prop_assert_eq!(cost(&text), text.len() + json);
        }
    }
}
