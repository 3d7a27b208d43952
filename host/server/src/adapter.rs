//! The one module that knows the `rmcp` crate: its wire types, its service
//! loop, its lifecycle rules, and what it leaves to a server.

use std::sync::Arc;

use palisade_runtime::contract::Tool;
use tokio_util::sync::CancellationToken;

use crate::outcome::Checked;
use crate::service::Service;
use crate::stdio::ServeError;
use crate::wire::{Input, Output};

mod asking;
mod batch;
mod client_roots;
mod context;
mod convert;
mod decode;
mod downgrade;
mod events;
mod front;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod handler;
mod heartbeat;
pub(crate) mod http;
mod large;
mod news;
mod open;
mod refusal;
mod requests;
mod shared;
mod tasks;
mod transport;

use client_roots::SessionRoots;
use front::Front;
use handler::Handler;
pub(crate) use open::{Counting, InFlight};
pub(crate) use shared::Shared;
use transport::{End, LineTransport};

/// Runs one session to its end.
pub(crate) async fn serve(
    service: Service,
    input: Input,
    output: Output,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let in_flight = InFlight::default();
    let shared = Shared::new(service.clone(), stop.clone()).map_err(ServeError::Random)?;
    let tasks = Arc::clone(shared.tasks());
    // Of this session alone: how it ends is not how the process does.
    let stop = stop.child_token();
    let end = End {
        news: shared.news_end().clone(),
        input: shared.input_end().clone(),
        session: stop.clone(),
    };
    let roots = SessionRoots::new(service.clone(), true);
    let handler = Handler::new(
        shared,
        in_flight.clone(),
        "".into(),
        Some(Arc::clone(&roots)),
    );
    let transport = LineTransport::new(input, output, in_flight, service, roots, end);
    // Directly: rmcp's own opening ends the session at an unexpected first
    // message and binds it to one lifecycle. `Front` does both per request.
    let running = rmcp::service::serve_directly_with_ct(Front(handler), transport, None, stop);
    let ended = running.waiting().await;
    // Nobody is left who could ask for what they come to.
    tasks.end();
    ended.map(drop).map_err(ServeError::Session)
}

/// A tool as a client sees it.
pub(crate) fn tool_json(tool: &Tool) -> serde_json::Result<serde_json::Value> {
    serde_json::to_value(convert::tool(tool))
}

/// A result as it would be sent to a client of the handshake revisions.
pub(crate) fn result_json(checked: Checked) -> serde_json::Result<serde_json::Value> {
    let mut result = convert::tool_result(checked);
    result.result_type = None;
    serde_json::to_value(result)
}
