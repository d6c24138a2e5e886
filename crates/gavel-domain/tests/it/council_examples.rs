//! One example of every fact of a council, and of every word in them.

use gavel_domain::{
    Badge, ChoiceMade, CouncilJudged, CouncilPhase, CouncilPhaseEnded, CouncilSeated, DebateClosed,
    DebatePart, DebatePlanned, DebateStop, DebateStopped, DecisionMade, DraftsCompared,
    MatterClarified, OptionsReviewed, OutputKind, PhaseOutcome, ResearchDecided, ResearchMade,
    ResearchOutcome, ResearchSay, ReviewMade, RoundEvaluated, RoundSummarised, SeatFailed,
    SeatLeft, SeatTaken, StanceOrigin, StanceSpoke, SynthesisMade, SynthesisOutcome, TagCount,
    Voices,
};

use crate::examples::{Example, add, blob};

pub(crate) fn debate(list: &mut Vec<Example>) {
    phases(list);
    before(list);
    turns(list);
    rounds(list);
}

fn phases(list: &mut Vec<Example>) {
    let seats = || vec!["a/x".to_owned(), "b/y".to_owned()];
    for part in [
        DebatePart::Drafts,
        DebatePart::Clarify,
        DebatePart::Plan,
        DebatePart::Research,
        DebatePart::Gate,
        DebatePart::Openings,
        DebatePart::Round,
        DebatePart::Synthesis,
        DebatePart::Judgement,
    ] {
        let round = 0;
        let seats = seats();
        add(list, CouncilPhase { part, round, seats });
    }
    let (part, round) = (DebatePart::Round, 2);
    let seats = seats();
    add(list, CouncilPhase { part, round, seats });
    for (outcome, why) in [
        (PhaseOutcome::Done, None),
        (PhaseOutcome::Fallback, Some(blob())),
        (PhaseOutcome::Skipped, None),
        (PhaseOutcome::NoSources, None),
        (PhaseOutcome::Failed, Some(blob())),
    ] {
        add(
            list,
            CouncilPhaseEnded {
                part,
                round,
                outcome,
                why,
            },
        );
    }
}

fn before(list: &mut Vec<Example>) {
    add(
        list,
        MatterClarified {
            matter: blob(),
            answered: 2,
            rounds: 1,
            approved: true,
        },
    );
    for kind in OutputKind::ALL {
        add(
            list,
            DebatePlanned {
                kind,
                plan: blob(),
                rounds: 3,
                decisions: 2,
                fallback: kind == OutputKind::Decision,
            },
        );
    }
    let origins = [
        StanceOrigin::Planned,
        StanceOrigin::Fallback,
        StanceOrigin::ExperienceAuditor,
        StanceOrigin::ProductOwner,
    ];
    let seats = (1..).zip(origins).map(|(seat, origin)| SeatTaken {
        seat,
        stance: "Skeptic".to_owned(),
        origin,
        model: "a/x".to_owned(),
    });
    let seats: Vec<SeatTaken> = seats.collect();
    for (promoted_from, one_model) in [(None, true), (Some("a/small".to_owned()), false)] {
        add(
            list,
            CouncilSeated {
                leader: "a/x".to_owned(),
                promoted_from,
                seats: seats.clone(),
                one_model,
            },
        );
    }
    for by in [ResearchSay::Leader, ResearchSay::Person, ResearchSay::Rule] {
        let needed = by != ResearchSay::Rule;
        add(list, ResearchDecided { needed, by });
    }
    for (outcome, text) in [
        (ResearchOutcome::Found, Some(blob())),
        (ResearchOutcome::NothingNew, None),
        (ResearchOutcome::NoSources, None),
        (ResearchOutcome::Rejected, Some(blob())),
        (ResearchOutcome::Failed, None),
    ] {
        add(
            list,
            ResearchMade {
                number: 1,
                outcome,
                results: 3,
                held: 2,
                text,
            },
        );
    }
    add(
        list,
        DraftsCompared {
            seats: vec![1, 2],
            same: 2,
            decisions: 2,
            evidence_holds: true,
            skip: true,
        },
    );
}

fn turns(list: &mut Vec<Example>) {
    let spoke = StanceSpoke {
        seat: 2,
        model: "b/y".to_owned(),
        round: 1,
        text: blob(),
        evidence_held: 3,
        evidence_broken: 1,
        stance: String::new(),
        answers: None,
        length: 0,
        tags: None,
        choices: Vec::new(),
        locked: false,
        beyond_brief: Vec::new(),
        looked_up: Vec::new(),
    };
    add(list, spoke.clone());
    add(
        list,
        StanceSpoke {
            beyond_brief: vec!["trp_0198c1d2-0000-7000-8000-000000000001".to_owned()],
            ..spoke.clone()
        },
    );
    add(
        list,
        StanceSpoke {
            looked_up: vec!["search_memory".to_owned()],
            ..spoke.clone()
        },
    );
    add(
        list,
        StanceSpoke {
            stance: "Cost Skeptic".to_owned(),
            answers: Some(1),
            length: 812,
            tags: Some(TagCount {
                confirmed: 2,
                refuted: 1,
                unverified: 1,
                broken: 1,
            }),
            choices: vec![ChoiceMade {
                decision: "storage".to_owned(),
                option: 1,
                confidence: 80,
                held: 2,
                broken: 1,
            }],
            locked: true,
            ..spoke
        },
    );
    add(
        list,
        SeatFailed {
            seat: 3,
            round: 0,
            why: blob(),
        },
    );
    add(
        list,
        SeatLeft {
            seat: 3,
            round: 2,
            failures: 2,
        },
    );
}

fn rounds(list: &mut Vec<Example>) {
    let evaluated = RoundEvaluated {
        round: 1,
        agreed: 4,
        disputed: 2,
        text: None,
        met: Vec::new(),
        unresolved: 0,
        converged: 0,
        density: None,
        failed_pairs: 0,
        pairs: 0,
        extended: 0,
        stop: None,
    };
    add(list, evaluated.clone());
    add(
        list,
        RoundEvaluated {
            text: Some(blob()),
            met: vec![0, 2],
            unresolved: 1,
            converged: 50,
            density: Some(67),
            failed_pairs: 1,
            pairs: 3,
            extended: 1,
            stop: Some(DebateStop::Leader),
            ..evaluated
        },
    );
    add(
        list,
        RoundSummarised {
            round: 1,
            text: blob(),
            by_rules: true,
        },
    );
    for reason in [
        DebateStop::Rounds,
        DebateStop::Leader,
        DebateStop::Converged,
        DebateStop::FailedPairs,
        DebateStop::Budget,
        DebateStop::DraftsAgree,
        DebateStop::OneOpening,
        DebateStop::NoOpenings,
        DebateStop::SeatsLeft,
    ] {
        add(list, DebateStopped { reason, rounds: 2 });
    }
}

pub(crate) fn outcome(list: &mut Vec<Example>) {
    for outcome in [
        SynthesisOutcome::Made,
        SynthesisOutcome::MadeCompact,
        SynthesisOutcome::Failed,
    ] {
        let text = blob();
        let checked = None;
        add(
            list,
            SynthesisMade {
                outcome,
                text,
                checked,
            },
        );
    }
    for (confidence, needs_person, self_judged) in [
        (Some(83), false, false),
        (None, true, false),
        (Some(78), false, true),
    ] {
        add(
            list,
            CouncilJudged {
                confidence,
                needs_person,
                reason: blob(),
                self_judged,
            },
        );
    }
    let made = DecisionMade {
        number: 1,
        text: blob(),
        dissent: true,
        id: None,
        option: None,
        changed: None,
    };
    add(list, made.clone());
    add(
        list,
        DecisionMade {
            id: Some("storage".to_owned()),
            option: Some(1),
            changed: Some(true),
            ..made
        },
    );
    closed(list);
    add(
        list,
        ReviewMade {
            items: blob(),
            speaks_for: 3,
            speaks_against: 1,
        },
    );
    for recommended in [None, Some(1)] {
        add(
            list,
            OptionsReviewed {
                review: blob(),
                options: 2,
                cites: 3,
                recommended,
            },
        );
    }
}

fn closed(list: &mut Vec<Example>) {
    for (badge, voices) in [
        (None, Voices::Several),
        (Some(Badge::High), Voices::Several),
        (Some(Badge::Medium), Voices::OneModel),
        (Some(Badge::Low), Voices::Rules),
        (Some(Badge::NotMeasured), Voices::Several),
    ] {
        add(
            list,
            DebateClosed {
                summary: blob(),
                row: badge.map(|_| blob()),
                kind: badge.map(|_| OutputKind::Decision),
                voices,
                rounds: 2,
                density: badge.map(|_| 67),
                badge,
                dissenters: 1,
            },
        );
    }
}
