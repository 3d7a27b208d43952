//! How far a call has come that asks its client.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use palisade_runtime::contract::{Answer, ClientCapabilities, Context, InputAsk, InputRequired};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answers::{self, Expected};
use super::needs;
use super::questions::Question;
use crate::adapter::client_roots::{Asked, KEY};

/// Times one call may ask.
const MAX_ROUNDS: u32 = 64;

/// Questions of one round.
const MAX_QUESTIONS: usize = 32;

/// Longest key of a question, in bytes.
const MAX_KEY: usize = 128;

/// Everything there is to know for calling a plugin again.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::adapter) struct Round {
    number: u32,
    /// The plugin's own, in base64.
    state: Option<String>,
    /// Answers of all rounds, the newest for each key.
    answers: BTreeMap<String, (Expected, Value)>,
    /// What was asked last and has no answer yet.
    open: BTreeMap<String, Expected>,
    /// What the host has to know itself, before the plugin runs.
    pub(in crate::adapter) client_roots: Asked,
    /// Times the host has asked for it.
    asked_for_roots: u32,
}

/// Why a question can't be passed on.
#[derive(Debug, thiserror::Error)]
pub(in crate::adapter) enum CantAsk {
    #[error("the plugin needs to ask something ({}) that this client can't be asked", names(*.0))]
    NotDeclared(ClientCapabilities),
    #[error("the plugin has asked {MAX_ROUNDS} times and still wants to know more")]
    TooOften,
    #[error("the client has been asked {MAX_ROUNDS} times for its roots, and has not said them")]
    NoRoots,
    #[error("the plugin asked more at once than the {MAX_QUESTIONS} questions it may")]
    TooMany,
    #[error("the plugin asked two questions under the key {0:?}")]
    Twice(String),
    #[error("the plugin asked a question under a key that is empty or longer than {MAX_KEY} bytes")]
    BadKey,
    #[error("the plugin wants to be called again without a question and without a state")]
    Nothing,
    #[error("the plugin's question {key:?} can't be asked: {problem}")]
    Bad { key: String, problem: String },
    #[error("the plugin keeps more between its questions than it may")]
    TooMuch,
}

impl Round {
    /// Gives a plugin what is known so far.
    pub(in crate::adapter) fn fill(&self, context: &mut Context) {
        context.state = self
            .state
            .as_ref()
            .and_then(|state| BASE64_STANDARD.decode(state).ok());
        context.answers = self
            .answers
            .iter()
            .filter_map(|(key, (expected, value))| {
                Some(Answer {
                    key: key.clone(),
                    value: answers::read(expected, value)?,
                })
            })
            .collect();
    }

    /// Takes over the answers to what is open. Others, and those that are not
    /// what was asked for, are as if they were not there: the plugin will ask
    /// again.
    pub(in crate::adapter) fn answer(&mut self, responses: BTreeMap<String, Value>) {
        let mut responses = responses;
        if matches!(self.client_roots, Asked::Open) {
            // Asked alone: nothing of a plugin's is open.
            if let Some(answer) = responses.remove(KEY) {
                self.client_roots.answer(answer);
            }
        }
        for (key, value) in responses {
            let Some(expected) = self.open.remove(&key) else {
                continue;
            };
            if answers::read(&expected, &value).is_some() {
                self.answers.insert(key, (expected, value));
            } else {
                tracing::debug!(key, "an answer is not what was asked for");
            }
        }
    }

    /// Takes over one answer; false if it is not what was asked for, and then
    /// the question stays open.
    pub(in crate::adapter) fn answer_one(&mut self, key: &str, value: Value) -> bool {
        let fits = |expected| answers::read(expected, &value).is_some();
        if !self.open.get(key).is_some_and(fits) {
            return false;
        }
        if let Some(expected) = self.open.remove(key) {
            self.answers.insert(key.to_owned(), (expected, value));
        }
        true
    }

    /// Whether the plugin has not asked anything yet.
    pub(in crate::adapter) fn is_first(&self) -> bool {
        self.number == 0
    }

    /// Begins with what the host has to know itself.
    ///
    /// # Errors
    ///
    /// [`CantAsk::NoRoots`] if a client is asked in vain.
    pub(in crate::adapter) fn ask_roots(&mut self) -> Result<(String, Question), CantAsk> {
        self.asked_for_roots += 1;
        if self.asked_for_roots > MAX_ROUNDS {
            return Err(CantAsk::NoRoots);
        }
        self.client_roots = Asked::Open;
        let question = Question::new(InputAsk::ListRoots).map_err(|problem| CantAsk::Bad {
            key: KEY.to_owned(),
            problem,
        })?;
        Ok((KEY.to_owned(), question))
    }

    /// About how much memory it takes, in bytes.
    pub(in crate::adapter) fn weight(&self) -> usize {
        serde_json::to_vec(self).map_or(usize::MAX, |bytes| bytes.len())
    }

    /// Begins the next round with what the plugin wants to know.
    ///
    /// # Errors
    ///
    /// [`CantAsk`].
    pub(in crate::adapter) fn ask(
        &mut self,
        wanted: InputRequired,
        can: ClientCapabilities,
    ) -> Result<Vec<(String, Question)>, CantAsk> {
        self.number += 1;
        if self.number > MAX_ROUNDS {
            return Err(CantAsk::TooOften);
        }
        if wanted.requests.len() > MAX_QUESTIONS {
            return Err(CantAsk::TooMany);
        }
        if wanted.requests.is_empty() && wanted.state.is_none() {
            return Err(CantAsk::Nothing);
        }
        let needed = wanted
            .requests
            .iter()
            .fold(ClientCapabilities::empty(), |all, one| {
                all | needs(&one.ask)
            });
        if !can.contains(needed) {
            return Err(CantAsk::NotDeclared(needed));
        }
        self.state = wanted.state.map(|state| BASE64_STANDARD.encode(state));
        self.open.clear();
        let mut questions = Vec::with_capacity(wanted.requests.len());
        for request in wanted.requests {
            let key = request.key;
            if key.is_empty() || key.len() > MAX_KEY {
                return Err(CantAsk::BadKey);
            }
            let expected = expected(&request.ask).map_err(|problem| CantAsk::Bad {
                key: key.clone(),
                problem,
            })?;
            let question = Question::new(request.ask).map_err(|problem| CantAsk::Bad {
                key: key.clone(),
                problem,
            })?;
            // What is asked anew has no answer any more.
            self.answers.remove(&key);
            if self.open.insert(key.clone(), expected).is_some() {
                return Err(CantAsk::Twice(key));
            }
            questions.push((key, question));
        }
        Ok(questions)
    }
}

fn expected(ask: &InputAsk) -> Result<Expected, String> {
    Ok(match ask {
        InputAsk::ElicitForm(form) => Expected::Form(
            serde_json::from_str(&form.requested_schema)
                .map_err(|error| format!("its schema is not valid JSON ({error})"))?,
        ),
        InputAsk::ElicitUrl(_) => Expected::Url,
        InputAsk::Sample(_) => Expected::Sampling,
        InputAsk::ListRoots => Expected::Roots,
    })
}

fn names(needed: ClientCapabilities) -> String {
    let all = [
        (ClientCapabilities::ELICITATION_FORM, "elicitation"),
        (ClientCapabilities::ELICITATION_URL, "elicitation by url"),
        (ClientCapabilities::SAMPLING, "sampling"),
        (ClientCapabilities::SAMPLING_TOOLS, "sampling with tools"),
        (ClientCapabilities::ROOTS, "roots"),
    ];
    let names: Vec<_> = all
        .into_iter()
        .filter(|(one, _)| needed.contains(*one))
        .map(|(_, name)| name)
        .collect();
    names.join(", ")
}
