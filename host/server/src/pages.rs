//! Long lists, a page at a time.
//!
//! A cursor says where the next page begins and what stood before it. Nothing
//! is kept for it here, and one that fits no list any more is refused instead
//! of leaving things out or showing them twice.

use std::ops::Range;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// Items on one page: few servers have as many, so that clients which do not
/// page see all of theirs.
const PAGE: usize = 250;

/// A cursor that this list did not give out.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this cursor did not come from this server, or the list has changed since: begin again without one"
)]
pub(crate) struct BadCursor;

/// The items a page shows, and the cursor of the next one. `key` is what tells
/// an item from others.
///
/// # Errors
///
/// [`BadCursor`].
pub(crate) fn page<T>(
    items: &[T],
    cursor: Option<&str>,
    key: impl Fn(&T) -> &str,
) -> Result<(Range<usize>, Option<String>), BadCursor> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let start = position(cursor).ok_or(BadCursor)?;
            let before = start.checked_sub(1).and_then(|before| items.get(before));
            let given = before.map(|before| name(start, key(before)));
            if given.as_deref() != Some(cursor) {
                return Err(BadCursor);
            }
            start
        }
    };
    let end = items.len().min(start.saturating_add(PAGE));
    let next = (end < items.len()).then(|| name(end, key(&items[end - 1])));
    Ok((start..end, next))
}

/// The cursor of the page that begins at `start`, after the item `before`.
fn name(start: usize, before: &str) -> String {
    let digest = Sha256::digest(before);
    let mut bytes = (start as u64).to_be_bytes().to_vec();
    bytes.extend_from_slice(&digest[..8]);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn position(cursor: &str) -> Option<usize> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (start, _) = bytes.split_first_chunk()?;
    usize::try_from(u64::from_be_bytes(*start)).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    fn items(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("item {number}")).collect()
    }

    proptest! {
        #[test]
        fn pages_show_everything_once_in_order(count in 0..3 * PAGE) {
            let items = items(count);
            let (mut seen, mut cursor) = (Vec::new(), None);
            loop {
                let (range, next) = page(&items, cursor.as_deref(), String::as_str).unwrap();
                seen.extend_from_slice(&items[range]);
                let Some(next) = next else { break };
                cursor = Some(next);
            }
            prop_assert_eq!(seen, items);
        }

        #[test]
        fn any_other_cursor_is_refused(cursor in ".*") {
            prop_assert_eq!(
                page(&items(3 * PAGE), Some(&cursor), String::as_str),
                Err(BadCursor)
            );
        }
    }

    #[test]
    fn a_cursor_of_a_list_that_changed_is_refused() {
        let mut items = items(PAGE + 1);
        let (_, next) = page(&items, None, String::as_str).unwrap();
        let next = next.unwrap();
        assert!(page(&items, Some(&next), String::as_str).is_ok());
        items.insert(0, "new".into());
        assert_eq!(page(&items, Some(&next), String::as_str), Err(BadCursor));
        items.truncate(3);
        assert_eq!(page(&items, Some(&next), String::as_str), Err(BadCursor));
    }
}
