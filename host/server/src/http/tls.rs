//! TLS, by rustls.

use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

/// A certificate and its key.
#[derive(Clone)]
pub struct Tls(Arc<ServerConfig>);

/// A certificate or a key that can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The certificate can't be read.
    #[error("it holds no certificate in PEM")]
    Certificate,
    /// The key can't be read.
    #[error("it holds no private key in PEM")]
    Key,
    /// They do not go together, or are of a kind that is not supported.
    #[error("the certificate and the key can't be used together")]
    Unusable(#[source] rustls::Error),
}

impl Tls {
    /// Reads a chain of certificates, the server's own first, and its key.
    ///
    /// # Errors
    ///
    /// If one of them can't be read, or they do not go together.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(certificates)
            .collect::<Result<_, _>>()
            .map_err(|_| TlsError::Certificate)?;
        if chain.is_empty() {
            return Err(TlsError::Certificate);
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsError::Key)?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(TlsError::Unusable)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(Arc::new(config)))
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.0))
    }
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}
