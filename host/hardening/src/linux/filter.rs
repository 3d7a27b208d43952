//! Which system calls are within reach.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter, apply_filter_all_threads,
};

use super::{Threads, calls, search};
use crate::{Error, Part, Wall};

/// Kinds of namespaces that a new process can get.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

pub(super) fn restrict(wall: &Wall, threads: Threads) -> Result<Part, Error> {
    let Ok(machine) = TargetArch::try_from(std::env::consts::ARCH) else {
        let why = format!("not known for {}", std::env::consts::ARCH);
        return Ok(Part::Missing(why));
    };
    let (program, count) =
        program(wall, machine).map_err(|error| Error::Seccomp(Box::new(error)))?;
    let applied = match threads {
        Threads::All => apply_filter_all_threads(&program),
        Threads::This => apply_filter(&program),
    };
    match applied {
        Ok(()) => Ok(Part::Holds(format!("{count} system calls refused"))),
        Err(seccompiler::Error::ThreadSync(_)) => Ok(Part::Missing(
            "a thread of this process has a filter of its own".to_owned(),
        )),
        Err(seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error)) => {
            Ok(Part::Missing(match error.raw_os_error() {
                Some(libc::ENOSYS | libc::EINVAL) => "this kernel does not have it".to_owned(),
                _ => format!("the system refused it, {}", error.kind()),
            }))
        }
        Err(error) => Err(Error::Seccomp(Box::new(error))),
    }
}

/// A list of what is forbidden: a list of what is allowed would break with the
/// next version of a library, at a customer's.
///
/// What is refused whatever its arguments is found first ([`search`]); the rest
/// is up to the library. Also says how many calls there are.
fn program(wall: &Wall, machine: TargetArch) -> Result<(BpfProgram, usize), BackendError> {
    let network = match wall.network {
        true => &[][..],
        false => calls::OF_NETWORK,
    };
    let sometimes = by_argument(wall)?;
    let never = [calls::NEVER, calls::OF_MACHINE, network].concat();
    let count = never.len() + sometimes.len();
    let filter = SeccompFilter::new(
        sometimes,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        machine,
    )?;
    let mut program = search::unknown();
    program.extend(search::refused(&never));
    program.extend(BpfProgram::try_from(filter)?);
    Ok((program, count))
}

/// What is refused with some arguments only.
fn by_argument(wall: &Wall) -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    let mut rules = BTreeMap::new();
    rules.insert(libc::SYS_clone, not_a_thread()?);
    rules.insert(libc::SYS_tgkill, vec![to_others()?]);
    if !wall.new_code {
        for call in [libc::SYS_mmap, libc::SYS_mprotect, libc::SYS_pkey_mprotect] {
            rules.insert(call, vec![executable()?]);
        }
    }
    Ok(rules)
}

/// New processes and new namespaces: what is left are threads.
fn not_a_thread() -> Result<Vec<SeccompRule>, BackendError> {
    let flag = |flag: i32, set: bool| {
        let flag = u64::from(flag.cast_unsigned());
        let wanted = if set { flag } else { 0 };
        when(0, SeccompCmpOp::MaskedEq(flag), wanted)
    };
    std::iter::once(flag(libc::CLONE_THREAD, false))
        .chain(NAMESPACES.into_iter().map(|kind| flag(kind, true)))
        .collect()
}

/// A signal to a thread of another process.
fn to_others() -> Result<SeccompRule, BackendError> {
    let own = u64::from(std::process::id());
    when(0, SeccompCmpOp::Ne, own)
}

/// Memory that can be run.
fn executable() -> Result<SeccompRule, BackendError> {
    let flag = u64::from(libc::PROT_EXEC.cast_unsigned());
    when(2, SeccompCmpOp::MaskedEq(flag), flag)
}

/// When the lower half of an argument compares so: the upper half is not looked
/// at by the kernel either.
fn when(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, is, value)?;
    SeccompRule::new(vec![condition])
}
