//! A folder in which somebody makes a plugin.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use palisade_package::{MOST_TEXT, Package, PackageError, Parts, pack};
use palisade_policy::Manifest;

use crate::failure::Failure;
use crate::files::{read_file, read_text};
use crate::load::MAX_PLUGIN;

mod build;

pub(crate) use build::{BUILD_FILE, build};

/// What a plugin asks for, beside its source.
pub(crate) const MANIFEST: &str = "palisade.toml";

/// The README of a project.
const README: &str = "README.md";

/// How the files begin that hold licences.
const LICENCES: [&str; 4] = ["LICENSE", "LICENCE", "COPYING", "UNLICENSE"];

/// Entries of a folder that are looked at.
const MOST_ENTRIES: usize = 10_000;

/// A project, as far as it goes into a package.
pub(crate) struct Project {
    /// Where it is.
    pub(crate) folder: PathBuf,
    /// The text of its manifest.
    manifest: String,
    /// What that says.
    pub(crate) asks: Manifest,
    /// Its README.
    pub(crate) readme: Option<String>,
    /// The text of its licences.
    pub(crate) licence: Option<String>,
}

impl Project {
    /// Reads all but the component.
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
        let file = folder.join(MANIFEST);
        let manifest = read_text(&file).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failure::new(format!("there is no {}", file.display())).remedy(
                "give the folder of a plugin, with a manifest that says at least \
                 [plugin] and name = \"…\"",
            ),
            _ => unreadable(&file, &error),
        })?;
        let asks = Manifest::parse(&manifest)
            .map_err(|error| Failure::new(format!("{}, {error}", file.display())))?;
        Ok(Self {
            manifest,
            asks,
            readme: text(&folder.join(README))?,
            licence: licences(folder)?,
            folder: folder.to_owned(),
        })
    }

    /// Whether it is built by cargo.
    pub(crate) fn is_cargos(&self) -> bool {
        self.folder.join(BUILD_FILE).is_file()
    }

    /// The only component beside the manifest; `but` is what packing writes.
    pub(crate) fn lying_there(&self, but: &Path) -> Result<PathBuf, Failure> {
        // One that is hidden is what packing was about to write, and could not.
        let is_component = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".wasm") && !name.starts_with('.') && path.is_file()
        };
        let mut found = entries(&self.folder)?;
        found.retain(|path| is_component(path));
        if found.len() > 1 {
            let but = but.canonicalize().ok();
            found.retain(|path| but.is_none() || path.canonicalize().ok() != but);
        }
        let shown = self.folder.display();
        match found.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(
                Failure::new(format!("there is no component in {shown}")).remedy(
                    "build one and put it beside palisade.toml, or name it with --component FILE",
                ),
            ),
            [one, other, ..] => Err(Failure::new(format!(
                "there is more than one component in {shown}: {} and {}",
                one.display(),
                other.display()
            ))
            .remedy("name the one to pack with --component FILE")),
        }
    }

    /// The package with this component.
    pub(crate) fn package(&self, component: &Path) -> Result<Package, Failure> {
        let bytes = read_file(component, MAX_PLUGIN).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                Failure::new(format!("there is no file {}", component.display()))
            }
            _ => unreadable(component, &error),
        })?;
        let parts = Parts {
            manifest: &self.manifest,
            readme: self.readme.as_deref(),
            licence: self.licence.as_deref(),
        };
        pack(&bytes, parts).map_err(|error| match &error {
            PackageError::Licence { .. } => {
                Failure::because(self.folder.join(MANIFEST).display(), &error).remedy(
                    "write one such as \"MIT\" or \"MIT OR Apache-2.0\" (spdx.org/licenses)",
                )
            }
            PackageError::TooLarge { .. } => Failure::because(self.folder.display(), &error),
            _ => Failure::because(component.display(), &error),
        })
    }
}

/// What cannot be read, and why.
fn unreadable(file: &Path, error: &std::io::Error) -> Failure {
    Failure::because(format!("{} can't be read", file.display()), error)
}

/// A text that need not be there.
fn text(file: &Path) -> Result<Option<String>, Failure> {
    match read_file(file, MOST_TEXT as u64) {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| Failure::new(format!("{} is not UTF-8 text", file.display()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(file, &error)),
    }
}

/// All licences, each under the name of its file if there are several.
fn licences(folder: &Path) -> Result<Option<String>, Failure> {
    let mut found = Vec::new();
    for file in entries(folder)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let upper = name.to_uppercase();
        if !LICENCES.iter().any(|begin| upper.starts_with(begin)) || !file.is_file() {
            continue;
        }
        if let Some(text) = text(&file)? {
            found.push((name.into_owned(), text));
        }
    }
    Ok(match found.as_slice() {
        [] => None,
        [(_, only)] => Some(only.clone()),
        several => {
            let several = several.iter();
            let texts: Vec<_> = several
                .map(|(name, text)| format!("{name}\n\n{text}"))
                .collect();
            Some(texts.join("\n\n"))
        }
    })
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error| Failure::because(format!("{} can't be read", folder.display()), &error);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)
        .map_err(failed)?
        .take(MOST_ENTRIES)
    {
        found.push(entry.map_err(failed)?.path());
    }
    found.sort();
    Ok(found)
}
