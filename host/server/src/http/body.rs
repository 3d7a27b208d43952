//! The body of a request, within bounds.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::body::{Body as _, Incoming};

use crate::http::answer::Refusal;
use crate::http::log::Budget;

/// How much of a body that is too large is read, so that its sender gets to
/// hear why it was refused.
const DRAINED: usize = 64 * 1024 * 1024;

/// For how long.
const DRAINING: Duration = Duration::from_secs(5);

/// Room that is taken at once for a body of unknown length.
const FIRST: usize = 64 * 1024;

fn too_large(max: usize) -> Refusal {
    let why = format!("the body is larger than {max} bytes");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, &why)
}

/// Refuses a body that says itself that it is too large.
pub(super) fn check_length(body: &Incoming, max: usize) -> Result<(), Refusal> {
    if body.size_hint().lower() > max as u64 {
        return Err(too_large(max));
    }
    Ok(())
}

/// Reads all of a body.
pub(super) async fn read(
    mut body: Incoming,
    max: usize,
    time: Duration,
    budget: &Arc<Budget>,
) -> Result<Vec<u8>, Refusal> {
    let reading = read_within(&mut body, max, budget);
    let read = tokio::time::timeout(time, reading)
        .await
        .unwrap_or_else(|_| {
            let why = "the body took too long to arrive";
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, why))
        });
    if read.is_err() {
        drain(body);
    }
    read
}

async fn read_within(
    body: &mut Incoming,
    max: usize,
    budget: &Arc<Budget>,
) -> Result<Vec<u8>, Refusal> {
    let busy = || Refusal::busy("too much is being sent to this server at the moment");
    let known = usize::try_from(body.size_hint().lower()).unwrap_or(max);
    let mut room = known.min(max).min(FIRST);
    let mut loan = budget.lend(room).ok_or_else(busy)?;
    let mut read = Vec::with_capacity(room);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            tracing::debug!("a body broke off: {error}");
            Refusal::bad_request("the body broke off")
        })?;
        // Trailers are of no interest.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if data.len() > max - read.len() {
            return Err(too_large(max));
        }
        if read.len() + data.len() > room {
            let more = (read.len() + data.len()).max(room);
            if !loan.more(more) {
                return Err(busy());
            }
            room += more;
        }
        read.extend_from_slice(&data);
    }
    Ok(read)
}

/// Reads on for a while, in vain. A connection that is closed while its other
/// end still sends takes the response with it.
pub(super) fn drain(mut body: Incoming) {
    if body.is_end_stream() {
        return;
    }
    tokio::spawn(tokio::time::timeout(DRAINING, async move {
        let mut left = DRAINED;
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, hyper::body::Bytes::len);
            left = left.saturating_sub(length);
            if left == 0 {
                return;
            }
        }
    }));
}
