//! What a run changed about who runs the tests is a person's to allow; otherwise the runner from
//! before the run is used.

use gavel_build::{RunnerCompared, Site, compare_runner};
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, Digest, Key, OnTimeout, Purpose, QuestionCard,
};
use gavel_rules::RunnerConsent;
use gavel_run::Question;
use gavel_workspace::CommitId;

use crate::way::{Leave, Way, unusable};

const BASE: &str = "before";
const CHANGED: &str = "changed";
/// How many settings a card names.
const LINES: usize = 12;

/// Asks once for each set of changes: `runner/<digest>`. Runs of older flows have no such question,
/// and nobody agreed.
pub(crate) async fn consent(
    way: Way<'_>,
    site: &Site,
    commit: &CommitId,
) -> Result<RunnerConsent, Leave> {
    let run = way.run;
    if run.flow() < 5 {
        return Ok(RunnerConsent::NotGiven);
    }
    let compared = compare_runner(site, commit, RunnerConsent::NotGiven).await;
    let compared = compared.map_err(|error| unusable(run, &error))?;
    let Some(question) = question(&compared) else {
        return Ok(RunnerConsent::NotGiven);
    };
    let changed = compared.changed();
    let fields: Vec<String> = changed
        .map(|note| format!("{}\n{}\n{}", note.file, note.name, note.exact))
        .collect();
    let changes = Digest::of_fields(fields.iter().map(String::as_bytes));
    if let Some(consent) = way.mark.consent(changes) {
        return Ok(consent);
    }
    let key = Key::new(format!("runner/{}", changes.short()))?;
    let answer = run.ask(key, question).await?;
    let consent = match answer.value.value {
        AnswerValue::Option { id } if id == CHANGED => RunnerConsent::Person,
        AnswerValue::Option { .. }
        | AnswerValue::Decide
        | AnswerValue::Text { .. }
        | AnswerValue::Limit { .. } => RunnerConsent::NotGiven,
    };
    way.mark.keep_consent(changes, consent);
    Ok(consent)
}

fn question(compared: &RunnerCompared) -> Option<Question> {
    let lines: Vec<String> = compared
        .changed()
        .take(LINES)
        .map(|note| format!("- {}", note.what()))
        .collect();
    if lines.is_empty() {
        return None;
    }
    let card = QuestionCard::with_options(
        "The work also changes what runs the tests. Which runner counts?".to_owned(),
        Some(format!(
            "{}\n\nA runner that came with the work can say whatever it likes about it.",
            lines.join("\n")
        )),
        &[
            (BASE, "the one from before the run"),
            (CHANGED, "the changed one: I have looked at it"),
        ],
    );
    Some(Question {
        purpose: Purpose::Choice,
        card,
        shape: AnswerShape::Choice {
            options: [BASE, CHANGED].map(str::to_owned).to_vec(),
        },
        recommended: Some(BASE.to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    })
}
