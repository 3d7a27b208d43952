//! Content of every kind.

use palisade_sdk::prelude::*;

/// A red dot, as PNG.
pub(crate) const PIXEL: &[u8] = include_bytes!("pixel.png");

/// A millisecond of silence, as WAV.
const SILENCE: &[u8] = include_bytes!("silence.wav");

pub(crate) fn image() -> Content {
    Content::image(PIXEL, "image/png")
}

pub(crate) fn sound() -> Content {
    Content::audio(SILENCE, "audio/wav")
}

pub(crate) fn embedded() -> Content {
    Content::embedded_text(
        "test://embedded-resource",
        "text/plain",
        "This is an embedded resource content.",
    )
}

pub(crate) fn mixed() -> Vec<Content> {
    vec![
        Content::text("Multiple content types test:"),
        image(),
        Content::embedded_text(
            "test://mixed-content-resource",
            "application/json",
            r#"{"test":"data","value":123}"#,
        ),
    ]
}
