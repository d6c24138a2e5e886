//! The bench of a proof: a fresh checkout with its dependencies, prepared when something needs it.

use std::path::PathBuf;

use gavel_agent::CommandRoom;
use gavel_domain::{Digest, test_name, test_without_parameters};
use gavel_workspace::{
    ExamplePlan, LoneRun, LoneTest, LoneVerdict, Program, ProgramFound, Recipe, RecipeFound,
    Recipes, TestListing, TreeId, VerifyPlan, build_program, install_dependencies, list_tests,
    run_alone, wait_for_orphans,
};
use tokio::sync::{Mutex, MutexGuard};

use super::faults::Planted;
use crate::verify::{
    Files, LaidOut, ORPHANS, cleared, laid_out, recipes_of, rewritten_sources, with_sources,
};
use crate::workshop::lock_of;
use crate::{JudgedCommit, Site};

/// Where a commit is proven. Nothing is done before something is asked of it, so that a run whose
/// facts are all there prepares nothing.
#[derive(Debug)]
pub struct ProofBench<'a> {
    site: &'a Site,
    judged: JudgedCommit<'a>,
    /// What faults are numbered by.
    pub(super) seed: Digest,
    state: Mutex<State>,
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
    /// The folder beside it, for files that no commit has.
    pub(super) place: PathBuf,
    tree: TreeId,
    program: Option<Result<Program, String>>,
    tests: Option<Listed>,
    /// Lints of the compiler stop no build of planted code.
    pub(super) without_lints: bool,
    pub(super) planted: Option<Result<Planted, String>>,
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
            state: Mutex::new(State::Closed),
        }
    }

    /// The place where it works: that of verifications, which fill the same checkout again.
    fn place(&self) -> PathBuf {
        self.site.beside.join("fresh")
    }

    /// Prepares the checkout, if that was not done before.
    pub(super) async fn open(&self) -> Result<Open<'_>, String> {
        let mut state = self.state.lock().await;
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

    async fn prepare(&self) -> Result<Ready, String> {
        let (site, place) = (self.site, self.place());
        let told = |error: &dyn std::error::Error| with_sources(error);
        wait_for_orphans(&lock_of(&place), ORPHANS)
            .await
            .map_err(|error| told(&error))?;
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
        Ok(Ready {
            room,
            recipes,
            folder,
            place,
            tree,
            program: None,
            tests: None,
            without_lints: false,
            planted: None,
        })
    }

    /// Removes everything that the proof wrote.
    pub async fn close(&self) {
        let mut state = self.state.lock().await;
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
    state: MutexGuard<'a, State>,
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
        let plan = self.room.plan(&listed.recipe);
        let ran = self
            .room
            .unseen(run_alone(self.room.commands(), &plan, &listed.test, wall))
            .await
            .map_err(|error| with_sources(&error))?;
        ran.map_err(|error| with_sources(&error))
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
