//! The second wall, as the command line wants it.

use palisade_hardening::{Active, Wall, probe, restrict};
use palisade_policy::{Access, Effective, RootKind};

use crate::args::HardeningArgs;
use crate::failure::Failure;
use crate::output;

/// Keeps within reach what a plugin is granted.
pub(crate) fn keep(wall: &mut Wall, effective: &Effective) {
    // The kernel knows no names: whoever may reach anything may make
    // connections.
    wall.network |= !effective.network.is_empty();
    for root in &effective.roots {
        // The kernel knows files, not names: a file that is granted alone and
        // that an editor replaces stays in reach only with what lies beside it.
        let alone = root.kind == RootKind::File;
        let parent = root.path.parent().filter(|_| alone);
        let path = parent.unwrap_or(&root.path).to_owned();
        match root.access {
            Access::ReadOnly => wall.readable.push(path),
            Access::ReadWrite => wall.writable.push(path),
        }
    }
}

/// Before anything else: whether the wall can stand, if that is required. Until
/// it does, a plugin that is new here is compiled and asked what it offers.
pub(crate) fn check(args: HardeningArgs) -> Result<(), Failure> {
    if !args.require_hardening {
        return Ok(());
    }
    let active = probe().map_err(|error| failed(&error))?;
    required(&active)
}

/// Builds it, for good. No thread that runs a plugin or reads what a client
/// sends may have been started.
pub(crate) fn build(wall: &Wall, args: HardeningArgs) -> Result<(), Failure> {
    // Means reading files, so not later.
    palisade_runtime::threads_for_calls();
    let active = restrict(wall).map_err(|error| failed(&error))?;
    tracing::debug!(
        landlock = %active.landlock,
        seccomp = %active.seccomp,
        outside = active.outside,
        "the second wall stands"
    );
    if args.require_hardening {
        return required(&active);
    }
    if let Some(missing) = active.missing() {
        output::error_line(&format!(
            "palisade: there is no second wall behind the sandbox on this system: {missing}; \
             `palisade doctor` says what to do, --require-hardening refuses to start like this"
        ));
    }
    Ok(())
}

fn required(active: &Active) -> Result<(), Failure> {
    match active.missing() {
        None => Ok(()),
        Some(missing) => Err(Failure::new(format!(
            "this system can't hold back a process as --require-hardening wants it: {missing}"
        ))
        .remedy("`palisade doctor` says what to do; without the flag, it is a warning")
        .into_refusal()),
    }
}

fn failed(error: &palisade_hardening::Error) -> Failure {
    Failure::because(
        "nothing is served, since the second wall can't be built",
        error,
    )
    .remedy("`palisade doctor` says what works on this system")
}
