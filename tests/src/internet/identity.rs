//! Certificates, and who vouches for them.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use tempfile::TempDir;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// An authority, whose own certificate lies in a file.
pub struct Identity {
    folder: TempDir,
    issuer: Issuer<'static, KeyPair>,
}

impl Identity {
    /// A new one.
    ///
    /// # Panics
    ///
    /// If there is no place for its file.
    #[must_use]
    pub fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let folder = tempfile::tempdir().unwrap();
        // No two have one name.
        params
            .distinguished_name
            .push(DnType::CommonName, folder.path().display().to_string());
        let certificate = params.self_signed(&key).unwrap();
        fs::write(folder.path().join("authority.pem"), certificate.pem()).unwrap();
        Self {
            folder,
            issuer: Issuer::new(params, key),
        }
    }

    /// The file with its certificate.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }

    /// What a server of this name needs; `expired` since 2021 if it is to be.
    ///
    /// # Panics
    ///
    /// If that is no name.
    #[must_use]
    pub fn of(&self, name: &str, expired: bool, protocols: &[&str]) -> Arc<ServerConfig> {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        if expired {
            params.not_before = date_time_ymd(2020, 1, 1);
            params.not_after = date_time_ymd(2021, 1, 1);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let chain: Vec<CertificateDer<'static>> = vec![certificate.der().clone()];
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        config.alpn_protocols = protocols
            .iter()
            .map(|name| name.as_bytes().to_vec())
            .collect();
        Arc::new(config)
    }
}

impl Default for Identity {
    fn default() -> Self {
        Self::new()
    }
}
