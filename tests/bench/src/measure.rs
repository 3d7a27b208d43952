//! One server's part of one round.

use std::time::Duration;

use anyhow::Context as _;

use crate::args::Name;
use crate::calls::Calls;
use crate::contender::Contender;
use crate::exchange::{pipelined, sequential};
use crate::metrics::{Metric, Numbers};
use crate::plan::{Files, LARGE, Plan};
use crate::server::Server;
use crate::session::{Era, FIRST_CALL};
use crate::stats::{median, percentile};
use crate::watchdog::Watchdog;

/// What all measurements share.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) plan: Plan,
    pub(crate) files: Files,
    pub(crate) watchdog: Watchdog,
}

impl Bench {
    /// Start times: the first with nothing cached, then the middle of several.
    pub(crate) fn starts(
        &self,
        contender: &Contender,
        numbers: &mut Numbers,
    ) -> anyhow::Result<()> {
        contender.forget()?;
        let first = self.start(contender, Era::Handshake)?;
        if contender.kind == Name::Palisade {
            // The others keep nothing between starts.
            numbers.set(Metric::FirstStartMs, millis(first.start));
        }
        first.stop();
        let mut times = Vec::new();
        for _ in 0..self.plan.starts(contender.kind) {
            let server = self.start(contender, Era::Handshake)?;
            times.push(millis(server.start));
            server.stop();
        }
        numbers.set_some(Metric::StartMs, median(times));
        Ok(())
    }

    /// Calls one at a time and many in flight, and the memory they take.
    pub(crate) fn calls(&self, contender: &Contender, numbers: &mut Numbers) -> anyhow::Result<()> {
        let Plan {
            warm_up,
            calls,
            pipelined: many,
            large,
            ..
        } = self.plan;
        let small_calls = Calls::new(&self.files.small, Era::Handshake)?;
        let large_calls = Calls::new(std::slice::from_ref(&self.files.large), Era::Handshake)?;

        let mut server = self.start(contender, Era::Handshake)?;
        numbers.set(Metric::IdleMb, megabytes(server.memory()?.resident));

        let (mut times, time) = server.talk(|link| {
            let id = FIRST_CALL;
            sequential(link, &small_calls, id, warm_up)?;
            let times = sequential(link, &small_calls, id + warm_up, calls)?;
            // Other parts of the server may be new to calls that overlap.
            pipelined(link, &small_calls, id + warm_up + calls, warm_up)?;
            let time = pipelined(link, &small_calls, id + 2 * warm_up + calls, many)?;
            Ok((times, time))
        })?;
        numbers.set_some(Metric::CallP50Us, percentile(&mut times, 50).map(micros));
        numbers.set_some(Metric::CallP99Us, percentile(&mut times, 99).map(micros));
        numbers.set(Metric::Throughput, rate(many, time));
        let memory = server.memory()?;
        numbers.set(Metric::LoadedMb, megabytes(memory.resident));
        numbers.set(Metric::LoadedShareMb, megabytes(memory.proportional));
        numbers.set(Metric::PeakMb, megabytes(memory.peak));

        let id = FIRST_CALL + 2 * warm_up + calls + many;
        let time = server.talk(|link| pipelined(link, &large_calls, id, large))?;
        numbers.set(
            Metric::LargeThroughput,
            rate(large * LARGE as u64, time) / 1e6,
        );
        numbers.set(Metric::LargePeakMb, megabytes(server.memory()?.peak));
        server.stop();
        Ok(())
    }

    /// Calls one at a time in the revision without a handshake.
    pub(crate) fn stateless(
        &self,
        contender: &Contender,
        numbers: &mut Numbers,
    ) -> anyhow::Result<()> {
        let Plan { warm_up, calls, .. } = self.plan;
        let small_calls = Calls::new(&self.files.small, Era::Stateless)?;
        let mut server = self.start(contender, Era::Stateless)?;
        let mut times = server.talk(|link| {
            sequential(link, &small_calls, FIRST_CALL, warm_up)?;
            sequential(link, &small_calls, FIRST_CALL + warm_up, calls)
        })?;
        numbers.set_some(
            Metric::StatelessP50Us,
            percentile(&mut times, 50).map(micros),
        );
        numbers.set_some(
            Metric::StatelessP99Us,
            percentile(&mut times, 99).map(micros),
        );
        server.stop();
        Ok(())
    }

    fn start(&self, contender: &Contender, era: Era) -> anyhow::Result<Server> {
        Server::start(contender, era, &self.watchdog, self.plan.patience)
            .with_context(|| format!("revision {}", era.revision()))
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^53")]
fn rate(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// Megabytes of 1,000,000 bytes.
#[expect(clippy::cast_precision_loss, reason = "no size here comes near 2^53")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
