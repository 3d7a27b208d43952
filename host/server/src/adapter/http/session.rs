//! A session of a handshake revision, over HTTP.
//!
//! Messages come one POST at a time; what rmcp sends goes to exactly one
//! stream of the session's log: an answer to that of its POST, and so what
//! belongs to a call that runs; everything else to the one that GET reads.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorData, GetExtensions as _, JsonRpcMessage,
    ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{OriginatingRequestId, Peer, RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::adapter::InFlight;
use crate::adapter::client_roots::SessionRoots;
use crate::adapter::events::OfCall;
use crate::adapter::front::Front;
use crate::adapter::handler::Handler;
use crate::adapter::http::guard::Guarded;
use crate::adapter::http::message::{Kind, Message, Wrong, json};
use crate::adapter::http::once::{answered, prepare_for_next};
use crate::adapter::open::OpenRequests;
use crate::adapter::shared::Shared;
use crate::http::{Log, Reader, Refusal, STANDALONE};
use crate::service::Service;

/// Requests of one session without an answer: more than can run and wait by
/// any grant.
const MAX_OPEN: usize = 520;

/// Messages on their way to rmcp's loop.
const INBOX: usize = 64;

/// A session. It ends when it is dropped or its token is cancelled.
pub(crate) struct Session {
    log: Log,
    open: Open,
    inbox: mpsc::Sender<ClientJsonRpcMessage>,
    peer: Peer<RoleServer>,
    stop: CancellationToken,
    in_flight: InFlight,
}

/// The requests without an answer, each with its stream.
type Open = Arc<Mutex<OpenRequests<u64>>>;

/// What a POST led to.
pub(crate) enum Opened {
    /// Something to be answered: a stream.
    Stream(Reader),
    /// Nothing to be answered.
    Nothing,
}

impl Session {
    /// Starts a session. `ended` is called when it is over, for whatever
    /// reason.
    pub(crate) fn start(
        shared: &Shared,
        in_flight: &InFlight,
        principal: Arc<str>,
        log: Log,
        stop: CancellationToken,
        ended: impl FnOnce() + Send + 'static,
    ) -> Self {
        let in_flight = in_flight.part();
        let (inbox, messages) = mpsc::channel(INBOX);
        let open: Open = Arc::new(Mutex::new(OpenRequests::new(in_flight.clone())));
        let roots = SessionRoots::new(shared.service().clone(), false);
        let transport = SessionTransport {
            messages,
            log: log.clone(),
            open: Arc::clone(&open),
            service: shared.service().clone(),
            in_flight: in_flight.clone(),
            roots: Arc::clone(&roots),
        };
        let handler = Handler::new(shared.clone(), in_flight.clone(), principal, Some(roots));
        let running = rmcp::service::serve_directly_with_ct(
            Guarded(Front(handler)),
            transport,
            None,
            stop.clone(),
        );
        let peer = running.peer().clone();
        let of_loop = log.clone();
        tokio::spawn(async move {
            if let Err(error) = running.waiting().await {
                tracing::error!("a session failed: {error}");
            }
            of_loop.close();
            ended();
        });
        Self {
            log,
            open,
            inbox,
            peer,
            stop,
            in_flight,
        }
    }

    /// For how long nobody has listened, and nothing has been running but what
    /// waits for the client; none if somebody does, or something is.
    pub(crate) fn idle(&self) -> Option<Duration> {
        self.log.idle(self.in_flight.only_waits())
    }

    /// The session's streams.
    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// Whether `initialize` has been answered with a result.
    pub(crate) fn is_open(&self) -> bool {
        self.peer.peer_info().is_some()
    }

    /// Whether its revision has arrays of messages.
    pub(crate) fn takes_arrays(&self) -> bool {
        self.speaks(|version| *version == ProtocolVersion::V_2025_03_26)
    }

    /// Whether its revision begins a stream with an event that says nothing.
    pub(crate) fn primes(&self) -> bool {
        self.speaks(|version| *version >= ProtocolVersion::V_2025_11_25)
    }

    fn speaks(&self, what: impl FnOnce(&ProtocolVersion) -> bool) -> bool {
        self.peer
            .peer_info()
            .is_some_and(|info| what(&info.protocol_version))
    }

    /// Takes what came with one POST.
    pub(crate) async fn post(
        &self,
        messages: Vec<Result<Message, Wrong>>,
    ) -> Result<Opened, Refusal> {
        let answers = messages
            .iter()
            .filter(|message| match message {
                Ok(message) => message.kind() == Kind::Request,
                Err(_) => true,
            })
            .count();
        if answers == 0 {
            for message in messages.into_iter().flatten() {
                self.pass_on(message, STANDALONE).await?;
            }
            return Ok(Opened::Nothing);
        }
        let stream = self.log.open(answers);
        // Before anything can be said on it: what nobody reads and nobody
        // could ask for is not kept.
        let reader = self
            .log
            .read(stream, None)
            .map_err(|_| Refusal::busy("this session is about to end"))?;
        for message in messages {
            match message {
                Ok(message) => self.pass_on(message, stream).await?,
                Err(wrong) => self.answer_with(stream, wrong),
            }
        }
        Ok(Opened::Stream(reader))
    }

    fn answer_with(&self, stream: u64, wrong: Wrong) {
        let error = json(&ServerJsonRpcMessage::error(wrong.error, wrong.id));
        self.log.answer(stream, 200, &error, &error);
    }

    /// Gives a message to rmcp's loop, in the order in which they are noted.
    async fn pass_on(&self, message: Message, stream: u64) -> Result<(), Refusal> {
        let gone = || Refusal::busy("this session is about to end");
        let place = self.inbox.reserve().await.map_err(|_| gone())?;
        let mut open = lock(&self.open);
        match note(&mut open, *message.0, stream) {
            Ok(Noted::Pass(message)) => place.send(*message),
            Ok(Noted::GivenUp(message, stream)) => {
                place.send(*message);
                drop(open);
                self.log.give_up(stream);
            }
            Ok(Noted::Nothing) => {}
            Err(wrong) => {
                drop(open);
                self.answer_with(stream, wrong);
            }
        }
        Ok(())
    }

    /// Ends it: what runs is cancelled, and every stream ends.
    pub(crate) fn end(&self) {
        self.stop.cancel();
        self.log.close();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end();
    }
}

fn lock(open: &Open) -> MutexGuard<'_, OpenRequests<u64>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What becomes of a message.
enum Noted {
    Pass(Box<ClientJsonRpcMessage>),
    /// It gives up a request, whose answer would have gone to this stream.
    GivenUp(Box<ClientJsonRpcMessage>, u64),
    Nothing,
}

/// Gives a request a number of its own, and its cancellation the same.
fn note(
    open: &mut OpenRequests<u64>,
    mut message: ClientJsonRpcMessage,
    stream: u64,
) -> Result<Noted, Wrong> {
    match &mut message {
        JsonRpcMessage::Request(request) => {
            let refused = |why: &'static str, id: &RequestId| Wrong {
                error: ErrorData::invalid_request(why, None),
                id: Some(id.clone()),
            };
            if open.len() >= MAX_OPEN {
                let why = "too many requests of this session are still running";
                return Err(refused(why, &request.id));
            }
            let Some(number) = open.enter(&request.id, stream) else {
                let why = "a request with this id is still running";
                return Err(refused(why, &request.id));
            };
            request.id = number;
        }
        JsonRpcMessage::Notification(notification) => {
            if let ClientNotification::CancelledNotification(cancelled) =
                &mut notification.notification
                && let Some(id) = &mut cancelled.params.request_id
            {
                let Some((number, stream)) = open.give_up(id) else {
                    return Ok(Noted::Nothing);
                };
                *id = number;
                return Ok(Noted::GivenUp(Box::new(message), stream));
            }
        }
        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
    }
    Ok(Noted::Pass(Box::new(message)))
}

/// A session's messages as rmcp has them.
struct SessionTransport {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    log: Log,
    open: Open,
    service: Service,
    in_flight: InFlight,
    roots: Arc<SessionRoots>,
}

impl SessionTransport {
    /// Says what is no answer; returns the stream that an answer belongs to.
    fn take(&self, item: &mut ServerJsonRpcMessage) -> std::io::Result<Option<u64>> {
        let belongs = match item {
            JsonRpcMessage::Response(response) => {
                let Some((id, stream)) = lock(&self.open).answer(&response.id) else {
                    return Ok(None);
                };
                response.id = id;
                return Ok(Some(stream));
            }
            JsonRpcMessage::Error(error) => {
                let known = error.id.as_ref();
                let Some((id, stream)) = known.and_then(|id| lock(&self.open).answer(id)) else {
                    return Ok(None);
                };
                error.id = Some(id);
                return Ok(Some(stream));
            }
            JsonRpcMessage::Request(request) => request
                .request
                .extensions()
                .get::<OriginatingRequestId>()
                .map(|OriginatingRequestId(number)| number),
            JsonRpcMessage::Notification(notification) => notification
                .notification
                .extensions()
                .get::<OfCall>()
                .map(|OfCall(number)| number),
        };
        let stream = match belongs {
            Some(number) => lock(&self.open).about(number).copied(),
            None => Some(STANDALONE),
        };
        // Of a call that was given up nobody wants to hear.
        let said = stream.is_some_and(|stream| self.log.say(stream, &json(item)).is_ok());
        if !said && matches!(item, JsonRpcMessage::Request(_)) {
            return Err(std::io::Error::other("nobody is there to be asked"));
        }
        Ok(None)
    }
}

impl Transport<RoleServer> for SessionTransport {
    type Error = std::io::Error;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let taken = self.take(&mut item);
        let likely = || self.roots.likely();
        prepare_for_next(&item, &self.service, &self.in_flight, likely);
        let log = self.log.clone();
        answered(item, taken, move |answer, stream| {
            log.answer(stream, 200, &answer.json, &answer.instead);
        })
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.messages.recv().await?;
        self.roots.heard(&message);
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.log.close();
        Ok(())
    }
}
