//! One example or more of every fact that the way of a run leaves behind.

use std::collections::BTreeMap;

use gavel_domain::{
    ApprovalRule, AsksAccounted, AsksRead, AssumptionRaised, AssumptionResolved, AssumptionStatus,
    AuditFinished, AuditVerdict, BlobRef, BranchPushed, BreakerTripped, Confidence, ContractKind,
    ContractSubmitted, ContractsPinned, CostPreviewed, CouncilModels, CriteriaJudged, Digest,
    DiscoveryAnswered, EarlierRunsRecalled, ErrorResolved, ErrorTracked, FeedbackRouted,
    GateCondition, GateJudged, IntakeClassified, Key, LessonProposed, MemoryCited, MemoryRecalled,
    MicroUsd, ModelRoom, ModelsChosen, OwnerReviewed, PolicyApproved, PushRefusal,
    RecommendersChosen, RepositoryKind, RepositoryRead, Role, RouteDecided, SealApproved,
    SealSigned, ShareExceeded, ShipHeeded, Speaker, SpecWritten, SprintOpened, SprintPart,
    SprintPlanned, SprintStage, Stage, Tokens,
};

use crate::examples::{Example, add, blob};

fn models(list: &mut Vec<Example>) {
    let room = ModelRoom {
        context: Tokens(200_000),
        max_output: Tokens(32_000),
    };
    for stances in [vec![], vec!["a/x".to_owned(), "b/y".to_owned()]] {
        let chosen = ModelsChosen {
            leader: "offline".to_owned(),
            stances,
            coder: "offline".to_owned(),
            auditor: "offline".to_owned(),
            judge: Some("a/x".to_owned()),
            rooms: BTreeMap::from([("a/x".to_owned(), room)]),
            council: None,
        };
        add(list, chosen.clone());
        for promoted_from in [None, Some("a/y".to_owned())] {
            let council = Some(CouncilModels {
                researcher: "a/x".to_owned(),
                fast: "a/z".to_owned(),
                balanced: "a/y".to_owned(),
                leader: promoted_from.as_ref().map(|_| "a/x".to_owned()),
                promoted_from,
                seats: Vec::new(),
            });
            let chosen = chosen.clone();
            add(list, ModelsChosen { council, ..chosen });
        }
    }
}

fn asks(list: &mut Vec<Example>) {
    add(
        list,
        AsksRead {
            asks: blob(),
            count: 3,
        },
    );
    add(
        list,
        AsksAccounted {
            accounts: blob(),
            covered: 1,
            claimed: 0,
            excluded: 1,
            open: 1,
            reworded: 0,
        },
    );
    add(
        list,
        AsksAccounted {
            accounts: blob(),
            covered: 1,
            claimed: 0,
            excluded: 0,
            open: 0,
            reworded: 2,
        },
    );
}

pub(crate) fn plan(list: &mut Vec<Example>) {
    models(list);
    beginning(list);
    add(
        list,
        MemoryRecalled {
            items: vec!["01890a5d".to_owned()],
            texts: blob(),
            unanswered: String::new(),
        },
    );
    add(
        list,
        MemoryCited {
            items: vec!["trp_01890a5d-ac96-774b-bcce-b302099a8057".to_owned()],
        },
    );
    for (by, reason, seats) in [
        ("leader", "guard", Vec::new()),
        ("council", "", vec!["a/x".to_owned(), "b/y".to_owned()]),
    ] {
        add(
            list,
            RecommendersChosen {
                by: by.to_owned(),
                reason: reason.to_owned(),
                seats,
                spent: MicroUsd(2_100_000),
                guard: MicroUsd(2_500_000),
            },
        );
    }
    add(
        list,
        DiscoveryAnswered {
            answers: blob(),
            recommended: 9,
        },
    );
    asks(list);
    add(
        list,
        SpecWritten {
            spec: blob(),
            criteria: 12,
        },
    );
    for kind in ContractKind::ALL {
        add(
            list,
            ContractSubmitted {
                kind,
                version: 1,
                content: blob(),
                model: "offline".to_owned(),
            },
        );
    }
    let digests = ContractKind::ALL.map(|kind| (kind, Digest::of(kind.word())));
    add(
        list,
        ContractsPinned {
            contracts: BTreeMap::from(digests),
        },
    );
}

fn beginning(list: &mut Vec<Example>) {
    add(
        list,
        RouteDecided {
            route: "council".to_owned(),
            sufficient: false,
            missing: vec!["target".to_owned()],
            complexity: "medium".to_owned(),
            size: "small".to_owned(),
            reasons: vec!["vague".to_owned()],
            inputs: Some(blob()),
        },
    );
    for clarity in [None, Some("clear".to_owned())] {
        let model = "a/x".to_owned();
        add(list, IntakeClassified { model, clarity });
    }
    for kind in [
        RepositoryKind::Greenfield,
        RepositoryKind::Ambiguous,
        RepositoryKind::Existing,
    ] {
        let (sources, tests, found) = (12, 3, blob());
        add(
            list,
            RepositoryRead {
                kind,
                sources,
                tests,
                found,
            },
        );
    }
    let runs = vec!["01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()];
    let texts = blob();
    add(list, EarlierRunsRecalled { runs, texts });
}

pub(crate) fn build(list: &mut Vec<Example>) {
    add(
        list,
        SprintPlanned {
            sprint: 1,
            phase: 0,
            plan: blob(),
            files: 7,
        },
    );
    for part in [
        SprintPart::Scout,
        SprintPart::Plan,
        SprintPart::Code,
        SprintPart::Verify,
        SprintPart::Audit,
        SprintPart::Fix,
        SprintPart::Commit,
    ] {
        add(
            list,
            SprintStage {
                sprint: 1,
                part,
                round: 2,
            },
        );
    }
    for verdict in [
        AuditVerdict::Pass,
        AuditVerdict::Fail,
        AuditVerdict::Unclear,
    ] {
        add(
            list,
            AuditFinished {
                verdict,
                errors: 1,
                warnings: 2,
                findings: blob(),
            },
        );
    }
    errors(list);
    ending(list);
}

fn errors(list: &mut Vec<Example>) {
    add(
        list,
        ErrorTracked {
            error: Digest::of("error"),
            source: "verify".to_owned(),
            sprint: 1,
            text: blob(),
        },
    );
    add(
        list,
        ErrorResolved {
            error: Digest::of("error"),
            sprint: 2,
        },
    );
    add(
        list,
        ShipHeeded {
            asked: true,
            requests: 2,
        },
    );
}

fn ending(list: &mut Vec<Example>) {
    for failed in [None, Some(blob())] {
        add(list, pushed(failed));
    }
    add(
        list,
        BranchPushed {
            withheld: Some(PushRefusal::Unasked),
            ..pushed(Some(blob()))
        },
    );
    add(
        list,
        GateJudged {
            commit: "c0ffee".to_owned(),
            passed: true,
            score: 1000,
            conditions: vec![GateCondition {
                id: "tests_passed".to_owned(),
                holds: true,
                looked_at: 12,
                held: 12,
                reason: "not_applicable".to_owned(),
            }],
            evidence: blob(),
            faults: Some(gavel_domain::FaultCount {
                tried: 46,
                caught: 41,
            }),
        },
    );
    add(
        list,
        SealSigned {
            verdict: "conditional".to_owned(),
            envelope: blob(),
            key: "0123456789abcdef".to_owned(),
        },
    );
    add(
        list,
        PolicyApproved {
            rule: ApprovalRule::EveryCriterionExecuted,
            criteria: 14,
        },
    );
    add(
        list,
        SealApproved {
            by: Speaker::PERSON,
            seal: "5ea1".to_owned(),
            judged: "c0ffee".to_owned(),
        },
    );
    for (stage, rests_on) in [
        (None, None),
        (
            Some(Stage::Building),
            Key::new("sprint-1/error-1").ok().map(|key| key.outcome()),
        ),
    ] {
        add(
            list,
            LessonProposed {
                kind: "trap".to_owned(),
                text: blob(),
                stage,
                rests_on,
            },
        );
    }
}

fn pushed(failed: Option<BlobRef>) -> BranchPushed {
    BranchPushed {
        branch: "gavel/build-1".to_owned(),
        commit: "c0ffee".to_owned(),
        failed,
        withheld: None,
    }
}

pub(crate) fn judging(list: &mut Vec<Example>) {
    for (confidence, status) in [
        (Confidence::Low, AssumptionStatus::Validated),
        (Confidence::Medium, AssumptionStatus::Refuted),
        (Confidence::High, AssumptionStatus::Deferred),
        (Confidence::High, AssumptionStatus::Unverified),
    ] {
        let id = "a-1".to_owned();
        add(
            list,
            AssumptionRaised {
                id: id.clone(),
                raised_by: "skeptic".to_owned(),
                confidence,
                assumption: blob(),
            },
        );
        add(
            list,
            AssumptionResolved {
                id,
                status,
                by: "verify".to_owned(),
                evidence: blob(),
            },
        );
    }
    add(
        list,
        CriteriaJudged {
            sprint: 2,
            met: 8,
            partial: 1,
            unmet: 1,
            score: 850,
            judged: blob(),
        },
    );
    add(
        list,
        FeedbackRouted {
            sprint: 3,
            condition: "engineering_floor".to_owned(),
            to: "coder".to_owned(),
            focus: blob(),
        },
    );
    add(
        list,
        OwnerReviewed {
            mode: "cross_provider".to_owned(),
            owner: "a/x".to_owned(),
            customer: "b/y".to_owned(),
            rounds: 1,
            ship: true,
            dissent: false,
            said: blob(),
        },
    );
    for (sprint, role, degraded) in [(None, Some(Role::Auditor), true), (Some(3), None, false)] {
        add(
            list,
            BreakerTripped {
                breaker: "cb_2".to_owned(),
                reason: "oscillation".to_owned(),
                sprint,
                role,
                degraded,
                numbers: BTreeMap::from([("last_delta".to_owned(), -100)]),
            },
        );
    }
}

pub(crate) fn money(list: &mut Vec<Example>) {
    for bound in [None, Some(MicroUsd(120_000))] {
        add(
            list,
            CostPreviewed {
                low: bound,
                high: bound,
                unpriced: vec!["a/x".to_owned()],
                stages: blob(),
            },
        );
    }
    add(
        list,
        ShareExceeded {
            stage: Stage::Council,
            spent: MicroUsd(3_000_000),
            share: MicroUsd(1_500_000),
        },
    );
    for (phase, focus) in [(None, None), (Some(1), Some(blob()))] {
        add(
            list,
            SprintOpened {
                sprint: 2,
                phase,
                of_phase: 1,
                spent: MicroUsd(40_000),
                driven_ms: 61_000,
                cap: focus.map(|_| MicroUsd(5_000_000)),
                said: focus,
                focus,
            },
        );
    }
}
