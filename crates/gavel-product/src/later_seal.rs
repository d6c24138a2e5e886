//! A person looks at a sealed result that nobody had looked at: a further seal over the same judged tree,
//! behind the one that there is. Nothing is run again.
//!
//! The approval is a fact before anything is signed, so a kill on the way loses nothing: whoever comes next
//! finds it and finishes, without asking again.

use gavel_build::{
    LaterApproval, Publication, SealJournal, SealKey, SealStatement, SealWork, Workshop,
    commit_seal, numbered_seal_file, open_seal, push_branch,
};
use gavel_domain::{
    ApprovalRule, Approver, Fact as _, GaveUp, PolicyApproved, QuestionAnswered, Record,
    SealApproved, Sealed, Speaker,
};
use gavel_rules::may_decide;
use gavel_run::{Run, RunError};
use gavel_workspace::{CommitId, FileAt, RepoPath};

use crate::place::Place;
use crate::publishing::Origin;
use crate::shipping::approver;
use crate::way::unusable;
use gavel_domain::ProductBrief;

/// The scope of a further seal.
const SCOPE: &str = "later-approval";

/// What a further seal is made with.
#[derive(Debug)]
pub struct LaterMeans {
    /// Where commands run, a push to a repository on this machine among them.
    pub workshop: Workshop,
    /// Signs.
    pub seal_key: SealKey,
    /// The version of Gavel that signs.
    pub gavel: &'static str,
}

/// The seals of a run, as its journal tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SealsMade {
    /// The commits of those that are done, the oldest first.
    pub commits: Vec<String>,
    /// Who approved the last of them; none in runs from before that can be told.
    pub approved: Option<ShippedBy>,
    /// An approval whose seal is not done yet.
    pub pending: Option<SealApproved>,
    /// Who shipped it at the gate.
    at_gate: Option<ShippedBy>,
    /// How many approvals began.
    approvals: u32,
}

impl SealsMade {
    /// Folds records in the order in which they were written.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut made = Self::default();
        for record in records {
            if let Ok(approved) = record.read::<SealApproved>() {
                made.approvals += 1;
                made.pending = Some(approved);
            } else if let Ok(sealed) = record.read::<Sealed>() {
                made.commits.push(sealed.commit);
                made.approved = match made.pending.take() {
                    Some(_) => Some(ShippedBy::PERSON),
                    None => made.at_gate,
                };
            } else if record.kind == GaveUp::KIND && is_later(record) {
                // What failed for good is begun anew, by asking again.
                made.pending = None;
            } else if let Some(by) = ShippedBy::at_gate(record) {
                made.at_gate = Some(by);
            }
        }
        made
    }
}

/// Who let a result be shipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedBy {
    /// Who.
    pub approver: Approver,
    /// The rule, where a rule of the person's own settings did.
    pub rule: Option<ApprovalRule>,
}

impl ShippedBy {
    pub(crate) const PERSON: Self = Self {
        approver: Approver::Person,
        rule: None,
    };

    /// Who shipped it, where a record says so: an answer at the gate, or a rule.
    pub(crate) fn at_gate(record: &Record) -> Option<Self> {
        if let Ok(policy) = record.read::<PolicyApproved>() {
            return Some(Self {
                approver: Approver::Policy,
                rule: Some(policy.rule),
            });
        }
        let key = record.key.key();
        let is_approval = key.as_str().starts_with("gate-") && key.as_str().ends_with("/approval");
        let answer = record.read::<QuestionAnswered>().ok();
        let answer = answer.filter(|_| is_approval)?;
        Some(Self {
            approver: approver(&answer),
            rule: None,
        })
    }
}

fn is_later(record: &Record) -> bool {
    record.key.key().as_str().starts_with(SCOPE)
}

/// Seals what a person approved; finishes what an earlier drive began.
///
/// The caller looked at the seal at the tip of the branch, showed it to the person, and holds nothing back:
/// somebody who may not decide is refused.
pub async fn seal_later(
    run: Run,
    brief: ProductBrief,
    means: LaterMeans,
    (by, seal): (Speaker, CommitId),
) -> Result<(), RunError> {
    if !may_decide(by) {
        return Err(unusable(&run, &"only a person approves a result"));
    }
    let records = run.records();
    let made = SealsMade::of(records.iter().map(AsRef::as_ref));
    let place = Place::open(&run, &brief).await?;
    let (number, approved) = match made.pending {
        Some(approved) => (made.approvals, approved),
        None => {
            let last = made.commits.last().map(String::as_str);
            if last != Some(seal.as_str()) {
                return Err(unusable(
                    &run,
                    &"somebody else sealed it meanwhile: look again",
                ));
            }
            let judged = judged_before(&run, &place, (&seal, made.commits.len())).await?;
            let judged = judged.statement.predicate.judged_commit;
            let seal = seal.to_string();
            (made.approvals + 1, SealApproved { by, seal, judged })
        }
    };
    let scope = run.scope(SCOPE, number)?;
    let approved = run.decide(scope.key("approved")?, approved).await?;
    let parent: CommitId = parsed(&run, &approved.value.seal)?;
    let judged: CommitId = parsed(&run, &approved.value.judged)?;
    let before = judged_before(&run, &place, (&parent, made.commits.len())).await?;
    let (seq, head) = run.position();
    let statement = before.statement.approved(LaterApproval {
        seal: &parent,
        envelope: &before.envelope,
        at: approved.at,
        journal: SealJournal { seq, head },
        gavel: means.gavel,
        signer: means.seal_key.public(),
    });
    let contradictions = statement.predicate.contradictions();
    if let Some(one) = contradictions.first() {
        return Err(unusable(
            &run,
            &format!("the new seal would not verify: {one}"),
        ));
    }
    let work = SealWork {
        tree: &place.tree,
        branch: &place.branch,
        judged: &judged,
        parent: &parent,
        number: made.commits.len() + 1,
        statement: &statement,
        key: &means.seal_key,
        at: approved.at,
    };
    let sealed = commit_seal(&run, &scope, work).await?;
    let commit: CommitId = parsed(&run, &sealed.commit.commit)?;
    let origin = Origin {
        place: &place,
        checkout: &brief.checkout,
        commands: &means.workshop.commands,
    };
    let target = origin.push_target(&run.settings());
    let publication = Publication {
        tree: &place.tree,
        branch: &place.branch,
        target: &target,
        context: &place.context,
    };
    push_branch(&run, scope.key("push")?, publication, &commit).await?;
    let fact = Sealed {
        branch: place.branch.to_string(),
        commit: commit.to_string(),
        verdict: sealed.signed.verdict,
    };
    run.decide(scope.key("sealed")?, fact).await?;
    Ok(())
}

/// A seal as the repository holds it.
struct Before {
    statement: SealStatement,
    envelope: Vec<u8>,
}

/// The seal that a commit carries, the `number`-th of the build.
async fn judged_before(
    run: &Run,
    place: &Place,
    (commit, number): (&CommitId, usize),
) -> Result<Before, RunError> {
    let wrong = |problem: &dyn std::fmt::Display| unusable(run, problem);
    let file = numbered_seal_file(&run.id().short(), number);
    let file = RepoPath::new(file).map_err(|error| wrong(&error))?;
    let most = gavel_build::MAX_ENVELOPE_BYTES;
    let found = place.repository.file_at(commit, &file, most).await;
    let envelope = match found.map_err(|error| wrong(&error))? {
        FileAt::File(bytes) => bytes,
        FileAt::TooLarge | FileAt::NotAFile | FileAt::Missing => {
            return Err(wrong(&format!("the commit {commit} has no seal at {file}")));
        }
    };
    let (statement, _) = open_seal(&envelope).map_err(|problem| wrong(&problem))?;
    Ok(Before {
        statement,
        envelope,
    })
}

fn parsed(run: &Run, id: &str) -> Result<CommitId, RunError> {
    id.parse::<CommitId>()
        .map_err(|error| unusable(run, &error))
}

#[cfg(test)]
mod tests {
    use gavel_domain::{Digest, Epoch, Fact, Key, RecordDraft, RunId, Seq};

    use super::*;

    fn record(seq: u64, key: &str, fact: &impl Fact) -> Record {
        let run: RunId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        let draft = RecordDraft::new(Key::new(key).unwrap().outcome(), fact).unwrap();
        let at = "2026-11-15T12:00:00Z".parse().unwrap();
        draft.place(run, (Seq(seq), Epoch(1)), at, Digest::ZERO)
    }

    fn sealed(commit: &str) -> Sealed {
        Sealed {
            branch: "gavel/build-1".to_owned(),
            commit: commit.to_owned(),
            verdict: "conditional".to_owned(),
        }
    }

    #[test]
    fn an_approval_waits_until_its_seal_is_done() {
        let approved = SealApproved {
            by: Speaker::PERSON,
            seal: "s1".to_owned(),
            judged: "j".to_owned(),
        };
        let records = [
            record(1, "seal-1/sealed", &sealed("s1")),
            record(2, "later-approval-1/approved", &approved),
            record(3, "later-approval-1/sealed", &sealed("s2")),
        ];
        let upto = |number: usize| SealsMade::of(records.iter().take(number));
        assert_eq!((upto(1).commits.len(), upto(1).pending), (1, None));
        assert_eq!(
            (upto(2).commits.len(), upto(2).pending),
            (1, Some(approved))
        );
        assert_eq!(
            (upto(3).commits, upto(3).pending),
            (vec!["s1".to_owned(), "s2".to_owned()], None)
        );
    }
}
