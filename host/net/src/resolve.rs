//! From a name to addresses, in one place.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use palisade_policy::Host;

use crate::error::{NetError, ResolverError};

/// Asks the system's name servers, or those it is told. Cheap to clone.
#[derive(Clone)]
pub struct Resolver(TokioResolver);

impl Resolver {
    /// As the system is set up (`/etc/resolv.conf`, `/etc/hosts`), read now.
    ///
    /// # Errors
    /// [`ResolverError`] if that can't be read.
    pub fn system() -> Result<Self, ResolverError> {
        let mut builder =
            TokioResolver::builder_tokio().map_err(|error| ResolverError(Box::new(error)))?;
        let options = builder.options_mut();
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        builder
            .build()
            .map(Self)
            .map_err(|error| ResolverError(Box::new(error)))
    }

    /// Asks only this server.
    ///
    /// # Errors
    /// [`ResolverError`] if it can't be set up.
    pub fn by(server: SocketAddr) -> Result<Self, ResolverError> {
        let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut one| {
            one.port = server.port();
            one
        });
        let server = NameServerConfig::new(server.ip(), true, connections.into());
        let config = ResolverConfig::from_parts(None, Vec::new(), vec![server]);
        let mut builder =
            TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        let options = builder.options_mut();
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        options.use_hosts_file = ResolveHosts::Never;
        builder
            .build()
            .map(Self)
            .map_err(|error| ResolverError(Box::new(error)))
    }

    /// Every address of a host; an address is its own.
    ///
    /// # Errors
    /// [`NetError::NoSuchHost`] or [`NetError::Resolve`].
    pub(crate) async fn addresses(&self, host: &Host) -> Result<Vec<IpAddr>, NetError> {
        let name = match host {
            Host::Address(address) => return Ok(vec![*address]),
            // RFC 6761: never asked of anybody.
            Host::Name(name) if name == "localhost" || name.ends_with(".localhost") => {
                return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
            }
            Host::Name(name) => name,
        };
        // With the dot at its end: nothing of the system's search list is to be
        // added to what a rule was held against.
        match self.0.lookup_ip(format!("{name}.")).await {
            Ok(found) => Ok(found.iter().map(|address| address.to_canonical()).collect()),
            Err(error) if error.is_nx_domain() || error.is_no_records_found() => {
                Err(NetError::NoSuchHost(name.clone()))
            }
            Err(source) => Err(NetError::Resolve {
                name: name.clone(),
                source,
            }),
        }
    }
}
