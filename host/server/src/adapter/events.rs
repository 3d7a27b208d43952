//! What a guest says while a call runs, on its way to the client.

#![expect(
    deprecated,
    reason = "2026-07-28 deprecates logging; until it is gone it is served"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use palisade_runtime::contract::LogLevel;
use palisade_runtime::{CallEvent, EventSink};
use rmcp::model::{
    GetExtensions as _, LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParam,
    ProgressNotification, ProgressNotificationParam, ProgressToken, RequestId, ServerNotification,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::adapter::context::is_stateless;
use crate::adapter::heartbeat::{Heartbeat, Rising};

/// The levels in rising order of severity.
pub(super) const LEVELS: [LoggingLevel; 8] = [
    LoggingLevel::Debug,
    LoggingLevel::Info,
    LoggingLevel::Notice,
    LoggingLevel::Warning,
    LoggingLevel::Error,
    LoggingLevel::Critical,
    LoggingLevel::Alert,
    LoggingLevel::Emergency,
];

/// Where a level stands among [`LEVELS`].
pub(super) fn position(level: LoggingLevel) -> u8 {
    (0u8..)
        .zip(LEVELS)
        .find_map(|(position, other)| (other == level).then_some(position))
        .unwrap_or(0)
}

/// The end a guest writes to.
pub(super) struct Sink {
    events: mpsc::UnboundedSender<CallEvent>,
    waiting: Arc<AtomicUsize>,
}

/// Events that may wait for a client before progress is left out: it will be
/// told of later progress, and nothing else is told as often.
const WAITING: usize = 256;

impl EventSink for Sink {
    fn event(&self, event: CallEvent) {
        let waiting = self.waiting.fetch_add(1, Ordering::Relaxed);
        if waiting >= WAITING && matches!(event, CallEvent::Progress { .. }) {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        // Nobody listens any more once the call is over. What one call can
        // queue here is bounded by its allowances in the runtime.
        let _ = self.events.send(event);
    }
}

/// Beside a notification, never sent: the call it belongs to. A transport that
/// has a stream for every call sends it there.
#[derive(Debug, Clone)]
pub(super) struct OfCall(pub(super) RequestId);

/// The end that a session reads and sends on.
pub(super) struct Outlet {
    events: mpsc::UnboundedReceiver<CallEvent>,
    waiting: Arc<AtomicUsize>,
    peer: Peer<RoleServer>,
    call: RequestId,
    token: Option<ProgressToken>,
    /// Cancelled with the call: after that the token may belong to another.
    cancel: CancellationToken,
    /// The least severe level that is passed on; none passes nothing.
    level: Option<u8>,
    rising: Rising,
}

/// `session_level` is what `logging/setLevel` asked for; a stateless request
/// names its own or gets no messages.
pub(super) fn channel(context: &RequestContext<RoleServer>, session_level: u8) -> (Sink, Outlet) {
    let (sender, events) = mpsc::unbounded_channel();
    let level = if is_stateless(context) {
        context.meta.log_level().map(position)
    } else {
        Some(session_level)
    };
    let waiting = Arc::new(AtomicUsize::new(0));
    let outlet = Outlet {
        events,
        waiting: Arc::clone(&waiting),
        peer: context.peer.clone(),
        call: context.id.clone(),
        token: context.meta.get_progress_token(),
        cancel: context.ct.clone(),
        level,
        rising: Rising::default(),
    };
    let sink = Sink {
        events: sender,
        waiting,
    };
    (sink, outlet)
}

impl Outlet {
    /// Runs `call`, sending on what comes meanwhile, and progress of the host's
    /// own where none comes. All of it has been written when this returns, so
    /// that nothing follows the result.
    pub(super) async fn forward_while<T>(&mut self, call: impl Future<Output = T>) -> T {
        let mut call = std::pin::pin!(call);
        let mut heartbeat = Heartbeat::new(self.token.is_some());
        let done = loop {
            tokio::select! {
                biased;
                Some(event) = self.events.recv() => {
                    if matches!(event, CallEvent::Progress { .. }) {
                        heartbeat.heard();
                    }
                    self.pass_on(event).await;
                }
                done = &mut call => break done,
                () = heartbeat.due() => {
                    heartbeat.heard();
                    let (progress, total) = self.rising.beat();
                    if let Some(beat) = self.progress(progress, total, None) {
                        self.send(beat).await;
                    }
                }
            }
        };
        while let Ok(event) = self.events.try_recv() {
            self.pass_on(event).await;
        }
        done
    }

    async fn pass_on(&mut self, event: CallEvent) {
        if let Some(notification) = self.notification(event) {
            self.send(notification).await;
        }
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    async fn send(&self, mut notification: ServerNotification) {
        let call = OfCall(self.call.clone());
        notification.extensions_mut().insert(call);
        if let Err(error) = self.peer.send_notification(notification).await {
            tracing::debug!("a notification could not be sent: {error}");
        }
    }

    /// None if nobody asked for it, or nobody waits any more.
    fn progress(
        &self,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> Option<ServerNotification> {
        if self.cancel.is_cancelled() {
            return None;
        }
        let mut param = ProgressNotificationParam::new(self.token.clone()?, progress);
        param.total = total;
        param.message = message;
        Some(ServerNotification::ProgressNotification(
            ProgressNotification::new(param),
        ))
    }

    fn notification(&mut self, event: CallEvent) -> Option<ServerNotification> {
        if self.cancel.is_cancelled() {
            return None;
        }
        match event {
            CallEvent::Log {
                level,
                logger,
                data,
            } => {
                let level = level_of(level);
                if position(level) < self.level? {
                    return None;
                }
                let mut message = LoggingMessageNotificationParam::new(level, data);
                message.logger = logger;
                Some(ServerNotification::LoggingMessageNotification(
                    LoggingMessageNotification::new(message),
                ))
            }
            CallEvent::Progress {
                progress,
                total,
                message,
            } => {
                let progress = self.rising.report(progress, total);
                self.progress(progress, total, message)
            }
            // For everybody: the hub has them.
            _ => None,
        }
    }
}

fn level_of(level: LogLevel) -> LoggingLevel {
    LEVELS[level as usize]
}
