//! `palisade run`: serve plugins over standard input and output, or HTTP.

use std::process::ExitCode;

use palisade_hardening::Wall;
use palisade_server::{Service, serve_stdio};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::args::RunArgs;
use crate::commands::run_http;
use crate::failure::Failure;
use crate::installed::watch::{self, Seen};
use crate::outside::Ways;
use crate::places::Places;
use crate::prepare::{prepare_as, runtime};
use crate::{logging, scopes, several, wall};

/// Serves until the client closes the stream or the process is told to end.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    // Before anything that takes time.
    let http = run_http::options(&args.http)?;
    wall::check(args.hardening)?;
    // On the thread that is behind the wall later; it starts none.
    let runtime = runtime()?;
    let mut needs = Wall::default();
    let places = Places::find().map(|places| places.with_secret(&run_http::secrets(&args.http)));
    let (service, seen) = service(args, places, &mut needs)?;
    let service = service.with_client_roots(args.client_roots.into());
    let watching = service.clone();
    let build_wall = || {
        wall::build(&needs, args.hardening)?;
        watch::start(&watching, seen)
    };
    if let Some(options) = http {
        return run_http::run(&runtime, options, service, build_wall);
    }
    build_wall()?;
    // Everything that runs a plugin, or reads what a client sends, begins here.
    let _log = logging::in_background();
    give_memory_back();
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

/// What is to be served; what it is granted is kept within reach.
fn service(
    args: &RunArgs,
    places: Option<Places>,
    needs: &mut Wall,
) -> Result<(Service, Vec<(usize, Seen)>), Failure> {
    let [only] = args.plugins.as_slice() else {
        let (places, compile) = (places.as_ref(), args.compile);
        let ways = Ways::new(args.network, args.plugins.len());
        return several::service(&args.plugins, &args.grants, compile, places, &ways, needs);
    };
    let granted = || scopes::for_one(&args.grants);
    let name = only.name.as_deref();
    let prepared = prepare_as(&only.file, name, args.compile, places, granted)?;
    prepared.tell_unused();
    prepared.keep(needs);
    let (service, seen) = prepared.service(&Ways::new(args.network, 1))?;
    Ok((service, vec![(0, seen)]))
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

/// What a large result or a crowd of clients took is given back to the system once
/// it is gone, also if nothing happens afterwards: the allocator does so by itself
/// only where it is used again, and a thread's own part of it may never be.
pub(super) fn give_memory_back() {
    #[cfg(target_os = "linux")]
    if let Err(error) = tikv_jemalloc_ctl::background_thread::write(true) {
        tracing::debug!("memory that is free stays with this process: {error}");
    }
}
