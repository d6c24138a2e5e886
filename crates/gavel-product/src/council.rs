//! The council: a debate of different models, or a review by rules.

use gavel_deliberation::{Convened, Edition, Held, Matter, Topic, convene, review};
use gavel_domain::{Assumption, Decision, Scope, Stage, SynthesisOutcome};
use gavel_models::ModelId;

use crate::assumptions::raise;
use crate::discovery::Discovered;
use crate::doubted::recall_doubted;
use crate::memory::{NAMED_TO_SEATS, recall_for};
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way};

/// The flow whose councils are the first to be held by the second edition of the rules.
const SECOND_EDITION: u32 = 9;
/// The kind of memory that warns.
const TRAP: &str = "trap";

/// What a council's judge was not sure of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// Why a person should look.
    pub(crate) reason: String,
    /// True once a person who may decide was shown it and went on.
    pub(crate) seen: bool,
}

impl Doubt {
    /// As a card tells it.
    pub(crate) fn told(&self) -> String {
        format!("NEEDS HUMAN REVIEW: {}", self.reason.trim())
    }
}

/// A debate of different models, or a review by rules when there are no seats. Whoever thinks again
/// is told what went wrong.
pub(crate) async fn deliberate(
    way: Way<'_>,
    discovered: &mut Discovered,
    trouble: Option<&str>,
) -> Result<Vec<Decision>, Leave> {
    let Way { run, place, .. } = way;
    way.enter(Stage::Council).await?;
    let scope = run.scope("council", way.round)?;
    let named = (discovered.idea.text(), NAMED_TO_SEATS);
    let notes = recall_for(way, &scope, named).await?;
    discovered.traps = notes.iter().filter(|note| note.kind == TRAP).count();
    let Discovered {
        idea,
        answers,
        staff,
        ..
    } = discovered;
    let topic = Topic {
        idea: idea.text(),
        answers,
        memory: &notes,
        trouble,
    };
    if staff.council.is_none() {
        return Ok(review(run, &scope, &topic).await?);
    }
    let name = format!("council-{}/debate", way.round);
    let came = persist(way, &name, staff, async |scope: Scope, staff: &Staff| {
        // Whoever tries again may have fewer models than before.
        let Some(panel) = &staff.council else {
            let decisions = review(run, &scope, &topic).await?;
            return Ok(Tried::Done(Came::reviewed(decisions)));
        };
        let doubted = match run.flow() >= SECOND_EDITION {
            true => recall_doubted(run, &scope, idea.text(), &way.means.doubted_councils).await?,
            false => None,
        };
        let matter = Matter {
            answers,
            doubted: doubted.as_deref(),
            memory: &notes,
            trouble,
            // A synthesis that failed is a question about it alone, and not about another debate.
            attended: run.flow() >= SECOND_EDITION,
            product: run.flow() >= SECOND_EDITION,
            ..Matter::of(idea.text())
        };
        let sources = way.means.reach.sources.clone();
        let edition = if run.flow() < SECOND_EDITION {
            Edition::First
        } else {
            Edition::Second
        };
        let context = place.context.clone().with_sources(sources);
        let council = panel.council((&run.settings(), edition), &context);
        let convened = Box::pin(convene(run, &scope, &council, &matter));
        Ok(match convened.await? {
            // By the second edition somebody was asked about it, and wanted the votes as they stand.
            Convened::Held(held)
                if held.synthesis == SynthesisOutcome::Failed && edition == Edition::First =>
            {
                Tried::Stuck(not_drawn(&held))
            }
            Convened::Held(held) => Tried::Done(Came::held(*held)),
            Convened::Stuck { problem } => Tried::Stuck(problem),
        })
    });
    let came = came.await?;
    // A second council adds to what the first one was.
    if !came.spoke.is_empty() {
        discovered.debated = came.spoke;
    }
    discovered.doubt = came.doubt.or(discovered.doubt.take());
    discovered.council = came.card;
    raise(way, &scope, &mut discovered.ledger, came.assumptions).await?;
    Ok(came.decisions)
}

/// Why nothing goes on from a debate that nobody drew together, and what trying again means.
fn not_drawn(held: &Held) -> String {
    format!(
        "The council debated, and its leader could not draw the debate together. {}\n\nTrying again \
         holds a new debate; another leader may do better.",
        held.outcome.summary.trim()
    )
}

/// What a council came to.
#[derive(Debug)]
struct Came {
    decisions: Vec<Decision>,
    assumptions: Vec<Assumption>,
    /// The models of the seats that spoke; none when there was no debate.
    spoke: Vec<ModelId>,
    doubt: Option<Doubt>,
    /// What people read of it; nothing where there was no debate.
    card: Option<String>,
}

impl Came {
    const fn reviewed(decisions: Vec<Decision>) -> Self {
        Self {
            decisions,
            assumptions: Vec::new(),
            spoke: Vec::new(),
            doubt: None,
            card: None,
        }
    }

    fn held(held: Held) -> Self {
        let verdict = held.verdict;
        Self {
            card: Some(held.summary),
            decisions: held.decisions,
            assumptions: held.assumptions,
            spoke: held.spoke,
            doubt: verdict.needs_person.then_some(Doubt {
                reason: verdict.reason,
                seen: false,
            }),
        }
    }
}

#[cfg(test)]
#[path = "council_tests.rs"]
mod tests;
