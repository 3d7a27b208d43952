//! A real registry: Debian's `docker-registry`, on loopback.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use tempfile::TempDir;

use crate::{PATIENCE, Process, client};

/// Who may ask a registry with a login.
pub const USER: &str = "me";

/// Their password.
pub const PASSWORD: &str = "open sesame";

/// The same as its file has it (bcrypt).
const HTPASSWD: &str = "me:$2b$04$g9FdVQAXYw8V6gxN5L7Qnu02J1HDXgH49mXYzYFmMQ2jngURSe6CS\n";

/// A running registry. Dropping it ends it, with all it holds.
pub struct Registry {
    port: u16,
    folder: TempDir,
    _process: Process,
}

impl Registry {
    /// One that anybody may read and write.
    #[must_use]
    pub fn open() -> Self {
        Self::start(false)
    }

    /// One that wants a login ([`USER`], [`PASSWORD`]).
    #[must_use]
    pub fn closed() -> Self {
        Self::start(true)
    }

    fn start(login: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let mut settings = format!(
            "version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {}\n  delete:\n    enabled: true\nhttp:\n  addr: 127.0.0.1:0\n",
            path("storage")
        );
        if login {
            fs::write(path("htpasswd"), HTPASSWD).unwrap();
            settings += &format!(
                "auth:\n  htpasswd:\n    realm: tests\n    path: {}\n",
                path("htpasswd")
            );
        }
        fs::write(path("settings.yml"), settings).unwrap();
        let mut child = Command::new(client("docker-registry/usr/bin/docker-registry"))
            .args(["serve", &path("settings.yml")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let process = Process::new(child);
        let (tell, told) = mpsc::channel();
        // Read to its end, or the registry would wait for a reader.
        thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                let port = line.split("listening on 127.0.0.1:").nth(1);
                let port = port.and_then(|rest| rest.split('"').next()?.parse().ok());
                if let Some(port) = port {
                    let _ = tell.send(port);
                }
            }
        });
        let port = told.recv_timeout(PATIENCE);
        Self {
            port: port.expect("the registry says where it listens"),
            folder,
            _process: process,
        }
    }

    /// A reference to something in it.
    #[must_use]
    pub fn reference(&self, name: &str) -> String {
        format!("oci://{}/{name}", self.host())
    }

    /// Its host and port.
    #[must_use]
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// A folder with Docker's `config.json`, which has a login for it.
    ///
    /// # Panics
    ///
    /// If it can't be written.
    #[must_use]
    pub fn login(&self, password: &str) -> std::path::PathBuf {
        let folder = self
            .folder
            .path()
            .join(format!("docker-{}", password.len()));
        fs::create_dir_all(&folder).unwrap();
        let login = serde_json::json!({"username": USER, "password": password});
        let config = serde_json::json!({"auths": {self.host(): login}});
        fs::write(folder.join("config.json"), config.to_string()).unwrap();
        folder
    }
}
