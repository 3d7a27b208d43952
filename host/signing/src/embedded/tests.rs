#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

/// A component with one custom section.
fn plain() -> Vec<u8> {
    [&HEADER[..], b"\0\x06\x04noteX"].concat()
}

fn signed() -> (Vec<u8>, SecretKey) {
    let secret = SecretKey::generate().unwrap();
    (sign(&plain(), &secret).unwrap().bytes, secret)
}

fn by(secret: &SecretKey) -> Signer {
    Signer::Key(secret.public())
}

/// A signature's section with this in it, before the rest of [`plain`].
fn with(payload: &[u8]) -> Vec<u8> {
    let mut bytes = HEADER.to_vec();
    bytes.push(0);
    leb(&mut bytes, 10 + payload.len());
    bytes.push(9);
    bytes.extend_from_slice(NAME.as_bytes());
    bytes.extend_from_slice(payload);
    bytes.extend_from_slice(&plain()[8..]);
    bytes
}

#[test]
fn signed_is_signed_and_plain_is_nobodys() {
    let (bytes, secret) = signed();
    assert_eq!(embedded(&plain(), &[]), Ok(Vec::new()));
    assert_eq!(embedded(&bytes, &[]), Ok(vec![by(&secret)]));
    assert!(bytes.ends_with(&plain()[8..]));
    assert_eq!(sign(&bytes, &secret), Err(BadSignature::Already));
}

#[test]
fn every_byte_counts() {
    let (bytes, secret) = signed();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut other = bytes.clone();
            other[at] ^= 1 << bit;
            let found = embedded(&other, &[]);
            // What is not called a signature any more, or is no WebAssembly, is
            // nobody's; nothing is somebody's.
            let nobody =
                matches!(&found, Ok(signers) if !signers.iter().any(|one| *one == by(&secret)));
            assert!(found.is_err() || nobody, "{at}.{bit}: {found:?}");
            if at > 20 {
                let unknown = matches!(&found, Ok(all) if matches!(all[..], [Signer::Unknown(_)]));
                assert!(found.is_err() || unknown, "{at}.{bit}: {found:?}");
            }
        }
    }
    for length in 21..bytes.len() {
        embedded(&bytes[..length], &[]).unwrap_err();
    }
    let more = [&bytes[..], b"\0\x02\x01x"].concat();
    assert_eq!(embedded(&more, &[]), Err(BadSignature::Other));
}

#[test]
fn several_may_sign() {
    let (bytes, first) = signed();
    let second = SecretKey::generate().unwrap();
    let both = sign(&bytes, &second).unwrap();
    assert_eq!(both.signers, [by(&first), by(&second)]);
    assert_eq!(embedded(&both.bytes, &[]), Ok(both.signers));
}

#[test]
fn others_make_and_read_the_same() {
    let (bytes, secret) = signed();
    let public = wasmsign2::PublicKey::from_pem(
        &wasmsign2::SecretKey::from_pem(&secret.to_pem())
            .unwrap()
            .sk
            .public_key()
            .to_pem(),
    )
    .unwrap();
    public.verify(&mut &bytes[..], None).unwrap();

    // Theirs names its key by a short hash, or not at all.
    let theirs = wasmsign2::SecretKey::from_pem(&secret.to_pem()).unwrap();
    let id = public.attach_default_key_id().key_id;
    for id in [None, id] {
        let module = wasmsign2::Module::deserialize(&mut &plain()[..]).unwrap();
        let module = theirs.sign(module, id.as_ref()).unwrap();
        let mut bytes = Vec::new();
        module.serialize(&mut bytes).unwrap();
        let found = embedded(&bytes, &[secret.public()]);
        assert_eq!(found, Ok(vec![by(&secret)]));
        let found = embedded(&bytes, &[]).unwrap();
        assert!(matches!(found[..], [Signer::Unknown(_)]), "{found:?}");
        // A signature of nobody that is known is still of these bytes alone.
        let more = [&bytes[..], b"\0\x02\x01x"].concat();
        assert_eq!(embedded(&more, &[]), Err(BadSignature::Other));
    }
}

#[test]
fn signatures_of_parts_are_refused() {
    let secret = SecretKey::generate().unwrap();
    let theirs = wasmsign2::SecretKey::from_pem(&secret.to_pem()).unwrap();
    let module = wasmsign2::Module::deserialize(&mut &plain()[..]).unwrap();
    let more = wasmsign2::CustomSection::new("more".to_owned(), vec![1]);
    let mut two = module.clone();
    two.sections.push(wasmsign2::Section::Custom(more));
    let split = two.split(|section| !format!("{section}").contains("more"));
    let (signed, _) = theirs
        .sign_multi(split.unwrap(), None, false, true)
        .unwrap();
    let mut bytes = Vec::new();
    signed.serialize(&mut bytes).unwrap();
    let found = embedded(&bytes, &[secret.public()]);
    assert_eq!(found, Err(BadSignature::Parts));
}

#[test]
fn what_is_not_of_the_whole_or_not_plain_is_refused() {
    let (bytes, _) = signed();
    let section = &bytes[8..bytes.len() - plain().len() + 8];
    let rest = &plain()[8..];
    let payload = &section[13..];
    assert_eq!(with(payload), bytes);
    let module = [b"\0asm\x01\0\0\0", &bytes[8..]].concat();
    let twice = [&HEADER[..], section, section, rest].concat();
    let late = [&HEADER[..], rest, section].concat();
    for (bytes, why) in [
        (module, "module"),
        (twice, "twice"),
        (late, "beginning"),
        (with(b""), "breaks off"),
        (with(b"\x02\x01\x01"), "another version"),
        (with(b"\x01\x01\x01\x02"), "parts"),
        (with(b"\x01\x01\x01\x01\xff\xff\xff\xff\x0f"), "breaks off"),
        (with(b"\x01\x01\x01\x01\x01\x02"), "parts"),
        (with(&vec![1; LARGEST + 1]), "too large"),
        (with(&[payload, b"x"].concat()), "something follows"),
        (
            with(&[&payload[..3], b"\x81\0", &payload[4..]].concat()),
            "unusual",
        ),
    ] {
        let error = embedded(&bytes, &[]).unwrap_err().to_string();
        assert!(error.contains(why), "{why}: {error}");
    }
}

#[test]
fn a_name_that_is_not_the_signers_is_refused() {
    let (bytes, secret) = signed();
    let other = SecretKey::generate().unwrap().public();
    let own = secret.public();
    let at = bytes
        .windows(32)
        .position(|window| Some(window) == own.as_ed25519())
        .unwrap();
    let mut forged = bytes.clone();
    forged[at..at + 32].copy_from_slice(other.as_ed25519().unwrap());
    let error = embedded(&forged, &[own]).unwrap_err();
    assert!(matches!(error, BadSignature::Wrong(_)), "{error}");
}
