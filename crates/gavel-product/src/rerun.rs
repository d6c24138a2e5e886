//! Shows again what a seal says was shown: the judged commit is checked out and built in the sandbox, its tests
//! run, the examples of its contracts are executed, and its tests are tried against planted faults.
//!
//! These are the gate's own steps, in a run of their own whose journal is thrown away. Everything comes from
//! the branch: the criteria and what was sealed about them from the seal, their examples from the contracts
//! that it names. A clone is enough, and nothing is written into it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gavel_agent::{Registry, ToolContext};
use gavel_build::{
    CommandRan, CommitVerified, ExampleCase, HiddenFiles, JudgedCommit, ProofBench, ProofBudget,
    PushTarget, SealCriterion, SealPredicate, SealStatement, Site, TestCase, Unlisted, Workshop,
    execute_examples, prove_tests, read_work, verify_commit,
};
use gavel_contracts::{interface_words, parse_phases};
use gavel_domain::{
    ContractKind, CriterionExample, CriterionStanding, Digest, EvidenceRank, EvidenceRef, Example,
    FaultCount, VerifyVerdict,
};
use gavel_rules::{
    CriterionProof, Omission, RunnerConsent, RunnerRules, SealedCriterion, ShownAgain, TestWord,
    compare_shown_again, shown_by_test,
};
use gavel_run::{Run, RunError};
use gavel_workspace::{
    BranchPrefix, CommitId, FileAt, RepoPath, Repository, Scrubber, TreeRoot, WorkTree,
    WorkTreePlace,
};
use serde::Serialize;

use crate::way::unusable;

/// The name of the driver, in a journal that nobody keeps.
pub const RERUN_DRIVER: &str = "rerun";
/// More than a contract may have.
const MOST_BYTES: usize = 1 << 20;

/// What is shown again, and where.
#[derive(Debug)]
pub struct RerunCase {
    /// The seal.
    pub statement: SealStatement,
    /// The git program.
    pub git: PathBuf,
    /// The clone.
    pub repository: Repository,
    /// An empty folder of its own, which is removed afterwards.
    pub folder: PathBuf,
    /// Where commands run.
    pub workshop: Workshop,
}

/// What showing it again came to.
#[derive(Debug, Clone, Serialize)]
pub struct Reran {
    /// The tests, all together.
    pub tests: ShownAgain,
    /// Each criterion, in the order of the seal.
    pub criteria: Vec<CriterionReran>,
    /// What tests made of planted faults, now.
    pub faults: FaultCount,
}

/// A criterion that was shown again.
#[derive(Debug, Clone, Serialize)]
pub struct CriterionReran {
    /// Its id.
    pub id: String,
    /// How it compares.
    #[serde(flatten)]
    pub repeated: ShownAgain,
}

impl Reran {
    fn all(&self) -> impl Iterator<Item = &ShownAgain> {
        let criteria = self.criteria.iter().map(|one| &one.repeated);
        [&self.tests].into_iter().chain(criteria)
    }

    /// True when something came to something else than was sealed.
    pub fn differs(&self) -> bool {
        self.all()
            .any(|one| matches!(one, ShownAgain::Different(_)))
    }

    /// True when something that the seal rests on could not be run again.
    pub fn is_incomplete(&self) -> bool {
        self.all().any(|one| matches!(one, ShownAgain::NotRun(_)))
    }
}

/// What a rerun came to, once its driver is through.
#[derive(Debug, Clone)]
pub enum RerunEnd {
    /// It was run.
    Reran(Reran),
    /// It could not be run at all; why, in a sentence.
    NotRun(String),
}

/// Where the driver leaves its result, and tells how far it is.
#[derive(Clone)]
pub struct RerunReport {
    end: Arc<Mutex<Option<RerunEnd>>>,
    tell: Arc<dyn Fn(&str) + Send + Sync>,
}

impl RerunReport {
    /// Tells each part before it begins.
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self {
            end: Arc::default(),
            tell: Arc::new(tell),
        }
    }

    /// What it came to; none when the driver did not get that far.
    pub fn end(&self) -> Option<RerunEnd> {
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        end.clone()
    }

    fn put(&self, end: RerunEnd) {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
    }
}

impl std::fmt::Debug for RerunReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RerunReport").finish_non_exhaustive()
    }
}

/// Drives a rerun.
pub async fn rerun(run: Run, case: RerunCase, report: RerunReport) -> Result<(), RunError> {
    let end = match Box::pin(repeat(&run, &case, &report)).await {
        Ok(reran) => RerunEnd::Reran(reran),
        Err(Unable::Run(error)) => return Err(error),
        Err(Unable::Because(why)) => RerunEnd::NotRun(why),
    };
    report.put(end);
    Ok(())
}

/// Why nothing was shown again.
enum Unable {
    Run(RunError),
    Because(String),
}

impl From<RunError> for Unable {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

impl From<gavel_domain::KeyError> for Unable {
    fn from(error: gavel_domain::KeyError) -> Self {
        Self::Run(error.into())
    }
}

fn because(what: &str, problem: &dyn std::fmt::Display) -> Unable {
    Unable::Because(format!("{what}: {problem}"))
}

/// A command that failed, with the end of what it printed.
fn last_words(ran: &CommandRan) -> String {
    let lines = ran.output.lines().rev().map(str::trim);
    let last: Vec<&str> = lines.filter(|line| !line.is_empty()).take(3).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    format!("`{}` said: {}", ran.argv.join(" "), last.join(" "))
}

async fn repeat(run: &Run, case: &RerunCase, report: &RerunReport) -> Result<Reran, Unable> {
    let predicate = &case.statement.predicate;
    let judged: CommitId = commit(&predicate.judged_commit)?;
    let site = site(run, case).await?;
    let judged = JudgedCommit {
        commit: &judged,
        consent: consent(predicate),
    };
    let short = predicate.judged_commit.get(..12).unwrap_or_default();
    (report.tell)(&format!(
        "building the commit {short} in a fresh checkout and running its tests"
    ));
    let scope = run.scope("rerun", 1)?;
    let verified = Box::pin(verify_commit(run, &scope, &site, judged)).await?;
    if let Some(why) = verified.could_not_run() {
        return Err(because("the tests could not be run here", &why));
    }
    let fact = &verified.fact;
    if fact.executed == 0 && fact.verdict != VerifyVerdict::Passed {
        let why = fact.reason.replace('_', " ");
        let failed = verified.commands.iter().rfind(|ran| ran.exit != Some(0));
        let why = failed.map_or(why.clone(), |ran| format!("{why}: {}", last_words(ran)));
        return Err(because("no test was executed", &why));
    }
    let touched = match read_work(&site, judged.commit, "").await {
        Ok(work) => work.touched,
        Err(error) => return Err(because("what the run changed cannot be read", &error)),
    };
    let seed = Digest::of(run.random(&scope.key("seed")?).to_le_bytes());
    let bench = ProofBench::new(&site, judged, seed);
    let proof = Proof {
        run,
        bench: &bench,
        predicate,
        verified: &verified,
    };
    let shown = Box::pin(proof.all(case, &touched, report)).await;
    bench.close().await;
    Ok(compared(predicate, &verified, &shown?))
}

/// What proves criteria again.
struct Proof<'a> {
    run: &'a Run,
    bench: &'a ProofBench<'a>,
    predicate: &'a SealPredicate,
    verified: &'a CommitVerified,
}

impl Proof<'_> {
    async fn all(
        &self,
        case: &RerunCase,
        touched: &gavel_build::TouchedLines,
        report: &RerunReport,
    ) -> Result<BTreeMap<String, CriterionProof>, Unable> {
        let mut shown = BTreeMap::<String, CriterionProof>::new();
        let contracts = Contracts::read(case).await?;
        let examples: Vec<(&str, &Example)> = self
            .predicate
            .criteria
            .iter()
            .filter_map(|one| Some((one.id.as_str(), contracts.examples.get(&one.id)?)))
            .collect();
        for (number, (criterion, example)) in (1..).zip(&examples) {
            (report.tell)(&format!(
                "example {number} of {}: {criterion}",
                examples.len()
            ));
            let scope = self.run.scope("rerun-example", number)?;
            let one = ExampleCase {
                criterion,
                example,
                known_words: &contracts.known_words,
            };
            let proofs = execute_examples(self.run, &scope, self.bench, &[one]).await?;
            for (id, proof) in proofs {
                shown.entry(id).or_default().example = Some(proof);
            }
        }
        let tests = self.tests();
        if tests.is_empty() {
            return Ok(shown);
        }
        let (faults, seconds) = self.budget();
        (report.tell)(&format!(
            "trying {} tests against planted faults, for {seconds} seconds at most",
            tests.len()
        ));
        let budget = ProofBudget {
            faults,
            until: Instant::now() + Duration::from_secs(seconds),
            touched,
            kept: None,
            unlisted: Unlisted::MayBePrinted,
        };
        let scope = self.run.scope("rerun-tests", 1)?;
        for (id, proof) in prove_tests(self.run, &scope, self.bench, &tests, budget).await? {
            let known = &mut shown.entry(id).or_default().test;
            *known = known.take().or(Some(proof));
        }
        Ok(shown)
    }

    /// As many faults and as much time as were sealed; older seals do not say.
    fn budget(&self) -> (u32, u64) {
        let proof = self.predicate.proof.as_ref();
        proof.map_or((1, 600), |proof| {
            (proof.mutants_per_criterion.max(1), proof.seconds.max(60))
        })
    }

    /// The test of each criterion's name, else those that the seal names.
    fn tests(&self) -> Vec<TestCase<'_>> {
        let mut tests = Vec::new();
        for one in &self.predicate.criteria {
            let named = one.proof.iter().filter_map(|evidence| match evidence {
                EvidenceRef::Test { name } => Some(name.as_str()),
                EvidenceRef::File { .. }
                | EvidenceRef::Commit { .. }
                | EvidenceRef::Command { .. }
                | EvidenceRef::Smoke { .. }
                | EvidenceRef::Example { .. } => None,
            });
            let passed = &self.verified.tests.passed;
            let sealed: Vec<&str> = named.clone().collect();
            let printed = &self.verified.printed;
            let own = match word(&one.id, self.verified) {
                // Older seals count what was only printed; others have judged such a criterion otherwise.
                TestWord::Passed(test) if printed.contains(test) && !sealed.contains(&test) => None,
                TestWord::Passed(test) => Some(test),
                TestWord::Failed(_) | TestWord::NoTest => None,
            };
            let mut candidates = own
                .into_iter()
                .chain(named.filter(|name| passed.contains(*name)));
            tests.extend(candidates.next().map(|test| TestCase {
                criterion: &one.id,
                test,
            }));
        }
        tests
    }
}

fn word<'a>(criterion: &str, verified: &'a CommitVerified) -> TestWord<'a> {
    shown_by_test(criterion, &verified.tests.passed, &verified.tests.failed)
}

/// Compares what was sealed with what was shown now.
fn compared(
    predicate: &SealPredicate,
    verified: &CommitVerified,
    shown: &BTreeMap<String, CriterionProof>,
) -> Reran {
    let nothing = CriterionProof::default();
    let criteria = predicate.criteria.iter().map(|one| {
        let by_holds = if one.holds {
            CriterionStanding::Met
        } else {
            CriterionStanding::Unmet
        };
        let sealed = SealedCriterion {
            standing: one.standing.unwrap_or(by_holds),
            rank: one.rank,
        };
        let by_command = one.holds && !shown.contains_key(&one.id);
        let repeated = by_command.then(|| commands_compared(one, verified));
        let repeated = repeated.flatten().unwrap_or_else(|| {
            let now = shown.get(&one.id).unwrap_or(&nothing);
            compare_shown_again(sealed, now, word(&one.id, verified))
        });
        CriterionReran {
            id: one.id.clone(),
            repeated,
        }
    });
    let tests = shown.values().filter_map(|proof| proof.test.as_ref());
    Reran {
        tests: tests_compared(verified),
        criteria: criteria.collect(),
        faults: FaultCount::of(tests.flat_map(|test| &test.faults)),
    }
}

/// A criterion that commands of the verification show: each has to end as it did. None for others, and for what
/// a judge made of a command.
fn commands_compared(one: &SealCriterion, verified: &CommitVerified) -> Option<ShownAgain> {
    if one.rank != Some(EvidenceRank::TestRan) {
        return None;
    }
    let commands = one.proof.iter().map(|evidence| match evidence {
        EvidenceRef::Command { command, exit } => Some((command, *exit)),
        EvidenceRef::Test { .. }
        | EvidenceRef::File { .. }
        | EvidenceRef::Commit { .. }
        | EvidenceRef::Smoke { .. }
        | EvidenceRef::Example { .. } => None,
    });
    let commands: Vec<(&String, i32)> = commands.collect::<Option<_>>()?;
    let (last, _) = commands.last()?;
    for (command, exit) in &commands {
        let ran = verified.commands.iter();
        let mut ran = ran.filter(|ran| ran.argv.join(" ") == **command);
        match ran.next().map(|ran| ran.exit) {
            Some(now) if now == Some(*exit) => {}
            Some(_) => return Some(ShownAgain::Different(format!("`{command}` ends otherwise"))),
            None => {
                return Some(ShownAgain::NotRun(format!(
                    "`{command}` is not what ran here"
                )));
            }
        }
    }
    Some(ShownAgain::Same(format!("`{last}` ends as it did")))
}

/// A seal is made of a verification that passed.
fn tests_compared(verified: &CommitVerified) -> ShownAgain {
    let fact = &verified.fact;
    match fact.verdict {
        VerifyVerdict::Passed => {
            ShownAgain::Same(format!("{} of {} passed", fact.passed, fact.executed))
        }
        VerifyVerdict::Failed => ShownAgain::Different(format!(
            "{} of {} passed ({})",
            fact.passed, fact.executed, fact.reason
        )),
        VerifyVerdict::Unclear => ShownAgain::NotRun(fact.reason.clone()),
    }
}

/// What the contracts of the judged commit say about criteria.
struct Contracts {
    examples: BTreeMap<String, Example>,
    known_words: Vec<String>,
}

impl Contracts {
    /// Those that the seal names; their digests were compared when the seal was checked.
    async fn read(case: &RerunCase) -> Result<Self, Unable> {
        let phases = text(case, ContractKind::Phases).await?;
        let phases = parse_phases(&phases).unwrap_or_default();
        let criteria = phases.into_iter().flat_map(|phase| phase.criteria);
        let examples = criteria.filter_map(|one| match CriterionExample::of(&one.example) {
            CriterionExample::Given(example) => Some((one.id, example)),
            CriterionExample::None { .. }
            | CriterionExample::Broken(_)
            | CriterionExample::Prose
            | CriterionExample::Missing => None,
        });
        let physics = text(case, ContractKind::Physics).await?;
        Ok(Self {
            examples: examples.collect(),
            known_words: interface_words(&physics).into_iter().collect(),
        })
    }
}

/// The text of a contract that the seal names; empty where it names none.
async fn text(case: &RerunCase, kind: ContractKind) -> Result<String, Unable> {
    let predicate = &case.statement.predicate;
    let Some(contract) = predicate.contracts.get(&kind) else {
        return Ok(String::new());
    };
    let path = RepoPath::new(contract.file.clone());
    let path = path.map_err(|error| because("a contract", &error))?;
    let judged = commit(&predicate.judged_commit)?;
    let found = case.repository.file_at(&judged, &path, MOST_BYTES).await;
    match found.map_err(|error| because("a contract", &error))? {
        FileAt::File(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        FileAt::TooLarge | FileAt::NotAFile | FileAt::Missing => Ok(String::new()),
    }
}

/// A place of its own, with caches of its own; nothing is written into the clone.
async fn site(run: &Run, case: &RerunCase) -> Result<Site, Unable> {
    let wrong = |problem: &dyn std::fmt::Display| Unable::Run(unusable(run, problem));
    let predicate = &case.statement.predicate;
    let base = commit(&predicate.base_commit)?;
    let known = case.repository.read_commit(&base).await;
    if known.map_err(|error| wrong(&error))?.is_none() {
        let short = predicate.base_commit.get(..12).unwrap_or_default();
        return Err(Unable::Because(format!(
            "the commit {short}, which the run began with, is not in this clone: \
             run `git fetch --unshallow` first"
        )));
    }
    let place = WorkTreePlace {
        git: case.git.clone(),
        repository: case.repository.git_dir().to_owned(),
        folder: case.folder.join("tree"),
    };
    let tree = WorkTree::open(&place, run.id()).await;
    let tree = tree.map_err(|error| because("a place for the work", &error))?;
    let hidden = HiddenFiles::at(&tree, &base, &case.workshop.revealed).await;
    let hidden = hidden.map_err(|error| because("the commit that the run began with", &error))?;
    let files = TreeRoot::open(tree.folder()).map_err(|error| wrong(&error))?;
    let scrubber = Scrubber::new([]).map_err(|error| wrong(&error))?;
    let branch = BranchPrefix::default().build(&run.id().short());
    let context = ToolContext::reading(Arc::new(files), Arc::new(scrubber));
    Ok(Site {
        tree: Arc::new(tree),
        base,
        runner_rules: RunnerRules::ProgramsAndReach,
        branch: branch.map_err(|error| wrong(&error))?,
        push: PushTarget::Nowhere,
        hidden: Arc::new(hidden),
        tools: Arc::new(Registry::default()),
        context,
        workshop: case.workshop.clone(),
        beside: case.folder.clone(),
    })
}

/// Whether a person agreed to what the run changed about who runs its tests.
fn consent(predicate: &SealPredicate) -> RunnerConsent {
    let agreed = Omission::AgreedRunner.to_string();
    if predicate.left_out.contains(&agreed) {
        RunnerConsent::Person
    } else {
        RunnerConsent::NotGiven
    }
}

fn commit(id: &str) -> Result<CommitId, Unable> {
    id.parse::<CommitId>()
        .map_err(|error| because("a commit of the seal", &error))
}
