//! Requests of HTTP, each to a destination that was looked at.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response};
use palisade_net::{Egress, EgressLimits, Incoming, NetError, Outside, Refusals, Timeouts};
use palisade_policy::{
    Destination, Granting, Host, NetworkRequest, NetworkRules, Special, special,
};
use tokio::time::timeout_at;

use super::error::{FetchError, hint};
use super::limits::Pace;
use super::look::Look;
use super::sink::Sink;
use super::{Limits, Progress, Told};
use crate::digest::Digest;
use crate::source::{BadSource, WebAddress, is_loopback, repeated};
use crate::store::Store;
use crate::temp::TempBlob;

const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("palisade/", env!("CARGO_PKG_VERSION")));

/// Everything that one fetch asks for. It begins at `home`, which a person named;
/// wherever it is led from there has to be on the public internet.
pub(crate) struct Web<'a> {
    outside: &'a Outside,
    limits: &'a Limits,
    home: WebAddress,
    ways: Mutex<HashMap<String, Arc<Egress<Full<Bytes>>>>>,
}

/// A request.
pub(crate) struct Ask {
    pub(crate) method: Method,
    pub(crate) to: WebAddress,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Ask {
    pub(crate) fn get(to: WebAddress) -> Self {
        Self {
            method: Method::GET,
            to,
            headers: HeaderMap::new(),
            body: Bytes::new(),
        }
    }

    pub(crate) fn with(mut self, name: header::HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}

impl<'a> Web<'a> {
    pub(crate) fn new(outside: &'a Outside, limits: &'a Limits, home: WebAddress) -> Self {
        Self {
            outside,
            limits,
            home,
            ways: Mutex::default(),
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        self.limits
    }

    /// Sends a request, and follows where the answer leads. Who asked is told to
    /// the first host alone.
    pub(crate) async fn follow(&self, mut ask: Ask) -> Result<Response<Incoming>, FetchError> {
        for _ in 0..=self.limits.redirects {
            let (from, method) = (ask.to.clone(), ask.method.clone());
            let headers = ask.headers.clone();
            let answer = self.send(ask).await?;
            if !answer.status().is_redirection() {
                return Ok(answer);
            }
            let to = self.led(&from, answer.headers())?;
            ask = Ask {
                method,
                headers,
                ..Ask::get(to)
            };
            if !ask.to.same_origin(&from) {
                ask.headers.remove(header::AUTHORIZATION);
            }
        }
        let from = self.home.to_string();
        Err(FetchError::Redirect {
            to: "…".to_owned(),
            from,
            why: format!("is more than {} redirects away", self.limits.redirects),
        })
    }

    /// Sends a request, and returns its answer, whatever that is.
    pub(crate) async fn send(&self, ask: Ask) -> Result<Response<Incoming>, FetchError> {
        let from = ask.to.to_string();
        let net = |source| FetchError::Net {
            from: from.clone(),
            source: Box::new(source),
        };
        let way = self.way(&ask.to).await.map_err(net)?;
        let uri = ask.to.uri();
        let uri = uri.ok_or_else(|| net(NetError::Uri(from.clone())))?;
        let patience = self.limits.time_for(ask.body.len() as u64);
        let mut request = Request::new(Full::new(ask.body));
        *request.method_mut() = ask.method;
        *request.uri_mut() = uri;
        *request.headers_mut() = ask.headers;
        let headers = request.headers_mut();
        headers.insert(header::USER_AGENT, AGENT);
        headers.insert(
            header::ACCEPT_ENCODING,
            HeaderValue::from_static("identity"),
        );
        let timeouts = Timeouts {
            idle: self.limits.idle,
            first_byte: self.limits.idle.max(patience),
            ..Timeouts::default()
        };
        let answer = way.send(request, timeouts).await.map_err(net)?;
        let encoding = answer.headers().get(header::CONTENT_ENCODING);
        match encoding.is_none_or(|encoding| encoding == "identity") {
            true => Ok(answer),
            // What is hashed is what is sent, so nothing is undone here.
            false => Err(FetchError::Artifact {
                reference: from,
                why: "the server compresses it although it was asked not to".to_owned(),
            }),
        }
    }

    /// Where an answer leads.
    pub(crate) fn led(
        &self,
        from: &WebAddress,
        headers: &HeaderMap,
    ) -> Result<WebAddress, FetchError> {
        let location = headers.get(header::LOCATION);
        let location = location.and_then(|location| location.to_str().ok());
        let joined = location.and_then(|to| url::Url::parse(&from.to_string()).ok()?.join(to).ok());
        let Some(mut joined) = joined else {
            return Err(FetchError::Redirect {
                from: from.to_string(),
                to: repeated(location.unwrap_or_default()),
                why: "is no address".to_owned(),
            });
        };
        joined.set_fragment(None);
        self.named(&from.to_string(), joined.as_str())
    }

    /// An address that an answer names.
    pub(crate) fn named(&self, from: &str, to: &str) -> Result<WebAddress, FetchError> {
        let no = |why: String| FetchError::Redirect {
            from: from.to_owned(),
            to: repeated(to),
            why,
        };
        let address = WebAddress::parse(to).map_err(|why| no(why.to_string()))?;
        let plain = |address: &WebAddress| !address.scheme().to_string().ends_with('s');
        if plain(&address) && !plain(&self.home) {
            return Err(no(BadSource::Plain.to_string()));
        }
        match self.forbidden(&address) {
            Some(what) => Err(no(format!("is {what}, where a plugin must not lead"))),
            None => Ok(address),
        }
    }

    /// What an address is, written as such, where only a person may point.
    fn forbidden(&self, to: &WebAddress) -> Option<Special> {
        if to.host() == self.home.host() {
            return None;
        }
        let what = match to.host() {
            Host::Address(address) => special(*address)?,
            Host::Name(_) if is_loopback(to.host()) => Special::Loopback,
            Host::Name(_) => return None,
        };
        let beside = what == Special::Loopback && is_loopback(self.home.host());
        let allowed = self.limits.private && what.is_private();
        (!beside && !allowed).then_some(what)
    }

    /// The way to a destination.
    async fn way(&self, to: &WebAddress) -> Result<Arc<Egress<Full<Bytes>>>, NetError> {
        let rule = NetworkRequest {
            to: Destination {
                scheme: to.scheme(),
                host: to.host().to_string(),
                port: to.port(),
            },
            methods: Default::default(),
            paths: Default::default(),
            private: self.limits.private
                || to.host() == self.home.host()
                || is_loopback(to.host()) && is_loopback(self.home.host()),
        };
        let key = rule.to.to_string();
        let mut new = false;
        let way = {
            let mut ways = self.ways.lock().unwrap_or_else(PoisonError::into_inner);
            let way = ways.entry(key).or_insert_with(|| {
                new = true;
                Arc::new(self.egress(&rule))
            });
            Arc::clone(way)
        };
        // Looked at before anything is sent, for the words: what is connected to
        // is looked at again. A proxy may know names that are not known here.
        if new
            && !rule.private
            && let Err(error @ NetError::Address { .. }) = way.lookup(to.host()).await
        {
            return Err(error);
        }
        Ok(way)
    }

    fn egress(&self, rule: &NetworkRequest) -> Egress<Full<Bytes>> {
        let patience = self.limits.time_for(self.limits.bytes);
        let timeouts = Timeouts {
            idle: self.limits.idle,
            first_byte: self.limits.idle.max(patience),
            ..Timeouts::default()
        };
        let limits = EgressLimits {
            body: self.limits.bytes,
            ..EgressLimits::default()
        };
        let refusals = Refusals::of("this source", Granting::Never);
        let outside = self.outside.clone();
        Egress::new(
            NetworkRules::new([rule]),
            outside,
            refusals,
            limits,
            timeouts,
        )
    }

    /// The whole of a short answer.
    pub(crate) async fn short(
        &self,
        from: &str,
        answer: Response<Incoming>,
        most: u64,
    ) -> Result<Vec<u8>, FetchError> {
        let mut coming = Coming::new(from, answer, most, self.limits)?;
        let mut whole = Vec::new();
        while let Some(piece) = coming.next().await? {
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    }

    /// A component, into the store. `size` is what was announced elsewhere.
    pub(crate) async fn component(
        &self,
        store: &Store,
        from: &str,
        answer: Response<Incoming>,
        size: Option<u64>,
        progress: Told<'_>,
    ) -> Result<(TempBlob, Digest), FetchError> {
        let announced = content_length(&answer);
        let total = size.or(announced);
        let length = |found| match size {
            Some(size) if found != size => Err(FetchError::Length {
                from: from.to_owned(),
                found,
                size,
            }),
            _ => Ok(()),
        };
        announced.map(length).transpose()?;
        let most = size.unwrap_or(self.limits.bytes).min(self.limits.bytes);
        let mut coming = Coming::new(from, answer, most, self.limits)?;
        let (mut sink, mut look) = (Sink::new(store), Look::default());
        while let Some(piece) = coming.next().await? {
            look.at(from, &piece)?;
            sink.write(piece).await?;
            progress(Progress {
                received: coming.received,
                total,
            });
        }
        look.end(from)?;
        length(coming.received)?;
        sink.finish().await
    }
}

/// An answer's body, piece by piece, as far and as fast as it may come.
struct Coming<'a> {
    from: &'a str,
    body: Incoming,
    most: u64,
    pace: Pace<'a>,
    received: u64,
}

impl<'a> Coming<'a> {
    fn new(
        from: &'a str,
        answer: Response<Incoming>,
        most: u64,
        limits: &'a Limits,
    ) -> Result<Self, FetchError> {
        let length = content_length(&answer).unwrap_or(0);
        let this = Self {
            from,
            body: answer.into_body(),
            most,
            pace: Pace::new(limits),
            received: 0,
        };
        this.fits(length).map(|()| this)
    }

    async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
        loop {
            let until = self.pace.until(self.received);
            let frame = timeout_at(until, self.body.frame()).await;
            let frame = frame.map_err(|_| FetchError::Slow {
                from: self.from.to_owned(),
                received: self.received,
                seconds: self.pace.since.elapsed().as_secs(),
            })?;
            let frame = frame.transpose().map_err(|source| FetchError::Net {
                from: self.from.to_owned(),
                source: Box::new(source),
            })?;
            let Some(frame) = frame else {
                return Ok(None);
            };
            // What is no data is a trailer, which says nothing here.
            if let Ok(piece) = frame.into_data() {
                self.received += piece.len() as u64;
                self.fits(self.received)?;
                return Ok(Some(piece));
            }
        }
    }

    fn fits(&self, length: u64) -> Result<(), FetchError> {
        match length > self.most {
            true => Err(FetchError::TooLarge {
                from: self.from.to_owned(),
                limit: self.most,
            }),
            false => Ok(()),
        }
    }
}

fn content_length(answer: &Response<Incoming>) -> Option<u64> {
    let length = answer.headers().get(header::CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

/// An answer that is what was asked for.
pub(crate) fn good(
    from: &str,
    answer: Response<Incoming>,
) -> Result<Response<Incoming>, FetchError> {
    match answer.status().as_u16() {
        200 => Ok(answer),
        status => Err(FetchError::Status {
            from: from.to_owned(),
            status,
            hint: hint(status),
        }),
    }
}
