//! A keyring of the tests' own: the one of GNOME, on a bus of its own.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;

use crate::{PATIENCE, Palisade};

/// A bus, on which there may be a keyring.
pub struct Keyring {
    folder: TempDir,
    address: String,
    bus: Child,
    daemon: Option<Child>,
}

impl Keyring {
    /// A bus with an unlocked keyring on it; none, and a line that says so, where
    /// the programs are not installed.
    #[must_use]
    pub fn unlocked() -> Option<Self> {
        let mut keyring = Self::bus_alone()?;
        let daemon = Command::new("gnome-keyring-daemon")
            .args(["--foreground", "--unlock", "--components=secrets"])
            .env_clear()
            .env("HOME", keyring.folder.path())
            .env("XDG_RUNTIME_DIR", keyring.folder.path())
            .env("DBUS_SESSION_BUS_ADDRESS", &keyring.address)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut daemon) = daemon else {
            eprintln!("not tried: there is no gnome-keyring-daemon on this machine");
            return None;
        };
        let mut password = daemon.stdin.take().unwrap();
        password.write_all(b"open sesame").unwrap();
        drop(password);
        keyring.daemon = Some(daemon);
        // Nobody tells when it has its name; the bus is asked.
        let asked = Instant::now();
        while !keyring
            .send("ReadAlias", "string:default")
            .contains("/collection/")
        {
            assert!(asked.elapsed() < PATIENCE, "the keyring does not start");
        }
        Some(keyring)
    }

    /// A bus on which nobody keeps secrets; none where there is no dbus-daemon.
    #[must_use]
    pub fn bus_alone() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o700)).unwrap();
        let config = folder.path().join("bus.conf");
        // Nothing that is installed here is started by it.
        let text = format!(
            "<busconfig><type>session</type><listen>unix:dir={}</listen><auth>EXTERNAL</auth>\
             <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/>\
             </policy></busconfig>",
            folder.path().display()
        );
        fs::write(&config, text).unwrap();
        let bus = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", config.display()))
            .args(["--nofork", "--nopidfile", "--print-address=1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut bus) = bus else {
            eprintln!("not tried: there is no dbus-daemon on this machine");
            return None;
        };
        let mut address = String::new();
        let output = bus.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut address).unwrap();
        Some(Self {
            folder,
            address: address.trim().to_owned(),
            bus,
            daemon: None,
        })
    }

    /// A command line that finds it.
    #[must_use]
    pub fn reach(&self, command: Palisade) -> Palisade {
        command.env("DBUS_SESSION_BUS_ADDRESS", &self.address)
    }

    /// Where it keeps its own files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Locks it.
    pub fn lock(&self) {
        let said = self.send(
            "Lock",
            "array:objpath:/org/freedesktop/secrets/collection/login",
        );
        assert!(said.contains("collection/login"), "{said}");
    }

    /// Ends it; the bus stays.
    pub fn end(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }

    /// What it answers, or nothing.
    fn send(&self, method: &str, argument: &str) -> String {
        let output = Command::new("dbus-send")
            .arg(format!("--bus={}", self.address))
            .args(["--print-reply", "--dest=org.freedesktop.secrets"])
            .arg("/org/freedesktop/secrets")
            .arg(format!("org.freedesktop.Secret.Service.{method}"))
            .arg(argument)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Keyring {
    fn drop(&mut self) {
        self.end();
        let _ = self.bus.kill();
        let _ = self.bus.wait();
    }
}
