//! The fold: records in the order in which they were written, one group of facts after the other.
//!
//! What a fact belongs to (a stage, a sprint) follows from its body or from what stood before it,
//! never from how a driver spells its keys.

mod build;
mod council;
mod judging;
mod money;
mod people;
mod plan;
mod proven;

use std::collections::BTreeMap;

use gavel_domain::{
    ApprovalRule, BuildFact, ContractKind, CouncilFact, CriterionJudged, Digest, Head, JudgingFact,
    MoneyFact, OutcomeFact, PlanFact, ProductBrief, ProofFact, PushDecision, PushState,
    QuestionFact, Record, RunFact, RunId, RunState, Seq, Stage, StepFact, Timestamp, WorkFact,
};
use gavel_rules::{AskThread, Chain, ReplyClaim, RunChoices, SourceUses, audited_by};
use gavel_store::{CallsQuery, Store};

use crate::debate::Debate;
use crate::judged::{CriteriaTold, CriterionTold, OwnerTold};
use crate::people::Interjection;
use crate::plan::{ContractTold, Place};
use crate::proof::{Ended, Trouble};
use crate::proven::ProofView;
use crate::spend::SpendTold;
use crate::sprint::Verification;
use crate::text::{Text, Texts};
use crate::way::{Between, Way};
use crate::{Limits, Report, ReportError, ResumeTold, Resumes};

const PAGE: u32 = 1_000;

/// Reads all records of a run, verifies their chain, and folds them.
pub(crate) async fn read(store: &dyn Store, run: RunId) -> Result<Report, ReportError> {
    let unread = |source| ReportError::Unread {
        run,
        source: Box::new(source),
    };
    let stored = store.head(run).await.map_err(unread)?;
    let stored = stored.ok_or(ReportError::NoRun(run))?;
    let mut sources = SourceUses::default();
    let mut fold = Fold::new(store, run, stored.started_at);
    loop {
        let page = store.records(run, fold.head.seq, PAGE).await;
        let page = page.map_err(unread)?;
        if page.is_empty() {
            break;
        }
        for record in &page {
            fold.apply(record).await?;
            sources.take(record);
        }
    }
    // Records that came after the head was read belong to whoever drives.
    if fold.head.seq <= stored.seq {
        let end = fold.chain.end(stored.chain);
        end.map_err(|problem| ReportError::Damaged {
            run,
            problem: Box::new(problem),
        })?;
    }
    let query = CallsQuery {
        run: Some(run),
        month: None,
    };
    let usage = gavel_run::usage(store, query).await;
    let usage = usage.map_err(|source| ReportError::Ledger {
        run,
        source: Box::new(source),
    })?;
    let cap = fold.head.cap_usd;
    let mut spend = std::mem::take(&mut fold.report.spend);
    spend.sources = sources.into_uses();
    let replies = usage.replies.iter().map(|(place, number)| ReplyClaim {
        model: &place.model,
        role: &place.role,
        replies: *number,
    });
    fold.report.audited_by = audited_by(&replies.collect::<Vec<_>>());
    Ok(fold.end(spend.with(&usage, cap)))
}

struct Fold<'a> {
    texts: Texts<'a>,
    chain: Chain,
    head: Head,
    report: Report,
    /// The sprint that is under way.
    sprint: Option<u32>,
    /// A verification outside of sprints, until a gate judges by it.
    judged_by: Option<Verification>,
    proof: ProofView,
    /// The criteria as they were counted outside of sprints, until a gate judges by them.
    counted: Option<CriteriaTold>,
    /// What owner and customer said, until a gate judges by it.
    owner: Option<OwnerTold>,
    contracts: BTreeMap<ContractKind, BTreeMap<u32, ContractTold>>,
    pinned: BTreeMap<ContractKind, Digest>,
    /// The rule that shipped the result, until it is sealed.
    policy: Option<ApprovalRule>,
}

impl<'a> Fold<'a> {
    fn new(store: &'a dyn Store, run: RunId, at: Timestamp) -> Self {
        Self {
            texts: Texts::new(store),
            chain: Chain::new(run),
            head: Head::new(run, at),
            report: empty(run, at),
            sprint: None,
            policy: None,
            judged_by: None,
            proof: ProofView::default(),
            counted: None,
            owner: None,
            contracts: BTreeMap::new(),
            pinned: BTreeMap::new(),
        }
    }

    async fn apply(&mut self, record: &Record) -> Result<(), ReportError> {
        let run = record.run;
        self.chain
            .follow(record)
            .map_err(|problem| ReportError::Damaged {
                run,
                problem: Box::new(problem),
            })?;
        let newer = |source| ReportError::Newer {
            run,
            source: Box::new(source),
        };
        let before = (self.head.seq, self.head.state, self.head.updated_at);
        self.head.apply(record).map_err(newer)?;
        self.pass(before, record);
        if let Some(fact) = RunFact::read(record).map_err(newer)? {
            self.apply_run(fact, record).await?;
        } else if let Some(fact) = PlanFact::read(record).map_err(newer)? {
            self.apply_plan(fact, record).await?;
        } else if let Some(fact) = CouncilFact::read(record).map_err(newer)? {
            self.apply_council(fact, record).await?;
        } else if let Some(fact) = OutcomeFact::read(record).map_err(newer)? {
            self.apply_outcome(fact, record).await?;
        } else if let Some(fact) = BuildFact::read(record).map_err(newer)? {
            self.apply_build(fact, record).await?;
        } else if let Some(fact) = WorkFact::read(record).map_err(newer)? {
            self.apply_work(fact, record).await?;
        } else if let Some(fact) = JudgingFact::read(record).map_err(newer)? {
            self.apply_judging(fact, record).await?;
        } else if let Some(fact) = ProofFact::read(record).map_err(newer)? {
            self.apply_proof(fact, record).await?;
        } else if let Some(fact) = MoneyFact::read(record).map_err(newer)? {
            self.apply_money(fact, record).await?;
        } else if let Some(fact) = QuestionFact::read(record).map_err(newer)? {
            self.apply_question(fact, record).await?;
        } else if let Some(StepFact::GaveUp(gave_up)) = StepFact::read(record).map_err(newer)? {
            let detail = self.texts.maybe(record, gave_up.error.detail).await?;
            self.report.troubles.push(Trouble {
                key: record.key.to_string(),
                class: gave_up.error.class,
                attempts: gave_up.attempts,
                detail,
            });
        }
        Ok(())
    }

    /// Counts the time since the record before.
    fn pass(&mut self, (seq, state, at): (Seq, RunState, Timestamp), record: &Record) {
        if seq == Seq::ZERO {
            return;
        }
        let between = match state {
            _ if record.kind == "resumed" => Between::Rest,
            RunState::Waiting | RunState::Paused => Between::Wait,
            RunState::Running
            | RunState::Halted
            | RunState::Faulted
            | RunState::Aborted
            | RunState::Sealed
            | RunState::Closed => Between::Work,
        };
        self.report.way.pass(at, record.at, between);
    }

    async fn apply_run(&mut self, fact: RunFact, record: &Record) -> Result<(), ReportError> {
        let at = record.at;
        match fact {
            RunFact::RunStarted(started) => {
                self.report.driver = started.driver;
                self.report.gavel = started.gavel;
                self.report.limits = limits(&RunChoices::of(&started.settings));
                self.report.push = PushDecision::begun_with(&started.settings);
                if let Some(name) = started.brief {
                    let brief = self.texts.json::<ProductBrief>(record, name).await?;
                    self.report.place = brief.kept().map(Place::of);
                    self.report.idea = match brief {
                        Text::Kept(brief) => Some(Text::Kept(brief.idea)),
                        // What another driver was given is no idea.
                        Text::Odd(_) => None,
                        Text::Gone => Some(Text::Gone),
                    };
                }
            }
            RunFact::Resumed(resumed) => {
                self.report.resumed.times += 1;
                self.report.resumed.unclean += u32::from(resumed.unclean);
                self.report.resumes.push(ResumeTold {
                    at,
                    unclean: resumed.unclean,
                    stage: self.head.stage,
                    gavel: resumed.gavel,
                });
                self.report.ended = None;
            }
            RunFact::StageEntered(entered) => {
                if entered.stage != Stage::Building {
                    self.sprint = None;
                }
                self.report.way.enter(entered.stage, at);
            }
            RunFact::Halted(halted) => {
                let mut ended = ended(RunState::Halted, at);
                ended.reason = Some(halted.reason);
                ended.detail = self.texts.maybe(record, halted.detail).await?;
                self.report.ended = Some(ended);
            }
            RunFact::Faulted(faulted) => {
                let mut ended = ended(RunState::Faulted, at);
                ended.detail = Some(self.texts.text(record, faulted.detail).await?);
                self.report.ended = Some(ended);
            }
            RunFact::Aborted(aborted) => {
                let mut ended = ended(RunState::Aborted, at);
                ended.by = Some(aborted.by);
                ended.detail = self.texts.maybe(record, aborted.reason).await?;
                self.report.ended = Some(ended);
            }
            RunFact::Sealed(sealed) => {
                let seal = self.seal(at);
                seal.verdict = sealed.verdict;
                seal.branch = Some(sealed.branch);
                seal.commit = Some(sealed.commit);
                self.report.ended = None;
            }
            RunFact::Closed(_) => self.report.ended = None,
            RunFact::Said(said) => {
                let text = self.texts.text(record, said.text).await?;
                self.report.interjections.push(Interjection {
                    id: said.id,
                    by: said.by,
                    text,
                    at,
                    heard: None,
                });
            }
            RunFact::Heard(heard) => self.hear(&heard.said, record),
            RunFact::Paused(_) | RunFact::ShipRequested(_) | RunFact::InboxRejected(_) => {}
        }
        Ok(())
    }

    fn end(mut self, spend: SpendTold) -> Report {
        self.report.settle_errors();
        let (mut contracts, mut versions) = (Vec::new(), Vec::new());
        for (kind, of_kind) in self.contracts {
            let (held, others) = holding(of_kind, self.pinned.get(&kind));
            contracts.extend(held);
            versions.extend(others);
        }
        self.report.thread = thread(&self.report);
        let head = self.head;
        Report {
            state: head.state,
            stage: head.stage,
            started_at: head.started_at,
            updated_at: head.updated_at,
            records: head.seq.0,
            chain: head.chain,
            branch: head.branch,
            contracts,
            versions,
            texts_gone: self.texts.gone,
            spend,
            ..self.report
        }
    }
}

/// The version that the build is held to, else the newest; and all others.
fn holding(
    mut of_kind: BTreeMap<u32, ContractTold>,
    pinned: Option<&Digest>,
) -> (Option<ContractTold>, Vec<ContractTold>) {
    let held = of_kind.iter().rev();
    let held = held.filter(|(_, told)| Some(&told.digest) == pinned);
    let held = held.map(|(version, _)| *version).next();
    let version = held.or_else(|| of_kind.keys().next_back().copied());
    let chosen = version.and_then(|version| of_kind.remove(&version));
    let chosen = chosen.map(|told| ContractTold {
        pinned: held.is_some(),
        ..told
    });
    (chosen, of_kind.into_values().collect())
}

/// The thread of what was asked for, by the spec that was agreed to and the last gate.
fn thread(report: &Report) -> Option<AskThread> {
    let accounts = report.asks.as_ref()?.kept()?;
    let spec = report.spec.as_ref().and_then(Text::kept);
    let criteria = spec.map_or(&[][..], |spec| &spec.criteria);
    let judged = report.gate().map_or(&[][..], |gate| gate.criteria());
    let judged: Vec<CriterionJudged> = judged.iter().map(CriterionTold::judged).collect();
    Some(AskThread::of(accounts, criteria, &judged))
}

fn limits(choices: &RunChoices) -> Limits {
    let driven = choices.max_driven.as_millis();
    Limits {
        done_threshold: choices.done_threshold,
        max_sprints: choices.max_sprints,
        max_driven_ms: u64::try_from(driven).unwrap_or(u64::MAX),
    }
}

const fn ended(state: RunState, at: Timestamp) -> Ended {
    Ended {
        state,
        reason: None,
        detail: None,
        by: None,
        at,
    }
}

fn empty(run: RunId, at: Timestamp) -> Report {
    Report {
        run,
        driver: String::new(),
        gavel: String::new(),
        state: RunState::Running,
        stage: None,
        started_at: at,
        updated_at: at,
        records: 0,
        chain: Digest::ZERO,
        resumed: Resumes::default(),
        resumes: Vec::new(),
        limits: Limits::default(),
        idea: None,
        place: None,
        route: None,
        clarity: None,
        repository: None,
        earlier: None,
        models: None,
        memory: Vec::new(),
        memory_cited: Vec::new(),
        recommenders: Vec::new(),
        discovery: None,
        debate: Debate::default(),
        assumptions: Vec::new(),
        asks: None,
        thread: None,
        audited_by: None,
        spec: None,
        contracts: Vec::new(),
        versions: Vec::new(),
        sprints: Vec::new(),
        feedback: Vec::new(),
        breakers: Vec::new(),
        errors: Vec::new(),
        commits: Vec::new(),
        gates: Vec::new(),
        seal: None,
        branch: None,
        push: PushState::None,
        pushed: None,
        lessons: Vec::new(),
        questions: Vec::new(),
        interjections: Vec::new(),
        troubles: Vec::new(),
        way: Way::default(),
        spend: SpendTold::default(),
        ended: None,
        texts_gone: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(version: u32, text: &str) -> (u32, ContractTold) {
        let told = ContractTold {
            kind: ContractKind::Stack,
            version,
            digest: Digest::of(text),
            bytes: 1,
            model: "offline".to_owned(),
            pinned: false,
            text: Text::Kept(text.to_owned()),
        };
        (version, told)
    }

    /// After a rethink the build is held to the old version until the new one is pinned.
    #[test]
    fn the_pinned_version_holds_and_the_newest_before_anything_is() {
        let all = || BTreeMap::from([told(1, "old"), told(2, "new")]);
        for (pinned, version, holds) in [
            (None, 2, false),
            (Some("old"), 1, true),
            (Some("new"), 2, true),
            (Some("neither"), 2, false),
        ] {
            let pinned = pinned.map(Digest::of);
            let (held, others) = holding(all(), pinned.as_ref());
            let held = held.unwrap();
            assert_eq!((held.version, held.pinned), (version, holds), "{pinned:?}");
            assert_eq!(others.len(), 1);
            assert!(others.iter().all(|other| !other.pinned));
        }
    }
}
