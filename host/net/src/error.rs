//! What can go wrong, in words for a guest and for a person.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use palisade_policy::Special;

use crate::tls;

/// A request that was not made, or came to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// No rule is for this destination.
    #[error("not permitted: {0} is not in this plugin's grant")]
    Destination(String),
    /// A rule is for the destination, and not for this method.
    #[error("not permitted: {1} {0} is not in this plugin's grant, which allows other methods")]
    Method(String, String),
    /// A rule is for the destination, and not for this path.
    #[error("not permitted: {0}{1} is not in this plugin's grant, which allows other paths")]
    Path(String, String),
    /// It is granted, and the plugin's own manifest does not ask for it.
    #[error("not permitted: {0} is nothing this plugin's own manifest asks for")]
    NotAsked(String),
    /// The name leads only to addresses that it may not lead to.
    #[error("not permitted: {name} leads to {address}, {what}")]
    Address {
        /// What was asked for.
        name: String,
        /// Where it leads.
        address: IpAddr,
        /// What that is.
        what: Special,
    },
    /// A request that can't be read.
    #[error("{0:?} is no address of a request")]
    Uri(String),
    /// The name leads nowhere.
    #[error("there is no host called {0}")]
    NoSuchHost(String),
    /// Nobody said where the name leads.
    #[error("{name} could not be resolved")]
    Resolve {
        /// What was asked for.
        name: String,
        /// Why.
        #[source]
        source: hickory_resolver::net::NetError,
    },
    /// No address of it took the connection.
    #[error("{name} could not be connected to")]
    Connect {
        /// What was asked for.
        name: String,
        /// The last address's reason.
        #[source]
        source: io::Error,
    },
    /// Its certificate is not to be trusted, or it speaks no TLS.
    #[error("{name} could not be spoken to in TLS")]
    Tls {
        /// What was asked for.
        name: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It took too long.
    #[error("{what} took longer than {} s", .limit.as_secs_f64())]
    Timeout {
        /// What did.
        what: &'static str,
        /// How long it may take.
        limit: Duration,
    },
    /// More than may be received or sent.
    #[error("{what} is larger than {limit} bytes")]
    TooLarge {
        /// What is.
        what: &'static str,
        /// How large it may be.
        limit: u64,
    },
    /// There are as many connections as there may be.
    #[error("more than {0} connections are open")]
    Connections(usize),
    /// The proxy can't be reached.
    #[error("the proxy {proxy} can't be reached")]
    Proxy {
        /// Its address.
        proxy: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The proxy does not connect to where it is to.
    #[error("the proxy {proxy} did not connect to {name}")]
    Tunnel {
        /// Its address.
        proxy: String,
        /// What was asked for.
        name: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// As many requests as there may be at once are under way.
    #[error("more than {0} requests are under way")]
    Busy(usize),
    /// The other end goes on about an answer that never comes.
    #[error("{name} sent more than {most} interim answers")]
    Interim {
        /// What was asked for.
        name: String,
        /// How many there may be.
        most: usize,
    },
    /// A secret can't be added to a request, or not be found in its answer.
    #[error("the answer of {name} can't be used with a secret: {why}")]
    Secret {
        /// What was asked for.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// Its answer has an end that never came.
    #[error("{0} broke off in the middle of its answer")]
    BrokeOff(String),
    /// What came is no HTTP, or the connection broke.
    #[error("the connection to {name} failed")]
    Http {
        /// What was asked for.
        name: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl NetError {
    /// Whether what is permitted is what stands in the way.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        matches!(
            self,
            Self::Destination(_)
                | Self::Method(..)
                | Self::Path(..)
                | Self::NotAsked(_)
                | Self::Address { .. }
        )
    }

    /// One sentence, with what is at the bottom of it.
    #[must_use]
    pub fn sentence(&self) -> String {
        let mut cause: &dyn std::error::Error = self;
        while let Some(source) = cause.source() {
            cause = source;
        }
        let (own, root) = (self.to_string(), cause.to_string());
        let plain = match self {
            Self::Tls { source, .. } => tls::plainly(source),
            _ => None,
        };
        match plain {
            Some(plain) => format!("{own}: {plain} ({root})"),
            None if own == root => own,
            None => format!("{own}: {root}"),
        }
    }
}

/// Nothing can be reached as the system is set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutsideError {
    /// Names can't be resolved.
    #[error(transparent)]
    Resolver(#[from] ResolverError),
    /// Nobody can be trusted.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A proxy is not understood.
    #[error(transparent)]
    Proxy(#[from] ProxyError),
}

/// A variable that names no proxy that can be used.
#[derive(Debug, thiserror::Error)]
#[error("the variable {0} names no proxy that can be used; write http://HOST:PORT")]
pub struct ProxyError(pub(crate) String);

/// The system does not say whom to ask for names.
#[derive(Debug, thiserror::Error)]
#[error("the system's settings for resolving names can't be read")]
pub struct ResolverError(#[source] pub(crate) Box<hickory_resolver::net::NetError>);

/// There is no certificate to trust.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The store can't be read.
    #[error("the system's certificates can't be read")]
    Store(#[source] rustls_native_certs::Error),
    /// Nothing usable is in it.
    #[error(
        "the system has no certificates of authorities; install them, or name a file in SSL_CERT_FILE"
    )]
    Empty,
    /// TLS itself can't be set up.
    #[error("TLS can't be set up")]
    Tls(#[source] tokio_rustls::rustls::Error),
}
