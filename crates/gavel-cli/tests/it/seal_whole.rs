//! Statements with every part: what follows from what, each lie beside its honest twin, whoever signed it;
//! envelopes of older formats; and a checkout with uncommitted changes.

use gavel_build::{SealApproval, SealPredicate, SealProof, SealRefuted, SealReplies};
use gavel_domain::{
    Approver, Ask, AskAccount, AskSource, AskStanding, CriterionStanding, EvidenceRank,
    EvidenceRef, GateCondition, MicroUsd, SandboxLevel,
};
use gavel_rules::{Omission, SealFormat, SealVerdict, Settlement, leave_out, unserved_line};
use serde_json::{Value, json};

use crate::bench::Ended;
use crate::seal::{BRANCH, Desk};

const CONDITIONS: [&str; 15] = [
    "engineering_floor",
    "evidence",
    "weighted_score",
    "assumption_ledger",
    "owner_customer",
    "user_approval",
    "phases_complete",
    "no_open_errors",
    "audited",
    "contracts_pinned",
    "branch_is_ours",
    "tests_unharmed",
    "base_tests",
    "fix_shown",
    "contracts_kept",
];

/// Signs a whole statement about the branch, changed in this, and checks it with the key that signed.
fn check(change: impl FnOnce(&mut SealPredicate)) -> Ended {
    let desk = sealed(change);
    let key = desk.key.public().to_string();
    desk.run(&["seal", "verify", "--key", &key, BRANCH])
}

fn sealed(change: impl FnOnce(&mut SealPredicate)) -> Desk {
    let desk = Desk::new();
    desk.git(&["checkout", "-q", BRANCH]);
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    desk.seal_with(&desk.key, |seal| {
        certify(seal);
        change(seal);
        if seal.reasons.is_empty() {
            seal.reasons = reasons(seal);
        }
    });
    desk
}

/// What a run of today says when two models worked and a person looked.
fn certify(seal: &mut SealPredicate) {
    seal.format = Some(SealFormat::NOW);
    seal.verdict = SealVerdict::Certified;
    seal.reasons.clear();
    seal.left_out = vec![Omission::Coverage.to_string()];
    seal.idea = "a list of notes with tags".to_owned();
    seal.asks = vec![
        ask("a1", "a list of notes", covered()),
        ask("a2", "with tags", covered()),
    ];
    seal.approval = Some(SealApproval {
        by: Approver::Person,
        at: seal.sealed_at,
        rule: None,
    });
    let condition = |id: &str| GateCondition {
        id: id.to_owned(),
        holds: true,
        looked_at: 1,
        held: 1,
        reason: String::new(),
    };
    seal.conditions = CONDITIONS.map(condition).to_vec();
    let criterion = &mut seal.criteria[0];
    criterion.standing = Some(CriterionStanding::Met);
    criterion.rank = Some(EvidenceRank::Executed);
    criterion.proof = vec![EvidenceRef::Example {
        runs: 3,
        changes: None,
    }];
    criterion.evidence = "its example, executed 3 times, also with other values".to_owned();
    seal.proof = Some(SealProof {
        evidence_ranks: [(EvidenceRank::Executed, 1)].into(),
        mutants: 3,
        killed: 3,
        mutants_per_criterion: 3,
        seconds: 600,
        ..SealProof::default()
    });
    seal.commands = vec![gavel_build::SealCommand {
        argv: vec!["cargo".to_owned(), "test".to_owned()],
        exit: Some(0),
        output_blake3: gavel_domain::Digest::of("ok"),
        level: SandboxLevel::Landlock,
        millis: 900,
    }];
    replied(
        seal,
        &[
            ("x/one", "coder"),
            ("x/one", "leader"),
            ("x/one", "stance"),
            ("y/two", "auditor"),
            ("y/two", "stance"),
        ],
    );
}

/// Why its verdict is no better, as its own parts give it.
fn reasons(seal: &SealPredicate) -> Vec<String> {
    let certified = seal.verdict == SealVerdict::Certified;
    let holds = certified.then(|| "every condition holds".to_owned());
    let lines = seal.left_out.iter();
    let lines = lines.filter(|line| Omission::of_line(line).is_some());
    let lines = lines.map(|line| format!("left out: {line}"));
    holds.into_iter().chain(lines).collect()
}

/// One reply of each.
fn replied(seal: &mut SealPredicate, who: &[(&str, &str)]) {
    let replies = who.iter().map(|(model, role)| SealReplies {
        model: (*model).to_owned(),
        role: (*role).to_owned(),
        replies: 1,
    });
    seal.replies = replies.collect();
    seal.models = who.iter().map(|(model, _)| (*model).to_owned()).collect();
    seal.models.sort_unstable();
    seal.models.dedup();
    seal.spend.calls = u64::try_from(who.len()).unwrap();
}

fn covered() -> AskStanding {
    AskStanding::Covered {
        criteria: vec!["c1".to_owned()],
    }
}

fn ask(id: &str, text: &str, standing: AskStanding) -> AskAccount {
    AskAccount {
        ask: Ask {
            id: id.to_owned(),
            text: text.to_owned(),
            source: AskSource::Idea,
            reworded_as: Vec::new(),
        },
        standing,
    }
}

/// Says that this was left out, which makes it conditional.
fn without(seal: &mut SealPredicate, omissions: &[Omission]) {
    let lines = omissions.iter().map(ToString::to_string);
    seal.left_out.extend(lines);
    seal.left_out
        .extend(seal.asks.iter().filter_map(unserved_line));
    seal.verdict = SealVerdict::Conditional;
}

fn excluded(agreed: bool) -> AskStanding {
    AskStanding::Excluded {
        reason: "later".to_owned(),
        agreed,
    }
}

type Change = fn(&mut SealPredicate);

/// A name, what is said of the lie, the lie, and what an honest run would say instead.
type Case = (&'static str, &'static str, Change, Change);

fn cases_of_parts() -> Vec<Case> {
    vec![
        (
            "A: nearly nothing",
            "it does not say who approved",
            |seal| {
                seal.approval = None;
                seal.proof = None;
                seal.asks.clear();
                seal.conditions.truncate(1);
                seal.commands.clear();
            },
            |_| (),
        ),
        (
            "B: no asks",
            "the idea says \"a list of notes with tags\", and no ask does",
            |seal| seal.asks.clear(),
            |seal| {
                seal.asks[1].standing = AskStanding::Open;
                without(seal, &[Omission::OpenAsks(1)]);
            },
        ),
        (
            "C: rules coded and audited",
            "nobody but the coder's model and rules replied as auditor",
            |seal| {
                replied(
                    seal,
                    &[
                        ("offline", "auditor"),
                        ("offline", "coder"),
                        ("offline", "leader"),
                    ],
                );
            },
            |seal| {
                replied(
                    seal,
                    &[
                        ("offline", "auditor"),
                        ("offline", "coder"),
                        ("offline", "leader"),
                    ],
                );
                without(
                    seal,
                    &[
                        Omission::Debate,
                        Omission::IndependentAudit,
                        Omission::Customer,
                    ],
                );
            },
        ),
        (
            "D: fewer asks",
            "the idea says \"with tags\", and no ask does",
            |seal| drop(seal.asks.pop()),
            |seal| seal.idea = "a list of notes, with tags.".to_owned(),
        ),
        (
            "E: trust me",
            "called executed by Gavel, by no evidence that was looked up",
            |seal| {
                seal.criteria[0].evidence = "trust me".to_owned();
                seal.criteria[0].proof.clear();
                seal.commands.clear();
            },
            |_| (),
        ),
    ]
}

fn cases_of_what_happened() -> Vec<Case> {
    vec![
        (
            "F: a failed command without walls",
            "no command that it names ended with 0",
            |seal| {
                seal.commands[0].exit = Some(101);
                seal.commands[0].level = SandboxLevel::None;
            },
            |seal| {
                seal.commands[0].level = SandboxLevel::None;
                without(seal, &[Omission::Sandbox]);
            },
        ),
        (
            "H: refuted and unsettled",
            "\"it fits into memory\" was refuted and not settled",
            |seal| {
                seal.refuted = vec![SealRefuted {
                    claim: "it fits into memory".to_owned(),
                    settled: None,
                }];
            },
            |seal| {
                seal.refuted = vec![SealRefuted {
                    claim: "it fits into memory".to_owned(),
                    settled: Some(Settlement::ChangedSpec.to_string()),
                }];
            },
        ),
        (
            "I: hollow",
            "can be `conditional` at most: tests of criteria are hollow",
            |seal| seal.proof.as_mut().unwrap().hollow.push("c1".to_owned()),
            |seal| {
                seal.proof.as_mut().unwrap().hollow.push("c1".to_owned());
                without(seal, &[Omission::HollowTests(1)]);
            },
        ),
        (
            "J: nothing known is not nothing",
            "it says that $0 is known to be spent, and nobody knows the price of 5 calls",
            |seal| {
                seal.spend.usd = Some(MicroUsd::ZERO);
                seal.spend.unpriced_calls = 5;
            },
            |seal| {
                seal.spend.usd = None;
                seal.spend.unpriced_calls = 5;
            },
        ),
        (
            "K: left out, and nobody agreed",
            "something that was asked for is left out, and nobody agreed",
            |seal| seal.asks[1].standing = excluded(false),
            |seal| seal.asks[1].standing = excluded(true),
        ),
        (
            "K, conditional: left out, and not named",
            "asked: 1 thing left out, and nobody agreed",
            |seal| {
                seal.asks[1].standing = excluded(false);
                seal.verdict = SealVerdict::Conditional;
            },
            |seal| {
                seal.asks[1].standing = excluded(false);
                without(seal, &[Omission::LeftOutAsks(1)]);
            },
        ),
    ]
}

fn cases_of_words() -> Vec<Case> {
    vec![
        (
            "L: words hidden in the idea",
            "the idea says \"To be left out: a password\", and no ask does",
            |seal| seal.idea = leave_out(&seal.idea, &["a password".to_owned()]),
            |seal| {
                seal.idea_became = Some(leave_out(&seal.idea, &["with tags".to_owned()]));
                seal.asks[1].standing = excluded(true);
            },
        ),
        (
            "M: words hidden in what it became",
            "the idea in the end says \"a password\", and no ask does",
            |seal| seal.idea_became = Some(leave_out(&seal.idea, &["a password".to_owned()])),
            |seal| seal.idea_became = Some(seal.idea.clone()),
        ),
        (
            "N: a reason of nobody",
            "the reason \"ten experts looked at it\", which follows from nothing",
            |seal| {
                seal.reasons = reasons(seal);
                seal.reasons.push("ten experts looked at it".to_owned());
            },
            |seal| seal.reasons = reasons(seal),
        ),
        (
            "O: a line that no ask gives",
            "and its asks do not",
            |seal| {
                let line = "asked, and left out: \"with colours\" (later)";
                seal.left_out.push(line.to_owned());
                seal.verdict = SealVerdict::Conditional;
            },
            |seal| {
                seal.asks[1].standing = excluded(false);
                without(seal, &[Omission::LeftOutAsks(1)]);
            },
        ),
        (
            "P: settled by somebody",
            "\"somebody looked\" settles nothing",
            |seal| {
                seal.refuted = vec![SealRefuted {
                    claim: "it fits into memory".to_owned(),
                    settled: Some("somebody looked".to_owned()),
                }];
            },
            |seal| {
                seal.refuted = vec![SealRefuted {
                    claim: "it fits into memory".to_owned(),
                    settled: Some(Settlement::Person.to_string()),
                }];
            },
        ),
        (
            "Q: a small change by its line alone",
            "fewer than two models replied in a debate",
            |seal| {
                replied(seal, &SMALL);
                without(seal, &[Omission::SmallChange, Omission::IndependentAudit]);
            },
            |seal| {
                replied(seal, &SMALL);
                for one in &mut seal.conditions {
                    let of_council = [
                        "assumption_ledger",
                        "owner_customer",
                        "phases_complete",
                        "audited",
                    ];
                    if of_council.contains(&one.id.as_str()) {
                        (one.looked_at, one.held) = (0, 0);
                        one.reason = GateCondition::NOT_APPLICABLE.to_owned();
                    }
                }
                without(seal, &[Omission::SmallChange, Omission::Audit]);
            },
        ),
    ]
}

/// Who replies in a small change.
const SMALL: [(&str, &str); 2] = [("x/one", "coder"), ("x/one", "leader")];

#[test]
fn every_lie_is_refused_by_name_and_its_honest_twin_is_not() {
    let cases = [cases_of_parts(), cases_of_what_happened(), cases_of_words()];
    for (name, told, lie, honest) in cases.into_iter().flatten() {
        let lied = check(lie);
        assert_eq!(lied.code, Some(5), "{name}: {lied:?}");
        let words: Vec<&str> = lied.stdout.split_whitespace().collect();
        assert!(words.join(" ").contains(told), "{name}: {lied:?}");
        assert!(lied.stdout.starts_with("NOT valid"), "{name}: {lied:?}");
        let told = check(honest);
        assert_eq!(told.code, Some(0), "{name}: {told:?}");
        assert!(!told.stdout.contains("unchecked"), "{name}: {told:?}");
    }
}

fn json_of(desk: &Desk) -> Value {
    let key = desk.key.public().to_string();
    let ended = desk.run(&["--json", "seal", "verify", "--key", &key, BRANCH]);
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn a_statement_without_a_format_is_held_to_what_it_says_and_the_rest_is_named() {
    // A forger who drops the format is told apart from a seal of today.
    let older = sealed(|seal| {
        seal.format = None;
        seal.asks.clear();
    });
    let key = older.key.public().to_string();
    let told = older.run(&["seal", "verify", "--key", &key, BRANCH]);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(told.stdout.contains("unchecked"), "{told:?}");
    let data = json_of(&older);
    assert_eq!(data["format"], 1);
    let unchecked = data["not_checked"].as_array().unwrap();
    assert!(unchecked[0].as_str().unwrap().contains("asks"), "{data:#}");
    let today = json_of(&sealed(|_| ()));
    assert_eq!(
        (&today["format"], &today["not_checked"]),
        (&json!(2), &json!([]))
    );
    assert_eq!(today["verdict"], "certified");
    // What follows from parts that are there is asked of every format.
    for (told, lie) in [
        (
            "names no command that ended with 0",
            (|seal| seal.commands.clear()) as Change,
        ),
        ("hollow", |seal| {
            seal.proof.as_mut().unwrap().hollow.push("c1".to_owned());
        }),
        ("nobody but the coder's model and rules", |seal| {
            replied(seal, &[("offline", "auditor"), ("offline", "coder")]);
        }),
        ("by no evidence that was looked up", |seal| {
            seal.criteria[0].proof.clear();
        }),
        ("$0 is known", |seal| {
            seal.spend.usd = Some(MicroUsd::ZERO);
            seal.spend.unpriced_calls = 5;
        }),
    ] {
        let ended = check(|seal| {
            seal.format = None;
            lie(seal);
        });
        assert_eq!(ended.code, Some(5), "{told}: {ended:?}");
        assert!(ended.stdout.contains(told), "{told}: {ended:?}");
    }
}

#[test]
fn uncommitted_changes_are_said_and_change_no_exit_code() {
    let desk = sealed(|_| ());
    let data = json_of(&desk);
    assert_eq!(
        (&data["dirty"], &data["uncommitted"]),
        (&json!(false), &json!([]))
    );
    desk.put("src/main.rs", "fn main() { steal() }\n");
    desk.put("notes.txt", "mine\n");
    let key = desk.key.public().to_string();
    let told = desk.run(&["seal", "verify", "--key", &key, BRANCH]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let line = "this checkout has uncommitted changes, about which no seal says anything: notes.txt, src/main.rs";
    assert!(told.stdout.contains(line), "{told:?}");
    let data = json_of(&desk);
    assert_eq!(data["dirty"], true);
    assert_eq!(data["uncommitted"], json!(["notes.txt", "src/main.rs"]));
}

/// Who signed the seals that are kept.
const KEPT_KEY: &str = "ed25519:A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";

/// Envelopes of before formats, with the fields of their time: before ranks, before asks, before it was
/// kept who approved, and before a format was signed.
#[test]
fn seals_from_before_formats_hold_for_what_they_say() {
    let kept = [
        (
            include_str!("seals/six-conditions.dsse.json"),
            "certified",
            5,
        ),
        (include_str!("seals/ranks.dsse.json"), "certified", 5),
        (include_str!("seals/asks.dsse.json"), "certified", 5),
        (include_str!("seals/approval.dsse.json"), "conditional", 4),
    ];
    for (envelope, verdict, unchecked) in kept {
        let desk = Desk::new();
        desk.git(&["checkout", "-q", BRANCH]);
        desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
        desk.put(&gavel_build::seal_file("1a2b"), envelope);
        desk.commit("[gavel] seal");
        let known = desk.run(&["--json", "seal", "verify", "--key", KEPT_KEY, BRANCH]);
        assert_eq!(known.code, Some(0), "{known:?}");
        let data: Value = serde_json::from_str(&known.stdout).unwrap();
        assert_eq!(data["verdict"], verdict, "{data:#}");
        assert_eq!(data["format"], 1, "{data:#}");
        assert_eq!(data["not_checked"].as_array().unwrap().len(), unchecked);
        let card = desk.run(&["seal", "verify", BRANCH]);
        assert_eq!(card.code, Some(6), "{card:?}");
        let line = "unchecked  whether the asks are all that the idea asks for";
        let words: Vec<&str> = card.stdout.split_whitespace().collect();
        let wanted: Vec<&str> = line.split_whitespace().collect();
        assert!(words.join(" ").contains(&wanted.join(" ")), "{card:?}");
        // One letter is another seal.
        desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
        let changed = envelope.replacen("\"keyid\": \"9", "\"keyid\": \"8", 1);
        desk.put(&gavel_build::seal_file("1a2b"), changed);
        desk.commit("[gavel] seal");
        let told = desk.run(&["seal", "verify", "--key", KEPT_KEY, BRANCH]);
        assert_eq!(told.code, Some(5), "{told:?}");
    }
}
