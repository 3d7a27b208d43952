//! `palisade run`: serve a plugin over standard input and output, or HTTP.

use std::process::ExitCode;

use palisade_policy::RowKind;
use palisade_server::serve_stdio;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::args::RunArgs;
use crate::commands::run_http;
use crate::failure::Failure;
use crate::prepare::{Prepared, prepare, runtime};

/// Serves until the client closes the stream or the process is told to end.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    // Before anything that takes time.
    let http = run_http::options(&args.http)?;
    let runtime = runtime()?;
    let prepared = prepare(&runtime, &args.plugin, &args.grants)?;
    tell_unused(&prepared);
    let service = prepared.service()?;
    if let Some(options) = http {
        drop(runtime);
        return run_http::run(options, service);
    }
    let stop = CancellationToken::new();
    let served = runtime.block_on(async {
        let signal = cancel_on_signal(stop.clone());
        let served = serve_stdio(service, stop).await;
        signal.abort();
        served
    });
    // A read of a terminal can't be called off; it must not hold up the end.
    runtime.shutdown_background();
    served.map_err(|error| Failure::because("the session broke off", &error))?;
    Ok(ExitCode::SUCCESS)
}

/// A directory that was granted and has no effect is most likely a slip.
fn tell_unused(prepared: &Prepared) {
    for row in &prepared.decision.rows {
        if row.kind == RowKind::Folder && row.granted.is_some() && row.effective.is_none() {
            tracing::warn!(
                "{} is granted but {} does not get it: {}",
                row.what,
                prepared.name,
                row.why.as_deref().unwrap_or("not asked for")
            );
        }
    }
}

/// Cancels `stop` when the process is told to end. Signals are listened for
/// when this returns.
#[cfg(unix)]
pub(super) fn cancel_on_signal(stop: CancellationToken) -> JoinHandle<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    );
    tokio::spawn(async move {
        let (Ok(mut interrupt), Ok(mut terminate)) = signals else {
            return;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        stop.cancel();
    })
}

#[cfg(not(unix))]
pub(super) fn cancel_on_signal(stop: CancellationToken) -> JoinHandle<()> {
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.cancel();
        }
    })
}
