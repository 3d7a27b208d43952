//! News on their way to one client.

use std::sync::Arc;

use rmcp::model::{
    PromptListChangedNotification, ResourceListChangedNotification, ResourceUpdatedNotification,
    ResourceUpdatedNotificationParam, ServerNotification, SubscriptionFilter,
    ToolListChangedNotification,
};
use rmcp::service::{Peer, RoleServer, SubscriptionContext};
use tokio_util::sync::CancellationToken;

use crate::hub::{Hub, News, Watch};
use crate::service::Service;

/// Tells a session of the handshake revisions what it wants to know, until
/// `end`.
pub(super) async fn tell(watch: Arc<Watch>, peer: Peer<RoleServer>, end: CancellationToken) {
    loop {
        let news = tokio::select! {
            news = watch.news() => news,
            () = end.cancelled() => return,
        };
        for notification in notifications(news) {
            if let Err(error) = peer.send_notification(notification).await {
                tracing::debug!("news could not be sent: {error}");
                return;
            }
        }
    }
}

/// Serves one subscription of a stateless client to its end, or to `end`.
pub(super) async fn listen(hub: &Hub, context: SubscriptionContext, end: &CancellationToken) {
    let watch = hub.watch();
    let accepted = context.accepted();
    watch.lists(
        accepted.tools_list_changed == Some(true),
        accepted.prompts_list_changed == Some(true),
        accepted.resources_list_changed == Some(true),
    );
    for uri in accepted.resource_subscriptions.iter().flatten() {
        // Which ones are too many or too long was decided when they were
        // accepted.
        if let Err(problem) = watch.subscribe(uri.clone()) {
            tracing::debug!("not subscribed: {problem}");
        }
    }
    loop {
        let news = tokio::select! {
            news = watch.news() => news,
            () = context.cancelled() => return,
            () = end.cancelled() => return,
        };
        for notification in notifications(news) {
            if let Err(error) = context.sink().send(notification).await {
                tracing::debug!("news could not be sent: {error}");
                return;
            }
        }
    }
}

/// As much of a filter as one subscription may hold, of what is served.
pub(super) fn accepted(requested: &SubscriptionFilter, service: &Service) -> SubscriptionFilter {
    let mut accepted = requested.clone();
    if let Some(uris) = &mut accepted.resource_subscriptions {
        let watch = Watch::default();
        uris.retain(|uri| {
            service.check_address(uri).is_ok() && watch.subscribe(uri.clone()).is_ok()
        });
    }
    accepted
}

fn notifications(news: News) -> Vec<ServerNotification> {
    let mut all = Vec::new();
    if news.tools {
        all.push(ToolListChangedNotification::default().into());
    }
    if news.prompts {
        all.push(PromptListChangedNotification::default().into());
    }
    if news.resources {
        all.push(ResourceListChangedNotification::default().into());
    }
    all.extend(news.uris.into_iter().map(|uri| {
        let param = ResourceUpdatedNotificationParam::new(uri);
        ServerNotification::from(ResourceUpdatedNotification::new(param))
    }));
    all
}
