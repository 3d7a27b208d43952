//! How much the host spends on a schema.
//!
//! A schema comes from a plugin, and what is checked from a client or the plugin
//! itself. A few lines that refer to each other twice over take for ever, and a
//! long chain of them more stack than there is. The library that checks has no
//! limit for either, but calls a keyword of ours wherever it comes by
//! ([`super::steps`]): that looks at what has been spent, and where it is too
//! much leaves the library by unwinding.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time for one check, or for compiling a schema.
const TIME: Duration = Duration::from_millis(250);

/// Stack that it may take, in bytes: half of what a thread has.
const STACK: usize = 1024 * 1024;

/// Steps between two looks at the clock. A step may try a pattern in vain,
/// which takes up to some milliseconds.
const STEPS: u32 = 16;

/// What was too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spent {
    Time,
    Stack,
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Time => write!(f, "more than {} ms of computing", TIME.as_millis()),
            Self::Stack => write!(f, "more than {} KiB of stack", STACK / 1024),
        }
    }
}

#[derive(Clone, Copy)]
struct Budget {
    /// The thread's CPU clock when there will be none left.
    until: Duration,
    /// Where the stack was when the work began.
    stack: usize,
    /// Steps until the next look at the clock.
    steps: u32,
}

thread_local! {
    static BUDGET: Cell<Option<Budget>> = const { Cell::new(None) };
}

/// Does something that takes steps, within the budget.
pub(super) fn within<T>(work: impl FnOnce() -> T) -> Result<T, Spent> {
    let budget = Budget {
        until: cpu_time() + TIME,
        stack: stack_now(),
        steps: STEPS,
    };
    BUDGET.set(Some(budget));
    // What `work` leaves half done nobody looks at again.
    let done = catch_unwind(AssertUnwindSafe(work));
    BUDGET.set(None);
    done.or_else(|thrown| match thrown.downcast::<Spent>() {
        Ok(spent) => Err(*spent),
        Err(other) => resume_unwind(other),
    })
}

/// Takes a step. Does not return where the budget is spent.
pub(super) fn step() {
    let Some(mut budget) = BUDGET.get() else {
        return;
    };
    if budget.stack.abs_diff(stack_now()) > STACK {
        resume_unwind(Box::new(Spent::Stack));
    }
    budget.steps -= 1;
    if budget.steps == 0 {
        if cpu_time() > budget.until {
            resume_unwind(Box::new(Spent::Time));
        }
        budget.steps = STEPS;
    }
    BUDGET.set(Some(budget));
}

/// About where the stack is.
#[inline(never)]
fn stack_now() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}

fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    let nanos = u32::try_from(now.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanos)
}

#[cfg(test)]
mod tests {
    use super::{Spent, step, within};

    #[allow(unconditional_recursion, reason = "it is to end with the budget")]
    fn deeper(depth: u64) -> u64 {
        step();
        deeper(std::hint::black_box(depth + 1)) + depth
    }

    #[test]
    fn neither_a_loop_nor_a_recursion_goes_on_for_ever() {
        let looping = within(|| {
            loop {
                step();
            }
        });
        assert_eq!(looping, Err::<(), _>(Spent::Time));
        assert_eq!(within(|| deeper(0)), Err(Spent::Stack));
        assert_eq!(within(|| 1), Ok(1));
    }
}
