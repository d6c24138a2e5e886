//! Sprints: each plans, builds, verifies and is judged; what it left open is told to the next one.
//! A phase is done when its tests passed, its audit passed and its criteria were shown.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gavel_build::{Crew, PhaseEnd, PhaseWork, Site, build_phase, commit_phase};
use gavel_contracts::phase_window;
use gavel_domain::{
    AuditVerdict, ContractKind, FeedbackRouted, Phase, Scope, SprintOpened, VerifyVerdict,
};
use gavel_rules::{
    AuditedBy, Breaker, Focus, HaltReason, MOST_SPRINTS, Trip, cost_projection, oscillation,
    repeated_action, route_feedback, stall, wall_clock,
};
use gavel_run::{Blobs, Pure, RunError};
use gavel_workspace::CommitId;

use crate::asks::CHECKED_SINCE;
use crate::breakers::{Choice, Tripped, trip};
use crate::building::{Plan, Progress};
use crate::discovery::Discovered;
use crate::judging::{JudgeAsked, Judgement, ToJudge, judge_criteria};
use crate::people_lately::{heed, said_lately};
use crate::reaching::reach_all;
use crate::sprint_cards::{PhaseWord, ask_for_more, ask_for_verdict};
use crate::sprint_feedback::{SentBack, brought_no_tests, open_lines, problem_of, why_not};
use crate::staffing::Staff;
use crate::trouble::{Problem, Tried, mended, persist, try_again, until_mended};
use crate::way::{Leave, Way, halt, keep, read_json, unusable};
use crate::{assumptions, recipes};

/// The condition that fails when only a person wants something else.
/// The first flow in which the judge is asked only where it can matter.
const JUDGED_IF_SINCE: u32 = 9;
const WISH: &str = "user_approval";
/// The condition that fails once for hollow tests.
const TESTS_BITE: &str = "tests_bite";
/// How many sprints a person allows at once.
const MORE: u32 = 4;

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

/// Whether a sprint begins.
enum Opened {
    /// It does, and this is all that it is told beside its phase.
    Focus(String),
    /// It leaves its phase.
    Leave(Delivered),
}

/// What became of one sprint.
enum SprintEnd {
    /// The phase is done.
    Done,
    /// It is not; the next sprint is told why.
    Again(SentBack),
    /// It came to nothing, for reasons that say nothing about the work: the next one is told the same.
    Repeat,
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
            // Whoever asked to ship wants the gate, not another sprint.
            if self.progress.sprint > 0 && heed(self.way, self.progress).await? {
                self.progress.pending = told;
                return Ok(Delivered::Gate);
            }
            of_phase += 1;
            self.progress.sprint += 1;
            let sprint = self.progress.sprint;
            let scope = self.way.run.scope("sprint", sprint)?;
            self.allow(&scope, phase, told.as_ref()).await?;
            if sprint == 1 {
                told = self.brings_tests(&scope).await?.or(told);
            }
            let focus = self.focus(&scope, phase, told.as_ref()).await?;
            let focus = match self.open(&scope, (phase, of_phase), focus).await? {
                Opened::Focus(focus) => focus,
                Opened::Leave(delivered) => return Ok(delivered),
            };
            match self
                .sprint(&scope, phase, (&focus, told.as_ref()), &mut scores)
                .await?
            {
                SprintEnd::Done => return Ok(Delivered::Done),
                SprintEnd::Leave(delivered) => return Ok(delivered),
                SprintEnd::Again(mut why) => {
                    // What a person wished for holds until the gate has judged again.
                    why.words = why.words.or_else(|| told.and_then(|told| told.words));
                    told = Some(why);
                }
                SprintEnd::Repeat => {}
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

    /// Opens the sprint, unless a breaker trips on what was used up so far; words that came with the
    /// answer are told to it.
    async fn open(
        &mut self,
        scope: &Scope,
        (phase, of_phase): (&Phase, u32),
        focus: String,
    ) -> Result<Opened, Leave> {
        let reached = reach_all(self.way, scope, &mut self.found.staff).await?;
        let mut people: Vec<String> = reached.into_iter().collect();
        let opened = self.opened(scope, (phase, of_phase), &focus).await?;
        if let Some(said) = opened.said {
            people.extend(read_json::<Vec<String>>(self.way.run, said).await?);
        }
        if let Some(before) = self.progress.spent.replace(opened.spent) {
            let cost = opened.spent.saturating_sub(before);
            self.progress.costs.push(cost);
        }
        for (room, tripped, told) in self.used_up(&opened) {
            match self.ask(scope, room, (&tripped, &told)).await? {
                Choice::Rethink => return Ok(Opened::Leave(Delivered::Rethink(told))),
                Choice::Retry(words) => people.extend(words),
                Choice::Raise | Choice::Skip | Choice::ChangeModel => {}
            }
            // Whoever goes on has seen the numbers; they are asked again by newer ones.
            if tripped.breaker == Breaker::WallClock {
                self.progress.times += 1;
            } else {
                self.progress.costs.clear();
            }
        }
        let said = Focus {
            people: &people,
            ..Focus::default()
        };
        Ok(Opened::Focus(format!("{focus}{}", said.text())))
    }

    /// The breakers that trip on time and money, by what the sprint recorded when it opened.
    fn used_up(&self, opened: &SprintOpened) -> Vec<(&'static str, Trip, String)> {
        let driven = Duration::from_millis(opened.driven_ms);
        let most = self.way.choices.max_driven * self.progress.times;
        let late = wall_clock(driven, most).map(|late| {
            let told = format!("Driven for {} minutes.", driven.as_secs() / 60);
            ("clock", late, told)
        });
        let costs = &self.progress.costs;
        let dear = opened
            .cap
            .and_then(|cap| cost_projection(costs, cap, opened.spent));
        let dear = dear.map(|dear| {
            let told = format!("{} of the cap is spent.", opened.spent);
            ("cost", dear, told)
        });
        late.into_iter().chain(dear).collect()
    }

    /// Source that nothing verifies is a question before anybody plans; the first sprint may be told
    /// to bring tests.
    async fn brings_tests(&self, scope: &Scope) -> Result<Option<SentBack>, Leave> {
        let blank = recipes::blank(self.way, scope, &self.progress.commit).await?;
        Ok(match blank {
            Some(Choice::Retry(words)) => Some(SentBack::bring_tests(words)),
            Some(Choice::Rethink | Choice::Raise | Choice::Skip | Choice::ChangeModel) | None => {
                None
            }
        })
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
                let said = said_lately(run).await?;
                let said = (!said.is_empty()).then(|| serde_json::to_string(&said));
                let said = said.transpose().map_err(|error| recipes::failed(&error))?;
                Ok(SprintOpened {
                    sprint,
                    phase: Some(phase),
                    of_phase,
                    spent: total.cost + total.interrupted_ceiling,
                    driven_ms: u64::try_from(run.driven().as_millis()).unwrap_or(u64::MAX),
                    cap: run.caps().run_usd,
                    said: said.map(|said| blobs.keep(said)),
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
        (focus, sent_back): (&str, Option<&SentBack>),
        scores: &mut Vec<u32>,
    ) -> Result<SprintEnd, Leave> {
        let way = self.way;
        let (end, commit) = match self.build(scope, phase, focus).await? {
            Ok(built) => built,
            // On record, so the same sprint would fail the same way: the next one may not.
            Err(problem) => {
                try_again(way, scope, &mut self.found.staff, problem).await?;
                return Ok(SprintEnd::Repeat);
            }
        };
        self.progress.commit = commit;
        self.progress.planned.extend(end.planned.iter().cloned());
        for (role, words) in &end.said {
            self.progress.roles.note(*role, self.progress.sprint, words);
        }
        if end.could_not_run() {
            let problem = problem_of(&end).join("\n");
            mended(way, &scope.scope("machine", 1)?, &problem).await?;
            return Ok(SprintEnd::Repeat);
        }
        let ledger = &mut self.found.ledger;
        assumptions::resolve_by_tests(way, scope, ledger, &end.tests).await?;
        let judgement = self.judge(phase, &end).await?;
        scores.push(judgement.score);
        self.progress.changed.push(end.changed);
        let why = why_not(&end, &judgement, way.choices.done_threshold);
        // A sprint that left everything as it was has not done what it was sent back for.
        // What is sent back once may stay as it is: then it is named.
        let must_change = |told: &&SentBack| told.condition != TESTS_BITE;
        let idle = sent_back.filter(must_change);
        let idle = idle.filter(|_| !end.changed).cloned();
        if let Some(why) = why.or(idle) {
            return self.not_done(scope, (phase, end), why, scores).await;
        }
        if way.brief.review_phases {
            match ask_for_verdict(way, scope, phase, &end).await? {
                PhaseWord::Good => {}
                PhaseWord::Change(words) => {
                    return Ok(SprintEnd::Again(SentBack {
                        condition: WISH.to_owned(),
                        words: Some(words),
                        ..SentBack::default()
                    }));
                }
            }
        }
        self.progress.ends.insert(phase.number, end);
        Ok(SprintEnd::Done)
    }

    /// The sprint's work, or why the engine gave it up.
    async fn build(
        &mut self,
        scope: &Scope,
        phase: &Phase,
        focus: &str,
    ) -> Result<Result<(PhaseEnd, CommitId), Problem>, Leave> {
        let (way, site) = (self.way, self.site);
        let run = way.run;
        let contract = self.plan.shelf.get(ContractKind::Phases);
        let text = contract.map_or("", |contract| contract.text.as_str());
        let window = phase_window(text, phase.number).map_err(|error| unusable(run, &error))?;
        let work = PhaseWork {
            phase,
            window: &window,
            sprint: self.progress.sprint,
            parent: &self.progress.commit,
            at: self.progress.at,
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
        let audited_by = if crew.coder.id == crew.auditor.id {
            AuditedBy::Author
        } else if crew.auditor.id.is_rules() {
            AuditedBy::Rules
        } else {
            AuditedBy::OtherModel
        };
        let end = match build_phase(run, scope, site, &crew, &work).await {
            Ok(end) => end,
            Err(RunError::Failed(error)) => return Ok(Err(Problem::from(&*error))),
            Err(error) => return Err(error.into()),
        };
        let name = format!("sprint-{}/commit", work.sprint);
        let commit = until_mended(way, &name, async |scope: Scope| {
            Ok(Tried::Done(commit_phase(run, &scope, site, &work).await?))
        })
        .await?;
        let worst = self
            .progress
            .audited_by
            .map_or(audited_by, |before| before.min(audited_by));
        self.progress.audited_by = Some(worst);
        Ok(Ok((end, commit)))
    }

    /// Judges the criteria; a judge that fails is trouble like any other.
    async fn judge(&mut self, phase: &Phase, end: &PhaseEnd) -> Result<Judgement, Leave> {
        let (way, spec, sprint) = (self.way, self.plan.spec, self.progress.sprint);
        let commit = self.progress.commit.clone();
        // A phase that an audit or a failure sends back goes back, whatever a judge says.
        let asked = if end.stuck.is_some() && way.run.flow() >= JUDGED_IF_SINCE {
            JudgeAsked::No
        } else {
            JudgeAsked::Yes
        };
        let name = format!("sprint-{sprint}/judging");
        let staff = &mut self.found.staff;
        persist(way, &name, staff, async |scope: Scope, staff: &Staff| {
            let work = ToJudge {
                sprint,
                criteria: &phase.criteria,
                spec,
                verify: &end.verify,
                tests: &end.tests,
                commands: &end.commands,
                commit: &commit,
                printed: &BTreeSet::new(),
                proven: &BTreeMap::new(),
                asked,
                judge: &staff.judge,
                coder: &staff.coder,
            };
            Ok(Tried::Done(judge_criteria(way, &scope, work).await?))
        })
        .await
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
            .or_else(|| brought_no_tests(&end))
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
        let not_proven = why.condition != WISH;
        let chosen = self.ask(scope, "sprint", (&tripped, &told)).await?;
        // What went before was seen by whoever said how to go on.
        scores.clear();
        self.progress.changed.clear();
        Ok(match chosen {
            Choice::Retry(words) => SprintEnd::Again(SentBack { words, ..why }),
            Choice::Raise | Choice::ChangeModel => SprintEnd::Again(why),
            Choice::Rethink => SprintEnd::Leave(Delivered::Rethink(told)),
            Choice::Skip => {
                // What the gate makes of criteria and wishes is another matter: a phase whose tests
                // and audit passed is built.
                let passed =
                    end.verify.verdict == VerifyVerdict::Passed && end.audit == AuditVerdict::Pass;
                let built = passed && self.way.run.flow() >= CHECKED_SINCE;
                let left = not_proven && !built;
                let stuck = left.then(|| "a person left it like this".to_owned());
                let stuck = end.stuck.or(stuck);
                self.progress
                    .ends
                    .insert(phase.number, PhaseEnd { stuck, ..end });
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
