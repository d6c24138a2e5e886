//! Where a run is, folded from its facts as they come: what stands at the foot of the terminal, and
//! the lines that finished stages leave.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{
    Badge, BuildFact, ContractKind, CouncilFact, Fact as _, Head, JudgingFact, Key, LoopFact,
    ModelReplied, MoneyFact, OutcomeFact, PlanFact, ProofFact, QuestionAnswered, Record, Resumed,
    Role, RunFact, RunId, RunState, SprintOpened, SprintPart, SprintStage, Stage, Timestamp,
    ToolFinished, VerifyFinished, WorkFact,
};
use gavel_rules::RunChoices;

use super::council::DebateNow;
use super::loops::LoopNow;
use super::proof::ProofNow;
use super::words::{breaker_told, score_told, share_told};

/// What a run has come to so far.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) head: Head,
    /// The stage and when it was entered.
    stage: Option<(Stage, Timestamp)>,
    /// How long nobody worked in it: questions were open, or the run lay still.
    idle_millis: i64,
    last_at: Timestamp,
    pub(crate) came: Came,
    pub(crate) sprint: Option<SprintStage>,
    /// The sprint under way, where the run says so.
    pub(crate) opened: Option<SprintOpened>,
    /// The most sprints of the run, by its own settings.
    pub(crate) max_sprints: u32,
    /// Calls under way, by reservation.
    calls: BTreeMap<String, (Role, String)>,
    /// Who was asked last: their work goes on while their tools run.
    last_asked: Option<(Role, String)>,
    /// Tool calls that a model made and that have not answered yet, by their keys.
    tools: Vec<(String, String)>,
    /// The debate under way.
    pub(crate) debate: DebateNow,
    /// The proof under way.
    pub(crate) proof: ProofNow,
    /// The loop, where the run is one.
    pub(crate) deliberation: LoopNow,
    /// How many characters of the replies under way have come, by the step that waits for each.
    heard: BTreeMap<Key, usize>,
}

/// What the facts of the stages add up to.
#[derive(Debug, Default)]
pub(crate) struct Came {
    pub(crate) route: Option<(String, String)>,
    pub(crate) answers_taken: Option<u32>,
    pub(crate) review: Option<(u32, u32)>,
    /// How much the last debate can be relied on.
    pub(crate) badge: Option<Badge>,
    /// How many options rules held against how many citations.
    pub(crate) options: Option<(u32, u32)>,
    pub(crate) decisions: u32,
    pub(crate) dissent: u32,
    pub(crate) criteria: u32,
    pub(crate) contracts: BTreeSet<ContractKind>,
    pub(crate) phase: Option<u32>,
    pub(crate) phases: BTreeSet<u32>,
    pub(crate) sprints: u32,
    pub(crate) commits: u32,
    pub(crate) verified: Option<VerifyFinished>,
    pub(crate) gate: Option<(bool, u32)>,
    pub(crate) seal: Option<String>,
    pub(crate) lessons: u32,
    pub(crate) halted: Option<String>,
}

/// A line that stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Left {
    /// A stage is through.
    Stage {
        stage: Stage,
        /// False when the run ended in it, and for a gate that did not pass.
        well: bool,
        millis: i64,
    },
    /// A sprint went to another part.
    Part(SprintStage),
    /// Something worth a line of its own; true when it is a warning.
    Told(String, bool),
}

impl Progress {
    /// A run that nothing is known of yet.
    pub(crate) fn new(run: RunId, at: Timestamp) -> Self {
        Self {
            head: Head::new(run, at),
            stage: None,
            idle_millis: 0,
            last_at: at,
            came: Came::default(),
            sprint: None,
            opened: None,
            max_sprints: 0,
            calls: BTreeMap::new(),
            last_asked: None,
            tools: Vec::new(),
            debate: DebateNow::default(),
            proof: ProofNow::default(),
            deliberation: LoopNow::default(),
            heard: BTreeMap::new(),
        }
    }

    /// The stage.
    pub(crate) fn stage(&self) -> Option<Stage> {
        self.stage.map(|(stage, _)| stage)
    }

    /// Who works right now: the roles and models of the calls under way, else who was asked last.
    pub(crate) fn at_work(&self) -> impl Iterator<Item = (Role, &str)> {
        let last = self.last_asked.iter().filter(|_| self.calls.is_empty());
        self.calls
            .values()
            .chain(last)
            .map(|(role, model)| (*role, model.as_str()))
    }

    /// The tool that works right now.
    pub(crate) fn tool(&self) -> Option<&str> {
        self.tools.first().map(|(_, what)| what.as_str())
    }

    /// Notes that so much more of a reply has come.
    pub(crate) fn hears(&mut self, key: Key, text: &str) {
        *self.heard.entry(key).or_default() += text.chars().count();
    }

    /// How many characters of the replies under way have come.
    pub(crate) fn characters(&self) -> usize {
        self.heard.values().sum()
    }

    /// Notes which tools a reply called, in words.
    pub(crate) fn called(&mut self, reply: &Key, tools: Vec<String>) {
        let numbered = tools.into_iter().enumerate();
        self.tools = numbered
            .map(|(place, what)| (format!("{reply}/tool-{}", place + 1), what))
            .collect();
    }

    /// Takes one more fact; a record that cannot be read changes nothing, since others judge it.
    pub(crate) fn take(&mut self, record: &Record) -> Vec<Left> {
        let mut left = Vec::new();
        let waited = !self.head.questions.is_empty() && self.calls.is_empty();
        if waited || record.kind == Resumed::KIND {
            self.idle_millis += millis_between(self.last_at, record.at);
        }
        self.last_at = record.at;
        if self.head.apply(record).is_err() {
            return left;
        }
        if let Ok(Some(fact)) = RunFact::read(record) {
            self.take_run(fact, record.at, &mut left);
        } else if let Ok(Some(fact)) = PlanFact::read(record) {
            self.take_plan(fact);
        } else if let Ok(Some(fact)) = CouncilFact::read(record) {
            self.take_council(&fact, &mut left);
        } else if let Ok(Some(fact)) = OutcomeFact::read(record) {
            self.take_outcome(&fact, &mut left);
        } else if let Ok(Some(fact)) = BuildFact::read(record) {
            self.take_build(fact, &mut left);
        } else if let Ok(Some(fact)) = WorkFact::read(record) {
            self.take_work(fact, record);
        } else if let Ok(Some(fact)) = MoneyFact::read(record) {
            self.take_money(fact, record, &mut left);
        } else if let Ok(Some(fact)) = JudgingFact::read(record) {
            left.extend(told_of(&fact));
        } else if let Ok(Some(fact)) = ProofFact::read(record) {
            left.extend(self.proof.take(&fact));
        } else if let Ok(Some(fact)) = LoopFact::read(record) {
            left.extend(self.deliberation.take(&fact));
        } else if record.kind == QuestionAnswered::KIND {
            self.tools.clear();
        }
        left
    }

    /// The last line, once nothing more comes.
    pub(crate) fn finish(&mut self, at: Timestamp) -> Option<Left> {
        let well = match self.head.state {
            RunState::Sealed | RunState::Closed => self.is_well(),
            RunState::Halted | RunState::Faulted | RunState::Aborted => false,
            RunState::Running | RunState::Waiting | RunState::Paused => return None,
        };
        self.leave(at, well)
    }

    /// False for a gate that did not pass: the run goes on, and that is no success.
    fn is_well(&self) -> bool {
        let gating = self.stage() == Some(Stage::Gating);
        !gating || self.came.gate.is_some_and(|(passed, _)| passed)
    }

    fn leave(&mut self, at: Timestamp, well: bool) -> Option<Left> {
        let (stage, since) = self.stage.take()?;
        self.tools.clear();
        let idle = std::mem::take(&mut self.idle_millis);
        Some(Left::Stage {
            stage,
            well,
            millis: (millis_between(since, at) - idle).max(0),
        })
    }

    fn take_run(&mut self, fact: RunFact, at: Timestamp, left: &mut Vec<Left>) {
        match fact {
            RunFact::StageEntered(entered) => {
                left.extend(self.leave(at, self.is_well()));
                if entered.stage == Stage::Gating {
                    // What an earlier gate said is not this one's word.
                    self.came.gate = None;
                }
                self.stage = Some((entered.stage, at));
                self.idle_millis = 0;
                self.sprint = None;
                self.opened = None;
                self.last_asked = None;
            }
            RunFact::Halted(halted) => self.came.halted = Some(halted.reason),
            // What was under way when a driver stopped is not under way any more.
            RunFact::Resumed(_) | RunFact::Paused(_) => self.tools.clear(),
            RunFact::RunStarted(started) => {
                self.max_sprints = RunChoices::of(&started.settings).max_sprints;
            }
            RunFact::Faulted(_)
            | RunFact::Aborted(_)
            | RunFact::Sealed(_)
            | RunFact::Closed(_)
            | RunFact::Said(_)
            | RunFact::Heard(_)
            | RunFact::ShipRequested(_)
            | RunFact::InboxRejected(_) => {}
        }
    }

    fn take_plan(&mut self, fact: PlanFact) {
        match fact {
            PlanFact::RouteDecided(route) => self.came.route = Some((route.route, route.size)),
            PlanFact::DiscoveryAnswered(answered) => {
                self.came.answers_taken = Some(answered.recommended);
            }
            PlanFact::SpecWritten(spec) => self.came.criteria = spec.criteria,
            PlanFact::ContractSubmitted(contract) => {
                self.came.contracts.insert(contract.kind);
            }
            PlanFact::ModelsChosen(_)
            | PlanFact::AsksRead(_)
            | PlanFact::AsksAccounted(_)
            | PlanFact::MemoryRecalled(_)
            | PlanFact::MemoryCited(_)
            | PlanFact::ContractsPinned(_)
            | PlanFact::IntakeClassified(_)
            | PlanFact::RepositoryRead(_)
            | PlanFact::RecommendersChosen(_)
            | PlanFact::EarlierRunsRecalled(_) => {}
        }
    }

    fn take_council(&mut self, fact: &CouncilFact, left: &mut Vec<Left>) {
        left.extend(self.debate.take(fact));
    }

    fn take_outcome(&mut self, fact: &OutcomeFact, left: &mut Vec<Left>) {
        left.extend(self.debate.take_outcome(fact));
        match fact {
            OutcomeFact::DecisionMade(made) => {
                self.came.decisions += 1;
                self.came.dissent += u32::from(made.dissent);
            }
            OutcomeFact::ReviewMade(review) => {
                self.came.review = Some((review.speaks_for, review.speaks_against));
            }
            OutcomeFact::DebateClosed(closed) => self.came.badge = closed.badge,
            OutcomeFact::OptionsReviewed(reviewed) => {
                self.came.options = Some((reviewed.options, reviewed.cites));
            }
            OutcomeFact::SynthesisMade(_) | OutcomeFact::CouncilJudged(_) => {}
        }
    }

    fn take_build(&mut self, fact: BuildFact, left: &mut Vec<Left>) {
        match fact {
            BuildFact::SprintPlanned(planned) => {
                self.came.phase = Some(planned.phase);
                self.came.phases.insert(planned.phase);
            }
            BuildFact::SprintStage(part) => {
                if part.part == SprintPart::Scout {
                    self.came.phase = None;
                }
                self.tools.clear();
                self.last_asked = None;
                left.push(Left::Part(part.clone()));
                self.sprint = Some(part);
            }
            BuildFact::GateJudged(judged) => {
                self.came.gate = Some((judged.passed, judged.score));
                let proof = std::mem::take(&mut self.proof);
                left.extend(proof.result(judged.faults));
            }
            BuildFact::SealSigned(signed) => self.came.seal = Some(signed.verdict),
            BuildFact::LessonProposed(_) => self.came.lessons += 1,
            BuildFact::SprintOpened(opened) => {
                self.came.sprints = self.came.sprints.max(opened.sprint);
                self.opened = Some(opened);
            }
            BuildFact::AuditFinished(_)
            | BuildFact::ErrorTracked(_)
            | BuildFact::ErrorResolved(_)
            | BuildFact::ShipHeeded(_)
            | BuildFact::BranchPushed(_)
            | BuildFact::PolicyApproved(_)
            | BuildFact::SealApproved(_) => {}
        }
    }

    fn take_work(&mut self, fact: WorkFact, record: &Record) {
        match fact {
            WorkFact::ToolFinished(ToolFinished { .. }) => {
                let key = record.key.key();
                self.tools.retain(|(tool, _)| *tool != key.as_str());
            }
            WorkFact::CommitMade(_) => self.came.commits += 1,
            WorkFact::VerifyFinished(verified) => self.came.verified = Some(verified),
            WorkFact::ModelReplied(ModelReplied { .. })
            | WorkFact::CommandFinished(_)
            | WorkFact::InstallDecided(_) => {}
        }
    }

    fn take_money(&mut self, fact: MoneyFact, record: &Record, left: &mut Vec<Left>) {
        match fact {
            MoneyFact::UsageReserved(usage) => {
                let call = (usage.role, usage.model);
                self.last_asked = Some(call.clone());
                self.calls.insert(record.key.as_str().to_owned(), call);
            }
            MoneyFact::UsageSettled(_) | MoneyFact::UsageReleased(_) | MoneyFact::UsageLost(_) => {
                self.heard.remove(&record.key.key());
                if let Some(number) = record.key.attempt() {
                    let reserved = record.key.key().attempt_part(number, "reserved");
                    self.calls.remove(reserved.as_str());
                }
            }
            MoneyFact::SpendThreshold(_)
            | MoneyFact::CeilingBroken(_)
            | MoneyFact::SpendAllowed(_)
            | MoneyFact::CapChanged(_)
            | MoneyFact::SourceDecided(_)
            | MoneyFact::CostPreviewed(_) => {}
            MoneyFact::ShareExceeded(share) => left.push(Left::Told(share_told(&share), true)),
        }
    }
}

/// What a judgement on the way says to whoever watches.
fn told_of(fact: &JudgingFact) -> Option<Left> {
    match fact {
        JudgingFact::BreakerTripped(tripped) => Some(Left::Told(breaker_told(tripped), true)),
        // The gate has its own line.
        JudgingFact::CriteriaJudged(judged) if judged.sprint > 0 => {
            Some(Left::Told(score_told(judged), false))
        }
        JudgingFact::CriteriaJudged(_)
        | JudgingFact::AssumptionRaised(_)
        | JudgingFact::AssumptionResolved(_)
        | JudgingFact::FeedbackRouted(_)
        | JudgingFact::OwnerReviewed(_) => None,
    }
}

fn millis_between(from: Timestamp, to: Timestamp) -> i64 {
    i64::try_from(to.duration_since(from).as_millis()).unwrap_or(i64::MAX)
}
