//! Lessons: what this run learned that project memory may keep. Proposals only; a person accepts.

use gavel_domain::{Decision, LessonProposed, Stage};
use gavel_memory::Kind;

use crate::building::Built;
use crate::discovery::Discovered;
use crate::way::{Leave, Way, keep};

/// The most lessons of one run: more are not read.
const MOST: usize = 6;

/// Proposes what a later run should know.
pub(crate) async fn propose(
    way: Way<'_>,
    discovered: &Discovered,
    (decisions, built): (&[Decision], &Built),
) -> Result<(), Leave> {
    let run = way.run;
    way.enter(Stage::Lessons).await?;
    let scope = run.scope("lessons", 1)?;
    let lessons = lessons(discovered, decisions, built);
    for (number, (kind, text)) in lessons.into_iter().enumerate() {
        let key = scope.key(&format!("lesson-{}", number + 1))?;
        let kind = kind.to_string();
        keep(run, key, &(&kind, &text), &text, |text| LessonProposed {
            kind: kind.clone(),
            text,
        })
        .await?;
    }
    Ok(())
}

fn lessons(discovered: &Discovered, decisions: &[Decision], built: &Built) -> Vec<(Kind, String)> {
    let own = discovered
        .answers
        .iter()
        .filter(|answer| answer.by_person)
        .map(|answer| {
            let text = format!("{}: a person chose {}", answer.question, answer.answer);
            (Kind::Feedback, text)
        });
    let repaired = built
        .ends
        .iter()
        .flat_map(|end| &end.repaired)
        .map(|error| {
            let text = format!("came up while building and had to be repaired: {error}");
            (Kind::Trap, text)
        });
    let decided = decisions.iter().map(|decision| {
        let text = format!("{}: {}. {}", decision.title, decision.choice, decision.why);
        (Kind::Decision, text)
    });
    own.chain(repaired).chain(decided).take(MOST).collect()
}
