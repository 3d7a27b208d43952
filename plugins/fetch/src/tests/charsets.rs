use crate::charset::decode;

#[test]
fn what_names_a_charset_in_the_order_of_browsers() {
    let latin = b"caf\xe9";
    let utf8 = "café".as_bytes();
    for (bytes, content_type, text) in [
        (&latin[..], "text/html; charset=iso-8859-1", "café"),
        (latin, "text/html; charset=\"ISO-8859-1\"", "café"),
        (latin, "text/html;Charset=latin1; x=y", "café"),
        (latin, "text/html", "café"),
        (latin, "text/html; charset=utf-8", "caf\u{fffd}"),
        (utf8, "text/html", "café"),
        (utf8, "text/html; charset=nonsense", "café"),
        (utf8, "", "café"),
        (utf8, "text/plain; charset=windows-1252", "cafÃ©"),
        (b"\x93\xfa\x96\x7b", "text/plain; charset=shift_jis", "日本"),
        (
            b"\xef\xbb\xbfcaf\xc3\xa9",
            "text/html; charset=latin1",
            "café",
        ),
        (b"\xff\xfec\0a\0", "text/html", "ca"),
        (b"\xfe\xff\0c\0a", "text/html; charset=utf-8", "ca"),
    ] {
        assert_eq!(
            decode(bytes, content_type),
            text,
            "{content_type} {bytes:x?}"
        );
    }
}

#[test]
fn what_a_page_says_of_itself() {
    let page = |head: &str| {
        let mut bytes = head.as_bytes().to_vec();
        bytes.extend(b"\xfb");
        decode(&bytes, "text/html").chars().last().unwrap()
    };
    assert_eq!(page("<meta charset=windows-1251>"), 'ы');
    assert_eq!(page("<META CharSet = 'Windows-1251' />"), 'ы');
    assert_eq!(
        page("<meta http-equiv=Content-Type content=\"text/html; charset=koi8-r\">"),
        'Ш'
    );
    assert_eq!(
        page("<?xml version=\"1.0\" encoding=\"windows-1251\"?>"),
        'ы'
    );
    // It is read as ASCII, so it can't be UTF-16; browsers take it for UTF-8.
    assert_eq!(page("<meta charset=utf-16>"), '\u{fffd}');
    assert_eq!(page("<meta name=x><meta charset=\"\">"), 'û');
    assert_eq!(page("<p>charset=windows-1251"), 'û');
    let late = format!("{}<meta charset=windows-1251>", " ".repeat(1024));
    assert_eq!(page(&late), 'û');
}
