use super::*;
use gavel_domain::{Ask, AskSource, ClaimDoubt, EvidenceRef};

struct Sealed {
    verdict: SealVerdict,
    score: u32,
    conditions: Vec<GateCondition>,
    criteria: Vec<CriterionJudged>,
    asks: Vec<AskAccount>,
    left_out: Vec<String>,
    approver: Option<Approver>,
    ranks: BTreeMap<EvidenceRank, u32>,
    mutants: (u32, u32),
    hollow: Vec<String>,
    kept: Option<KeptClaims>,
    format: SealFormat,
    idea: &'static str,
    became: &'static str,
    commands: Vec<CommandClaim>,
    replies: Vec<ReplyClaim<'static>>,
    spend: SpendClaim,
    unsettled: Vec<&'static str>,
    settled: Vec<SettledClaim<'static>>,
    /// Other reasons than those that its parts give.
    reasons: Option<Vec<String>>,
}

const fn reply(model: &'static str, role: &'static str) -> ReplyClaim<'static> {
    ReplyClaim {
        model,
        role,
        replies: 3,
    }
}

fn condition(id: &str) -> GateCondition {
    GateCondition {
        id: id.to_owned(),
        holds: true,
        looked_at: 1,
        held: 1,
        reason: String::new(),
    }
}

impl Sealed {
    /// A certified seal that agrees with itself.
    fn honest() -> Self {
        Self {
            verdict: SealVerdict::Certified,
            score: 1000,
            conditions: SIX.map(condition).to_vec(),
            criteria: vec![CriterionJudged {
                id: "adds".to_owned(),
                standing: CriterionStanding::Met,
                weight: 1,
                note: "adds".to_owned(),
                evidence: vec![EvidenceRef::Test {
                    name: "adds".to_owned(),
                }],
                rank: Some(EvidenceRank::TestBites),
                caught: "+ became -".to_owned(),
            }],
            asks: Vec::new(),
            left_out: vec![
                Omission::Coverage.to_string(),
                "runner: `.cargo/config.toml` was there before".to_owned(),
            ],
            approver: Some(Approver::Person),
            ranks: BTreeMap::from([(EvidenceRank::TestBites, 1)]),
            mutants: (4, 4),
            hollow: Vec::new(),
            kept: None,
            format: SealFormat::First,
            idea: "",
            became: "",
            commands: vec![CommandClaim {
                exit: Some(0),
                level: SandboxLevel::Landlock,
            }],
            replies: Vec::new(),
            spend: SpendClaim {
                known: Some(gavel_domain::MicroUsd(4_200)),
                ..SpendClaim::default()
            },
            unsettled: Vec::new(),
            settled: Vec::new(),
            reasons: None,
        }
    }

    /// The same in the format of today, with every part.
    fn whole() -> Self {
        let others = [
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
        let mut whole = Self::honest();
        whole.conditions.extend(others.map(condition));
        whole.format = SealFormat::Second;
        whole.idea = "a list with tags";
        let covered = || AskStanding::Covered {
            criteria: vec!["adds".to_owned()],
        };
        let first = AskAccount {
            ask: Ask {
                id: "a1".to_owned(),
                text: "a list".to_owned(),
                source: AskSource::Idea,
                reworded_as: Vec::new(),
            },
            standing: covered(),
        };
        let mut second = ask(covered());
        second.ask.id = "a2".to_owned();
        whole.asks = vec![first, second];
        whole.replies = vec![
            reply("x/one", "coder"),
            reply("y/two", "auditor"),
            reply("x/one", "leader"),
            reply("x/one", "stance"),
            reply("y/two", "stance"),
        ];
        whole.spend.calls = 15;
        whole
    }

    fn condition(&mut self, id: &str) -> &mut GateCondition {
        let mut all = self.conditions.iter_mut();
        all.find(|one| one.id == id).unwrap()
    }

    /// Why its verdict is no better, as its parts give it.
    fn own_reasons(&self) -> Vec<String> {
        let lines = self.left_out.iter();
        let lines = lines.filter(|line| Omission::of_line(line).is_some());
        let lines = lines.map(|line| format!("left out: {line}"));
        let certified = self.verdict == SealVerdict::Certified;
        let holds = certified.then(|| "every condition holds".to_owned());
        holds.into_iter().chain(lines).collect()
    }

    fn found(&self) -> Vec<String> {
        let reasons = self.reasons.clone();
        let reasons = reasons.unwrap_or_else(|| self.own_reasons());
        let claims = SealClaims {
            verdict: self.verdict,
            score: self.score,
            reasons: &reasons,
            conditions: &self.conditions,
            criteria: &self.criteria,
            asks: &self.asks,
            left_out: &self.left_out,
            approver: self.approver,
            proof: Some(ProofClaims {
                evidence_ranks: &self.ranks,
                mutants: self.mutants.0,
                killed: self.mutants.1,
                hollow: &self.hollow,
                kept: self.kept,
            }),
            stated: &self.stated(),
        };
        claims.contradictions()
    }

    fn stated(&self) -> StatedParts<'_> {
        let worded = self.criteria.iter().map(|one| one.note.as_str());
        StatedParts {
            format: self.format,
            idea: self.idea,
            became: self.became,
            worded: worded.collect(),
            commands: self.commands.clone(),
            replies: self.replies.clone(),
            models: self.replies.iter().map(|one| one.model).collect(),
            spend: self.spend,
            unsettled: self.unsettled.clone(),
            settled: self.settled.clone(),
            contracts: 9,
        }
    }
}

fn ask(standing: AskStanding) -> AskAccount {
    AskAccount {
        ask: Ask {
            id: "a1".to_owned(),
            text: "with tags".to_owned(),
            source: AskSource::Idea,
            reworded_as: Vec::new(),
        },
        standing,
    }
}

fn claimed(criterion: &str, agreed: bool) -> AskStanding {
    AskStanding::Claimed {
        criteria: vec![criterion.to_owned()],
        doubt: ClaimDoubt::NoSharedWord,
        agreed,
    }
}

#[test]
fn what_agrees_with_itself_passes() {
    assert_eq!(Sealed::honest().found(), Vec::<String>::new());
    let mut agreed = Sealed::honest();
    agreed.asks.push(ask(claimed("adds", true)));
    assert_eq!(agreed.found(), Vec::<String>::new());
    let mut by_flag = Sealed::honest();
    by_flag.verdict = SealVerdict::Conditional;
    by_flag.approver = Some(Approver::YesFlag);
    let approval = by_flag.conditions.last_mut().unwrap();
    approval.reason = "yes_flag".to_owned();
    (approval.looked_at, approval.held) = (0, 0);
    by_flag
        .left_out
        .push(Omission::Approval(Approver::YesFlag).to_string());
    assert_eq!(by_flag.found(), Vec::<String>::new());
}

#[test]
fn less_than_the_parts_allow_may_be_said() {
    let mut modest = Sealed::honest();
    modest.verdict = SealVerdict::Conditional;
    assert_eq!(modest.found(), Vec::<String>::new());
}

/// What is changed in an honest seal, and what is said about it.
type Lie = (&'static str, fn(&mut Sealed), &'static str);

/// Lies about verdict and score.
fn lies_above() -> Vec<Lie> {
    vec![
        (
            "no condition",
            |seal| seal.conditions.clear(),
            "can be `flagged` at most",
        ),
        (
            "none holds",
            |seal| {
                seal.conditions
                    .iter_mut()
                    .for_each(|one| (one.holds, one.held) = (false, 0));
            },
            "can be `flagged` at most: conditions do not hold",
        ),
        (
            "a higher score",
            |seal| seal.criteria[0].standing = CriterionStanding::Partial,
            "its criteria come to 500",
        ),
        (
            "a lower score",
            |seal| seal.score = 900,
            "it says 900 of 1000",
        ),
        (
            "left out",
            |seal| seal.left_out.push(Omission::Debate.to_string()),
            "left out: debate",
        ),
        (
            "words of nobody",
            |seal| seal.left_out.push("nothing that matters".to_owned()),
            "left out: nothing",
        ),
        (
            "a changed runner",
            |seal| seal.left_out.push(Omission::ChangedRunner.to_string()),
            "left out: runner",
        ),
    ]
}

/// Lies about the parts.
fn lies_within() -> Vec<Lie> {
    vec![
        (
            "open ask",
            |seal| seal.asks.push(ask(AskStanding::Open)),
            "asked for is not covered",
        ),
        (
            "claimed ask",
            |seal| seal.asks.push(ask(claimed("adds", false))),
            "covered by the leader's word alone",
        ),
        (
            "claimed by nothing",
            |seal| seal.asks.push(ask(claimed("tags", true))),
            "which is no criterion",
        ),
        (
            "covered by nothing",
            |seal| {
                seal.asks.push(ask(AskStanding::Covered {
                    criteria: vec!["tags".to_owned()],
                }));
            },
            "which is no criterion",
        ),
        (
            "said only",
            |seal| {
                seal.criteria[0].rank = Some(EvidenceRank::Said);
                seal.ranks = BTreeMap::from([(EvidenceRank::Said, 1)]);
            },
            "adds is not shown firmly enough",
        ),
        (
            "other ranks",
            |seal| seal.ranks.clear(),
            "not those of its criteria",
        ),
        ("more caught", |seal| seal.mutants = (4, 5), "5 of 4 faults"),
        (
            "hollow",
            |seal| seal.hollow.push("adds".to_owned()),
            "hollow and biting",
        ),
        (
            "no evidence",
            |seal| {
                seal.criteria[0].evidence.clear();
                seal.criteria[0].note.clear();
            },
            "holds by nothing",
        ),
        (
            "more held",
            |seal| seal.conditions[0].held = 2,
            "2 of 1 things hold",
        ),
        (
            "nobody approved",
            |seal| seal.approver = Some(Approver::YesFlag),
            "says otherwise",
        ),
        (
            "a condition fewer",
            |seal| drop(seal.conditions.remove(4)),
            "does not name the conditions owner_customer",
        ),
    ]
}

#[test]
fn every_contradiction_is_named() {
    for (what, lie, said) in lies_above().into_iter().chain(lies_within()) {
        let mut seal = Sealed::honest();
        lie(&mut seal);
        let found = seal.found();
        assert!(
            found.iter().any(|one| one.contains(said)),
            "{what}: {found:?}"
        );
    }
}

#[test]
fn seals_from_before_are_asked_for_what_they_say() {
    let mut old = Sealed::honest();
    old.approver = None;
    assert_eq!(old.found(), Vec::<String>::new());
    // Those that certify nothing may name fewer conditions.
    old.verdict = SealVerdict::Conditional;
    old.conditions.truncate(2);
    old.commands.clear();
    assert_eq!(old.found(), Vec::<String>::new());
    old.verdict = SealVerdict::Certified;
    let found = old.found().join("; ");
    for told in [
        "names no command that ended with 0",
        "`certified`, without the conditions weighted_score",
    ] {
        assert!(found.contains(told), "{told}: {found}");
    }
}

#[test]
fn a_format_says_what_it_does_not_allow_to_be_checked() {
    let not_checked = |seal: &Sealed| seal.stated().not_checked();
    assert_eq!(not_checked(&Sealed::whole()), Vec::<String>::new());
    let first = not_checked(&Sealed::honest());
    assert_eq!(first.len(), 5, "{first:?}");
    let mut later = Sealed::whole();
    later.format = SealFormat::of(Some(7));
    assert_eq!(
        not_checked(&later),
        ["what format 7 adds: this program knows 2 formats"]
    );
    later.asks.clear();
    assert!(!later.found().is_empty(), "it is held to what is known");
    for (named, format) in [
        (None, SealFormat::First),
        (Some(1), SealFormat::First),
        (Some(SealFormat::NOW), SealFormat::Second),
    ] {
        assert_eq!(SealFormat::of(named), format);
        assert_eq!(format.number(), named.unwrap_or(1));
    }
}

/// What an honest run may be like, each without a contradiction.
#[test]
fn what_is_whole_and_honest_passes() {
    type Change = fn(&mut Sealed);
    let cases: [(&str, Change); 9] = [
        ("certified", |_| ()),
        ("executed", |seal| {
            seal.criteria[0].evidence = vec![EvidenceRef::Example {
                runs: 3,
                changes: None,
            }];
            seal.criteria[0].note =
                "its example, executed 3 times, also with other values".to_owned();
            seal.criteria[0].rank = Some(EvidenceRank::Executed);
            seal.criteria[0].caught.clear();
            seal.ranks = BTreeMap::from([(EvidenceRank::Executed, 1)]);
            seal.hollow.push("adds".to_owned());
            lower(seal, Omission::HollowTests(1));
        }),
        ("rules alone", |seal| {
            for one in &mut seal.replies {
                one.model = "offline";
            }
            for line in [
                Omission::Debate,
                Omission::IndependentAudit,
                Omission::Customer,
            ] {
                lower(seal, line);
            }
        }),
        ("left out and agreed", |seal| {
            seal.asks[1].standing = AskStanding::Excluded {
                reason: "later".to_owned(),
                agreed: true,
            };
        }),
        ("left out and unseen", |seal| {
            seal.asks[1].standing = AskStanding::Excluded {
                reason: "later".to_owned(),
                agreed: false,
            };
            let line = "asked, and left out: \"with tags\" (later)";
            seal.left_out.push(line.to_owned());
            lower(seal, Omission::LeftOutAsks(1));
        }),
        ("refuted and settled", |seal| {
            seal.settled.push(SettledClaim {
                claim: "it fits",
                how: "the spec was changed",
            });
        }),
        ("of unknown price", |seal| {
            seal.spend.known = None;
            seal.spend.unpriced = 15;
        }),
        ("sources alone", |seal| {
            seal.spend.known = None;
            seal.spend.asked_of_sources = 2;
        }),
        ("a small change", |seal| {
            for id in [
                "assumption_ledger",
                "owner_customer",
                "phases_complete",
                "audited",
            ] {
                let condition = seal.condition(id);
                (condition.looked_at, condition.held) = (0, 0);
                condition.reason = GateCondition::NOT_APPLICABLE.to_owned();
            }
            seal.replies = vec![reply("offline", "coder")];
            seal.spend.calls = 3;
            lower(seal, Omission::SmallChange);
            lower(seal, Omission::Audit);
        }),
    ];
    for (what, change) in cases {
        let mut seal = Sealed::whole();
        change(&mut seal);
        assert_eq!(seal.found(), Vec::<String>::new(), "{what}");
    }
}

fn lower(seal: &mut Sealed, omission: Omission) {
    seal.left_out.push(omission.to_string());
    seal.verdict = SealVerdict::Conditional;
}

/// Lies about what the parts of a whole statement follow from.
fn lies_of_whole() -> Vec<Lie> {
    vec![
        ("no approval", |seal| seal.approver = None, "who approved"),
        ("no idea", |seal| seal.idea = "", "what was asked for"),
        (
            "became more",
            |seal| seal.became = "a list with photos",
            "the idea in the end says \"with photos\"",
        ),
        (
            "no asks",
            |seal| seal.asks.clear(),
            "the idea says \"a list with tags\"",
        ),
        (
            "fewer asks",
            |seal| drop(seal.asks.pop()),
            "the idea says \"with tags\"",
        ),
        (
            "one condition",
            |seal| seal.conditions.truncate(1),
            "does not name the conditions evidence",
        ),
        (
            "a condition twice",
            |seal| {
                let twice = seal.conditions[3].clone();
                seal.conditions.push(twice);
            },
            "assumption_ledger stands there twice",
        ),
        (
            "waived",
            |seal| {
                let audited = seal.condition("audited");
                (audited.looked_at, audited.held) = (0, 0);
                audited.reason = "yes_flag".to_owned();
            },
            "audited is waived",
        ),
        (
            "a fix that nobody saw",
            |seal| {
                let fix = seal.condition("fix_shown");
                (fix.looked_at, fix.held) = (0, 0);
                fix.reason = "tests_not_named".to_owned();
            },
            "it does not name what was left out: fix:",
        ),
        (
            "a fix that somebody waived",
            |seal| {
                let fix = seal.condition("fix_shown");
                (fix.looked_at, fix.held) = (0, 0);
                fix.reason = "yes_flag".to_owned();
            },
            "fix_shown is waived",
        ),
        (
            "does not apply",
            |seal| {
                let floor = seal.condition("engineering_floor");
                (floor.looked_at, floor.held) = (0, 0);
                floor.reason = GateCondition::NOT_APPLICABLE.to_owned();
            },
            "engineering_floor is said not to apply",
        ),
    ]
}

/// Lies about what was left out, and what was run.
fn lies_of_what_ran() -> Vec<Lie> {
    vec![
        (
            "nobody audited",
            |seal| {
                let audited = seal.condition("audited");
                (audited.looked_at, audited.held) = (0, 0);
                audited.reason = GateCondition::NOT_APPLICABLE.to_owned();
            },
            "it does not name what was left out: audit: nobody",
        ),
        (
            "more criteria",
            |seal| seal.condition("weighted_score").looked_at = 2,
            "1 of 2",
        ),
        (
            "other criteria",
            |seal| {
                let score = seal.condition("weighted_score");
                (score.looked_at, score.held) = (4, 4);
            },
            "weighted_score looked at 4 criteria, and 1 are named",
        ),
        (
            "no command",
            |seal| seal.commands.clear(),
            "no command that it names ended with 0",
        ),
        (
            "a failed command",
            |seal| seal.commands[0].exit = Some(101),
            "ended with 0",
        ),
        (
            "no walls",
            |seal| seal.commands[0].level = SandboxLevel::None,
            "sandbox: commands ran without walls",
        ),
    ]
}

/// Lies about who replied, what it cost, and what fell.
fn lies_of_replies() -> Vec<Lie> {
    vec![
        (
            "rules audit",
            |seal| {
                for one in &mut seal.replies {
                    one.model = "offline";
                }
            },
            "nobody but the coder's model and rules replied as auditor",
        ),
        (
            "one in the debate",
            |seal| seal.replies.truncate(4),
            "fewer than two models",
        ),
        (
            "no replies",
            |seal| seal.replies.clear(),
            "it counts no reply",
        ),
        (
            "other calls",
            |seal| seal.spend.calls = 9,
            "15 replies, and 9 calls",
        ),
        (
            "unknown price",
            |seal| {
                seal.spend.known = Some(gavel_domain::MicroUsd::ZERO);
                seal.spend.unpriced = 15;
            },
            "nobody knows the price of 15 calls",
        ),
        (
            "nothing known",
            |seal| seal.spend.known = None,
            "no call is of unknown price",
        ),
        (
            "refuted",
            |seal| seal.unsettled.push("it fits"),
            "\"it fits\" was refuted and not settled",
        ),
        (
            "excluded",
            |seal| {
                seal.asks[1].standing = AskStanding::Excluded {
                    reason: "later".to_owned(),
                    agreed: false,
                };
            },
            "asked: 1 thing left out, and nobody agreed",
        ),
    ]
}

/// Lies about why the verdict is what it is.
fn lies_of_reasons() -> Vec<Lie> {
    vec![
        (
            "a reason of nobody",
            |seal| {
                let mut reasons = seal.own_reasons();
                reasons.push("experts looked at it".to_owned());
                seal.reasons = Some(reasons);
            },
            "the reason \"experts looked at it\", which follows from nothing",
        ),
        (
            "a reason twice",
            |seal| {
                let reasons = seal.own_reasons();
                seal.reasons = Some([reasons.clone(), reasons].concat());
            },
            "stands there twice",
        ),
        (
            "no reasons",
            |seal| seal.reasons = Some(Vec::new()),
            "it gives no reason for `certified`",
        ),
        (
            "a reason less",
            |seal| {
                lower(seal, Omission::Traps);
                seal.reasons = Some(vec!["left out: coverage".to_owned()]);
            },
            "it does not give the reason \"left out: traps",
        ),
        (
            "nothing left out",
            |seal| {
                seal.reasons = Some(vec![
                    "every condition holds, and nothing was left out".to_owned(),
                ]);
            },
            "follows from nothing",
        ),
        (
            "certified words",
            |seal| {
                seal.verdict = SealVerdict::Conditional;
                seal.reasons = Some(vec!["every condition holds".to_owned()]);
            },
            "follows from nothing",
        ),
    ]
}

/// Lies about lines of what was left out and settled.
fn lies_of_lines() -> Vec<Lie> {
    vec![
        (
            "a line of no ask",
            |seal| {
                let line = "asked, and left out: \"with colours\" (later)";
                seal.left_out.push(line.to_owned());
            },
            "and its asks do not",
        ),
        (
            "an ask without its line",
            |seal| {
                seal.asks[1].standing = AskStanding::Open;
                lower(seal, Omission::OpenAsks(1));
            },
            "left out: asked, and covered by no criterion: \"with tags\"",
        ),
        (
            "settled by words",
            |seal| {
                seal.settled.push(SettledClaim {
                    claim: "it fits",
                    how: "somebody looked",
                });
            },
            "\"somebody looked\" settles nothing",
        ),
        (
            "a small change by its line alone",
            |seal| {
                seal.replies.truncate(4);
                seal.spend.calls = 12;
                lower(seal, Omission::SmallChange);
            },
            "fewer than two models replied in a debate",
        ),
    ]
}

/// Lies about what was shown.
fn lies_of_whole_evidence() -> Vec<Lie> {
    vec![
        (
            "trust me",
            |seal| {
                seal.criteria[0].note = "trust me".to_owned();
                seal.criteria[0].evidence.clear();
            },
            "by no evidence that was looked up",
        ),
        (
            "other words",
            |seal| seal.criteria[0].note = "trust me".to_owned(),
            "said to be shown by \"trust me\"",
        ),
        (
            "executed by a test",
            |seal| {
                seal.criteria[0].rank = Some(EvidenceRank::Executed);
                seal.ranks = BTreeMap::from([(EvidenceRank::Executed, 1)]);
            },
            "its evidence is at most test that ran",
        ),
        (
            "bites nothing",
            |seal| seal.criteria[0].caught.clear(),
            "by no test that caught a fault",
        ),
        (
            "no fault",
            |seal| seal.mutants = (4, 0),
            "no fault to be caught",
        ),
        (
            "a commit",
            |seal| {
                let id = "abc".to_owned();
                seal.criteria[0].evidence = vec![EvidenceRef::Commit { id }];
            },
            "by evidence of a part at most",
        ),
        (
            "no rank",
            |seal| {
                seal.criteria[0].rank = None;
                seal.ranks.clear();
            },
            "nothing says how firmly",
        ),
        (
            "nobody read",
            |seal| {
                let path = "src/main.rs".to_owned();
                seal.criteria[0].evidence = vec![EvidenceRef::File { path, line: 1 }];
                seal.criteria[0].note = "src/main.rs:1".to_owned();
                seal.criteria[0].rank = Some(EvidenceRank::Read);
            },
            "no other model than the coder's replied as one",
        ),
        (
            "hollow",
            |seal| {
                seal.hollow.push("adds".to_owned());
            },
            "tests of criteria are hollow",
        ),
    ]
}

#[test]
fn every_contradiction_of_a_whole_statement_is_named() {
    let all = [
        lies_of_whole(),
        lies_of_what_ran(),
        lies_of_replies(),
        lies_of_reasons(),
        lies_of_lines(),
        lies_of_whole_evidence(),
    ];
    for (what, lie, said) in all.into_iter().flatten() {
        let mut seal = Sealed::whole();
        lie(&mut seal);
        let found = seal.found();
        assert!(
            found.iter().any(|one| one.contains(said)),
            "{what}: {found:?}"
        );
    }
}
