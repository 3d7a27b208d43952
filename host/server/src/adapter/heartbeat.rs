//! Progress that always rises, and never stays away for long.
//!
//! A client that asked for progress may give a call up that says nothing. So
//! the host speaks where the plugin is silent, and what is sent rises also
//! where the plugin starts over, as it does when it is called again with
//! answers.

use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Instant, Sleep};

/// How long a call may be silent before the host says that it goes on.
pub(super) const SILENCE: Duration = Duration::from_secs(15);

/// What the host's own progress adds, against what was sent before: nothing a
/// person would notice.
const STEP: f64 = 1e-6;

/// The progress of one call.
#[derive(Default)]
pub(super) struct Rising {
    last: Option<f64>,
    total: Option<f64>,
}

impl Rising {
    /// What to send for a plugin's own progress.
    pub(super) fn report(&mut self, progress: f64, total: Option<f64>) -> f64 {
        let sent = match self.last {
            Some(last) if progress <= last => above(last),
            _ => progress,
        };
        self.last = Some(sent);
        self.total = total;
        sent
    }

    /// What to send for a plugin that is silent.
    pub(super) fn beat(&mut self) -> (f64, Option<f64>) {
        let sent = self.last.map_or(0.0, above);
        self.last = Some(sent);
        (sent, self.total)
    }
}

/// A little more.
fn above(last: f64) -> f64 {
    let more = last + last.abs().max(1.0) * STEP;
    if more > last { more } else { last.next_up() }
}

/// When the host has to speak. Without a progress token: never.
pub(super) struct Heartbeat(Option<Pin<Box<Sleep>>>);

impl Heartbeat {
    pub(super) fn new(wanted: bool) -> Self {
        Self(wanted.then(|| Box::pin(tokio::time::sleep(SILENCE))))
    }

    /// Progress was sent.
    pub(super) fn heard(&mut self) {
        if let Some(due) = &mut self.0 {
            due.as_mut().reset(Instant::now() + SILENCE);
        }
    }

    /// Returns when nothing has been sent for too long.
    pub(super) async fn due(&mut self) {
        match &mut self.0 {
            Some(due) => due.as_mut().await,
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Rising;

    proptest! {
        #[test]
        fn whatever_is_said_it_rises(
            said in prop::collection::vec(prop::option::of(-1e300..1e300), 1..50)
        ) {
            let mut rising = Rising::default();
            let sent: Vec<_> = said
                .into_iter()
                .map(|said| match said {
                    Some(progress) => rising.report(progress, None),
                    None => rising.beat().0,
                })
                .collect();
            prop_assert!(sent.windows(2).all(|pair| pair[0] < pair[1]), "{sent:?}");
        }
    }

    #[test]
    fn a_plugin_that_rises_is_left_alone() {
        let mut rising = Rising::default();
        assert!((rising.report(0.0, Some(100.0))).abs() < f64::EPSILON);
        assert!((rising.report(50.0, Some(100.0)) - 50.0).abs() < f64::EPSILON);
        let (beat, total) = rising.beat();
        assert!(beat > 50.0 && beat < 50.001 && total == Some(100.0));
        assert!((rising.report(100.0, Some(100.0)) - 100.0).abs() < f64::EPSILON);
    }
}
