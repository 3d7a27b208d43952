//! A host that serves over HTTP, and a client that sends it exactly what a
//! test says.
//!
//! Every request has a connection of its own, which is read only while a test
//! waits for something and is closed when its response is dropped.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use hyper::body::Bytes;
use serde_json::Value;
use tokio_rustls::rustls::ClientConfig;

use crate::command::Palisade;
use crate::rpc;
use crate::session::Session;

mod request;
mod response;

pub use request::Request;
pub use response::{Event, Response};

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
        let named = params["name"].as_str().or(params["uri"].as_str());
        let name = named.map(str::to_owned);
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
        self.opened(rpc::hello(version), headers)
    }

    /// As [`Self::session`], by a client that says it can do this.
    ///
    /// # Panics
    ///
    /// If that does not work.
    #[must_use]
    #[track_caller]
    pub fn session_with(&self, version: &str, capabilities: Value) -> HttpSession {
        let mut hello = rpc::hello(version);
        hello["capabilities"] = capabilities;
        self.opened(hello, &[])
    }

    #[track_caller]
    fn opened(&self, hello: Value, headers: &[(&str, &str)]) -> HttpSession {
        let version = hello["protocolVersion"].clone();
        let mut hello = self.post(&rpc::request(1, "initialize", hello));
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
        let version = version.as_str().expect("a version is text").to_owned();
        session
            .headers
            .push(("mcp-protocol-version".to_owned(), version));
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
