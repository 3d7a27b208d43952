//! Whom to believe: the system's authorities.

use std::sync::Arc;

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{CertificateError, ClientConfig, Error, RootCertStore};

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

/// Why the other end is not believed, in words for who has never heard of
/// authorities.
pub(crate) fn plainly(error: &std::io::Error) -> Option<&'static str> {
    let error = error.get_ref()?.downcast_ref::<Error>()?;
    let Error::InvalidCertificate(why) = error else {
        return None;
    };
    Some(match why {
        CertificateError::UnknownIssuer => {
            "its certificate is signed by nobody this machine trusts; SSL_CERT_FILE names more"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired, or this machine's clock is wrong"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet, or this machine's clock is wrong"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name"
        }
        CertificateError::Revoked => "its certificate has been taken back by who signed it",
        // Told apart by its words alone.
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "its certificate is one that signs others, and not one of a server"
        }
        _ => return None,
    })
}
