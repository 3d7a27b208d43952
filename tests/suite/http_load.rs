//! Many HTTP sessions at once: none loses an answer, none gets another's, and
//! nothing of them is left in memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::HeaderMap;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use palisade_tests::http::Server;
use palisade_tests::{PATIENCE, Palisade, Process, plugin, rpc};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

const SESSIONS: usize = 500;
/// Every so many speaks the stateless revision and has no session.
const STATELESS_EVERY: usize = 5;
const CALLS: usize = 20;
const HANDSHAKE: &str = "2025-11-25";

#[test]
fn five_hundred_sessions_at_once_lose_and_cross_nothing_and_leave_nothing() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    // For this process, and the host that inherits it: a socket each.
    allow_open_files(4 * SESSIONS as u64);
    let served = Palisade::run(plugin("everything")).serve();

    // What is allocated once, for as many, is not counted.
    runtime.block_on(crowd(&served, 1));
    let before = settled(&served.process.process);
    runtime.block_on(crowd(&served, CALLS));
    comes_back_to(&served.process.process, before);
}

/// All sessions at once, each with so many calls; ends when all have ended.
async fn crowd(served: &Server, calls: usize) {
    let everybody_is_there = Arc::new(Barrier::new(SESSIONS));
    let mut sessions = JoinSet::new();
    for number in 0..SESSIONS {
        let authority = served.address.to_string();
        let everybody_is_there = Arc::clone(&everybody_is_there);
        sessions.spawn(async move {
            let stateless = number.is_multiple_of(STATELESS_EVERY);
            let mut peer = Peer::connect(authority, stateless).await;
            everybody_is_there.wait().await;
            for call in 1..=calls {
                peer.greet(call, &format!("session {number} call {call}"))
                    .await;
            }
            peer.end().await;
        });
    }
    let all = async {
        while let Some(ended) = sessions.join_next().await {
            ended.expect("no session fails");
        }
    };
    tokio::time::timeout(PATIENCE * 2, all)
        .await
        .expect("all are served in time");
}

/// A client with a connection of its own that is kept open.
struct Peer {
    authority: String,
    connection: SendRequest<Full<Bytes>>,
    /// None where it speaks the stateless revision.
    session: Option<String>,
}

impl Peer {
    async fn connect(authority: String, stateless: bool) -> Self {
        let stream = TcpStream::connect(&authority).await.expect("it listens");
        let (connection, driver) = handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(driver);
        let mut peer = Self {
            authority,
            connection,
            session: None,
        };
        if !stateless {
            let hello = rpc::request(0, "initialize", rpc::hello(HANDSHAKE));
            let (status, headers, body) = peer.send("POST", &hello).await;
            assert_eq!(status, StatusCode::OK, "{body}");
            let session = headers.get("mcp-session-id").expect("it opens a session");
            peer.session = Some(session.to_str().unwrap().to_owned());
            let ready = rpc::notification("notifications/initialized", Value::Null);
            let (status, _, body) = peer.send("POST", &ready).await;
            assert_eq!(status, StatusCode::ACCEPTED, "{body}");
        }
        peer
    }

    /// Calls a tool that says the name that it is given. Ids are the same in
    /// all sessions, so that an answer that went astray would fit there.
    async fn greet(&mut self, id: usize, name: &str) {
        let params = rpc::tool("greet", json!({"name": name}));
        let params = match self.session {
            Some(_) => params,
            None => rpc::stateless(params),
        };
        let (status, headers, body) = self
            .send("POST", &rpc::request(id, "tools/call", params))
            .await;
        assert_eq!(status, StatusCode::OK, "{body}");
        let messages = messages(&headers, &body);
        assert_eq!(messages.len(), 1, "{body}");
        assert_eq!(messages[0]["id"], id, "{body}");
        let said = rpc::tool_text(rpc::result(&messages[0]));
        assert_eq!(said, format!("Hello, {name}!"));
    }

    /// Ends the session, if it has one.
    async fn end(mut self) {
        if self.session.is_some() {
            let (status, _, body) = self.send("DELETE", &Value::Null).await;
            assert!(status.is_success(), "{status}: {body}");
        }
    }

    async fn send(
        &mut self,
        http_method: &str,
        message: &Value,
    ) -> (StatusCode, HeaderMap, String) {
        let mut request = Request::builder()
            .method(http_method)
            .uri("/mcp")
            .header("Host", &self.authority)
            .header("Accept", "application/json, text/event-stream")
            .header("Content-Type", "application/json");
        if let Some(session) = &self.session {
            request = request
                .header("MCP-Protocol-Version", HANDSHAKE)
                .header("Mcp-Session-Id", session);
        } else if message["params"].get("_meta").is_some() {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            request = request
                .header("MCP-Protocol-Version", rpc::STATELESS)
                .header("Mcp-Method", text(&message["method"]))
                .header("Mcp-Name", text(&message["params"]["name"]));
        }
        let body = if message.is_null() {
            String::new()
        } else {
            message.to_string()
        };
        let request = request.body(Full::from(body)).unwrap();
        self.connection
            .ready()
            .await
            .expect("the connection is kept open");
        let answer = self
            .connection
            .send_request(request)
            .await
            .expect("it is answered");
        let (head, body) = answer.into_parts();
        let body = body
            .collect()
            .await
            .expect("the answer is whole")
            .to_bytes();
        (
            head.status,
            head.headers,
            String::from_utf8(body.to_vec()).unwrap(),
        )
    }
}

/// The messages of an answer, whether it is one object or a stream of events.
fn messages(headers: &HeaderMap, body: &str) -> Vec<Value> {
    let kind = headers["content-type"].to_str().unwrap();
    let parse = |text: &str| serde_json::from_str(text).expect("it is JSON");
    if kind.starts_with("application/json") {
        return vec![parse(body)];
    }
    assert!(kind.starts_with("text/event-stream"), "{kind}");
    body.lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(str::trim)
        .filter(|data| !data.is_empty())
        .map(parse)
        .collect()
}

fn allow_open_files(count: u64) {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < count) {
        let raised = Rlimit {
            current: Some(count),
            ..limit
        };
        setrlimit(Resource::Nofile, raised)
            .expect("the hard limit allows a socket for each session");
    }
}

/// What the host holds in memory once it has given back what it does not need:
/// no less half a second later.
fn settled(host: &Process) -> u64 {
    let deadline = Instant::now() + PATIENCE;
    let mut last = host.memory();
    loop {
        a_moment(Duration::from_millis(500));
        let now = host.memory();
        if now >= last || Instant::now() > deadline {
            return now.min(last);
        }
        last = now;
    }
}

#[track_caller]
fn comes_back_to(host: &Process, before: u64) {
    let deadline = Instant::now() + PATIENCE;
    let most = before / 10 * 11;
    let mut now = host.memory();
    while now > most {
        assert!(
            Instant::now() < deadline,
            "{} KiB were held before, {} KiB are held after",
            before / 1024,
            now / 1024
        );
        a_moment(Duration::from_millis(50));
        now = host.memory();
    }
}

/// No event tells when an allocator gives back what is free.
#[expect(
    clippy::disallowed_methods,
    reason = "memory can only be looked at again"
)]
fn a_moment(pause: Duration) {
    std::thread::sleep(pause);
}
