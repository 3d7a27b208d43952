//! What the tests of the fetch plugin share: a site on loopback, and a host on
//! which it is granted.

use std::process::Command;

use palisade_tests::internet::{Pipe, Web};
use palisade_tests::stage::open;
use palisade_tests::{Palisade, Session, client, plugin, rpc};
use serde_json::{Value, json};

use crate::filesystem_reference::Reference;

/// A page as a server has it.
pub(crate) struct Page {
    status: u16,
    headers: String,
    body: Vec<u8>,
}

/// A page that is there.
pub(crate) fn page(content_type: &str, body: impl Into<Vec<u8>>) -> Page {
    Page {
        status: 200,
        headers: format!("content-type: {content_type}\r\n"),
        body: body.into(),
    }
}

/// Nothing but a status.
pub(crate) fn status(status: u16) -> Page {
    Page {
        status,
        headers: String::new(),
        body: Vec::new(),
    }
}

/// A page that is somewhere else.
pub(crate) fn redirect(to: &str) -> Page {
    Page {
        headers: format!("location: {to}\r\n"),
        ..status(302)
    }
}

/// A site; it is asked for paths.
pub(crate) fn site(pages: impl Fn(&str) -> Page + Send + Sync + 'static) -> Web {
    Web::plain(move |asked, pipe| {
        let path = asked.head.split(' ').nth(1).unwrap_or_default();
        send(pipe, &pages(path))
    })
}

fn send(pipe: &mut dyn Pipe, page: &Page) -> bool {
    let head = format!(
        "HTTP/1.1 {} X\r\n{}content-length: {}\r\n\r\n",
        page.status,
        page.headers,
        page.body.len()
    );
    let head = pipe.write_all(head.as_bytes());
    head.and_then(|()| pipe.write_all(&page.body))
        .and_then(|()| pipe.flush())
        .is_ok()
}

/// `http://127.0.0.1:PORT`.
pub(crate) fn origin(site: &Web) -> String {
    format!("http://127.0.0.1:{}", site.port())
}

/// Which paths it was asked for, in order.
pub(crate) fn paths(site: &Web) -> Vec<String> {
    let asked = site.asked();
    let path = |head: &str| head.split(' ').nth(1).unwrap_or_default().to_owned();
    asked.iter().map(|one| path(&one.head)).collect()
}

/// A host with the plugin, to which these sites are granted.
pub(crate) fn granted(sites: &[&Web]) -> Palisade {
    let command = Palisade::run(plugin("fetch"));
    (sites.iter()).fold(command, |command, site| {
        command
            .arg("--allow")
            .arg(format!("private:{}", origin(site)))
    })
}

/// The same, with a session.
pub(crate) fn fetching(sites: &[&Web]) -> Session {
    open(&granted(sites))
}

/// Calls the tool, which must work.
#[track_caller]
pub(crate) fn fetch(session: &mut Session, arguments: Value) -> String {
    rpc::tool_text(&session.call("fetch", arguments))
}

/// Calls the tool, which must fail.
#[track_caller]
pub(crate) fn refused(session: &mut Session, url: &str) -> String {
    rpc::tool_error(&session.call("fetch", json!({"url": url})))
}

/// The text of the prompt.
#[track_caller]
pub(crate) fn prompt(session: &mut Session, url: &str) -> String {
    let params = json!({"name": "fetch", "arguments": {"url": url}});
    let answer = session.ask("prompts/get", params);
    let messages = &rpc::result(&answer)["messages"];
    messages[0]["content"]["text"].as_str().unwrap().to_owned()
}

/// The reference server. It does without Node.js, so that what it makes of a page
/// does not depend on whether there is one.
pub(crate) fn reference() -> Reference {
    let python = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .unwrap();
    let python = String::from_utf8(python.stdout).unwrap();
    let parts = ["python/fetch", "python/2026-07-28", "python/shared"].map(client);
    let mut command = Command::new(python.trim());
    command
        .args(["-B", "-m", "mcp_server_fetch", "--allow-private-ips"])
        .env_clear()
        .env("PATH", "")
        .env("PYTHONNOUSERSITE", "1")
        .env("PYTHONPATH", std::env::join_paths(parts).unwrap());
    Reference::of(command)
}
