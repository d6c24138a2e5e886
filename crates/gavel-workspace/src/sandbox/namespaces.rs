//! Leaves the user's namespaces, so that what a command must not reach does not exist for it.

use std::fs;

use nix::sched::{CloneFlags, unshare};
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use rustix::net::{recv, sendto, socket_with};
use rustix::process::{getgid, getuid};
use rustix::thread::{CapabilitySet, configure_capability_in_ambient_set};

use super::exec::{Broken, Stage};

const STAGE: &str = "leaving the namespaces";

/// Gives this process's children namespaces of their own: processes, message queues, and the
/// network.
///
/// Who may not do that gets a user namespace first, in which the same user stands for itself.
pub(crate) fn leave() -> Result<(), Broken> {
    let flags = CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWNET;
    let held = rustix::thread::capabilities(None).stage(STAGE)?;
    if held.effective.contains(CapabilitySet::SYS_ADMIN) {
        return unshare(flags).stage(STAGE);
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(flags | CloneFlags::CLONE_NEWUSER).stage(STAGE)?;
    fs::write("/proc/self/setgroups", "deny").stage(STAGE)?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).stage(STAGE)?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).stage(STAGE)?;
    keep_for_init()
}

/// An exec takes the powers over its own namespaces from everybody but root; the init needs two.
///
/// They are powers over nothing else, and the last stage drops them.
fn keep_for_init() -> Result<(), Broken> {
    let needed = [CapabilitySet::SYS_ADMIN, CapabilitySet::NET_ADMIN];
    let mut sets = rustix::thread::capabilities(None).stage(STAGE)?;
    for capability in needed {
        sets.inheritable |= capability;
    }
    rustix::thread::set_capabilities(None, sets).stage(STAGE)?;
    for capability in needed {
        configure_capability_in_ambient_set(capability, true).stage(STAGE)?;
    }
    Ok(())
}

/// Switches the loopback device of a new network namespace on, so that tests can talk to themselves.
pub(crate) fn raise_loopback() -> Result<(), Broken> {
    const STAGE: &str = "switching the private loopback on";
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        // Protocol 0 is routing.
        None,
    )
    .stage(STAGE)?;
    let kernel = SocketAddrNetlink::new(0, 0);
    sendto(&socket, &set_link_up(), SendFlags::empty(), &kernel).stage(STAGE)?;
    let mut reply = [0_u8; 256];
    let (length, _) = recv(&socket, &mut reply, RecvFlags::empty()).stage(STAGE)?;
    // An acknowledgement is an error message whose code, after the 16 bytes of header, is zero.
    match reply.get(16..20) {
        Some([0, 0, 0, 0]) if length >= 20 => Ok(()),
        code => Err(format!("the kernel answered {code:?}")).stage(STAGE),
    }
}

/// A routing message: "device 1 (loopback) up, and acknowledge".
fn set_link_up() -> Vec<u8> {
    const REQUEST: u16 = 1;
    const ACKNOWLEDGE: u16 = 4;
    const UP: u32 = 1;
    let mut message = Vec::with_capacity(32);
    message.extend(32_u32.to_ne_bytes());
    message.extend(libc::RTM_NEWLINK.to_ne_bytes());
    message.extend((REQUEST | ACKNOWLEDGE).to_ne_bytes());
    message.extend(1_u32.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    message.extend([0, 0]);
    message.extend(0_u16.to_ne_bytes());
    message.extend(1_i32.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message
}
