//! Where an answer sends on to, and with what.

use url::Url;

use super::{Error, ErrorKind, Request, Response, checked};

/// What is for one server and not for the next.
const SECRET: [&str; 3] = ["authorization", "cookie", "proxy-authorization"];

/// What describes a body that is not sent again.
const OF_BODIES: [&str; 4] = [
    "content-encoding",
    "content-language",
    "content-type",
    "content-length",
];

impl Response {
    /// Where it redirects to; none if it does not.
    ///
    /// # Errors
    /// If that is no address a request can go to.
    #[must_use]
    pub fn redirect(&self) -> Option<Result<Url, Error>> {
        if !matches!(self.status(), 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let to = self.header("location")?;
        let wrong = |why: &str| {
            Error::new(
                ErrorKind::Redirects,
                format!("{} redirects to {to:?}, which {why}", self.url()),
            )
        };
        let next = match self.url().join(to) {
            Ok(next) => checked(next).map_err(wrong),
            Err(_) => Err(wrong("is no address")),
        };
        Some(next.map(|mut next| {
            // What stands behind `#` stays, unless there is another.
            if next.fragment().is_none() {
                next.set_fragment(self.url().fragment());
            }
            next
        }))
    }
}

/// Makes of a request the one that follows a redirect.
pub(super) fn change(request: &mut Request, status: u16, from: &Url, to: &Url) {
    let keep = match status {
        303 => request.method == "HEAD",
        301 | 302 => request.method != "POST",
        _ => true,
    };
    if !keep {
        request.method = "GET".to_owned();
        request.body = None;
        (request.headers).retain(|(name, _)| !OF_BODIES.contains(&&name[..]));
    }
    if from.origin() != to.origin() {
        (request.headers).retain(|(name, _)| !SECRET.contains(&&name[..]));
    }
}
