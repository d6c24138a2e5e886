//! What is asked is made clear before money is spent on a debate: questions to people, a brief, and
//! a person's word on it.
//!
//! Models that say nothing usable cost questions, never the debate: the brief is then put together
//! from what was typed.

mod brief;
mod preflight;
mod question;
mod shapes;
mod sitting;

use gavel_domain::{ClarifiedMatter, DebatePart, MatterClarified, MemoryNote, PhaseOutcome, Scope};
use gavel_run::{Pure, Run, RunError};

use self::brief::{Refused, WrittenBy};
use self::preflight::Preflight;
use self::question::Outcome;
use self::sitting::Sitting;
pub(crate) use self::sitting::open_for_models;
use crate::Council;
use crate::phase::Phase;
use crate::record::json_text;

/// How many rounds of questions stand before a brief.
const MOST_ROUNDS: u32 = 4;
const PHASE: Phase<'_> = Phase {
    name: "clarify",
    part: DebatePart::Clarify,
    round: 0,
};

/// What is to be made clear.
#[derive(Debug, Clone, Copy)]
pub struct ClarifyAsk<'a> {
    /// What is asked, as it was typed.
    pub topic: &'a str,
    /// What project memory says.
    pub memory: &'a [MemoryNote],
    /// What the topic leaves open by the look of its words.
    pub gray_areas: &'a [String],
    /// True when people can be asked.
    pub attended: bool,
    /// What an earlier debate of the same run came to, for one that follows it up.
    pub earlier: Option<&'a str>,
}

/// What making it clear came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clarified {
    /// This is to be debated.
    Clear(ClarifiedMatter),
    /// Nothing is to be debated: a person said so.
    Withdrawn,
}

/// A brief that goes to the debate.
struct Cleared {
    brief: ClarifiedMatter,
    written: WrittenBy,
    approved: bool,
}

/// Makes clear what a council is to debate.
///
/// With people there are questions on cards and a brief that one of them approves; without them a
/// brief that says what is open. Everything stands below `clarify` in the scope, and the brief at
/// `clarified`.
pub async fn clarify(
    run: &Run,
    scope: &Scope,
    council: &Council,
    ask: &ClarifyAsk<'_>,
) -> Result<Clarified, RunError> {
    PHASE.begin(run, scope, Vec::new()).await?;
    let mut sitting = Sitting::new(run, scope, (council, ask));
    let cleared = if ask.attended {
        attended(&mut sitting).await?
    } else {
        let (brief, written) = sitting.brief(1).await?;
        Some(Cleared {
            brief,
            written,
            approved: false,
        })
    };
    let Some(cleared) = cleared else {
        let why = (PhaseOutcome::Failed, "A person withdrew the matter.");
        PHASE.end(run, scope, why).await?;
        return Ok(Clarified::Withdrawn);
    };
    record(&sitting, &cleared).await?;
    let (outcome, why) = match &cleared.written {
        WrittenBy::Model => (PhaseOutcome::Done, String::new()),
        WrittenBy::Rules(problem) => {
            let why = format!("No model gave a usable brief: {problem}");
            (PhaseOutcome::Fallback, why)
        }
    };
    PHASE.end(run, scope, (outcome, &why)).await?;
    Ok(Clarified::Clear(cleared.brief))
}

/// Asks people until one of them approves a brief; nothing when it is withdrawn.
async fn attended(sitting: &mut Sitting<'_>) -> Result<Option<Cleared>, RunError> {
    let mut number = 1;
    loop {
        if let Asking::Withdrawn = ask_rounds(sitting).await? {
            return Ok(None);
        }
        let (brief, written) = sitting.brief(number).await?;
        match sitting.preflight(number, (&brief, &written)).await? {
            Preflight::Approved { by_person } => {
                return Ok(Some(Cleared {
                    brief,
                    written,
                    approved: by_person,
                }));
            }
            Preflight::Withdrawn => return Ok(None),
            Preflight::Rejected(reason) => sitting.refused.push(Refused {
                problem: brief.problem,
                criteria: brief.criteria,
                reason,
            }),
        }
        number += 1;
    }
}

/// How rounds of questions ended.
enum Asking {
    Over,
    Withdrawn,
}

/// Rounds of questions, until enough is known or there is nothing more to ask.
async fn ask_rounds(sitting: &mut Sitting<'_>) -> Result<Asking, RunError> {
    for _ in 0..MOST_ROUNDS {
        let questions = sitting.questions().await?;
        if questions.is_empty() {
            break;
        }
        sitting.rounds += 1;
        for (asked, number) in questions.iter().zip(1u32..) {
            let name = format!("q-{}-{number}", sitting.rounds);
            match sitting.put(&name, asked).await? {
                Outcome::Settled(settled) => sitting.settled.push(settled),
                Outcome::Withdrawn => return Ok(Asking::Withdrawn),
            }
        }
        // Where `--yes` answers, further questions are paid for and answered by nobody.
        let nobody = sitting.settled.iter().any(|one| one.assumed);
        if sitting.is_ready().await? || nobody {
            break;
        }
    }
    Ok(Asking::Over)
}

async fn record(sitting: &Sitting<'_>, cleared: &Cleared) -> Result<(), RunError> {
    let key = sitting.scope.key("clarified")?;
    let text = json_text::<MatterClarified>(&key, &cleared.brief)?;
    let answered = sitting.settled.iter().filter(|one| one.by_person).count();
    let kept = sitting.run.step(key, Pure, &cleared.brief, |blobs| {
        let clarified = MatterClarified {
            matter: blobs.keep(text.as_str()),
            answered: u32::try_from(answered).unwrap_or(u32::MAX),
            rounds: sitting.rounds,
            approved: cleared.approved,
        };
        async move { Ok(clarified) }
    });
    kept.await?;
    Ok(())
}
