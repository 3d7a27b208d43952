//! An internet of the tests' own, on loopback: servers of names, of HTTP with
//! and without TLS, and a proxy, which do whatever a test wants of them.

mod identity;
mod names;
mod proxy;
mod web;

pub use identity::Identity;
pub use names::Names;
pub use proxy::Proxy;
pub use web::{Asked, Pipe, Web, ok};

use crate::{Palisade, guest};

/// A server of names, and the certificates that a host believes.
pub struct Internet {
    /// Who says where names lead.
    pub names: Names,
    /// Who says who is who.
    pub identity: Identity,
}

impl Internet {
    /// One in which there is nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            names: Names::serve(),
            identity: Identity::new(),
        }
    }

    /// `palisade run mallory` in it, as a person would set it up, with these
    /// rules granted.
    #[must_use]
    pub fn run(&self, rules: &[&str]) -> Palisade {
        self.reach(Palisade::run(guest("mallory")), rules)
    }

    /// The same for another command line.
    #[must_use]
    pub fn reach(&self, command: Palisade, rules: &[&str]) -> Palisade {
        let command = command
            .arg("--resolver")
            .arg(self.names.address().to_string())
            .env("SSL_CERT_FILE", self.identity.file());
        (rules.iter()).fold(command, |command, rule| command.arg("--allow").arg(rule))
    }
}

impl Default for Internet {
    fn default() -> Self {
        Self::new()
    }
}
