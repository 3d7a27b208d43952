//! Requests to the API.

use std::time::Duration;

use palisade_sdk::http::{Request, Response, Url};
use palisade_sdk::prelude::*;
use serde::de::DeserializeOwned;

use crate::failure;
use crate::place::below;

const USUAL: &str = "https://api.github.com";

/// How long a request may take.
const PATIENCE: Duration = Duration::from_secs(25);

/// How many bytes of an answer are read. A page of a hundred issues, each as long
/// as there may be, has more: then there are fewer to be asked for.
const LARGEST: usize = 8 << 20;

/// The media type of most answers.
pub(crate) const JSON: &str = "application/vnd.github+json";

/// The API.
#[derive(Debug)]
pub(crate) struct Api {
    base: Url,
}

/// A part of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    number: u32,
    size: u32,
}

/// What is asked for.
pub(crate) struct Ask<'a> {
    /// In words, for errors.
    pub(crate) what: String,
    pub(crate) at: Vec<&'a str>,
    pub(crate) query: Vec<(&'static str, String)>,
}

impl Page {
    pub(crate) fn new(number: u32, size: u32) -> Self {
        Self {
            number: number.max(1),
            size: size.clamp(1, 100),
        }
    }

    pub(crate) fn query(self) -> Vec<(&'static str, String)> {
        vec![
            ("per_page", self.size.to_string()),
            ("page", self.number.to_string()),
        ]
    }
}

impl Api {
    /// GitHub's, or the one a person named.
    ///
    /// # Errors
    /// If what they named is no address.
    pub(crate) fn new() -> Result<Self> {
        let named = std::env::var("GITHUB_API_URL").unwrap_or_default();
        let text = match named.trim() {
            "" => USUAL,
            named => named,
        };
        let wrong = "GITHUB_API_URL has to be an address such as https://api.github.com";
        let base = Url::parse(text).context(wrong)?;
        if !base.has_host() || base.query().is_some() || base.fragment().is_some() {
            bail!("{wrong}");
        }
        Ok(Self { base })
    }

    /// What is there, and the number of the next page.
    pub(crate) fn get<T: DeserializeOwned>(&self, ask: &Ask<'_>) -> Result<(T, Option<u32>)> {
        let response = self.send(Request::get(self.url(ask)?), JSON, &ask.what)?;
        let next = response.header("link").and_then(next_page);
        Ok((read(response, &ask.what)?, next))
    }

    /// The same as text of another media type, as much of it as is read.
    pub(crate) fn text(&self, ask: &Ask<'_>, accept: &str) -> Result<String> {
        let response = self.send(Request::get(self.url(ask)?), accept, &ask.what)?;
        let bytes = response.bytes(LARGEST).context(&ask.what)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Makes something.
    pub(crate) fn post<T: DeserializeOwned>(
        &self,
        ask: &Ask<'_>,
        body: &serde_json::Value,
    ) -> Result<T> {
        let request = Request::post(self.url(ask)?).json(body);
        read(self.send(request, JSON, &ask.what)?, &ask.what)
    }

    fn url(&self, ask: &Ask<'_>) -> Result<String> {
        below(&self.base, &ask.at, &ask.query).map(String::from)
    }

    /// Without a token: that is the host's to add.
    fn send(&self, request: Request, accept: &str, what: &str) -> Result<Response> {
        let response = request
            .header("accept", accept)
            .header("user-agent", "palisade-github")
            .header("x-github-api-version", "2022-11-28")
            .timeout(PATIENCE)
            // A repository that got another name.
            .follow(3)
            .send()
            .context(what)?;
        match response.is_success() {
            true => Ok(response),
            false => Err(failure::of(response, what)),
        }
    }
}

fn read<T: DeserializeOwned>(response: Response, what: &str) -> Result<T> {
    response.json(LARGEST).context(what)
}

/// The page of `rel="next"` in a `Link`.
pub(crate) fn next_page(link: &str) -> Option<u32> {
    let next = (link.split(',')).find(|one| one.contains("rel=\"next\""))?;
    let (address, _) = next.trim().strip_prefix('<')?.split_once('>')?;
    let url = Url::parse(address).ok()?;
    let (_, page) = url.query_pairs().find(|(name, _)| name == "page")?;
    page.parse().ok()
}
