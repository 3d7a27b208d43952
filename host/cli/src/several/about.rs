//! What a server of several plugins says of itself.

use palisade_server::Identity;

use crate::failure::Failure;
use crate::output;

/// Longest text about all plugins together, in bytes: it stands in front of
/// everything a model reads.
const MAX: usize = 8 * 1024;

/// The plugins that are served, and those that are not.
#[derive(Default)]
pub(crate) struct About {
    served: Vec<(String, Option<String>)>,
    left_out: Vec<LeftOut>,
}

/// A plugin that is not served, of which the person has been told.
pub(crate) struct LeftOut {
    name: String,
    why: &'static str,
}

impl LeftOut {
    /// Tells the person why a plugin is left out; a command line that is wrong
    /// remains an error.
    pub(crate) fn told(name: String, failure: &Failure) -> Result<Self, Failure> {
        if failure.is_usage() {
            return Err(failure.clone());
        }
        output::error_line(&format!(
            "palisade: {name} is left out: {}",
            failure.sentence()
        ));
        // Without the plugin's own words: a model reads this as the server's.
        let why = match failure.is_refusal() {
            true => "its permission does not allow it to start",
            false => "it could not be loaded or started",
        };
        Ok(Self { name, why })
    }
}

impl About {
    /// This one is served.
    pub(crate) fn serve(&mut self, name: String, description: Option<String>) {
        self.served.push((name, description));
    }

    /// This one is not.
    pub(crate) fn leave_out(&mut self, one: LeftOut) {
        self.left_out.push(one);
    }

    /// Who the server is.
    pub(crate) fn identity(&self) -> Identity {
        Identity {
            name: "palisade".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: Some(self.instructions()),
        }
    }

    fn instructions(&self) -> String {
        let mut lines = vec![
            "Several plugins are served. The tools and prompts of each begin with its name and \
             two underscores, the addresses of its resources with palisade://NAME/."
                .to_owned(),
        ];
        // First, since what plugins say of themselves may be long.
        for LeftOut { name, why } in &self.left_out {
            lines.push(format!(
                "{name} is left out: {why}. The server's log says more."
            ));
        }
        for (name, description) in &self.served {
            let description = description.as_deref().unwrap_or("(no description)");
            lines.push(format!("{name}: {description}"));
        }
        let mut text = String::new();
        for line in lines {
            if text.len() + line.len() > MAX {
                text.push_str("\n…");
                break;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&line);
        }
        text
    }
}
