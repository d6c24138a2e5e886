//! System calls that a command may not make, mostly because Landlock does not govern them.
//!
//! Unix sockets are the delicate part. Before Landlock ABI 9 no file rule governs `connect()` to a
//! socket file, so an agent's or Docker's socket would answer whatever the file rules say. Inside
//! our own mount and network namespaces such sockets do not exist, and unix sockets are allowed.
//! Without namespaces `socket(AF_UNIX)` is refused; pairs stay, which runtimes need for pipes to
//! their children, but not datagram pairs, since those can be redirected to another address.

use std::collections::BTreeMap;

use libc::{c_int, c_long};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

use super::exec::{Broken, Stage};
use super::policy::Profile;
use super::report::Walls;

const STAGE: &str = "filtering system calls";

/// Looking into or steering other processes, changing mounts and namespaces, and kernel doors that
/// no build or test needs.
const NEVER: &[c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    // Its pages are in nobody's count of memory.
    libc::SYS_memfd_secret,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// Calls whose decisive arguments lie in memory, where a filter cannot look. Programs fall back to
/// the older calls when these do not exist.
const UNKNOWN: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_openat2,
];

/// Namespace flags of `clone`.
const NAMESPACES: [c_int; 7] = [
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// The rules by system call; no rule means "always", several mean "any of them".
type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

/// Filters the system calls of this process and its descendants.
pub(crate) fn enforce(profile: Profile, walls: Walls, landlock_abi: u8) -> Result<(), Broken> {
    let refused = compile(rules(profile, walls, landlock_abi)?, libc::EPERM)?;
    let unknown = UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    let unknown = compile(unknown, libc::ENOSYS)?;
    apply_filter(&unknown).stage(STAGE)?;
    apply_filter(&refused).stage(STAGE)
}

fn rules(profile: Profile, walls: Walls, landlock_abi: u8) -> Result<Rules, Broken> {
    let mut rules: Rules = NEVER.iter().map(|call| (*call, Vec::new())).collect();
    let mut clone: Vec<SeccompRule> = NAMESPACES
        .iter()
        .map(|flag| all(&[has(0, *flag)]))
        .collect::<Result<_, _>>()?;
    // A thread with files of its own would have them where nobody looks: `/proc/PID/fd` shows those of
    // the first thread.
    let shared = libc::CLONE_THREAD | libc::CLONE_FILES;
    #[expect(clippy::cast_sign_loss, reason = "the filter compares bit patterns")]
    clone.push(all(&[masked(0, shared as u64, libc::CLONE_THREAD)])?);
    rules.insert(libc::SYS_clone, clone);
    #[expect(clippy::cast_possible_wrap, reason = "the flag is small")]
    let unshared = libc::CLOSE_RANGE_UNSHARE as c_int;
    rules.insert(libc::SYS_close_range, vec![all(&[has(2, unshared)])?]);
    // Characters pushed into a terminal would be read by the person's shell.
    rules.insert(
        libc::SYS_ioctl,
        vec![
            all(&[is(1, libc::TIOCSTI)])?,
            all(&[is(1, libc::TIOCLINUX)])?,
        ],
    );
    if landlock_abi < 3 {
        // Landlock learned to bound this in its third version.
        rules.insert(libc::SYS_truncate, Vec::new());
    }
    forbid_set_id_files(&mut rules)?;
    limit_sockets(&mut rules, profile, walls, landlock_abi)?;
    Ok(rules)
}

/// A file with the set-user-id bit outlives the sandbox and lends its owner's powers to others.
fn forbid_set_id_files(rules: &mut Rules) -> Result<(), Broken> {
    let bits = [libc::S_ISUID, libc::S_ISGID];
    let mut forbid = |call: c_long, mode: u8, also: &[Argument]| {
        for bit in bits {
            #[expect(clippy::cast_possible_wrap, reason = "mode bits are small")]
            let mut conditions = vec![has(mode, bit as c_int)];
            conditions.extend_from_slice(also);
            rules.entry(call).or_default().push(all(&conditions)?);
        }
        Ok(())
    };
    forbid(libc::SYS_fchmod, 1, &[])?;
    forbid(libc::SYS_fchmodat, 2, &[])?;
    forbid(libc::SYS_fchmodat2, 2, &[])?;
    forbid(libc::SYS_mknodat, 2, &[])?;
    // Without these flags the mode is not read and may be anything.
    for flag in [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY] {
        forbid(libc::SYS_openat, 3, &[has(2, flag)])?;
        #[cfg(target_arch = "x86_64")]
        forbid(libc::SYS_open, 2, &[has(1, flag)])?;
    }
    #[cfg(target_arch = "x86_64")]
    {
        forbid(libc::SYS_chmod, 1, &[])?;
        forbid(libc::SYS_creat, 1, &[])?;
        forbid(libc::SYS_mknod, 1, &[])?;
    }
    Ok(())
}

fn limit_sockets(
    rules: &mut Rules,
    profile: Profile,
    walls: Walls,
    landlock_abi: u8,
) -> Result<(), Broken> {
    let own_network = walls.own_network();
    let mut families = Vec::new();
    // Abstract names live in the network namespace, or are bounded by Landlock's scopes.
    if walls.own_files() && (own_network || landlock_abi >= 6) {
        families.push(libc::AF_UNIX);
    }
    if own_network || profile == Profile::Install {
        families.extend([libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]);
    }
    let other_family: Vec<_> = families.iter().map(|family| is_not(0, *family)).collect();
    let refused = if other_family.is_empty() {
        Vec::new()
    } else {
        vec![all(&other_family)?]
    };
    rules.insert(libc::SYS_socket, refused);
    if !families.contains(&libc::AF_UNIX) {
        let kind = |kind| masked(1, 0xf, kind);
        rules.insert(
            libc::SYS_socketpair,
            vec![
                all(&[is_not(0, libc::AF_UNIX)])?,
                all(&[kind(libc::SOCK_DGRAM)])?,
                all(&[kind(libc::SOCK_RAW)])?,
            ],
        );
    }
    if families.is_empty() {
        rules.insert(libc::SYS_connect, Vec::new());
    }
    Ok(())
}

fn compile(mut rules: Rules, errno: c_int) -> Result<BpfProgram, Broken> {
    if cfg!(target_arch = "x86_64") {
        // The x32 interface numbers the same calls again; a few have numbers of their own.
        const X32: c_long = 0x4000_0000;
        let again: Vec<_> = rules
            .iter()
            .map(|(call, rules)| (call | X32, rules.clone()))
            .collect();
        rules.extend(again);
        rules.extend((512..=547).map(|call| (call | X32, Vec::new())));
    }
    let architecture = std::env::consts::ARCH.try_into().stage(STAGE)?;
    #[expect(clippy::cast_sign_loss, reason = "errno values are positive")]
    let refuse = SeccompAction::Errno(errno as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture);
    filter.stage(STAGE)?.try_into().stage(STAGE)
}

/// A comparison with one argument of a call.
#[derive(Clone)]
struct Argument {
    index: u8,
    operator: SeccompCmpOp,
    value: u64,
}

fn argument(index: u8, operator: SeccompCmpOp, value: impl Into<i64>) -> Argument {
    #[expect(clippy::cast_sign_loss, reason = "the filter compares bit patterns")]
    let value = value.into() as u64 & u64::from(u32::MAX);
    Argument {
        index,
        operator,
        value,
    }
}

fn is(index: u8, value: impl TryInto<i64>) -> Argument {
    argument(
        index,
        SeccompCmpOp::Eq,
        value.try_into().unwrap_or(i64::MAX),
    )
}

fn is_not(index: u8, value: c_int) -> Argument {
    argument(index, SeccompCmpOp::Ne, value)
}

fn has(index: u8, bit: c_int) -> Argument {
    #[expect(clippy::cast_sign_loss, reason = "the filter compares bit patterns")]
    let mask = u64::from(bit as u32);
    argument(index, SeccompCmpOp::MaskedEq(mask), bit)
}

fn masked(index: u8, mask: u64, value: c_int) -> Argument {
    argument(index, SeccompCmpOp::MaskedEq(mask), value)
}

fn all(arguments: &[Argument]) -> Result<SeccompRule, Broken> {
    let conditions = arguments
        .iter()
        .map(|argument| {
            SeccompCondition::new(
                argument.index,
                SeccompCmpArgLen::Dword,
                argument.operator.clone(),
                argument.value,
            )
        })
        .collect::<Result<Vec<_>, _>>()
        .stage(STAGE)?;
    SeccompRule::new(conditions).stage(STAGE)
}
