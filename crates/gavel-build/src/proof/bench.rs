//! The bench of a proof: a fresh checkout with its dependencies, prepared when something needs it.

use std::num::NonZero;
use std::path::PathBuf;

use gavel_agent::CommandRoom;
use gavel_domain::{Digest, test_name, test_without_parameters};
use gavel_workspace::{
    ExamplePlan, LoneRun, LoneTest, LoneVerdict, Program, ProgramFound, Recipe, RecipeFound,
    Recipes, TestListing, TreeId, VerifyPlan, build_program, install_dependencies, list_tests,
};
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::faults::{Planted, Unplanted, Wanted};
use super::lanes::{Lanes, Ran, Switched};
use super::tests::plant;
use crate::verify::{
    Files, LaidOut, cleared, laid_out, recipes_of, rewritten_sources, wait_for_commands,
    with_sources,
};
use crate::{JudgedCommit, Site};

/// The most tests that run at the same time: each may take memory as a whole suite does.
const MOST_AT_ONCE: usize = 8;

/// Where a commit is proven. Nothing is done before something is asked of it, so that a run whose
/// facts are all there prepares nothing.
#[derive(Debug)]
pub struct ProofBench<'a> {
    site: &'a Site,
    judged: JudgedCommit<'a>,
    /// What faults are numbered by.
    pub(super) seed: Digest,
    /// How many tests run at the same time, where they can be kept apart.
    pub(super) at_once: usize,
    state: RwLock<State>,
}

#[derive(Debug)]
enum State {
    Closed,
    Ready(Box<Ready>),
    /// Why it cannot be used.
    Broken(String),
}

/// A checkout in which something can be started.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) room: CommandRoom,
    pub(super) recipes: Vec<Recipe>,
    pub(super) folder: PathBuf,
    /// Where tests run.
    pub(super) lanes: Lanes,
    tree: TreeId,
    program: Option<Result<Program, String>>,
    tests: Option<Listed>,
    /// Lints of the compiler stop no build of planted code.
    pub(super) without_lints: bool,
    pub(super) planted: Option<Result<Planted, Unplanted>>,
}

/// The tests of a checkout.
#[derive(Debug, Clone, Default)]
pub(super) struct Listed {
    pub(super) tests: Vec<ListedTest>,
    /// Recipes whose runner cannot run one test alone.
    pub(super) without_adapter: Vec<&'static str>,
    /// A recipe whose tests could not be listed although they ran.
    pub(super) broken: Option<&'static str>,
}

impl Listed {
    const fn none() -> Self {
        Self {
            tests: Vec::new(),
            without_adapter: Vec::new(),
            broken: None,
        }
    }

    /// The tests of that name; where none has it in full, those whose own name it is. A runner may spell
    /// what is around a test otherwise when it lists than when it reports.
    pub(super) fn named(&self, name: &str) -> Vec<&ListedTest> {
        let whole = test_without_parameters(name);
        let exact = |one: &&ListedTest| one.test.name == name || one.test.name == whole;
        let found: Vec<&ListedTest> = self.tests.iter().filter(exact).collect();
        if !found.is_empty() {
            return found;
        }
        let own = |one: &&ListedTest| test_name(&one.test.name) == test_name(name);
        self.tests.iter().filter(own).collect()
    }
}

/// A test that can be run alone.
#[derive(Debug, Clone)]
pub(super) struct ListedTest {
    pub(super) test: LoneTest,
    pub(super) recipe: Recipe,
}

impl<'a> ProofBench<'a> {
    /// A bench for a commit; faults are chosen and numbered by the seed.
    pub fn new(site: &'a Site, judged: JudgedCommit<'a>, seed: Digest) -> Self {
        Self {
            site,
            judged,
            seed,
            at_once: std::thread::available_parallelism()
                .map_or(1, NonZero::get)
                .min(MOST_AT_ONCE),
            state: RwLock::new(State::Closed),
        }
    }

    /// The same with so many tests at the same time. What comes of them is the same, too.
    #[must_use]
    pub const fn at_once(mut self, tests: NonZero<usize>) -> Self {
        self.at_once = tests.get();
        self
    }

    /// The place where it works: that of verifications, which fill the same checkout again.
    fn place(&self) -> PathBuf {
        self.site.beside.join("fresh")
    }

    /// Prepares the checkout, if that was not done before.
    pub(super) async fn open(&self) -> Result<Open<'_>, String> {
        let mut state = self.state.write().await;
        if matches!(*state, State::Closed) {
            *state = match Box::pin(self.prepare()).await {
                Ok(ready) => State::Ready(Box::new(ready)),
                Err(why) => State::Broken(why),
            };
        }
        if let State::Broken(why) = &*state {
            return Err(why.clone());
        }
        Ok(Open { state })
    }

    /// The checkout with its tests listed and faults planted, for several who run tests at the same time.
    pub(super) async fn planted(&self, wanted: Wanted<'_>) -> Result<Shared<'_>, String> {
        let is_planted = |state: &State| match state {
            State::Ready(ready) => ready.planted.is_some(),
            State::Closed | State::Broken(_) => false,
        };
        let state = self.state.read().await;
        if is_planted(&state) {
            return Ok(Shared { state });
        }
        drop(state);
        let mut open = self.open().await?;
        plant(self, open.ready()?, wanted).await;
        drop(open);
        let state = self.state.read().await;
        Ok(Shared { state })
    }

    /// The checkout with its program built, for several who execute examples at the same time.
    pub(super) async fn built(&self) -> Result<Shared<'_>, String> {
        let is_built = |state: &State| match state {
            State::Ready(ready) => ready.program.is_some(),
            State::Closed | State::Broken(_) => false,
        };
        let state = self.state.read().await;
        if is_built(&state) {
            return Ok(Shared { state });
        }
        drop(state);
        let mut open = self.open().await?;
        open.ready()?.program(self.site).await?;
        drop(open);
        let state = self.state.read().await;
        Ok(Shared { state })
    }

    /// The checkout as it is, for several who run tests at the same time.
    pub(super) async fn listed(&self) -> Result<Shared<'_>, String> {
        let mut open = self.open().await?;
        open.ready()?.tests().await?;
        drop(open);
        let state = self.state.read().await;
        Ok(Shared { state })
    }

    async fn prepare(&self) -> Result<Ready, String> {
        let (site, place) = (self.site, self.place());
        let told = |error: &dyn std::error::Error| with_sources(error);
        let waited = wait_for_commands(&place).await;
        waited.map_err(|error| told(&error))?;
        cleared(site, &place).await.map_err(|error| told(&error))?;
        let tree = site.tree.tree_of(self.judged.commit).await;
        let tree = tree.map_err(|error| told(&error))?;
        let folder = place.join("tree");
        let laid = laid_out(site, &tree, self.judged.consent, &folder).await;
        let LaidOut { runner, tree } = laid.map_err(|error| told(&error))?;
        if runner.is_refused() {
            return Err("what is to run the tests is no test runner that is known".to_owned());
        }
        let room = site.workshop.room(&folder, &place).await;
        let room = site.hidden.for_tests(room.map_err(|error| told(&error))?);
        let files = Files {
            folder: &folder,
            tree: &tree,
        };
        let recipes = match recipes_of(site, &files).await? {
            RecipeFound::Found(Recipes { tests, .. }) => tests,
            none @ (RecipeFound::None
            | RecipeFound::NoTests
            | RecipeFound::Unseen(_)
            | RecipeFound::Unusable(_)) => return Err(none.lacks()),
        };
        for recipe in &recipes {
            let plan = room.plan(recipe);
            let installed = room
                .unseen(install_dependencies(room.commands(), &plan))
                .await
                .map_err(|error| told(&error))?;
            if let Some(failed) = installed.map_err(|error| told(&error))? {
                return Err(format!("dependencies could not be had: {}", failed.argv));
            }
        }
        let lanes = match recipes.first() {
            Some(recipe) => Lanes::open(&room, room.plan(recipe), &place, self.at_once).await,
            None => Err("nothing runs its tests".to_owned()),
        }?;
        Ok(Ready {
            room,
            recipes,
            folder,
            lanes,
            tree,
            program: None,
            tests: None,
            without_lints: false,
            planted: None,
        })
    }

    /// Removes everything that the proof wrote.
    pub async fn close(&self) {
        let mut state = self.state.write().await;
        if matches!(*state, State::Closed) {
            return;
        }
        *state = State::Closed;
        if let Err(error) = cleared(self.site, &self.place()).await {
            // The next verification tries again, and stands on nothing that it left.
            tracing::warn!(%error, "what a proof wrote could not be removed");
        }
    }

    /// A number of its own for each of something.
    pub(super) fn number(&self, what: &str, number: u32) -> u64 {
        draw(&self.seed, what, number)
    }

    /// The commit that is proven.
    pub(super) fn commit(&self) -> &str {
        self.judged.commit.as_str()
    }

    pub(super) const fn site(&self) -> &Site {
        self.site
    }
}

/// A number of its own for each of something, by the seed of a proof.
pub(super) fn draw(seed: &Digest, what: &str, number: u32) -> u64 {
    let seed = seed.to_string();
    let fields = [seed.as_bytes(), what.as_bytes(), &number.to_le_bytes()];
    let digest = Digest::of_fields(fields).to_string();
    let digits = digest.get(..16).unwrap_or_default();
    u64::from_str_radix(digits, 16).unwrap_or_default()
}

/// The prepared checkout, for one who works in it.
pub(super) struct Open<'a> {
    state: RwLockWriteGuard<'a, State>,
}

/// The prepared checkout, for several who run tests in it.
pub(super) struct Shared<'a> {
    state: RwLockReadGuard<'a, State>,
}

impl Shared<'_> {
    /// The checkout; there is one as long as this value lives.
    pub(super) fn ready(&self) -> Result<&Ready, String> {
        match &*self.state {
            State::Ready(ready) => Ok(ready),
            State::Closed | State::Broken(_) => Err("the checkout is gone".to_owned()),
        }
    }
}

impl Open<'_> {
    /// The checkout; there is one as long as this value lives.
    pub(super) fn ready(&mut self) -> Result<&mut Ready, String> {
        match &mut *self.state {
            State::Ready(ready) => Ok(ready),
            State::Closed | State::Broken(_) => Err("the checkout is gone".to_owned()),
        }
    }
}

impl Ready {
    /// The program that was built, or why there is none. Built once, before anything is planted.
    pub(super) async fn program(&mut self, site: &Site) -> Result<Program, String> {
        if self.program.is_none() {
            let built = self.build(site).await;
            self.program = Some(built);
        }
        self.program.clone().unwrap_or_else(|| Err(String::new()))
    }

    /// The same, for whoever comes after it was built.
    pub(super) fn known_program(&self) -> Result<&Program, String> {
        match &self.program {
            Some(program) => program.as_ref().map_err(Clone::clone),
            None => Err("nothing was built".to_owned()),
        }
    }

    async fn build(&self, site: &Site) -> Result<Program, String> {
        let mut why = String::new();
        for recipe in &self.recipes {
            let plan = self.room.plan(recipe);
            let built = self
                .room
                .unseen(build_program(self.room.commands(), &example_plan(&plan)))
                .await
                .map_err(|error| with_sources(&error))?;
            match built.map_err(|error| with_sources(&error))? {
                ProgramFound::Found(program) => {
                    let rewritten = self.rewritten(site).await;
                    if rewritten.is_empty() {
                        return Ok(program);
                    }
                    let names = rewritten.join(", ");
                    return Err(format!("its build rewrites its own sources: {names}"));
                }
                ProgramFound::None { why: none } => why = none,
                ProgramFound::Several(names) => {
                    why = format!("there are several programs: {}", names.join(", "));
                }
            }
        }
        Err(why)
    }

    async fn rewritten(&self, site: &Site) -> Vec<String> {
        let files = Files {
            folder: &self.folder,
            tree: &self.tree,
        };
        rewritten_sources(site, &files).await
    }

    /// The tests as they were listed before anything was planted.
    pub(super) async fn tests(&mut self) -> Result<Listed, String> {
        if let Some(listed) = &self.tests {
            return Ok(listed.clone());
        }
        let listed = self.list().await?;
        self.tests = Some(listed.clone());
        Ok(listed)
    }

    /// The same, for whoever comes after they were listed.
    pub(super) fn known_tests(&self) -> &Listed {
        static NONE: Listed = Listed::none();
        self.tests.as_ref().unwrap_or(&NONE)
    }

    /// Lists the tests as the checkout is now.
    pub(super) async fn list(&self) -> Result<Listed, String> {
        let mut all = Listed::default();
        for recipe in &self.recipes {
            match self.list_one(recipe).await? {
                TestListing::Listed(tests) => all.tests.extend(tests.into_iter().map(|test| {
                    let recipe = recipe.clone();
                    ListedTest { test, recipe }
                })),
                TestListing::NoAdapter => all.without_adapter.push(recipe.name()),
                TestListing::Broken { .. } => all.broken = Some(recipe.name()),
            }
        }
        Ok(all)
    }

    pub(super) async fn list_one(&self, recipe: &Recipe) -> Result<TestListing, String> {
        let mut plan = self.room.plan(recipe);
        if self.without_lints {
            let flags = ("RUSTFLAGS".to_owned(), "--cap-lints=allow".to_owned());
            plan.policy.env.extend([flags]);
        }
        let listed = self
            .room
            .unseen(list_tests(self.room.commands(), &plan))
            .await
            .map_err(|error| with_sources(&error))?;
        listed.map_err(|error| with_sources(&error))
    }

    /// Runs one test alone.
    pub(super) async fn run(
        &self,
        listed: &ListedTest,
        wall: std::time::Duration,
    ) -> Result<LoneRun, String> {
        let ran = self.lanes.run(&self.room, (listed, wall), None).await?;
        Ok(ran.run)
    }

    /// Runs one test alone, with a switch of planted code.
    pub(super) async fn run_switched(
        &self,
        test: (&ListedTest, std::time::Duration),
        switched: Switched<'_>,
    ) -> Result<Ran, String> {
        self.lanes.run(&self.room, test, Some(switched)).await
    }

    /// The tree that is laid out.
    pub(super) const fn tree(&self) -> &TreeId {
        &self.tree
    }
}

/// How examples are executed where a recipe is followed.
pub(super) fn example_plan(plan: &VerifyPlan) -> ExamplePlan {
    ExamplePlan {
        policy: plan.policy.clone(),
        lock: plan.lock.clone(),
        cancel: plan.cancel.clone(),
    }
}

/// True when a test that ran alone passed.
pub(super) fn passed(ran: &LoneRun) -> bool {
    match ran.verdict {
        LoneVerdict::Passed => true,
        LoneVerdict::Failed | LoneVerdict::NotExecuted | LoneVerdict::TimedOut => false,
    }
}
