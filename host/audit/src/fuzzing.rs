//! What the fuzz targets call.

use crate::record::Line;

/// A line of the file, whoever wrote it: what is understood is written again as the
/// same record.
///
/// # Panics
/// If it is not.
pub fn line(bytes: &[u8]) {
    if let Line::Record(record) = Line::read(bytes) {
        let written = record.line();
        assert!(written.is_ok(), "{record:?}");
        let again = Line::read(written.as_deref().unwrap_or_default().trim_ascii_end());
        assert_eq!(again, Line::Record(record.clone()));
        let _ = record.event.details();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_line(
            plugin in ".{0,20}",
            event in prop_oneof![
                Just(r#""event":"removed""#.to_owned()),
                ".{0,30}".prop_map(|what| format!(r#""event":"granted","what":[{}]"#, serde_json::json!(what))),
                ".{0,30}",
            ],
        ) {
            let plugin = serde_json::json!(plugin);
            super::line(format!(r#"{{"at":"2026-01-01T00:00:00Z","plugin":{plugin},{event}}}"#).as_bytes());
        }
    }
}
