//! rmcp's transport over lines.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use palisade_runtime::{LARGE, aside};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetMeta as _,
    JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use serde_json::value::RawValue;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::adapter::batch::{Batches, MAX_BATCH, Written};
use crate::adapter::client_roots::SessionRoots;
use crate::adapter::decode::{Decoded, decode, is_bomb};
use crate::adapter::large::is_large;
use crate::adapter::open::{InFlight, OpenRequests};
use crate::service::Service;
use crate::wire::{Input, Line, Lines, Outbox, Output};

/// Requests without an answer before no more are read: more than can run and
/// wait by any grant.
const MAX_OPEN: usize = 520;

/// Requests that may wait for the client before there is no room for another.
const MAX_WAITING: usize = 1024;

/// How long what was asked before the end of the input may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the end of a session waits for the client to read what is left.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(super) struct LineTransport {
    lines: Lines<Input>,
    outbox: Outbox,
    /// The requests without an answer, each with the array it came in.
    open: OpenRequests<Option<u64>>,
    /// Whether the revision that was agreed on has arrays of messages.
    arrays: bool,
    /// Shared with answers that are written aside.
    batches: Arc<Mutex<Batches>>,
    /// What is left to be read of an array, and its number.
    rest: Rest,
    in_flight: InFlight,
    service: Service,
    roots: Arc<SessionRoots>,
    end: End,
    /// When what is still open is given up, once the input is at its end.
    ended: Option<Instant>,
}

/// What ends with the input.
pub(super) struct End {
    /// At once: whoever sends nothing more wants answers, but no news.
    pub(super) news: CancellationToken,
    /// At once: questions to the client.
    pub(super) input: CancellationToken,
    /// After a while: what still runs.
    pub(super) session: CancellationToken,
}

#[derive(Default)]
struct Rest {
    batch: u64,
    messages: VecDeque<Box<RawValue>>,
}

impl LineTransport {
    pub(super) fn new(
        input: Input,
        output: Output,
        in_flight: InFlight,
        service: Service,
        roots: Arc<SessionRoots>,
        end: End,
    ) -> Self {
        Self {
            lines: Lines::new(input),
            outbox: Outbox::new(output),
            open: OpenRequests::new(in_flight.clone()),
            arrays: false,
            batches: Arc::default(),
            rest: Rest::default(),
            in_flight,
            service,
            roots,
            end,
            ended: None,
        }
    }

    /// Takes note of a message, which came in an array if there is a number;
    /// gives it back unless it must be refused or is of no consequence.
    fn admit(
        &mut self,
        mut message: ClientJsonRpcMessage,
        batch: Option<u64>,
    ) -> Result<ClientJsonRpcMessage, Decoded> {
        self.roots.heard(&message);
        match &mut message {
            JsonRpcMessage::Request(request) => {
                let refused = |why: &'static str| {
                    let error = ErrorData::invalid_request(why, None);
                    Err(Decoded::Refused(error, Some(request.id.clone())))
                };
                let opens = matches!(request.request, ClientRequest::InitializeRequest(_));
                if batch.is_some() && opens {
                    return refused("initialize comes alone");
                }
                if self.in_flight.waiting() >= MAX_WAITING {
                    return refused("too many requests wait for this client");
                }
                let Some(number) = self.open.enter(&request.id, batch) else {
                    return refused("a request with this id is still running");
                };
                request.id = number;
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &mut notification.notification
                    && let Some(id) = &mut cancelled.params.request_id
                {
                    let Some((number, of)) = self.open.give_up(id) else {
                        return Err(Decoded::Ignored("a cancellation of nothing"));
                    };
                    *id = number;
                    self.no_answer(of);
                }
                self.no_answer(batch);
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => self.no_answer(batch),
        }
        Ok(message)
    }

    /// Puts the sender's id back; none if nobody waits for the message. Else
    /// the array that its answer belongs to, if any.
    fn address(&mut self, item: &mut ServerJsonRpcMessage) -> Option<Option<u64>> {
        let id = match item {
            JsonRpcMessage::Response(response) => &mut response.id,
            JsonRpcMessage::Error(error) => match &mut error.id {
                Some(id) => id,
                None => return Some(None),
            },
            JsonRpcMessage::Notification(news) => {
                // News of a subscription name the request that it is.
                if let Some(number) = news.notification.get_meta().subscription_id() {
                    let sender = self.open.sender(&number)?.clone();
                    news.notification.get_meta_mut().set_subscription_id(sender);
                }
                return Some(None);
            }
            JsonRpcMessage::Request(_) => return Some(None),
        };
        let (sender, batch) = self.open.answer(id)?;
        *id = sender;
        if let JsonRpcMessage::Response(response) = item
            && let ServerResult::SubscriptionsListenResult(end) = &mut response.result
        {
            end.meta.set_subscription_id(response.id.clone());
        }
        Some(batch)
    }

    fn batches(&self) -> MutexGuard<'_, Batches> {
        lock(&self.batches)
    }

    /// Writes an answer, or keeps it until its array can be answered.
    fn answer(&self, item: &ServerJsonRpcMessage, batch: Option<u64>) -> serde_json::Result<()> {
        let Some(batch) = batch else {
            return self.outbox.push(item);
        };
        let answers = self.batches().answer(batch, Written::of(item));
        answers.map_or(Ok(()), |answers| self.outbox.push(&answers))
    }

    /// The same for one that is large. Until it is written, as much as can wait
    /// for a client does.
    fn answer_aside(
        &self,
        item: ServerJsonRpcMessage,
        batch: Option<u64>,
    ) -> impl Future<Output = serde_json::Result<()>> + Send + 'static {
        let expected = self.outbox.expect(LARGE);
        let (outbox, batches) = (self.outbox.clone(), Arc::clone(&self.batches));
        async move {
            let write = move || {
                let Some(batch) = batch else {
                    return serde_json::to_vec(&item).map(Some);
                };
                let written = Written::of(&item);
                let answers = lock(&batches).answer(batch, written);
                answers.as_ref().map(serde_json::to_vec).transpose()
            };
            if let Some(json) = aside(write).await? {
                outbox.push_written(&json);
            }
            drop(expected);
            Ok(())
        }
    }

    /// A message that came in an array, if there is a number, has no answer.
    fn no_answer(&mut self, batch: Option<u64>) {
        let answers = batch.and_then(|batch| self.batches().no_answer(batch));
        if let Some(answers) = answers {
            if let Err(error) = self.outbox.push(&answers) {
                tracing::warn!("answers can't be written as JSON: {error}");
            }
            self.flush_later();
        }
    }

    /// What is pushed while reading is written by a task of its own: rmcp
    /// drops the future that reads whenever it has something else to do.
    fn flush_later(&self) {
        let outbox = self.outbox.clone();
        tokio::spawn(async move {
            if let Err(error) = outbox.flush().await {
                tracing::debug!("an answer could not be sent: {error}");
            }
        });
    }

    fn refuse(&mut self, error: ErrorData, id: Option<RequestId>, batch: Option<u64>) {
        let error = ServerJsonRpcMessage::error(error, id);
        if let Err(error) = self.answer(&error, batch) {
            tracing::warn!("an error can't be written as JSON: {error}");
        }
        self.flush_later();
    }

    /// What is left of an array, or a line. Cancel safe.
    async fn next(&mut self) -> std::io::Result<Option<(Line, Option<u64>)>> {
        loop {
            if let Some(message) = self.rest.messages.pop_front() {
                let message = Line::Whole(message.get().as_bytes().to_vec());
                return Ok(Some((message, Some(self.rest.batch))));
            }
            self.outbox.room().await;
            let Some(line) = self.lines.next().await? else {
                return Ok(None);
            };
            let Line::Whole(bytes) = &line else {
                return Ok(Some((line, None)));
            };
            if !self.arrays || !is_array(bytes) || is_bomb(bytes) {
                return Ok(Some((line, None)));
            }
            match serde_json::from_slice::<VecDeque<Box<RawValue>>>(bytes) {
                Ok(messages) if (1..=MAX_BATCH).contains(&messages.len()) => {
                    let batch = self.batches().enter(messages.len());
                    self.rest = Rest { batch, messages };
                }
                Ok(_) => {
                    let why = format!("an array holds 1 to {MAX_BATCH} messages");
                    self.refuse(ErrorData::invalid_request(why, None), None, None);
                }
                // Says what is wrong with it.
                Err(_) => return Ok(Some((line, None))),
            }
        }
    }

    /// Returns when there is nothing left to be answered. rmcp would begin
    /// nothing more once it knows of the end, not even what it has just been
    /// given. Cancel safe.
    async fn last_answers(&mut self) {
        if self.open.len() == 0 {
            return;
        }
        // Asked again after every answer that is sent.
        let broken = self.outbox.clone();
        tokio::select! {
            () = broken.broken() => {}
            () = tokio::time::sleep_until(self.ended.unwrap_or_else(Instant::now)) => {
                self.end.session.cancel();
                std::future::pending().await
            }
        }
    }

    /// The next message for rmcp; none at the end of the input. Cancel safe.
    async fn read(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // What waits for the client goes on only if the client is heard.
            let running = self.open.len().saturating_sub(self.in_flight.waiting());
            if running >= MAX_OPEN {
                // Asked again after every answer and question that is sent.
                return std::future::pending().await;
            }
            let broken = self.outbox.clone();
            let next = tokio::select! {
                next = self.next() => next,
                () = broken.broken() => return None,
            };
            let (line, batch) = match next {
                Ok(next) => next?,
                Err(error) => {
                    tracing::warn!("standard input can't be read any more: {error}");
                    return None;
                }
            };
            let decoded = match decode(line) {
                Decoded::Message(message) => match self.admit(*message, batch) {
                    Ok(message) => return Some(message),
                    Err(decoded) => decoded,
                },
                decoded => decoded,
            };
            match decoded {
                Decoded::Refused(error, id) => self.refuse(error, id, batch),
                Decoded::Ignored(what) => {
                    tracing::debug!("ignored {what}");
                    self.no_answer(batch);
                }
                Decoded::Message(_) => {}
            }
        }
    }
}

fn lock(batches: &Mutex<Batches>) -> MutexGuard<'_, Batches> {
    // Each change is whole before the next can fail.
    batches.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_array(line: &[u8]) -> bool {
    line.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[')
}

/// Whether what the server answers to `initialize` allows arrays; none if this
/// is no such answer.
fn allows_arrays(item: &ServerJsonRpcMessage) -> Option<bool> {
    let JsonRpcMessage::Response(response) = item else {
        return None;
    };
    match &response.result {
        ServerResult::InitializeResult(result) => {
            Some(result.protocol_version == ProtocolVersion::V_2025_03_26)
        }
        _ => None,
    }
}

/// Whether a client that gets this is likely to call a tool next.
pub(super) fn call_may_follow(item: &ServerJsonRpcMessage) -> bool {
    matches!(
        item,
        JsonRpcMessage::Response(response)
            if matches!(
                response.result,
                ServerResult::ListToolsResult(_) | ServerResult::CallToolResult(_)
            )
    )
}

impl Transport<RoleServer> for LineTransport {
    type Error = std::io::Error;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let addressed = self.address(&mut item);
        self.arrays = allows_arrays(&item).unwrap_or(self.arrays);
        let next = call_may_follow(&item)
            .then(|| self.roots.likely())
            .flatten()
            .map(|view| (view, self.service.clone(), self.in_flight.clone()));
        let (pushed, aside) = match addressed {
            // Boxed, as below.
            Some(batch) if is_large(&item) => {
                (Ok(()), Some(Box::pin(self.answer_aside(item, batch))))
            }
            Some(batch) => (self.answer(&item, batch), None),
            None => (Ok(()), None),
        };
        let outbox = self.outbox.clone();
        async move {
            pushed?;
            if let Some(aside) = aside {
                aside.await?;
            }
            outbox.flush().await?;
            // While the client reads its answer, nobody waits for this.
            if let Some((view, service, in_flight)) = next
                && in_flight.count() == 0
            {
                // Boxed: rmcp keeps this future for some time after it has ended.
                Box::pin(service.prepare(&view)).await;
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if self.ended.is_none() {
            if let Some(message) = self.read().await {
                return Some(message);
            }
            self.ended = Some(Instant::now() + PATIENCE);
            self.end.news.cancel();
            self.end.input.cancel();
        }
        self.last_answers().await;
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // What was cut short: better some of an array than nothing.
        for answers in self.batches().rest() {
            self.outbox.push(&answers)?;
        }
        // A client that does not read must not keep the process alive.
        match tokio::time::timeout(LAST_WORDS, self.outbox.flush()).await {
            Ok(flushed) => flushed,
            Err(_) => Err(std::io::ErrorKind::TimedOut.into()),
        }
    }
}
