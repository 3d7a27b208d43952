//! One request: who may send it, what it is, and where it goes.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, StatusCode};
use tokio_util::sync::CancellationToken;

use crate::adapter::Shared;
use crate::adapter::http::{Body, Kind, Message, Opened, Session, last_word, read, serve_once};
use crate::http::PATH;
use crate::http::access::{Access, Principal};
use crate::http::answer::{self, Answer, Refusal};
use crate::http::body;
use crate::http::headers::{
    SESSION_ID, Single, is_plain, last_event, sends_json, single, takes_answers, takes_events,
};
use crate::http::log::{Log, Lost, STANDALONE};
use crate::http::names::Names;
use crate::http::options::{self, HttpLimits, OF_REQUEST, OF_SESSION};
use crate::http::payload::{Events, Style};
use crate::http::rules::{self, check_version, preflight, says_stateless, strange};
use crate::http::sessions::Sessions;
use crate::http::shares::{Share, Shares};

/// What every request is served with.
pub(super) struct Endpoint {
    pub(super) shared: Shared,
    pub(super) shares: Shares,
    pub(super) names: Names,
    pub(super) access: Access,
    pub(super) limits: HttpLimits,
    pub(super) sessions: Arc<Sessions>,
    /// Cancelled when nothing new is to be begun.
    pub(super) stop: CancellationToken,
    /// Cancelled when what runs is to end.
    pub(super) cancel: CancellationToken,
}

impl Endpoint {
    /// Answers a request.
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (parts, body) = request.into_parts();
        if let Err(stranger) = self.names.check(&parts.uri, &parts.headers) {
            body::drain(body);
            return strange(stranger).into_answer();
        }
        let answered = self.admit(&parts, body).await;
        let mut answer = answered.unwrap_or_else(Refusal::into_answer);
        if let Some(page) = self.names.page(&parts.headers) {
            rules::let_read(&mut answer, page);
        }
        answer
    }

    async fn admit(&self, parts: &Parts, body: Incoming) -> Result<Answer, Refusal> {
        if parts.uri.path() != PATH {
            let why = format!("there is nothing here; MCP is served at {PATH}");
            body::drain(body);
            return Err(Refusal::new(StatusCode::NOT_FOUND, &why));
        }
        if parts.method == Method::OPTIONS && self.names.page(&parts.headers).is_some() {
            return Ok(preflight());
        }
        let caller = match self.access.check(&parts.headers) {
            Ok(caller) => caller,
            Err(who) => {
                body::drain(body);
                return Err(Refusal::unknown(who));
            }
        };
        if self.stop.is_cancelled() {
            return Err(Refusal::busy("this server is about to end"));
        }
        match parts.method {
            Method::POST => self.post(&caller, &parts.headers, body).await,
            Method::GET => self.get(&caller, &parts.headers),
            Method::DELETE => self.delete(&caller, &parts.headers),
            _ => Err(Refusal::method()),
        }
    }

    // POST

    async fn post(
        &self,
        caller: &Principal,
        headers: &HeaderMap,
        body: Incoming,
    ) -> Result<Answer, Refusal> {
        if let Err(refusal) = self.check_post(headers, &body) {
            body::drain(body);
            return Err(refusal);
        }
        let share = self.shares.of(caller);
        let body = body::read(body, self.limits.body, self.limits.body_time, &share.bodies).await?;
        let stateless = says_stateless(headers);
        let body = read(body).map_err(|wrong| wrong.refusal(stateless))?;
        match &body {
            Body::One(message) => self.check_busy(&share, message)?,
            Body::Many(messages) => messages
                .iter()
                .flatten()
                .try_for_each(|message| self.check_busy(&share, message))?,
        }
        match body {
            Body::One(message) if message.is_stateless() => {
                self.once(caller, &share, message, headers).await
            }
            Body::One(message) if stateless || message.should_be_stateless() => {
                match message.kind() {
                    Kind::Request => Err(message.lacks_metadata()),
                    // None has any consequences where there is no session.
                    Kind::Notification => Ok(answer::empty(StatusCode::ACCEPTED)),
                    Kind::Answer => Err(Refusal::bad_request("nobody was asked anything")),
                }
            }
            Body::One(message) if message.is_initialize() => {
                check_version(headers)?;
                self.initialize(caller, &share, message).await
            }
            Body::One(message) => {
                let session = self.session(caller, headers)?;
                check_version(headers)?;
                posted(
                    &session,
                    session.post(vec![Ok(message)]).await?,
                    self.style(),
                )
            }
            Body::Many(messages) => {
                let alone = "send one message at a time; only revision 2025-03-26 has arrays";
                if stateless {
                    return Err(Refusal::bad_request(alone));
                }
                let session = self.session(caller, headers).map_err(|refusal| {
                    match single(headers, SESSION_ID) {
                        Single::Absent => Refusal::bad_request(alone),
                        _ => refusal,
                    }
                })?;
                check_version(headers)?;
                if !session.takes_arrays() {
                    return Err(Refusal::bad_request(alone));
                }
                posted(&session, session.post(messages).await?, self.style())
            }
        }
    }

    fn check_post(&self, headers: &HeaderMap, body: &Incoming) -> Result<(), Refusal> {
        body::check_length(body, self.limits.body)?;
        if !sends_json(headers) {
            return Err(Refusal::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body must be JSON: Content-Type: application/json",
            ));
        }
        if !is_plain(headers) {
            return Err(Refusal::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body must be sent as it is: no Content-Encoding, and no charset but utf-8",
            ));
        }
        if !takes_answers(headers) {
            return Err(Refusal::new(
                StatusCode::NOT_ACCEPTABLE,
                "the answer may be either: Accept: application/json, text/event-stream",
            ));
        }
        Ok(())
    }

    /// Refuses more requests than can be looked after. What ends one is always
    /// taken.
    fn check_busy(&self, share: &Share, message: &Message) -> Result<(), Refusal> {
        let busy = share.is_busy() || self.shares.all().is_busy();
        if busy && message.kind() == Kind::Request {
            return Err(Refusal::busy("too many requests are running"));
        }
        Ok(())
    }

    /// Serves a request that needs no session. It ends with its connection.
    async fn once(
        &self,
        caller: &Principal,
        share: &Share,
        message: Message,
        headers: &HeaderMap,
    ) -> Result<Answer, Refusal> {
        let cancel = self.cancel.child_token();
        let guard = cancel.clone().drop_guard();
        let (log, stream) = Log::once(Arc::clone(&share.events), OF_REQUEST);
        if message.listens() {
            self.end_with_server(&log, stream, &message, cancel.clone());
        }
        let reader = serve_once(
            &self.shared,
            &share.in_flight,
            caller.name(),
            message,
            headers,
            (log, stream),
            &cancel,
        )?;
        // An answer that is alone is sent as such, and so is its status.
        let ready = tokio::time::timeout(options::SILENT, reader.ready()).await;
        if ready.is_ok() {
            if let Some((status, body)) = reader.only_answer() {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
                return Ok(answer::json(status, body));
            }
            if reader.is_over() {
                return Err(Refusal::busy("the server ended before this was answered"));
            }
        }
        let style = Style {
            ids: false,
            priming: false,
            ..self.style()
        };
        Ok(answer::events(Events::new(reader, style, Some(guard))))
    }

    /// A subscription has no end of its own: it gets one with the server.
    fn end_with_server(
        &self,
        log: &Log,
        stream: u64,
        message: &Message,
        cancel: CancellationToken,
    ) {
        let word = last_word(&message.id()).to_string();
        let (log, stop) = (log.clone(), self.stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {
                    log.answer(stream, 200, word.as_bytes(), word.as_bytes());
                    cancel.cancel();
                }
                () = cancel.cancelled() => {}
            }
        });
    }

    /// Opens a session, if the handshake comes to that.
    async fn initialize(
        &self,
        caller: &Principal,
        share: &Share,
        message: Message,
    ) -> Result<Answer, Refusal> {
        let id = Sessions::new_id()?;
        let log = Log::resumable(Arc::clone(&share.events), OF_SESSION);
        let (sessions, own) = (Arc::clone(&self.sessions), Arc::clone(&id));
        let session = Arc::new(Session::start(
            &self.shared,
            &share.in_flight,
            caller.name(),
            log,
            self.cancel.child_token(),
            move || drop(sessions.remove(&own)),
        ));
        let Opened::Stream(reader) = session.post(vec![Ok(message)]).await? else {
            return Err(Refusal::bad_request("this is no request"));
        };
        reader.ready().await;
        let (_, body) = reader
            .only_answer()
            .ok_or_else(|| Refusal::busy("the server ended before this was answered"))?;
        let mut answer = answer::json(StatusCode::OK, body);
        if session.is_open() {
            let header = HeaderValue::from_str(&id)
                .map_err(|_| Refusal::busy("no session can be opened now"))?;
            self.sessions.add(id, session, caller.clone())?;
            answer.headers_mut().insert(SESSION_ID, header);
        }
        Ok(answer)
    }

    // GET and DELETE

    fn get(&self, caller: &Principal, headers: &HeaderMap) -> Result<Answer, Refusal> {
        if says_stateless(headers) {
            return Err(Refusal::method());
        }
        if !takes_events(headers) {
            return Err(Refusal::new(
                StatusCode::NOT_ACCEPTABLE,
                "only a stream can be had: Accept: text/event-stream",
            ));
        }
        let session = self.session(caller, headers)?;
        check_version(headers)?;
        let last = last_event(headers)
            .map_err(|()| Refusal::bad_request("this Last-Event-ID did not come from here"))?;
        let (stream, after) = last.map_or((STANDALONE, None), |id| (id.stream, Some(id.event)));
        let reader = session.log().read(stream, after).map_err(|lost| {
            Refusal::bad_request(match lost {
                Lost::Stream => {
                    "the stream of this Last-Event-ID is not kept here, or not any more"
                }
                Lost::Events => "some of what followed this Last-Event-ID is not kept any more",
            })
        })?;
        let style = Style {
            // Going on, what was missed comes first: an id before it would
            // say that it has been heard.
            priming: last.is_none() && session.primes(),
            ..self.style()
        };
        Ok(answer::events(Events::new(reader, style, None)))
    }

    fn delete(&self, caller: &Principal, headers: &HeaderMap) -> Result<Answer, Refusal> {
        if says_stateless(headers) {
            return Err(Refusal::method());
        }
        let session = self.session(caller, headers)?;
        check_version(headers)?;
        if let Single::Given(id) = single(headers, SESSION_ID) {
            self.sessions.remove(id);
        }
        session.end();
        Ok(answer::empty(StatusCode::NO_CONTENT))
    }

    fn session(&self, caller: &Principal, headers: &HeaderMap) -> Result<Arc<Session>, Refusal> {
        let id = match single(headers, SESSION_ID) {
            Single::Given(id) => id,
            Single::Absent => {
                return Err(Refusal::bad_request(
                    "send initialize first and then its Mcp-Session-Id with every request, \
                     or name the protocol version in _meta",
                ));
            }
            Single::Unreadable => {
                return Err(Refusal::bad_request("the Mcp-Session-Id can't be read"));
            }
        };
        let found = self.sessions.find(id, caller).ok_or_else(|| {
            Refusal::new(
                StatusCode::NOT_FOUND,
                "there is no such session, or not any more: send initialize",
            )
        })?;
        found.log().touch();
        Ok(found)
    }

    fn style(&self) -> Style {
        Style {
            ids: true,
            priming: true,
            retry: options::RETRY,
            keep_alive: self.limits.keep_alive,
        }
    }
}

/// The response to a POST within a session.
fn posted(session: &Session, opened: Opened, style: Style) -> Result<Answer, Refusal> {
    Ok(match opened {
        Opened::Nothing => answer::empty(StatusCode::ACCEPTED),
        Opened::Stream(reader) => {
            let priming = session.primes();
            let style = Style { priming, ..style };
            answer::events(Events::new(reader, style, None))
        }
    })
}
