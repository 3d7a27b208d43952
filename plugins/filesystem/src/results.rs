//! Arguments and results in the shape clients see.

use palisade_sdk::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::edit::Edit;
use crate::list::Order;
use crate::media::Media;
use crate::tree::Tree;

/// What most tools return: the text once more.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct TextContent {
    content: String,
}

/// What `read_media_file` returns: the content blocks once more.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct MediaContent {
    content: Vec<Block>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "lowercase",
    rename_all_fields = "camelCase"
)]
enum Block {
    Image { data: String, mime_type: String },
    Audio { data: String, mime_type: String },
    Resource { resource: Blob },
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Blob {
    uri: String,
    mime_type: String,
    blob: String,
}

/// The arguments of `read_multiple_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paths {
    /// Array of file paths to read. Each path must be a string pointing to a valid file within allowed directories.
    #[schemars(length(min = 1))]
    pub(crate) paths: Vec<String>,
}

/// One edit of `edit_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditOperation {
    /// Text to search for - must match exactly
    old_text: String,
    /// Text to replace with
    new_text: String,
}

impl From<EditOperation> for Edit {
    fn from(edit: EditOperation) -> Self {
        Self {
            old: edit.old_text,
            new: edit.new_text,
        }
    }
}

/// How `list_directory_with_sizes` sorts.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum SortBy {
    Name,
    Size,
}

impl From<SortBy> for Order {
    fn from(by: SortBy) -> Self {
        match by {
            SortBy::Name => Self::Name,
            SortBy::Size => Self::Size,
        }
    }
}

/// A text, as content and as structured content.
pub(crate) fn text(content: String) -> Result<Json<TextContent>> {
    let block = Content::text(content.clone());
    Ok(Json::new(TextContent { content }).with_content([block]))
}

/// A tree, and a note beside it where something is missing: the text itself
/// has to remain JSON.
pub(crate) fn tree(tree: Tree) -> Json<TextContent> {
    let blocks = std::iter::once(tree.json.clone()).chain(tree.note);
    Json::new(TextContent {
        content: tree.json.clone(),
    })
    .with_content(blocks.map(Content::text))
}

/// A file's bytes, as content of the kind they are.
pub(crate) fn media(media: Media) -> Json<MediaContent> {
    let data = media.base64();
    let mime_type = media.mime.to_owned();
    let (block, content) = if media.is_image() {
        (
            Block::Image { data, mime_type },
            Content::image(media.bytes, media.mime),
        )
    } else if media.is_audio() {
        (
            Block::Audio { data, mime_type },
            Content::audio(media.bytes, media.mime),
        )
    } else {
        let content = Content::embedded_blob(media.uri.clone(), media.mime, media.bytes);
        let resource = Blob {
            uri: media.uri,
            mime_type,
            blob: data,
        };
        (Block::Resource { resource }, content)
    };
    Json::new(MediaContent {
        content: vec![block],
    })
    .with_content([content])
}
