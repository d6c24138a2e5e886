//! A seal for tests.

use std::collections::BTreeMap;

use gavel_domain::{ContractKind, Digest, GateCondition, MicroUsd, SandboxLevel, Seq, Tokens};
use gavel_workspace::TreeId;

use super::{
    SealCommand, SealContract, SealCriterion, SealJournal, SealKey, SealPredicate, SealSpend,
    SealStatement, Signer,
};

pub(super) const BRANCH: &str = "gavel/build-1";
pub(super) const CONTRACT: &str = ".gavel/contracts/schema.md";
pub(super) const SCHEMA: &str = "# Schema\n";

/// A statement about a commit and its tree, to be signed with this key.
pub(super) fn statement(tree: &TreeId, judged: &str, key: &SealKey) -> SealStatement {
    let contract = SealContract {
        file: CONTRACT.to_owned(),
        blake3: Digest::of(SCHEMA),
    };
    let predicate = SealPredicate {
        format: None,
        build: "1".to_owned(),
        run: "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap(),
        gavel: "0.1.0".to_owned(),
        sealed_at: "2026-11-15T12:00:00Z".parse().unwrap(),
        branch: BRANCH.to_owned(),
        base_commit: "b".repeat(40),
        judged_commit: judged.to_owned(),
        verdict: gavel_rules::SealVerdict::Conditional,
        score: 1000,
        reasons: vec!["nobody debated it".to_owned()],
        left_out: vec!["debate: rule-based review only".to_owned()],
        asks: Vec::new(),
        idea: String::new(),
        idea_became: None,
        refuted: Vec::new(),
        approval: None,
        replies: Vec::new(),
        conditions: vec![GateCondition {
            id: "tests_passed".to_owned(),
            holds: true,
            looked_at: 3,
            held: 3,
            reason: String::new(),
        }],
        criteria: vec![SealCriterion {
            id: "c1".to_owned(),
            statement: "a note can be added".to_owned(),
            evidence: "test c1_a_note_can_be_added".to_owned(),
            holds: true,
            standing: None,
            weight: 1,
            proof: Vec::new(),
            rank: None,
            caught: String::new(),
        }],
        proof: None,
        contracts: BTreeMap::from([(ContractKind::Schema, contract)]),
        journal: SealJournal {
            seq: Seq(70),
            head: Digest::of("head"),
        },
        commands: vec![SealCommand {
            argv: vec!["cargo".to_owned(), "test".to_owned()],
            exit: Some(0),
            output_blake3: Digest::of("ok"),
            level: SandboxLevel::Landlock,
            millis: 900,
        }],
        models: vec!["offline".to_owned()],
        spend: SealSpend {
            usd: Some(MicroUsd(4_200)),
            unpriced_calls: 0,
            unmetered_calls: 0,
            reported_calls: 0,
            unconfirmed_usd: MicroUsd::ZERO,
            calls: 12,
            input_tokens: Tokens(1_000),
            output_tokens: Tokens(200),
            sources: Vec::new(),
        },
        follows: None,
        signer: Signer {
            public_key: key.public(),
        },
    };
    SealStatement::new(tree, predicate)
}
