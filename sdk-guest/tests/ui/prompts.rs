use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

#[plugin]
impl Plugin {
    /// Takes a number.
    #[prompt]
    fn number(&self, times: u8) -> String {
        times.to_string()
    }

    /// Takes a text.
    #[prompt]
    fn letter(&self, receiver: String) -> String {
        receiver
    }

    #[complete(prompt = "leter", argument = "receiver")]
    fn no_prompt(&self, value: String) -> Vec<String> {
        vec![value]
    }

    #[complete(prompt = "letter", argument = "reciever")]
    fn no_argument(&self, value: String) -> Vec<String> {
        vec![value]
    }

    #[complete(prompt = "letter")]
    fn nothing(&self, value: String) -> Vec<String> {
        vec![value]
    }

    #[start]
    fn start(&mut self) {}
}

fn main() {}
