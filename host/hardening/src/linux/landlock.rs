//! Which files are within reach.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, LandlockStatus,
    PathBeneath, PathFd, RestrictSelfAttr as _, RestrictionStatus, Ruleset, RulesetAttr as _,
    RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use super::Threads;
use crate::{Error, Part, Wall};

/// The newest version whose every right is one that this process can do
/// without. Older kernels enforce what they know.
const ABI: ABI = ABI::V10;

/// Reading.
fn to_read() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::ReadDir
}

/// Whatever makes, changes and takes away regular files, directories and
/// links: no devices, pipes or sockets, and nothing that is run.
fn to_write() -> BitFlags<AccessFs> {
    to_read()
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::MakeSym
        | AccessFs::Refer
}

/// What of it makes sense for a single file.
fn of_file() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate
}

/// What holds, and whether it does for threads that run already.
pub(super) fn restrict(wall: &Wall, threads: Threads) -> Result<(Part, bool), Error> {
    let refused = |error: RulesetError| Error::Landlock(Box::new(error));
    let mut ruleset = ruleset(wall).map_err(refused)?;
    for path in &wall.readable {
        ruleset = allow(ruleset, path, to_read())?;
    }
    for path in &wall.writable {
        ruleset = allow(ruleset, path, to_write())?;
    }
    let status = ruleset
        .all_threads(threads == Threads::All)
        .and_then(RulesetCreated::restrict_self)
        .map_err(refused)?;
    Ok((part(&status), status.all_threads))
}

fn ruleset(wall: &Wall) -> Result<RulesetCreated, RulesetError> {
    let mut ruleset = Ruleset::default();
    if !wall.writable.is_empty() {
        // The first version knows no renaming from directory to directory and
        // forbids it always: rather none than one that breaks what is granted.
        ruleset = ruleset
            .set_compatibility(CompatLevel::SoftRequirement)
            .handle_access(AccessFs::Refer)?
            .set_compatibility(CompatLevel::BestEffort);
    }
    ruleset = ruleset
        .handle_access(AccessFs::from_all(ABI))?
        .scope(Scope::from_all(ABI))?;
    // Where connections are made, none are waited for.
    let network = match wall.network {
        true => AccessNet::BindTcp.into(),
        false => AccessNet::from_all(ABI),
    };
    ruleset.handle_access(network)?.create()
}

fn allow(
    ruleset: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, Error> {
    let failed = |source| Error::Path {
        path: PathBuf::from(path),
        source,
    };
    let handle = PathFd::new(path).map_err(|error| failed(Box::new(error)))?;
    let stat = rustix::fs::fstat(&handle)
        .map_err(|error| failed(Box::new(std::io::Error::from(error))))?;
    let access = match rustix::fs::FileType::from_raw_mode(stat.st_mode) {
        rustix::fs::FileType::Directory => access,
        _ => access & of_file(),
    };
    if access.is_empty() {
        return Ok(ruleset);
    }
    ruleset
        .add_rule(PathBeneath::new(handle, access))
        .map_err(|error| Error::Landlock(Box::new(error)))
}

fn part(status: &RestrictionStatus) -> Part {
    let missing = |why: &str| Part::Missing(why.to_owned());
    match (&status.landlock, &status.ruleset) {
        (LandlockStatus::NotEnabled, _) => missing("this kernel has it, but was started without"),
        (LandlockStatus::Available { effective_abi, .. }, ruleset) => match ruleset {
            RulesetStatus::NotEnforced => missing(
                "this kernel's version of it forbids renaming between directories, which is \
                 granted",
            ),
            _ => Part::Holds(format!("ABI {}", *effective_abi as i32)),
        },
        _ => missing("this kernel does not have it"),
    }
}
