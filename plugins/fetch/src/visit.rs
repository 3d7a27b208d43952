//! Requests, and what has to be asked before each.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::time::Duration;

use palisade_sdk::http::{ErrorKind, Request, Response, Url};
use palisade_sdk::prelude::*;

use crate::charset;
use crate::robots::Robots;

const AUTONOMOUS: &str =
    "ModelContextProtocol/1.0 (Autonomous; +https://github.com/modelcontextprotocol/servers)";
const MANUAL: &str =
    "ModelContextProtocol/1.0 (User-Specified; +https://github.com/modelcontextprotocol/servers)";

/// How often a page may send on to another address.
const REDIRECTS: usize = 10;

/// How long each request may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Somebody who fetches.
pub(crate) struct Visitor {
    user_agent: String,
    /// What was found of every site so far; none if it is not asked.
    robots: Option<BTreeMap<String, Site>>,
}

/// A site's rules.
struct Site {
    url: Url,
    text: String,
}

impl Visitor {
    /// A model, which asks robots.txt.
    pub(crate) fn autonomous() -> Self {
        let ignore = std::env::var("FETCH_IGNORE_ROBOTS_TXT");
        let ignore = ignore.is_ok_and(|value| !matches!(&*value, "" | "0" | "false"));
        Self {
            user_agent: user_agent(AUTONOMOUS),
            robots: (!ignore).then(BTreeMap::new),
        }
    }

    /// A person.
    pub(crate) fn manual() -> Self {
        Self {
            user_agent: user_agent(MANUAL),
            robots: None,
        }
    }

    /// Gets a page, and follows where it sends on to.
    ///
    /// # Errors
    /// If there is no answer, or if a site does not want one of the requests.
    pub(crate) fn visit(&mut self, asked: &Url) -> Result<Response> {
        let mut url = asked.clone();
        for _ in 0..=REDIRECTS {
            let response = self
                .request(&url)
                .send()
                .with_context(|| format!("Failed to fetch {asked}"))?;
            let Some(next) = response.redirect() else {
                return Ok(response);
            };
            url = next.with_context(|| format!("Failed to fetch {asked}"))?;
            self.may_fetch(&url)?;
        }
        bail!("Failed to fetch {asked}: it redirects more than {REDIRECTS} times")
    }

    /// Asks the site's robots.txt, if that is to be asked.
    ///
    /// # Errors
    /// If it says no, or can't be read.
    pub(crate) fn may_fetch(&mut self, url: &Url) -> Result<()> {
        let request = |of: &Url| {
            Request::get(of.as_str())
                .header("user-agent", self.user_agent.as_bytes())
                .timeout(PATIENCE)
                .follow(5)
        };
        let Some(known) = &mut self.robots else {
            return Ok(());
        };
        let origin = url.origin().ascii_serialization();
        if !known.contains_key(&origin) {
            let site = Site::ask(url, request)?;
            known.insert(origin.clone(), site);
        }
        match known.get(&origin) {
            Some(site) => site.allows(url, &self.user_agent),
            None => Ok(()),
        }
    }

    fn request(&self, url: &Url) -> Request {
        Request::get(url.as_str())
            .header("user-agent", self.user_agent.as_bytes())
            .header(
                "accept",
                "text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.8",
            )
            .timeout(PATIENCE)
    }
}

impl Site {
    fn ask(page: &Url, request: impl Fn(&Url) -> Request) -> Result<Self> {
        let url = robots_txt(page);
        let response = request(&url).send().map_err(|error| match error.kind() {
            ErrorKind::Denied => Error::msg(error).context(format_args!(
                "Failed to fetch robots.txt {url}, without which no page of the site is fetched"
            )),
            _ => Error::msg(error).context(format_args!(
                "Failed to fetch robots.txt {url} due to a connection issue"
            )),
        })?;
        let status = response.status();
        let text = match status {
            // RFC 9309 has the same for a server that fails.
            401 | 403 | 500.. => bail!(
                "When fetching robots.txt ({url}), received status {status} so assuming that autonomous fetching is not allowed, the user can try manually fetching by using the fetch prompt"
            ),
            400..500 => String::new(),
            _ => {
                let kind = response
                    .header("content-type")
                    .unwrap_or_default()
                    .to_owned();
                let mut body = response.into_body();
                let bytes = first(&mut body, Robots::LARGEST).with_context(|| {
                    format!("Failed to fetch robots.txt {url} due to a connection issue")
                })?;
                charset::decode(&bytes, &kind)
            }
        };
        Ok(Self { url, text })
    }

    fn allows(&self, page: &Url, user_agent: &str) -> Result<()> {
        if Robots::parse(&self.text, user_agent).allows(page) {
            return Ok(());
        }
        // It is shown to a model, which has no use for a long one.
        let shown: String = self.text.chars().take(2000).collect();
        bail!(
            "The sites robots.txt ({}), specifies that autonomous fetching of this page is not allowed, \
             <useragent>{user_agent}</useragent>\n\
             <url>{page}</url>\
             <robots>\n{shown}\n</robots>\n\
             The assistant must let the user know that it failed to view the page. The assistant may provide further guidance based on the above information.\n\
             The assistant can tell the user that they can try manually fetching the page by using the fetch prompt within their UI.",
            self.url
        )
    }
}

/// The first bytes of a body. What follows is not read.
fn first(body: &mut impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    body.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Where a site's rules are.
fn robots_txt(page: &Url) -> Url {
    let mut url = page.clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    url.set_fragment(None);
    url
}

/// What a person set, or what the reference says of itself.
fn user_agent(default: &str) -> String {
    let set = std::env::var("FETCH_USER_AGENT").unwrap_or_default();
    match set.is_empty() {
        true => default.to_owned(),
        false => set,
    }
}
