//! Which process gets a message, and when another one takes over.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::sync::mpsc::{Sender, SyncSender};

use serde_json::Value;
use serde_json::value::RawValue;

use super::host::{Host, Pending};
use super::message::{self, Message};
use super::replay::Session;
use super::told::{Call, line as tell};
use super::work::Ready;
use crate::failure::Failure;

mod answers;

/// What happens.
pub(crate) enum Event {
    /// The client sent a line.
    Client(Vec<u8>),
    /// The client sent one that is too long.
    ClientTooLong,
    /// The client will send no more.
    ClientEnd,
    /// A host sent a line.
    Host(u32, Vec<u8>),
    /// A host has ended.
    HostEnd(u32),
    /// A file was saved.
    Changed,
    /// What came of building; nothing if that is what there was.
    Built(Result<Option<Ready>, Failure>),
}

/// Most bytes that a client may send before anything is served.
const MOST_WAITING: usize = 16 * 1024 * 1024;

/// Everything about one client and what serves it.
pub(crate) struct Proxy {
    flags: Vec<OsString>,
    events: SyncSender<Event>,
    client: Sender<Vec<u8>>,
    session: Session,
    hosts: BTreeMap<u32, Host>,
    /// The last one that was started.
    generation: u32,
    /// The one that serves.
    current: Option<u32>,
    /// The one that is to take over, and what it is.
    starting: Option<(u32, Ready)>,
    /// Whether anything has served yet.
    served: bool,
    /// What was started last.
    last: Option<Ready>,
    /// What the client sent when there was nobody to send it to.
    waiting: VecDeque<Vec<u8>>,
    waiting_bytes: usize,
    /// What hosts asked the client: under our number, whose it is and its id.
    asked: BTreeMap<u64, (u32, Box<RawValue>)>,
    last_asked: u64,
}

impl Proxy {
    /// One that serves nothing yet.
    pub(crate) fn new(
        flags: Vec<OsString>,
        events: SyncSender<Event>,
        client: Sender<Vec<u8>>,
    ) -> Self {
        Self {
            flags,
            events,
            client,
            session: Session::default(),
            hosts: BTreeMap::new(),
            generation: 0,
            current: None,
            starting: None,
            served: false,
            last: None,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            asked: BTreeMap::new(),
            last_asked: 0,
        }
    }

    /// Whether something serves.
    pub(crate) fn is_serving(&self) -> bool {
        self.current.is_some()
    }

    /// Whether anything has served yet.
    pub(crate) fn has_served(&self) -> bool {
        self.served
    }

    /// Whether something is about to.
    pub(crate) fn is_starting(&self) -> bool {
        self.starting.is_some()
    }

    /// Whether no process of ours is left.
    pub(crate) fn is_over(&self) -> bool {
        self.hosts.is_empty()
    }

    /// Lets all of them end.
    pub(crate) fn close(&mut self) {
        self.hosts.values_mut().for_each(Host::close);
    }

    /// Ends all of them.
    pub(crate) fn kill(&self) {
        self.hosts.values().for_each(Host::kill);
    }

    /// Begins to exchange what serves. One that is still starting is given up.
    pub(crate) fn start(&mut self, ready: Ready) {
        if let Some((before, _)) = self.starting.take() {
            self.retire(before);
        }
        self.last = Some(ready.clone());
        self.generation = self.generation.wrapping_add(1);
        let number = self.generation;
        match Host::start(&ready.file, &self.flags, number, &self.events) {
            Ok(host) => {
                host.send(&Session::probe());
                self.hosts.insert(number, host);
                self.starting = Some((number, ready));
            }
            Err(error) => tell(&format!("it can't be started: {error}")),
        }
    }

    /// Begins with what there was last, if nothing serves.
    pub(crate) fn start_again(&mut self) {
        if let (None, None, Some(last)) = (self.current, &self.starting, &self.last) {
            self.start(last.clone());
        }
    }

    /// A line of the client.
    pub(crate) fn client_said(&mut self, line: Vec<u8>) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let Some(current) = self.current else {
            return self.wait(line);
        };
        let Some(all) = message::batch(&line) else {
            if !self.single(&line, current) {
                self.send(current, &line);
            }
            return;
        };
        if all.is_empty() {
            return self.send(current, &line);
        }
        // What is not for the one that serves goes its own way.
        let rest: Vec<_> = (all.into_iter())
            .filter(|one| !self.single(one.get().as_bytes(), current))
            .collect();
        if let (false, Ok(rest)) = (rest.is_empty(), serde_json::to_vec(&rest)) {
            self.send(current, &rest);
        }
    }

    /// A line that is longer than any may be.
    pub(crate) fn too_long(&self) {
        let why = "a message may have 16 MiB";
        let _ = self.client.send(message::error("null", -32600, why));
    }

    /// Takes note of one message, and passes it on if it is not for the host that
    /// serves.
    fn single(&mut self, line: &[u8], current: u32) -> bool {
        let Some(said) = Message::of(line) else {
            return false;
        };
        self.session.heard(&said, line);
        match (said.method.as_deref(), said.key()) {
            (Some(method), Some(key)) => {
                let call = (method == "tools/call").then(|| Call::begin(&said));
                let method = method.to_owned();
                if let Some(host) = self.hosts.get_mut(&current) {
                    host.pending.insert(key, Pending { method, call });
                }
                false
            }
            (Some("notifications/cancelled"), None) => {
                let Some(key) = said.param("requestId").map(|id| id.to_string()) else {
                    return false;
                };
                self.session.listens.remove(&key);
                let runs = |(_, host): &(&u32, &mut Host)| host.pending.contains_key(&key);
                let Some((number, host)) = self.hosts.iter_mut().find(runs) else {
                    return false;
                };
                host.send(line);
                // Nobody answers what was cancelled.
                let cancelled = host.pending.remove(&key);
                if let Some(call) = cancelled.and_then(|pending| pending.call) {
                    call.cancelled();
                }
                let number = *number;
                self.retire_if_idle(number);
                true
            }
            (Some("notifications/roots/list_changed"), None) => {
                self.hosts.values().for_each(|host| host.send(line));
                true
            }
            (Some(_), None) => false,
            (None, key) => {
                let number = key.and_then(|key| key.parse::<u64>().ok());
                let Some((host, id)) = number.and_then(|number| self.asked.remove(&number)) else {
                    return false;
                };
                let id: Value = serde_json::from_str(id.get()).unwrap_or_default();
                if let Some(line) = message::with_id(line, &id) {
                    self.send(host, &line);
                }
                true
            }
        }
    }

    /// Keeps a line until something serves.
    fn wait(&mut self, line: Vec<u8>) {
        if self.waiting_bytes + line.len() <= MOST_WAITING {
            self.waiting_bytes += line.len();
            self.waiting.push_back(line);
            return;
        }
        if let Some(id) = Message::of(&line).and_then(|said| said.id) {
            let why = "nothing is served: the plugin does not build, or does not start";
            let _ = self.client.send(message::error(id.get(), -32603, why));
        }
    }

    /// From now on, this one serves.
    fn take_over(&mut self, number: u32) {
        let Some((_, ready)) = self.starting.take() else {
            return;
        };
        tell(&format!("serving {}", ready.title));
        let before = self.current.replace(number);
        let again = std::mem::replace(&mut self.served, true);
        self.move_listens(before, number);
        if again {
            for line in self.session.news() {
                let _ = self.client.send(line);
            }
        }
        self.waiting_bytes = 0;
        for line in std::mem::take(&mut self.waiting) {
            self.client_said(line);
        }
        if let Some(before) = before {
            self.retire_if_idle(before);
        }
    }

    /// Subscriptions have no end of their own: the new host goes on with them.
    fn move_listens(&mut self, before: Option<u32>, number: u32) {
        if let Some(old) = before.and_then(|before| self.hosts.get_mut(&before)) {
            for key in self.session.listens.keys() {
                old.pending.remove(key);
                old.unwanted.insert(key.clone());
            }
        }
        let Some(new) = self.hosts.get_mut(&number) else {
            return;
        };
        for (key, line) in &self.session.listens {
            new.acknowledged.insert(key.clone());
            let method = "subscriptions/listen".to_owned();
            new.pending
                .insert(key.clone(), Pending { method, call: None });
            new.send(line);
        }
    }

    /// Lets a host end that nobody waits for any more.
    fn retire_if_idle(&mut self, number: u32) {
        let serves = self.current == Some(number);
        let starts = (self.starting.as_ref()).is_some_and(|(starting, _)| *starting == number);
        let idle = (self.hosts.get(&number)).is_some_and(|host| host.pending.is_empty());
        if idle && !serves && !starts {
            self.retire(number);
        }
    }

    fn retire(&mut self, number: u32) {
        if let Some(host) = self.hosts.get_mut(&number) {
            host.close();
        }
    }

    /// A host is gone. Whether that was to be.
    pub(crate) fn host_ended(&mut self, number: u32, closing: bool) {
        let Some(host) = self.hosts.remove(&number) else {
            return;
        };
        if self.last.as_ref().is_none_or(|last| last.file != host.file) {
            // The folder goes at the end, with whatever is left in it.
            let _ = std::fs::remove_file(&host.file);
        }
        self.asked.retain(|_, (asking, _)| *asking != number);
        for (key, pending) in host.pending {
            if let Some(call) = pending.call {
                call.lost();
            }
            let why = format!("{}: what served it has ended", pending.method);
            let _ = self.client.send(message::error(&key, -32603, &why));
        }
        if closing {
            return;
        }
        match &self.starting {
            Some((starting, _)) if *starting == number => {
                self.starting = None;
                match self.current {
                    Some(_) => tell("it does not start: what was served before stays"),
                    None => tell("it does not start: nothing is served until it does"),
                }
            }
            _ if self.current == Some(number) => {
                self.current = None;
                tell("what was served has ended: save a file to start it again");
            }
            _ => {}
        }
    }

    fn send(&self, host: u32, line: &[u8]) {
        if let Some(host) = self.hosts.get(&host) {
            host.send(line);
        }
    }
}
