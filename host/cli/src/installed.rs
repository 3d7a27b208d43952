//! Plugins that are installed: the store they are kept in, and the files in which
//! a person has granted each something.

use std::path::{Path, PathBuf};

use palisade_policy::{GrantText, Manifest, ParseError, is_name};
use palisade_registry::{Before, Entry, FileChange, Offer, Snapshot, Store, StoreError};

use crate::failure::Failure;
use crate::places::Places;

pub(crate) mod agreed;
pub(crate) mod arriving;
pub(crate) mod watch;
pub(crate) mod withheld;

/// Where installed plugins and their grants are.
#[derive(Debug)]
pub(crate) struct Home {
    /// Components, and `palisade.lock`.
    pub(crate) store: Store,
    grants: PathBuf,
}

/// A plugin that is installed.
#[derive(Debug, Clone)]
pub(crate) struct Installed {
    /// Its name here.
    pub(crate) name: String,
    /// What the lock says of it.
    pub(crate) entry: Entry,
    /// What was seen of it when it was installed.
    pub(crate) offer: Offer,
    /// What it is granted, as text; none if there is no file.
    pub(crate) grant: Option<String>,
    /// Where that stands.
    pub(crate) grant_file: PathBuf,
}

impl Home {
    /// The one of this user.
    pub(crate) fn find() -> Result<Self, Failure> {
        let places = Places::find().ok_or_else(|| {
            Failure::new("there is no home directory in which plugins could be kept")
                .remedy("set HOME, or XDG_DATA_HOME, to a directory of your own")
        })?;
        Self::of(&places)
    }

    /// The one in these places.
    pub(crate) fn of(places: &Places) -> Result<Self, Failure> {
        Ok(Self {
            store: Store::open(places.store()).map_err(|error| failure(&error))?,
            grants: places.config().join("grants"),
        })
    }

    /// Where the files are that grant something.
    pub(crate) fn grants_folder(&self) -> &Path {
        &self.grants
    }

    /// What is installed, by name.
    pub(crate) fn names(&self) -> Result<Vec<String>, Failure> {
        let snapshot = self.store.read().map_err(|error| failure(&error))?;
        Ok(snapshot.entries().keys().cloned().collect())
    }

    /// The file that grants a plugin something.
    pub(crate) fn grant_file(&self, name: &str) -> PathBuf {
        self.grants.join(format!("{name}.toml"))
    }

    /// The plugin of this name, if it is installed.
    pub(crate) fn look_up(&self, name: &str) -> Result<Option<Installed>, Failure> {
        let grant_file = self.grant_file(name);
        let snapshot = (self.store)
            .read_with(std::slice::from_ref(&grant_file))
            .map_err(|error| failure(&error))?;
        let Some(entry) = snapshot.get(name) else {
            return Ok(None);
        };
        let offer = self
            .store
            .offer(entry.offer)
            .map_err(|error| failure(&error))?;
        Ok(Some(Installed {
            name: name.to_owned(),
            entry: entry.clone(),
            offer,
            grant: grant_of(&snapshot, &grant_file)?,
            grant_file,
        }))
    }

    /// The plugin of this name.
    pub(crate) fn get(&self, name: &str) -> Result<Installed, Failure> {
        if let Some(installed) = self.look_up(name)? {
            return Ok(installed);
        }
        let snapshot = self.store.read().map_err(|error| failure(&error))?;
        let names: Vec<_> = snapshot.entries().keys().map(String::as_str).collect();
        let failure = Failure::new(format!("there is no plugin {name:?}"));
        Err(match names.is_empty() {
            true => failure.remedy("nothing is installed; palisade install SOURCE installs one"),
            false => failure.remedy(format!("installed: {}", names.join(", "))),
        })
    }
}

impl Installed {
    /// What it asks for, under its name here.
    pub(crate) fn manifest(&self) -> Result<Option<Manifest>, Failure> {
        let Some(text) = &self.offer.request else {
            return Ok(None);
        };
        let mut manifest = Manifest::parse(text)
            .map_err(|error| Failure::new(format!("{}: its manifest, {error}", self.name)))?;
        manifest.plugin.name.clone_from(&self.name);
        Ok(Some(manifest))
    }

    /// What it is granted, to be changed.
    pub(crate) fn grant_text(&self) -> Result<GrantText, Failure> {
        match &self.grant {
            None => Ok(GrantText::new(&self.name)),
            Some(text) => GrantText::parse(text).map_err(|error| self.bad_grant(&error)),
        }
    }

    /// That its grant file can't be understood.
    pub(crate) fn bad_grant(&self, error: &ParseError) -> Failure {
        let file = self.grant_file.display();
        Failure::new(format!("the grant file {file}, {error}"))
    }

    /// What becomes of its grant file, if nobody else has changed it.
    pub(crate) fn grant_change(&self, text: Option<String>) -> FileChange {
        FileChange {
            path: self.grant_file.clone(),
            before: Before::Was(self.grant.clone().map(String::into_bytes)),
            bytes: text.map(String::into_bytes),
        }
    }
}

fn grant_of(snapshot: &Snapshot, file: &Path) -> Result<Option<String>, Failure> {
    let Some(bytes) = snapshot.file(file) else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes.to_vec()).map_err(|_| {
        Failure::new(format!(
            "the grant file {} is not UTF-8 text",
            file.display()
        ))
        .remedy("correct it, or take it away, which grants nothing")
    })?;
    Ok(Some(text))
}

/// What went wrong in the store, in a sentence.
pub(crate) fn failure(error: &StoreError) -> Failure {
    let shown = Failure::because("the store of plugins", error);
    match error {
        StoreError::Altered { .. } | StoreError::Missing { .. } => shown
            .remedy("`palisade verify` says which plugin that is; remove it, and install it again"),
        _ => shown,
    }
}

/// What a person means by a plugin on the command line.
#[derive(Debug)]
pub(crate) enum Subject {
    /// A file.
    File(PathBuf),
    /// One that is installed, with its home.
    Installed(Box<Installed>, Store),
}

impl Subject {
    /// An installed plugin goes before a file of the same name: what lies in the
    /// current folder is not to take its place. With a `/` or a dot it is a path.
    pub(crate) fn find(written: &Path, places: Option<&Places>) -> Result<Self, Failure> {
        let file = || Ok(Self::File(written.to_owned()));
        let (Some(name), Some(places)) = (written.to_str().filter(|name| is_name(name)), places)
        else {
            return file();
        };
        let home = Home::of(places)?;
        match home.look_up(name)? {
            Some(installed) => Ok(Self::Installed(Box::new(installed), home.store)),
            None if written.exists() => file(),
            None => home.get(name).and_then(|_| file()),
        }
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> PathBuf {
        match self {
            Self::File(file) => file.clone(),
            Self::Installed(_, store) => store.path().to_owned(),
        }
    }
}
