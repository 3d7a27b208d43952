//! What hosts say, and who is to hear it.

use serde_json::Value;
use serde_json::value::RawValue;

use super::Proxy;
use crate::dev::message::{self, Message};
use crate::dev::replay::{is_greeting, is_ours};
use crate::dev::told::line as tell;

impl Proxy {
    /// A line of a host.
    pub(crate) fn host_said(&mut self, number: u32, line: Vec<u8>) {
        if let Some(all) = message::batch(&line) {
            for one in all {
                if let Some(said) = Message::of(one.get().as_bytes()) {
                    self.answered(number, &said);
                }
            }
            let _ = self.client.send(line);
            return self.retire_if_idle(number);
        }
        let Some(said) = Message::of(&line) else {
            return;
        };
        match (said.method.as_deref(), said.key()) {
            (None, Some(key)) if is_ours(&key) => self.of_ours(number, &key, &said),
            (None, Some(_)) => {
                if self.answered(number, &said) {
                    let _ = self.client.send(line);
                }
                self.retire_if_idle(number);
            }
            (Some(_), Some(_)) => {
                let Some(id) = said.id else { return };
                self.last_asked += 1;
                self.asked.insert(self.last_asked, (number, id.to_owned()));
                if let Some(line) = message::with_id(&line, &Value::from(self.last_asked)) {
                    let _ = self.client.send(line);
                }
            }
            (Some("notifications/subscriptions/acknowledged"), None) => {
                let meta = said.param("_meta").unwrap_or_default();
                let id = meta["io.modelcontextprotocol/subscriptionId"].to_string();
                let host = self.hosts.get_mut(&number);
                if !host.is_some_and(|host| host.acknowledged.remove(&id)) {
                    let _ = self.client.send(line);
                }
            }
            (Some("notifications/cancelled"), None) => self.taken_back(number, &said, &line),
            _ => {
                let _ = self.client.send(line);
            }
        }
    }

    /// A host no longer wants to know what it asked the client.
    fn taken_back(&mut self, number: u32, said: &Message<'_>, line: &[u8]) {
        let id = said.param("requestId").unwrap_or_default().to_string();
        let of_it =
            |(host, asked): &(u32, Box<RawValue>)| *host == number && message::key(asked) == id;
        let found = self.asked.iter().find(|(_, asked)| of_it(asked));
        let Some(ours) = found.map(|(ours, _)| *ours) else {
            return;
        };
        self.asked.remove(&ours);
        let params = said.params.and_then(|params| {
            let params = params.get().as_bytes();
            message::with(params, "requestId", &Value::from(ours))
        });
        let params = params.and_then(|params| serde_json::from_slice::<Value>(&params).ok());
        if let Some(line) = params.and_then(|params| message::with(line, "params", &params)) {
            let _ = self.client.send(line);
        }
    }

    /// Takes note of an answer; whether the client is to have it.
    fn answered(&mut self, number: u32, answer: &Message<'_>) -> bool {
        let Some(key) = answer.key() else {
            return true;
        };
        let Some(host) = self.hosts.get_mut(&number) else {
            return true;
        };
        if host.unwanted.remove(&key) {
            return false;
        }
        let pending = host.pending.remove(&key);
        if let Some(call) = pending.and_then(|pending| pending.call) {
            call.end(answer);
        }
        self.session.answered(&key, answer);
        true
    }

    /// An answer to something we asked a host that is starting.
    fn of_ours(&mut self, number: u32, key: &str, answer: &Message<'_>) {
        let Some((starting, _)) = self.starting else {
            return;
        };
        if starting != number {
            return;
        }
        let greeted = is_greeting(key);
        if greeted {
            if answer.error.is_some() {
                tell("the new version refuses the session: the client has to connect again");
            }
            let new = self.session.unknown_to_client(answer);
            if !new.is_empty() {
                tell(&format!(
                    "the client learns of what is new ({}) when it connects again",
                    new.join(", ")
                ));
            }
            for line in self.session.rest() {
                self.send(number, &line);
            }
        } else if let Some(greeting) = self.session.greet() {
            return self.send(number, &greeting);
        }
        self.take_over(number);
    }
}
