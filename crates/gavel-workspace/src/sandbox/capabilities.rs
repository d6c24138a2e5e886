//! Takes a root user's powers away; other users have none to lose.

use rustix::process::geteuid;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    set_capabilities_secure_bits,
};

use super::exec::{Broken, Stage};

const STAGE: &str = "dropping capabilities";

/// Drops every capability for this process and what it executes.
///
/// Root keeps one: ignoring file permissions, so that it can still work in a tree that belongs to
/// somebody else. Landlock bounds where.
pub(crate) fn drop_all() -> Result<(), Broken> {
    clear_ambient_capability_set().stage(STAGE)?;
    if !geteuid().is_root() {
        return set(CapabilitySet::empty(), CapabilitySet::empty());
    }
    let held = rustix::thread::capabilities(None).stage(STAGE)?;
    let kept = CapabilitySet::DAC_OVERRIDE & held.permitted;
    if held.effective.contains(CapabilitySet::SETPCAP) {
        for bit in 0..64 {
            let one = CapabilitySet::from_bits_retain(1 << bit);
            if one == CapabilitySet::DAC_OVERRIDE {
                continue;
            }
            // The kernel knows fewer than 64; past its last one it says EINVAL.
            match remove_capability_from_bounding_set(one) {
                Ok(()) => {}
                Err(rustix::io::Errno::INVAL) => break,
                Err(error) => return Err(error).stage(STAGE),
            }
        }
        let bits = CapabilitiesSecureBits::NO_ROOT
            | CapabilitiesSecureBits::NO_ROOT_LOCKED
            | CapabilitiesSecureBits::NO_SETUID_FIXUP
            | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
            | CapabilitiesSecureBits::KEEP_CAPS_LOCKED;
        set_capabilities_secure_bits(bits).stage(STAGE)?;
    }
    set(kept, kept)?;
    if !kept.is_empty() {
        configure_capability_in_ambient_set(kept, true).stage(STAGE)?;
    }
    Ok(())
}

fn set(held: CapabilitySet, inheritable: CapabilitySet) -> Result<(), Broken> {
    let sets = CapabilitySets {
        effective: held,
        permitted: held,
        inheritable,
    };
    set_capabilities(None, sets).stage(STAGE)
}
