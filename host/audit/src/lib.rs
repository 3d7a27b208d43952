//! What was decided about plugins, and when: a record that is only ever added to.
//!
//! One line of JSON for each decision, in a folder of the person's own. It says who
//! and what, and never what a plugin was given or gave: no arguments, no results, no
//! values of variables or secrets.

pub mod fuzzing;
mod log;
mod record;

pub use log::{AuditError, Log, MOST_BYTES};
pub use record::{Event, Line, Record};
