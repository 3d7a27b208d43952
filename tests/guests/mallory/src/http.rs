//! Requests, as raw as WASI lets a guest send them.

use std::time::Instant;

use palisade_sdk::prelude::*;
use wasip2::http::outgoing_handler::handle;
use wasip2::http::types::{
    ErrorCode, Fields, FutureIncomingResponse, IncomingBody, IncomingResponse, Method,
    OutgoingBody, OutgoingRequest, Scheme, http_error_code,
};
use wasip2::io::poll::poll;
use wasip2::io::streams::{InputStream, StreamError};

/// Bytes that are read at a time.
const CHUNK: u64 = 64 * 1024;

/// The host's sentence where it has one, else the name of the error.
fn told(code: ErrorCode) -> Error {
    match code {
        ErrorCode::InternalError(Some(text)) => Error::msg(text),
        ErrorCode::DnsError(error) if error.rcode.is_some() => {
            Error::msg(error.rcode.unwrap_or_default())
        }
        other => Error::msg(format!("{other:?}")),
    }
}

fn broken(error: StreamError) -> Error {
    match error {
        StreamError::Closed => Error::msg("closed"),
        StreamError::LastOperationFailed(error) => match http_error_code(&error) {
            Some(code) => told(code),
            None => Error::msg(error.to_debug_string()),
        },
    }
}

fn method(name: &str) -> Method {
    match name {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "DELETE" => Method::Delete,
        "CONNECT" => Method::Connect,
        other => Method::Other(other.to_owned()),
    }
}

/// `scheme://authority/path`; a text in `headers` is a line for each.
fn request(name: &str, url: &str, headers: &str) -> Result<OutgoingRequest> {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let (authority, path) = match rest.find('/') {
        Some(slash) => rest.split_at(slash),
        None => (rest, "/"),
    };
    let fields = Fields::new();
    for line in headers.lines() {
        let (name, value) = line.split_once(": ").unwrap_or((line, ""));
        fields
            .append(name, value.as_bytes())
            .map_err(|error| Error::msg(format!("header {name}: {error:?}")))?;
    }
    let request = OutgoingRequest::new(fields);
    let refused = |what: &str| Error::msg(format!("{what} can't be set"));
    let scheme = match scheme {
        "https" => Scheme::Https,
        "http" => Scheme::Http,
        other => Scheme::Other(other.to_owned()),
    };
    request
        .set_method(&method(name))
        .map_err(|()| refused("the method"))?;
    request
        .set_scheme(Some(&scheme))
        .map_err(|()| refused("the scheme"))?;
    request
        .set_authority(Some(authority))
        .map_err(|()| refused("the authority"))?;
    request
        .set_path_with_query(Some(path))
        .map_err(|()| refused("the path"))?;
    Ok(request)
}

fn answer(future: &FutureIncomingResponse) -> Result<IncomingResponse> {
    loop {
        if let Some(answer) = future.get() {
            let answer = answer.map_err(|()| Error::msg("taken twice"))?;
            return answer.map_err(told);
        }
        future.subscribe().block();
    }
}

fn read(stream: &InputStream, mut each: impl FnMut(&[u8])) -> Result<()> {
    loop {
        match stream.blocking_read(CHUNK) {
            Ok(bytes) => each(&bytes),
            Err(StreamError::Closed) => return Ok(()),
            Err(error) => return Err(broken(error)),
        }
    }
}

/// Status, headers and body.
pub(crate) fn send(name: &str, url: &str, headers: &str, body: Option<&str>) -> Result<String> {
    let request = request(name, url, headers)?;
    let sending = match body {
        Some(text) => {
            let body = request.body().map_err(|()| Error::msg("no body"))?;
            Some((body, text))
        }
        None => None,
    };
    let future = handle(request, None).map_err(told)?;
    if let Some((body, text)) = sending {
        let stream = body.write().map_err(|()| Error::msg("no stream"))?;
        for piece in text.as_bytes().chunks(4096) {
            stream.blocking_write_and_flush(piece).map_err(broken)?;
        }
        drop(stream);
        OutgoingBody::finish(body, None).map_err(told)?;
    }
    let answer = answer(&future)?;
    let mut said = format!("{}\n", answer.status());
    for (name, value) in answer.headers().entries() {
        said.push_str(&format!("{name}: {}\n", String::from_utf8_lossy(&value)));
    }
    said.push('\n');
    let body = answer.consume().map_err(|()| Error::msg("no body"))?;
    let stream = body.stream().map_err(|()| Error::msg("no stream"))?;
    read(&stream, |bytes| {
        said.push_str(&String::from_utf8_lossy(bytes))
    })?;
    Ok(said)
}

/// Reads an answer to its end and keeps nothing of it.
pub(crate) fn swallow(url: &str) -> Result<String> {
    let future = handle(request("GET", url, "")?, None).map_err(told)?;
    let body = answer(&future)?
        .consume()
        .map_err(|()| Error::msg("no body"))?;
    let stream = body.stream().map_err(|()| Error::msg("no stream"))?;
    let mut count = 0;
    read(&stream, |bytes| count += bytes.len())?;
    Ok(format!("{count} bytes"))
}

/// Sends a body of so many bytes.
pub(crate) fn upload(url: &str, bytes: usize) -> Result<String> {
    let request = request("POST", url, "")?;
    let body = request.body().map_err(|()| Error::msg("no body"))?;
    let future = handle(request, None).map_err(told)?;
    let stream = body.write().map_err(|()| Error::msg("no stream"))?;
    let piece = [b'x'; 4096];
    let mut left = bytes;
    while left > 0 {
        let now = left.min(piece.len());
        if stream.blocking_write_and_flush(&piece[..now]).is_err() {
            break;
        }
        left -= now;
    }
    drop(stream);
    let finished = OutgoingBody::finish(body, None);
    let status = answer(&future)?.status();
    finished.map_err(told)?;
    Ok(status.to_string())
}

/// Begins so many requests and holds all of their answers; says how many there
/// were, and why there were no more.
pub(crate) fn hold(url: &str, count: usize) -> Result<String> {
    // In the order in which they may be dropped.
    let mut held: Vec<(InputStream, IncomingBody)> = Vec::new();
    for number in 0..count {
        let begun = handle(request("GET", url, "")?, None).map_err(told);
        let answered = begun.and_then(|future| answer(&future));
        match answered {
            Ok(answer) => {
                let body = answer.consume().map_err(|()| Error::msg("no body"))?;
                let stream = body.stream().map_err(|()| Error::msg("no stream"))?;
                held.push((stream, body));
            }
            Err(error) => return Ok(format!("{number}: {error}")),
        }
    }
    Ok(format!("{count}"))
}

/// GETs one after the other; how long each took, in microseconds.
pub(crate) fn time(url: &str, count: usize) -> Result<String> {
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let began = Instant::now();
        swallow(url)?;
        times.push(began.elapsed().as_nanos() as f64 / 1000.0);
    }
    Ok(times.iter().map(|time| format!("{time:.1} ")).collect())
}

/// So many GETs, with so many under way at a time; microseconds for all of them.
pub(crate) fn time_in_flight(url: &str, count: usize, at_once: usize) -> Result<String> {
    let began = Instant::now();
    let mut begun = 0;
    let mut done = 0;
    let mut open: Vec<FutureIncomingResponse> = Vec::new();
    while done < count {
        while begun < count && open.len() < at_once {
            open.push(handle(request("GET", url, "")?, None).map_err(told)?);
            begun += 1;
        }
        let pollables: Vec<_> = open.iter().map(FutureIncomingResponse::subscribe).collect();
        let borrowed: Vec<_> = pollables.iter().collect();
        let mut ready = poll(&borrowed);
        drop(pollables);
        ready.sort_unstable();
        for place in ready.into_iter().rev() {
            let future = open.swap_remove(place as usize);
            let body = answer(&future)?
                .consume()
                .map_err(|()| Error::msg("no body"))?;
            let stream = body.stream().map_err(|()| Error::msg("no stream"))?;
            read(&stream, |_| ())?;
            done += 1;
        }
    }
    Ok(format!("{:.1}", began.elapsed().as_nanos() as f64 / 1000.0))
}
