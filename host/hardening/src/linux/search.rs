//! A long list of system calls, found quickly.
//!
//! The kernel runs a new filter once for every call there is, to know which
//! ones it need not run it for later. With a hundred comparisons in a row that
//! takes longer than all else at the start of a process; halving takes seven.

use libc::c_long;
use seccompiler::{BpfProgram, sock_filter};

// The instructions that are needed; see `linux/bpf_common.h`.
const LOAD_WORD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;

/// Where the number of the call is.
const NUMBER: u32 = 0;

/// From here on lie the calls of the x32 ABI.
const X32: u32 = 0x4000_0000;

/// Calls that are to look as if the kernel did not have them: `clone3`, whose
/// flags lie in memory where no filter can see them (the C library then uses
/// `clone`), and on x86-64 every call of the x32 ABI, which has numbers of its
/// own for the same things under the same name of the machine. The number of
/// the call stays loaded.
pub(super) fn unknown() -> BpfProgram {
    vec![
        step(LOAD_WORD, NUMBER, 0, 0),
        step(JUMP_IF_EQUAL, number(libc::SYS_clone3), 1, 0),
        step(JUMP_IF_AT_LEAST, X32, 0, 1),
        refuse(libc::ENOSYS),
    ]
}

/// Refuses these calls, with EPERM; goes on with all others.
pub(super) fn refused(calls: &[c_long]) -> BpfProgram {
    let mut calls: Vec<u32> = calls.iter().copied().map(number).collect();
    calls.sort_unstable();
    calls.dedup();
    halve(&calls)
}

fn halve(calls: &[u32]) -> BpfProgram {
    /// Calls that are compared one after the other.
    const FEW: usize = 3;
    let (lower, upper) = calls.split_at(calls.len() / 2);
    let Some(middle) = upper.first().filter(|_| calls.len() > FEW) else {
        let one = |call: &u32| [step(JUMP_IF_EQUAL, *call, 0, 1), refuse(libc::EPERM)];
        return calls.iter().flat_map(one).collect();
    };
    let (lower, upper) = (halve(lower), halve(upper));
    let mut program = vec![
        step(JUMP_IF_AT_LEAST, *middle, 0, 1),
        // Past the lower half and the step behind it.
        over(lower.len() + 1),
    ];
    program.extend(lower);
    program.push(over(upper.len()));
    program.extend(upper);
    program
}

fn step(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

fn over(steps: usize) -> sock_filter {
    step(JUMP, u32::try_from(steps).unwrap_or(u32::MAX), 0, 0)
}

fn refuse(error: i32) -> sock_filter {
    let result = libc::SECCOMP_RET_ERRNO | error.unsigned_abs();
    step(RETURN, result, 0, 0)
}

/// Numbers of calls are small.
fn number(call: c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "a test fails by panicking")]

    use super::*;
    use crate::linux::calls;

    /// What becomes of a call; none if the program goes on.
    fn run(program: &[sock_filter], call: u32) -> (Option<u32>, usize) {
        let (mut place, mut steps) = (0, 0);
        while let Some(step) = program.get(place) {
            steps += 1;
            let jump = |yes: bool| usize::from(if yes { step.jt } else { step.jf });
            place += 1 + match step.code {
                LOAD_WORD => 0,
                JUMP => step.k as usize,
                JUMP_IF_EQUAL => jump(call == step.k),
                JUMP_IF_AT_LEAST => jump(call >= step.k),
                RETURN => return (Some(step.k), steps),
                code => panic!("no such instruction: {code}"),
            };
        }
        assert_eq!(place, program.len(), "it goes on where it ends");
        (None, steps)
    }

    #[test]
    fn what_is_listed_is_refused_and_nothing_else() {
        let listed = [calls::NEVER, calls::OF_MACHINE, calls::OF_NETWORK].concat();
        let program = refused(&listed);
        let eperm = libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs();
        for call in 0..1000 {
            let (outcome, steps) = run(&program, call);
            let expected = listed.iter().any(|it| number(*it) == call);
            assert_eq!(outcome, expected.then_some(eperm), "{call}");
            assert!(steps < 40, "{call} takes {steps} steps");
        }
    }

    #[test]
    fn a_list_of_any_length_is_searched() {
        for length in 0..20 {
            let listed: Vec<c_long> = (0..length).map(|place| place * 3 + 1).collect();
            let program = refused(&listed);
            for call in 0..70 {
                let expected = listed.contains(&c_long::from(call));
                assert_eq!(
                    run(&program, call).0.is_some(),
                    expected,
                    "{call} of {length}"
                );
            }
        }
    }

    #[test]
    fn what_can_not_be_looked_at_seems_not_to_exist() {
        let program = unknown();
        let enosys = Some(libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs());
        for call in [number(libc::SYS_clone3), X32, X32 | 59, u32::MAX] {
            assert_eq!(run(&program, call).0, enosys, "{call}");
        }
        for call in [0, 59, 434, 436, X32 - 1] {
            assert_eq!(run(&program, call).0, None, "{call}");
        }
    }
}
