use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

struct Secret;

#[derive(serde::Deserialize)]
struct HasNoSchema {
    _field: u8,
}

#[plugin]
impl Plugin {
    /// Takes something that cannot come from JSON.
    #[tool]
    fn unreadable(&self, secret: Secret) {
        let _ = secret;
    }

    /// Takes something that cannot be described.
    #[tool]
    fn indescribable(&self, one: Option<HasNoSchema>) {
        let _ = one;
    }

    /// Takes it all at once.
    #[tool]
    fn whole(&self, args: Args<HasNoSchema>) {
        let _ = args;
    }
}

fn main() {}
