//! A review of options by rules, where no models debate: evidence with citations, no voices.

use gavel_domain::{FaultClass, OptionsReviewed};
use gavel_rules::council::{OptionsReview, read_options, review_options};
use gavel_run::{Blobs, Pure, StepFailure};

use super::Room;
use super::sources::{of_files, of_memory};
use crate::memory::Recall;
use crate::way::Leave;

/// Holds the options of the topic against what memory and files say. What was found is on record
/// with the review: files change.
pub(super) async fn review(room: Room<'_>, recalled: &Recall) -> Result<(), Leave> {
    let Room {
        run,
        brief,
        context,
        ..
    } = room;
    let scope = run.scope("review", 1)?;
    let effect = |blobs: Blobs| {
        let (topic, context) = (brief.topic.clone(), context.clone());
        let (memory, looked) = (of_memory(&recalled.notes), recalled.looked);
        async move {
            let looked = tokio::task::spawn_blocking(move || {
                let mut asked = read_options(&topic);
                // What the project calls an option is its name here too.
                asked.learn_aliases(memory.iter().map(|source| source.text.as_str()));
                let mut sources = memory;
                sources.extend(of_files(&context, (&asked, &topic)).map_err(failed)?);
                Ok(review_options(&asked, &topic, &sources, looked))
            });
            let review = looked.await.map_err(failed)??;
            let text = serde_json::to_string(&review).map_err(failed)?;
            Ok(reviewed(&review, blobs.keep(text)))
        }
    };
    let ids: Vec<&str> = recalled.notes.iter().map(|note| note.id.as_str()).collect();
    let key = scope.key("options")?;
    run.step(key, Pure, &(&brief.topic, ids), effect).await?;
    Ok(())
}

fn reviewed(review: &OptionsReview, text: gavel_domain::BlobRef) -> OptionsReviewed {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    OptionsReviewed {
        review: text,
        options: count(review.options.len()),
        // As many as the page shows, each once.
        cites: count(review.cites().len()),
        recommended: review.recommended,
    }
}

fn failed(problem: impl std::error::Error) -> StepFailure {
    StepFailure::of(FaultClass::Failed, &problem)
}
