//! Verifications as steps: of the work tree while a phase is built, and of a commit alone.

mod checked;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use gavel_agent::CommandRoom;
use gavel_domain::{
    CommandFinished, FaultClass, InstallRequest, InstallStep, Key, Scope, VerifyFinished,
    VerifyVerdict,
};
use gavel_rules::{RunnerConsent, RunnerNote, install_requests};
use gavel_run::{Blobs, Pure, Run, RunError, StepFailure, Tree};
use gavel_workspace::{
    CommitId, FileList, InstallRan, ListedCount, OrphanError, Recipe, RecipeFound, Recipes,
    RepoPath, Smoke, SourceLanguage, TestNames, TreeId, TreeRoot, VerifyReason, WorkTreeError,
    count_listed, find_recipe, remove_lanes, runs_tests_alone, wait_for_lanes, wait_for_orphans,
};

pub(crate) use self::checked::Checked;
use crate::runner::{RunnerCompared, compare_tree};
use crate::workshop::lock_of;
use crate::{CommandRan, Site, SmokeRan, VerifyOutput};

/// The recipe's name of commands that try the product out.
const SMOKE: &str = "smoke";
/// The commands of a recipe could not be run at all.
pub(crate) const COULD_NOT_RUN: &str = "could_not_run";

/// The folder of the checkout in the place of verifications.
const FRESH_TREE: &str = "tree";
/// The places of tests that run at the same time, beside the checkout.
pub(crate) const LANES: &str = "lanes";
/// How much of the words of an install command a fact keeps.
const COMMAND_BYTES: usize = 300;

/// How often a verification is done again because a person allowed more.
const ASKED_AGAIN: u32 = 4;

/// How long commands of an earlier drive may take to die.
pub(crate) const ORPHANS: Duration = Duration::from_secs(30);

/// The verification that counts: of a commit, in a checkout and a cache of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitVerified {
    /// What it came to.
    pub fact: VerifyFinished,
    /// The commands that it rests on; none when nothing could be run.
    pub commands: Vec<CommandRan>,
    /// The tests that the runners named.
    pub tests: TestNames,
    /// Those that passed by what was printed alone: their runner cannot run one of them by itself.
    pub printed: BTreeSet<String>,
    /// The recipes of such runners, which count by the exit status of the whole suite.
    pub whole: Vec<String>,
    /// Tests that were printed as passed beyond those that the runner lists: they are not counted.
    pub unlisted: u32,
    /// Who ran them, where that is worth a word.
    pub runner: Vec<RunnerNote>,
    /// What was tried out; whether all of it came to what it should is in the fact.
    pub smoke: Vec<SmokeRan>,
    /// Sources that its commands wrote anew: what ran is not what is judged.
    pub rewritten: Vec<String>,
    /// Its dependencies could be fetched only with the whole network of this machine.
    needs_open_network: bool,
    /// Why the tests could not be run, when that was so.
    note: String,
}

impl CommitVerified {
    /// Why the tests could not be run on this machine; `None` when they ran, or when there are none.
    pub fn could_not_run(&self) -> Option<&str> {
        (self.fact.reason == COULD_NOT_RUN).then_some(self.note.as_str())
    }

    /// The tests whose names can show something: all but those that were only printed.
    pub fn shown_tests(&self) -> TestNames {
        let mut tests = self.tests.clone();
        tests.passed.retain(|name| !self.printed.contains(name));
        tests
    }

    /// Measured coverage in thousandths; `None` when nothing measured it.
    pub const fn coverage(&self) -> Option<u32> {
        self.fact.coverage
    }

    /// True when this was tried out and came to what its recipe says.
    pub fn smoke_shows(&self, request: &str) -> bool {
        let is_it = |ran: &SmokeRan| ran.passed && ran.request == request;
        self.smoke.iter().any(is_it)
    }
}

/// A commit to verify.
#[derive(Debug, Clone, Copy)]
pub struct JudgedCommit<'a> {
    /// The commit.
    pub commit: &'a CommitId,
    /// Whether a person agreed to what it changed about who runs the tests.
    pub consent: RunnerConsent,
}

/// Verifies a commit in a fresh checkout with a fresh cache, both removed afterwards.
///
/// Writes `verify` and one `command-N` for each command below the scope. Where a person allows what
/// its dependencies want, it is verified again below that scope.
pub async fn verify_commit(
    run: &Run,
    scope: &Scope,
    site: &Site,
    judged: JudgedCommit<'_>,
) -> Result<CommitVerified, RunError> {
    let mut verified = try_commit(run, scope, site, judged).await?;
    for number in 1..=ASKED_AGAIN {
        if !ask(run, site, (&verified.fact, verified.needs_open_network)).await? {
            break;
        }
        let again = scope.scope("allowed", number)?;
        verified = try_commit(run, &again, site, judged).await?;
    }
    Ok(verified)
}

async fn try_commit(
    run: &Run,
    scope: &Scope,
    site: &Site,
    judged: JudgedCommit<'_>,
) -> Result<CommitVerified, RunError> {
    let input = ("verify_commit", judged.commit.as_str());
    // It touches nothing but its own folder, so it may be repeated.
    // Boxed: what happens in here is large, and runs hold it inside many futures.
    let check = |blobs: Blobs| Box::pin(check_commit(site, judged, blobs));
    let fact = run
        .step(scope.key("verify")?, Pure, &input, check)
        .await?
        .value;
    let output = VerifyOutput::read(&run.text(fact.output).await?);
    for (number, ran) in (1..).zip(&output.commands) {
        record_command(run, scope.key(&format!("command-{number}"))?, ran).await?;
    }
    Ok(CommitVerified {
        printed: output.printed(),
        needs_open_network: output.needs_open_network,
        fact,
        tests: output.tests(),
        note: output.note,
        runner: output.runner,
        smoke: output.smoke,
        rewritten: output.rewritten,
        whole: output.whole,
        unlisted: output.unlisted,
        commands: output.commands,
    })
}

/// Asks for what a person may allow for a verification to come further; true when something was.
async fn ask(
    run: &Run,
    site: &Site,
    (fact, needs_open_network): (&VerifyFinished, bool),
) -> Result<bool, RunError> {
    let permissions = &site.workshop.permissions;
    let mut requests = install_requests(fact);
    if needs_open_network {
        requests.push(InstallRequest::OpenNetwork);
    }
    let mut more = permissions.ask(run, &requests).await?;
    if fact.reason == VerifyReason::DiskCap.code() {
        let limits = &site.workshop.limits;
        more |= permissions.disk().ask(run, "the tests", limits).await?;
    }
    Ok(more)
}

/// Verifies the work tree as it is recorded; what the tests write becomes part of it. Where a person
/// allows what its dependencies want, it is verified again.
pub(crate) async fn verify_work_tree(
    run: &Run,
    room: &Scope,
    site: &Site,
) -> Result<(VerifyFinished, VerifyOutput), RunError> {
    let mut verified = try_work_tree(run, room.key("verified")?, site).await?;
    for number in 1..=ASKED_AGAIN {
        let (fact, output) = &verified;
        if !ask(run, site, (fact, output.needs_open_network)).await? {
            break;
        }
        let again = room.scope("allowed", number)?;
        verified = try_work_tree(run, again.key("verified")?, site).await?;
    }
    Ok(verified)
}

async fn try_work_tree(
    run: &Run,
    key: Key,
    site: &Site,
) -> Result<(VerifyFinished, VerifyOutput), RunError> {
    let class = Tree::new(&site.tree);
    let check = |blobs: Blobs| Box::pin(check_work_tree(site, blobs));
    let fact = run
        .step(key, class, &"verify_work_tree", check)
        .await?
        .value;
    let output = VerifyOutput::read(&run.text(fact.output).await?);
    Ok((fact, output))
}

/// The command by itself, derived from what the verification recorded.
async fn record_command(run: &Run, key: Key, ran: &CommandRan) -> Result<(), RunError> {
    let input = (&ran.argv, ran.exit, ran.output_digest());
    let record = |blobs: Blobs| async move {
        let argv = serde_json::to_string(&ran.argv).map_err(failed)?;
        Ok(CommandFinished {
            argv: blobs.keep(argv),
            exit: ran.exit,
            output: blobs.keep(ran.output.as_str()),
            level: ran.level,
            millis: ran.millis,
        })
    };
    run.step(key, Pure, &input, record).await?;
    Ok(())
}

async fn check_work_tree(site: &Site, blobs: Blobs) -> Result<VerifyFinished, StepFailure> {
    let tree = site.tree.snapshot().await.map_err(failed)?;
    let folder = site.tree.folder();
    let checked = match site.workshop.room(folder, &site.beside).await {
        Ok(room) => {
            let files = Files {
                folder,
                tree: &tree,
            };
            check(
                site,
                &site.hidden.for_tests(room),
                &files,
                Counting::AsPrinted,
            )
            .await
        }
        Err(error) => Checked::could_not_run(&error),
    };
    // The gate decides about the runner; whoever builds hears of it before.
    let runner = compare_tree(site, &tree, RunnerConsent::NotGiven).await;
    let mut checked = match runner {
        Ok(runner) if runner.is_refused() => Checked::runner_refused(runner),
        Ok(runner) => checked.run_by(runner),
        Err(error) => Checked::could_not_run(&error),
    };
    let taken = site.tree.take_back_unwanted().await.map_err(failed)?;
    for file in &taken.own {
        let note = format!("the tests changed {file}, which is Gavel's own and was put back\n");
        checked.output.note.push_str(&note);
    }
    for file in taken.large {
        let note = format!("the tests left {file}, which is too large to be recorded\n");
        checked.output.note.push_str(&note);
    }
    checked.fact(&blobs, Some(tree.to_string()))
}

async fn check_commit(
    site: &Site,
    judged: JudgedCommit<'_>,
    blobs: Blobs,
) -> Result<VerifyFinished, StepFailure> {
    let tree = match site.tree.tree_of(judged.commit).await {
        Ok(tree) => tree,
        Err(error) => return Checked::could_not_run(&error).fact(&blobs, None),
    };
    let checked = check_tree(site, &tree, judged.consent, Counting::Listed).await;
    checked.fact(&blobs, Some(tree.to_string()))
}

/// What a count of tests is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    /// Nothing: nobody is told the number.
    AsPrinted,
    /// What the runner's adapter lists.
    Listed,
}

/// Verifies a tree in a fresh checkout with a fresh cache; what is built is removed afterwards.
pub(crate) async fn check_tree(
    site: &Site,
    tree: &TreeId,
    consent: RunnerConsent,
    counting: Counting,
) -> Checked {
    let place = site.beside.join("fresh");
    let folder = place.join(FRESH_TREE);
    if let Err(error) = wait_for_commands(&place).await {
        return Checked::could_not_run(&error);
    }
    if let Err(error) = cleared(site, &place).await {
        return Checked::could_not_run(&error);
    }
    let checked = match laid_out(site, tree, consent, &folder).await {
        Ok(laid) if laid.runner.is_refused() => Checked::runner_refused(laid.runner),
        Ok(laid) => match site.workshop.room(&folder, &place).await {
            Ok(room) => {
                let room = site.hidden.for_tests(room);
                let files = Files {
                    folder: &folder,
                    tree: &laid.tree,
                };
                let mut checked = check(site, &room, &files, counting)
                    .await
                    .run_by(laid.runner);
                checked.output.rewritten = rewritten_sources(site, &files).await;
                checked
            }
            Err(error) => Checked::could_not_run(&error),
        },
        Err(error) => Checked::could_not_run(&error),
    };
    if let Err(error) = cleared(site, &place).await {
        // The next verification tries again, and stands on nothing that it left.
        tracing::warn!(%error, folder = %place.display(), "caches of a checkout could not be removed");
    }
    checked
}

/// Sources of a fresh checkout that its commands wrote anew; where that cannot be told, the list says
/// so.
pub(crate) async fn rewritten_sources(site: &Site, files: &Files<'_>) -> Vec<String> {
    let is_source = |name: &String| {
        let path = name.parse::<RepoPath>().ok();
        path.is_none_or(|path| SourceLanguage::of_path(&path).is_some())
    };
    match site.tree.rewritten_files(files.tree, files.folder).await {
        Ok(Some(all)) => all.into_iter().filter(is_source).collect(),
        Ok(None) => vec!["(not known: the file system's clock stands still)".to_owned()],
        Err(error) => vec![format!("(not known: {})", with_sources(&error))],
    }
}

/// Writes the files of a tree into the folder, with the runner that may run its tests.
pub(crate) async fn laid_out(
    site: &Site,
    tree: &TreeId,
    consent: RunnerConsent,
    folder: &Path,
) -> Result<LaidOut, WorkTreeError> {
    let runner = compare_tree(site, tree, consent).await?;
    if runner.changes.is_empty() {
        site.tree.write_tree_into(tree, folder).await?;
        let tree = tree.clone();
        return Ok(LaidOut { runner, tree });
    }
    let with_base = site.tree.tree_changing(tree, &runner.changes).await?;
    // What could not be put back is another runner still.
    let after = compare_tree(site, &with_base, RunnerConsent::NotGiven).await?;
    site.tree.write_tree_into(&with_base, folder).await?;
    Ok(LaidOut {
        runner: runner.unless_left(&after),
        tree: with_base,
    })
}

/// What stands in a fresh folder.
pub(crate) struct LaidOut {
    pub(crate) runner: RunnerCompared,
    /// The judged tree, or the same with the runner of the base.
    pub(crate) tree: TreeId,
}

/// The files that are checked.
pub(crate) struct Files<'a> {
    pub(crate) folder: &'a Path,
    /// What they are recorded as.
    pub(crate) tree: &'a TreeId,
}

/// Runs every recipe that fits the folder, then its smoke runs; all of them must pass.
async fn check(site: &Site, room: &CommandRoom, files: &Files<'_>, counting: Counting) -> Checked {
    let Recipes {
        tests,
        smoke,
        limit,
    } = match recipes_of(site, files).await {
        Ok(RecipeFound::Found(recipes)) => recipes,
        Ok(
            none @ (RecipeFound::None
            | RecipeFound::NoTests
            | RecipeFound::Unseen(_)
            | RecipeFound::Unusable(_)),
        ) => {
            let reason = none.missing().unwrap_or(COULD_NOT_RUN);
            return Checked::unclear(reason, none.lacks());
        }
        Err(note) => return Checked::unclear(COULD_NOT_RUN, note),
    };
    let names: Vec<_> = tests.iter().map(Recipe::name).collect();
    let mut all: Option<Checked> = None;
    for recipe in &tests {
        // Before it runs: a test may write the manifest anew.
        let alone = runs_tests_alone(recipe, files.folder);
        let mut one = check_by(site, room, recipe).await;
        if counting == Counting::Listed && alone && one.verdict == VerifyVerdict::Passed {
            one = hold_against_list(room, recipe, one).await;
        }
        if !alone {
            one.output.whole.push(recipe.name().to_owned());
        }
        all = Some(match all {
            None => one,
            Some(before) => before.and(one),
        });
    }
    let none = || Checked::unclear("no_test_commands", RecipeFound::NoTests.lacks());
    let mut checked = all.unwrap_or_else(none);
    checked.recipe = names.join("+");
    if let Some(limit) = limit {
        checked.output.note.push_str(&format!("{limit}\n"));
    }
    // Without dependencies nothing can be tried out.
    let lacking = [COULD_NOT_RUN, VerifyReason::InstallFailed.code()];
    if !lacking.contains(&checked.reason) {
        for what in &smoke {
            try_out(site, room, (what, &mut checked)).await;
        }
    }
    checked
}

async fn check_by(site: &Site, room: &CommandRoom, recipe: &Recipe) -> Checked {
    let done = match room.verify(recipe).await {
        Ok(done) => done,
        Err(error) => return Checked::not_verified(&error),
    };
    let install = done.install.iter().map(|ran| install_step(site, ran));
    let install = install.collect();
    let command = (recipe.name(), done.argv.words());
    let ran = CommandRan::new(command, &done.outcome, |text| scrubbed(site, text));
    Checked {
        recipe: recipe.name().to_owned(),
        verdict: done.judgement.verdict(),
        reason: done.judgement.reason.code(),
        counts: done.judgement.counts,
        coverage: done.judgement.coverage,
        smoke: None,
        level: Some(ran.level),
        install,
        output: VerifyOutput {
            commands: vec![ran],
            ..VerifyOutput::default()
        },
    }
}

/// Holds what a suite printed about itself against the list of its tests. One that cannot be listed counts
/// as a suite whose runner runs no test alone.
async fn hold_against_list(room: &CommandRoom, recipe: &Recipe, mut checked: Checked) -> Checked {
    let plan = room.plan(recipe);
    let counts = checked.counts;
    let listed = room
        .unseen(count_listed(room.commands(), &plan, counts))
        .await;
    match listed {
        Ok(Ok(ListedCount::Tests(listed))) => checked.bound_by_list(listed),
        Ok(Ok(ListedCount::NotAsked)) => {}
        Ok(Ok(ListedCount::Unlisted) | Err(_)) | Err(_) => {
            checked.output.whole.push(recipe.name().to_owned());
        }
    }
    checked
}

/// What a command printed, without secrets.
fn scrubbed(site: &Site, text: &str) -> String {
    site.hidden.scrub(site.context.scrub(text))
}

/// What the fact keeps of a command that brought dependencies.
fn install_step(site: &Site, ran: &InstallRan) -> InstallStep {
    // Where this machine keeps builds says nothing about the step, and differs from drive to drive.
    let build = format!("{}/", site.beside.display());
    let command = scrubbed(site, &ran.argv.to_string().replace(&build, ""));
    let end = command.floor_char_boundary(COMMAND_BYTES);
    InstallStep {
        command: command.get(..end).unwrap_or_default().to_owned(),
        exit: ran.outcome.exit.code(),
        offline: ran.offline,
        open: ran.outcome.open_network,
        hosts: ran.outcome.hosts.clone(),
        refused: ran.outcome.refused.clone(),
        scripts: ran.scripts.clone(),
        scripts_unasked: ran.unasked,
    }
}

/// Tries one thing out. It makes a verdict worse and never better.
async fn try_out(site: &Site, room: &CommandRoom, (what, checked): (&Smoke, &mut Checked)) {
    let open = checked.verdict == VerifyVerdict::Passed
        || checked.reason == VerifyReason::SmokeNotRun.code();
    let worse = match room.smoke(what).await {
        Ok(seen) => {
            let scrub = |text: &str| scrubbed(site, text);
            let mut ran = CommandRan::new((SMOKE, seen.argv.words()), &seen.outcome, scrub);
            // The outcome is that of asking; a program that we ended has no exit code.
            ran.exit = seen.exit;
            let smoke = SmokeRan::new(&seen, scrub);
            ran.output = format!(
                "{}: {}\n{}\n{}",
                smoke.request, smoke.said, smoke.excerpt, ran.output
            );
            checked.level = checked.level.or(Some(ran.level));
            checked.output.commands.push(ran);
            checked.output.smoke.push(smoke);
            let before = checked.smoke.unwrap_or(true);
            checked.smoke = Some(before && seen.passed);
            (!seen.passed).then_some(VerifyReason::SmokeFailed)
        }
        Err(error) => {
            let note = format!("{}: {}\n", what.request(), with_sources(&error));
            checked.output.note.push_str(&note);
            Some(VerifyReason::SmokeNotRun)
        }
    };
    if let (true, Some(reason)) = (open, worse) {
        checked.verdict = reason.verdict();
        checked.reason = reason.code();
    }
}

/// The list comes from git: a tree of many files is not walked once more.
pub(crate) async fn recipes_of(site: &Site, files: &Files<'_>) -> Result<RecipeFound, String> {
    let names = site.tree.files_of(files.tree).await;
    let names = names.map_err(|error| with_sources(&error))?;
    let folder = files.folder.to_owned();
    let look = move || {
        let tree = TreeRoot::open(&folder).map_err(|error| with_sources(&error))?;
        let files = FileList::first_of(names, FileList::MOST);
        Ok(find_recipe(&tree, &files))
    };
    let looked = tokio::task::spawn_blocking(look).await;
    looked.unwrap_or_else(|lost| Err(with_sources(&lost)))
}

/// Waits until nothing is alive that an earlier drive started in the fresh checkout.
pub(crate) async fn wait_for_commands(place: &Path) -> Result<(), OrphanError> {
    wait_for_orphans(&lock_of(place), ORPHANS).await?;
    wait_for_lanes(&place.join(LANES), ORPHANS).await
}

/// Removes what earlier verifications left beside the checkout, and the checkout too unless it can be
/// filled again.
pub(crate) async fn cleared(site: &Site, place: &Path) -> std::io::Result<()> {
    let keep = site.tree.clear_checkout(&place.join(FRESH_TREE)).await;
    let place = place.to_owned();
    let clear = move || {
        remove_lanes(&place.join(LANES))?;
        let entries = match std::fs::read_dir(&place) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if keep && entry.file_name() == FRESH_TREE {
                continue;
            }
            if entry.file_type()?.is_dir() {
                gavel_workspace::remove_tree(&entry.path())?;
            } else {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    };
    let done = tokio::task::spawn_blocking(clear).await;
    done.unwrap_or_else(|lost| Err(std::io::Error::other(lost)))
}

/// An error with everything that its sources say.
pub(crate) fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        source = inner.source();
    }
    text
}

pub(crate) fn failed(problem: impl std::fmt::Display) -> StepFailure {
    StepFailure::new(FaultClass::Failed, problem)
}
