//! What a seal says: an in-toto statement about one tree.
//!
//! The JSON is deterministic: fields in this order, ordered maps, no floating numbers.

use std::collections::BTreeMap;

use gavel_domain::{
    ApprovalRule, Approver, AskAccount, ContractKind, CriterionStanding, Digest, EvidenceRank,
    EvidenceRef, GateCondition, MicroUsd, RunId, SandboxLevel, Seq, SourceUse, Timestamp, Tokens,
};
use gavel_rules::SealVerdict;
use gavel_workspace::{RepoPath, TreeId};
use serde::{Deserialize, Serialize};

use super::branch::ends_in_build;
use super::key::PublicKey;

/// The `_type` of every statement.
const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The kind of what is stated.
const PREDICATE_TYPE: &str = "urn:gavel:seal:v1";
/// Everything that was asked was shown.
const FULL_SCORE: u32 = 1000;

/// An in-toto Statement v1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealStatement {
    /// Always the type of in-toto statements.
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// What it speaks about: one branch, by the tree of the judged commit.
    pub subject: Vec<SealSubject>,
    /// Always the type of seals.
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// What is said about it.
    pub predicate: SealPredicate,
}

/// What a statement speaks about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealSubject {
    /// The branch.
    pub name: String,
    /// Its content.
    pub digest: SubjectDigest,
}

/// The content of a subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectDigest {
    /// The id of the git tree.
    #[serde(rename = "gitTree")]
    pub git_tree: String,
}

/// What a seal says about its subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealPredicate {
    /// Which parts have to be there, and so what follows from what; none in seals from before formats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<u32>,
    /// The build: what stands after `build-` in the branch, and before the ending of the file.
    pub build: String,
    /// The run.
    pub run: RunId,
    /// The version of Gavel that made it.
    pub gavel: String,
    /// When it was signed, by the signer's clock.
    pub sealed_at: Timestamp,
    /// What the person asked for, in their words; empty in seals from before it was kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub idea: String,
    /// What was worked from in the end, with what they added, said in other words or left out; none
    /// where it stayed as it was, and in seals from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idea_became: Option<String>,
    /// Who agreed to ship it; none in seals from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<SealApproval>,
    /// The branch.
    pub branch: String,
    /// The commit that the build began with.
    pub base_commit: String,
    /// The commit that was judged: the parent of the seal commit.
    pub judged_commit: String,
    /// What it comes to.
    pub verdict: SealVerdict,
    /// The share of what was asked that was shown, in thousandths.
    pub score: u32,
    /// Why it is not better.
    pub reasons: Vec<String>,
    /// What the run did without, for example `debate: rule-based review only`.
    pub left_out: Vec<String>,
    /// The conditions of the done gate.
    pub conditions: Vec<GateCondition>,
    /// What was shown for each criterion.
    pub criteria: Vec<SealCriterion>,
    /// What was asked for in the person's own words, and what became of each; none in seals from
    /// before it was kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<AskAccount>,
    /// Assumptions that the plan rested on and that were refuted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refuted: Vec<SealRefuted>,
    /// What Gavel proved by itself; none in seals from before it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<SealProof>,
    /// The contracts that the build was held to, as files of the judged tree.
    pub contracts: BTreeMap<ContractKind, SealContract>,
    /// Where the run's journal stood.
    pub journal: SealJournal,
    /// The commands of the verification that counts.
    pub commands: Vec<SealCommand>,
    /// The models that replied, `provider/model`; in the first seals those that were chosen.
    pub models: Vec<String>,
    /// How often each replied in each role; empty in seals from before it was counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<SealReplies>,
    /// What the run had spent.
    pub spend: SealSpend,
    /// The seal that this one follows, where a person looked at the result after it was sealed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<SealBefore>,
    /// Who signed.
    pub signer: Signer,
}

/// Who agreed to ship a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealApproval {
    /// Who.
    pub by: Approver,
    /// When.
    pub at: Timestamp,
    /// The rule, where a rule of the person's own settings did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<ApprovalRule>,
}

/// The seal that another one follows, over the same judged tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealBefore {
    /// The commit that carries it: the parent of the later one's commit.
    pub commit: String,
    /// The digest of its envelope.
    pub blake3: Digest,
}

/// An assumption that the plan rested on and that was refuted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealRefuted {
    /// What was assumed.
    pub claim: String,
    /// How the run went on without it.
    pub settled: Option<String>,
}

/// How often a model replied in a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealReplies {
    /// `provider/model`.
    pub model: String,
    /// The role.
    pub role: String,
    /// How often.
    pub replies: u64,
}

/// A criterion and what was shown for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealCriterion {
    /// Its id.
    pub id: String,
    /// What it demands.
    pub statement: String,
    /// What shows it, for example the name of a test; empty when nothing does.
    pub evidence: String,
    /// True when it was shown.
    pub holds: bool,
    /// How far it holds; the first seals say it by `holds` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<CriterionStanding>,
    /// Its weight in the score.
    #[serde(default = "one")]
    pub weight: u32,
    /// What shows it, each of which was looked up and found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proof: Vec<EvidenceRef>,
    /// How firmly it was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<EvidenceRank>,
    /// A fault that its test caught.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub caught: String,
}

/// What Gavel proved by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealProof {
    /// How many criteria were shown how firmly.
    pub evidence_ranks: BTreeMap<EvidenceRank, u32>,
    /// Faults that tests of criteria were tried with.
    pub mutants: u32,
    /// Those that a test caught.
    pub killed: u32,
    /// Criteria whose test no fault made fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hollow: Vec<String>,
    /// What tests from before the run made of faults; none where none was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_tests: Option<SealKeptTests>,
    /// How many faults were to be tried for each criterion, and for how many seconds in all.
    pub mutants_per_criterion: u32,
    /// The time for all of them, in seconds.
    pub seconds: u64,
    /// Findings about tests and settings that somebody released, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub released: Vec<String>,
    /// What the contracts say and no rule can check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<String>,
}

/// What tests from before the run made of faults in the result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealKeptTests {
    /// Those that were tried.
    pub tried: u32,
    /// Those that noticed a fault.
    pub biting: u32,
    /// Those that noticed none before the run either.
    pub hollow_before: u32,
    /// Those of which nothing could be told.
    pub not_measured: u32,
}

const fn one() -> u32 {
    1
}

/// A contract as a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealContract {
    /// Its place in the judged tree.
    pub file: String,
    /// The digest of its bytes.
    pub blake3: Digest,
}

/// Where a journal stood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealJournal {
    /// The last record.
    pub seq: Seq,
    /// The digest of its chain up to there.
    pub head: Digest,
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealCommand {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Its exit code; none when a signal or the deadline ended it.
    pub exit: Option<i32>,
    /// The digest of its recorded output.
    pub output_blake3: Digest,
    /// How strongly it was confined.
    pub level: SandboxLevel,
    /// How long it ran.
    pub millis: u64,
}

/// What was spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealSpend {
    /// Dollars that are known, as an exact decimal text; null when of all that was spent nothing is known.
    #[serde(with = "maybe_decimal")]
    pub usd: Option<MicroUsd>,
    /// The part of it that nobody confirmed.
    #[serde(with = "decimal")]
    pub unconfirmed_usd: MicroUsd,
    /// Model calls.
    pub calls: u64,
    /// Those of them whose price is not known.
    #[serde(default)]
    pub unpriced_calls: u64,
    /// Those of which nobody counts anything.
    #[serde(default)]
    pub unmetered_calls: u64,
    /// Those for which an agent's own figures are taken.
    #[serde(default)]
    pub reported_calls: u64,
    /// Tokens read.
    pub input_tokens: Tokens,
    /// Tokens written.
    pub output_tokens: Tokens,
    /// Sources outside the project that were asked, of which nobody counts anything, and those that
    /// nobody agreed to ask.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceUse>,
}

/// Who signed a seal; whether that key is known is for the reader to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signer {
    /// The key that checks the signature.
    pub public_key: PublicKey,
}

/// A statement that contradicts itself, or is none of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StatementProblem {
    /// Another type, or a later version of it.
    #[error("the {what} is `{found}`, which this version does not read")]
    Type {
        /// `_type` or `predicateType`.
        what: &'static str,
        /// What it is.
        found: String,
    },
    /// It does not speak about exactly one branch.
    #[error("it speaks about {0} subjects, not about one")]
    Subjects(usize),
    /// The branch is named twice, differently.
    #[error("it speaks about `{subject}` and about the branch `{branch}`")]
    Branch {
        /// The subject.
        subject: String,
        /// The predicate's branch.
        branch: String,
    },
    /// The build is not the branch's.
    #[error("the build `{build}` is not that of the branch `{branch}`")]
    Build {
        /// The build.
        build: String,
        /// The branch.
        branch: String,
    },
    /// The score is outside of 0 to 1000.
    #[error("the score is {0}, and 1000 is the highest")]
    Score(u32),
    /// A contract lies at no place in a tree.
    #[error("the contract {kind} lies at `{file}`, which is no file of a tree")]
    ContractFile {
        /// Which.
        kind: ContractKind,
        /// Its place.
        file: String,
    },
}

impl SealStatement {
    /// States something about a tree.
    pub fn new(tree: &TreeId, predicate: SealPredicate) -> Self {
        Self {
            statement_type: STATEMENT_TYPE.to_owned(),
            subject: vec![SealSubject {
                name: predicate.branch.clone(),
                digest: SubjectDigest {
                    git_tree: tree.to_string(),
                },
            }],
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate,
        }
    }

    /// The tree that it speaks about.
    pub fn tree(&self) -> Option<&str> {
        let subject = self.subject.first();
        subject.map(|subject| subject.digest.git_tree.as_str())
    }

    /// Looks for what contradicts itself; called before signing and after opening.
    pub fn check(&self) -> Result<(), StatementProblem> {
        for (what, found, expected) in [
            ("_type", &self.statement_type, STATEMENT_TYPE),
            ("predicateType", &self.predicate_type, PREDICATE_TYPE),
        ] {
            if found != expected {
                let found = found.chars().take(80).collect();
                return Err(StatementProblem::Type { what, found });
            }
        }
        let [subject] = self.subject.as_slice() else {
            return Err(StatementProblem::Subjects(self.subject.len()));
        };
        let SealPredicate { branch, build, .. } = &self.predicate;
        if subject.name != *branch {
            let (subject, branch) = (subject.name.clone(), branch.clone());
            return Err(StatementProblem::Branch { subject, branch });
        }
        if !ends_in_build(branch, build) {
            let (build, branch) = (build.clone(), branch.clone());
            return Err(StatementProblem::Build { build, branch });
        }
        if self.predicate.score > FULL_SCORE {
            return Err(StatementProblem::Score(self.predicate.score));
        }
        for (kind, contract) in &self.predicate.contracts {
            if RepoPath::new(contract.file.clone()).is_err() {
                let (kind, file) = (*kind, contract.file.clone());
                return Err(StatementProblem::ContractFile { kind, file });
            }
        }
        Ok(())
    }
}

/// Money as an exact decimal text: JSON numbers are read as floating ones by many programs.
mod decimal {
    use gavel_domain::MicroUsd;
    use serde::{Deserialize, Deserializer, Serializer, de};

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde calls it with a reference"
    )]
    pub(super) fn serialize<S: Serializer>(usd: &MicroUsd, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&usd.to_decimal())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<MicroUsd, D::Error> {
        let text = String::deserialize(from)?;
        MicroUsd::parse_dollars(&text)
            .ok_or_else(|| de::Error::custom("dollars are written like 0.25"))
    }
}

/// The same, where nothing may be known.
mod maybe_decimal {
    use gavel_domain::MicroUsd;
    use serde::{Deserialize, Deserializer, Serializer, de};

    #[expect(clippy::ref_option, reason = "serde calls it with a reference")]
    pub(super) fn serialize<S: Serializer>(
        usd: &Option<MicroUsd>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match usd {
            Some(usd) => to.serialize_str(&usd.to_decimal()),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<MicroUsd>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| {
            MicroUsd::parse_dollars(&text)
                .ok_or_else(|| de::Error::custom("dollars are written like 0.25"))
        })
        .transpose()
    }
}
