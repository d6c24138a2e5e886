//! Sprints: each plans, builds, verifies and is judged; what it left open is told to the next one.
//! A phase is done when its tests passed, its audit passed and its criteria were shown.

use std::time::Duration;

use gavel_build::{Crew, PhaseEnd, PhaseWork, Site, build_phase, commit_phase};
use gavel_contracts::phase_window;
use gavel_domain::{
    AuditVerdict, ContractKind, CriterionStanding, FeedbackRouted, Phase, Scope, ShipHeeded,
    SprintOpened, VerifyVerdict,
};
use gavel_rules::{
    Focus, HaltReason, MOST_SPRINTS, Trip, cost_projection, oscillation, repeated_action,
    route_feedback, stall, wall_clock,
};
use gavel_run::{Blobs, Pure, RunError};
use gavel_workspace::CommitId;

use crate::breakers::{Choice, Tripped, trip};
use crate::building::{Plan, Progress};
use crate::discovery::Discovered;
use crate::judging::{Judgement, ToJudge, judge_criteria};
use crate::reaching::reach_all;
use crate::sprint_cards::{PhaseWord, ask_for_more, ask_for_verdict};
use crate::trouble::{Tried, mended, try_again, until_mended};
use crate::way::{Leave, Way, halt, keep, unusable};
use crate::{assumptions, memory, recipes};

/// How many sprints a person allows at once.
const MORE: u32 = 4;
/// How many failures the next sprint is told.
const MOST_FAILURES: usize = 20;

/// The building under way.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    pub(crate) way: Way<'a>,
    pub(crate) site: &'a Site,
    pub(crate) plan: Plan<'a>,
    pub(crate) found: &'a mut Discovered,
    pub(crate) progress: &'a mut Progress,
}

/// How a phase was left.
#[derive(Debug)]
pub(crate) enum Delivered {
    /// It is done.
    Done,
    /// The gate is to judge what there is.
    Gate,
    /// The council is to think again.
    Rethink(String),
}

/// What a sprint learns from what went before.
#[derive(Debug, Clone, Default)]
pub(crate) struct SentBack {
    /// The condition that failed.
    pub(crate) condition: String,
    /// What failed, in words.
    pub(crate) told: Vec<String>,
    /// The ids of the criteria that are open.
    pub(crate) open: Vec<String>,
    /// What a person said.
    pub(crate) words: Option<String>,
}

/// What became of one sprint.
enum SprintEnd {
    /// The phase is done.
    Done,
    /// It is not; the next sprint is told why.
    Again(SentBack),
    /// It leaves its phase otherwise.
    Leave(Delivered),
}

impl Work<'_> {
    /// Gives a phase as many sprints as it needs and may have.
    pub(crate) async fn deliver(
        &mut self,
        phase: &Phase,
        sent_back: Option<SentBack>,
    ) -> Result<Delivered, Leave> {
        let mut told = sent_back;
        let mut scores = Vec::new();
        let mut of_phase = 0;
        loop {
            of_phase += 1;
            self.progress.sprint += 1;
            let sprint = self.progress.sprint;
            let scope = self.way.run.scope("sprint", sprint)?;
            self.allow(&scope, phase, told.as_ref()).await?;
            if sprint > 1 && self.ship_asked(&scope).await? {
                return Ok(Delivered::Gate);
            }
            let focus = self.focus(&scope, phase, told.as_ref()).await?;
            if let Some(delivered) = self.open(&scope, (phase, of_phase), &focus).await? {
                return Ok(delivered);
            }
            match self.sprint(&scope, phase, &focus, &mut scores).await? {
                SprintEnd::Done => return Ok(Delivered::Done),
                SprintEnd::Leave(delivered) => return Ok(delivered),
                SprintEnd::Again(why) => told = Some(why),
            }
        }
    }

    /// Sprints are counted over the whole run; more of them are a person's to give.
    async fn allow(
        &mut self,
        scope: &Scope,
        phase: &Phase,
        told: Option<&SentBack>,
    ) -> Result<(), Leave> {
        let progress = &mut *self.progress;
        if progress.sprint <= progress.allowed {
            return Ok(());
        }
        let left = MOST_SPRINTS.saturating_sub(progress.allowed).min(MORE);
        let open = open_lines(self.plan, phase, told);
        let used = progress.allowed;
        if left == 0 || !ask_for_more(self.way, scope, (used, left), &open).await? {
            let told = format!("{used} sprints were not enough. Open:\n{}", open.join("\n"));
            return Err(halt(self.way.run, HaltReason::MaxSprintsReached, &told).await);
        }
        progress.allowed += left;
        Ok(())
    }

    /// Whether somebody asked to ship before this sprint; on record, since later drives know more.
    async fn ship_asked(&mut self, scope: &Scope) -> Result<bool, RunError> {
        let run = self.way.run;
        let (requests, heeded) = (run.ship_requests(), self.progress.heeded);
        let asked = requests > heeded;
        let effect = |_: Blobs| async move { Ok(ShipHeeded { asked, requests }) };
        let key = scope.key("ship")?;
        let looked = run.step(key, Pure, &(), effect).await?.value;
        if looked.asked {
            self.progress.heeded = looked.requests.max(heeded + 1);
        }
        Ok(looked.asked)
    }

    /// What the sprint is told beside its phase.
    async fn focus(
        &self,
        scope: &Scope,
        phase: &Phase,
        told: Option<&SentBack>,
    ) -> Result<String, Leave> {
        let assumptions = self.found.ledger.lines();
        let Some(told) = told else {
            return Ok(Focus {
                assumptions: &assumptions,
                ..Focus::default()
            }
            .text());
        };
        let (to, feedback) = route_feedback(&told.condition);
        let people: Vec<String> = told.words.iter().cloned().collect();
        let open = open_lines(self.plan, phase, Some(told));
        let focus = Focus {
            feedback,
            people: &people,
            open_criteria: &open,
            failures: &told.told,
            assumptions: &assumptions,
        }
        .text();
        let sprint = self.progress.sprint;
        let condition = told.condition.as_str();
        let key = scope.key("feedback")?;
        keep(self.way.run, key, &(condition, &focus), &focus, |focus| {
            FeedbackRouted {
                sprint,
                condition: condition.to_owned(),
                to: to.word().to_owned(),
                focus,
            }
        })
        .await?;
        Ok(focus)
    }

    /// Opens the sprint, unless a breaker trips on what was used up so far.
    async fn open(
        &mut self,
        scope: &Scope,
        (phase, of_phase): (&Phase, u32),
        focus: &str,
    ) -> Result<Option<Delivered>, Leave> {
        reach_all(self.way, scope, &mut self.found.staff).await?;
        let opened = self.opened(scope, (phase, of_phase), focus).await?;
        if let Some(before) = self.progress.spent.replace(opened.spent) {
            let cost = opened.spent.saturating_sub(before);
            self.progress.costs.push(cost);
        }
        let driven = Duration::from_millis(opened.driven_ms);
        let most = self.way.choices.max_driven * self.progress.times;
        if let Some(late) = wall_clock(driven, most) {
            let told = format!("Driven for {} minutes.", driven.as_secs() / 60);
            match self.ask(scope, "clock", (&late, &told)).await? {
                Choice::Raise | Choice::Retry(_) | Choice::Skip | Choice::ChangeModel => {
                    self.progress.times += 1;
                }
                Choice::Rethink => return Ok(Some(Delivered::Rethink(told))),
            }
        }
        let cap = self.way.run.caps().run_usd;
        let costs = &self.progress.costs;
        let dear = cap.and_then(|cap| cost_projection(costs, cap, opened.spent));
        if let Some(dear) = dear {
            let told = format!("{} of the cap is spent.", opened.spent);
            match self.ask(scope, "cost", (&dear, &told)).await? {
                // Whoever goes on has seen the numbers; they are asked again by newer ones.
                Choice::Retry(_) | Choice::Raise | Choice::Skip | Choice::ChangeModel => {
                    self.progress.costs.clear();
                }
                Choice::Rethink => return Ok(Some(Delivered::Rethink(told))),
            }
        }
        if self.progress.sprint == 1 {
            recipes::blank(self.way, scope, &self.progress.commit).await?;
        }
        Ok(None)
    }

    async fn opened(
        &self,
        scope: &Scope,
        (phase, of_phase): (&Phase, u32),
        focus: &str,
    ) -> Result<SprintOpened, RunError> {
        let (run, sprint, phase) = (self.way.run, self.progress.sprint, phase.number);
        let effect = |blobs: Blobs| {
            let focus = (!focus.is_empty()).then(|| blobs.keep(focus));
            async move {
                let usage = run.usage().await;
                let total = usage.map_err(|error| recipes::failed(&error))?.total;
                Ok(SprintOpened {
                    sprint,
                    phase: Some(phase),
                    of_phase,
                    spent: total.cost + total.interrupted_ceiling,
                    driven_ms: u64::try_from(run.driven().as_millis()).unwrap_or(u64::MAX),
                    focus,
                })
            }
        };
        let key = scope.key("opened")?;
        let opened = run.step(key, Pure, &(sprint, phase), effect).await?;
        Ok(opened.value)
    }

    /// Builds, commits, judges.
    async fn sprint(
        &mut self,
        scope: &Scope,
        phase: &Phase,
        focus: &str,
        scores: &mut Vec<u32>,
    ) -> Result<SprintEnd, Leave> {
        let way = self.way;
        let (end, commit) = match self.build(scope, phase, focus).await? {
            Ok(built) => built,
            // On record, so the same sprint would fail the same way: the next one may not.
            Err(problem) => {
                try_again(way, scope, &mut self.found.staff, &problem).await?;
                return Ok(SprintEnd::Again(SentBack::default()));
            }
        };
        self.progress.commit = commit;
        for (role, words) in &end.said {
            self.progress.roles.note(*role, self.progress.sprint, words);
        }
        if end.could_not_run() {
            let problem = problem_of(&end).join("\n");
            mended(way, &scope.scope("machine", 1)?, &problem).await?;
            return Ok(SprintEnd::Again(SentBack::default()));
        }
        let ledger = &mut self.found.ledger;
        assumptions::resolve_by_tests(way, scope, ledger, &end.tests).await?;
        let judgement = self.judge(scope, phase, &end).await?;
        scores.push(judgement.score);
        self.progress.changed.push(end.changed);
        let why = why_not(&end, &judgement, way.choices.done_threshold);
        if let Some(why) = why {
            return self.not_done(scope, (phase, end), why, scores).await;
        }
        if way.brief.review_phases {
            match ask_for_verdict(way, scope, phase, &end).await? {
                PhaseWord::Good => {}
                PhaseWord::Change(words) => {
                    return Ok(SprintEnd::Again(SentBack {
                        condition: "user_approval".to_owned(),
                        words: Some(words),
                        ..SentBack::default()
                    }));
                }
            }
        }
        self.progress.ends.push(end);
        Ok(SprintEnd::Done)
    }

    /// The sprint's work, or why the engine gave it up.
    async fn build(
        &mut self,
        scope: &Scope,
        phase: &Phase,
        focus: &str,
    ) -> Result<Result<(PhaseEnd, CommitId), String>, Leave> {
        let (way, site) = (self.way, self.site);
        let run = way.run;
        let query = format!("{} {}", phase.name, phase.objective);
        let notes = memory::recall(way, scope, &query).await?;
        let contract = self.plan.shelf.get(ContractKind::Phases);
        let text = contract.map_or("", |contract| contract.text.as_str());
        let window = phase_window(text, phase.number).map_err(|error| unusable(run, &error))?;
        let work = PhaseWork {
            phase,
            window: &window,
            sprint: self.progress.sprint,
            parent: &self.progress.commit,
            at: self.progress.at,
            memory: &notes,
            is_last: self.plan.phases.last().map(|last| last.number) == Some(phase.number),
            focus,
            heeded: self.progress.heeded,
            roles: &self.progress.roles,
        };
        let staff = &self.found.staff;
        let crew = Crew {
            coder: staff.coder.clone(),
            auditor: staff.auditor.clone(),
        };
        let itself = crew.coder.id == crew.auditor.id;
        let end = match build_phase(run, scope, site, &crew, &work).await {
            Ok(end) => end,
            Err(RunError::Failed(error)) => return Ok(Err(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        let name = format!("sprint-{}/commit", work.sprint);
        let commit = until_mended(way, &name, async |scope: Scope| {
            Ok(Tried::Done(commit_phase(run, &scope, site, &work).await?))
        })
        .await?;
        self.progress.audited_itself |= itself;
        Ok(Ok((end, commit)))
    }

    async fn judge(
        &self,
        scope: &Scope,
        phase: &Phase,
        end: &PhaseEnd,
    ) -> Result<Judgement, Leave> {
        let work = ToJudge {
            sprint: self.progress.sprint,
            criteria: &phase.criteria,
            spec: self.plan.spec,
            verify: &end.verify,
            tests: &end.tests,
            commands: &end.commands,
            commit: &self.progress.commit,
            judge: &self.found.staff.judge,
        };
        judge_criteria(self.way, scope, work).await
    }

    /// The phase is not done: a breaker may trip, else the next sprint is told why.
    async fn not_done(
        &mut self,
        scope: &Scope,
        (phase, end): (&Phase, PhaseEnd),
        why: SentBack,
        scores: &mut Vec<u32>,
    ) -> Result<SprintEnd, Leave> {
        let circles = end.circles.map(repeated_action);
        let tripped = circles
            .or_else(|| stall(&self.progress.changed))
            .or_else(|| oscillation(scores));
        let Some(tripped) = tripped else {
            return Ok(SprintEnd::Again(why));
        };
        let told = format!(
            "Phase {} ({}) is not done.\n{}",
            phase.number,
            phase.name,
            why.told.join("\n")
        );
        let chosen = self.ask(scope, "sprint", (&tripped, &told)).await?;
        // What went before was seen by whoever said how to go on.
        scores.clear();
        self.progress.changed.clear();
        Ok(match chosen {
            Choice::Retry(words) => SprintEnd::Again(SentBack { words, ..why }),
            Choice::Raise | Choice::ChangeModel => SprintEnd::Again(why),
            Choice::Rethink => SprintEnd::Leave(Delivered::Rethink(told)),
            Choice::Skip => {
                self.progress.ends.push(end);
                SprintEnd::Leave(Delivered::Gate)
            }
        })
    }

    /// Asks how to go on after a breaker; other models are taken at once when they are wished for.
    async fn ask(
        &mut self,
        scope: &Scope,
        room: &str,
        (tripped, told): (&Trip, &str),
    ) -> Result<Choice, Leave> {
        let room = scope.scope(room, 1)?;
        let at = Tripped {
            scope: &room,
            sprint: Some(self.progress.sprint),
            role: None,
            told,
        };
        let chosen = trip(self.way, at, tripped).await?;
        if chosen == Choice::ChangeModel {
            self.found.staff.choose_again(self.way, &room).await?;
        }
        Ok(chosen)
    }
}

/// Why a phase is not done; `None` when it is.
fn why_not(end: &PhaseEnd, judgement: &Judgement, threshold: u32) -> Option<SentBack> {
    let short = judgement.score < threshold;
    if end.stuck.is_none() && !short {
        return None;
    }
    let condition = if end.verify.verdict != VerifyVerdict::Passed {
        "engineering_floor"
    } else if short {
        "weighted_score"
    } else if end.audit == AuditVerdict::Pass {
        "no_open_errors"
    } else {
        "audited"
    };
    let open = judgement
        .judged
        .iter()
        .filter(|one| one.standing != CriterionStanding::Met)
        .map(|one| one.id.clone())
        .collect();
    Some(SentBack {
        condition: condition.to_owned(),
        told: problem_of(end),
        open,
        words: None,
    })
}

fn problem_of(end: &PhaseEnd) -> Vec<String> {
    let verify = &end.verify;
    let mut lines = vec![format!(
        "{} of {} tests failed ({})",
        verify.failed, verify.executed, verify.reason
    )];
    lines.extend(end.stuck.clone());
    lines.extend(end.open_errors.iter().take(MOST_FAILURES).cloned());
    lines
}

/// The open criteria of a phase as people and models read them, the heaviest first.
fn open_lines(plan: Plan<'_>, phase: &Phase, told: Option<&SentBack>) -> Vec<String> {
    let everything = plan.phases.iter().flat_map(|phase| &phase.criteria);
    let mut open: Vec<(u32, String)> = match told {
        Some(told) if !told.open.is_empty() => everything
            .filter(|criterion| told.open.contains(&criterion.id))
            .map(|one| (plan.spec.weight(&one.id), line(one)))
            .collect(),
        Some(_) => Vec::new(),
        None => phase
            .criteria
            .iter()
            .map(|one| (plan.spec.weight(&one.id), line(one)))
            .collect(),
    };
    open.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    open.into_iter().map(|(_, line)| line).collect()
}

fn line(criterion: &gavel_domain::Criterion) -> String {
    format!("{}: {}", criterion.id, criterion.statement)
}
