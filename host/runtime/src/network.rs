//! The network as guests get it.
//!
//! What may be reached is decided by `palisade-policy` and done by
//! `palisade-net`; here it is given the shapes of WASI: `wasi:http` ([`http`]),
//! sockets ([`create`], [`sockets`], [`tcp`]) and names ([`names`]). Everything is linked
//! always: where nothing is granted, it answers that it is denied.

use std::net::SocketAddr;
use std::sync::Arc;

use palisade_net::{Egress, EgressLimits, Injector, Mask, Outside, Refusals, Timeouts};
use palisade_policy::{EffectiveNetwork, Granting, Host, Scheme, Target, special};
use wasmtime::component::Linker;
use wasmtime_wasi_http::{WasiBody, WasiHttpCtx};

use crate::descriptors;
use crate::state::State;

mod create;
mod http;
mod names;
mod sockets;
mod tcp;

pub(crate) use http::Hooks;
pub(crate) use names::Remembered;
pub(crate) use sockets::allow;

/// Everything one plugin may reach. Its connections are kept between calls, and
/// used for no other plugin.
pub(crate) struct Network {
    egress: Egress<WasiBody>,
}

impl Network {
    /// What is granted a plugin that is served beside others, so many with it.
    /// Who is told of what it is refused is told `how` to grant that.
    pub(crate) fn new(
        plugin: &str,
        effective: &EffectiveNetwork,
        outside: Outside,
        plugins: u32,
        how: Granting,
    ) -> Self {
        let connections = descriptors::connections(plugins);
        let limits = EgressLimits {
            requests: connections / 2,
            connections,
            ..EgressLimits::default()
        };
        let refusals = Refusals::of(plugin, how);
        let timeouts = Timeouts::default();
        Self {
            egress: Egress::new(effective.rules(), outside, refusals, limits, timeouts),
        }
    }

    /// Whether anything may be reached.
    pub(crate) fn is_granted(&self) -> bool {
        !self.egress.rules().is_empty()
    }

    /// The same, with secrets that are added to requests.
    pub(crate) fn with_secrets(self, secrets: Injector) -> Self {
        Self {
            egress: self.egress.with_secrets(secrets),
        }
    }

    /// Hides those secrets; none if there are none.
    pub(crate) fn mask(&self) -> Option<&Mask> {
        self.egress.mask()
    }

    /// How a person grants more of it.
    pub(crate) fn granting(&self) -> &Granting {
        self.egress.refusals().how()
    }

    /// Whether anything may be reached in this way.
    fn speaks(&self, scheme: Scheme) -> bool {
        self.egress.rules().speaks(scheme)
    }

    /// Tells that there was no socket for this.
    fn refuse_socket(&self, scheme: Scheme) {
        let rules = self.egress.rules();
        self.egress.refusals().tell_socket(rules, scheme);
    }

    /// Whether a socket may be connected to an address: a rule names it, or a
    /// name that led there when it was looked up.
    fn admits(&self, scheme: Scheme, address: SocketAddr, remembered: &Remembered) -> bool {
        let rules = self.egress.rules();
        let target = |host| Target {
            scheme,
            host,
            port: address.port(),
            request: None,
        };
        let what = special(address.ip());
        let names = remembered.names_of(address.ip());
        let hosts = std::iter::once(Host::from(address.ip())).chain(names);
        let mut refused = None;
        for host in hosts {
            let target = target(host);
            match rules.decide(&target) {
                Ok(allowed) if allowed.admits(what) => return true,
                Ok(_) => refused = Some((target, what)),
                // What a person would allow is a name, if there is one.
                Err(_) => {
                    refused = refused
                        .filter(|(_, leads_to)| leads_to.is_some())
                        .or(Some((target, None)))
                }
            }
        }
        if let Some((target, leads_to)) = refused {
            self.egress.refusals().tell(rules, &target, leads_to);
        }
        false
    }
}

/// Links `wasi:http`, and puts this layer in front of wasmtime-wasi's sockets,
/// which are linked already.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(linker)?;
    linker.allow_shadowing(true);
    http::add_to_linker(linker)?;
    create::add_to_linker(linker)?;
    names::add_to_linker(linker)?;
    tcp::add_to_linker(linker)?;
    linker.allow_shadowing(false);
    Ok(())
}

/// What one request's header fields may be, in bytes; every field counts with what
/// the host needs to hold it.
pub(crate) const HEADERS: usize = 128 * 1024;

/// What a guest may have of `wasi:http`.
pub(crate) fn http_limits() -> WasiHttpCtx {
    let mut limits = WasiHttpCtx::new();
    limits.set_field_size_limit(HEADERS);
    limits
}

/// The network of one instance.
pub(crate) struct InstanceNetwork {
    pub(crate) network: Arc<Network>,
    pub(crate) remembered: Arc<Remembered>,
}
