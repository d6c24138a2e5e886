//! Sealing: what was proven, signed, in a commit of its own.

use std::collections::BTreeMap;

use gavel_build::{
    CommandRan, SealApproval, SealCommand, SealContract, SealCriterion, SealJournal, SealKeptTests,
    SealPredicate, SealProof, SealRefuted, SealReplies, SealSpend, SealStatement, SealWork, Signer,
    Site, commit_seal, push_branch,
};
use gavel_contracts::Shelf;
use gavel_domain::{
    Approver, AskAccount, AskStanding, CriterionJudged, CriterionStanding, Digest, EvidenceRank,
    SandboxLevel, Scope, Sealed, SourceUse, Stage,
};
use gavel_rules::{
    AuditedBy, Independence, Ledger, LeftOut, Omission, Route, RunnerStanding, SealFormat,
    SettledBy, evidence_text, seal_verdict, source_uses, unserved_line, was_executed,
};
use gavel_run::{Run, Spend, Usage};
use gavel_workspace::CommitId;

use crate::PRINTED_FLOW;
use crate::asks::CHECKED_SINCE;
use crate::building::{CONTRACTS, id};
use crate::discovery::Discovered;
use crate::gating::Judged;
use crate::proof::Proven;
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way};

/// From this flow on a seal counts what tests from before the run made of faults.
const UNMEASURED_SINCE: u32 = 9;
/// How many settings a seal names.
const MOST_NAMED: usize = 12;

/// A sealed branch.
#[derive(Debug)]
pub(crate) struct SealedBranch {
    branch: String,
    commit: CommitId,
    verdict: String,
}

/// What is sealed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sealing<'a> {
    pub(crate) found: &'a Discovered,
    pub(crate) shelf: &'a Shelf,
    pub(crate) judged: &'a Judged,
    /// Who audited, at worst; none when nobody did.
    pub(crate) audited_by: Option<AuditedBy>,
    pub(crate) route: Route,
}

/// Signs the seal, commits it, and pushes the branch where there is a remote.
pub(crate) async fn seal(
    way: Way<'_>,
    site: &Site,
    sealing: Sealing<'_>,
) -> Result<SealedBranch, Leave> {
    let Way {
        run, means, place, ..
    } = way;
    way.enter(Stage::Sealing).await?;
    let left_out = left_out(way, sealing);
    let judged = sealing.judged;
    // Who is chosen when this is tried again has no part in the work.
    let mut nobody = sealing.found.staff.clone();
    persist(way, "seal", &mut nobody, async |scope: Scope, _: &Staff| {
        let statement = statement(way, sealing, &left_out).await?;
        let work = SealWork {
            tree: &place.tree,
            branch: &place.branch,
            judged: &judged.commit,
            parent: &judged.commit,
            number: 1,
            statement: &statement,
            key: &means.seal_key,
            at: judged.at,
        };
        let made = commit_seal(run, &scope, work).await?;
        let commit = id(run, &made.commit)?;
        push_branch(run, scope.key("push")?, site.publication(), &commit).await?;
        Ok(Tried::Done(SealedBranch {
            branch: place.branch.to_string(),
            commit,
            verdict: made.signed.verdict,
        }))
    })
    .await
}

/// The run's last fact.
pub(crate) async fn finish(run: &Run, sealed: &SealedBranch) -> Result<(), Leave> {
    let fact = Sealed {
        branch: sealed.branch.clone(),
        commit: sealed.commit.to_string(),
        verdict: sealed.verdict.clone(),
    };
    run.decide(run.scope("seal", 1)?.key("sealed")?, fact)
        .await?;
    Ok(())
}

/// What the run did without, by what happened in it: models that took over later change nothing
/// about that.
fn left_out(way: Way<'_>, sealing: Sealing<'_>) -> LeftOut {
    let Sealing { found, judged, .. } = sealing;
    let mut left_out = LeftOut::default();
    match (sealing.route, found.debated.as_slice()) {
        (Route::HotPath, _) => left_out.note(Omission::SmallChange),
        (Route::Council, []) => left_out.note(Omission::Debate),
        (Route::Council, [first, others @ ..]) if others.iter().all(|seat| seat == first) => {
            left_out.note(Omission::SecondOpinion);
        }
        (Route::Council, _) => {}
    }
    if let Some(by) = unseen_approval(judged) {
        left_out.note(Omission::Approval(by));
    }
    let bare = |ran: &CommandRan| ran.level == SandboxLevel::None;
    let (by_people, unseen) = put_off(&found.ledger);
    let (weak, hollow) = weakly_shown(judged);
    let unmeasured = unmeasured(way, judged);
    let ran_by = |wanted| {
        let notes = &judged.verified.runner;
        notes.iter().any(|note| note.standing == wanted)
    };
    let open = asks_that(found, AskAccount::is_open);
    let claimed = asks_that(found, AskAccount::is_only_claimed);
    // Before it was kept who agreed, nobody can say that nobody did.
    let excluded = if way.run.flow() >= CHECKED_SINCE {
        asks_that(found, AskAccount::is_left_out_unseen)
    } else {
        0
    };
    for (omission, happened) in [
        (Omission::OpenAsks(open), open > 0),
        (Omission::ClaimedAsks(claimed), claimed > 0),
        (Omission::LeftOutAsks(excluded), excluded > 0),
        (
            Omission::IndependentAudit,
            sealing.audited_by == Some(AuditedBy::Author),
        ),
        (
            Omission::RulesAudit,
            sealing.audited_by == Some(AuditedBy::Rules),
        ),
        (Omission::Audit, sealing.audited_by.is_none()),
        (Omission::Memory, is_without_memory(way)),
        (Omission::Traps, found.traps > 0),
        (Omission::Sandbox, judged.verified.commands.iter().any(bare)),
        (
            Omission::Execution,
            judged.verdict.criteria.iter().any(only_read),
        ),
        (
            Omission::Customer,
            judged.independence == Some(Independence::SelfReview),
        ),
        (Omission::Assumptions, by_people > 0),
        (Omission::UnseenAssumptions(unseen), unseen > 0),
        (
            Omission::UnseenCouncil,
            found.doubt.as_ref().is_some_and(|doubt| !doubt.seen),
        ),
        (Omission::ChangedRunner, ran_by(RunnerStanding::BaseUsed)),
        (
            Omission::AgreedRunner,
            ran_by(RunnerStanding::AllowedByPerson),
        ),
        (Omission::OwnRunner, ran_by(RunnerStanding::Unchanged)),
        (Omission::WeakEvidence(weak), weak > 0),
        (Omission::HollowTests(hollow), hollow > 0),
        (Omission::UnmeasuredTests(unmeasured), unmeasured > 0),
    ]
    .into_iter()
    .chain(of_verification(way, judged))
    {
        if happened {
            left_out.note(omission);
        }
    }
    left_out
}

/// True when nothing of project memory was shown to models, by a flag or by the settings.
fn is_without_memory(way: Way<'_>) -> bool {
    let off = way.run.flow() >= CHECKED_SINCE && !way.choices.memory_inject;
    way.brief.without_memory || off
}

/// What the verification of what was judged did without.
fn of_verification(way: Way<'_>, judged: &Judged) -> [(Omission, bool); 5] {
    let unlisted = judged.verified.unlisted;
    [
        (
            Omission::WholeSuite,
            way.run.flow() >= PRINTED_FLOW && !judged.verified.whole.is_empty(),
        ),
        (Omission::UnlistedTests(unlisted), unlisted > 0),
        (Omission::UnseenFix, judged.is_unseen_fix()),
        (Omission::OpenNetwork, fetched_openly(judged)),
        (Omission::Coverage, judged.verified.fact.coverage.is_none()),
    ]
}

/// True when dependencies of what was judged came over the network of the machine.
fn fetched_openly(judged: &Judged) -> bool {
    let steps = &judged.verified.fact.install;
    steps.iter().any(|step| step.open)
}

/// Who agreed to ship without having looked.
fn unseen_approval(judged: &Judged) -> Option<Approver> {
    match judged.shipped.map(|shipped| shipped.by) {
        Some(Approver::Person) => None,
        Some(by @ (Approver::YesFlag | Approver::Clock | Approver::Policy)) => Some(by),
        // The record says that it was agreed, and no answer does.
        None => Some(Approver::YesFlag),
    }
}

/// How many asks are like this.
fn asks_that(found: &Discovered, is_so: fn(&AskAccount) -> bool) -> u32 {
    let number = found.asks.iter().filter(|one| is_so(one)).count();
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// What was asked for and is not answered for, in the person's own words.
fn asked_lines(found: &Discovered, flow: u32) -> Vec<String> {
    let is_told = |account: &&AskAccount| {
        let is_excluded = matches!(account.standing, AskStanding::Excluded { .. });
        !is_excluded || flow >= CHECKED_SINCE
    };
    let lines = found.asks.iter().filter(is_told);
    let lines = lines.filter_map(unserved_line);
    let most = if flow >= CHECKED_SINCE {
        usize::MAX
    } else {
        MOST_NAMED
    };
    lines.take(most).collect()
}

/// The settings that chose what ran the tests, by name.
fn runner_lines(judged: &Judged) -> Vec<String> {
    let notes = judged.verified.runner.iter().take(MOST_NAMED);
    notes
        .map(|note| format!("runner: {}", note.line()))
        .collect()
}

/// How many assumptions people put off, and how many nobody who may decide has looked at.
fn put_off(ledger: &Ledger) -> (u32, u32) {
    ledger
        .put_off()
        .fold((0, 0), |(by_people, unseen), (_, by)| match by {
            SettledBy::Person => (by_people + 1, unseen),
            SettledBy::Guest | SettledBy::Engine | SettledBy::Verify | SettledBy::Repository => {
                (by_people, unseen + 1)
            }
        })
}

/// How many criteria hold by less than a certified run needs, and how many of their tests are hollow.
fn weakly_shown(judged: &Judged) -> (u32, u32) {
    let Some(proven) = &judged.proven else {
        return (0, 0);
    };
    let criteria = judged.verdict.criteria.iter();
    let weak = criteria.filter(|one| match one.standing {
        CriterionStanding::Met | CriterionStanding::Partial => {
            !one.rank.is_some_and(EvidenceRank::certifies)
        }
        CriterionStanding::Unmet => false,
    });
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    (number(weak.count()), number(proven.hollow().len()))
}

/// True for what holds, at least in part, and was shown by nothing that ran.
fn only_read(judged: &CriterionJudged) -> bool {
    match judged.standing {
        CriterionStanding::Met | CriterionStanding::Partial => !was_executed(judged),
        CriterionStanding::Unmet => false,
    }
}

/// A criterion as the seal tells it.
pub(crate) fn criterion(statement: &str, judged: &CriterionJudged) -> SealCriterion {
    let texts: Vec<String> = judged.evidence.iter().map(evidence_text).collect();
    SealCriterion {
        id: judged.id.clone(),
        statement: statement.to_owned(),
        evidence: if texts.is_empty() {
            judged.note.clone()
        } else {
            texts.join(", ")
        },
        holds: judged.standing == CriterionStanding::Met,
        standing: Some(judged.standing),
        weight: judged.weight,
        proof: judged.evidence.clone(),
        rank: judged.rank,
        caught: judged.caught.clone(),
    }
}

/// What Gavel proved by itself, counted.
fn proof(way: Way<'_>, judged: &Judged, proven: &Proven) -> SealProof {
    let mut evidence_ranks = BTreeMap::new();
    for rank in judged.verdict.criteria.iter().filter_map(|one| one.rank) {
        *evidence_ranks.entry(rank).or_insert(0) += 1;
    }
    let faults = proven.faults().unwrap_or_default();
    SealProof {
        evidence_ranks,
        mutants: faults.tried,
        killed: faults.caught,
        hollow: proven.hollow(),
        kept_tests: kept_tests(way, proven),
        mutants_per_criterion: way.choices.proof_faults,
        seconds: way.choices.proof_time.as_secs(),
        released: proven.work.released.clone(),
        not_checked: proven.work.not_checked.clone(),
    }
}

/// Of how many tests from before the run nothing could be told.
fn unmeasured(way: Way<'_>, judged: &Judged) -> u32 {
    let proven = judged.proven.as_ref();
    let kept = proven.and_then(|proven| kept_tests(way, proven));
    kept.map_or(0, |kept| kept.not_measured)
}

/// What tests from before the run made of faults, from the flow on that keeps it in seals.
fn kept_tests(way: Way<'_>, proven: &Proven) -> Option<SealKeptTests> {
    let kept = proven.work.kept?;
    (way.run.flow() >= UNMEASURED_SINCE && kept.tried > 0).then_some(SealKeptTests {
        tried: kept.tried,
        biting: kept.biting,
        hollow_before: kept.hollow_before,
        not_measured: kept.not_measured,
    })
}

/// What the plan rested on and fell, and how the run went on without it.
fn refuted(found: &Discovered) -> Vec<SealRefuted> {
    let fallen = found.fallen.iter();
    fallen
        .map(|one| SealRefuted {
            claim: one.claim.clone(),
            settled: one.settled.as_ref().map(ToString::to_string),
        })
        .collect()
}

/// Who replied as what, and how often.
pub(crate) fn replies(usage: &Usage) -> Vec<SealReplies> {
    let counted = usage.replies.iter();
    counted
        .map(|(place, replies)| SealReplies {
            model: place.model.clone(),
            role: place.role.clone(),
            replies: *replies,
        })
        .collect()
}

/// Whether the rules, which have no tokens, are counted as if they had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleTokens {
    /// Seals from before the whole format.
    Counted,
    Left,
}

impl RuleTokens {
    pub(crate) const fn of(format: SealFormat) -> Self {
        if format.is_whole() {
            Self::Left
        } else {
            Self::Counted
        }
    }
}

/// What was spent; what sources cost nobody knows, so it makes the sum no smaller.
pub(crate) fn spend(total: &Spend, sources: Vec<SourceUse>, of_rules: RuleTokens) -> SealSpend {
    let source_calls = sources.iter().map(|one| one.calls).sum();
    let total = Spend {
        source_calls,
        ..*total
    };
    let (input_tokens, output_tokens) = match of_rules {
        RuleTokens::Counted => (total.tokens.input, total.tokens.output),
        RuleTokens::Left => (total.input_tokens(), total.output_tokens()),
    };
    SealSpend {
        usd: total.known(),
        sources,
        unconfirmed_usd: total.interrupted_ceiling,
        unpriced_calls: total.unpriced + total.interrupted_unpriced,
        unmetered_calls: total.unmetered,
        reported_calls: total.reported,
        calls: total.calls,
        input_tokens,
        output_tokens,
    }
}

/// The idea as it was typed, and what was worked from in the end, where that is something else.
fn idea(way: Way<'_>, found: &Discovered) -> (String, Option<String>) {
    let last = found.idea.text().to_owned();
    if way.run.flow() < CHECKED_SINCE {
        return (last, None);
    }
    let typed = way.brief.idea.clone();
    let became = (last != typed).then_some(last);
    (typed, became)
}

async fn statement(
    way: Way<'_>,
    sealing: Sealing<'_>,
    left_out: &LeftOut,
) -> Result<SealStatement, Leave> {
    let Way {
        run, means, place, ..
    } = way;
    let Sealing { shelf, judged, .. } = sealing;
    let (verdict, reasons) = seal_verdict(&judged.verdict, left_out);
    let (seq, head) = run.position();
    let usage = run.usage().await?;
    let records = run.records();
    let sources = source_uses(records.iter().map(AsRef::as_ref));
    let criteria = judged.criteria.iter().zip(&judged.verdict.criteria);
    let contracts: BTreeMap<_, _> = shelf
        .iter()
        .map(|contract| {
            let file = format!("{CONTRACTS}/{}", contract.kind.file_name());
            let blake3 = contract.digest();
            (contract.kind, SealContract { file, blake3 })
        })
        .collect();
    let commands = judged.verified.commands.iter().map(|ran| SealCommand {
        argv: ran.argv.clone(),
        exit: ran.exit,
        output_blake3: Digest::of(&ran.output),
        level: ran.level,
        millis: ran.millis,
    });
    let (idea, idea_became) = idea(way, sealing.found);
    // What an older flow does not record cannot be there.
    let named = (run.flow() >= CHECKED_SINCE).then_some(SealFormat::NOW);
    let format = SealFormat::of(named);
    let predicate = SealPredicate {
        format: named,
        build: run.id().short(),
        run: run.id(),
        gavel: env!("CARGO_PKG_VERSION").to_owned(),
        sealed_at: judged.at,
        branch: place.branch.to_string(),
        base_commit: place.base.to_string(),
        judged_commit: judged.commit.to_string(),
        verdict,
        score: judged.verdict.score,
        reasons,
        left_out: [
            asked_lines(sealing.found, run.flow()),
            left_out.lines(),
            runner_lines(judged),
        ]
        .concat(),
        asks: sealing.found.asks.clone(),
        refuted: refuted(sealing.found),
        conditions: judged.verdict.conditions.clone(),
        criteria: criteria
            .map(|(asked, shown)| criterion(&asked.statement, shown))
            .collect(),
        proof: judged
            .proven
            .as_ref()
            .map(|proven| proof(way, judged, proven)),
        contracts,
        journal: SealJournal { seq, head },
        commands: commands.collect(),
        idea,
        idea_became,
        approval: judged.shipped.map(|shipped| SealApproval {
            by: shipped.by,
            at: shipped.at,
            rule: shipped.rule,
        }),
        models: usage.models(),
        replies: replies(&usage),
        spend: spend(&usage.total, sources, RuleTokens::of(format)),
        follows: None,
        signer: Signer {
            public_key: means.seal_key.public(),
        },
    };
    Ok(SealStatement::new(&judged.tree, predicate))
}
