//! Whether a directory lies on a file system of this machine.

use std::path::Path;

/// True only for file systems known to answer from this machine. Anything
/// else (network, FUSE, unknown) may block for as long as it likes.
#[cfg(target_os = "linux")]
pub(super) fn is_local(path: &Path) -> bool {
    /// Magic numbers of statfs(2).
    const LOCAL: [u64; 9] = [
        0xef53,      // ext2, ext3, ext4
        0x5846_5342, // xfs
        0x9123_683e, // btrfs
        0x0102_1994, // tmpfs
        0x8584_58f6, // ramfs
        0x794c_7630, // overlayfs
        0xf2f5_2010, // f2fs
        0x2fc1_2fc1, // zfs
        0xca45_1a4e, // bcachefs
    ];
    rustix::fs::statfs(path).is_ok_and(|stat| {
        // The field's type differs from machine to machine; the magic numbers
        // have 32 bits.
        let magic = (stat.f_type as u64) & 0xffff_ffff;
        LOCAL.contains(&magic)
    })
}

/// Not known here: every operation goes to another thread.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_local(_path: &Path) -> bool {
    false
}
