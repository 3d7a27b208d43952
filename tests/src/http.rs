//! A host that serves over HTTP, and a client that sends it exactly what a
//! test says.
//!
//! Every request has a connection of its own, which is read only while a test
//! waits for something and is closed when its response is dropped.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::command::Palisade;
use crate::session::Session;
use crate::{PATIENCE, rpc};

/// What a client of the specification accepts.
const ACCEPT: &str = "application/json, text/event-stream";

/// A running `palisade run --http`.
pub struct Server {
    /// The process, whose standard streams carry nothing.
    pub process: Session,
    /// Where it listens.
    pub address: SocketAddr,
    /// As it says itself.
    pub url: String,
    endpoint: Endpoint,
}

/// Where requests go.
#[derive(Clone)]
pub struct Endpoint {
    address: SocketAddr,
    tls: Option<Arc<ClientConfig>>,
}

impl Deref for Server {
    type Target = Endpoint;

    fn deref(&self) -> &Endpoint {
        &self.endpoint
    }
}

impl Palisade {
    /// Starts it as a server at a free port that answers everybody.
    ///
    /// # Panics
    ///
    /// If it does not say that it listens.
    #[must_use]
    #[track_caller]
    pub fn serve(&self) -> Server {
        self.clone().arg("--no-auth").serve_with(None)
    }

    /// Starts it as a server at a free port; access is up to its arguments.
    ///
    /// # Panics
    ///
    /// If it does not say that it listens.
    #[must_use]
    #[track_caller]
    pub fn serve_with(&self, tls: Option<Arc<ClientConfig>>) -> Server {
        let command = self.clone().arg("--http").arg("127.0.0.1:0");
        let mut process = command.start();
        process.until_stderr(|said| said.contains("palisade: serving ") && said.ends_with('\n'));
        let said = process.stderr();
        let url = said
            .lines()
            .find_map(|line| line.strip_prefix("palisade: serving "))
            .and_then(|line| line.split(" at ").nth(1))
            .expect("it says where it is");
        let address = url
            .split("://")
            .nth(1)
            .and_then(|rest| rest.strip_suffix("/mcp"))
            .and_then(|address| address.parse().ok())
            .expect("it is at an address");
        Server {
            process,
            address,
            url: url.to_owned(),
            endpoint: Endpoint { address, tls },
        }
    }
}

impl Endpoint {
    /// The same place, spoken to without TLS.
    #[must_use]
    pub fn plain(address: SocketAddr) -> Self {
        let tls = None;
        Self { address, tls }
    }

    /// A request to the endpoint with the headers every client sends.
    #[must_use]
    pub fn request(&self, method: &str) -> Request {
        let host = self.address.to_string();
        let headers = BTreeMap::from([
            ("host".to_owned(), host),
            ("accept".to_owned(), ACCEPT.to_owned()),
        ]);
        Request {
            address: self.address,
            tls: self.tls.clone(),
            method: method.to_owned(),
            path: "/mcp".to_owned(),
            headers,
            body: Bytes::new(),
        }
    }

    /// A POST of one JSON value.
    #[must_use]
    pub fn post(&self, message: &Value) -> Request {
        self.request("POST").json(message)
    }

    /// A request of the stateless revision, with its headers.
    #[must_use]
    pub fn stateless(&self, id: u64, method: &str, params: Value) -> Request {
        let params = rpc::stateless(params);
        let name = params["name"].as_str().map(str::to_owned);
        let request = self
            .post(&rpc::request(id, method, params))
            .header("mcp-protocol-version", rpc::STATELESS)
            .header("mcp-method", method);
        match name {
            Some(name) => request.header("mcp-name", &name),
            None => request,
        }
    }

    /// Opens a session of a handshake revision.
    ///
    /// # Panics
    ///
    /// If that does not work.
    #[must_use]
    #[track_caller]
    pub fn session(&self, version: &str) -> HttpSession {
        self.session_as(version, &[])
    }

    /// As [`Self::session`], with these headers on every request.
    ///
    /// # Panics
    ///
    /// If that does not work.
    #[must_use]
    #[track_caller]
    pub fn session_as(&self, version: &str, headers: &[(&str, &str)]) -> HttpSession {
        let mut hello = self.post(&rpc::request(1, "initialize", rpc::hello(version)));
        for (name, value) in headers {
            hello = hello.header(name, value);
        }
        let mut response = hello.send();
        let id = response
            .header("mcp-session-id")
            .expect("a session is opened");
        let opened = response.answer();
        assert_eq!(rpc::result(&opened)["protocolVersion"], version, "{opened}");
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let mut session = HttpSession {
            server: self.clone(),
            id,
            headers: headers.iter().map(owned).collect(),
            next_id: 2,
        };
        session
            .headers
            .push(("mcp-protocol-version".to_owned(), version.to_owned()));
        let noted = session.post(&rpc::notification("notifications/initialized", Value::Null));
        assert_eq!(noted.send().status, 202);
        session
    }
}

/// A session of a handshake revision.
pub struct HttpSession {
    server: Endpoint,
    /// Its id.
    pub id: String,
    headers: Vec<(String, String)>,
    next_id: u64,
}

impl HttpSession {
    /// A request within the session.
    #[must_use]
    pub fn request(&self, method: &str) -> Request {
        let mut request = self
            .server
            .request(method)
            .header("mcp-session-id", &self.id);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request
    }

    /// A POST within the session.
    #[must_use]
    pub fn post(&self, message: &Value) -> Request {
        self.request("POST").json(message)
    }

    /// Sends a request under an id of its own; returns the response, and the id.
    ///
    /// # Panics
    ///
    /// If no response begins.
    #[track_caller]
    pub fn start(&mut self, method: &str, params: Value) -> (Response, u64) {
        let id = self.next_id;
        self.next_id += 1;
        (self.post(&rpc::request(id, method, params)).send(), id)
    }

    /// Sends a request and returns the answer to it.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let (mut response, id) = self.start(method, params);
        let answer = response.answer();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool and returns its result.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        rpc::result(&self.ask("tools/call", rpc::tool(tool, arguments))).clone()
    }

    /// Reads the stream of the session, or goes on with one after an event.
    ///
    /// # Panics
    ///
    /// If no response begins.
    #[must_use]
    #[track_caller]
    pub fn listen(&self, after: Option<&str>) -> Response {
        let mut request = self.request("GET").header("accept", "text/event-stream");
        if let Some(after) = after {
            request = request.header("last-event-id", after);
        }
        request.send()
    }

    /// Ends the session.
    ///
    /// # Panics
    ///
    /// If no response begins.
    #[track_caller]
    pub fn delete(&self) -> u16 {
        self.request("DELETE").send().status
    }
}

/// A request that has not been sent.
#[derive(Clone)]
pub struct Request {
    address: SocketAddr,
    tls: Option<Arc<ClientConfig>>,
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    body: Bytes,
}

impl Request {
    /// With this header in place of any of that name.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Without the header of this name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    /// To another path.
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// With this body, as JSON.
    #[must_use]
    pub fn json(self, message: &Value) -> Self {
        self.body(message.to_string())
    }

    /// With this body, which it says is JSON.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self.header("content-type", "application/json")
    }

    /// Sends it, and waits until the response begins.
    ///
    /// # Panics
    ///
    /// If it does not in time.
    #[must_use]
    #[track_caller]
    pub fn send(self) -> Response {
        match self.try_send() {
            Ok(response) => response,
            Err(why) => panic!("no response: {why}"),
        }
    }

    /// Sends it and gives up after this long, which closes the connection.
    #[must_use]
    pub fn send_for(self, patience: Duration) -> Option<Response> {
        self.sent_within(patience).ok()
    }

    /// Sends it; the error says why there is no response.
    ///
    /// # Errors
    ///
    /// If no response begins in time, or the connection is closed.
    pub fn try_send(self) -> Result<Response, String> {
        self.sent_within(PATIENCE)
    }

    fn sent_within(self, patience: Duration) -> Result<Response, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be built");
        let sent = runtime.block_on(async { tokio::time::timeout(patience, self.sent()).await });
        let response = sent.map_err(|_| "nothing came".to_owned())??;
        let (head, body) = response.into_parts();
        let text = |value: &hyper::header::HeaderValue| {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        };
        Ok(Response {
            status: head.status.as_u16(),
            headers: head
                .headers
                .iter()
                .map(|(name, value)| (name.to_string(), text(value)))
                .collect(),
            buffer: Vec::new(),
            body: Some(body),
            broke: false,
            runtime,
        })
    }

    async fn sent(self) -> Result<hyper::Response<Incoming>, String> {
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let stream = TcpStream::connect(self.address)
            .await
            .map_err(|error| said(&error))?;
        let Some(tls) = &self.tls else {
            return self.sent_over(stream).await;
        };
        let name = ServerName::try_from("localhost").map_err(|error| said(&error))?;
        let stream = TlsConnector::from(Arc::clone(tls))
            .connect(name, stream)
            .await
            .map_err(|error| said(&error))?;
        self.sent_over(stream).await
    }

    async fn sent_over<S>(self, stream: S) -> Result<hyper::Response<Incoming>, String>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| error.to_string())?;
        tokio::spawn(connection);
        let mut request = hyper::Request::builder()
            .method(self.method.as_str())
            .uri(self.path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request
            .body(Full::new(self.body))
            .map_err(|error| error.to_string())?;
        sender
            .send_request(request)
            .await
            .map_err(|error| error.to_string())
    }
}

/// An event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// Its id.
    pub id: Option<String>,
    /// Its data; that of an event that only has an id is empty.
    pub data: String,
    /// When to come back, in milliseconds.
    pub retry: Option<u64>,
}

impl Event {
    /// The message it carries.
    ///
    /// # Panics
    ///
    /// If that is no JSON.
    #[must_use]
    #[track_caller]
    pub fn message(&self) -> Value {
        serde_json::from_str(&self.data).expect("an event carries JSON")
    }
}

/// A response, whose connection is closed when it is dropped.
pub struct Response {
    /// Its status.
    pub status: u16,
    headers: Vec<(String, String)>,
    buffer: Vec<u8>,
    body: Option<Incoming>,
    /// Whether the body has ended because the connection broke.
    pub broke: bool,
    runtime: Runtime,
}

impl Response {
    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        let found = self.headers.iter().find(|(it, _)| it == name);
        found.map(|(_, value)| value.clone())
    }

    /// The whole body.
    ///
    /// # Panics
    ///
    /// If it does not end in time, or is no text.
    #[track_caller]
    pub fn text(&mut self) -> String {
        while self.more(PATIENCE).expect("the body ends in time") {}
        String::from_utf8(std::mem::take(&mut self.buffer)).expect("the body is text")
    }

    /// The whole body as JSON.
    ///
    /// # Panics
    ///
    /// If it is none.
    #[track_caller]
    pub fn json(&mut self) -> Value {
        let text = self.text();
        match serde_json::from_str(&text) {
            Ok(value) => value,
            Err(error) => panic!("status {}, not JSON ({error}): {text}", self.status),
        }
    }

    /// The one answer in it, whichever form it has.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[track_caller]
    pub fn answer(&mut self) -> Value {
        let kind = self.header("content-type").unwrap_or_default();
        if kind == "application/json" {
            return self.json();
        }
        self.messages()
            .pop()
            .expect("the stream ends with an answer")
    }

    /// Every message of a stream, up to its end.
    ///
    /// # Panics
    ///
    /// If it does not end in time.
    #[track_caller]
    pub fn messages(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        while let Some(event) = self.event() {
            if !event.data.is_empty() {
                messages.push(event.message());
            }
        }
        messages
    }

    /// The next event; none at the end of the stream.
    ///
    /// # Panics
    ///
    /// If nothing comes in time.
    #[track_caller]
    pub fn event(&mut self) -> Option<Event> {
        let status = self.status;
        assert_eq!(status, 200, "{}", self.text());
        loop {
            if let Some(event) = self.buffered() {
                return Some(event);
            }
            if !self.more(PATIENCE).expect("an event comes in time") {
                return None;
            }
        }
    }

    /// Waits until the other end has closed the connection or ended the body.
    ///
    /// # Panics
    ///
    /// If it does not in time.
    #[track_caller]
    pub fn until_end(&mut self) {
        while self.more(PATIENCE).expect("the stream ends in time") {}
    }

    /// Whether nothing comes for this long.
    pub fn is_quiet(&mut self, during: Duration) -> bool {
        self.more(during).is_none() && self.buffered().is_none()
    }

    /// Reads more of the body: true if there was more, false at its end, none
    /// if nothing came.
    fn more(&mut self, patience: Duration) -> Option<bool> {
        let Some(body) = &mut self.body else {
            return Some(false);
        };
        let frame = self
            .runtime
            .block_on(async { tokio::time::timeout(patience, body.frame()).await });
        match frame {
            Err(_) => None,
            Ok(Some(Ok(frame))) => {
                if let Ok(data) = frame.into_data() {
                    self.buffer.extend_from_slice(&data);
                }
                Some(true)
            }
            Ok(end) => {
                self.broke = end.is_some();
                self.body = None;
                Some(false)
            }
        }
    }

    /// An event that has been read. Comments are none.
    fn buffered(&mut self) -> Option<Event> {
        loop {
            let end = self.buffer.windows(2).position(|two| two == b"\n\n")?;
            let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
            let block = String::from_utf8(block).expect("events are text");
            let mut event = Event::default();
            let mut is_event = false;
            for line in block.lines() {
                let (field, value) = line.split_once(':').unwrap_or((line, ""));
                let value = value.strip_prefix(' ').unwrap_or(value);
                match field {
                    "id" => event.id = Some(value.to_owned()),
                    "retry" => event.retry = value.parse().ok(),
                    "data" => {
                        is_event = true;
                        event.data.push_str(value);
                    }
                    _ => {}
                }
            }
            if is_event {
                return Some(event);
            }
        }
    }
}
