//! A request, sent over a connection of its own.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::PATIENCE;
use crate::http::response::Response;

/// A request that has not been sent.
#[derive(Clone)]
pub struct Request {
    pub(super) address: SocketAddr,
    pub(super) tls: Option<Arc<ClientConfig>>,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Bytes,
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
            searched: 0,
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
