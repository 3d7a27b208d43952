use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Has no address.
    #[resource(mime_type = "text/plain")]
    fn nowhere(&self) -> String {
        String::new()
    }

    /// Spans several segments.
    #[resource(template = "a://{+path}")]
    fn reserved(&self, path: String) -> String {
        path
    }

    /// Cannot be told apart.
    #[resource(template = "b://{a}{b}")]
    fn beside(&self, a: String, b: String) -> String {
        a + &b
    }

    /// Misspells a variable.
    #[resource(template = "c://{folder}/x")]
    fn misspelt(&self, foldr: String) -> String {
        foldr
    }

    /// Takes what an address does not have.
    #[resource(uri = "d://")]
    fn fixed(&self, name: String) -> String {
        name
    }

    /// A tool as well.
    #[tool]
    #[resource(uri = "e://")]
    fn both(&self) -> String {
        String::new()
    }

    #[resource(uri = "f://")]
    fn undescribed(&self) -> String {
        String::new()
    }
}

#[derive(Default)]
struct Unreadable;

#[plugin]
impl Unreadable {
    #[resources]
    fn list(&self) -> Vec<ResourceLink> {
        Vec::new()
    }
}

fn main() {}
