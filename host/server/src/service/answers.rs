//! Addresses in what plugins return.

use palisade_runtime::contract::{ContentBlock, ResourceContents};

use crate::outcome::{Checked, CheckedPrompt};

/// Every address in a tool's result.
pub(super) fn address_result(result: &mut Checked, rename: &dyn Fn(&mut String)) {
    for block in &mut result.content {
        address_block(block, rename);
    }
}

/// Every address in a prompt.
pub(super) fn address_prompt(prompt: &mut CheckedPrompt, rename: &dyn Fn(&mut String)) {
    for message in &mut prompt.messages {
        address_block(&mut message.content, rename);
    }
}

/// The addresses of what was read.
pub(super) fn address_contents(contents: &mut Vec<ResourceContents>, rename: &dyn Fn(&mut String)) {
    for one in contents {
        rename(&mut one.uri);
    }
}

fn address_block(block: &mut ContentBlock, rename: &dyn Fn(&mut String)) {
    match block {
        // A link may lead anywhere, a plugin's own resources included: only
        // the plugin knows. One that says what it is stays as it is.
        ContentBlock::ResourceLink(link) => {
            if !link.uri.starts_with("https:") && !link.uri.starts_with("http:") {
                rename(&mut link.uri);
            }
        }
        ContentBlock::Embedded(embedded) => rename(&mut embedded.contents.uri),
        ContentBlock::Text(_) | ContentBlock::Image(_) | ContentBlock::Audio(_) => {}
    }
}
