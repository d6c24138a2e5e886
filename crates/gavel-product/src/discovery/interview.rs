//! The interview: what is recommended, what is settled, what a person said, and what stays open.

use std::collections::BTreeMap;

use gavel_domain::{AnswerSource, DiscoveryAnswer, DiscoveryAnswered, Scope};
use gavel_rules::{
    CardPlan, Depth, HaltReason, InterviewQuestion, QUESTIONS, RecommendedBy, SkipCase,
    is_required, plan_cards, question,
};

use super::recommend::{Material, Proposal};
use crate::way::{Leave, Way, halt, keep_json, read_json};

/// So many required questions without an answer are too many to go on.
const TOO_MANY_OPEN: usize = 2;
/// What stands in the place of an answer that nobody gave.
const OPEN: &str = "open: nobody said";

/// One interview, from recommendations to answers.
#[derive(Debug)]
pub(super) struct Interview<'a> {
    pub(super) way: Way<'a>,
    pub(super) scope: &'a Scope,
    pub(super) material: &'a Material<'a>,
    pub(super) depth: Depth,
    pub(super) proposals: Vec<Proposal>,
    pub(super) plan: CardPlan,
    pub(super) answers: Vec<DiscoveryAnswer>,
    /// How often each question was asked.
    pub(super) asked: BTreeMap<&'static str, u32>,
    /// What a person is told beside the answers.
    pub(super) notes: Vec<String>,
}

impl<'a> Interview<'a> {
    pub(super) fn new(
        way: Way<'a>,
        scope: &'a Scope,
        material: &'a Material<'a>,
        depth: Depth,
    ) -> Self {
        Self {
            way,
            scope,
            material,
            depth,
            proposals: QUESTIONS.iter().map(Proposal::open).collect(),
            plan: CardPlan::default(),
            answers: Vec::new(),
            asked: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    /// Takes over what is recommended; one for each question.
    pub(super) fn propose(&mut self, proposals: Vec<Proposal>) {
        for proposal in proposals {
            let known = self.proposals.iter_mut();
            let mut same = known.filter(|known| known.question.id == proposal.question.id);
            if let Some(known) = same.next() {
                *known = proposal;
            }
        }
        self.plan = self.planned();
    }

    /// What is settled and what is not, by what is known now: a person's word goes before a
    /// recommendation.
    fn planned(&self) -> CardPlan {
        let known = |proposal: &Proposal| {
            let said = self
                .answer(proposal.question.id)
                .filter(|one| one.by_person);
            said.map(|one| one.answer.clone())
                .or_else(|| proposal.answer.clone())
        };
        let known: Vec<(&'static str, String)> = self
            .proposals
            .iter()
            .filter_map(|one| Some((one.question.id, known(one)?)))
            .collect();
        let proposed: Vec<(&'static str, &str)> = known
            .iter()
            .map(|(id, answer)| (*id, answer.as_str()))
            .collect();
        plan_cards(&SkipCase {
            idea: self.material.idea,
            depth: self.depth,
            repository: self.material.repository,
            proposed: &proposed,
        })
    }

    /// A person said something: what they were not asked about may be settled now, or no longer.
    /// Returns the required questions that nothing settles any more.
    pub(super) fn refresh(&mut self) -> Vec<&'static str> {
        let before = std::mem::take(&mut self.plan);
        self.plan = self.planned();
        for question in &QUESTIONS {
            let said = self.answer(question.id).is_some_and(|one| one.by_person);
            if said || self.asked.contains_key(question.id) {
                continue;
            }
            let next = self.first_answer(question);
            let mut all = self.answers.iter_mut();
            if let Some(one) = all.find(|one| one.question == question.id) {
                *one = next;
            }
        }
        let platform = self.answer("target-platform").map_or("", |one| &one.answer);
        let opened = before.settled.iter().map(|one| one.question);
        opened
            .filter(|id| !self.is_settled(id) && !self.asked.contains_key(id))
            .filter(|id| question(id).is_some_and(|one| is_required(one, platform)))
            .collect()
    }

    pub(super) fn is_settled(&self, id: &str) -> bool {
        self.plan.settled.iter().any(|one| one.question == id)
    }

    /// The questions that a council may look at: nothing settles them, and they matter enough.
    pub(super) fn for_a_council(&self) -> Vec<&'static InterviewQuestion> {
        if self.depth == Depth::Trivial {
            return Vec::new();
        }
        let open = self.plan.ask.iter().chain(&self.plan.left);
        let open: Vec<&str> = open.copied().collect();
        QUESTIONS
            .iter()
            .filter(|one| one.by == RecommendedBy::Council && open.contains(&one.id))
            .collect()
    }

    /// Asks what is worth asking and records the answers.
    pub(super) async fn hold(mut self) -> Result<Vec<DiscoveryAnswer>, Leave> {
        self.answers = QUESTIONS.iter().map(|one| self.first_answer(one)).collect();
        if let Some(ids) = self.overview().await? {
            self.ask_each(&ids).await?;
            self.last_word().await?;
        }
        let open = self.open_required();
        if open.len() >= TOO_MANY_OPEN {
            let told = format!(
                "The work rests on these questions, and nobody answered them: {}. Start again with \
                 an idea that says so, or with the answers.",
                open.join(", ")
            );
            return Err(halt(self.way.run, HaltReason::InsufficientResolution, &told).await);
        }
        self.record().await
    }

    /// The required questions that have no answer.
    pub(super) fn open_required(&self) -> Vec<&'static str> {
        let platform = self.answer("target-platform").map_or("", |one| &one.answer);
        let open = self
            .answers
            .iter()
            .filter(|one| one.source == AnswerSource::Open);
        open.filter_map(|one| question(&one.question))
            .filter(|one| is_required(one, platform))
            .map(|one| one.id)
            .collect()
    }

    pub(super) fn answer(&self, id: &str) -> Option<&DiscoveryAnswer> {
        self.answers.iter().find(|one| one.question == id)
    }

    pub(super) fn proposal(&self, id: &str) -> Option<&Proposal> {
        self.proposals.iter().find(|one| one.question.id == id)
    }

    /// Replaces the answer to a question.
    pub(super) fn set(&mut self, id: &str, (answer, source): (&str, AnswerSource), why: &str) {
        let mut all = self.answers.iter_mut();
        if let Some(one) = all.find(|one| one.question == id) {
            answer.clone_into(&mut one.answer);
            why.clone_into(&mut one.why);
            one.source = source;
            one.by_person = source == AnswerSource::Person;
        }
    }

    /// A question was skipped: whatever was recommended is not taken.
    pub(super) fn leave_open(&mut self, id: &str) {
        self.set(id, (OPEN, AnswerSource::Open), "skipped");
    }

    /// What is known before a person says anything.
    fn first_answer(&self, asked: &'static InterviewQuestion) -> DiscoveryAnswer {
        let proposal = self.proposal(asked.id);
        let proposed = proposal.and_then(|one| one.answer.clone());
        let mut settled = self.plan.settled.iter();
        let (answer, source, why) = match settled.find(|one| one.question == asked.id) {
            Some(settled) => {
                let answer = settled.answer.clone().or(proposed);
                let stands_for = match settled.source {
                    AnswerSource::Repository => "as the repository has it",
                    AnswerSource::Idea => "as the idea says",
                    AnswerSource::NotNeeded
                    | AnswerSource::Recommended
                    | AnswerSource::Council
                    | AnswerSource::Person
                    | AnswerSource::Open => "not needed",
                };
                let answer = answer.unwrap_or_else(|| stands_for.to_owned());
                (answer, settled.source, settled.why.clone())
            }
            None => match (proposed, proposal) {
                (Some(answer), Some(proposal)) => (answer, proposal.source, proposal.why.clone()),
                _ => (
                    OPEN.to_owned(),
                    AnswerSource::Open,
                    "nobody could recommend an answer".to_owned(),
                ),
            },
        };
        DiscoveryAnswer {
            question: asked.id.to_owned(),
            answer,
            by_person: false,
            source,
            why,
        }
    }

    async fn record(&self) -> Result<Vec<DiscoveryAnswer>, Leave> {
        let run = self.way.run;
        let taken = self
            .answers
            .iter()
            .filter(|one| !matches!(one.source, AnswerSource::Person | AnswerSource::Open));
        let taken = u32::try_from(taken.count()).unwrap_or(u32::MAX);
        let key = self.scope.key("answers")?;
        let kept = keep_json(run, key, &self.answers, |answers| DiscoveryAnswered {
            answers,
            recommended: taken,
        })
        .await?;
        Ok(read_json(run, kept.value.answers).await?)
    }
}
