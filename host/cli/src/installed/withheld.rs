//! What a plugin that is served has said it has and nobody has agreed to: written
//! down by the process that serves it, for the person who looks at it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use palisade_registry::{Digest, Offer, canonical, definition_digest};
use palisade_server::{DefinitionKind, Withheld};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::places::Places;

/// Largest file, in bytes. A plugin's lists are smaller.
const LARGEST: usize = 32 << 20;

/// The file of one plugin.
#[derive(Debug, Clone)]
pub(crate) struct File {
    folder: PathBuf,
    path: PathBuf,
}

/// What is in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    /// The plugin that said so.
    plugin: Option<Digest>,
    definitions: Vec<Definition>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    kind: Kind,
    name: String,
    definition: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Tool,
    Prompt,
    ResourceTemplate,
}

/// What a person is told it is.
pub(crate) fn words(kind: DefinitionKind) -> &'static str {
    match kind {
        DefinitionKind::Tool => "tool",
        DefinitionKind::Prompt => "prompt",
        DefinitionKind::ResourceTemplate => "resource template",
    }
}

impl Kept {
    /// What is withheld of a plugin.
    pub(crate) fn of(plugin: Digest, withheld: &[Withheld]) -> Self {
        let one = |one: &Withheld| Definition {
            kind: match one.kind {
                DefinitionKind::Tool => Kind::Tool,
                DefinitionKind::Prompt => Kind::Prompt,
                DefinitionKind::ResourceTemplate => Kind::ResourceTemplate,
            },
            name: one.name.clone(),
            definition: one.definition.clone(),
        };
        match withheld.is_empty() {
            true => Self::default(),
            false => Self {
                plugin: Some(plugin),
                definitions: withheld.iter().map(one).collect(),
            },
        }
    }

    /// Whether it is of this plugin, and there is something.
    pub(crate) fn is_of(&self, plugin: Digest) -> bool {
        self.plugin == Some(plugin) && !self.definitions.is_empty()
    }

    /// What would be agreed to, with what has been.
    pub(crate) fn added_to(&self, offer: &Offer) -> Offer {
        let mut offer = offer.clone();
        for one in &self.definitions {
            let of_kind = match one.kind {
                Kind::Tool => &mut offer.tools,
                Kind::Prompt => &mut offer.prompts,
                Kind::ResourceTemplate => &mut offer.templates,
            };
            of_kind.insert(one.name.clone(), one.definition.clone());
        }
        offer
    }

    /// Each of it, with the digest of what it says.
    pub(crate) fn words(&self) -> Vec<String> {
        let one = |one: &Definition| {
            let kind = match one.kind {
                Kind::Tool => DefinitionKind::Tool,
                Kind::Prompt => DefinitionKind::Prompt,
                Kind::ResourceTemplate => DefinitionKind::ResourceTemplate,
            };
            let digest = definition_digest(&one.definition);
            format!("{} {} ({digest})", words(kind), one.name)
        };
        self.definitions.iter().map(one).collect()
    }

    /// Stands for all of it: what was shown is what is agreed to.
    pub(crate) fn digest(&self) -> Digest {
        let value = serde_json::to_value(self).unwrap_or_default();
        Digest::of(canonical(&value).as_bytes())
    }
}

impl File {
    /// That of an installed plugin, whose name is one.
    pub(crate) fn of(places: &Places, name: &str) -> Self {
        let folder = places.withheld();
        Self {
            path: folder.join(format!("{name}.json")),
            folder,
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder it is in.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes that folder, for its owner alone.
    pub(crate) fn make_folder(&self) -> std::io::Result<()> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)
    }

    /// Puts this in its place; nothing, where nothing is withheld.
    pub(crate) fn write(&self, kept: &Kept) -> std::io::Result<()> {
        if *kept == Kept::default() {
            return self.remove();
        }
        let bytes = serde_json::to_vec(kept)?;
        let mut file = NamedTempFile::new_in(&self.folder)?;
        file.write_all(&bytes)?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Takes it away.
    pub(crate) fn remove(&self) -> std::io::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// What is in it; none without one.
    ///
    /// # Errors
    /// Of a file that is not what this writes.
    pub(crate) fn read(&self) -> std::io::Result<Kept> {
        let bad = |why: &str| std::io::Error::new(ErrorKind::InvalidData, why.to_owned());
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(&self.path);
        let file = match file {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Kept::default()),
            file => file?,
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(bad("it is no file of this user"));
        }
        if metadata.mode() & 0o022 != 0 {
            return Err(bad("others may write to it"));
        }
        let mut bytes = Vec::new();
        file.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > LARGEST {
            return Err(bad("it is too large"));
        }
        Ok(serde_json::from_slice(&bytes)?)
    }
}
