//! The other end: the process that speaks to the keyring.

use std::io::{Error, ErrorKind, Read as _, Result, Write as _};
use std::os::unix::net::UnixStream;

use keyring::{Entry, Error as Refused};
use zeroize::Zeroizing;

use super::{Verb, answer};
use crate::value::MAX_BYTES;

/// What the keyring knows our secrets by, beside their names.
const SERVICE: &str = "palisade";

/// Longest question, in bytes: the verb, a name, a line break and a value.
const QUESTION: usize = 1 + 64 + 1 + MAX_BYTES;

/// Answers the one question that comes on `channel`.
///
/// # Errors
/// What is wrong with the channel, or with the question.
pub fn serve_keyring(mut channel: UnixStream) -> Result<()> {
    let wrong = || Error::new(ErrorKind::InvalidData, "that is no question");
    let mut question = Zeroizing::new(Vec::with_capacity(QUESTION + 1));
    (&channel)
        .take(QUESTION as u64 + 1)
        .read_to_end(&mut question)?;
    let (verb, rest) = question.split_first().ok_or_else(wrong)?;
    let verb = match verb {
        b'g' => Verb::Get,
        b's' => Verb::Set,
        b'r' => Verb::Remove,
        _ => return Err(wrong()),
    };
    let end = rest.iter().position(|byte| *byte == b'\n');
    let (name, value) = rest.split_at(end.ok_or_else(wrong)?);
    let name = str::from_utf8(name).map_err(|_| wrong())?;
    let value = &value[1..];
    if question.len() > QUESTION || (verb == Verb::Set) == value.is_empty() {
        return Err(wrong());
    }
    let (kind, text) = match ask(verb, name, value) {
        Ok(value) => (answer::DONE, value),
        Err(refused) => {
            let (kind, reason) = told(&refused);
            (kind, Zeroizing::new(reason.into_bytes()))
        }
    };
    channel.write_all(&[kind])?;
    channel.write_all(&text)
}

fn ask(verb: Verb, name: &str, value: &[u8]) -> keyring::Result<Zeroizing<Vec<u8>>> {
    if let Err(refused) = Entry::store_status() {
        return Err(match refused {
            Refused::PlatformFailure(cause) => Refused::PlatformFailure(cause.to_string().into()),
            Refused::NoStorageAccess(cause) => Refused::NoStorageAccess(cause.to_string().into()),
            _ => Refused::NoDefaultStore,
        });
    }
    let entry = Entry::new(SERVICE, name)?;
    match verb {
        Verb::Get => return entry.get_secret().map(Zeroizing::new),
        Verb::Set => entry.set_secret(value)?,
        Verb::Remove => entry.delete_credential()?,
    }
    Ok(Zeroizing::default())
}

/// What the client makes of a refusal, and words for it.
fn told(refused: &Refused) -> (u8, String) {
    let cause = match refused {
        Refused::NoEntry => return (answer::NOTHING, String::new()),
        Refused::NoDefaultStore => return (answer::ABSENT, String::new()),
        Refused::PlatformFailure(cause) | Refused::NoStorageAccess(cause) => cause.to_string(),
        other => return (answer::REFUSED, other.to_string()),
    };
    // The causes are of a crate below the keyring's, whose words a test holds.
    let says = |words: &str| cause.contains(words);
    let nobody = [
        "no secret service provider",
        "ServiceUnknown",
        "NameHasNoOwner",
        // A bus that is no longer there.
        "Failed to connect to address",
    ];
    if nobody.into_iter().any(says) {
        return (answer::ABSENT, String::new());
    }
    if says("object locked") || says("prompt dismissed") || says("IsLocked") {
        return (answer::LOCKED, String::new());
    }
    (answer::REFUSED, cause)
}
