//! Whom to believe: the system's authorities.

use std::sync::Arc;

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::error::TrustError;

/// The authorities whose certificates are believed. Cheap to clone.
#[derive(Clone)]
pub struct Trust(pub(crate) TlsConnector);

impl Trust {
    /// Those of the system, or of the file that `SSL_CERT_FILE` names; read
    /// now.
    ///
    /// # Errors
    /// [`TrustError`] if there are none.
    pub fn system() -> Result<Self, TrustError> {
        let mut found = rustls_native_certs::load_native_certs();
        if found.certs.is_empty() {
            return Err(match found.errors.pop() {
                Some(error) => TrustError::Store(error),
                None => TrustError::Empty,
            });
        }
        Self::of(found.certs)
    }

    /// These and no others.
    ///
    /// # Errors
    /// [`TrustError`] if none of them is usable.
    pub fn of(
        certificates: impl IntoIterator<Item = CertificateDer<'static>>,
    ) -> Result<Self, TrustError> {
        let mut roots = RootCertStore::empty();
        let (usable, _) = roots.add_parsable_certificates(certificates);
        if usable == 0 {
            return Err(TrustError::Empty);
        }
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(TrustError::Tls)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}
