//! Requests over `wasi:http` 0.2.

use url::{Position, Url};
use wasip2::clocks::monotonic_clock::subscribe_duration;
use wasip2::http::outgoing_handler::handle;
use wasip2::http::types::{
    DnsErrorPayload, ErrorCode, Fields, HeaderError, IncomingBody, IncomingResponse, Method,
    OutgoingBody, OutgoingRequest, RequestOptions, Scheme, http_error_code,
};
use wasip2::io::poll::{Pollable, poll};
use wasip2::io::streams::{InputStream, StreamError};

use super::{Deadline, Error, ErrorKind, Request, Response, response};

/// A body under way. What was made of another has to go before it.
pub(super) struct Body {
    stream: Option<InputStream>,
    deadline: Deadline,
    _body: IncomingBody,
    _response: IncomingResponse,
}

pub(super) fn send(request: &Request, url: &Url, deadline: Deadline) -> Result<Response, Error> {
    let outgoing = head(request, url)?;
    let no_body = |()| failed("a request can't have a body here");
    let body = outgoing.body().map_err(no_body)?;
    let future = handle(outgoing, options(deadline)?).map_err(said)?;
    // If it can't be written, the answer says why.
    let written = write(&body, request.body.as_deref().unwrap_or_default(), deadline);
    let finished = match written {
        Ok(()) => OutgoingBody::finish(body, None).map_err(said),
        Err(error) => {
            drop(body);
            Err(error)
        }
    };
    wait(&future.subscribe(), deadline)?;
    let answer = match future.get() {
        Some(Ok(answer)) => answer.map_err(said)?,
        _ => return Err(failed("there was no answer")),
    };
    // A server may answer before it has read everything.
    if let Err(error) = finished
        && error.kind() == ErrorKind::Timeout
    {
        return Err(error);
    }
    let no_body = |()| failed("the answer has no body");
    let incoming = answer.consume().map_err(no_body)?;
    let stream = incoming.stream().map_err(no_body)?;
    Ok(Response {
        status: answer.status(),
        url: url.clone(),
        headers: answer.headers().entries(),
        body: response::Body(Body {
            stream: Some(stream),
            deadline,
            _body: incoming,
            _response: answer,
        }),
    })
}

/// Everything but the body.
fn head(request: &Request, url: &Url) -> Result<OutgoingRequest, Error> {
    let fields = Fields::new();
    for (name, value) in &request.headers {
        fields.append(name, value).map_err(|error| {
            let why = match error {
                HeaderError::Forbidden => "is set by the host",
                HeaderError::InvalidSyntax => "can't be sent like this",
                HeaderError::Immutable => "can't be changed",
            };
            Error::new(ErrorKind::Url, format!("the header {name:?} {why}"))
        })?;
    }
    if let Some(body) = &request.body {
        // A host that counts for itself takes none.
        let _ = fields.append("content-length", body.len().to_string().as_bytes());
    }
    let outgoing = OutgoingRequest::new(fields);
    let scheme = match url.scheme() {
        "https" => Scheme::Https,
        _ => Scheme::Http,
    };
    let authority = &url[Position::BeforeHost..Position::AfterPort];
    let path = &url[Position::BeforePath..Position::AfterQuery];
    let wrong = |what: &str| Error::new(ErrorKind::Url, format!("{what} can't be asked for"));
    let method = &request.method;
    (outgoing.set_method(&known(method))).map_err(|()| wrong(&format!("{method:?}")))?;
    (outgoing.set_scheme(Some(&scheme))).map_err(|()| wrong(url.scheme()))?;
    (outgoing.set_authority(Some(authority))).map_err(|()| wrong(authority))?;
    (outgoing.set_path_with_query(Some(path))).map_err(|()| wrong(path))?;
    Ok(outgoing)
}

fn known(method: &str) -> Method {
    match method {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "DELETE" => Method::Delete,
        "OPTIONS" => Method::Options,
        "PATCH" => Method::Patch,
        other => Method::Other(other.to_owned()),
    }
}

/// The host waits no longer than there is time.
fn options(deadline: Deadline) -> Result<Option<RequestOptions>, Error> {
    let Some(left) = deadline.left()? else {
        return Ok(None);
    };
    let left = Some(u64::try_from(left.as_nanos()).unwrap_or(u64::MAX));
    let options = RequestOptions::new();
    // A host that has no such setting has its own; the deadline holds anyway.
    let _ = options.set_connect_timeout(left);
    let _ = options.set_first_byte_timeout(left);
    let _ = options.set_between_bytes_timeout(left);
    Ok(Some(options))
}

/// Hands over a body, as fast as it is taken.
fn write(body: &OutgoingBody, mut bytes: &[u8], deadline: Deadline) -> Result<(), Error> {
    if bytes.is_empty() {
        return Ok(());
    }
    let stream = body.write().map_err(|()| failed("a body can't be sent"))?;
    while !bytes.is_empty() {
        let room = stream.check_write().map_err(broken)?;
        let room = usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len());
        if room == 0 {
            wait(&stream.subscribe(), deadline)?;
            continue;
        }
        let (now, later) = bytes.split_at(room);
        stream.write(now).map_err(broken)?;
        bytes = later;
    }
    stream.flush().map_err(broken)?;
    wait(&stream.subscribe(), deadline)?;
    stream.check_write().map(drop).map_err(broken)
}

impl Body {
    /// At most so many bytes more; nothing at its end.
    pub(super) fn next(&mut self, most: usize) -> Result<Vec<u8>, Error> {
        while let Some(stream) = &self.stream {
            match stream.read(most as u64) {
                Ok(bytes) if bytes.is_empty() => wait(&stream.subscribe(), self.deadline)?,
                Ok(bytes) => return Ok(bytes),
                Err(StreamError::Closed) => self.stream = None,
                Err(error) => {
                    self.stream = None;
                    return Err(broken(error));
                }
            }
        }
        Ok(Vec::new())
    }
}

/// Waits, but not for longer than there is time.
fn wait(what: &Pollable, deadline: Deadline) -> Result<(), Error> {
    let Some(left) = deadline.left()? else {
        what.block();
        return Ok(());
    };
    let timer = subscribe_duration(u64::try_from(left.as_nanos()).unwrap_or(u64::MAX));
    match poll(&[what, &timer]).contains(&0) {
        true => Ok(()),
        false => Err(deadline.passed()),
    }
}

fn broken(error: StreamError) -> Error {
    match error {
        StreamError::Closed => failed("the connection was closed"),
        StreamError::LastOperationFailed(error) => match http_error_code(&error) {
            Some(code) => said(code),
            None => failed(error.to_debug_string()),
        },
    }
}

fn failed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Failed, message)
}

/// The host's reason, as a sentence. Its own words are shown as they are.
fn said(code: ErrorCode) -> Error {
    use ErrorKind::{Content, Denied, Failed, Timeout, TooLarge, Url};
    let (kind, message) = match code {
        ErrorCode::InternalError(Some(text)) => {
            let kind = match text.starts_with("not permitted") {
                true => Denied,
                false => Failed,
            };
            return Error::new(kind, text);
        }
        ErrorCode::DnsError(DnsErrorPayload {
            rcode: Some(text), ..
        }) if text.contains(' ') => return Error::new(Failed, text),
        ErrorCode::HttpRequestDenied => {
            (Denied, "not permitted: this is not in this plugin's grant")
        }
        ErrorCode::DestinationIpProhibited => (
            Denied,
            "not permitted: the name leads to an address that it may not lead to",
        ),
        ErrorCode::DnsTimeout => (Timeout, "looking up the name took too long"),
        ErrorCode::ConnectionTimeout => (Timeout, "connecting took too long"),
        ErrorCode::ConnectionReadTimeout
        | ErrorCode::ConnectionWriteTimeout
        | ErrorCode::HttpResponseTimeout => (Timeout, "the answer took too long"),
        ErrorCode::DnsError(_) | ErrorCode::DestinationNotFound => {
            (Failed, "there is no host of that name")
        }
        ErrorCode::DestinationUnavailable | ErrorCode::DestinationIpUnroutable => {
            (Failed, "the host can't be reached")
        }
        ErrorCode::ConnectionRefused => (Failed, "the connection was refused"),
        ErrorCode::ConnectionTerminated | ErrorCode::HttpResponseIncomplete => {
            (Failed, "the connection broke before the answer was there")
        }
        ErrorCode::ConnectionLimitReached => (Failed, "too many requests are under way"),
        ErrorCode::TlsCertificateError => (Failed, "the server's certificate is not to be trusted"),
        ErrorCode::TlsProtocolError | ErrorCode::TlsAlertReceived(_) => {
            (Failed, "the server could not be spoken to in TLS")
        }
        ErrorCode::HttpRequestBodySize(_) => (TooLarge, "the request is larger than may be sent"),
        ErrorCode::HttpRequestHeaderSectionSize(_) | ErrorCode::HttpRequestHeaderSize(_) => (
            TooLarge,
            "the request's headers are larger than may be sent",
        ),
        ErrorCode::HttpResponseBodySize(_) => {
            (TooLarge, "the answer is larger than may be received")
        }
        ErrorCode::HttpResponseHeaderSectionSize(_) | ErrorCode::HttpResponseHeaderSize(_) => (
            TooLarge,
            "the answer's headers are larger than may be received",
        ),
        ErrorCode::HttpRequestMethodInvalid => (Url, "a request can't have that method"),
        ErrorCode::HttpRequestUriInvalid | ErrorCode::HttpRequestUriTooLong => {
            (Url, "a request can't have that address")
        }
        ErrorCode::HttpProtocolError
        | ErrorCode::HttpResponseTransferCoding(_)
        | ErrorCode::HttpResponseContentCoding(_) => (Content, "the answer is no HTTP"),
        _ => (Failed, "the request failed"),
    };
    Error::new(kind, message)
}
