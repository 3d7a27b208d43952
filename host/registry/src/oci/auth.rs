//! Saying who asks, to the registry and to nobody it merely points to.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Response, StatusCode};
use palisade_net::Incoming;
use palisade_policy::Host;
use serde::Deserialize;

use super::login::{Credentials, Login};
use crate::fetch::FetchError;
use crate::fetch::web::{Ask, Web};
use crate::source::{OciReference, WebAddress};

/// Longest answer with a token, in bytes.
const LONGEST_ANSWER: u64 = 64 << 10;

/// Requests to one repository, by one who says who they are if they are asked.
pub(super) struct Session<'a> {
    web: Web<'a>,
    reference: &'a OciReference,
    actions: &'static str,
    credentials: &'a Credentials,
    /// What is said to the registry's own host.
    said: Option<HeaderValue>,
}

/// What a registry wants to hear.
enum Challenge {
    /// Name and password.
    Basic,
    /// A token, which is had at `realm`.
    Bearer {
        realm: String,
        service: Option<String>,
    },
}

/// What it is had as.
#[derive(Deserialize)]
struct Answer {
    token: Option<String>,
    access_token: Option<String>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        web: Web<'a>,
        reference: &'a OciReference,
        actions: &'static str,
        credentials: &'a Credentials,
    ) -> Self {
        Self {
            web,
            reference,
            actions,
            credentials,
            said: None,
        }
    }

    pub(super) fn web(&self) -> &Web<'a> {
        &self.web
    }

    /// Asks the registry's own host, and says who asks if it wants to know.
    pub(super) async fn ask(&mut self, ask: Ask) -> Result<Response<Incoming>, FetchError> {
        let again = Ask {
            method: ask.method.clone(),
            to: ask.to.clone(),
            headers: ask.headers.clone(),
            body: ask.body.clone(),
        };
        let answer = self.once(ask).await?;
        if answer.status() != StatusCode::UNAUTHORIZED {
            return Ok(answer);
        }
        let challenge = self.challenge(answer.headers())?;
        self.said = Some(self.answer(challenge, &again.to).await?);
        let answer = self.once(again).await?;
        match answer.status() {
            StatusCode::UNAUTHORIZED => Err(self.no("does not accept the login")),
            _ => Ok(answer),
        }
    }

    async fn once(&self, mut ask: Ask) -> Result<Response<Incoming>, FetchError> {
        if let Some(said) = &self.said {
            ask.headers.insert(header::AUTHORIZATION, said.clone());
        }
        // A redirect of anything else would have a body sent elsewhere.
        match ask.method {
            Method::GET | Method::HEAD => self.web.follow(ask).await,
            _ => self.web.send(ask).await,
        }
    }

    /// What it wants to hear: a token rather than a password.
    fn challenge(&self, headers: &HeaderMap) -> Result<Challenge, FetchError> {
        let mut basic = false;
        for value in headers.get_all(header::WWW_AUTHENTICATE) {
            let value = value.to_str().unwrap_or_default();
            for challenge in http_auth::parse_challenges(value).unwrap_or_default() {
                let param = |name: &str| {
                    let mut params = challenge.params.iter();
                    let found = params.find(|(key, _)| key.eq_ignore_ascii_case(name));
                    found.map(|(_, value)| value.to_unescaped())
                };
                if challenge.scheme.eq_ignore_ascii_case("basic") {
                    basic = true;
                } else if challenge.scheme.eq_ignore_ascii_case("bearer")
                    && let Some(realm) = param("realm")
                {
                    let service = param("service");
                    return Ok(Challenge::Bearer { realm, service });
                }
            }
        }
        match basic {
            true => Ok(Challenge::Basic),
            false => Err(self.no("wants to know who asks, and does not say how")),
        }
    }

    /// What it is told.
    async fn answer(
        &self,
        challenge: Challenge,
        asked: &WebAddress,
    ) -> Result<HeaderValue, FetchError> {
        let login = self.credentials.login(self.reference.registry()).await?;
        match challenge {
            Challenge::Basic => match &login {
                Some(Login::Password(name, password)) => self.basic(name, password),
                Some(Login::Refresh(_)) => {
                    Err(self.no("wants a password, and the login is a token"))
                }
                None => Err(self.nobody()),
            },
            Challenge::Bearer { realm, service } => {
                let api = asked.to_string();
                let realm = self.web.named(&api, &realm)?;
                if login.is_some() && !are_related(asked.host(), realm.host()) {
                    return Err(self.no(&format!(
                        "wants its login told to {}, which is somebody else; log out of it to ask as nobody",
                        realm.host()
                    )));
                }
                let token = self.token(&realm, service, login.as_ref()).await?;
                self.header(format!("Bearer {token}"))
            }
        }
    }

    /// Has a token for this repository alone, whatever the registry says it is for.
    async fn token(
        &self,
        realm: &WebAddress,
        service: Option<String>,
        login: Option<&Login>,
    ) -> Result<String, FetchError> {
        let scope = format!(
            "repository:{}:{}",
            self.reference.repository(),
            self.actions
        );
        let mut fields = vec![("scope", scope)];
        fields.extend(service.map(|service| ("service", service)));
        let ask = match login {
            Some(Login::Refresh(token)) => {
                fields.push(("grant_type", "refresh_token".to_owned()));
                fields.push(("client_id", "palisade".to_owned()));
                fields.push(("refresh_token", token.clone()));
                let form = url::form_urlencoded::Serializer::new(String::new())
                    .extend_pairs(&fields)
                    .finish();
                let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
                Ask {
                    method: Method::POST,
                    body: Bytes::from(form),
                    ..Ask::get(realm.clone())
                }
                .with(header::CONTENT_TYPE, kind)
            }
            login => {
                let bad = || self.no("names no address where a token is had");
                let mut url = url::Url::parse(&realm.to_string()).map_err(|_| bad())?;
                url.query_pairs_mut().extend_pairs(&fields);
                let ask = Ask::get(self.web.named(&realm.to_string(), url.as_str())?);
                match login {
                    Some(Login::Password(name, password)) => {
                        ask.with(header::AUTHORIZATION, self.basic(name, password)?)
                    }
                    _ => ask,
                }
            }
        };
        // Not followed: where it leads is not who was meant.
        let answer = self.web.send(ask).await?;
        match (answer.status().as_u16(), login) {
            (200, _) => {}
            (400..=499, None) => return Err(self.nobody()),
            (400..=499, Some(_)) => return Err(self.no("does not accept the login")),
            (status, _) => {
                return Err(self.no(&format!("hands out no token (it answers {status})")));
            }
        }
        let from = format!("the token of {}", self.reference.registry());
        let bytes = self.web.short(&from, answer, LONGEST_ANSWER).await?;
        let answer: Option<Answer> = serde_json::from_slice(&bytes).ok();
        let token = answer.and_then(|answer| answer.token.or(answer.access_token));
        token
            .filter(|token| !token.is_empty())
            .ok_or_else(|| self.no("hands out no token"))
    }

    fn basic(&self, name: &str, password: &str) -> Result<HeaderValue, FetchError> {
        self.header(format!(
            "Basic {}",
            STANDARD.encode(format!("{name}:{password}"))
        ))
    }

    fn header(&self, text: String) -> Result<HeaderValue, FetchError> {
        let mut value = HeaderValue::try_from(text)
            .map_err(|_| self.no("hands out a token that no header can hold"))?;
        value.set_sensitive(true);
        Ok(value)
    }

    fn nobody(&self) -> FetchError {
        let registry = self.reference.registry();
        self.no(&format!(
            "has no such repository, or wants to know who asks; log in first (docker login {registry})"
        ))
    }

    fn no(&self, why: &str) -> FetchError {
        FetchError::Login {
            registry: self.reference.registry().to_string(),
            why: why.to_owned(),
        }
    }
}

/// Whether a login for the one may be told to the other: the same host, or one with
/// the same parent (`registry-1.docker.io` and `auth.docker.io`), or the parent
/// itself. A registry that was broken into could have logins told to any other.
fn are_related(registry: &Host, realm: &Host) -> bool {
    let (Host::Name(one), Host::Name(other)) = (registry, realm) else {
        return registry == realm;
    };
    let parent = |name: &str| {
        let parent = name.split_once('.').map(|(_, parent)| parent.to_owned());
        parent.filter(|parent| parent.contains('.'))
    };
    let (above_one, above_other) = (parent(one), parent(other));
    one == other
        || above_one.is_some() && above_one == above_other
        || above_one.as_ref() == Some(other)
        || above_other.as_ref() == Some(one)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// What wants to know who asks is a stranger's too: whatever it says is read
        /// or not, and nothing breaks.
        #[test]
        fn any_challenge(text in "(Bearer |Basic )?[ -~\t]{0,60}", other in any::<String>()) {
            for text in [text, other] {
                for challenge in http_auth::parse_challenges(&text).unwrap_or_default() {
                    for (_, value) in challenge.params {
                        prop_assert!(value.to_unescaped().len() <= text.len());
                    }
                }
            }
        }
    }

    #[test]
    fn whom_a_login_is_told_to() {
        let name = |name: &str| Host::Name(name.to_owned());
        for (one, other, related) in [
            ("ghcr.io", "ghcr.io", true),
            ("registry-1.docker.io", "auth.docker.io", true),
            ("registry.gitlab.com", "gitlab.com", true),
            ("ghcr.io", "evil.io", false),
            ("ghcr.io", "ghcr.io.evil.example", false),
            ("registry.example.com", "registry.evil.com", false),
        ] {
            assert_eq!(are_related(&name(one), &name(other)), related, "{other}");
        }
    }
}
