//! What a debate and a review keep beside their facts: texts as JSON.

use gavel_domain::{BlobRef, Decision, DecisionMade, Fact, FactError, Key, Scope};
use gavel_run::{Pure, Run, RunError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What is known of a decision besides its words; nothing for what came up on the way.
#[derive(Debug, Default)]
pub(crate) struct Planned {
    pub(crate) id: Option<String>,
    pub(crate) option: Option<u32>,
    pub(crate) changed: Option<bool>,
}

/// Records a decision with its words, and returns what is on record.
pub(crate) async fn record_decision(
    run: &Run,
    scope: &Scope,
    number: u32,
    (decision, planned): (&Decision, &Planned),
) -> Result<Decision, RunError> {
    let key = scope.key(&format!("decision-{number}"))?;
    let text = json_text::<DecisionMade>(&key, decision)?;
    let made = run.step(key.clone(), Pure, decision, |blobs| {
        let made = DecisionMade {
            number,
            text: blobs.keep(text.as_str()),
            dissent: !decision.dissent.is_empty(),
            id: planned.id.clone(),
            option: planned.option,
            changed: planned.changed,
        };
        async move { Ok(made) }
    });
    let made = made.await?.value;
    // A newer version may say it otherwise; the record says what was decided.
    read_text::<DecisionMade, Decision>(run, &key, made.text).await
}

/// The JSON text of something that is kept beside a fact.
pub(crate) fn json_text<F: Fact>(key: &Key, value: &impl Serialize) -> Result<String, RunError> {
    let written = serde_json::to_string(value);
    written.map_err(|source| {
        RunError::from(FactError::Unwritable {
            key: key.outcome(),
            kind: F::KIND,
            source,
        })
    })
}

/// Reads what [`json_text`] wrote.
pub(crate) async fn read_text<F: Fact, T: DeserializeOwned>(
    run: &Run,
    key: &Key,
    name: BlobRef,
) -> Result<T, RunError> {
    let text = run.text(name).await?;
    serde_json::from_str(&text).map_err(|source| {
        RunError::from(FactError::Unreadable {
            key: key.outcome(),
            kind: F::KIND.to_owned(),
            source,
        })
    })
}
