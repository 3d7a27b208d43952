//! Shows, by everything that can be asked of a plugin, which directories it
//! has.

use std::fs;

use palisade_sdk::prelude::*;

/// Shows them.
#[derive(Default)]
struct ShowsRoots;

/// Where they are, or that there are none.
fn mounts(ctx: &Context) -> String {
    let all: Vec<_> = ctx.roots().into_iter().map(|root| root.mount).collect();
    match all.as_slice() {
        [] => "none".to_owned(),
        all => all.join(" "),
    }
}

#[plugin]
impl ShowsRoots {
    /// Where they are.
    #[tool]
    fn mounts(&self, ctx: &Context) -> String {
        mounts(ctx)
    }

    /// How clients know them.
    #[tool]
    fn uris(&self, ctx: &Context) -> String {
        let all: Vec<_> = ctx.roots().into_iter().map(|root| root.uri).collect();
        all.join(" ")
    }

    /// Reads a file.
    #[tool]
    fn read(&self, path: String) -> Result<String> {
        Ok(fs::read_to_string(path)?)
    }

    /// Writes a file.
    #[tool]
    fn write(&self, path: String, text: String) -> Result<&'static str> {
        fs::write(path, text)?;
        Ok("written")
    }

    /// Reads a file once somebody has said so.
    #[tool]
    fn read_when_told(&self, path: String, ctx: &Context) -> Result<String> {
        let form = Elicit::form("Now?").field("now", Field::flag());
        ctx.ask("palisade/client-roots", form)?;
        Ok(fs::read_to_string(path)?)
    }

    /// Reads a file once somebody has agreed with the host.
    #[tool]
    fn read_when_agreed(&self, path: String, ctx: &Context) -> Result<String> {
        let form = Elicit::form("Run it?").field("run", Field::flag());
        ctx.ask("palisade/consent", form)?;
        Ok(fs::read_to_string(path)?)
    }

    /// Reads a file; a job.
    #[tool(task = "optional")]
    fn read_as_task(&self, path: String) -> Result<String> {
        Ok(fs::read_to_string(path)?)
    }

    /// A resource for each.
    #[resources]
    fn all(&self, ctx: &Context) -> Vec<ResourceLink> {
        let mounts = mounts(ctx);
        let mounts = mounts.split(' ');
        mounts
            .map(|mount| ResourceLink::new(format!("mount:{mount}"), mount))
            .collect()
    }

    /// Those have nothing in them.
    #[read]
    fn one(&self, uri: String) -> Result<String> {
        Ok(uri)
    }

    /// Where they are.
    #[resource(uri = "roots://all")]
    fn resource(&self, ctx: &Context) -> String {
        mounts(ctx)
    }

    /// Where they are.
    #[prompt]
    fn prompt(
        &self,
        /// Of no use.
        what: Option<String>,
        ctx: &Context,
    ) -> String {
        let _ = what;
        mounts(ctx)
    }

    #[complete(prompt = "prompt", argument = "what")]
    fn completed(&self, value: String, ctx: &Context) -> Vec<String> {
        let _ = value;
        vec![mounts(ctx)]
    }
}
