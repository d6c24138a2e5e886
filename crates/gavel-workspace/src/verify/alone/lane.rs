//! Lanes: places in which tests run alone and at the same time.
//!
//! Each run in a lane begins with the same tree, and an empty temporary folder and home; what it writes
//! is lost when it ends. So no run can know how often there was one before it, and none meets another.
//! The folder of a switch is shown to each lane at the same place.

use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::run::VerifyPlan;
use crate::sandbox::{AlsoAt, Layer, OrphanError, wait_for_orphans};
use crate::{Commands, Policy};

const LOCK: &str = "lock";
const CHANGES: &str = "changes";
const CARGO: &str = "cargo";

/// A place for one run after another.
#[derive(Debug)]
pub struct Lane {
    folder: PathBuf,
    lock: PathBuf,
    /// Where its runs see the folder of the switch.
    control: PathBuf,
}

impl Lane {
    /// A lane whose files are in this folder, which is not there before. The lock lies beside it, and
    /// nothing is at or below the path `control` that commands can see.
    pub fn new(folder: PathBuf, control: PathBuf) -> Self {
        let lock = folder.with_extension(LOCK);
        Self {
            folder,
            lock,
            control,
        }
    }

    /// Makes the lane ready for the next run: nothing of an earlier one is left.
    pub fn clear(&self) -> io::Result<()> {
        remove(&self.folder)?;
        for name in ["temp", "switch", CHANGES] {
            fs::create_dir_all(self.folder.join(name))?;
        }
        Ok(())
    }

    /// The folder that the next run sees at `control`.
    pub fn switch_folder(&self) -> PathBuf {
        self.folder.join("switch")
    }

    /// The lock of its runs.
    pub fn lock(&self) -> &Path {
        &self.lock
    }

    /// How a recipe is followed in this lane.
    #[must_use]
    pub fn plan(&self, mut plan: VerifyPlan) -> VerifyPlan {
        let policy = &mut plan.policy;
        let (shared, own) = (policy.temp.clone(), self.folder.join("temp"));
        let switch = self.switch_folder();
        policy.read_write.retain(|path| *path != shared);
        policy.read_write.extend([own.clone(), switch.clone()]);
        let place = own.display().to_string();
        policy.env.insert("TMPDIR".to_owned(), place);
        policy.temp = own;
        policy.also_at.push(AlsoAt {
            folder: switch,
            at: self.control.clone(),
        });
        policy.layers.push(Layer {
            folder: policy.cwd.clone(),
            changes: self.folder.join(CHANGES),
        });
        plan.lock = self.lock.clone();
        plan
    }
}

/// Puts another folder under a layer where the tree is under one.
pub(super) fn layer_also(policy: &mut Policy, folder: &Path) {
    let layers = policy.layers.iter().map(|layer| Layer {
        folder: folder.to_owned(),
        changes: layer.changes.with_file_name(CARGO),
    });
    let layers: Vec<Layer> = layers.collect();
    policy.layers.extend(layers);
}

impl Commands {
    /// True when runs can be kept apart in lanes here, found by trying.
    pub async fn has_lanes(&self, lane: &Lane, plan: VerifyPlan) -> bool {
        if !self.confinement().walls.own_layers() || lane.clear().is_err() {
            return false;
        }
        let plan = lane.plan(plan);
        let tried = self.attempt(plan.policy, plan.lock).await;
        if let Err(error) = &tried {
            tracing::debug!(%error, "tests run one after another: no layers");
        }
        tried.is_ok()
    }
}

/// Removes what lanes in a folder left, those of a killed process among them.
pub fn remove_lanes(folder: &Path) -> io::Result<()> {
    for entry in entries(folder)? {
        if entry.file_type()?.is_dir() {
            remove(&entry.path())?;
        }
    }
    match crate::remove_tree(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Waits until nothing is alive that was started in lanes of a folder.
pub async fn wait_for_lanes(folder: &Path, deadline: Duration) -> Result<(), OrphanError> {
    // What cannot be listed cannot be removed either, which is tried next.
    for entry in entries(folder).unwrap_or_default() {
        let path = entry.path();
        if path.extension().is_some_and(|ending| ending == LOCK) {
            wait_for_orphans(&path, deadline).await?;
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.collect(),
    }
}

/// Removes a lane. The kernel leaves folders beside its layers that nobody may list; no command could
/// reach them.
fn remove(lane: &Path) -> io::Result<()> {
    for changes in [CHANGES, CARGO] {
        let closed = lane.join(changes).join("scratch").join("work");
        if closed.is_dir() {
            fs::set_permissions(&closed, fs::Permissions::from_mode(0o700))?;
        }
    }
    match crate::remove_tree(lane) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
