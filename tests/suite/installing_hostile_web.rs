//! A hostile server on the web: what a person is told, and that nothing of it is kept.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use palisade_tests::{Finished, guest, plugin};

use crate::install_stage::Desk;
use crate::installing_badly::{files, lived_in, sentence, untouched};
use crate::mistakes::FAILED;

/// Answers every request by its path. Ends with the process.
fn server(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let Some(path) = asked(&stream) else { continue };
            // Whoever has read enough closes.
            let _ = (&stream).write_all(&answer(&path));
        }
    });
    format!("http://{address}")
}

fn asked(stream: &TcpStream) -> Option<String> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next()?;
    while !lines.next()?.is_empty() {}
    Some(first.split(' ').nth(1)?.to_owned())
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

fn ok(body: &[u8]) -> Vec<u8> {
    answer(
        "200 OK",
        &format!("Content-Length: {}\r\n", body.len()),
        body,
    )
}

fn install(desk: &Desk, source: &str) -> Finished {
    desk.palisade(["install", source, "--no-input"]).output()
}

#[test]
fn answers_that_are_no_plugin() {
    let desk = lived_in();
    let before = files(desk.home());
    let component = fs::read(plugin("hello")).unwrap();
    let base = server(move |path| {
        let to = |place: &str| answer("302 Found", &format!("Location: {place}\r\n"), b"");
        match path {
            "/page.wasm" => ok(b"<!doctype html><title>Log in</title>"),
            "/long.wasm" => answer("200 OK", "Content-Length: 999999\r\n", &component),
            "/huge.wasm" => answer("200 OK", "Content-Length: 99999999999\r\n", &component),
            "/file.wasm" => to("file:///etc/passwd"),
            "/plain.wasm" => to("http://example.com/a.wasm"),
            "/private.wasm" => to("https://10.0.0.1/a.wasm"),
            "/metadata.wasm" => to("https://169.254.169.254/latest"),
            "/bomb.wasm" => {
                // A header of gzip: it is not unpacked, by anybody.
                let bomb = [b"\x1f\x8b\x08\0".as_slice(), &[0; 4096]].concat();
                let headers = format!(
                    "Content-Encoding: gzip\r\nContent-Length: {}\r\n",
                    bomb.len()
                );
                answer("200 OK", &headers, &bomb)
            }
            "/zip.wasm" => ok(b"PK\x03\x04 and archives in archives"),
            "/empty.wasm" => ok(b""),
            "/nothing.wasm" => Vec::new(),
            "/noise.wasm" => b"\xff\xfe\0\0 no HTTP\r\n\r\n".to_vec(),
            _ => answer("404 Not Found", "Content-Length: 0\r\n", b""),
        }
    });
    let rows: [(&str, &[&str]); 13] = [
        ("page", &["page.wasm"]),
        ("long", &["long.wasm"]),
        ("huge", &["larger than"]),
        ("file", &["file:///etc/passwd"]),
        ("plain", &["http://example.com/a.wasm"]),
        ("private", &["10.0.0.1"]),
        ("metadata", &["169.254.169.254"]),
        ("bomb", &["bomb.wasm"]),
        ("zip", &["zip.wasm"]),
        ("empty", &["empty.wasm"]),
        ("nothing", &["nothing.wasm"]),
        ("noise", &["noise.wasm"]),
        ("absent", &["404", "no such thing"]),
    ];
    for (name, says) in rows {
        let finished = install(&desk, &format!("{base}/{name}.wasm"));
        sentence(&finished, says);
        assert!(!finished.stderr.contains("root:"), "{finished:?}");
        untouched(&desk, &before, name);
    }
    // A registry that has no such tag, and one that is not there.
    let registry = base.replace("http://", "oci://");
    let finished = install(&desk, &format!("{registry}/notes:9"));
    sentence(&finished, &["notes:9"]);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = closed.local_addr().unwrap();
    drop(closed);
    for source in [format!("http://{gone}/a.wasm"), format!("oci://{gone}/a:1")] {
        sentence(&install(&desk, &source), &[&gone.to_string()]);
    }
    untouched(&desk, &before, "after all of it");
}

#[test]
fn names_that_lead_elsewhere() {
    let desk = lived_in();
    let before = files(desk.home());
    let component = fs::read(plugin("hello")).unwrap();
    let base = server(move |_| ok(&component));
    for path in [
        "/..%2f..%2f..%2fevil.wasm",
        "/a/../../evil.wasm",
        "/%00.wasm",
    ] {
        let finished = install(&desk, &format!("{base}{path}"));
        // Whatever it is called, it is within the store, or it is not installed.
        for (file, bytes) in files(desk.home()) {
            let new = before.get(&file) != Some(&bytes);
            let own = |folder: &str| file.starts_with(desk.home().join(folder));
            let ours = file.starts_with(desk.store())
                || own(".config/palisade/grants")
                || own(".local/state/palisade/audit");
            assert!(!new || ours, "{}: {finished:?}", file.display());
        }
        let listed = desk.palisade(["list", "--json"]).output().success().json();
        for plugin in listed.as_array().unwrap() {
            let name = plugin["name"].as_str().unwrap();
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(name.chars().all(plain), "{name}");
        }
    }
}

#[test]
fn other_bytes_the_second_time() {
    let desk = Desk::new();
    let asked = Arc::new(AtomicUsize::new(0));
    let first = fs::read(plugin("hello")).unwrap();
    let second = fs::read(guest("sleeps")).unwrap();
    let count = Arc::clone(&asked);
    let base = server(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => ok(&first),
        _ => ok(&second),
    });
    let source = format!("{base}/it.wasm");
    let installed = ["install", &source, "--no-input", "--name", "it"];
    desk.palisade(installed).output().success();
    let before = files(desk.home());
    let again = desk.palisade(installed).output();
    assert_eq!(again.code, Some(FAILED), "{again:?}");
    assert!(again.stderr.contains("palisade update it"), "{again:?}");
    untouched(&desk, &before, "after all of it");
    let seen = asked.load(Ordering::SeqCst);
    desk.palisade(["call", "it", "greet", "{\"name\":\"Ada\"}"])
        .output()
        .success();
    assert_eq!(asked.load(Ordering::SeqCst), seen, "running asks nobody");
}
