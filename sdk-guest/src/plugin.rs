//! The one value behind everything that a plugin exports.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::thread::LocalKey;

use crate::bindings::types;
use crate::error::Failure;
use crate::{Error, Result};

/// A plugin, whatever it offers. `#[plugin]` implements it.
pub trait Plugin: Sized + 'static {
    /// What an instance starts from.
    fn fresh() -> Self;

    /// Where the plugin's value is kept.
    fn state() -> &'static LocalKey<State<Self>>;
}

/// Where a plugin's value comes from.
#[diagnostic::on_unimplemented(
    message = "the plugin `{Self}` has no `Default`",
    label = "needs `Default`",
    note = "every instance of a plugin starts with its default: put `#[derive(Default)]` on it"
)]
pub trait Fresh: Default {}

#[diagnostic::do_not_recommend]
impl<T: Default> Fresh for T {}

/// What an instance starts from.
#[must_use]
pub fn fresh<T: Fresh>() -> T {
    T::default()
}

/// The one value of an instance, made when it is first needed.
///
/// It is never dropped: the host throws the whole instance away, and a
/// destructor would have to be registered in every call.
pub struct State<T>(RefCell<Option<ManuallyDrop<T>>>);

impl<T> State<T> {
    /// Not made yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(RefCell::new(None))
    }
}

impl<T> Default for State<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Does something with the instance's value.
pub(crate) fn with<T: Plugin, R>(act: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
    T::state().with(|state| {
        // Components are not entered twice; if one ever is, say so.
        let mut state = state
            .0
            .try_borrow_mut()
            .map_err(|_| Error::internal("the plugin is already running a call"))?;
        act(state.get_or_insert_with(|| ManuallyDrop::new(T::fresh())))
    })
}

/// The refusal where there can be no questions and no failed results.
pub(crate) fn refusal(error: Error) -> types::Error {
    match error.into_failure() {
        Failure::Protocol(error) => error,
        Failure::Tool(message) => internal(message),
        Failure::Ask(_) => internal("the plugin asked a question where it cannot".to_owned()),
    }
}

/// The refusal, or the questions.
pub(crate) fn refusal_or_questions(error: Error) -> Result<Vec<types::InputRequest>, types::Error> {
    match error.into_failure() {
        Failure::Ask(questions) => Ok(questions),
        Failure::Protocol(error) => Err(error),
        Failure::Tool(message) => Err(internal(message)),
    }
}

fn internal(message: String) -> types::Error {
    types::Error {
        kind: types::ErrorKind::Internal,
        message,
        data: None,
    }
}
