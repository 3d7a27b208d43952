//! The way out, for plugins that are granted one.

use std::cell::RefCell;
use std::net::SocketAddr;

use palisade_net::{Needs, Outside, OutsideError};
use palisade_policy::{EffectiveNetwork, Scheme};

use crate::args::NetworkArgs;
use crate::failure::Failure;

/// Sets up what plugins reach the network with: once, and only what is needed,
/// since it means reading files.
pub(crate) struct Ways {
    resolver: Option<SocketAddr>,
    /// Plugins that are served.
    pub(crate) plugins: u32,
    made: RefCell<Option<(Needs, Outside)>>,
}

impl Ways {
    /// For so many plugins.
    pub(crate) fn new(args: NetworkArgs, plugins: usize) -> Self {
        Self {
            resolver: args.resolver,
            plugins: u32::try_from(plugins).unwrap_or(u32::MAX),
            made: RefCell::new(None),
        }
    }

    /// The way out of a plugin, whose `name` is for messages.
    pub(crate) fn of(&self, name: &str, network: &EffectiveNetwork) -> Result<Outside, Failure> {
        let needs = Needs {
            network: !network.is_empty(),
            tls: network.rules().speaks(Scheme::Https),
        };
        if !needs.network {
            return Ok(Outside::default());
        }
        let mut made = self.made.borrow_mut();
        if let Some((has, outside)) = &*made
            && (has.tls || !needs.tls)
        {
            return Ok(outside.clone());
        }
        let outside = Outside::system(self.resolver, needs).map_err(|error| {
            let failure =
                Failure::because(format!("{name} can't reach what it is granted"), &error);
            match error {
                OutsideError::Resolver(_) => {
                    failure.remedy("name a server to ask: --resolver ADDRESS")
                }
                _ => failure,
            }
        })?;
        *made = Some((needs, outside.clone()));
        Ok(outside)
    }
}
