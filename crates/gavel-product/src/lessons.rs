//! Lessons: what this run learned that project memory may keep. Proposals only; a person, or a
//! person's setting, accepts them, and the surface writes them: a run never touches the checkout.

mod find;
mod offer;
mod told;

use gavel_domain::{Decision, DiscoveryAnswer, FaultClass, LessonProposed, Stage, ToolFinished};
use gavel_run::{Blobs, Pure, StepFailure};

pub use told::{Candidate, Standing, candidates};

use self::find::{Finder, Lesson, Texts};
use self::offer::offer;
use crate::way::{Leave, Way, keep, read_json};

/// What the stages before know and the journal does not tell by itself.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Learned<'a> {
    /// The answers of the discovery; none on the hot path.
    pub(crate) answers: &'a [DiscoveryAnswer],
    /// What the council decided; nothing on the hot path.
    pub(crate) decisions: &'a [Decision],
}

/// Proposes what a later run should know, and asks a person whether memory keeps it.
pub(crate) async fn propose(way: Way<'_>, learned: Learned<'_>) -> Result<(), Leave> {
    let run = way.run;
    way.enter(Stage::Lessons).await?;
    let scope = run.scope("lessons", 1)?;
    // What is on record grows, so what was found in it is kept as it was found.
    let look = |blobs: Blobs| async move {
        let records = run.records();
        let mut texts = Texts::default();
        for name in records.iter().flat_map(|record| Texts::wanted(record)) {
            // What retention dropped teaches nothing.
            if let Ok(text) = run.text(name).await {
                texts.add(name, text);
            }
        }
        let mut finder = Finder::default();
        for record in &records {
            finder.take(record, &texts);
        }
        let lessons = finder.finish(learned, |text| way.place.context.scrub(text));
        let text = serde_json::to_string(&lessons);
        let text = text.map_err(|error| StepFailure::of(FaultClass::Failed, &error))?;
        Ok(ToolFinished {
            tool: "look_for_lessons".to_owned(),
            ok: true,
            result: blobs.keep(text),
            level: None,
            source: None,
        })
    };
    let found = run
        .step(scope.key("found")?, Pure, &"lessons", look)
        .await?;
    let lessons: Vec<Lesson> = read_json(run, found.value.result).await?;
    for (number, lesson) in lessons.iter().enumerate() {
        let key = scope.key(&format!("lesson-{}", number + 1))?;
        keep(run, key, lesson, &lesson.text, |text| LessonProposed {
            kind: lesson.kind.to_string(),
            text,
            stage: lesson.stage,
            rests_on: lesson.rests_on.clone(),
        })
        .await?;
    }
    if way.choices.auto_accept || lessons.is_empty() {
        return Ok(());
    }
    offer(way, &scope, &lessons).await
}
