//! A debate: drafts at once and unseen, one round of replies, a synthesis.

use std::collections::BTreeSet;

use gavel_agent::{Ask, Asked};
use gavel_domain::{
    Assumption, CouncilPhase, DebatePart, Decision, Key, MemoryNote, Role, RoundEvaluated, Scope,
    StanceSpoke, Tokens,
};
use gavel_rules::{count_evidence, may_decide};
use gavel_run::{Pure, Run, RunError};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::assumed::Listed;
use crate::card::Card;
use crate::record::{json_text, record_decision};
use crate::seat::{Seat, Stance};
use crate::shapes::{Draft, Reply, Speech, Synthesis, check_draft, check_reply, check_synthesis};
use crate::task::{Task, list, note, shown_draft, shown_reply};
use crate::topic::Sources;
use crate::{Bench, Debated, Topic};

const SPEECH: Tokens = Tokens(4_000);
const SYNTHESIS: Tokens = Tokens(6_000);
/// A debate needs two who speak.
const QUORUM: usize = 2;

const DRAFT_WORDS: &str = "Draft your view of this plan: the idea, the answers of the discovery, and \
    what project memory says.";
const WARNINGS_WORDS: &str = "The memory items under `to_answer` are things that went wrong here \
    before. Say for each whether this plan meets it, with its id as evidence.";
const REPLY_WORDS: &str = "Answer the other drafts.";
const PERSON_WORDS: &str = "While the council sat, a person in charge said what stands under \
    `said_by_person`. Heed it as you heed that person's answers, and say in one sentence how.";
const OTHERS_WORDS: &str = "Somebody who is not in charge said what stands under `said_by_others`. \
    Weigh it like any other remark.";
const SYNTHESIS_WORDS: &str = "Draw the debate together.";

/// Holds a debate.
///
/// The facts stand in the scope: the parts (`drafts`, `round`, `synthesis`), what each seat said
/// (`draft-1`, `reply-1` …) with its evidence checked, the comparison (`round/evaluated`) and the
/// decisions (`decision-1` …). A seat whose model fails or gives nothing usable is silent; with
/// fewer than two that speak the debate is stuck.
pub async fn debate(
    run: &Run,
    scope: &Scope,
    council: &Bench,
    topic: &Topic<'_>,
) -> Result<Debated, RunError> {
    let seats = match council.seated() {
        Ok(seats) => seats,
        Err(problem) => return Ok(Debated::Stuck { problem }),
    };
    let mut chamber = Chamber {
        run,
        scope,
        council,
        topic,
        sources: topic.sources(),
        heard: Vec::new(),
        silent: Vec::new(),
    };
    let drafts = match chamber.drafts(seats).await? {
        Part::Held(drafts) => drafts,
        Part::Failed { problem } => return Ok(Debated::Stuck { problem }),
    };
    let replies = match chamber.round(&drafts).await? {
        Part::Held(replies) => replies,
        Part::Failed { problem } => return Ok(Debated::Stuck { problem }),
    };
    let disputed = chamber.compare(&replies).await?;
    let synthesis = match chamber.synthesis(&drafts, &replies).await? {
        Asked::Answered(synthesis) => synthesis,
        Asked::Unusable { problem } => {
            let problem = format!("the leader gave no synthesis: {problem}");
            return Ok(Debated::Stuck { problem });
        }
    };
    let mut decisions = Vec::with_capacity(synthesis.decisions.len());
    let assumptions = assumptions(&synthesis, &drafts);
    for (number, settled) in (1..).zip(synthesis.decisions) {
        let decision = Decision::from(settled);
        record_decision(run, scope, number, &decision).await?;
        decisions.push(decision);
    }
    let unanswered = chamber.unanswered(&drafts, &replies);
    let unanswered: Vec<&str> = unanswered.iter().map(|note| note.id.as_str()).collect();
    let card = Card {
        summary: &synthesis.summary,
        decisions: &decisions,
        assumptions: &assumptions,
        disputed,
        unanswered: &unanswered,
        silent: &chamber.silent,
    };
    Ok(Debated::Decided {
        summary: card.text(),
        decisions,
        assumptions,
    })
}

/// What the leader lists; what the seats named where it lists nothing, so that nothing is lost.
fn assumptions(synthesis: &Synthesis, drafts: &[Spoken<'_, Draft>]) -> Vec<Assumption> {
    if !synthesis.assumptions.is_empty() {
        return synthesis.assumptions.iter().map(Listed::entry).collect();
    }
    let of_seat = |spoken: &Spoken<'_, Draft>| {
        let name = spoken.seat.stance.name();
        let named = spoken.speech.assumptions.iter();
        named.map(|one| one.by(name)).collect::<Vec<_>>()
    };
    drafts.iter().flat_map(of_seat).collect()
}

/// What a part of a debate came to.
enum Part<T> {
    Held(Vec<T>),
    Failed { problem: String },
}

/// What a seat said.
struct Spoken<'a, T> {
    seat: Seat<'a>,
    speech: T,
}

/// What somebody said while the council sat.
struct Heard {
    /// True for a person who may decide.
    in_charge: bool,
    text: String,
}

/// What a seat is asked.
struct SeatAsk<'a, T> {
    /// `draft` or `reply`.
    name: &'static str,
    shape: &'static str,
    round: u32,
    prompt: &'static str,
    task: String,
    check: fn(&T) -> Result<(), String>,
    seat: Seat<'a>,
}

/// What is kept of a speech.
#[derive(Serialize)]
struct Kept<'a, T> {
    stance: &'static str,
    #[serde(flatten)]
    speech: &'a T,
}

/// Everything that the parts of a debate share.
struct Chamber<'a> {
    run: &'a Run,
    scope: &'a Scope,
    council: &'a Bench,
    topic: &'a Topic<'a>,
    sources: Sources<'a>,
    /// What was said so far, for every seat and the leader.
    heard: Vec<Heard>,
    /// The stances that said nothing usable, by name.
    silent: Vec<String>,
}

impl<'a> Chamber<'a> {
    async fn drafts(&mut self, seats: Vec<Seat<'a>>) -> Result<Part<Spoken<'a, Draft>>, RunError> {
        self.begin(DebatePart::Drafts, "drafts", &seats).await?;
        let asks = seats.into_iter().map(|seat| SeatAsk {
            name: "draft",
            shape: "council_draft",
            round: 0,
            prompt: include_str!("../prompts/draft.md"),
            task: self.draft_task(&seat),
            check: check_draft,
            seat,
        });
        self.speak(asks.collect()).await
    }

    async fn round(
        &mut self,
        drafts: &[Spoken<'a, Draft>],
    ) -> Result<Part<Spoken<'a, Reply>>, RunError> {
        let seats: Vec<Seat<'a>> = drafts.iter().map(|spoken| spoken.seat).collect();
        self.begin(DebatePart::Round, "round", &seats).await?;
        let asks = drafts.iter().map(|own| SeatAsk {
            name: "reply",
            shape: "council_reply",
            round: 1,
            prompt: include_str!("../prompts/reply.md"),
            task: self.reply_task(own, drafts),
            check: check_reply,
            seat: own.seat,
        });
        self.speak(asks.collect()).await
    }

    /// Compares the replies; returns how many points are in dispute.
    async fn compare(&self, replies: &[Spoken<'a, Reply>]) -> Result<u32, RunError> {
        let replies = || replies.iter().map(|spoken| &spoken.speech);
        let agreed = replies().flat_map(|reply| &reply.agree);
        let disputed = replies()
            .flat_map(|reply| &reply.dispute)
            .map(|dispute| &dispute.claim);
        let evaluated = RoundEvaluated {
            round: 1,
            agreed: distinct(agreed),
            disputed: distinct(disputed),
            text: None,
            met: Vec::new(),
            unresolved: 0,
            converged: 0,
            density: None,
            failed_pairs: 0,
            pairs: 0,
            extended: 0,
            stop: None,
        };
        let key = self.scope.key("round/evaluated")?;
        Ok(self.run.decide(key, evaluated).await?.value.disputed)
    }

    async fn synthesis(
        &mut self,
        drafts: &[Spoken<'a, Draft>],
        replies: &[Spoken<'a, Reply>],
    ) -> Result<Asked<Synthesis>, RunError> {
        let seats: Vec<Seat<'a>> = drafts.iter().map(|spoken| spoken.seat).collect();
        self.begin(DebatePart::Synthesis, "synthesis", &seats)
            .await?;
        let leader = &self.council.leader;
        let mut task = self.task(SYNTHESIS_WORDS, leader, SYNTHESIS);
        task.topic(self.topic, (10, 12, 18));
        let drafts_shown = drafts
            .iter()
            .map(|spoken| shown_draft(&spoken.seat, &spoken.speech, &self.sources));
        task.data("drafts", &list(drafts_shown), 30);
        let replies_shown = replies
            .iter()
            .map(|spoken| shown_reply(&spoken.seat, &spoken.speech, &self.sources));
        task.data("replies", &list(replies_shown), 22);
        let unanswered = self.unanswered(drafts, replies);
        if !unanswered.is_empty() {
            task.words(
                "No seat answered the memory items under `unanswered`. Decide what follows from them.",
            );
            task.data("unanswered", &list(unanswered.into_iter().map(note)), 8);
        }
        self.add_heard(&mut task);
        let ask = Ask {
            model: leader,
            role: Role::Leader,
            shape: "council_synthesis",
            system: include_str!("../prompts/synthesis.md"),
            task: &task.into_text(),
            max_output: SYNTHESIS,
        };
        let scope = self.scope.scope("synthesis", 1)?;
        let stances: Vec<&str> = seats.iter().map(|seat| seat.stance.name()).collect();
        let check = |synthesis: &Synthesis| check_synthesis(synthesis, &stances);
        let asked = ask.answer(self.run, &scope, (&self.council.context, check));
        or_silent(asked.await)
    }

    /// The debate moves on, and everybody hears what people said meanwhile.
    async fn begin(
        &mut self,
        part: DebatePart,
        name: &str,
        seats: &[Seat<'_>],
    ) -> Result<(), RunError> {
        let phase = CouncilPhase {
            part,
            round: 0,
            seats: seats.iter().map(Seat::model_name).collect(),
        };
        self.run.decide(self.scope.key(name)?, phase).await?;
        // Each seat hears for itself too, but what was said reaches only the first that listens.
        let key = self.scope.key(&format!("{name}/hear"))?;
        let heard = self.run.hear(key).await?;
        let heard = heard.into_iter().map(|(said, text)| Heard {
            in_charge: may_decide(said.by),
            text,
        });
        self.heard.extend(heard);
        Ok(())
    }

    /// Asks seats at once and keeps what they said.
    async fn speak<T>(&mut self, asks: Vec<SeatAsk<'a, T>>) -> Result<Part<Spoken<'a, T>>, RunError>
    where
        T: Speech + DeserializeOwned + JsonSchema,
    {
        let mut parts = Vec::with_capacity(asks.len());
        let mut seats = Vec::with_capacity(asks.len());
        for ask in asks {
            let key = self
                .scope
                .key(&format!("{}-{}", ask.name, ask.seat.number))?;
            seats.push(ask.seat);
            parts.push((key.clone(), self.ask_seat(key, ask)));
        }
        // There are at most four seats, so the order of keys is the order of seats.
        let asked = self.run.all(parts).await?;
        let mut spoken = Vec::new();
        let mut silent = Vec::new();
        for (seat, (_, asked)) in seats.into_iter().zip(asked) {
            match asked {
                Asked::Answered(speech) => spoken.push(Spoken { seat, speech }),
                Asked::Unusable { problem } => {
                    silent.push(format!("{} said nothing usable: {problem}", seat.model.id));
                    self.silent.push(seat.stance.name().to_owned());
                }
            }
        }
        if spoken.len() < QUORUM {
            let problem = silent.join("; ");
            return Ok(Part::Failed { problem });
        }
        Ok(Part::Held(spoken))
    }

    async fn ask_seat<T>(&self, key: Key, ask: SeatAsk<'a, T>) -> Result<Asked<T>, RunError>
    where
        T: Speech + DeserializeOwned + JsonSchema,
    {
        let question = Ask {
            model: ask.seat.model,
            role: Role::Stance,
            shape: ask.shape,
            system: &ask.seat.stance.into_prompt(ask.prompt),
            task: &ask.task,
            max_output: SPEECH,
        };
        let scope = self.scope.scope(ask.name, ask.seat.number)?;
        let asked = question.answer(self.run, &scope, (&self.council.context, ask.check));
        let asked = or_silent(asked.await)?;
        if let Asked::Answered(speech) = &asked {
            self.record(key, &ask, speech).await?;
        }
        Ok(asked)
    }

    async fn record<T: Speech>(
        &self,
        key: Key,
        ask: &SeatAsk<'_, T>,
        speech: &T,
    ) -> Result<(), RunError> {
        let kept = Kept {
            stance: ask.seat.stance.name(),
            speech,
        };
        let text = json_text::<StanceSpoke>(&key, &kept)?;
        let count = count_evidence(speech.tags(), &self.sources.known());
        let spoke = self.run.step(key, Pure, &text, |blobs| {
            let spoke = StanceSpoke {
                seat: ask.seat.number,
                model: ask.seat.model_name(),
                round: ask.round,
                text: blobs.keep(text.as_str()),
                evidence_held: count.held,
                evidence_broken: count.broken,
                stance: ask.seat.stance.name().to_owned(),
                answers: None,
                length: 0,
                tags: None,
                choices: Vec::new(),
                locked: false,
            };
            async move { Ok(spoke) }
        });
        spoke.await?;
        Ok(())
    }

    fn draft_task(&self, seat: &Seat<'_>) -> String {
        let mut task = self.task(DRAFT_WORDS, seat.model, SPEECH);
        task.topic(self.topic, (20, 20, 30));
        let warnings = list(self.topic.warnings().map(note));
        if seat.stance == Stance::Skeptic && self.topic.warnings().next().is_some() {
            task.words(WARNINGS_WORDS);
            task.data("to_answer", &warnings, 20);
        }
        self.add_heard(&mut task);
        task.into_text()
    }

    fn reply_task(&self, own: &Spoken<'_, Draft>, drafts: &[Spoken<'_, Draft>]) -> String {
        let mut task = self.task(REPLY_WORDS, own.seat.model, SPEECH);
        task.topic(self.topic, (10, 12, 18));
        let shown =
            |spoken: &Spoken<'_, Draft>| shown_draft(&spoken.seat, &spoken.speech, &self.sources);
        task.data("own_draft", &shown(own).to_string(), 15);
        let others = drafts
            .iter()
            .filter(|other| other.seat.number != own.seat.number);
        task.data("other_drafts", &list(others.map(shown)), 40);
        self.add_heard(&mut task);
        task.into_text()
    }

    /// Adds what people said meanwhile. It stays data: what to do with it is said by us.
    fn add_heard(&self, task: &mut Task<'_>) {
        for (in_charge, words, source) in [
            (true, PERSON_WORDS, "said_by_person"),
            (false, OTHERS_WORDS, "said_by_others"),
        ] {
            let texts = self
                .heard
                .iter()
                .filter(|heard| heard.in_charge == in_charge);
            let texts: Vec<&str> = texts.map(|heard| heard.text.as_str()).collect();
            if !texts.is_empty() {
                task.words(words);
                task.data(source, &texts.join("\n\n"), 5);
            }
        }
    }

    fn task(&self, words: &str, model: &gavel_models::ModelInfo, output: Tokens) -> Task<'a> {
        let max_input = self.run.settings().max_input;
        Task::new(words, model, (max_input, output), &self.council.context)
    }

    /// The warnings of memory that nobody took up.
    fn unanswered(
        &self,
        drafts: &[Spoken<'_, Draft>],
        replies: &[Spoken<'_, Reply>],
    ) -> Vec<&'a MemoryNote> {
        let drafts = drafts.iter().flat_map(|spoken| spoken.speech.tags());
        let replies = replies.iter().flat_map(|spoken| spoken.speech.tags());
        let cited: BTreeSet<&str> = drafts
            .chain(replies)
            .filter_map(|tag| tag.trim().strip_prefix("memory:"))
            .collect();
        let warnings = self.topic.warnings();
        warnings
            .filter(|note| !cited.contains(note.id.as_str()))
            .collect()
    }
}

/// A model that fails for good is a seat that says nothing; everything else goes up.
fn or_silent<T>(asked: Result<Asked<T>, RunError>) -> Result<Asked<T>, RunError> {
    match asked {
        Err(RunError::Failed(error)) => Ok(Asked::Unusable {
            problem: error.message,
        }),
        asked => asked,
    }
}

fn distinct<'t>(texts: impl Iterator<Item = &'t String>) -> u32 {
    let texts: BTreeSet<String> = texts.map(|text| text.trim().to_lowercase()).collect();
    u32::try_from(texts.len()).unwrap_or(u32::MAX)
}
