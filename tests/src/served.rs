//! A host that serves over HTTP.

use crate::Session;

/// A running `palisade run --http`. Dropping it kills it.
#[derive(Debug)]
pub struct Served {
    /// Its process and standard error; nothing is said on the other streams.
    pub host: Session,
    url: String,
}

impl Served {
    #[track_caller]
    pub(crate) fn new(mut host: Session) -> Self {
        host.until_stderr(|said| url(said).is_some());
        let url = url(&host.stderr()).expect("it was there").to_owned();
        Self { host, url }
    }

    /// The address of its endpoint.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its address and port, as a socket wants them.
    ///
    /// # Panics
    ///
    /// If the URL is not of the form that it always has.
    #[must_use]
    pub fn authority(&self) -> &str {
        let rest = self.url.strip_prefix("http://").expect("it is http");
        rest.strip_suffix("/mcp").expect("that is the endpoint")
    }
}

/// Where it serves, once it has said so.
fn url(stderr: &str) -> Option<&str> {
    stderr.split_inclusive('\n').find_map(|line| {
        let said = line
            .strip_suffix('\n')?
            .strip_prefix("palisade: serving ")?;
        Some(said.rsplit_once(" at ")?.1)
    })
}
