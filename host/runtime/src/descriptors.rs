//! How many files may be open at once, shared out among the calls.
//!
//! Each handle of a guest may stand for a file that this process holds open,
//! and a process that can open no more serves nobody. So what the system allows
//! is divided beforehand: a call can then take nothing from another.

use palisade_policy::Limits;

/// What the host keeps for itself: its own files, and connections over HTTP.
const OWN: u64 = 2048;

/// More than this is not asked for.
const ENOUGH: u64 = 1 << 16;

/// Connections a plugin may have beside the handles of its calls.
const CONNECTIONS: u64 = 128;

/// Fewer than this are no use.
const FEW: usize = 2;

/// Fewer handles than this are no use to a plugin.
const FEWEST: u64 = 8;

/// What one plugin may have open.
pub(crate) struct Descriptors {
    of_a_plugin: u64,
}

impl Descriptors {
    /// Divides what there is among this many plugins.
    pub(crate) fn shared_by(plugins: u32) -> Self {
        Self::divided(open_files(), plugins)
    }

    fn divided(all: u64, plugins: u32) -> Self {
        let of_a_plugin = guests(all) / u64::from(plugins.max(1));
        Self { of_a_plugin }
    }

    /// How many handles one call may hold at once.
    pub(crate) fn handles(&self, limits: &Limits) -> u32 {
        let share = self.of_a_plugin / u64::from(limits.concurrency.max(1));
        let share = u32::try_from(share.max(FEWEST)).unwrap_or(u32::MAX);
        limits.handles.min(share)
    }
}

/// What of all open files is for handles of guests.
fn guests(all: u64) -> u64 {
    all.saturating_sub(OWN).max(all / 2)
}

/// How many connections one of so many plugins may have beside the handles of
/// its calls; together they have half of what the host keeps for itself.
pub(crate) fn connections(plugins: u32) -> usize {
    usize::try_from(connections_of(open_files(), plugins)).unwrap_or(FEW)
}

fn connections_of(all: u64, plugins: u32) -> u64 {
    let own = all - guests(all);
    let share = own / 2 / u64::from(plugins.max(1));
    share.clamp(FEW as u64, CONNECTIONS)
}

/// Asks the system for as many open files as it allows this process, and returns
/// how many those are.
#[cfg(unix)]
pub fn open_files() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let now = limit.current.unwrap_or(ENOUGH);
    let most = limit.maximum.unwrap_or(ENOUGH).min(ENOUGH);
    let more = Rlimit {
        current: Some(most),
        ..limit
    };
    if now < most && setrlimit(Resource::Nofile, more).is_ok() {
        most
    } else {
        now
    }
}

/// Elsewhere there is no such limit.
#[cfg(not(unix))]
pub fn open_files() -> u64 {
    ENOUGH
}

#[cfg(test)]
mod tests {
    use super::{Descriptors, OWN, connections_of};
    use palisade_policy::Limits;

    #[test]
    fn all_calls_of_all_plugins_together_leave_the_host_what_it_needs() {
        for (all, plugins) in [(1024, 1), (1024, 4), (4096, 9), (20_000, 5), (65_536, 1)] {
            let limits = Limits::default();
            let one = Descriptors::divided(all, plugins).handles(&limits);
            let together = u64::from(one) * u64::from(limits.concurrency * plugins);
            let connections = connections_of(all, plugins) * u64::from(plugins);
            assert!(
                connections <= OWN.min(all / 2) / 2,
                "{connections} of {all}"
            );
            let host = OWN.min(all / 2);
            assert!(together + host <= all, "{one} of {all} for {plugins}");
        }
    }

    #[test]
    fn where_there_is_enough_the_limit_is_the_limit() {
        let limits = Limits::default();
        let shared = Descriptors::divided(20_000, 1);
        assert_eq!(shared.handles(&limits), limits.handles);
    }
}
