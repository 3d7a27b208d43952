//! The resources of all plugins, as one list.

use std::sync::Arc;
use std::time::Duration;

use palisade_runtime::Placement;
use palisade_runtime::contract::{Context, ErrorKind, ResourceInfo};

use super::{Member, Refusal, Run, Service};

/// How long one of several plugins may take to say which resources it has:
/// those of the others wait for it.
const PATIENCE: Duration = Duration::from_secs(10);

impl Service {
    /// Every resource there is now, of those plugins that can say so in time;
    /// a plugin that can't is left out.
    ///
    /// # Errors
    ///
    /// The first plugin's refusal, if none of them can say.
    pub async fn resources(
        &self,
        context: Context,
        run: Run,
    ) -> Result<Vec<ResourceInfo>, Refusal> {
        let patience = (self.0.members.len() > 1).then_some(PATIENCE);
        let listings = self
            .0
            .members
            .iter()
            .filter(|member| member.offered().resources)
            .map(|member| {
                let run = Run {
                    sink: Arc::clone(&run.sink),
                    cancel: run.cancel.clone(),
                    placement: Placement::Shared,
                    view: run.view.clone(),
                };
                let run = self.0.heard(run, member);
                let context = context.clone();
                async move { (member, listing(member, context, run, patience).await) }
            });
        let listings: Vec<_> = futures_util::future::join_all(listings).await;
        let mut resources = Vec::new();
        let mut refusal = None;
        let mut answered = listings.is_empty();
        for (member, listing) in listings {
            match listing {
                Ok(mut listed) => {
                    answered = true;
                    for resource in &mut listed {
                        resource.uri = self.0.naming.uri(member.name(), &resource.uri);
                    }
                    resources.extend(listed);
                }
                Err(error) => {
                    tracing::warn!(
                        "the resources of {} are left out: {}",
                        member.name(),
                        error.message
                    );
                    refusal.get_or_insert(error);
                }
            }
        }
        match refusal {
            Some(refusal) if !answered => Err(refusal),
            _ => Ok(resources),
        }
    }
}

/// One plugin's resources. Given up on, its call is stopped.
async fn listing(
    member: &Member,
    context: Context,
    run: Run,
    patience: Option<Duration>,
) -> Result<Vec<ResourceInfo>, Refusal> {
    let listing = member.resources(context, run);
    let Some(patience) = patience else {
        return listing.await;
    };
    tokio::time::timeout(patience, listing)
        .await
        .unwrap_or_else(|_| {
            Err(Refusal::new(
                ErrorKind::Internal,
                format!("it did not list them within {} s", patience.as_secs()),
            ))
        })
}
