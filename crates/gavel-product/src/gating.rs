//! The done gate: the judged commit, checked out fresh, must show what was asked for; then those who
//! will use it are asked, and a person last.

use std::collections::{BTreeMap, BTreeSet};

use gavel_build::{CommitVerified, JudgedCommit, PhaseEnd, Site, verify_commit};
use gavel_contracts::Shelf;
use gavel_domain::{
    AuditVerdict, Criterion, CriterionStanding, Digest, FaultClass, GateJudged, Scope, Spec, Stage,
    Timestamp, ToolFinished,
};
use gavel_rules::{
    GateInputs, GateVerdict, Independence, Ledger, OwnerWord, Route, ShipWord, WorkChecks,
    judge_gate,
};
use gavel_run::{Blobs, Pure, StepFailure};
use gavel_workspace::{CommitId, FileAt, RepoPath, TestNames, TreeId};

use crate::building::CONTRACTS;
use crate::discovery::Discovered;
use crate::fallen::FallenCase;
use crate::judging::{JudgeAsked, Judgement, ToJudge, judge_criteria};
use crate::owner::{Reviewed, Shown, review};
use crate::proof::{Proven, ToProve, prove};
use crate::runner_consent;
use crate::shipping::{Approval, Shipped, ToApprove, approve, try_command};
use crate::staffing::Staff;
use crate::trouble::{Tried, persist, until_mended};
use crate::way::{Leave, Way, keep_json, read_json, unusable};
use crate::{PRINTED_FLOW, assumptions};

/// More than a contract may have.
const MOST_BYTES: usize = 1 << 20;

/// From this flow on hollow tests beside examples that hold are sent back once.
const HOLLOW_FLOW: u32 = 9;

/// From this flow on what a person refuted holds the gate until it is settled.
const HELD_FLOW: u32 = 8;

/// What comes before the gate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GateCase<'a> {
    pub(crate) route: Route,
    pub(crate) spec: &'a Spec,
    pub(crate) shelf: &'a Shelf,
    /// How each phase that was built ended.
    pub(crate) ends: &'a [PhaseEnd],
    /// How many phases there are.
    pub(crate) phases: u32,
    pub(crate) commit: &'a CommitId,
    /// Files that the plans named; none where nothing was planned.
    pub(crate) planned: Option<&'a BTreeSet<String>>,
    /// Counted from one: which visit of the gate this is.
    pub(crate) number: u32,
    /// Whether what is found can be sent back without asking for more sprints.
    pub(crate) sprints_left: bool,
}

/// What the gate came to.
#[derive(Debug)]
pub(crate) enum GateOutcome {
    /// It may be sealed.
    Passed(Box<Judged>),
    /// It may not, and this is what to act on.
    Failed(GateFailure),
}

/// Why a gate did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GateFailure {
    /// The first condition that does not hold.
    pub(crate) condition: String,
    /// Its reason code.
    pub(crate) reason: String,
    /// What stands against it, a sentence each.
    pub(crate) told: Vec<String>,
    /// What was said about criteria that are not met. A judge says the same in other words each time,
    /// so this is no part of what is compared between two refusals.
    pub(crate) notes: Vec<String>,
    /// The criteria that are not met.
    pub(crate) open: Vec<String>,
    /// What a person said about it.
    pub(crate) words: Option<String>,
}

/// What the gate saw.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) commit: CommitId,
    pub(crate) tree: TreeId,
    pub(crate) criteria: Vec<Criterion>,
    pub(crate) verified: CommitVerified,
    /// What Gavel proved by itself; none in runs from before there was a proof.
    pub(crate) proven: Option<Proven>,
    pub(crate) verdict: GateVerdict,
    /// How independent owner and customer were; none when they were not asked.
    pub(crate) independence: Option<Independence>,
    /// Who agreed to ship it; none where the record says so and the answer does not.
    pub(crate) shipped: Option<Shipped>,
    pub(crate) at: Timestamp,
}

impl Judged {
    /// True for a fix that no test was seen to fail without, since its runner names none.
    pub(crate) fn is_unseen_fix(&self) -> bool {
        let proven = self.proven.as_ref();
        proven.is_some_and(|proven| proven.work.is_unseen_fix())
    }
}

/// Verifies the commit and judges it by every condition, as far as those before hold.
pub(crate) async fn judge(
    way: Way<'_>,
    site: &Site,
    found: &mut Discovered,
    case: GateCase<'_>,
) -> Result<GateOutcome, Leave> {
    way.enter_again(Stage::Gating, case.number).await?;
    let known = found.gate.take(&case);
    let seen = known.as_ref().map(|known| known.seen.clone());
    let mut gate = Gate::open(way, (site, seen), (&found.staff, found.idea.text()), case).await?;
    if way.run.flow() >= HOLLOW_FLOW && case.sprints_left && !found.gate.sent_hollow {
        let proven = gate.seen.proven.as_ref();
        gate.hollow = proven
            .map(Proven::hollow_beside_examples)
            .unwrap_or_default();
    }
    let mut answers = Answers::of(known);
    gate.ask(found, &mut answers).await?;
    let verdict = gate.verdict(&answers);
    found.gate.sent_hollow |= !gate.hollow.is_empty();
    let commit = case.commit.to_string();
    let key = gate.scope.key("judged")?;
    let judged = keep_json(way.run, key, &verdict.criteria, |evidence| GateJudged {
        commit: commit.clone(),
        passed: verdict.passed,
        score: verdict.score,
        conditions: verdict.conditions.clone(),
        evidence,
        faults: gate.seen.proven.as_ref().and_then(Proven::faults),
    })
    .await?;
    let criteria = read_json(way.run, judged.value.evidence).await?;
    let verdict = verdict.on_record(&judged.value, criteria);
    if !verdict.passed {
        found.gate.keep(&gate, &answers);
        return Ok(GateOutcome::Failed(failure(&verdict, answers)));
    }
    Ok(GateOutcome::Passed(Box::new(Judged {
        commit: case.commit.clone(),
        tree: gate.tree,
        criteria: case.spec.criteria.clone(),
        verified: gate.seen.verified,
        proven: gate.seen.proven,
        verdict,
        shipped: answers.shipped(),
        independence: answers.reviewed.map(|reviewed| reviewed.independence),
        at: judged.at,
    })))
}

fn failure(verdict: &GateVerdict, answers: Answers) -> GateFailure {
    let (condition, reason) = verdict.failed().map_or_else(
        || (String::new(), String::new()),
        |failed| (failed.id.clone(), failed.reason.clone()),
    );
    let open = verdict.criteria.iter().filter(|one| match one.standing {
        CriterionStanding::Met => false,
        CriterionStanding::Partial | CriterionStanding::Unmet => true,
    });
    let open: Vec<_> = open.collect();
    let noted = open.iter().filter(|one| !one.note.is_empty());
    let words = match answers.approval {
        Some(Approval::NotYet(words)) => words,
        Some(Approval::Ship(_)) | None => None,
    };
    let mut told = verdict.reasons.clone();
    // Two refusals in different words are not the same refusal.
    told.extend(words.iter().map(|words| format!("they said: {words}")));
    GateFailure {
        condition,
        reason,
        told,
        notes: noted
            .map(|one| format!("{}: {}", one.id, one.note))
            .collect(),
        open: open.iter().map(|one| one.id.clone()).collect(),
        words,
    }
}

/// What is known of a commit that passed everything but a person's last word: whoever comes back
/// with the same commit is asked for that alone.
#[derive(Debug, Default)]
pub(crate) struct GateMemory {
    known: Option<Box<Known>>,
    /// Whether hollow tests were sent back; that happens once in a run.
    sent_hollow: bool,
}

#[derive(Debug)]
struct Known {
    commit: CommitId,
    criteria: Vec<Criterion>,
    seen: Seen,
    judgement: Judgement,
    reviewed: Option<Reviewed>,
}

impl GateMemory {
    /// What is known of the case, if it is the same as before.
    fn take(&mut self, case: &GateCase<'_>) -> Option<Known> {
        let known = self.known.take()?;
        let same = known.commit == *case.commit && known.criteria == case.spec.criteria;
        same.then_some(*known)
    }

    fn keep(&mut self, gate: &Gate<'_>, answers: &Answers) {
        let refused = matches!(answers.approval, Some(Approval::NotYet(_)));
        if let (true, Some(judgement)) = (refused, &answers.judgement) {
            self.known = Some(Box::new(Known {
                commit: gate.case.commit.clone(),
                criteria: gate.case.spec.criteria.clone(),
                seen: gate.seen.clone(),
                judgement: judgement.clone(),
                reviewed: answers.reviewed.clone(),
            }));
        }
    }
}

/// What was answered on the way through the conditions.
#[derive(Debug, Default)]
struct Answers {
    judgement: Option<Judgement>,
    /// Claims that the plan rests on and nobody has looked at.
    assumptions: Option<Vec<String>>,
    /// Those of them that a person refuted just now.
    fell: Vec<String>,
    reviewed: Option<Reviewed>,
    approval: Option<Approval>,
}

impl Answers {
    fn shipped(&self) -> Option<Shipped> {
        match self.approval {
            Some(Approval::Ship(shipped)) => Some(shipped),
            Some(Approval::NotYet(_)) | None => None,
        }
    }

    fn of(known: Option<Known>) -> Self {
        known.map_or_else(Self::default, |known| Self {
            judgement: Some(known.judgement),
            reviewed: known.reviewed,
            ..Self::default()
        })
    }
}

/// The tests of a verification by what their names can show.
#[derive(Debug, Clone, Default)]
pub(crate) struct NamedTests {
    /// Those whose names count.
    pub(crate) shown: TestNames,
    /// Names that only a runner printed which cannot run one test alone; none in runs that began before
    /// they counted for nothing.
    pub(crate) printed: BTreeSet<String>,
}

impl NamedTests {
    fn of(flow: u32, verified: &CommitVerified) -> Self {
        if flow < PRINTED_FLOW {
            return Self {
                shown: verified.tests.clone(),
                printed: BTreeSet::new(),
            };
        }
        Self {
            shown: verified.shown_tests(),
            printed: verified.printed.clone(),
        }
    }
}

/// What was run for a commit.
#[derive(Debug, Clone)]
struct Seen {
    verified: CommitVerified,
    named: NamedTests,
    proven: Option<Proven>,
}

struct Gate<'a> {
    way: Way<'a>,
    case: GateCase<'a>,
    scope: Scope,
    seen: Seen,
    tree: TreeId,
    audits: Vec<AuditVerdict>,
    /// Hollow tests beside examples that hold, to be sent back now; a sentence each.
    hollow: Vec<String>,
    contracts_pinned: bool,
    branch_is_default: bool,
}

impl<'a> Gate<'a> {
    async fn open(
        way: Way<'a>,
        (site, known): (&Site, Option<Seen>),
        (staff, request): (&Staff, &str),
        case: GateCase<'a>,
    ) -> Result<Self, Leave> {
        let (run, place) = (way.run, way.place);
        let scope = run.scope("gate", case.number)?;
        let seen = match known {
            Some(seen) => seen,
            None => {
                let verified = verify(way, site, &case).await?;
                let named = NamedTests::of(run.flow(), &verified);
                let work = ToProve {
                    case: &case,
                    verified: &verified,
                    named: &named,
                    staff,
                    request,
                };
                let proven = Box::pin(prove(way, site, work)).await?;
                Seen {
                    verified,
                    named,
                    proven,
                }
            }
        };
        let tree = place.tree.tree_of(case.commit).await;
        Ok(Self {
            way,
            case,
            seen,
            tree: tree.map_err(|error| unusable(run, &error))?,
            audits: case.ends.iter().map(|end| end.audit).collect(),
            contracts_pinned: contracts_are_pinned(way, &case).await?,
            branch_is_default: branch_is_default(way, case.number).await?,
            hollow: Vec::new(),
            scope,
        })
    }

    /// Asks whoever is to be asked, until a condition does not hold.
    async fn ask(&self, found: &mut Discovered, answers: &mut Answers) -> Result<(), Leave> {
        // Nobody is paid for what cannot pass anyhow.
        if self.is_over(answers) {
            return Ok(());
        }
        if answers.judgement.is_none() {
            answers.judgement = Some(self.judge_criteria(&mut found.staff).await?);
        }
        if self.is_over(answers) {
            return Ok(());
        }
        if self.case.route == Route::Council {
            self.settle_assumptions(found, answers).await?;
            if self.is_over(answers) {
                return Ok(());
            }
            if answers.reviewed.is_none() {
                answers.reviewed = self.review(&mut found.staff, answers).await?;
            }
            if self.is_over(answers) {
                return Ok(());
            }
        }
        let Some(judgement) = &answers.judgement else {
            return Ok(());
        };
        let case = ToApprove {
            judgement,
            verify: &self.seen.verified.fact,
            runner: &self.seen.verified.runner,
            proven: self.seen.proven.as_ref(),
            ledger: &found.ledger,
            reviewed: answers.reviewed.as_ref(),
            fallen: &found.fallen,
            try_it: try_command(self.case.spec, &self.seen.verified.commands),
            asks: &found.asks,
        };
        answers.approval = Some(approve(self.way, &self.scope, case).await?);
        Ok(())
    }

    fn is_over(&self, answers: &Answers) -> bool {
        self.verdict(answers).failed().is_some()
    }

    fn verdict(&self, answers: &Answers) -> GateVerdict {
        let case = &self.case;
        let open = case.ends.last().map(|end| end.open_errors.as_slice());
        let judgement = answers.judgement.as_ref();
        judge_gate(&GateInputs {
            route: case.route,
            verify: &self.seen.verified.fact,
            failed_tests: &self.seen.verified.tests.failed,
            judged_tree: self.tree.as_str(),
            phases_done: u32::try_from(case.ends.len()).unwrap_or(u32::MAX),
            phases_all: case.phases,
            open_errors: open.unwrap_or_default(),
            audits: &self.audits,
            contracts: u32::try_from(case.shelf.iter().count()).unwrap_or(u32::MAX),
            contracts_pinned_equal: self.contracts_pinned,
            branch_is_default: self.branch_is_default,
            threshold_thousandths: self.way.choices.done_threshold,
            judged: judgement.map(|judgement| judgement.judged.as_slice()),
            unproven: judgement.map_or(&[], |judgement| judgement.unproven.as_slice()),
            assumptions: answers.assumptions.as_deref(),
            fell: &answers.fell,
            owner: answers.reviewed.as_ref().map(|reviewed| OwnerWord {
                ship: reviewed.ship,
                objections: &reviewed.objections,
            }),
            approval: answers.approval.as_ref().map(|word| match word {
                Approval::Ship(shipped) => ShipWord::Agreed(shipped.by),
                Approval::NotYet(_) => ShipWord::Refused,
            }),
            work: self.seen.proven.as_ref().map(|proven| WorkChecks {
                hollow: &self.hollow,
                ..proven.work.checks()
            }),
        })
    }

    async fn judge_criteria(&self, staff: &mut Staff) -> Result<Judgement, Leave> {
        let (way, case, verified) = (self.way, &self.case, &self.seen.verified);
        let nothing = BTreeMap::new();
        let proven = self.seen.proven.as_ref();
        let proven = proven.map_or(&nothing, |proven| &proven.criteria);
        let name = format!("gate-{}/judging", case.number);
        persist(way, &name, staff, async |scope: Scope, staff: &Staff| {
            let work = ToJudge {
                sprint: 0,
                criteria: &case.spec.criteria,
                spec: case.spec,
                verify: &verified.fact,
                tests: &self.seen.named.shown,
                printed: &self.seen.named.printed,
                commands: &verified.commands,
                commit: case.commit,
                proven,
                asked: JudgeAsked::Yes,
                judge: &staff.judge,
                coder: &staff.coder,
            };
            judge_criteria(way, &scope, work).await.map(Tried::Done)
        })
        .await
    }

    async fn settle_assumptions(
        &self,
        found: &mut Discovered,
        answers: &mut Answers,
    ) -> Result<(), Leave> {
        let (way, scope) = (self.way, &self.scope);
        let ledger = &mut found.ledger;
        assumptions::resolve_by_tests(way, scope, ledger, &self.seen.named.shown).await?;
        if let Some(judgement) = &answers.judgement {
            let judged = judgement.judged.as_slice();
            assumptions::resolve_by_criteria(way, scope, ledger, judged).await?;
            let shown = (&self.seen.named.shown, judged);
            assumptions::reopen(way, scope, ledger, shown).await?;
        }
        let fallen = |ledger: &Ledger| -> Vec<String> {
            ledger.fell().map(|entry| entry.claim.clone()).collect()
        };
        let before = fallen(ledger);
        assumptions::ask_person(way, scope, ledger).await?;
        if way.run.flow() >= HELD_FLOW {
            let case = FallenCase {
                ledger,
                criteria: &self.case.spec.criteria,
                passed: &self.seen.named.shown.passed,
            };
            answers.fell = found.fallen.settle(way, scope, case).await?;
        } else {
            answers.fell = fallen(ledger);
            answers.fell.retain(|claim| !before.contains(claim));
        }
        let open = ledger.unresolved_critical();
        answers.assumptions = Some(open.map(|entry| entry.claim.clone()).collect());
        Ok(())
    }

    async fn review(
        &self,
        staff: &mut Staff,
        answers: &Answers,
    ) -> Result<Option<Reviewed>, Leave> {
        let Some(judgement) = &answers.judgement else {
            return Ok(None);
        };
        let shown = Shown {
            spec: self.case.spec,
            judged: &judgement.judged,
            verify: &self.seen.verified.fact,
        };
        let name = format!("gate-{}/owner", self.case.number);
        review(self.way, &name, staff, shown).await.map(Some)
    }
}

/// Verifies the commit. A machine that cannot run the tests says nothing about them, and may be
/// mended.
async fn verify(way: Way<'_>, site: &Site, case: &GateCase<'_>) -> Result<CommitVerified, Leave> {
    let consent = Box::pin(runner_consent::consent(way, site, case.commit)).await?;
    let name = format!("gate-{}/verify", case.number);
    until_mended(way, &name, async |scope: Scope| {
        let judged = JudgedCommit {
            commit: case.commit,
            consent,
        };
        let verified = Box::pin(verify_commit(way.run, &scope, site, judged)).await?;
        Ok(match verified.could_not_run() {
            Some(why) => Tried::Stuck(format!("the tests could not be run: {why}")),
            None => Tried::Done(verified),
        })
    })
    .await
}

/// True when the remote calls our branch its default. On record, since remotes change between
/// drives; which branch a person looks at meanwhile says nothing about it.
async fn branch_is_default(way: Way<'_>, gate: u32) -> Result<bool, Leave> {
    let Way { run, place, .. } = way;
    let look = |blobs: Blobs| async move {
        let said = place.repository.remote_default("origin").await;
        let said = said.map_err(|error| StepFailure::new(FaultClass::Failed, error))?;
        let said = said.unwrap_or_default();
        let name = said.strip_prefix("refs/remotes/origin/").unwrap_or(&said);
        Ok(ToolFinished {
            tool: "look_for_default_branch".to_owned(),
            ok: !name.eq_ignore_ascii_case(place.branch.as_str()),
            result: blobs.keep(name),
            level: None,
            source: None,
        })
    };
    let name = format!("gate-{gate}/branch");
    until_mended(way, &name, async |scope: Scope| {
        let input = place.branch.as_str();
        let looked = run.step(scope.key("look")?, Pure, &input, look).await?;
        Ok(Tried::Done(!looked.value.ok))
    })
    .await
}

/// The judged commit holds the contracts that were pinned.
async fn contracts_are_pinned(way: Way<'_>, case: &GateCase<'_>) -> Result<bool, Leave> {
    let Way { run, place, .. } = way;
    let (shelf, commit) = (case.shelf, case.commit);
    let look = |blobs: Blobs| async move {
        let failed = |problem: &dyn std::error::Error| StepFailure::of(FaultClass::Failed, problem);
        let mut changed = Vec::new();
        for contract in shelf.iter() {
            let path = format!("{CONTRACTS}/{}", contract.kind.file_name());
            let file: RepoPath = path.parse().map_err(|error| failed(&error))?;
            let found = place.repository.file_at(commit, &file, MOST_BYTES).await;
            match found.map_err(|error| failed(&error))? {
                FileAt::File(bytes) if Digest::of(&bytes) == contract.digest() => {}
                FileAt::File(_) | FileAt::TooLarge | FileAt::NotAFile | FileAt::Missing => {
                    changed.push(path);
                }
            }
        }
        Ok(ToolFinished {
            tool: "compare_contracts".to_owned(),
            ok: changed.is_empty(),
            result: blobs.keep(changed.join("\n")),
            level: None,
            source: None,
        })
    };
    let name = format!("gate-{}/contracts", case.number);
    until_mended(way, &name, async |scope: Scope| {
        let input = (shelf.digests(), commit.as_str());
        let looked = run.step(scope.key("look")?, Pure, &input, look).await?;
        Ok(Tried::Done(looked.value.ok))
    })
    .await
}

#[cfg(test)]
#[path = "gating_tests.rs"]
mod tests;
