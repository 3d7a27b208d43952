//! `palisade run --http`: serve a plugin over HTTP.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use palisade_server::{Access, HttpError, HttpOptions, HttpServer, Service, Tls, TlsError, Tokens};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::args::HttpArgs;
use crate::commands::run::cancel_on_signal;
use crate::failure::Failure;
use crate::files::{read_file, read_text};
use crate::logging;
use crate::output;
use crate::prepare::runtime_of_many;

/// Variable that holds a token, where no file does.
const TOKEN: &str = "PALISADE_TOKEN";

/// Largest certificate or key that is read, in bytes.
const MAX_PEM: u64 = 1024 * 1024;

/// How to serve over HTTP, if that is asked for.
pub(crate) fn options(args: &HttpArgs) -> Result<Option<HttpOptions>, Failure> {
    let Some(address) = args.address else {
        return Ok(None);
    };
    let mut options = HttpOptions::new(address, access(args)?);
    if options.access == Access::Anyone && !address.ip().is_loopback() {
        return Err(open());
    }
    options.tls = tls(args)?;
    options.hosts.clone_from(&args.hosts);
    options.origins.clone_from(&args.origins);
    options.limits.session_idle = Duration::from_secs(args.session_idle.into());
    options.limits.sessions = usize::try_from(args.max_sessions).unwrap_or(usize::MAX);
    Ok(Some(options))
}

/// The files by which this server knows its clients, and is known by them.
pub(crate) fn secrets(args: &HttpArgs) -> Vec<PathBuf> {
    let files = [&args.token_file, &args.tls_key];
    files.into_iter().flatten().cloned().collect()
}

/// Serves until the process is told to end. The wall is built once the server
/// listens, and before there is any thread that serves.
pub(crate) fn run(
    first: &Runtime,
    options: HttpOptions,
    service: Service,
    build_wall: impl FnOnce() -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let unencrypted = options.tls.is_none() && !options.address.ip().is_loopback();
    let server = first
        .block_on(HttpServer::bind(options))
        .map_err(not_served)?;
    build_wall()?;
    let _log = logging::in_background();
    let runtime = runtime_of_many()?;
    super::run::give_memory_back();
    let stop = CancellationToken::new();
    let served = runtime.block_on(async {
        if unencrypted {
            tracing::warn!(
                "tokens and all that is said travel unencrypted; \
                 give --tls-cert and --tls-key, or put a server with TLS in front"
            );
        }
        let signal = cancel_on_signal(stop.clone());
        let (name, url) = (&service.identity().name, server.url());
        output::error_line(&format!("palisade: serving {name} at {url}"));
        let served = server.serve(service, stop).await;
        signal.abort();
        served
    });
    runtime.shutdown_background();
    served.map_err(not_served)?;
    Ok(ExitCode::SUCCESS)
}

fn not_served(error: HttpError) -> Failure {
    match error {
        HttpError::Open => open(),
        error => Failure::because("nothing is served", &error)
            .remedy("give another --http ADDRESS:PORT; port 0 takes any that is free"),
    }
}

/// A server that others can reach and that asks nobody who they are.
fn open() -> Failure {
    Failure::usage("a server that other machines can reach needs a token")
        .remedy("give --token-file FILE, or listen at 127.0.0.1")
}

fn access(args: &HttpArgs) -> Result<Access, Failure> {
    let (text, place) = match (&args.token_file, std::env::var_os(TOKEN)) {
        (Some(file), _) => {
            let place = file.display().to_string();
            let text = read_text(file).map_err(|error| {
                Failure::because(format!("the token in {place} can't be read"), &error)
                    .remedy("give --token-file FILE, a file with a token a line")
            })?;
            (text, place)
        }
        (None, Some(_)) if args.no_auth => {
            let both = format!("{TOKEN} is set, and --no-auth says that no token is asked for");
            return Err(Failure::usage(both).remedy("drop one of them"));
        }
        (None, Some(token)) => (
            token.to_string_lossy().into_owned(),
            format!("the variable {TOKEN}"),
        ),
        (None, None) if args.no_auth => return Ok(Access::Anyone),
        (None, None) => {
            return Err(Failure::usage(
                "a server over HTTP needs a token by which it knows its clients",
            )
            .remedy(format!(
                "give --token-file FILE or set {TOKEN}; \
                         on a machine of your own, --no-auth does without"
            )));
        }
    };
    Tokens::parse(&text).map(Access::Tokens).map_err(|error| {
        Failure::because(format!("{place} can't be used"), &error)
            .remedy("make a token with, for example, `openssl rand -hex 32`")
    })
}

fn tls(args: &HttpArgs) -> Result<Option<Tls>, Failure> {
    let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) else {
        return Ok(None);
    };
    let read = |file: &std::path::Path| {
        read_file(file, MAX_PEM)
            .map_err(|error| Failure::because(format!("{} can't be read", file.display()), &error))
    };
    let pem = (read(certificate)?, read(key)?);
    Tls::from_pem(&pem.0, &pem.1).map(Some).map_err(|error| {
        let file = match error {
            TlsError::Key => key,
            _ => certificate,
        };
        Failure::because(format!("{} can't be used", file.display()), &error)
            .remedy("give --tls-cert and --tls-key, both in PEM, that belong together")
    })
}
