//! What all plugins reach the network with: set up once, before anything is
//! given up.

use std::net::SocketAddr;

use crate::error::OutsideError;
use crate::proxy::Proxies;
use crate::resolve::Resolver;
use crate::tls::Trust;

/// Who resolves names, whose certificates are believed, and which proxies are
/// between here and there. Cheap to clone. The default has none of it: nothing
/// is reached.
#[derive(Clone, Default)]
pub struct Outside {
    pub(crate) resolver: Option<Resolver>,
    pub(crate) trust: Option<Trust>,
    pub(crate) proxies: Proxies,
}

/// What of it is needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// Anything is reached at all.
    pub network: bool,
    /// Something is spoken to in TLS.
    pub tls: bool,
}

impl Outside {
    /// With these parts and no proxy.
    #[must_use]
    pub fn new(resolver: Resolver, trust: Trust) -> Self {
        Self {
            resolver: Some(resolver),
            trust: Some(trust),
            proxies: Proxies::default(),
        }
    }

    /// The same through proxies.
    #[must_use]
    pub fn through(self, proxies: Proxies) -> Self {
        Self { proxies, ..self }
    }

    /// As the system is set up: its name servers, or `resolver` in their place;
    /// its certificates or `SSL_CERT_FILE`; `HTTPS_PROXY`, `HTTP_PROXY` and
    /// `NO_PROXY`. All files are read now.
    ///
    /// # Errors
    /// [`OutsideError`] if something that is needed can't be had.
    pub fn system(resolver: Option<SocketAddr>, needs: Needs) -> Result<Self, OutsideError> {
        if !needs.network {
            return Ok(Self::default());
        }
        let resolver = match resolver {
            Some(server) => Resolver::by(server),
            None => Resolver::system(),
        };
        Ok(Self {
            resolver: Some(resolver?),
            trust: needs.tls.then(Trust::system).transpose()?,
            proxies: Proxies::system()?,
        })
    }
}
