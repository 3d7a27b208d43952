//! Whether a directory takes names for one that differ in case.

use std::fs::File as StdFile;

/// False only where names are known to be told apart byte by byte. Anything
/// else (FAT, network, FUSE, unknown) may take `.GIT` for `.git`.
#[cfg(target_os = "linux")]
pub(super) fn folds(dir: &StdFile) -> bool {
    use rustix::fs::{Mode, OFlags, fstatfs, ioctl_getflags, openat};
    use rustix::io::Errno;

    /// Magic numbers of statfs(2).
    const EXACT: [u64; 8] = [
        0xef53,      // ext2, ext3, ext4
        0x5846_5342, // xfs
        0x9123_683e, // btrfs
        0x0102_1994, // tmpfs
        0x8584_58f6, // ramfs
        0x794c_7630, // overlayfs
        0xf2f5_2010, // f2fs
        0xca45_1a4e, // bcachefs
    ];
    /// FS_CASEFOLD_FL: a directory may be an exception on some of them.
    const CASEFOLD: u32 = 0x4000_0000;

    let exact = fstatfs(dir).is_ok_and(|stat| {
        // The field's type differs from machine to machine; the magic numbers
        // have 32 bits.
        EXACT.contains(&((stat.f_type as u64) & 0xffff_ffff))
    });
    if !exact {
        return true;
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match openat(dir, ".", flags, Mode::empty()).and_then(ioctl_getflags) {
        Ok(flags) => flags.bits() & CASEFOLD != 0,
        // It has no such flags.
        Err(Errno::NOTTY | Errno::NOTSUP | Errno::NOSYS | Errno::INVAL) => false,
        Err(_) => true,
    }
}

/// Not known here.
#[cfg(not(target_os = "linux"))]
pub(super) fn folds(_dir: &StdFile) -> bool {
    true
}
