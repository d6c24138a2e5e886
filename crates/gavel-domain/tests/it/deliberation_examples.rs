//! One example of every fact of a deliberation loop, and of every word in them.

use gavel_domain::{
    Advance, AgentId, ArtifactAdded, Category, CountScope, Digest, Discounted, DraftPromoted,
    ExitWhen, Flow, Iteration, LoopClosed, LoopEnd, LoopKind, LoopOpened, LoopPaused, LoopPhase,
    LoopResumed, LoopStatus, MaxIterationsReached, PhaseAdvanceBlocked, PhaseAdvanced, Profile,
    Protocol, RequestAnswered, Schedule, Seq, Slot, Speaker, StopCondition, TurnAssigned,
    TurnCompleted, TurnOutcome, Unmet, Waived, Word,
};

use crate::examples::{Example, add, blob};

fn word(text: &str) -> Word {
    text.parse().unwrap()
}

fn agent() -> AgentId {
    "claude-code/1".parse().unwrap()
}

pub(crate) fn loops(list: &mut Vec<Example>) {
    opened(list);
    turns(list);
    artifacts(list);
    ways(list);
    blocked(list);
    ends(list);
}

fn conditions() -> Vec<StopCondition> {
    vec![
        StopCondition::PhaseReached {
            phase: word("synthesis"),
        },
        StopCondition::ReviewerGreen,
        StopCondition::MaxIterations { n: 3 },
        StopCondition::MinIterations { n: 1 },
        StopCondition::ArtifactProduced {
            phase: word("synthesis"),
            artifact: word("plan_draft"),
        },
        StopCondition::MinArtifactsByType {
            artifact: word("critique"),
            n: 3,
            scope: CountScope::Loop,
        },
        StopCondition::NoOpenQuestions,
        StopCondition::Manual,
    ]
}

fn opened(list: &mut Vec<Example>) {
    let slot = |profile: Option<&Profile>, agent: Option<AgentId>| Slot {
        id: "slot-1".to_owned(),
        role: word("critic"),
        agent,
        profile: profile.copied(),
    };
    let exits = ExitWhen::ALL.iter().cycle();
    let words = exits
        .zip(Schedule::ALL.iter().cycle())
        .zip(Flow::ALL.iter().cycle());
    let kinds = LoopKind::ALL.iter().enumerate().zip(words);
    for ((place, kind), ((exit_when, schedule), flow)) in kinds {
        let first = place == 0;
        let gate = StopCondition::MinArtifactsByType {
            artifact: word("critique"),
            n: 3,
            scope: CountScope::Phase,
        };
        let phase = LoopPhase {
            name: word("critique"),
            roles: vec![word("critic")],
            produces: vec![word("critique"), word("nothing_new")],
            context: if first {
                Category::ALL.to_vec()
            } else {
                Vec::new()
            },
            gate: first.then_some(gate),
        };
        let iteration = Iteration {
            cycle: vec![word("critique")],
            max_iterations: 3,
            exit_when: *exit_when,
        };
        let stop = match first {
            true => StopCondition::Any {
                conditions: conditions(),
            },
            false => StopCondition::All {
                conditions: conditions(),
            },
        };
        let mut slots: Vec<Slot> = Profile::ALL
            .iter()
            .map(|profile| slot(Some(profile), Some(agent())))
            .collect();
        slots.push(slot(None, None));
        add(
            list,
            LoopOpened {
                protocol: Protocol {
                    kind: *kind,
                    phases: vec![phase],
                    iteration: (place < 2).then_some(iteration),
                    stop,
                    schedule: *schedule,
                    flow: *flow,
                },
                slots,
                title: blob(),
                goal: first.then(blob),
                by: agent(),
                speaker: Speaker::PERSON,
            },
        );
    }
}

fn turns(list: &mut Vec<Example>) {
    let other = || "dec_01890a5d-ac96-774b-bcce-b302099a8058".to_owned();
    for proposed in [Vec::new(), vec![other()]] {
        add(
            list,
            TurnAssigned {
                turn: 2,
                slot: "slot-2".to_owned(),
                phase: word("critique"),
                iteration: 1,
                brief: blob(),
                items: vec!["trp_01890a5d-ac96-774b-bcce-b302099a8057".to_owned()],
                proposed,
                artifacts: vec![1, 3],
                dropped: 4,
                by: AgentId::gavel(),
            },
        );
    }
    for outcome in TurnOutcome::ALL {
        add(
            list,
            TurnCompleted {
                turn: 2,
                slot: "slot-2".to_owned(),
                outcome: *outcome,
                reason: (*outcome != TurnOutcome::Done).then(blob),
                by: agent(),
            },
        );
    }
}

fn artifacts(list: &mut Vec<Example>) {
    let plain = ArtifactAdded {
        artifact: 1,
        kind: word("proposal"),
        phase: word("proposal"),
        iteration: 0,
        slot: None,
        turn: None,
        body: blob(),
        shown: 4_096,
        cites: Vec::new(),
        cites_refused: 0,
        addresses: Vec::new(),
        waived: Vec::new(),
        uncovered: Vec::new(),
        green: false,
        discounted: None,
        by: agent(),
    };
    add(list, plain.clone());
    add(
        list,
        ArtifactAdded {
            kind: word("plan_draft"),
            slot: Some("slot-1".to_owned()),
            turn: Some(2),
            cites: vec!["trp_01890a5d-ac96-774b-bcce-b302099a8057".to_owned()],
            cites_refused: 1,
            addresses: vec![2],
            waived: vec![Waived {
                artifact: 3,
                reason: blob(),
            }],
            uncovered: vec![4],
            green: true,
            ..plain.clone()
        },
    );
    for discounted in [
        Discounted::Empty,
        Discounted::NoValidCitation,
        Discounted::SaidBefore,
        Discounted::Late,
    ] {
        add(
            list,
            ArtifactAdded {
                discounted: Some(discounted),
                ..plain.clone()
            },
        );
    }
}

fn ways(list: &mut Vec<Example>) {
    for how in [
        Advance::AdvanceTo,
        Advance::IterateTo,
        Advance::ExitCycle,
        Advance::MaxIterations,
        Advance::Forced,
    ] {
        add(
            list,
            PhaseAdvanced {
                from: word("revision"),
                to: word("critique"),
                iteration: 1,
                how,
                by: agent(),
            },
        );
    }
    add(
        list,
        MaxIterationsReached {
            phase: word("revision"),
            iteration: 3,
            max_iterations: 3,
        },
    );
}

fn blocked(list: &mut Vec<Example>) {
    let slots = || vec!["slot-2".to_owned()];
    add(
        list,
        PhaseAdvanceBlocked {
            phase: word("critique"),
            iteration: 0,
            unmet: vec![
                Unmet::Artifacts {
                    kind: word("critique"),
                    have: 1,
                    need: 3,
                    discounted: 2,
                },
                Unmet::OpenWindows { slots: slots() },
                Unmet::FailedTurns { slots: slots() },
                Unmet::Phase {
                    phase: word("synthesis"),
                },
                Unmet::Verdict,
                Unmet::Iterations { have: 0, need: 1 },
                Unmet::Questions { open: 1 },
                Unmet::Person,
            ],
            by: agent(),
        },
    );
}

fn ends(list: &mut Vec<Example>) {
    add(
        list,
        LoopPaused {
            reason: None,
            by: agent(),
        },
    );
    add(
        list,
        LoopPaused {
            reason: Some(blob()),
            by: agent(),
        },
    );
    add(list, LoopResumed { by: agent() });
    for (status, end) in [
        (LoopStatus::Completed, LoopEnd::StopCondition),
        (LoopStatus::Blocked, LoopEnd::Limit),
        (LoopStatus::Cancelled, LoopEnd::Closed),
        (LoopStatus::Blocked, LoopEnd::Stuck),
    ] {
        add(
            list,
            LoopClosed {
                status,
                end,
                reason: (end == LoopEnd::Stuck).then(blob),
                by: agent(),
            },
        );
    }
    add(
        list,
        RequestAnswered {
            request: Digest::of("agent and key"),
            asked: Digest::of("what was asked"),
            answer: blob(),
            version: Seq(7),
        },
    );
    add(
        list,
        DraftPromoted {
            artifact: 9,
            item: "pln_01890a5d-ac96-774b-bcce-b302099a8057".to_owned(),
            by: agent(),
        },
    );
}
