//! Where things are: the repository, its workspaces, and what building puts where.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The repository's folders.
pub(crate) struct Layout {
    /// The repository's root.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, `target` unless `CARGO_TARGET_DIR` says otherwise.
    pub(crate) target: PathBuf,
}

impl Layout {
    /// Finds the repository from the variables cargo sets, or from the current folder upwards.
    pub(crate) fn find() -> Result<Self> {
        let from_cargo = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let start = match from_cargo {
            Some(dir) => dir,
            None => env::current_dir().context("the current folder can't be read")?,
        };
        let root = start
            .ancestors()
            .find(|dir| dir.join("xtask/Cargo.toml").is_file())
            .context("this is not inside the repository; run it as `cargo xtask …` there")?
            .to_owned();
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(dir) => std::path::absolute(dir).context("CARGO_TARGET_DIR names no folder")?,
            None => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// The host binary.
    pub(crate) fn host(&self, release: bool) -> PathBuf {
        self.binary("palisade", release)
    }

    /// A native binary of the workspace.
    pub(crate) fn binary(&self, name: &str, release: bool) -> PathBuf {
        let profile = if release { "release" } else { "debug" };
        self.target
            .join(profile)
            .join(name)
            .with_extension(env::consts::EXE_EXTENSION)
    }

    /// Where built plugins are, as `NAME.wasm`.
    pub(crate) fn plugins(&self) -> PathBuf {
        self.target.join("plugins")
    }

    /// Where built test guests are, as `NAME.wasm`.
    pub(crate) fn guests(&self) -> PathBuf {
        self.target.join("guests")
    }

    /// Cargo's target folder for everything built for WebAssembly.
    pub(crate) fn wasm(&self) -> PathBuf {
        self.target.join("wasm")
    }

    /// Where development tools are installed.
    pub(crate) fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// Where real MCP clients are installed, a folder each.
    pub(crate) fn clients(&self) -> PathBuf {
        self.target.join("clients")
    }

    /// The native workspace's `Cargo.toml`.
    pub(crate) fn host_manifest(&self) -> PathBuf {
        self.root.join("Cargo.toml")
    }

    /// The `Cargo.toml` of each workspace built for WebAssembly.
    pub(crate) fn guest_manifests(&self) -> Vec<PathBuf> {
        ["plugins", "tests/guests"]
            .iter()
            .map(|folder| self.root.join(folder).join("Cargo.toml"))
            .filter(|manifest| manifest.is_file())
            .collect()
    }

    /// A path as a person would write it: relative to the repository where it lies inside.
    pub(crate) fn short<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}
