use gavel_domain::{
    BlobRef, CouncilPhaseEnded, DebatePlanned, Digest, DraftsCompared, OutputKind, SeatFailed,
    StanceSpoke,
};

use super::*;

fn blob() -> BlobRef {
    BlobRef {
        digest: Digest::of("text"),
        bytes: 4,
    }
}

fn phase(part: DebatePart, round: u32) -> CouncilFact {
    CouncilFact::CouncilPhase(CouncilPhase {
        part,
        round,
        seats: vec!["left/rules".to_owned(), "right/rules".to_owned()],
    })
}

fn spoke(seat: u32) -> CouncilFact {
    CouncilFact::StanceSpoke(StanceSpoke {
        seat,
        model: "left/rules".to_owned(),
        round: 0,
        text: blob(),
        evidence_held: 0,
        evidence_broken: 0,
        stance: "Skeptic".to_owned(),
        answers: None,
        length: 3,
        tags: None,
        choices: Vec::new(),
        locked: false,
        beyond_brief: Vec::new(),
        looked_up: Vec::new(),
    })
}

fn evaluated(stop: Option<DebateStop>, extended: u32) -> RoundEvaluated {
    RoundEvaluated {
        round: 1,
        agreed: 1,
        disputed: 2,
        text: None,
        met: Vec::new(),
        unresolved: 0,
        converged: 50,
        density: None,
        failed_pairs: 0,
        pairs: 1,
        extended,
        stop,
    }
}

#[test]
fn a_debate_is_told_as_it_goes() {
    let mut now = DebateNow::default();
    assert_eq!(now.doing(), None);
    now.take(&phase(DebatePart::Openings, 0));
    now.take(&spoke(1));
    assert_eq!(now.doing().unwrap(), "blind openings, 1 of 2 spoke");
    let planned = DebatePlanned {
        kind: OutputKind::Decision,
        plan: blob(),
        rounds: 2,
        decisions: 1,
        fallback: false,
    };
    assert_eq!(now.take(&CouncilFact::DebatePlanned(planned)), None);
    now.take(&phase(DebatePart::Round, 1));
    assert_eq!(now.doing().unwrap(), "round 1 of 2, 0 turns");
    now.take(&CouncilFact::RoundEvaluated(evaluated(None, 1)));
    now.take(&phase(DebatePart::Round, 2));
    assert_eq!(now.doing().unwrap(), "round 2 of 3, 0 turns");
    now.take(&CouncilFact::CouncilPhaseEnded(CouncilPhaseEnded {
        part: DebatePart::Round,
        round: 2,
        outcome: PhaseOutcome::Done,
        why: None,
    }));
    assert_eq!(now.doing(), None);
}

#[test]
fn rounds_seats_and_drafts_have_a_line() {
    let mut now = DebateNow::default();
    let told = |left: Option<Left>| match left {
        Some(Left::Told(text, warns)) => (text, warns),
        other => panic!("{other:?}"),
    };
    let stop = Some(DebateStop::Converged);
    let round = now.take(&CouncilFact::RoundEvaluated(evaluated(stop, 0)));
    assert_eq!(
        told(round),
        (
            "round 1: 1 agreed, 2 in dispute, 50 % say it is settled; no more rounds: the \
             seats agree"
                .to_owned(),
            false
        )
    );
    let failed = SeatFailed {
        seat: 2,
        round: 0,
        why: blob(),
    };
    let failed = now.take(&CouncilFact::SeatFailed(failed));
    assert_eq!(told(failed), ("seat 2 did not open".to_owned(), true));
    let same = |skip| {
        CouncilFact::DraftsCompared(DraftsCompared {
            seats: vec![1, 2],
            same: 1,
            decisions: 1,
            evidence_holds: skip,
            skip,
        })
    };
    assert!(told(now.take(&same(true))).0.contains("no rounds"));
    assert_eq!(now.take(&same(false)), None);
}
