//! A fetcher in an internet of its own, and answers of hostile servers.

#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a test fails by panicking; each uses some of it"
)]

use std::fs;
use std::time::Duration;

use palisade_net::{Outside, Resolver, Trust};
use palisade_registry::{FetchError, Fetched, Fetcher, Limits, Pin, Source, Store};
use palisade_tests::internet::{Internet, Pipe};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;

use super::Home;

/// A component: an empty one.
pub(crate) const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

/// Another one, with a custom section.
pub(crate) const OTHER: &[u8] = b"\0asm\x0d\0\x01\0\0\x02\x01x";

/// Somebody who fetches.
pub(crate) struct Desk {
    pub(crate) home: Home,
    pub(crate) internet: Internet,
    pub(crate) fetcher: Fetcher,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let internet = Internet::new();
        let pem = fs::read(internet.identity.file()).unwrap();
        let certificates = CertificateDer::pem_slice_iter(&pem).map(Result::unwrap);
        let trust = Trust::of(certificates).unwrap();
        let resolver = Resolver::by(internet.names.address()).unwrap();
        let fetcher = Fetcher::new(Outside::new(resolver, trust)).with_limits(quick());
        Self {
            home: Home::new(),
            internet,
            fetcher,
        }
    }

    pub(crate) fn store(&self) -> Store {
        self.home.store()
    }

    pub(crate) async fn fetch(&self, source: &str) -> Result<Fetched, FetchError> {
        let source: Source = source.parse().unwrap();
        let store = self.store();
        self.fetcher.fetch(&store, &source, &mut |_| {}).await
    }

    /// What comes, and nothing of it is kept.
    pub(crate) async fn got(&self, source: &str) -> Pin {
        let fetched = self.fetch(source).await.unwrap();
        Pin {
            digest: fetched.digest,
            manifest: fetched.manifest,
        }
    }

    pub(crate) async fn pinned(&self, source: &str, pin: Pin) -> Result<Fetched, FetchError> {
        let source: Source = source.parse().unwrap();
        let store = self.store();
        let mut nobody = |_| {};
        let fetching = self.fetcher.fetch_pinned(&store, &source, pin, &mut nobody);
        fetching.await
    }

    /// Fetches what must be refused: in which words. Nothing of it is left.
    #[track_caller]
    pub(crate) fn refused(&self, source: &str) -> impl Future<Output = String> {
        let caller = std::panic::Location::caller();
        async move {
            let Err(error) = self.fetch(source).await else {
                panic!("{source} was fetched ({caller})");
            };
            let error = error.to_string();
            assert!(!error.contains(char::is_control), "{error:?} ({caller})");
            assert!(error.len() < 700, "{error} ({caller})");
            self.nothing_is_left().await;
            error
        }
    }

    /// What is written on another thread ends with the fetch, or soon after.
    pub(crate) async fn nothing_is_left(&self) {
        let left = || {
            let left = fs::read_dir(self.store().path().join("tmp"));
            left.map_or(0, Iterator::count)
        };
        let patience = std::time::Instant::now() + palisade_tests::PATIENCE;
        while left() > 0 {
            assert!(std::time::Instant::now() < patience, "something is left");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Limits that a test runs into soon.
pub(crate) fn quick() -> Limits {
    Limits {
        bytes: 1 << 20,
        idle: Duration::from_secs(20),
        ..Limits::default()
    }
}

/// Writes an answer; whether it was taken.
pub(crate) fn answer(pipe: &mut dyn Pipe, status: u16, headers: &[String], body: &[u8]) -> bool {
    let mut head = format!("HTTP/1.1 {status} X\r\n");
    let has = |name: &str| headers.iter().any(|header| header.starts_with(name));
    if !has("content-length") && !has("transfer-encoding") {
        head += &format!("content-length: {}\r\n", body.len());
    }
    for header in headers {
        head += &format!("{header}\r\n");
    }
    head += "\r\n";
    let written = pipe.write_all(head.as_bytes());
    written.and_then(|()| pipe.write_all(body)).is_ok()
}
