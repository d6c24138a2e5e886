//! A seal compared with the journal of its run: where it stood, what was judged, what was spent, who approved.
//!
//! Nothing is repaired and nothing is called: each part is looked up in the journal up to the record that the
//! seal names.

mod asked;
mod signed;

use std::collections::BTreeMap;

use gavel_build::{SealCriterion, SealPredicate, SealSpend, SealStatement, VerifyOutput};
use gavel_domain::{
    BlobRef, CriterionJudged, Fact as _, GateJudged, Record, RunId, SealApproved, Seq,
    UsageReserved, UsageSettled, VerifyFinished,
};
use gavel_rules::{Chain, ChainProblem, source_uses};
use gavel_store::{CallRow, CallState, CallsQuery, ReadError, Store};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::later_seal::ShippedBy;
use crate::sealing::{self, RuleTokens};

const APPROVAL: &str = "user_approval";

/// One part of a seal, beside what the journal says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JournalRow {
    /// The part, for example `criteria`.
    pub part: &'static str,
    /// How it compares.
    #[serde(flatten)]
    pub outcome: JournalOutcome,
}

/// How a part of a seal compares with the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", content = "why", rename_all = "snake_case")]
pub enum JournalOutcome {
    /// The journal says the same.
    Same,
    /// The journal says something else.
    Differs(String),
    /// The journal says how it came to be so, in the person's own words.
    Reworded(String),
    /// The journal does not hold it any more, or never did.
    NotKept(String),
}

/// Why nothing could be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// There is no such journal on this machine.
    #[error("this machine holds no journal of run {0}")]
    NoJournal(RunId),
    /// The store could not read; trying again may help.
    #[error("the journal could not be read")]
    Unread(#[from] ReadError),
}

/// Compares what was signed with the journal of a run; `first` is where the journal stood when the run was
/// sealed, before anybody approved it later.
pub async fn compare_with_journal(
    store: &dyn Store,
    run: RunId,
    sealed: (&SealStatement, Seq),
) -> Result<Vec<JournalRow>, CompareError> {
    let compared = compare(store, run, sealed).await;
    match compared {
        Err(CompareError::Unread(
            damage @ (ReadError::DamagedRecord { .. }
            | ReadError::DamagedBlob { .. }
            | ReadError::Damaged { .. }),
        )) => {
            // A store that does not hold together was altered, or its disk was.
            let chain = JournalOutcome::Differs(format!("it was changed: {damage}"));
            let of = row("run", run_outcome(&sealed.0.predicate, run));
            Ok(vec![of, row("chain", chain)])
        }
        compared => compared,
    }
}

async fn compare(
    store: &dyn Store,
    run: RunId,
    (statement, first): (&SealStatement, Seq),
) -> Result<Vec<JournalRow>, CompareError> {
    if store.head(run).await?.is_none() {
        return Err(CompareError::NoJournal(run));
    }
    let records = store.records(run, Seq::ZERO, u32::MAX).await?;
    let predicate = &statement.predicate;
    let mut rows = vec![row("run", run_outcome(predicate, run))];
    rows.push(row("chain", chain_outcome(run, &records)));
    rows.push(row("position", position_outcome(predicate, &records)));
    let journal = Journal {
        store,
        upto: &records,
        sealed: records.iter().filter(|one| one.seq <= first).collect(),
    };
    rows.push(row("idea", journal.idea(predicate).await?));
    rows.push(row("asks", journal.asks(predicate).await?));
    let gate = journal.gate(&predicate.judged_commit);
    let signed = journal.signed(statement, gate.as_ref()).await?;
    rows.push(row(
        "conditions",
        conditions_outcome(predicate, gate.as_ref()),
    ));
    rows.push(row("criteria", journal.criteria(predicate, gate).await?));
    rows.push(row("commands", journal.commands(statement).await?));
    let (spend, replies) = journal.spend(predicate, run).await?;
    rows.push(row("spend", spend));
    rows.push(row("replies", replies));
    rows.push(row("approval", journal.approval(predicate)));
    rows.extend(signed);
    Ok(rows)
}

const fn row(part: &'static str, outcome: JournalOutcome) -> JournalRow {
    JournalRow { part, outcome }
}

fn same_or(same: bool, why: impl FnOnce() -> String) -> JournalOutcome {
    if same {
        JournalOutcome::Same
    } else {
        JournalOutcome::Differs(why())
    }
}

fn run_outcome(predicate: &SealPredicate, run: RunId) -> JournalOutcome {
    same_or(predicate.run == run, || {
        format!(
            "the seal is of run {}, the journal of run {run}",
            predicate.run
        )
    })
}

/// The digests of the journal follow from each other, from the first record on.
fn chain_outcome(run: RunId, records: &[Record]) -> JournalOutcome {
    let mut chain = Chain::new(run);
    let followed: Result<(), ChainProblem> =
        records.iter().try_for_each(|record| chain.follow(record));
    match followed {
        Ok(()) => JournalOutcome::Same,
        Err(problem) => JournalOutcome::Differs(format!("it was changed: {problem}")),
    }
}

/// The record that the seal names is there, with its digest.
fn position_outcome(predicate: &SealPredicate, records: &[Record]) -> JournalOutcome {
    let (seq, head) = (predicate.journal.seq, predicate.journal.head);
    match records.iter().find(|record| record.seq == seq) {
        None => JournalOutcome::Differs(format!(
            "the seal was signed at record {seq}, and the journal has {}",
            records.len()
        )),
        Some(record) => same_or(record.digest() == head, || {
            format!("record {seq} has another digest: it is another journal, or it was changed")
        }),
    }
}

fn conditions_outcome(predicate: &SealPredicate, gate: Option<&GateJudged>) -> JournalOutcome {
    let Some(gate) = gate else {
        let why = "the journal has no gate that passed this commit";
        return JournalOutcome::Differs(why.to_owned());
    };
    // What a person's later approval changes is compared by itself.
    let later = predicate.follows.is_some();
    let counts = |id: &str| !(later && id == APPROVAL);
    let differs = |id: &str| {
        let of = |all: &[gavel_domain::GateCondition]| all.iter().find(|one| one.id == id).cloned();
        of(&predicate.conditions) != of(&gate.conditions)
    };
    let ids = predicate.conditions.iter().chain(&gate.conditions);
    let mut wrong: Vec<&str> = ids
        .map(|one| one.id.as_str())
        .filter(|id| counts(id) && differs(id))
        .collect();
    wrong.dedup();
    if wrong.is_empty() && gate.score == predicate.score {
        return JournalOutcome::Same;
    }
    if gate.score != predicate.score {
        wrong.push("score");
    }
    JournalOutcome::Differs(format!(
        "the gate came to something else: {}",
        wrong.join(", ")
    ))
}

/// The journal of a run, as far as it counts.
struct Journal<'a> {
    store: &'a dyn Store,
    /// All records.
    upto: &'a [Record],
    /// Those from before the run was sealed.
    sealed: Vec<&'a Record>,
}

/// A text that a fact names.
enum Kept<T> {
    Is(T),
    Gone,
    Unreadable,
}

impl Journal<'_> {
    async fn json<T: DeserializeOwned>(&self, name: BlobRef) -> Result<Kept<T>, ReadError> {
        Ok(match self.store.blob(name.digest).await? {
            None => Kept::Gone,
            Some(text) => match serde_json::from_slice(&text) {
                Ok(value) => Kept::Is(value),
                Err(_) => Kept::Unreadable,
            },
        })
    }

    /// The last fact of a kind that fits, from before the seal.
    fn last<T: gavel_domain::Fact>(&self, fits: impl Fn(&T) -> bool) -> Option<T> {
        let facts = self
            .sealed
            .iter()
            .rev()
            .filter(|record| record.kind == T::KIND);
        let mut facts = facts.filter_map(|record| record.read::<T>().ok());
        facts.find(|fact| fits(fact))
    }

    /// The gate that passed the commit.
    fn gate(&self, commit: &str) -> Option<GateJudged> {
        self.last(|gate: &GateJudged| gate.passed && gate.commit == commit)
    }

    async fn criteria(
        &self,
        predicate: &SealPredicate,
        gate: Option<GateJudged>,
    ) -> Result<JournalOutcome, ReadError> {
        let Some(gate) = gate else {
            let why = "the journal has no gate that passed this commit";
            return Ok(JournalOutcome::Differs(why.to_owned()));
        };
        let judged: Vec<CriterionJudged> = match self.json(gate.evidence).await? {
            Kept::Is(judged) => judged,
            Kept::Gone => return Ok(gone("what showed each criterion")),
            Kept::Unreadable => return Ok(unreadable("what showed each criterion")),
        };
        let shown: BTreeMap<&str, SealCriterion> = judged
            .iter()
            .map(|one| (one.id.as_str(), sealing::criterion("", one)))
            .collect();
        let differs = |one: &&SealCriterion| {
            let sealed = SealCriterion {
                statement: String::new(),
                ..(**one).clone()
            };
            shown.get(one.id.as_str()) != Some(&sealed)
        };
        let criteria = &predicate.criteria;
        let mut wrong: Vec<&str> = criteria
            .iter()
            .filter(differs)
            .map(|one| one.id.as_str())
            .collect();
        let unsealed = shown
            .keys()
            .filter(|id| criteria.iter().all(|one| one.id != **id));
        wrong.extend(unsealed);
        Ok(same_or(wrong.is_empty(), || {
            format!("the gate judged otherwise: {}", wrong.join(", "))
        }))
    }

    /// The verification of the judged tree.
    async fn commands(&self, statement: &SealStatement) -> Result<JournalOutcome, ReadError> {
        let tree = statement.tree();
        let verified = self.last(|one: &VerifyFinished| one.tree.as_deref() == tree);
        let Some(verified) = verified else {
            let why = "the journal has no verification of the judged tree";
            return Ok(JournalOutcome::Differs(why.to_owned()));
        };
        let Some(text) = self.store.blob(verified.output.digest).await? else {
            return Ok(gone("what the commands printed"));
        };
        let output = VerifyOutput::read(&String::from_utf8_lossy(&text));
        let commands = &statement.predicate.commands;
        if commands.len() != output.commands.len() {
            let (sealed, ran) = (commands.len(), output.commands.len());
            let why = format!("the seal names {sealed} commands, the journal {ran}");
            return Ok(JournalOutcome::Differs(why));
        }
        let pairs = commands.iter().zip(&output.commands);
        let wrong: Vec<String> = pairs
            .filter(|(sealed, ran)| {
                let same = sealed.argv == ran.argv
                    && sealed.exit == ran.exit
                    && sealed.output_blake3 == ran.output_digest()
                    && sealed.level == ran.level
                    && sealed.millis == ran.millis;
                !same
            })
            .map(|(sealed, _)| sealed.argv.join(" "))
            .collect();
        Ok(same_or(wrong.is_empty(), || {
            format!("they ran or printed something else: {}", wrong.join("; "))
        }))
    }

    /// Spend and replies by the calls that were settled when the run was sealed.
    async fn spend(
        &self,
        predicate: &SealPredicate,
        run: RunId,
    ) -> Result<(JournalOutcome, JournalOutcome), ReadError> {
        let query = CallsQuery {
            run: Some(run),
            month: None,
        };
        let rows = self.store.calls(query).await?;
        let rows: Vec<CallRow> = rows
            .into_iter()
            .filter_map(|one| self.by_then(one))
            .collect();
        let usage = gavel_run::Usage::of(&rows);
        let sources = source_uses(self.sealed.iter().copied());
        let of_rules = RuleTokens::of(predicate.seal_format());
        let (spend, replies) = (
            sealing::spend(&usage.total, sources, of_rules),
            sealing::replies(&usage),
        );
        let spent = same_or(spend == predicate.spend, || {
            format!(
                "the journal counts {} calls, {} to sources, and {}, the seal {} calls, {} to sources, and {}",
                spend.calls,
                asked(&spend),
                dollars(spend.usd),
                predicate.spend.calls,
                asked(&predicate.spend),
                dollars(predicate.spend.usd),
            )
        });
        if predicate.replies.is_empty() && spend.calls > 0 {
            let why = "this seal does not count replies";
            return Ok((spent, JournalOutcome::NotKept(why.to_owned())));
        }
        let replied = same_or(replies == predicate.replies, || {
            "other models replied, or in other roles, or another number of times".to_owned()
        });
        Ok((spent, replied))
    }

    /// A call as the journal had it when the run was sealed; the ledger is believed only where a fact
    /// stands behind it.
    fn by_then(&self, row: CallRow) -> Option<CallRow> {
        let number = row.call.key.attempt()?;
        let fact = |part: &'static str| {
            let key = row.call.key.key().attempt_part(number, part);
            self.sealed.iter().find(|record| record.key == key)
        };
        let reserved = fact("reserved")?.read::<UsageReserved>().ok()?;
        let settled = fact("settled").and_then(|record| record.read::<UsageSettled>().ok());
        let state = match (&settled, fact("lost"), fact("released")) {
            (Some(_), _, _) => CallState::Settled,
            (None, Some(_), _) => CallState::Lost,
            (None, None, Some(_)) => CallState::Released,
            (None, None, None) => CallState::Reserved,
        };
        Some(CallRow {
            state,
            model: settled
                .as_ref()
                .map_or(reserved.model, |one| one.model.clone()),
            cost: settled.and_then(|one| one.cost).unwrap_or_default(),
            ..row
        })
    }

    fn approval(&self, predicate: &SealPredicate) -> JournalOutcome {
        let Some(approval) = &predicate.approval else {
            let why = "this seal does not say who approved";
            return JournalOutcome::NotKept(why.to_owned());
        };
        let by = match predicate.follows {
            Some(_) => self
                .upto
                .iter()
                .filter(|record| record.seq <= predicate.journal.seq)
                .any(|record| record.kind == SealApproved::KIND)
                .then_some(ShippedBy::PERSON),
            None => self.approved_at_gate(),
        };
        let sealed = ShippedBy {
            approver: approval.by,
            rule: approval.rule,
        };
        match by {
            Some(by) => same_or(by == sealed, || {
                format!(
                    "the journal says {}, the seal {}",
                    by.approver, sealed.approver
                )
            }),
            None => JournalOutcome::Differs("nobody approved it in the journal".to_owned()),
        }
    }

    /// Who let it be shipped: the last answer at a gate, or a rule.
    fn approved_at_gate(&self) -> Option<ShippedBy> {
        let mut records = self.sealed.iter().rev();
        records.find_map(|record| ShippedBy::at_gate(record))
    }
}

fn asked(spend: &SealSpend) -> u64 {
    spend.sources.iter().map(|one| one.calls).sum()
}

fn dollars(usd: Option<gavel_domain::MicroUsd>) -> String {
    usd.map_or_else(
        || "unknown dollars".to_owned(),
        |usd| format!("${}", usd.to_decimal()),
    )
}

fn gone(what: &str) -> JournalOutcome {
    JournalOutcome::NotKept(format!("{what} is no longer kept here"))
}

fn unreadable(what: &str) -> JournalOutcome {
    JournalOutcome::Differs(format!("{what} cannot be read in the journal"))
}
