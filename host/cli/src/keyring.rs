//! The system's keyring, which a process of its own speaks to: this program,
//! started again.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use palisade_secrets::Keyring;

use crate::compiler::this_program;

/// How long it may take where somebody sits in front of it, who may have to
/// unlock it.
pub(crate) const ATTENDED: Duration = Duration::from_secs(60);

/// How long it may take where a plugin waits for it to start.
pub(crate) const AT_START: Duration = Duration::from_secs(10);

/// What that process gets of our environment: what finds the keyring.
const PASSED_ON: [&str; 4] = [
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "HOME",
    "LD_LIBRARY_PATH",
];

/// The keyring, if there can be one here. It is not asked before it is needed.
pub(crate) fn of_the_system(time: Duration) -> Option<Keyring> {
    can_be_here().then(|| Keyring {
        command: Box::new(command),
        time,
    })
}

/// Whether there is a bus that leads to one.
fn can_be_here() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    set("DBUS_SESSION_BUS_ADDRESS").is_some()
        || set("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).join("bus").exists())
}

fn command() -> Command {
    let mut command = Command::new(this_program());
    command.arg("ask-keyring").current_dir("/").env_clear();
    for name in PASSED_ON {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}
