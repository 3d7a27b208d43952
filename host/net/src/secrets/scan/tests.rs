#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::cast_possible_truncation, reason = "as many digits as fit")]

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use palisade_secrets::SecretValue;
use proptest::prelude::*;

use self::oracle::oracle;
use super::*;

#[path = "oracle.rs"]
mod oracle;

fn forms(secrets: &[&str]) -> Arc<Forms> {
    let values: Vec<_> = (secrets.iter())
        .map(|secret| SecretValue::new((*secret).to_owned()).unwrap())
        .collect();
    Forms::new(&values).unwrap()
}

fn masked(forms: &Arc<Forms>, pieces: &[&[u8]]) -> Vec<u8> {
    let mut scan = Scan::new(Arc::clone(forms));
    let mut out = Vec::new();
    for piece in pieces {
        out.extend_from_slice(&scan.feed(piece));
    }
    out.extend_from_slice(&scan.finish());
    assert_eq!(scan.held(), 0);
    out
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Whole, and byte by byte.
#[track_caller]
fn shows(forms: &Arc<Forms>, said: &str, shown: &str) {
    assert_eq!(text(&masked(forms, &[said.as_bytes()])), shown, "{said}");
    let bytes: Vec<&[u8]> = said.as_bytes().chunks(1).collect();
    assert_eq!(text(&masked(forms, &bytes)), shown, "{said}");
}

fn stars(text: &str) -> String {
    "*".repeat(text.len())
}

#[test]
fn wherever_it_stands() {
    let forms = forms(&["s3cr3t/+key\"<1"]);
    for said in [
        "s3cr3t/+key\"<1",
        "s3cr3t%2F%2Bkey%22%3C1",
        "s3cr3t%2f%2Bkey%22%3c1",
        "%733cr3t/%2bk%65y%22<1",
        "%73%33%63%72%33%74%2F%2B%6B%65%79%22%3C%31",
        "s3cr3t/+key\\\"<1",
        "s3cr3t\\/+key\\\"\\u003c1",
        "\\u00733cr3t\\/\\u002Bk\\u0065y\\u0022\\u003C1",
        "s\\x33cr3t/+key\\x22<1",
        "s3cr3t/+key&quot;&lt;1",
        "&#115;3cr3t&#x2F;&#x2b;&#00107;ey&#34;&LT;1",
        "&#115;%33c\\u00723t/+key\\\"&lt;1",
        "s3cr3t%252F%252Bkey%2522%253C1",
        "s3cr3t%25252F%25252bkey%252522%25253C1",
        "s3cr3t\\\\/+key\\\\\\\"<1",
        "\\\\u00733cr3t/+key\\\\u0022<1",
        "&amp;#115;3cr3t/+key&amp;quot;&amp;lt;1",
        "%26%23115%3B3cr3t/+key%5C%22%5Cu003c1",
        "7333637233742f2b6b6579223c31",
        "7333637233742F2B6B6579223C31",
        "73336372 33742f2b\r\n\t6b657922 3c31",
    ] {
        shows(&forms, said, &stars(said));
        shows(
            &forms,
            &format!("{{\"{said}\"}}"),
            &format!("{{\"{}\"}}", stars(said)),
        );
        let twice = format!("<{said}>{said}");
        let both = format!("<{0}>{0}", stars(said));
        shows(&forms, &twice, &both);
    }
    for said in [
        "%73",
        "s3cr3t/+key",
        "s3cr3t/+key\"\n<1",
        "%%73%7",
        "&&#&#1;\\u\\\\u",
    ] {
        shows(&forms, said, said);
    }
}

/// Spaces, and letters of more than one byte.
#[test]
fn as_forms_and_other_writers_have_it() {
    let forms = forms(&["päss wörd😀"]);
    for said in [
        "päss wörd😀",
        "p%C3%A4ss+w%c3%B6rd%F0%9F%98%80",
        "p%C3%A4ss%20w%c3%B6rd😀",
        "p\\u00e4ss w\\u00F6rd\\ud83d\\uDE00",
        "p&#228;ss w&#xf6;rd&#x1F600;",
        "p\\xc3\\xa4ss w\\xc3\\xb6rd\\xf0\\x9f\\x98\\x80",
    ] {
        shows(&forms, said, &stars(said));
    }
}

/// Such as looks like escapes itself.
#[test]
fn a_secret_of_escapes() {
    for secret in ["a%41b&amp;\\u0041c", "pass\\word", "%41%42", "tail%", "&"] {
        let forms = forms(&[secret]);
        let all: String = secret.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let json = secret.replace('\\', "\\\\");
        let percent = secret.replace('%', "%25");
        let html = secret.replace('&', "&amp;");
        for said in [secret, &all, &json, &percent, &html] {
            shows(
                &forms,
                &format!("\"{said}\""),
                &format!("\"{}\"", stars(said)),
            );
        }
    }
}

/// Whatever stands beside it: nothing of it can be read in what is left.
#[test]
fn in_the_base64_of_something_longer() {
    let secret = "AKIA-hunter2_";
    let forms = forms(&[secret]);
    for before in ["", "a", "ab", "abc", "user:", "{\"token\":\""] {
        for after in ["", "z", "\"}", "\n"] {
            let all = format!("{before}{secret}{after}");
            for said in [STANDARD.encode(&all), URL_SAFE.encode(&all)] {
                let shown = text(&masked(&forms, &[said.as_bytes()]));
                assert_eq!(shown.len(), said.len());
                // Characters that hold a bit of it.
                let first = before.len() * 8 / 6;
                let last = (before.len() + secret.len()) * 8;
                for (place, c) in shown.chars().enumerate() {
                    let of_secret = (first..last.div_ceil(6)).contains(&place);
                    assert_eq!(c == '*', of_secret, "{all}: {said} became {shown}");
                }
            }
        }
    }
}

/// As letters, certificates and those who write them into other texts have it.
#[test]
fn in_base64_that_is_broken_into_lines() {
    let secret = "AKIA-hunter2/".repeat(12);
    let forms = forms(&[&secret]);
    for before in ["", "a", "ab"] {
        let encoded = STANDARD.encode(format!("{before}{secret}"));
        for length in [1, 7, 64, 76] {
            for line_break in ["\n", "\r\n", "\r\n\t", "\\n", "\\r\\n", "%0D%0a", "&#10;"] {
                let mut said = "\"".to_owned();
                let mut start = 0;
                for (at, c) in encoded.trim_end_matches('=').chars().enumerate() {
                    if at > 0 && at % length == 0 {
                        said.push_str(line_break);
                    }
                    if at == before.len() * 8 / 6 {
                        start = said.len();
                    }
                    said.push(c);
                }
                let end = said.len();
                said.push_str("==\"");
                let shown = text(&masked(&forms, &[said.as_bytes()]));
                let row = stars(&said[start..end]);
                assert_eq!(shown, format!("{}{row}==\"", &said[..start]), "{said}");
                let bytes: Vec<&[u8]> = said.as_bytes().chunks(1).collect();
                assert_eq!(text(&masked(&forms, &bytes)), shown);
            }
        }
    }
    // A blank line ends it.
    let (half, rest) = secret.split_at(78);
    let said = format!("{}\n\n{}", STANDARD.encode(half), STANDARD.encode(rest));
    shows(&forms, &said, &said);
}

/// What a server was sent as `Authorization: Basic`, in other clothes.
#[test]
fn a_basic_credential_encoded_again() {
    let secret = "hunter2/+>~?";
    let forms = forms(&[secret]);
    for user in ["", "a", "ada"] {
        let basic = STANDARD.encode(format!("{user}:{secret}"));
        let hex = |text: &str| -> String { text.bytes().map(|b| format!("{b:02x}")).collect() };
        let percent = basic.replace('+', "%2B").replace('/', "%2f");
        let json: String = basic
            .chars()
            .map(|c| format!("\\u{:04x}", c as u32))
            .collect();
        for said in [
            percent.clone(),
            percent.replace('%', "%25"),
            json,
            basic.replace('/', "\\/").replace('+', "&#43;"),
            hex(&basic),
            hex(&basic).to_uppercase(),
            STANDARD.encode(&basic),
            URL_SAFE.encode(format!("Basic {basic}")),
        ] {
            let shown = text(&masked(&forms, &[said.as_bytes()]));
            assert_eq!(shown.len(), said.len());
            let left = shown.replace('*', "");
            // The user, and what pads it.
            assert!(left.len() * 3 < said.len() * 2, "{said} became {shown}");
            let middle = &shown[said.len() / 2..said.len() * 3 / 4];
            assert_eq!(middle, stars(middle), "{said} became {shown}");
        }
    }
}

#[test]
fn short_secrets_are_masked_too() {
    let forms = forms(&["7"]);
    shows(&forms, "1737", "1*3*");
    shows(&forms, "1%373&#55;", "1***3*****");
}

#[test]
fn one_in_another() {
    let forms = forms(&["abab", "ab", "babx"]);
    shows(&forms, "xababx abx", "x***** **x");
}

/// Were it otherwise, a guest that has something echoed could ask for a secret
/// byte by byte.
#[test]
fn what_is_held_back_tells_nothing() {
    let forms = forms(&["hunter2"]);
    let held = |said: &str| {
        let mut scan = Scan::new(Arc::clone(&forms));
        scan.feed(said.as_bytes());
        scan.held()
    };
    for (like, unlike) in [
        ("h", "x"),
        ("hunter", "xunter"),
        ("a\nhunt", "a\nbunt"),
        ("%68", "%78"),
        ("aHVudGV\n", "bHVudGV\n"),
        ("\\u0068\\u00", "\\u0078\\u00"),
    ] {
        assert_eq!(held(like), held(unlike), "{like}");
    }
    for ended in [
        "data: hunter\n\n",
        "{\"a\": 1}\r\n",
        "a line\nand another.\n",
        "hunt\0",
    ] {
        assert_eq!(held(ended), 0, "{ended:?} is not held back");
    }
    assert_eq!(held("one\ntwo, three"), "two, three".len());
    assert_eq!(held(&"x".repeat(50_000)), forms.window);
    assert_eq!(held(&"aHVu\n".repeat(10_000)), forms.window);
}

#[test]
fn a_long_row_of_secrets_takes_no_longer_than_another_text() {
    let secret = "a".repeat(20_000);
    let forms = forms(&[&secret]);
    for said in ["a", "%61", "a\\u0061"] {
        let said = said.repeat(60_000);
        let shown = masked(&forms, &[said.as_bytes()]);
        assert!(shown.iter().all(|byte| *byte == b'*'));
    }
}

/// What is longer than is held back is masked as far as it is there.
#[test]
fn escapes_at_length() {
    let secret = "a".repeat(60_000);
    let forms = forms(&[&secret]);
    let said = "&amp;#x0061;".repeat(60_000);
    let whole = masked(&forms, &[said.as_bytes()]);
    let cut: Vec<&[u8]> = said.as_bytes().chunks(1000).collect();
    assert_eq!(whole, masked(&forms, &cut));
    let stars = whole.iter().filter(|byte| **byte == b'*').count();
    assert_eq!(stars, forms.window);
}

/// Pieces of secrets, their spellings, and what lies between.
fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "ab/c",
            "b/",
            "cab",
            "a",
            "b",
            "c",
            "/",
            "%2F",
            "%2f",
            "%252F",
            "\\/",
            "\\",
            "&",
            "%",
            "25",
            "\\u0061",
            "\\\\u0062",
            "&#97;",
            "&#x62;",
            "&amp;",
            "#98;",
            "&sol;",
            "%61",
            "\\x63",
            "YWIv",
            "Yw",
            "Fi",
            "L2",
            "%59",
            "W",
            "6162",
            "2f63",
            "\n",
            "\r\n",
            "\\n",
            "%0A",
            " "
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        prop::collection::vec(prop::sample::select(b"abc/FLYWIv26% \n\xff".to_vec()), 0..4),
    ];
    prop::collection::vec(piece, 0..24)
}

/// A character of a secret in one of the ways it may be spelt.
fn spelt(c: char, way: u8) -> String {
    let bytes =
        |f: fn(u8) -> String| -> String { c.encode_utf8(&mut [0; 4]).bytes().map(f).collect() };
    let units = |f: fn(u16) -> String| -> String {
        c.encode_utf16(&mut [0; 2]).iter().copied().map(f).collect()
    };
    match way % 14 {
        0 => bytes(|byte| format!("%{byte:02X}")),
        1 => bytes(|byte| format!("%{byte:02x}")),
        2 => units(|unit| format!("\\u{unit:04X}")),
        3 => units(|unit| format!("\\u{unit:04x}")),
        4 => bytes(|byte| format!("\\x{byte:02x}")),
        5 => format!("&#{};", c as u32),
        6 => format!("&#x{:x};", c as u32),
        7 => format!("&#X{:04X};", c as u32),
        8 => bytes(|byte| format!("%25{byte:02X}")),
        9 => units(|unit| format!("\\\\u{unit:04x}")),
        10 => format!("&amp;#{};", c as u32),
        11 if "/\"'".contains(c) => format!("\\{c}"),
        12 => match c {
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '"' => "&quot;".to_owned(),
            _ => c.to_string(),
        },
        _ => c.to_string(),
    }
}

proptest! {
    /// However it is cut up, it is what the whole text becomes at once.
    #[test]
    fn as_the_whole_at_once(pieces in pieces()) {
        let secrets = ["ab/c", "b/", "cabcabca"];
        let forms = forms(&secrets);
        let whole = pieces.concat();
        let cut: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        let shown = masked(&forms, &cut);
        prop_assert_eq!(&shown, &oracle(&secrets, &whole));
        let bytes: Vec<&[u8]> = whole.chunks(1).collect();
        prop_assert_eq!(shown, masked(&forms, &bytes));
    }

    /// Any secret, each of its characters in any way, between anything.
    #[test]
    fn any_secret(
        secret in "[ -$'-Z^-~äß😀\\]\\[]{1,20}",
        ways in prop::collection::vec(any::<u8>(), 24),
        before in prop::collection::vec(any::<u8>(), 0..1200),
        after in prop::collection::vec(any::<u8>(), 0..40),
        size in 1_usize..700,
    ) {
        let secret = format!("x{secret}x").replace('%', "!");
        let forms = forms(&[&secret]);
        let said: String = secret.chars().zip(ways).map(|(c, way)| spelt(c, way)).collect();
        let whole = [&before[..], b"\"", said.as_bytes(), b"\"", &after].concat();
        let cut: Vec<&[u8]> = whole.chunks(size).collect();
        let shown = masked(&forms, &cut);
        prop_assert_eq!(&shown, &oracle(&[&secret], &whole));
        let place = before.len() + 1..before.len() + 1 + said.len();
        prop_assert_eq!(text(&shown[place]), stars(&said), "{} as {}", secret, said);
    }

    /// And in Base64, in lines, each character of which is in any way.
    #[test]
    fn any_secret_in_base64(
        secret in "[!-~][ -~]{4,20}[!-~]",
        user in "[a-z]{0,3}",
        ways in prop::collection::vec(any::<u8>(), 64),
        line in 1_usize..30,
        size in 1_usize..100,
    ) {
        let forms = forms(&[&secret]);
        let encoded = STANDARD.encode(format!("{user}:{secret}"));
        let mut whole = "\"".to_owned();
        let mut middle = 0..0;
        for (at, (c, way)) in encoded.chars().zip(ways).enumerate() {
            if at > 0 && at % line == 0 {
                whole.push_str(if way % 2 == 0 { "\r\n" } else { "\n" });
            }
            if at == (user.len() + 1) * 8 / 6 {
                middle.start = whole.len();
            }
            whole.push_str(&spelt(c, way));
            if at + 1 == encoded.trim_end_matches('=').len() {
                middle.end = whole.len();
            }
        }
        whole.push('"');
        let cut: Vec<&[u8]> = whole.as_bytes().chunks(size).collect();
        let shown = masked(&forms, &cut);
        prop_assert_eq!(&shown, &oracle(&[&secret], whole.as_bytes()));
        let shown = text(&shown[middle]);
        prop_assert_eq!(&shown, &stars(&shown), "{}", whole);
    }
}
