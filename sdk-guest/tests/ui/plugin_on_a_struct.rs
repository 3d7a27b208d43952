use palisade_sdk::prelude::*;

#[plugin]
#[derive(Default)]
pub struct Plugin;

fn main() {}
