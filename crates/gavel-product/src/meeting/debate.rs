//! A meeting of models: what is asked is made clear, debated, drawn together, and followed up as
//! long as somebody wants to.

use gavel_deliberation::{
    Clarified, ClarifyAsk, Convened, Council, Edition, Held, Matter, clarify, convene,
};
use gavel_domain::{ClarifiedMatter, MemoryNote, Scope};
use gavel_rules::score_intake;
use gavel_run::RunError;

use super::after::{self, Next};
use super::trouble::{Problem, try_again};
use super::{Ended, Room, lesson, recall, staff};
use crate::doubted::recall_doubted;
use crate::memory::NAMED_TO_SEATS;
use crate::way::Leave;

/// What is debated, and what is known about it beside the topic.
#[derive(Debug, Default)]
struct Agenda {
    /// What is asked.
    question: String,
    /// What it came to mean.
    clarified: Option<ClarifiedMatter>,
    /// What the debate before came to, for one that follows it up.
    earlier: Option<String>,
    /// What project memory says.
    notes: Vec<MemoryNote>,
}

impl Agenda {
    /// The debate that follows this one up: another question, and what is known besides it stays
    /// known. What a person settled holds until they say otherwise.
    fn followed_by(self, question: String, earlier: &str, notes: Vec<MemoryNote>) -> Self {
        let settled = self.clarified.map(|before| ClarifiedMatter {
            problem: question.clone(),
            criteria: vec![format!("The question is answered: {question}")],
            gaps: Vec::new(),
            ..before
        });
        let mut known = notes;
        for note in self.notes {
            if known.iter().all(|other| other.id != note.id) {
                known.push(note);
            }
        }
        Self {
            question,
            clarified: settled,
            earlier: Some(earlier.to_owned()),
            notes: known,
        }
    }
}

/// What one try came to.
enum Tried {
    Held(Box<Held>),
    Withdrawn,
    Stuck(String),
}

/// Debates until there is an outcome that nobody wants to follow up.
pub(super) async fn hold(
    room: Room<'_>,
    mut council: Council,
    notes: Vec<MemoryNote>,
) -> Result<Ended, Leave> {
    let Room { run, brief, .. } = room;
    council.gate &= !brief.force_rounds;
    let mut agenda = Agenda {
        question: brief.topic.clone(),
        notes,
        ..Agenda::default()
    };
    let (mut number, mut staffed) = (1, 1);
    loop {
        let scope = run.scope("council", number)?;
        let problem = match attempt(room, &scope, &council, &mut agenda).await {
            Ok(Tried::Held(held)) => {
                let debated = after::Debated {
                    number,
                    question: &agenda.question,
                    held: &held,
                };
                match after::follow(room, &council, debated).await? {
                    Next::Done => {
                        lesson::propose(room, debated).await?;
                        return Ok(ended(&held));
                    }
                    Next::Ask(question) => {
                        let recalled = recall(room, Some(number), (&question, NAMED_TO_SEATS));
                        let notes = recalled.await?.notes;
                        agenda = agenda.followed_by(question, &held.readable, notes);
                        number += 1;
                        continue;
                    }
                }
            }
            Ok(Tried::Withdrawn) => return Ok(Ended::Withdrawn),
            Ok(Tried::Stuck(problem)) => Problem::of_models(problem),
            Err(Leave::Run(RunError::Failed(error))) => Problem::from(&*error),
            Err(leave) => return Err(leave),
        };
        try_again(run, &scope, &problem).await?;
        number += 1;
        staffed += 1;
        if let Some(others) = staff::choose(run, staffed, room.means, room.context).await? {
            council = others;
            council.gate &= !brief.force_rounds;
        }
    }
}

/// Makes clear what is asked, the first time, and convenes the council.
async fn attempt(
    room: Room<'_>,
    scope: &Scope,
    council: &Council,
    agenda: &mut Agenda,
) -> Result<Tried, Leave> {
    let Room { run, brief, .. } = room;
    let first = agenda.clarified.is_none() && agenda.earlier.is_none();
    if first && !brief.as_it_is {
        let areas = score_intake(&agenda.question).gray_areas;
        let areas: Vec<String> = areas
            .iter()
            .map(|area| area.question().to_owned())
            .collect();
        let ask = ClarifyAsk {
            topic: &agenda.question,
            memory: &agenda.notes,
            gray_areas: &areas,
            attended: brief.attended,
            earlier: None,
        };
        match clarify(run, scope, council, &ask).await? {
            Clarified::Clear(matter) => agenda.clarified = Some(matter),
            Clarified::Withdrawn => return Ok(Tried::Withdrawn),
        }
    }
    let doubted = match council.edition > Edition::First {
        true => {
            let councils = &room.means.doubted_councils;
            recall_doubted(run, scope, &agenda.question, councils).await?
        }
        false => None,
    };
    let matter = Matter {
        topic: &agenda.question,
        doubted: doubted.as_deref(),
        clarified: agenda.clarified.as_ref(),
        answers: &[],
        memory: &agenda.notes,
        trouble: None,
        earlier: agenda.earlier.as_deref(),
        attended: brief.attended,
        product: false,
    };
    Ok(match convene(run, scope, council, &matter).await? {
        Convened::Held(held) => Tried::Held(held),
        Convened::Stuck { problem } => Tried::Stuck(problem),
    })
}

/// A debate without a planned decision is decided when it says what to do.
fn ended(held: &Held) -> Ended {
    let votes = &held.outcome.decisions;
    let decided = if votes.is_empty() {
        !held.outcome.recommendation.trim().is_empty() || held.outcome.resolved_question.is_some()
    } else {
        votes.iter().all(|vote| vote.option.is_some())
    };
    if decided { Ended::Decided } else { Ended::Open }
}
