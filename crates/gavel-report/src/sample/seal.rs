//! A real envelope.

use std::collections::BTreeMap;

use gavel_build::{
    SealCommand, SealJournal, SealKey, SealPredicate, SealSpend, SealStatement, Signer, sign_seal,
};
use gavel_domain::{Digest, MicroUsd, SandboxLevel, Seq, Tokens};
use gavel_workspace::TreeId;

/// The text of an envelope, and the id of the key that signed it.
pub(super) fn envelope() -> (String, String) {
    let (_, key) = SealKey::generate().unwrap();
    let tree: TreeId = "4b825dc642cb6eb9a060e54bf8d69288fbee4904".parse().unwrap();
    let predicate = SealPredicate {
        format: None,
        build: "099a8057".to_owned(),
        run: "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap(),
        gavel: "0.1.0".to_owned(),
        sealed_at: "2026-11-15T12:00:00Z".parse().unwrap(),
        branch: "gavel/build-099a8057".to_owned(),
        base_commit: "b".repeat(40),
        judged_commit: "4".repeat(40),
        verdict: gavel_rules::SealVerdict::Conditional,
        score: 1_000,
        reasons: vec!["left out: debate: rule-based review only".to_owned()],
        left_out: vec!["debate: rule-based review only".to_owned()],
        asks: Vec::new(),
        idea_became: None,
        idea: String::new(),
        refuted: Vec::new(),
        approval: None,
        replies: Vec::new(),
        conditions: Vec::new(),
        criteria: Vec::new(),
        proof: None,
        contracts: BTreeMap::new(),
        journal: SealJournal {
            seq: Seq(70),
            head: Digest::of("head"),
        },
        commands: vec![SealCommand {
            argv: ["cargo", "test", "--offline"].map(str::to_owned).to_vec(),
            exit: Some(0),
            output_blake3: Digest::of("ok"),
            level: SandboxLevel::Landlock,
            millis: 900,
        }],
        models: vec!["offline/rules".to_owned()],
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
    let statement = SealStatement::new(&tree, predicate);
    let bytes = sign_seal(&statement, &key).unwrap();
    (String::from_utf8(bytes).unwrap(), key.public().id())
}
