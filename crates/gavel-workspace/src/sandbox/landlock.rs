//! The file rules, and what else the kernel's Landlock can bound.

use std::path::Path;
use std::{fs, io};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus,
    PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::exec::{Broken, Stage};
use super::policy::{Policy, Profile};
use super::report::Walls;

/// The newest interface whose rights were tried here. On an older kernel each right that it does
/// not know is left out; `seccomp.rs` closes what that would open.
const TRIED: ABI = ABI::V7;

const STAGE: &str = "setting file rules";

/// Devices that are safe to read and write.
pub(crate) const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// Confines this process to the policy's paths, and returns the interface in force.
pub(crate) fn enforce(policy: &Policy, walls: Walls) -> Result<u8, Broken> {
    let everything = AccessFs::from_all(TRIED);
    // Device files could reach around every rule; sockets and pipes of its own are harmless.
    let write = everything & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
    let read: BitFlags<AccessFs> = AccessFs::Execute | AccessFs::ReadFile | AccessFs::ReadDir;
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(everything)
        .stage(STAGE)?
        .scope(Scope::from_all(TRIED))
        .stage(STAGE)?;
    // A network namespace of its own has no way out, and tests may talk to themselves in it.
    if policy.profile == Profile::Run && !walls.own_network() {
        ruleset = ruleset
            .handle_access(AccessNet::from_all(TRIED))
            .stage(STAGE)?;
    }
    let mut rules = ruleset.create().stage(STAGE)?;
    for path in &policy.read_only {
        if let Some((file, rights)) = open(path, read)? {
            rules = rules
                .add_rule(PathBeneath::new(file, rights))
                .stage(STAGE)?;
        }
    }
    for path in DEVICES.iter().map(Path::new).chain([Path::new("/dev/shm")]) {
        // Shared with everybody, unless it is the sandbox's own.
        if path.ends_with("shm") && !walls.own_files() {
            continue;
        }
        if let Some((file, rights)) = open(path, write)? {
            rules = rules
                .add_rule(PathBeneath::new(file, rights))
                .stage(STAGE)?;
        }
    }
    for path in &policy.read_write {
        let Some((file, rights)) = open(path, write)? else {
            return Err(format!("{} is missing", path.display())).stage(STAGE);
        };
        rules = rules
            .add_rule(PathBeneath::new(file, rights))
            .stage(STAGE)?;
    }
    let status = rules.restrict_self().stage(STAGE)?;
    match (status.ruleset, status.landlock) {
        (
            RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced,
            LandlockStatus::Available { effective_abi, .. },
        ) => Ok(effective_abi as u8),
        (_, _) if walls == Walls::Bubblewrap => Ok(0),
        (_, _) => Err("the kernel has no Landlock").stage(STAGE),
    }
}

/// Bounds the signals that this process can send to itself and its descendants.
///
/// Then "kill every process that I may signal" means "kill every descendant", in one call that no
/// fork can outrun. False when the kernel cannot do that.
pub(crate) fn scope_signals() -> Result<bool, Broken> {
    const STAGE: &str = "bounding the supervisor's signals";
    let scoped = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::Signal);
    let Ok(scoped) = scoped else {
        return Ok(false);
    };
    // Every ruleset forbids moving files between folders unless it says otherwise.
    let everywhere = PathFd::new("/").stage(STAGE)?;
    let status = scoped
        .handle_access(AccessFs::Refer)
        .stage(STAGE)?
        .create()
        .stage(STAGE)?
        .add_rule(PathBeneath::new(everywhere, AccessFs::Refer))
        .stage(STAGE)?
        .restrict_self()
        .stage(STAGE)?;
    Ok(status.ruleset == RulesetStatus::FullyEnforced)
}

/// Opens a path for a rule; `None` when there is nothing of that name.
fn open(
    path: &Path,
    rights: BitFlags<AccessFs>,
) -> Result<Option<(PathFd, BitFlags<AccessFs>)>, Broken> {
    const OF_FILES: BitFlags<AccessFs> = landlock::make_bitflags!(AccessFs::{
        Execute | WriteFile | ReadFile | Truncate | IoctlDev
    });
    let folder = match fs::metadata(path) {
        Ok(data) => data.is_dir(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{}: {error}", path.display())).stage(STAGE),
    };
    let file = PathFd::new(path).stage(STAGE)?;
    Ok(Some((
        file,
        if folder { rights } else { rights & OF_FILES },
    )))
}
