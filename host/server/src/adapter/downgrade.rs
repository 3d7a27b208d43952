//! Content for clients of revisions that do not know all kinds of it.

use rmcp::model::{ContentBlock, ProtocolVersion};

/// Turns the kinds that `version` does not have into text: a client can't read
/// a result in which there is one.
pub(super) fn content(content: &mut [ContentBlock], version: Option<&ProtocolVersion>) {
    let Some(version) = version else { return };
    for block in content {
        let text = match block {
            ContentBlock::Audio(audio) if *version < ProtocolVersion::V_2025_03_26 => {
                format!(
                    "[audio, {}, {} bytes in base64: this client's revision of MCP has no audio]",
                    audio.mime_type,
                    audio.data.len()
                )
            }
            ContentBlock::ResourceLink(link) if *version < ProtocolVersion::V_2025_06_18 => {
                format!(
                    "{} <{}>",
                    link.title.as_ref().unwrap_or(&link.name),
                    link.uri
                )
            }
            _ => continue,
        };
        *block = ContentBlock::text(text);
    }
}
