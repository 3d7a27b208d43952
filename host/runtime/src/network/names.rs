//! `wasi:sockets/ip-name-lookup`: names that a rule grants, by the host's own
//! resolver. Where each led is remembered, so that a socket may be connected to
//! what was found, and to nothing else.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::vec;

use palisade_net::NetError;
use palisade_policy::{Authority, Host};
use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::p2::bindings::sockets::ip_name_lookup::{
    self, HostResolveAddressStream, ResolveAddressStream,
};
use wasmtime_wasi::p2::bindings::sockets::network::{
    self, ErrorCode, HostNetwork, IpAddress, Network,
};
use wasmtime_wasi::p2::{DynPollable, Pollable, SocketError, subscribe};
use wasmtime_wasi::runtime::{AbortOnDropJoinHandle, poll_noop, spawn};

use super::InstanceNetwork;
use crate::state::State;

/// Pairs of a name and an address that one instance has found. A guest that
/// looks up more has the earlier ones forgotten.
const MOST: usize = 1024;

/// Which names led to an address, in one instance.
#[derive(Default)]
pub(crate) struct Remembered(Mutex<HashMap<IpAddr, Vec<Host>>>);

impl Remembered {
    /// The names that led to it.
    pub(super) fn names_of(&self, address: IpAddr) -> Vec<Host> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found
            .get(&address.to_canonical())
            .cloned()
            .unwrap_or_default()
    }

    fn add(&self, name: &Host, addresses: &[IpAddr]) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for address in addresses {
            if found.values().map(Vec::len).sum::<usize>() >= MOST {
                found.clear();
            }
            let names = found.entry(address.to_canonical()).or_default();
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
}

/// Names of one call.
pub(crate) struct Names<'a> {
    table: &'a mut ResourceTable,
    network: &'a InstanceNetwork,
}

struct HasNames;

impl HasData for HasNames {
    type Data<'a> = Names<'a>;
}

pub(super) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    ip_name_lookup::add_to_linker::<State, HasNames>(linker, |state| Names {
        table: &mut state.table,
        network: &state.network,
    })
}

/// Addresses that are being looked up, or handed out.
enum Lookup {
    Asking(AbortOnDropJoinHandle<Result<Vec<IpAddr>, ErrorCode>>),
    Found(vec::IntoIter<IpAddr>),
    Failed(ErrorCode),
}

impl Lookup {
    fn found(result: Result<Vec<IpAddr>, ErrorCode>) -> Self {
        match result {
            Ok(addresses) => Self::Found(addresses.into_iter()),
            Err(code) => Self::Failed(code),
        }
    }
}

/// The contract's type is one that only wasmtime-wasi can make. What stands in
/// the table under its handles is a [`Lookup`].
fn handle(lookup: &Resource<Lookup>) -> Resource<ResolveAddressStream> {
    Resource::new_own(lookup.rep())
}

/// The other way round.
fn of(handle: &Resource<ResolveAddressStream>) -> Resource<Lookup> {
    Resource::new_own(handle.rep())
}

fn code(error: &NetError) -> ErrorCode {
    match error {
        error if error.is_denied() => ErrorCode::AccessDenied,
        NetError::NoSuchHost(_) => ErrorCode::NameUnresolvable,
        _ => ErrorCode::TemporaryResolverFailure,
    }
}

impl network::Host for Names<'_> {
    fn convert_error_code(&mut self, error: SocketError) -> wasmtime::Result<ErrorCode> {
        error.downcast()
    }

    /// An error of a stream says no more than that it failed.
    fn network_error_code(
        &mut self,
        _: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        Ok(None)
    }
}

impl HostNetwork for Names<'_> {
    fn drop(&mut self, network: Resource<Network>) -> wasmtime::Result<()> {
        self.table.delete(network)?;
        Ok(())
    }
}

impl ip_name_lookup::Host for Names<'_> {
    fn resolve_addresses(
        &mut self,
        network: Resource<Network>,
        name: String,
    ) -> Result<Resource<ResolveAddressStream>, SocketError> {
        self.table.get(&network)?;
        let host = match name.parse::<IpAddr>() {
            Ok(address) => Host::from(address),
            Err(_) => match name.parse::<Authority>() {
                Ok(Authority { host, port: None }) => host,
                _ => return Err(ErrorCode::InvalidArgument.into()),
            },
        };
        let egress = Arc::clone(&self.network.network);
        if !egress.egress.rules().names(&host) {
            let rules = egress.egress.rules();
            egress.egress.refusals().tell_name(rules, &host);
            return Err(ErrorCode::AccessDenied.into());
        }
        let remembered = Arc::clone(&self.network.remembered);
        let asking = spawn(async move {
            let found = egress.egress.lookup(&host).await;
            let found = found.map_err(|error| code(&error))?;
            remembered.add(&host, &found);
            Ok(found)
        });
        let lookup = self.table.push(Lookup::Asking(asking))?;
        Ok(handle(&lookup))
    }
}

impl HostResolveAddressStream for Names<'_> {
    fn resolve_next_address(
        &mut self,
        stream: Resource<ResolveAddressStream>,
    ) -> Result<Option<IpAddress>, SocketError> {
        let lookup = self.table.get_mut(&of(&stream))?;
        if let Lookup::Asking(asking) = lookup {
            match poll_noop(std::pin::Pin::new(asking)) {
                Some(result) => *lookup = Lookup::found(result),
                None => return Err(ErrorCode::WouldBlock.into()),
            }
        }
        match lookup {
            Lookup::Found(addresses) => Ok(addresses.next().map(IpAddress::from)),
            Lookup::Failed(code) => Err((*code).into()),
            Lookup::Asking(_) => Err(ErrorCode::WouldBlock.into()),
        }
    }

    fn subscribe(
        &mut self,
        stream: Resource<ResolveAddressStream>,
    ) -> wasmtime::Result<Resource<DynPollable>> {
        // Lent: what is subscribed to by its owner is gone with the pollable.
        let lookup = Resource::<Lookup>::new_borrow(stream.rep());
        subscribe(self.table, lookup)
    }

    fn drop(&mut self, stream: Resource<ResolveAddressStream>) -> wasmtime::Result<()> {
        self.table.delete(of(&stream))?;
        Ok(())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Lookup {
    async fn ready(&mut self) {
        if let Self::Asking(asking) = self {
            *self = Self::found(asking.await);
        }
    }
}
