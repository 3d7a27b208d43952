//! System calls that a process which only serves has no use for.
//!
//! What is listed is refused with EPERM, as if the user were not allowed to.
//! The groups are those a person would name; a kernel that does not know one of
//! the newer calls never meets its number.

use libc::c_long;

/// Newer than what `libc` has; new calls have one number on all machines.
const STATMOUNT: c_long = 457;
const LISTMOUNT: c_long = 458;
const LSM_SET_SELF_ATTR: c_long = 460;
const OPEN_TREE_ATTR: c_long = 467;

/// Refused whatever their arguments.
pub(super) const NEVER: &[c_long] = &[
    // Other programs. (New processes are refused by `filter`.)
    libc::SYS_execve,
    libc::SYS_execveat,
    // Other processes: their memory, their handles, signals to them.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_kcmp,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Connections of others. Who listens has done so before.
    libc::SYS_listen,
    // Memory and queues shared by number with whoever knows it.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    // Other namespaces, other roots, other mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    STATMOUNT,
    LISTMOUNT,
    // Files past every path: by number, or named by path only to be cut.
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_truncate,
    libc::SYS_mknodat,
    // Other users, other rights.
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_setgroups,
    libc::SYS_capset,
    libc::SYS_personality,
    LSM_SET_SELF_ATTR,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
    // Large parts of the kernel, each with a history of holes; io_uring also
    // does what other calls do, unseen by this list.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_remap_file_pages,
];

/// As [`NEVER`], on machines that still have them.
#[cfg(target_arch = "x86_64")]
pub(super) const OF_MACHINE: &[c_long] = &[
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_mknod,
    libc::SYS_uselib,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
];

/// As [`NEVER`], on machines that still have them.
#[cfg(not(target_arch = "x86_64"))]
pub(super) const OF_MACHINE: &[c_long] = &[];

/// Refused where no connections are made. What listens already accepts.
pub(super) const OF_NETWORK: &[c_long] = &[libc::SYS_socket, libc::SYS_bind, libc::SYS_connect];
