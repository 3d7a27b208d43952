use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Owns the call.
    #[tool]
    fn owned(&self, ctx: Context) {
        let _ = ctx;
    }

    /// Changes the call.
    #[tool]
    fn changed(&self, ctx: &mut Context) {
        let _ = ctx;
    }

    /// Wants it twice.
    #[tool]
    fn twice(&self, ctx: &Context, again: &Context) {
        let _ = (ctx, again);
    }
}

fn main() {}
