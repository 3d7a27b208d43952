//! Builds and packs, on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::thread;

use super::proxy::Event;
use crate::failure::Failure;
use crate::project::{Project, build};

/// A version of the plugin that can be served.
#[derive(Debug, Clone)]
pub(crate) struct Ready {
    /// The package.
    pub(crate) file: PathBuf,
    /// What it is called, with its version.
    pub(crate) title: String,
}

/// Whoever is sent something builds; the result comes as an event. `into` is a
/// folder of ours.
pub(crate) fn builder(folder: PathBuf, into: PathBuf, events: SyncSender<Event>) -> Sender<()> {
    let (ask, asked) = channel::<()>();
    thread::spawn(move || {
        let mut before = Vec::new();
        let mut count = 0_u32;
        for () in asked {
            count = count.wrapping_add(1);
            let file = into.join(format!("{count}.wasm"));
            let made = make(&folder, &file, &mut before);
            if events.send(Event::Built(made)).is_err() {
                return;
            }
        }
    });
    ask
}

/// The package of the project as it is now; none if it is the one from before.
fn make(folder: &Path, file: &Path, before: &mut Vec<u8>) -> Result<Option<Ready>, Failure> {
    let project = Project::read(folder)?;
    let component = match project.is_cargos() {
        true => build(folder)?.file,
        false => project.lying_there(file)?,
    };
    let package = project.package(&component)?;
    if package.bytes == *before {
        return Ok(None);
    }
    std::fs::write(file, &package.bytes)
        .map_err(|error| Failure::because("what was built can't be kept", &error))?;
    *before = package.bytes;
    let about = &package.manifest.plugin;
    let version = about.version.as_deref().unwrap_or_default();
    Ok(Some(Ready {
        file: file.to_owned(),
        title: format!("{} {version}", about.name).trim_end().to_owned(),
    }))
}
