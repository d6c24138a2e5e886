//! Where tests run alone: several at the same time, each in a lane of its own, or one after another in
//! the checkout itself where the machine has no lanes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use gavel_agent::CommandRoom;
use gavel_workspace::{
    ExampleExecution, ExamplePlan, ExampleSeen, Lane, LoneRun, PlantedTree, Program, Switch,
    VerifyPlan, execute_example, run_alone,
};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::bench::{ListedTest, passed};
use crate::verify::{LANES, with_sources};

/// The folder that planted code knows.
const CONTROL: &str = "switch";

/// The places where tests run.
#[derive(Debug)]
pub(super) struct Lanes {
    /// Whoever runs something holds one for each place that it may disturb.
    permits: Semaphore,
    count: u32,
    /// Lanes that nobody uses; none at all where the machine has none.
    free: Mutex<Vec<Lane>>,
    has_lanes: bool,
    control: PathBuf,
    /// Tests that pass in the checkout itself alone: one that moves a folder of the tree, for example.
    outside: Mutex<BTreeSet<String>>,
}

/// One run of a test.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) run: LoneRun,
    /// Places of planted code that it came to.
    pub(super) reached: BTreeSet<u64>,
}

/// A switch of planted code, and its position.
pub(super) type Switched<'a> = (&'a PlantedTree, Switch<'a>);

impl Lanes {
    /// Finds out whether there are lanes here, and makes so many.
    pub(super) async fn open(
        room: &CommandRoom,
        plan: VerifyPlan,
        place: &Path,
        count: usize,
    ) -> Result<Self, String> {
        let control = place.join(CONTROL);
        std::fs::create_dir_all(&control).map_err(|error| with_sources(&error))?;
        let folder = place.join(LANES);
        let lane = |number: usize| Lane::new(folder.join(number.to_string()), control.clone());
        let has_lanes = room.commands().has_lanes(&lane(0), plan).await;
        let count = if has_lanes { count.max(1) } else { 1 };
        let free = match has_lanes {
            true => (0..count).map(lane).collect(),
            false => Vec::new(),
        };
        Ok(Self {
            permits: Semaphore::new(count),
            count: u32::try_from(count).unwrap_or(1),
            free: Mutex::new(free),
            has_lanes,
            control,
            outside: Mutex::default(),
        })
    }

    /// The folder whose path is planted.
    pub(super) fn control(&self) -> &Path {
        &self.control
    }

    /// Runs a test alone, with a switch of planted code where there is one. A test that fails in a lane
    /// is run in the checkout itself once, and always if it passes there.
    pub(super) async fn run(
        &self,
        room: &CommandRoom,
        (test, wall): (&ListedTest, Duration),
        switched: Option<Switched<'_>>,
    ) -> Result<Ran, String> {
        let name = &test.test.name;
        if !self.has_lanes || locked(&self.outside).contains(name) {
            return self.run_outside(room, (test, wall), switched).await;
        }
        let ran = self.run_in_lane(room, (test, wall), switched).await?;
        if passed(&ran.run) || switched.is_some() {
            return Ok(ran);
        }
        let outside = self.run_outside(room, (test, wall), switched).await?;
        if passed(&outside.run) {
            locked(&self.outside).insert(name.clone());
            return Ok(outside);
        }
        Ok(ran)
    }

    /// Executes an example. It has folders of its own, so that a lane is no more to it than a lock.
    pub(super) async fn execute(
        &self,
        room: &CommandRoom,
        (mut plan, program): (ExamplePlan, &Program),
        execution: &ExampleExecution<'_>,
    ) -> Result<ExampleSeen, String> {
        let held = self.lane().await?;
        if let Some(lane) = &held.lane {
            let told = |error: std::io::Error| format!("the place of an example: {error}");
            lane.clear().map_err(told)?;
            plan.lock = lane.lock().to_owned();
        }
        let executed = execute_example(room.commands(), &plan, program, execution);
        let seen = room.unseen(executed).await;
        let seen = seen.map_err(|error| with_sources(&error))?;
        seen.map_err(|error| with_sources(&error))
    }

    async fn run_in_lane(
        &self,
        room: &CommandRoom,
        (test, wall): (&ListedTest, Duration),
        switched: Option<Switched<'_>>,
    ) -> Result<Ran, String> {
        let held = self.lane().await?;
        let Some(lane) = &held.lane else {
            return Err("all lanes are in use".to_owned());
        };
        let told = |error: std::io::Error| format!("the place of a test: {error}");
        lane.clear().map_err(told)?;
        let switch = lane.switch_folder();
        if let Some((tree, position)) = switched {
            tree.set_switch_in(&switch, position).map_err(told)?;
        }
        let plan = lane.plan(room.plan(&test.recipe));
        let run = started(room, &plan, (test, wall)).await?;
        let reached = match switched {
            Some((tree, _)) => tree.executed_in(&switch).map_err(told)?,
            None => BTreeSet::new(),
        };
        Ok(Ran { run, reached })
    }

    async fn run_outside(
        &self,
        room: &CommandRoom,
        (test, wall): (&ListedTest, Duration),
        switched: Option<Switched<'_>>,
    ) -> Result<Ran, String> {
        // What a test writes into the checkout would be seen in every lane.
        let all = self.permits.acquire_many(self.count).await;
        let _all = all.map_err(|error| with_sources(&error))?;
        let told = |error: std::io::Error| format!("the switch of a fault: {error}");
        let mut plan = room.plan(&test.recipe);
        plan.policy.read_write.push(self.control.clone());
        if let Some((tree, position)) = switched {
            tree.set_switch(position).map_err(told)?;
        }
        let run = started(room, &plan, (test, wall)).await?;
        let reached = match switched {
            Some((tree, _)) => {
                let reached = tree.executed().map_err(told)?;
                tree.set_switch(Switch::Off).map_err(told)?;
                reached
            }
            None => BTreeSet::new(),
        };
        Ok(Ran { run, reached })
    }

    async fn lane(&self) -> Result<HeldLane<'_>, String> {
        let permit = self.permits.acquire().await;
        let permit = permit.map_err(|error| with_sources(&error))?;
        let lane = locked(&self.free).pop();
        Ok(HeldLane {
            lane,
            free: &self.free,
            _permit: permit,
        })
    }
}

/// Work that is done ahead, several pieces at the same time, and handed out in its order.
pub(super) struct Ahead<'a, T> {
    at_once: usize,
    pieces: tokio::sync::Mutex<Option<BoxStream<'a, T>>>,
}

impl<'a, T: Send + 'a> Ahead<'a, T> {
    pub(super) fn new(at_once: usize) -> Self {
        Self {
            at_once,
            pieces: tokio::sync::Mutex::new(None),
        }
    }

    /// The next piece. The first call begins all that are left: what is recorded already is a beginning.
    pub(super) async fn next<F>(&self, left: impl FnOnce() -> Vec<F>) -> Option<T>
    where
        F: Future<Output = T> + Send + 'a,
    {
        let mut pieces = self.pieces.lock().await;
        let pieces =
            pieces.get_or_insert_with(|| stream::iter(left()).buffered(self.at_once).boxed());
        pieces.next().await
    }
}

/// A lane that somebody uses; it goes back when this is dropped.
struct HeldLane<'a> {
    lane: Option<Lane>,
    free: &'a Mutex<Vec<Lane>>,
    _permit: SemaphorePermit<'a>,
}

impl Drop for HeldLane<'_> {
    fn drop(&mut self) {
        locked(self.free).extend(self.lane.take());
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn started(
    room: &CommandRoom,
    plan: &VerifyPlan,
    (test, wall): (&ListedTest, Duration),
) -> Result<LoneRun, String> {
    let run = run_alone(room.commands(), plan, &test.test, wall);
    let ran = room
        .unseen(run)
        .await
        .map_err(|error| with_sources(&error))?;
    ran.map_err(|error| with_sources(&error))
}
