//! What a process holds in memory, as the kernel counts it.

use std::fs;

use anyhow::Context as _;

/// Bytes of one process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// Resident, shared pages counted in full.
    pub(crate) resident: u64,
    /// Resident, shared pages counted by share.
    pub(crate) proportional: u64,
    /// The most that was ever resident.
    pub(crate) peak: u64,
}

impl Memory {
    /// The memory of a running process of this user.
    pub(crate) fn of(id: u32) -> anyhow::Result<Self> {
        let read = |file: &str| {
            let path = format!("/proc/{id}/{file}");
            fs::read_to_string(&path).with_context(|| format!("{path} can't be read"))
        };
        let rollup = read("smaps_rollup")?;
        Ok(Self {
            resident: bytes(&rollup, "Rss:")?,
            proportional: bytes(&rollup, "Pss:")?,
            peak: bytes(&read("status")?, "VmHWM:")?,
        })
    }
}

/// The value of a `Key:  123 kB` line; the kernel's kB are 1024 bytes.
fn bytes(text: &str, key: &str) -> anyhow::Result<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix(key)?.trim().strip_suffix(" kB"))
        .and_then(|number| number.trim().parse::<u64>().ok())
        .map(|kib| kib * 1024)
        .with_context(|| format!("the kernel does not tell {key}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;

    #[test]
    fn this_very_process_is_measured() {
        let held = vec![1_u8; 32 << 20];
        let memory = Memory::of(std::process::id()).unwrap();
        assert!(held.iter().all(|byte| *byte == 1));
        assert!(memory.resident > 32 << 20, "{memory:?}");
        assert!(memory.peak >= 32 << 20, "{memory:?}");
        assert!(memory.proportional <= memory.resident, "{memory:?}");
    }

    #[test]
    fn kernel_lines_are_read_as_kibibytes() {
        let status = "VmPeak:\t  900 kB\nVmHWM:\t     12 kB\n";
        assert_eq!(bytes(status, "VmHWM:").unwrap(), 12 * 1024);
        assert!(bytes(status, "VmRSS:").is_err());
    }
}
