//! A seal that follows another one: a person looked at what was sealed, and nothing is run again.

use gavel_domain::{Approver, Digest, Timestamp};
use gavel_rules::{Approved, approved_by_person, is_approval_line};
use gavel_workspace::CommitId;
use serde_json::Value;

use super::key::PublicKey;
use super::statement::{
    SealApproval, SealBefore, SealJournal, SealPredicate, SealStatement, Signer,
};

/// The condition that an approval changes.
const APPROVAL: &str = "user_approval";
/// Fields in which a later seal may differ, whatever they hold.
const OF_ITS_OWN: [&str; 8] = [
    "gavel",
    "sealed_at",
    "approval",
    "verdict",
    "reasons",
    "journal",
    "follows",
    "signer",
];

/// A person's approval of what was sealed without one.
#[derive(Debug, Clone)]
pub struct LaterApproval<'a> {
    /// The commit with the seal that they looked at.
    pub seal: &'a CommitId,
    /// Its envelope, as it is stored.
    pub envelope: &'a [u8],
    /// When they agreed.
    pub at: Timestamp,
    /// Where the run's journal stands.
    pub journal: SealJournal,
    /// The version of Gavel that signs.
    pub gavel: &'a str,
    /// The key that signs.
    pub signer: PublicKey,
}

impl SealPredicate {
    /// What it says once a person approved it; verdict and reasons follow by the same rules.
    pub fn after_approval(&self) -> Approved {
        let (criteria, stated) = (self.judged_criteria(), self.stated_parts());
        approved_by_person(&self.claims(&criteria, &stated))
    }
}

impl SealStatement {
    /// The same statement with a person's approval: verdict and reasons follow by the same rules.
    #[must_use]
    pub fn approved(&self, later: LaterApproval<'_>) -> Self {
        let before = &self.predicate;
        let approved = before.after_approval();
        let predicate = SealPredicate {
            gavel: later.gavel.to_owned(),
            sealed_at: later.at,
            approval: Some(SealApproval {
                by: Approver::Person,
                at: later.at,
                rule: None,
            }),
            verdict: approved.verdict,
            reasons: approved.reasons,
            left_out: approved.left_out,
            conditions: approved.conditions,
            journal: later.journal,
            follows: Some(SealBefore {
                commit: later.seal.to_string(),
                blake3: Digest::of(later.envelope),
            }),
            signer: Signer {
                public_key: later.signer,
            },
            ..before.clone()
        };
        Self {
            predicate,
            ..self.clone()
        }
    }
}

/// In what a later seal differs from the one that it follows, beyond the approval; names of fields.
pub(super) fn said_otherwise(before: &SealStatement, after: &SealStatement) -> Vec<String> {
    let (Ok(before), Ok(after)) = (without_approval(before), without_approval(after)) else {
        return vec!["predicate".to_owned()];
    };
    let fields = |value: &Value| -> Vec<String> {
        let named = value.as_object().map(|all| all.keys().cloned().collect());
        named.unwrap_or_default()
    };
    let mut names: Vec<String> = fields(&before);
    names.extend(fields(&after));
    names.sort_unstable();
    names.dedup();
    names.retain(|name| before.get(name) != after.get(name));
    names
}

/// The statement's parts that no approval changes, beside the tree that it speaks about.
fn without_approval(statement: &SealStatement) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(&statement.predicate)?;
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|name, _| !OF_ITS_OWN.contains(&name.as_str()));
        fields.insert(
            "subject".to_owned(),
            serde_json::to_value(&statement.subject)?,
        );
        if let Some(Value::Array(lines)) = fields.get_mut("left_out") {
            lines.retain(|line| !line.as_str().is_some_and(is_approval_line));
        }
        if let Some(Value::Array(conditions)) = fields.get_mut("conditions") {
            conditions.retain(|one| one.get("id").and_then(Value::as_str) != Some(APPROVAL));
        }
    }
    Ok(value)
}
