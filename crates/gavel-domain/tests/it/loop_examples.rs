//! One example or more of every fact that the way of a run leaves behind.

use std::collections::BTreeMap;

use gavel_domain::{
    AuditFinished, AuditVerdict, BlobRef, BranchPushed, ContractKind, ContractSubmitted,
    ContractsPinned, CouncilPhase, DebateClosed, DebatePart, DecisionMade, Digest,
    DiscoveryAnswered, ErrorResolved, ErrorTracked, GateCondition, GateJudged, LessonProposed,
    MemoryRecalled, ModelsChosen, ReviewMade, RoundEvaluated, RouteDecided, SealSigned, ShipHeeded,
    SpecWritten, SprintPart, SprintPlanned, SprintStage, StanceSpoke,
};

use crate::examples::{Example, add, blob};

pub(crate) fn plan(list: &mut Vec<Example>) {
    for stances in [vec![], vec!["a/x".to_owned(), "b/y".to_owned()]] {
        add(
            list,
            ModelsChosen {
                leader: "offline".to_owned(),
                stances,
                coder: "offline".to_owned(),
                auditor: "offline".to_owned(),
            },
        );
    }
    add(
        list,
        RouteDecided {
            route: "council".to_owned(),
            sufficient: false,
            missing: vec!["target".to_owned()],
            complexity: "medium".to_owned(),
            size: "small".to_owned(),
        },
    );
    add(
        list,
        MemoryRecalled {
            items: vec!["01890a5d".to_owned()],
            texts: blob(),
        },
    );
    add(
        list,
        DiscoveryAnswered {
            answers: blob(),
            recommended: 9,
        },
    );
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

pub(crate) fn council(list: &mut Vec<Example>) {
    for part in [DebatePart::Drafts, DebatePart::Round, DebatePart::Synthesis] {
        add(
            list,
            CouncilPhase {
                part,
                seats: vec!["a/x".to_owned(), "b/y".to_owned()],
            },
        );
    }
    add(
        list,
        StanceSpoke {
            seat: 2,
            model: "b/y".to_owned(),
            round: 1,
            text: blob(),
            evidence_held: 3,
            evidence_broken: 1,
        },
    );
    add(
        list,
        RoundEvaluated {
            round: 1,
            agreed: 4,
            disputed: 2,
        },
    );
    add(
        list,
        DecisionMade {
            number: 1,
            text: blob(),
            dissent: true,
        },
    );
    add(list, DebateClosed { summary: blob() });
    add(
        list,
        ReviewMade {
            items: blob(),
            speaks_for: 3,
            speaks_against: 1,
        },
    );
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
    add(list, ShipHeeded { asked: true });
}

fn ending(list: &mut Vec<Example>) {
    for failed in [None, Some(blob())] {
        add(list, pushed(failed));
    }
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
            }],
            evidence: blob(),
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
        LessonProposed {
            kind: "trap".to_owned(),
            text: blob(),
        },
    );
}

fn pushed(failed: Option<BlobRef>) -> BranchPushed {
    BranchPushed {
        branch: "gavel/build-1".to_owned(),
        commit: "c0ffee".to_owned(),
        failed,
    }
}
