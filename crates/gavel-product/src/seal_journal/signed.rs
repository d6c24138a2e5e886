//! A seal beside what the run itself signed, and beside the facts that this came from.

use std::collections::BTreeMap;

use gavel_build::{SealPredicate, SealStatement, open_seal};
use gavel_domain::{ContractsPinned, FaultCount, GateJudged, SealSigned};
use gavel_store::ReadError;

use super::{Journal, JournalOutcome, JournalRow, gone, row, same_or};

/// What the run signed, as its journal keeps it.
enum OnRecord {
    Statement(Box<SealPredicate>),
    /// The fact is there, and its envelope is not.
    Gone(SealSigned),
    /// The run signed nothing about this commit.
    None,
}

impl Journal<'_> {
    /// Verdict and score, what was left out, what was refuted, the contracts, and the proof.
    pub(super) async fn signed(
        &self,
        statement: &SealStatement,
        gate: Option<&GateJudged>,
    ) -> Result<Vec<JournalRow>, ReadError> {
        let predicate = &statement.predicate;
        let record = self.on_record(predicate).await?;
        let of = |part: &'static str, same: fn(&SealPredicate, &SealPredicate) -> bool| {
            row(part, compared(&record, predicate, (part, same)))
        };
        let verdict = match &record {
            OnRecord::Gone(fact) => same_or(fact.verdict == predicate.verdict.word(), || {
                format!("the run signed `{}`", fact.verdict)
            }),
            OnRecord::Statement(signed) if signed.verdict != predicate.verdict => {
                JournalOutcome::Differs(format!("the run signed `{}`", signed.verdict))
            }
            OnRecord::Statement(_) | OnRecord::None => compared(
                &record,
                predicate,
                ("verdict", |left, right| {
                    (left.score, &left.reasons) == (right.score, &right.reasons)
                }),
            ),
        };
        let mut rows = vec![
            row("verdict", verdict),
            of("became", |left, right| {
                left.idea_became == right.idea_became
            }),
            of("left_out", |left, right| left.left_out == right.left_out),
            of("refuted", |left, right| left.refuted == right.refuted),
        ];
        let contracts = self.pinned_otherwise(predicate);
        rows.push(match contracts {
            Some(why) => row("contracts", JournalOutcome::Differs(why)),
            None => of("contracts", |left, right| left.contracts == right.contracts),
        });
        let faults = gate.and_then(|gate| faults_otherwise(predicate, gate.faults));
        rows.push(match faults {
            Some(why) => row("proof", JournalOutcome::Differs(why)),
            None => of("proof", |left, right| left.proof == right.proof),
        });
        Ok(rows)
    }

    /// What the run signed about the judged commit: first, or after a person looked.
    async fn on_record(&self, predicate: &SealPredicate) -> Result<OnRecord, ReadError> {
        let after = predicate.journal.seq;
        let later = self.upto.iter().filter(|record| record.seq > after);
        let signed = later.filter_map(|record| record.read::<SealSigned>().ok());
        let Some(fact) = signed.into_iter().next() else {
            return Ok(OnRecord::None);
        };
        let Some(envelope) = self.store.blob(fact.envelope.digest).await? else {
            return Ok(OnRecord::Gone(fact));
        };
        Ok(match open_seal(&envelope) {
            Ok((signed, _)) if signed.predicate.judged_commit == predicate.judged_commit => {
                OnRecord::Statement(Box::new(signed.predicate))
            }
            Ok(_) | Err(_) => OnRecord::None,
        })
    }

    /// Contracts that the journal did not pin so, where it pinned any.
    fn pinned_otherwise(&self, predicate: &SealPredicate) -> Option<String> {
        let pinned = self.last::<ContractsPinned>(|_| true)?.contracts;
        let sealed = predicate.contracts.iter();
        let sealed: BTreeMap<_, _> = sealed.map(|(kind, one)| (*kind, one.blake3)).collect();
        let kinds = pinned.keys().chain(sealed.keys());
        let mut wrong: Vec<String> = kinds
            .filter(|kind| pinned.get(kind) != sealed.get(kind))
            .map(ToString::to_string)
            .collect();
        wrong.sort_unstable();
        wrong.dedup();
        (!wrong.is_empty()).then(|| format!("the run pinned other contracts: {}", wrong.join(", ")))
    }
}

fn compared(
    record: &OnRecord,
    sealed: &SealPredicate,
    (part, same): (&str, fn(&SealPredicate, &SealPredicate) -> bool),
) -> JournalOutcome {
    match record {
        OnRecord::Statement(signed) => same_or(same(signed, sealed), || {
            format!("the run signed another `{part}`")
        }),
        OnRecord::Gone(_) => gone("what the run signed"),
        OnRecord::None => {
            let why = "the run signed nothing about this commit at that place";
            JournalOutcome::Differs(why.to_owned())
        }
    }
}

/// Planted faults that the gate counted otherwise.
fn faults_otherwise(predicate: &SealPredicate, gate: Option<FaultCount>) -> Option<String> {
    let sealed = predicate.proof.as_ref()?;
    let FaultCount { tried, caught } = gate.unwrap_or_default();
    let (mutants, killed) = (sealed.mutants, sealed.killed);
    ((tried, caught) != (mutants, killed)).then(|| {
        format!(
            "the gate counted {caught} of {tried} faults caught, the seal {killed} of {mutants}"
        )
    })
}
