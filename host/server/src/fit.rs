//! A result that is larger than its limit: what a client gets of it, and what
//! is kept for it to read.
//!
//! In the result stands as much as fits, where it ends, and a link to what was
//! cut or left out.

use palisade_runtime::content_size;
use palisade_runtime::contract::{
    ContentBlock, ResourceBody, ResourceContents, ResourceInfo, TextContent,
};

use crate::outcome::{Checked, Over, text};

/// What was cut off a result, with its address.
pub(crate) type CutOff = (String, Vec<ResourceContents>);

/// Cuts a result to its limit. `address` gives what was cut or left out an
/// address, if it can be kept; with that, it is returned.
pub(crate) fn fit(
    checked: &mut Checked,
    over: Over,
    address: impl FnOnce(&[ResourceContents]) -> Option<String>,
) -> Option<CutOff> {
    let mut rest = Rest::default();
    let mut room = over.limit;
    let meta = checked.meta.as_ref().map_or(0, json_size);
    if meta > room / 2 {
        rest.say(format!("[_meta left out: {meta} bytes]"));
        checked.meta = None;
    } else {
        room -= meta;
    }
    let content: usize = checked.content.iter().map(content_size).sum();
    let structured = checked.structured.as_ref().map_or(0, json_size);
    if structured + content > room {
        if structured > room / 2 {
            leave_structured_out(checked, over, structured, &mut rest);
        } else {
            room -= structured;
        }
    }
    let blocks = std::mem::take(&mut checked.content);
    let mut shown = Vec::with_capacity(blocks.len().min(64));
    let mut cut = None;
    for block in blocks {
        let size = content_size(&block);
        if size <= room {
            room -= size;
            shown.push(block);
            continue;
        }
        match block {
            ContentBlock::Text(text) if room > 0 && cut.is_none() => {
                cut = Some((shown.len(), text.text.len()));
                shown.push(beginning(&text, &mut room));
                rest.keep(None, ResourceBody::Text(text.text));
            }
            block => rest.leave_out(block),
        }
    }
    checked.content = shown;
    rest.tell(checked, cut, address)
}

/// As much of a text as there is room for, which is used up.
fn beginning(whole: &TextContent, room: &mut usize) -> ContentBlock {
    let end = whole.text.floor_char_boundary(*room);
    *room = 0;
    text(whole.text[..end].to_owned())
}

fn leave_structured_out(checked: &mut Checked, over: Over, size: usize, rest: &mut Rest) {
    let Some(structured) = checked.structured.take() else {
        return;
    };
    rest.say(format!("[structuredContent left out: {size} bytes]"));
    // A client that knows the schema refuses a success without it.
    checked.is_error |= over.demands_structured;
    let json = structured.to_string();
    let said =
        |block: &ContentBlock| matches!(block, ContentBlock::Text(text) if text.text == json);
    if !checked.content.iter().any(said) {
        rest.keep(
            Some("application/json".to_owned()),
            ResourceBody::Text(json),
        );
    }
}

/// What does not stand in the result.
#[derive(Default)]
struct Rest {
    contents: Vec<ResourceContents>,
    notes: Vec<String>,
    /// Pieces of content that were left out, and bytes of them.
    pieces: usize,
    bytes: usize,
}

impl Rest {
    fn say(&mut self, note: String) {
        self.notes.push(note);
    }

    fn keep(&mut self, mime_type: Option<String>, body: ResourceBody) {
        self.contents.push(ResourceContents {
            uri: String::new(),
            mime_type,
            body,
            meta: None,
        });
    }

    fn leave_out(&mut self, block: ContentBlock) {
        self.pieces += 1;
        self.bytes += content_size(&block);
        match block {
            ContentBlock::Text(text) => self.keep(None, ResourceBody::Text(text.text)),
            ContentBlock::Image(media) | ContentBlock::Audio(media) => {
                self.keep(Some(media.mime_type), ResourceBody::Blob(media.data));
            }
            ContentBlock::Embedded(embedded) => {
                let contents = embedded.contents;
                self.keep(contents.mime_type, contents.body);
            }
            ContentBlock::ResourceLink(link) => {
                let title = link.title.unwrap_or(link.name);
                let words = [Some(title), Some(link.uri), link.description];
                let words: Vec<_> = words.into_iter().flatten().collect();
                self.keep(None, ResourceBody::Text(words.join("\n")));
            }
        }
    }

    /// Says in the result what is missing and where to read it.
    fn tell(
        mut self,
        checked: &mut Checked,
        cut: Option<(usize, usize)>,
        address: impl FnOnce(&[ResourceContents]) -> Option<String>,
    ) -> Option<CutOff> {
        if self.contents.is_empty() && self.notes.is_empty() {
            return None;
        }
        let uri = address(&self.contents).filter(|_| !self.contents.is_empty());
        let where_to = match &uri {
            Some(uri) => format!("read the rest at {uri}"),
            None => "the rest is not kept".to_owned(),
        };
        if let Some((place, whole)) = cut
            && let Some(ContentBlock::Text(text)) = checked.content.get_mut(place)
        {
            let shown = text.text.len();
            let note = format!("\n[cut: {shown} of {whole} bytes shown; {where_to}]");
            text.text.push_str(&note);
        }
        if self.pieces > 0 {
            let (pieces, bytes) = (self.pieces, self.bytes);
            let what = if pieces == 1 {
                "a piece of content".to_owned()
            } else {
                format!("{pieces} pieces of content")
            };
            self.say(format!("[{what} left out: {bytes} bytes; {where_to}]"));
        }
        if !self.notes.is_empty() {
            if cut.is_none() && self.pieces == 0 && uri.is_some() {
                self.say(format!("[{where_to}]"));
            }
            checked.content.push(text(self.notes.join("\n")));
        }
        let uri = uri?;
        checked
            .content
            .push(ContentBlock::ResourceLink(link(&uri, &self.contents)));
        for one in &mut self.contents {
            one.uri.clone_from(&uri);
        }
        Some((uri, self.contents))
    }
}

fn link(uri: &str, contents: &[ResourceContents]) -> ResourceInfo {
    let sizes = contents.iter().map(|one| match &one.body {
        ResourceBody::Text(text) => text.len() as u64,
        ResourceBody::Blob(blob) => blob.len() as u64,
    });
    let mime_type = match contents {
        [only] => match &only.body {
            ResourceBody::Text(_) => Some(
                only.mime_type
                    .clone()
                    .unwrap_or_else(|| "text/plain".to_owned()),
            ),
            ResourceBody::Blob(_) => only.mime_type.clone(),
        },
        _ => None,
    };
    ResourceInfo {
        uri: uri.to_owned(),
        name: "result".to_owned(),
        title: Some("The whole result".to_owned()),
        description: None,
        mime_type,
        size: Some(sizes.sum()),
        annotations: None,
        icons: Vec::new(),
        meta: None,
    }
}

/// How long something is as JSON, without writing it down.
fn json_size(value: &impl serde::Serialize) -> usize {
    struct Counter(usize);

    impl std::io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX,
    }
}
