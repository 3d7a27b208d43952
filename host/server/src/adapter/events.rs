//! What a guest says while a call runs, on its way to the client.

#![expect(
    deprecated,
    reason = "2026-07-28 deprecates logging; until it is gone it is served"
)]

use palisade_runtime::contract::LogLevel;
use palisade_runtime::{CallEvent, EventSink};
use rmcp::model::{
    LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParam,
    ProgressNotification, ProgressNotificationParam, ProgressToken, ServerNotification,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::mpsc;

use crate::adapter::context::is_stateless;

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
pub(super) struct Sink(mpsc::UnboundedSender<CallEvent>);

impl EventSink for Sink {
    fn event(&self, event: CallEvent) {
        // Nobody listens any more once the call is over. What one call can
        // queue here is bounded by its allowances in the runtime.
        let _ = self.0.send(event);
    }
}

/// The end that a session reads and sends on.
pub(super) struct Outlet {
    events: mpsc::UnboundedReceiver<CallEvent>,
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    /// The least severe level that is passed on; none passes nothing.
    level: Option<u8>,
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
    let outlet = Outlet {
        events,
        peer: context.peer.clone(),
        token: context.meta.get_progress_token(),
        level,
    };
    (Sink(sender), outlet)
}

impl Outlet {
    /// Runs `call`, sending on what comes meanwhile. All of it has been
    /// written when this returns, so that nothing follows the result.
    pub(super) async fn forward_while<T>(&mut self, call: impl Future<Output = T>) -> T {
        let mut call = std::pin::pin!(call);
        let done = loop {
            tokio::select! {
                biased;
                Some(event) = self.events.recv() => self.send(event).await,
                done = &mut call => break done,
            }
        };
        while let Ok(event) = self.events.try_recv() {
            self.send(event).await;
        }
        done
    }

    async fn send(&self, event: CallEvent) {
        let Some(notification) = self.notification(event) else {
            return;
        };
        if let Err(error) = self.peer.send_notification(notification).await {
            tracing::debug!("a notification could not be sent: {error}");
        }
    }

    fn notification(&self, event: CallEvent) -> Option<ServerNotification> {
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
                let mut param = ProgressNotificationParam::new(self.token.clone()?, progress);
                param.total = total;
                param.message = message;
                Some(ServerNotification::ProgressNotification(
                    ProgressNotification::new(param),
                ))
            }
            // Neither capability is advertised: nobody can have asked for it.
            _ => None,
        }
    }
}

fn level_of(level: LogLevel) -> LoggingLevel {
    LEVELS[level as usize]
}
