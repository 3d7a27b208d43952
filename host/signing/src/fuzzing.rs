//! A way in for fuzzers to what reads signatures. It takes anything, and panics if
//! what must hold does not.

use crate::{Key, Root, SecretKey, Signer, Trust, embedded, sign};

/// A file that may carry a signature: whoever is recognised, others recognise too;
/// what can be signed is then signed, by that key, and is otherwise what it was.
pub fn file(bytes: &[u8]) {
    let Ok(signers) = embedded(bytes, &[]) else {
        return;
    };
    for signer in &signers {
        assert_eq!(signer.to_string().parse().as_ref(), Ok(signer));
        if let Signer::Key(key) = signer {
            assert!(others_agree(bytes, key), "{key}");
        }
    }
    let Ok(secret) = SecretKey::from_pem(PEM) else {
        return;
    };
    let Ok(sealed) = sign(bytes, &secret) else {
        return;
    };
    if bytes.starts_with(b"\0asm\x0d\0\x01\0") {
        let found = embedded(&sealed.bytes, &[]);
        assert_eq!(found.as_ref(), Ok(&sealed.signers));
        assert!(others_agree(&sealed.bytes, &secret.public()));
        assert!(sealed.bytes.len() > bytes.len());
    }
}

/// A bundle: refused in one short line, and in the name of nobody.
pub fn bundle(json: &[u8]) {
    let Ok(root) = Root::public() else {
        return;
    };
    if let Err(error) = root.check(json, &[b"artifact"], &[]) {
        assert!(!error.to_string().contains('\n'), "{error:?}");
    }
}

/// A list of those who are trusted.
pub fn trust(text: &str) {
    if let Err(error) = Trust::parse(text) {
        assert!(!error.to_string().contains('\n'), "{error:?}");
    }
}

const PEM: &str = "-----BEGIN PRIVATE KEY-----\n\
    MC4CAQAwBQYDK2VwBCIEIAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH\n\
    -----END PRIVATE KEY-----\n";

fn others_agree(bytes: &[u8], key: &Key) -> bool {
    let own = key.as_ed25519().unwrap_or_default();
    let key = wasmsign2::PublicKey::from_bytes(&[&[1], own].concat());
    key.is_ok_and(|key| key.verify(&mut &bytes[..], None).is_ok())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::fs;
    use std::path::Path;

    use proptest::prelude::*;

    /// What the fuzzers start from, and what they have found: never wrong again.
    fn corpus(name: &str, work: fn(&[u8])) {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fuzz/corpus")
            .join(name);
        let mut seen = 0;
        for entry in fs::read_dir(corpus).unwrap() {
            work(&fs::read(entry.unwrap().path()).unwrap());
            seen += 1;
        }
        assert!(seen > 2, "{seen} files");
    }

    #[test]
    fn the_corpus_of_files() {
        corpus("signature", super::file);
    }

    #[test]
    fn the_corpus_of_bundles() {
        corpus("signature_bundle", super::bundle);
    }

    proptest! {
        #[test]
        fn nearly_a_file(bytes in any::<Vec<u8>>()) {
            super::file(&[b"\0asm\x0d\0\x01\0", &bytes[..]].concat());
        }

        #[test]
        fn nearly_a_signature(bytes in any::<Vec<u8>>()) {
            let size = u8::try_from((10 + bytes.len()) & 0x7f).unwrap();
            let head = b"\0asm\x0d\0\x01\0\0";
            super::file(&[&head[..], &[size, 9], b"signature", &bytes].concat());
        }

        #[test]
        fn any_trust(text in any::<String>()) {
            super::trust(&text);
        }
    }
}
