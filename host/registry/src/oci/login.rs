//! Who asks, as Docker's and Podman's configuration has it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use docker_credential::{CredentialRetrievalError, DockerCredential};
use palisade_policy::Authority;

use crate::fetch::FetchError;

/// How long a program that keeps logins may take: somebody may have to type.
const PATIENCE: Duration = Duration::from_secs(60);

/// The name that Docker keeps the login of its own registry under.
const HUB: &str = "https://index.docker.io/v1/";

/// Where logins at registries are taken from. A program that keeps them may wait for
/// a person to type: after a minute that is an error, and the program goes on, so a
/// command does better not to wait for the threads of its runtime.
#[derive(Debug, Clone, Default)]
pub enum Credentials {
    /// None are used.
    #[default]
    Nobody,
    /// From `$DOCKER_CONFIG/config.json` or `~/.docker/config.json`, or else from
    /// Podman's, and from the programs that they name.
    Docker,
    /// The same from the `config.json` of a folder.
    DockerIn(PathBuf),
}

/// A login.
pub(super) enum Login {
    /// A name and a password.
    Password(String, String),
    /// A token that another one is had for.
    Refresh(String),
}

impl Credentials {
    /// The login for a registry, which is asked for under its own name and under no
    /// other.
    pub(super) async fn login(&self, registry: &Authority) -> Result<Option<Login>, FetchError> {
        let name = match registry.to_string() {
            name if name == "docker.io" => HUB.to_owned(),
            name => name,
        };
        let this = self.clone();
        let asking = tokio::task::spawn_blocking(move || this.look_up(&name));
        let failed = |why: String| FetchError::Login {
            registry: registry.to_string(),
            why,
        };
        let asked = tokio::time::timeout(PATIENCE, asking).await;
        let asked = asked.map_err(|_| {
            failed(
                "has a login in a program that does not answer; see Docker's configuration".into(),
            )
        })?;
        match asked.map_err(|_| FetchError::Broken)? {
            Ok(DockerCredential::UsernamePassword(name, password)) => {
                Ok(Some(Login::Password(name, password)))
            }
            Ok(DockerCredential::IdentityToken(token)) => Ok(Some(Login::Refresh(token))),
            Err(
                CredentialRetrievalError::NoCredentialConfigured
                | CredentialRetrievalError::ConfigNotFound,
            ) => Ok(None),
            // What a program printed may be the login itself.
            Err(CredentialRetrievalError::HelperFailure { helper, .. }) => Err(failed(format!(
                "has a login in the program {helper}, which does not hand it out; log in again"
            ))),
            Err(error) => Err(failed(format!(
                "has a login that can't be had from Docker's configuration: {error}"
            ))),
        }
    }

    fn look_up(&self, name: &str) -> Result<DockerCredential, CredentialRetrievalError> {
        let none = CredentialRetrievalError::NoCredentialConfigured;
        match self {
            Self::Nobody => Err(none),
            Self::DockerIn(folder) => from_file(&folder.join("config.json"), name),
            Self::Docker => {
                let folder = std::env::var_os("DOCKER_CONFIG").map(PathBuf::from);
                let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".docker"));
                let found = match folder.or(home) {
                    Some(folder) => from_file(&folder.join("config.json"), name),
                    None => Err(none),
                };
                match found {
                    Err(CredentialRetrievalError::NoCredentialConfigured) => {
                        // Without that file, it is said not to be readable.
                        let podman = docker_credential::get_podman_credential(name);
                        podman.map_err(|error| match error {
                            CredentialRetrievalError::ConfigReadError => {
                                CredentialRetrievalError::NoCredentialConfigured
                            }
                            error => error,
                        })
                    }
                    found => found,
                }
            }
        }
    }
}

fn from_file(path: &Path, name: &str) -> Result<DockerCredential, CredentialRetrievalError> {
    match File::open(path) {
        Ok(file) => {
            docker_credential::get_credential_from_reader(std::io::BufReader::new(file), name)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(CredentialRetrievalError::NoCredentialConfigured)
        }
        Err(_) => Err(CredentialRetrievalError::ConfigReadError),
    }
}
