//! The roots of a client of the handshake revisions, for one session.

#![expect(
    deprecated,
    reason = "2026-07-28 deprecates roots; until they are gone they are served"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use palisade_policy::ClientRoots;
use rmcp::ErrorData;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientResult, JsonRpcMessage, ListRootsRequest,
    ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, RoleServer};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::said::Said;
use super::{admit, cancelled};
use crate::service::{Narrowing, Service, View};

/// How long a client may take to say which roots it has.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is known of them.
pub(in crate::adapter) struct SessionRoots {
    service: Service,
    /// Whether the client hears requests that belong to none of its own. Over
    /// HTTP it need not listen but for answers, so there it is asked on the
    /// stream of a call.
    listens: bool,
    declared: AtomicBool,
    /// How often they have changed, as far as the client says so.
    changes: AtomicU64,
    asking: AtomicBool,
    known: watch::Sender<Known>,
    said: Said,
    end: CancellationToken,
}

/// The roots after so many changes, as what they leave.
#[derive(Clone, Default)]
struct Known {
    changes: u64,
    /// Of what is granted.
    generation: u64,
    view: View,
}

impl SessionRoots {
    pub(in crate::adapter) fn new(service: Service, listens: bool) -> Arc<Self> {
        Arc::new(Self {
            service,
            listens,
            declared: AtomicBool::new(false),
            changes: AtomicU64::new(0),
            asking: AtomicBool::new(false),
            known: watch::Sender::new(Known::default()),
            said: Said::default(),
            end: CancellationToken::new(),
        })
    }

    /// Takes note of what the client said it can when it opened the session.
    pub(in crate::adapter) fn opened(&self, declares: bool) {
        self.changes.fetch_add(1, Ordering::AcqRel);
        self.declared.store(declares, Ordering::Release);
        if !declares {
            self.said.change(Vec::new());
        }
    }

    /// Takes note of a message that has come, before any that comes later.
    pub(in crate::adapter) fn heard(&self, message: &ClientJsonRpcMessage) {
        if let JsonRpcMessage::Notification(notification) = message
            && let ClientNotification::RootsListChangedNotification(_) = notification.notification
        {
            self.changes.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Whether the client has roots that make a difference.
    pub(super) fn declared(&self) -> bool {
        self.declared.load(Ordering::Acquire)
            && self.service.client_roots() != ClientRoots::Ignore
            && self.service.has_directories()
    }

    /// What the next call is likely to see; none if that is not known.
    pub(in crate::adapter) fn likely(&self) -> Option<View> {
        if !self.declared() {
            return Some(admit::undeclared(&self.service, &self.said));
        }
        let known = self.known.borrow();
        self.is_now(&known).then(|| known.view.clone())
    }

    /// Nobody asks any more.
    pub(in crate::adapter) fn end(&self) {
        self.end.cancel();
    }

    /// What is said about it.
    pub(super) fn said(&self) -> &Said {
        &self.said
    }

    /// Asks if there is something to be asked, apart from any call.
    pub(in crate::adapter) fn ask_soon(self: &Arc<Self>, peer: &Peer<RoleServer>) {
        if !self.listens || !self.declared() || !self.is_behind() {
            return;
        }
        let peer = peer.clone();
        let roots = Arc::clone(self);
        // Boxed: small while nothing is asked.
        tokio::spawn(Box::pin(async move {
            while roots.is_behind() {
                let Some(turn) = roots.turn() else {
                    return;
                };
                if !roots.ask(&peer, &roots.end).await {
                    return;
                }
                drop(turn);
            }
        }));
    }

    /// What a call sees that begins now.
    ///
    /// # Errors
    ///
    /// If the call is cancelled meanwhile.
    pub(super) async fn view(
        self: &Arc<Self>,
        context: &RequestContext<RoleServer>,
    ) -> Result<View, ErrorData> {
        let wanted = self.changes.load(Ordering::Acquire);
        let generation = self.service.generation();
        let mut known = self.known.subscribe();
        loop {
            {
                let known = known.borrow_and_update();
                if known.changes >= wanted && known.generation >= generation {
                    return Ok(known.view.clone());
                }
            }
            if self.end.is_cancelled() {
                return Err(cancelled());
            }
            if self.listens {
                // Apart from this call, which may be cancelled.
                self.ask_soon(&context.peer);
            } else if let Some(turn) = self.turn() {
                if !self.ask(&context.peer, &context.ct).await {
                    return Err(cancelled());
                }
                drop(turn);
                continue;
            }
            tokio::select! {
                _ = known.changed() => {}
                () = context.ct.cancelled() => return Err(cancelled()),
            }
        }
    }

    fn is_behind(&self) -> bool {
        !self.is_now(&self.known.borrow())
    }

    /// Whether nothing has changed since.
    fn is_now(&self, known: &Known) -> bool {
        known.changes >= self.changes.load(Ordering::Acquire)
            && known.generation >= self.service.generation()
    }

    /// The right to ask, which nobody else has meanwhile.
    fn turn(&self) -> Option<Turn<'_>> {
        let taken = self.asking.swap(true, Ordering::AcqRel);
        // Made only if it is given: its end gives the right back.
        (!taken).then(|| Turn(self))
    }

    /// Asks, and takes the answer over. False if nobody wants it any more.
    async fn ask(&self, peer: &Peer<RoleServer>, end: &CancellationToken) -> bool {
        // What changes after this is asked anew.
        let changes = self.changes.load(Ordering::Acquire);
        let generation = self.service.generation();
        let narrowing = match answer(peer, end).await {
            Ok(Some(uris)) => self.service.narrow(uris).await,
            Ok(None) => return false,
            Err(why) => Narrowing::nothing(format!(
                "no granted directory is available: the client did not say which roots it has \
                 ({why}); start with --client-roots ignore not to ask it"
            )),
        };
        self.said.change(narrowing.warnings);
        self.known.send_replace(Known {
            changes,
            generation,
            view: narrowing.view,
        });
        true
    }
}

/// While there is one, nobody else asks.
struct Turn<'a>(&'a SessionRoots);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.asking.store(false, Ordering::Release);
        // Whoever waits may have to ask now.
        self.0.known.send_modify(|_| {});
    }
}

/// The client's roots, or in words why it does not say; none if nobody wants to
/// know any more.
async fn answer(
    peer: &Peer<RoleServer>,
    end: &CancellationToken,
) -> Result<Option<Vec<String>>, String> {
    let request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
    let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options());
    let mut handle = sent.await.map_err(|error| error.to_string())?;
    let answer = tokio::select! {
        answer = tokio::time::timeout(PATIENCE, &mut handle.rx) => answer,
        () = end.cancelled() => {
            let _ = handle.cancel(None).await;
            return Ok(None);
        }
    };
    let Ok(answer) = answer else {
        let why = format!("it has not answered within {} s", PATIENCE.as_secs());
        let _ = handle.cancel(Some(why.clone())).await;
        return Err(why);
    };
    match answer.map_err(|_| "the session has ended".to_owned())? {
        Ok(ClientResult::ListRootsResult(list)) => {
            Ok(Some(list.roots.into_iter().map(|root| root.uri).collect()))
        }
        Ok(_) => Err("its answer is no list of roots".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
