//! `palisade dev`: serve a project, and again whenever a file is saved.

use std::io::{BufReader, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use clap::Parser as _;

use crate::args::{Cli, Command, DevArgs};
use crate::dev::{Event, Line, Proxy, builder, next_line, watch};
use crate::failure::{self, Failure};
use crate::output::error_line;
use crate::project::Project;

/// Longest line of a client, in bytes, as in `palisade run`.
const MOST: u64 = 16 * 1024 * 1024;

/// Events that wait to be looked at; who makes more waits.
const EVENTS: usize = 64;

/// How often it is looked whether the process is told to end.
const LOOK: Duration = Duration::from_millis(100);

/// How long hosts may take to end: a call that runs has five seconds.
const ENDING: Duration = Duration::from_secs(8);

/// Serves until the client closes the stream or the process is told to end.
pub(crate) fn run(args: &DevArgs) -> Result<ExitCode, Failure> {
    if let Some(code) = wrong_flags(args)? {
        return Ok(code);
    }
    // A manifest that can't be read is most likely another folder.
    let project = Project::read(&args.folder)?;
    let keep = |error| Failure::because("what is built can't be kept", &error);
    let packages = tempfile::tempdir().map_err(keep)?;
    let told_to_end = told_to_end()?;
    error_line(
        "palisade: what is served stands behind the walls of `palisade run`; \
         this process, which builds, does not",
    );

    let (events, happening) = sync_channel(EVENTS);
    watch(args.folder.clone(), project.is_cargos(), events.clone());
    let into = packages.path().to_owned();
    let build = builder(args.folder.clone(), into, events.clone());
    read_client(events.clone());
    let (client, written) = write_client(events.clone());
    let proxy = Proxy::new(args.flags.clone(), events, client);
    let session = Session {
        proxy,
        build,
        building: false,
        changed: true,
        ended: false,
        failed: false,
    };
    let served = session.serve(&happening, &told_to_end);
    if !told_to_end.load(Ordering::Relaxed) {
        // What was said last is still on its way.
        let _ = written.join();
    }
    // Why not has been told.
    Ok(match served {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

struct Session {
    proxy: Proxy,
    build: Sender<()>,
    /// Whether a build is under way.
    building: bool,
    /// Whether something was saved since it was begun.
    changed: bool,
    /// Whether the client is gone.
    ended: bool,
    /// Whether the last build failed.
    failed: bool,
}

impl Session {
    /// Until the end; whether that is a good one: something was served, or nobody
    /// wanted it any more.
    fn serve(mut self, happening: &Receiver<Event>, told_to_end: &AtomicBool) -> bool {
        while !told_to_end.load(Ordering::Relaxed) {
            if self.changed && !self.building && !self.ended_for_good() {
                self.changed = false;
                self.building = self.build.send(()).is_ok();
            }
            if self.ended_for_good() {
                break;
            }
            match happening.recv_timeout(LOOK) {
                Ok(event) => self.handle(event, false),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.proxy.close();
        let deadline = Instant::now() + ENDING;
        while !self.proxy.is_over() && Instant::now() < deadline {
            if let Ok(event) = happening.recv_timeout(LOOK) {
                self.handle(event, true);
            }
        }
        self.proxy.kill();
        self.proxy.has_served() || told_to_end.load(Ordering::Relaxed)
    }

    /// Whether nothing is left to be done for a client that is gone. What it
    /// sent before there was anything to serve is still answered.
    fn ended_for_good(&self) -> bool {
        let coming = self.building || self.proxy.is_starting();
        let never_tried = self.changed && !self.failed && !self.proxy.is_serving();
        self.ended && !coming && !never_tried
    }

    fn handle(&mut self, event: Event, closing: bool) {
        match event {
            Event::Client(line) => self.proxy.client_said(line),
            Event::ClientTooLong => self.proxy.too_long(),
            Event::ClientEnd => self.ended = true,
            Event::Host(number, line) => self.proxy.host_said(number, line),
            Event::HostEnd(number) => self.proxy.host_ended(number, closing),
            Event::Changed => self.changed = true,
            Event::Built(made) => {
                self.building = false;
                self.failed = made.is_err();
                match made {
                    Ok(Some(ready)) if !closing => self.proxy.start(ready),
                    Ok(None) if !closing => self.proxy.start_again(),
                    Ok(_) => {}
                    Err(failure) => {
                        failure.report();
                        let stays = match self.proxy.is_serving() {
                            true => "what was served before stays",
                            false => "nothing is served until it builds",
                        };
                        error_line(&format!("palisade: {stays}"));
                    }
                }
            }
        }
    }
}

/// Looks at the flags as `palisade run` will, before anything is built.
fn wrong_flags(args: &DevArgs) -> Result<Option<ExitCode>, Failure> {
    let words = ["palisade", "run", "plugin.wasm"].map(Into::into);
    let words = words.into_iter().chain(args.flags.iter().cloned());
    let run = match Cli::try_parse_from(words) {
        Ok(Cli {
            command: Command::Run(run),
        }) => run,
        Ok(_) => return Ok(None),
        Err(error) => return Ok(Some(failure::of_arguments(&error))),
    };
    if run.http.address.is_some() {
        return Err(Failure::usage("`palisade dev` serves over stdio alone")
            .remedy("for HTTP, pack the project and use `palisade run FILE --http`"));
    }
    if run.plugins.len() > 1 {
        return Err(Failure::usage("`palisade dev` serves one project")
            .remedy("to serve several plugins, pack them and use `palisade run`"));
    }
    Ok(None)
}

/// Set when the process is told to end; told again, it ends at once.
fn told_to_end() -> Result<Arc<AtomicBool>, Failure> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let told = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 1, Arc::clone(&told))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&told)))
            .map_err(|error| {
                Failure::because("the system refused what this process needs", &error)
            })?;
    }
    Ok(told)
}

/// Reads what the client sends, on a thread of its own.
fn read_client(events: SyncSender<Event>) {
    thread::spawn(move || {
        let mut reader = BufReader::new(std::io::stdin());
        loop {
            let event = match next_line(&mut reader, MOST) {
                Line::Whole(line) => Event::Client(line),
                Line::TooLong => Event::ClientTooLong,
                Line::End => Event::ClientEnd,
            };
            let last = matches!(event, Event::ClientEnd);
            if events.send(event).is_err() || last {
                return;
            }
        }
    });
}

/// Writes what the client is sent, on a thread of its own: one that does not
/// read must not stop anything else.
fn write_client(events: SyncSender<Event>) -> (Sender<Vec<u8>>, JoinHandle<()>) {
    let (client, lines) = channel::<Vec<u8>>();
    let written = thread::spawn(move || {
        let mut out = std::io::stdout();
        for mut line in lines {
            line.push(b'\n');
            if out.write_all(&line).and_then(|()| out.flush()).is_err() {
                let _ = events.try_send(Event::ClientEnd);
                return;
            }
        }
    });
    (client, written)
}
