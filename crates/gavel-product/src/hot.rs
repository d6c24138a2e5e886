//! The hot path: one small change to what is there, on a branch. One sprint, no debate, no scoping.
//!
//! Before any model is asked, the tests of the commit that the run begins with are run: what cannot
//! be verified, or was broken before, is a person's to decide about.

use std::collections::BTreeSet;
use std::sync::Arc;

use gavel_build::{CommitVerified, HiddenFiles, JudgedCommit, Site, verify_commit};
use gavel_contracts::Shelf;
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, Contract, ContractKind, OnTimeout, Purpose, QuestionCard,
    Scope, Spec, SpecWritten, Stage, Timestamp, VerifyVerdict,
};
use gavel_rules::{ClaimCheck, HaltReason, Route, RunnerConsent};
use gavel_run::Question;
use gavel_workspace::{CommitId, FileAt, RepoPath};

use crate::asks::{self, ASKS_SINCE, CHECKED_SINCE, Spoken};
use crate::breakers::Choice;
use crate::building::{self, CONTRACTS};
use crate::discovery::Discovered;
use crate::gating::{self, GateCase, GateFailure, GateOutcome, Judged};
use crate::hot_sprint::{self, SprintEnd};
use crate::hot_words::{self, CriterionIds, spec_of};
use crate::idea::Idea;
use crate::lessons;
use crate::sealing::{self, Sealing};
use crate::staffing::Staff;
use crate::trouble::{Tried, until_mended};
use crate::way::{Leave, Way, halt, keep_json, unusable};
use crate::{money, recipes};

/// More than a contract may have.
const MOST_BYTES: usize = 1 << 20;
/// How many failed tests a card names.
const MOST_NAMED: usize = 12;
/// The longest wish of a person.
const MOST_WORDS: u32 = 4_000;

/// Where a small change ended.
#[derive(Debug)]
pub(crate) enum HotEnd {
    /// The run is sealed; nothing is left to do.
    Sealed,
    /// A person wants it to go through the council after all.
    Rethink(HotLeft),
}

/// What a small change leaves behind for the council.
#[derive(Debug)]
pub(crate) struct HotLeft {
    /// The last commit on the branch, when there is one.
    pub(crate) commit: Option<CommitId>,
    /// How many gates were numbered.
    pub(crate) gates: u32,
    /// How many sprints were numbered.
    pub(crate) sprints: u32,
    /// The idea, where a person said it in other words.
    pub(crate) idea: Option<Idea>,
    /// What happened, in words.
    pub(crate) why: String,
}

/// A small change under way.
#[derive(Debug)]
pub(crate) struct Small<'a> {
    pub(crate) way: Way<'a>,
    pub(crate) site: Site,
    pub(crate) shelf: Arc<Shelf>,
    /// The idea, the models, and what else later stages ask for.
    pub(crate) found: Discovered,
    /// The tests of the commit that the run begins with.
    pub(crate) before: CommitVerified,
    /// The commit that the next sprint begins with.
    pub(crate) commit: CommitId,
    /// What the next sprint is told.
    pub(crate) focus: Vec<String>,
    /// The number of the last sprint.
    pub(crate) sprint: u32,
    /// Whether each sprint changed a file.
    pub(crate) changed: Vec<bool>,
    /// How often a person allowed the whole time once more.
    pub(crate) times: u32,
    /// When building began: the moment of the commits.
    pub(crate) at: Timestamp,
}

/// Takes a small change from its request to a sealed branch.
pub(crate) async fn take_hot_path(way: Way<'_>) -> Result<HotEnd, Leave> {
    let (run, place) = (way.run, way.place);
    let at = way.enter(Stage::Building).await?;
    let scope = run.scope("small-change", 1)?;
    let mut focus = Vec::new();
    if let Some(choice) = recipes::blank(way, &scope, &place.base).await? {
        match choice {
            Choice::Rethink => {
                return Ok(HotEnd::Rethink(HotLeft::at_once("nothing can be tested")));
            }
            Choice::Retry(words) => {
                focus.push(hot_words::BRING_TESTS.to_owned());
                focus.extend(words);
            }
            Choice::Skip | Choice::Raise | Choice::ChangeModel => {}
        }
    }
    let shelf = Arc::new(contracts_at_base(way).await?);
    let site = building::site(way, &shelf).await?;
    let before = look_before(way, &site).await?;
    match red_before(way, &scope, &before, &site.hidden).await? {
        Red::No => {}
        Red::Mend => focus.push(mend_too(&before)),
        Red::Rethink => {
            return Ok(HotEnd::Rethink(HotLeft::at_once(
                "tests failed before anything was changed",
            )));
        }
    }
    if before.fact.executed == 0 && focus.is_empty() {
        focus.push(hot_words::BRING_TESTS.to_owned());
    }
    let staff = Staff::choose_in(way, &scope).await?;
    money::preview_hot(way, &staff).await?;
    let mut small = Small {
        way,
        site,
        shelf,
        found: Discovered::for_a_change(Idea::of(way.brief), staff),
        before,
        commit: place.base.clone(),
        focus,
        sprint: 0,
        changed: Vec::new(),
        times: 1,
        at,
    };
    small.go().await
}

impl HotLeft {
    fn at_once(why: &str) -> Self {
        Self {
            commit: None,
            gates: 0,
            sprints: 0,
            idea: None,
            why: why.to_owned(),
        }
    }
}

impl Small<'_> {
    /// Sprints until the gate passes, each after the first because a person wants it.
    async fn go(&mut self) -> Result<HotEnd, Leave> {
        let way = self.way;
        let (mut gates, mut at_gate) = (0, false);
        let mut sent_back = BTreeSet::new();
        loop {
            self.sprint += 1;
            let scope = way.run.scope("hot", self.sprint)?;
            if at_gate {
                self.at = way.enter_again(Stage::Building, gates + 1).await?;
                at_gate = false;
            }
            let spec = self.spec(&scope).await?;
            let why = match hot_sprint::work(self, &scope).await? {
                SprintEnd::Ready => {
                    money::note_share(way, Stage::Building).await?;
                    gates += 1;
                    at_gate = true;
                    match self.gate(&spec, gates).await? {
                        GateOutcome::Passed(judged) => return self.seal(&judged).await,
                        GateOutcome::Failed(failure) => {
                            let why = failed_gate(&failure);
                            // What the work itself can mend is mended once before a person is asked.
                            if is_menders(&failure.condition) && sent_back.insert(failure.condition)
                            {
                                self.focus = vec![why];
                                continue;
                            }
                            // Whoever just said what to change is not asked what now.
                            if let Some(words) = failure.words {
                                self.focus = vec![why, words];
                                continue;
                            }
                            why
                        }
                    }
                }
                SprintEnd::Again => continue,
                SprintEnd::NotDone(why) => why,
                SprintEnd::Rethink(why) => return Ok(self.rethink(gates, why)),
            };
            match ask_how_to_go_on(way, &scope, &why).await? {
                GoOn::Again(words) => {
                    self.focus = vec![why];
                    self.focus.extend(words);
                    self.found.staff.choose_again(way, &scope).await?;
                }
                GoOn::Rethink => return Ok(self.rethink(gates, why)),
            }
        }
    }

    fn rethink(&self, gates: u32, why: String) -> HotEnd {
        let moved = self.commit != self.way.place.base;
        HotEnd::Rethink(HotLeft {
            commit: moved.then(|| self.commit.clone()),
            gates,
            sprints: self.sprint,
            idea: (self.way.run.flow() >= CHECKED_SINCE).then(|| self.found.idea.clone()),
            why,
        })
    }

    /// What this sprint is held to, on record, with what was asked for until now.
    async fn spec(&mut self, scope: &Scope) -> Result<Spec, Leave> {
        let (way, idea) = (self.way, &self.found.idea);
        let ids = CriterionIds::of_flow(way.run.flow());
        let asked = if way.run.flow() >= ASKS_SINCE {
            asks::read_asks(way, scope, idea, &[]).await?
        } else {
            Vec::new()
        };
        let spec = spec_of((idea.text(), &asked), &self.before.fact, ids);
        let criteria = u32::try_from(spec.criteria.len()).unwrap_or(u32::MAX);
        let written = |spec| SpecWritten { spec, criteria };
        keep_json(way.run, scope.key("spec")?, &spec, written).await?;
        let claims = hot_words::claims(&asked, &spec);
        // The one criterion holds the request word for word.
        let held = (&spec, None, ClaimCheck::Existence);
        self.found.asks = asks::record_accounts(way.run, scope, (asked, &claims), held).await?;
        Ok(spec)
    }

    async fn gate(&mut self, spec: &Spec, number: u32) -> Result<GateOutcome, Leave> {
        let scope = self.way.run.scope("said-later", number)?;
        asks::note_later(self.way, &scope, &mut self.found, Spoken::All).await?;
        let case = GateCase {
            route: Route::HotPath,
            spec,
            shelf: &self.shelf,
            // There are no phases, and nobody audits one: the gate says so.
            ends: &[],
            phases: 0,
            commit: &self.commit,
            // Nobody plans a small change: what it is judged by is the request.
            planned: None,
            number,
            // No test of its own name shows what a small change is held to.
            sprints_left: false,
        };
        gating::judge(self.way, &self.site, &mut self.found, case).await
    }

    async fn seal(&mut self, judged: &Judged) -> Result<HotEnd, Leave> {
        let way = self.way;
        let scope = way.run.scope("said-before-seal", 1)?;
        asks::note_later(way, &scope, &mut self.found, Spoken::Interjections).await?;
        let sealing = Sealing {
            found: &self.found,
            shelf: &self.shelf,
            judged,
            audited_by: None,
            route: Route::HotPath,
        };
        let sealed = sealing::seal(way, &self.site, sealing).await?;
        lessons::propose(way, lessons::Learned::default()).await?;
        sealing::finish(way.run, &sealed).await?;
        Ok(HotEnd::Sealed)
    }
}

/// True for a condition that whoever made the change can mend by themselves.
fn is_menders(condition: &str) -> bool {
    [
        "tests_unharmed",
        "base_tests",
        "fix_shown",
        "contracts_kept",
    ]
    .contains(&condition)
}

fn failed_gate(failure: &GateFailure) -> String {
    let mut lines = vec![format!(
        "The done gate did not pass: {}.",
        failure.condition
    )];
    lines.extend(failure.told.iter().chain(&failure.notes).cloned());
    lines.join("\n")
}

/// The contracts of the commit that the run begins with, as far as it has some: a small change is
/// held to them, and does not change them. One that cannot be read ends the run: a change that is
/// held to nothing would pass too easily.
async fn contracts_at_base(way: Way<'_>) -> Result<Shelf, Leave> {
    let (run, place) = (way.run, way.place);
    let mut shelf = Shelf::default();
    for kind in ContractKind::ALL {
        let path = format!("{CONTRACTS}/{}", kind.file_name());
        let file: RepoPath = path.parse().map_err(|error| unusable(run, &error))?;
        let found = place
            .repository
            .file_at(&place.base, &file, MOST_BYTES)
            .await;
        match read_contract(found.map_err(|error| unusable(run, &error))?) {
            Ok(Some(text)) => drop(shelf.insert(Contract { kind, text })),
            Ok(None) => {}
            Err(why) => {
                let told = format!(
                    "{path} {why}: no change can be held to that contract.\n\
                     Mend or remove the file, commit that, and start again.\n\
                     Or let the council plan it: --force-council."
                );
                return Err(halt(run, HaltReason::Stuck, &told).await);
            }
        }
    }
    Ok(shelf)
}

/// The text of a contract, if there is one, or why it cannot be read.
fn read_contract(found: FileAt) -> Result<Option<String>, &'static str> {
    match found {
        FileAt::File(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err("is not UTF-8 text"),
        },
        FileAt::TooLarge => Err("is larger than 1 MiB"),
        FileAt::NotAFile => Err("is not a file"),
        FileAt::Missing => Ok(None),
    }
}

/// Runs the tests of the commit that the run begins with.
async fn look_before(way: Way<'_>, site: &Site) -> Result<CommitVerified, Leave> {
    let judged = JudgedCommit {
        commit: &way.place.base,
        consent: RunnerConsent::NotGiven,
    };
    until_mended(way, "small-change-1/before", async |scope: Scope| {
        let verified = Box::pin(verify_commit(way.run, &scope, site, judged)).await?;
        Ok(match verified.could_not_run() {
            Some(why) => Tried::Stuck(format!("the tests could not be run: {why}")),
            None => Tried::Done(verified),
        })
    })
    .await
}

enum Red {
    No,
    Mend,
    Rethink,
}

/// Tests that fail before anything is changed: the gate would never pass, so a person decides.
async fn red_before(
    way: Way<'_>,
    scope: &Scope,
    before: &CommitVerified,
    hidden: &HiddenFiles,
) -> Result<Red, Leave> {
    if before.fact.verdict != VerifyVerdict::Failed {
        return Ok(Red::No);
    }
    let card = QuestionCard::with_options(
        "Tests fail here before anything is changed. What now?".to_owned(),
        Some(format!(
            "{}\n{}\nA branch is sealed only when every test passes.",
            named(before),
            unseen_credentials(hidden),
        )),
        &[
            ("mend", "mend them along with the change"),
            ("rethink", "let the council plan it"),
            ("stop", "stop here; nothing was changed"),
        ],
    );
    let question = Question {
        purpose: Purpose::Choice,
        card,
        shape: AnswerShape::Choice {
            options: ["mend", "rethink", "stop"].map(str::to_owned).to_vec(),
        },
        // Nobody asked for more than the change, so nobody but a person may widen it.
        recommended: None,
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = way.run.ask(scope.key("red-before")?, question).await?;
    Ok(match answer.value.value {
        AnswerValue::Option { id } if id == "mend" => Red::Mend,
        AnswerValue::Option { id } if id == "rethink" => Red::Rethink,
        AnswerValue::Option { .. }
        | AnswerValue::Decide
        | AnswerValue::Text { .. }
        | AnswerValue::Limit { .. } => {
            let told = format!(
                "tests failed before anything was changed\n{}",
                named(before)
            );
            return Err(halt(way.run, HaltReason::PhaseFailed, &told).await);
        }
    })
}

fn named(before: &CommitVerified) -> String {
    let fact = &before.fact;
    let mut lines = vec![format!(
        "{} of {} tests failed ({}).",
        fact.failed, fact.executed, fact.reason
    )];
    let names = before.tests.failed.iter();
    lines.extend(names.take(MOST_NAMED).map(|name| format!("- {name}")));
    lines.join("\n")
}

/// What the tests could not read, and how a person changes that.
fn unseen_credentials(hidden: &HiddenFiles) -> String {
    let names = hidden.from_tests().iter().take(MOST_NAMED);
    let names: Vec<&str> = names.map(RepoPath::as_str).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "Tests do not see credential files: {}. If they need one, say so in your own config.toml: \
         [sandbox] reveal = [\"{}\"]\n",
        names.join(", "),
        names.join("\", \"")
    )
}

fn mend_too(before: &CommitVerified) -> String {
    format!(
        "These tests failed before anything was changed, and a person wants them mended too:\n{}",
        named(before)
    )
}

enum GoOn {
    Again(Option<String>),
    Rethink,
}

/// The change is not done: a person says how to go on.
async fn ask_how_to_go_on(way: Way<'_>, scope: &Scope, why: &str) -> Result<GoOn, Leave> {
    let run = way.run;
    let card = QuestionCard::with_options(
        "The change is not done. What now?".to_owned(),
        Some(format!(
            "{why}\n\nWords of your own are told to the next try."
        )),
        &[
            (
                "retry",
                "try once more, with the models that are configured now",
            ),
            ("rethink", "let the council plan it"),
            ("stop", "stop here; the branch stays as it is"),
        ],
    );
    let question = Question {
        purpose: Purpose::Choice,
        card,
        shape: AnswerShape::ChoiceOrText {
            options: ["retry", "rethink", "stop"].map(str::to_owned).to_vec(),
            max_bytes: MOST_WORDS,
        },
        recommended: None,
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("not-done")?, question).await?;
    Ok(match answer.value.value {
        AnswerValue::Text { text } => GoOn::Again(Some(run.text(text).await?)),
        AnswerValue::Option { id } if id == "retry" => GoOn::Again(None),
        AnswerValue::Option { id } if id == "rethink" => GoOn::Rethink,
        AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => {
            return Err(halt(run, HaltReason::PhaseFailed, why).await);
        }
    })
}
