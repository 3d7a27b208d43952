//! Tools that take memory.

use std::hint::black_box;

use palisade_sdk::prelude::*;

/// Allocates.
#[derive(Default)]
struct Allocates;

#[plugin]
impl Allocates {
    /// Takes memory and touches every page of it.
    #[tool]
    fn grow(&self, mib: usize) -> String {
        let mut taken: Vec<Vec<u8>> = Vec::new();
        for _ in 0..mib {
            taken.push(black_box(vec![1; 1 << 20]));
        }
        format!("took {} MiB", taken.len())
    }

    /// Asks for memory in one piece, and says whether it got it.
    #[tool]
    fn ask(&self, mib: usize) -> String {
        let mut taken: Vec<u8> = Vec::new();
        match taken.try_reserve_exact(mib << 20) {
            Ok(()) => format!("got {} MiB", black_box(taken).capacity() >> 20),
            Err(error) => format!("got nothing: {error}"),
        }
    }

    /// Takes memory until there is none, and never gives it back.
    #[tool]
    fn leak(&self) -> String {
        loop {
            black_box(Vec::leak(vec![1_u8; 64 << 10]));
        }
    }
}
