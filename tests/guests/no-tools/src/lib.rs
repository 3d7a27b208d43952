//! A valid component that exports nothing at all.
