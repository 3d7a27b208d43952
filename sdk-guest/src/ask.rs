//! Questions to the client. A plugin never waits for an answer: it is called
//! again with it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bindings::types;
use crate::{Context, Error, Result};

pub use crate::bindings::types::ClientRoot;

/// Something a client can be asked, see [`Context::ask`]: an
/// [`Elicit`](crate::Elicit) form or address, a [`Sample`](crate::Sample),
/// [`ListRoots`], or an `Option` of one, where `None` is not asked.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a question",
    label = "not something a client can be asked",
    note = "it can be asked `Elicit::form(…)`, `Elicit::url(…)`, `Sample::new(…)` or `ListRoots`"
)]
pub trait Question: Sized {
    /// What the client answers.
    type Answer;

    /// The answer that is there, or the question to ask.
    #[doc(hidden)]
    fn settle(self, answer: Option<&types::AnswerValue>) -> Settled<Self::Answer>;
}

/// Whether a question has an answer.
#[doc(hidden)]
#[derive(Debug)]
pub enum Settled<A> {
    /// It has, or has one that cannot be read.
    Known(Result<A>),
    /// It has to be asked.
    Ask(Box<types::InputAsk>),
}

impl<Q: Question> Question for Option<Q> {
    type Answer = Option<Q::Answer>;

    fn settle(self, answer: Option<&types::AnswerValue>) -> Settled<Self::Answer> {
        match self.map(|question| question.settle(answer)) {
            None => Settled::Known(Ok(None)),
            Some(Settled::Known(answer)) => Settled::Known(answer.map(Some)),
            Some(Settled::Ask(ask)) => Settled::Ask(ask),
        }
    }
}

/// Asks for the roots of the client itself. They may lie outside of everything
/// granted; [`Context::roots`] says what can be used.
#[derive(Clone, Copy, Debug)]
pub struct ListRoots;

impl Question for ListRoots {
    type Answer = Vec<ClientRoot>;

    fn settle(self, answer: Option<&types::AnswerValue>) -> Settled<Self::Answer> {
        match answer {
            Some(types::AnswerValue::Roots(roots)) => Settled::Known(Ok(roots.clone())),
            _ => Settled::Ask(Box::new(types::InputAsk::ListRoots)),
        }
    }
}

/// Several questions, see [`Context::ask_all`]: a tuple of one to six pairs of
/// key and question, or a `Vec` of such pairs.
pub trait Questions: Sized {
    /// The answers, in the same order.
    type Answers;

    #[doc(hidden)]
    fn settle(self, asking: &mut Asking<'_>) -> Result<Option<Self::Answers>>;
}

/// The questions of one outcome, while they are gathered.
#[doc(hidden)]
#[derive(Debug)]
pub struct Asking<'a> {
    answers: &'a [types::Answer],
    missing: Vec<types::InputRequest>,
}

impl Asking<'_> {
    fn one<Q: Question>(&mut self, key: &str, question: Q) -> Result<Option<Q::Answer>> {
        let answer = self.answers.iter().rfind(|answer| answer.key == key);
        match question.settle(answer.map(|answer| &answer.value)) {
            Settled::Known(answer) => answer.map(Some),
            Settled::Ask(ask) => {
                self.missing.push(types::InputRequest {
                    key: key.to_owned(),
                    ask: *ask,
                });
                Ok(None)
            }
        }
    }
}

macro_rules! questions {
    ($($key:ident $question:ident $pair:ident),+) => {
        impl<$($key: AsRef<str>, $question: Question),+> Questions for ($(($key, $question),)+) {
            type Answers = ($($question::Answer,)+);

            fn settle(self, asking: &mut Asking<'_>) -> Result<Option<Self::Answers>> {
                let ($($pair,)+) = self;
                $(let $pair = asking.one($pair.0.as_ref(), $pair.1)?;)+
                Ok((|| Some(($($pair?,)+)))())
            }
        }
    };
}

questions!(K1 Q1 a);
questions!(K1 Q1 a, K2 Q2 b);
questions!(K1 Q1 a, K2 Q2 b, K3 Q3 c);
questions!(K1 Q1 a, K2 Q2 b, K3 Q3 c, K4 Q4 d);
questions!(K1 Q1 a, K2 Q2 b, K3 Q3 c, K4 Q4 d, K5 Q5 e);
questions!(K1 Q1 a, K2 Q2 b, K3 Q3 c, K4 Q4 d, K5 Q5 e, K6 Q6 f);

impl<K: AsRef<str>, Q: Question> Questions for Vec<(K, Q)> {
    type Answers = Vec<Q::Answer>;

    fn settle(self, asking: &mut Asking<'_>) -> Result<Option<Self::Answers>> {
        let mut answers = Vec::new();
        let mut complete = true;
        for (key, question) in self {
            match asking.one(key.as_ref(), question)? {
                Some(answer) => answers.push(answer),
                None => complete = false,
            }
        }
        Ok(complete.then_some(answers))
    }
}

impl Context {
    /// The client's answer to a question.
    ///
    /// The first time there is none. Then this is an error, and `?` carries it
    /// out of the method: the client is asked, and the method is called again,
    /// from its beginning, with the same arguments and the answer. So ask
    /// before doing anything that must not be done twice, and give different
    /// questions of one method different keys.
    ///
    /// ```
    /// use palisade_sdk::prelude::*;
    ///
    /// fn delete(path: &str, ctx: &Context) -> Result<String> {
    ///     let question = Elicit::form(format!("Delete {path}?"));
    ///     if ctx.ask("sure", question)?.accepted().is_none() {
    ///         bail!("{path} was not deleted: nobody agreed");
    ///     }
    ///     std::fs::remove_file(path)?;
    ///     Ok(format!("{path} is gone"))
    /// }
    /// ```
    ///
    /// # Errors
    /// There is no answer yet, or the answer does not fit the type asked for.
    pub fn ask<Q: Question>(&self, key: &str, question: Q) -> Result<Q::Answer> {
        let (answer,) = self.ask_all(((key, question),))?;
        Ok(answer)
    }

    /// The answers to several questions, which the client is asked at once:
    /// `let (name, roots) = ctx.ask_all((("name", Elicit::…), ("roots", ListRoots)))?;`.
    /// Those that have an answer are not asked again.
    ///
    /// # Errors
    /// An answer is missing, or does not fit the type asked for.
    pub fn ask_all<Q: Questions>(&self, questions: Q) -> Result<Q::Answers> {
        let mut asking = Asking {
            answers: self.answers(),
            missing: Vec::new(),
        };
        match questions.settle(&mut asking)? {
            Some(answers) => Ok(answers),
            None => Err(Error::input_required(asking.missing)),
        }
    }

    /// Keeps a value from one round of questions to the next: it is there as
    /// [`state`](Self::state) when the method is called again. It lasts until
    /// another value is kept. Nobody else can read or change it.
    ///
    /// # Errors
    /// The value has no JSON.
    pub fn keep(&self, state: &impl Serialize) -> Result<()> {
        let state = serde_json::to_vec(state)
            .map_err(|error| Error::internal(format_args!("the state has no JSON: {error}")))?;
        self.set_state(state);
        Ok(())
    }

    /// What was last [kept](Self::keep), in this round or an earlier one.
    ///
    /// # Errors
    /// It was kept as something else.
    pub fn state<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        self.with_state(|state| state.map(serde_json::from_slice).transpose())
            .map_err(|error| Error::internal(format_args!("the state is something else: {error}")))
    }

    /// Asks nothing but to be called again with this state:
    /// `return Err(ctx.call_again(&state));`.
    #[must_use]
    pub fn call_again(&self, state: &impl Serialize) -> Error {
        match self.keep(state) {
            Ok(()) => Error::input_required(Vec::new()),
            Err(error) => error,
        }
    }
}
