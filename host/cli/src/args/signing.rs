//! The command line of signatures.

use std::path::PathBuf;

use clap::Args;

/// `palisade keygen`.
#[derive(Debug, Args)]
pub(crate) struct KeygenArgs {
    /// Where the secret key is written; signing.key among Palisade's own
    /// configuration if not given.
    pub(crate) file: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `palisade sign`.
#[derive(Debug, Args)]
pub(crate) struct SignArgs {
    /// The plugin, a packed .wasm file. It is replaced by the signed one.
    pub(crate) file: PathBuf,
    /// The secret key; the one that `palisade keygen` made if not given.
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// Leave the file as it is, and write the signed one there.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
