//! Tables and properties over loops.

use gavel_domain::{
    Advance, AgentId, ArtifactAdded, Blob, CountScope, Digest, Discounted, Epoch, ExitWhen, Fact,
    Flow, Key, LoopKind, LoopOpened, LoopPhase, LoopStatus, PhaseAdvanced, Protocol, Record,
    RecordDraft, RunId, Schedule, Seq, Slot, Speaker, StopCondition, Timestamp, TurnAssigned,
    TurnCompleted, TurnOutcome, Unmet, Word,
};
use proptest::prelude::*;

use super::*;

const ITEM: &str = "trp_01890a5d-ac96-774b-bcce-b302099a8057";
/// Stands in briefs, and nobody accepted it.
const CANDIDATE: &str = "trp_01890a5d-ac96-774b-bcce-b302099a8058";

/// A loop that is told fact by fact.
struct Tale {
    records: Vec<Record>,
}

fn run() -> RunId {
    "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()
}

fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

fn named(name: &str) -> Word {
    name.parse().unwrap()
}

fn slot(number: usize, role: &str) -> Slot {
    Slot {
        id: format!("slot-{number}"),
        role: named(role),
        agent: Some(agent(&format!("{role}-{number}"))),
        profile: None,
    }
}

impl Tale {
    fn new(protocol: Protocol, slots: Vec<Slot>) -> Self {
        let mut tale = Self {
            records: Vec::new(),
        };
        tale.note(&LoopOpened {
            protocol,
            slots,
            title: Blob::new("title").name(),
            goal: None,
            by: agent("owner"),
            speaker: Speaker::PERSON,
        });
        tale
    }

    /// An ideation with so many critics, in its critique phase.
    fn critics(count: usize) -> Self {
        let mut slots = vec![slot(1, CHAMPION)];
        slots.extend((2..2 + count).map(|number| slot(number, CRITIC)));
        let mut tale = Self::new(ideation(false), slots);
        tale.moves(CRITIQUE, 0);
        tale
    }

    fn note<T: Fact>(&mut self, fact: &T) {
        let seq = Seq(self.records.len() as u64 + 1);
        let key = Key::new(format!("fact/n-{}", seq.0)).unwrap().outcome();
        let draft = RecordDraft::new(key, fact).unwrap();
        let at = Timestamp::UNIX_EPOCH;
        let record = draft.place(run(), (seq, Epoch(1)), at, Digest::ZERO);
        self.records.push(record);
    }

    fn state(&self) -> LoopState {
        LoopState::of(&self.records).unwrap().unwrap()
    }

    fn moves(&mut self, to: &str, iteration: u32) {
        self.note(&PhaseAdvanced {
            from: named("before"),
            to: named(to),
            iteration,
            how: Advance::AdvanceTo,
            by: agent("owner"),
        });
    }

    fn turn(&mut self, slot: usize) -> u32 {
        let state = self.state();
        let turn = u32::try_from(state.turns.len()).unwrap() + 1;
        self.note(&TurnAssigned {
            turn,
            slot: format!("slot-{slot}"),
            phase: state.phase,
            iteration: state.iteration,
            brief: Blob::new("brief").name(),
            items: vec![ITEM.to_owned(), CANDIDATE.to_owned()],
            proposed: vec![CANDIDATE.to_owned()],
            artifacts: Vec::new(),
            dropped: 0,
            by: agent("owner"),
        });
        turn
    }

    fn hands_in(&mut self, slot: usize, kind: &str, discounted: Option<Discounted>) -> u32 {
        let state = self.state();
        let artifact = u32::try_from(state.artifacts.len()).unwrap() + 1;
        self.note(&ArtifactAdded {
            artifact,
            kind: named(kind),
            phase: state.phase,
            iteration: state.iteration,
            slot: Some(format!("slot-{slot}")),
            turn: None,
            body: Blob::new(format!("{kind} {artifact}")).name(),
            shown: 9,
            cites: vec![ITEM.to_owned()],
            cites_refused: 0,
            addresses: Vec::new(),
            waived: Vec::new(),
            uncovered: Vec::new(),
            green: false,
            discounted,
            by: agent("somebody"),
        });
        artifact
    }

    fn ends(&mut self, turn: u32, slot: usize, outcome: TurnOutcome) {
        self.note(&TurnCompleted {
            turn,
            slot: format!("slot-{slot}"),
            outcome,
            reason: None,
            by: agent("somebody"),
        });
    }

    /// A critic that hands in so many critiques and, or, says that there is nothing new.
    fn speaks(&mut self, slot: usize, critiques: usize, nothing_new: bool) {
        let turn = self.turn(slot);
        for _ in 0..critiques {
            self.hands_in(slot, CRITIQUE, None);
        }
        if nothing_new {
            self.hands_in(slot, NOTHING_NEW, None);
        }
        self.ends(turn, slot, TurnOutcome::Done);
    }
}

fn told(state: &LoopState) -> String {
    match advance(state) {
        Ok(to) => format!("{} {} {:?}", to.to, to.iteration, to.how),
        Err(AdvanceError::Blocked { unmet, .. }) => {
            let parts = unmet.iter().map(|unmet| match unmet {
                Unmet::Artifacts {
                    have,
                    need,
                    discounted,
                    ..
                } => format!("{have}/{need}-{discounted}"),
                Unmet::OpenWindows { slots } => format!("open {}", slots.len()),
                Unmet::FailedTurns { slots } => format!("failed {}", slots.len()),
                Unmet::Phase { .. }
                | Unmet::Verdict
                | Unmet::Iterations { .. }
                | Unmet::Questions { .. }
                | Unmet::Person => format!("{unmet:?}"),
            });
            format!("blocked {}", parts.collect::<Vec<_>>().join(" "))
        }
        Err(error) => error.to_string(),
    }
}

/// What each critic does: critiques, nothing new.
#[test]
fn the_exit_rule_goes_before_the_gate_and_the_floor_stays() {
    let table: &[(&[(usize, bool)], &str)] = &[
        (&[(0, true)], "synthesis 0 ExitCycle"),
        (&[(0, true), (0, true), (0, true)], "synthesis 0 ExitCycle"),
        (&[(3, false)], "revision 0 AdvanceTo"),
        (
            &[(1, false), (1, false), (1, false)],
            "revision 0 AdvanceTo",
        ),
        (&[(2, false)], "blocked 2/3-0"),
        (&[(2, true)], "revision 0 AdvanceTo"),
        (&[(2, false), (0, true)], "blocked 2/3-0"),
        (&[(1, true), (0, true)], "revision 0 AdvanceTo"),
        (&[(0, true), (0, false)], "blocked 0/3-0"),
    ];
    for (critics, expected) in table {
        let mut tale = Tale::critics(critics.len());
        for (place, (critiques, nothing_new)) in critics.iter().enumerate() {
            tale.speaks(place + 2, *critiques, *nothing_new);
        }
        assert_eq!(told(&tale.state()), *expected, "{critics:?}");
    }
}

#[test]
fn silence_is_no_agreement() {
    let mut tale = Tale::critics(2);
    tale.speaks(2, 0, true);
    assert_eq!(told(&tale.state()), "blocked 0/3-0 open 1");
    let turn = tale.turn(3);
    assert_eq!(told(&tale.state()), "blocked 0/3-0 open 1");
    tale.ends(turn, 3, TurnOutcome::Failed);
    assert_eq!(told(&tale.state()), "blocked 0/3-0 failed 1");
    let again = tale.turn(3);
    tale.ends(again, 3, TurnOutcome::Cancelled);
    assert_eq!(told(&tale.state()), "synthesis 0 ExitCycle");
}

#[test]
fn a_phase_without_anybody_left_is_not_saturated() {
    let mut tale = Tale::critics(1);
    let turn = tale.turn(2);
    tale.ends(turn, 2, TurnOutcome::Cancelled);
    assert_eq!(told(&tale.state()), "blocked 0/3-0");
}

#[test]
fn what_does_not_count_opens_no_gate() {
    let mut tale = Tale::critics(1);
    let turn = tale.turn(2);
    for why in [
        Discounted::Empty,
        Discounted::NoValidCitation,
        Discounted::SaidBefore,
        Discounted::Late,
    ] {
        tale.hands_in(2, CRITIQUE, Some(why));
    }
    tale.ends(turn, 2, TurnOutcome::Done);
    assert_eq!(told(&tale.state()), "blocked 0/3-4");
}

#[test]
fn a_cycle_goes_round_until_its_exit_or_its_cap() {
    let mut tale = Tale::critics(1);
    for (iteration, expected) in [
        (0, "critique 1 IterateTo"),
        (1, "critique 2 IterateTo"),
        (2, "synthesis 3 MaxIterations"),
    ] {
        tale.speaks(2, 3, false);
        tale.moves(REVISION, iteration);
        assert_eq!(told(&tale.state()), "blocked 0/1-0 open 1");
        let turn = tale.turn(1);
        tale.hands_in(1, REVISION, None);
        tale.ends(turn, 1, TurnOutcome::Done);
        assert_eq!(told(&tale.state()), expected);
        tale.moves(CRITIQUE, iteration + 1);
    }
}

#[test]
fn a_signal_ends_a_cycle_that_waits_for_one() {
    let mut protocol = ideation(true);
    protocol.iteration.as_mut().unwrap().exit_when = ExitWhen::CriticSignal;
    let slots = vec![slot(1, CHAMPION), slot(2, CRITIC), slot(3, REFRAMER)];
    let mut tale = Tale::new(protocol, slots);
    tale.moves(CRITIQUE, 0);
    let turn = tale.turn(2);
    tale.hands_in(2, CRITIC_SIGNAL, None);
    assert_eq!(told(&tale.state()), "blocked 0/3-0 open 1");
    tale.ends(turn, 2, TurnOutcome::Done);
    assert_eq!(told(&tale.state()), "reframe 0 ExitCycle");
}

#[test]
fn slots_begin_anew_in_every_phase_and_are_found_by_role_in_every_round() {
    let mut tale = Tale::critics(2);
    tale.speaks(2, 3, false);
    assert_eq!(tale.state().slot(CRITIC).unwrap().id, "slot-3");
    tale.moves(REVISION, 0);
    tale.moves(CRITIQUE, 1);
    let state = tale.state();
    assert_eq!(state.slot(CRITIC).unwrap().id, "slot-2");
    assert!(
        state
            .slots
            .iter()
            .all(|slot| state.status_of(slot) == SlotStatus::Open)
    );
    assert!(state.slot("slot-9").is_none());
}

#[test]
fn stop_conditions_hold_when_they_should() {
    let mut tale = Tale::critics(1);
    tale.hands_in(2, CRITIQUE, None);
    tale.hands_in(2, CRITIQUE, Some(Discounted::Empty));
    let state = tale.state();
    let count = |n, scope| StopCondition::MinArtifactsByType {
        artifact: named(CRITIQUE),
        n,
        scope,
    };
    let produced = |phase: &str| StopCondition::ArtifactProduced {
        phase: named(phase),
        artifact: named(CRITIQUE),
    };
    let table = [
        (
            StopCondition::PhaseReached {
                phase: named(CRITIQUE),
            },
            true,
        ),
        (
            StopCondition::PhaseReached {
                phase: named(SYNTHESIS),
            },
            false,
        ),
        (StopCondition::ReviewerGreen, false),
        (StopCondition::MaxIterations { n: 1 }, false),
        (StopCondition::MinIterations { n: 1 }, false),
        (produced(CRITIQUE), true),
        (produced(REVISION), false),
        (count(1, CountScope::Phase), true),
        (count(2, CountScope::Loop), false),
        (StopCondition::NoOpenQuestions, true),
        (StopCondition::Manual, false),
        (
            StopCondition::Any {
                conditions: vec![StopCondition::Manual, produced(CRITIQUE)],
            },
            true,
        ),
        (
            StopCondition::All {
                conditions: vec![StopCondition::Manual, produced(CRITIQUE)],
            },
            false,
        ),
    ];
    for (condition, holds) in table {
        assert_eq!(unmet(&state, &condition).is_empty(), holds, "{condition:?}");
    }
}

#[test]
fn a_loop_that_ends_by_a_limit_alone_is_blocked() {
    let limit = StopCondition::MaxIterations { n: 1 };
    let there = StopCondition::PhaseReached {
        phase: named(CRITIQUE),
    };
    for (stop, status) in [
        (limit.clone(), LoopStatus::Blocked),
        (
            StopCondition::Any {
                conditions: vec![limit, there],
            },
            LoopStatus::Completed,
        ),
    ] {
        let mut protocol = ideation(false);
        protocol.stop = stop;
        let mut tale = Tale::new(protocol, vec![slot(1, CHAMPION), slot(2, CRITIC)]);
        tale.moves(CRITIQUE, 1);
        assert_eq!(stopped(&tale.state()).unwrap().status, status);
    }
}

fn phase(name: &str) -> LoopPhase {
    LoopPhase {
        name: named(name),
        roles: Vec::new(),
        produces: Vec::new(),
        context: Vec::new(),
        gate: None,
    }
}

fn custom(phases: Vec<LoopPhase>) -> Protocol {
    Protocol {
        kind: LoopKind::Custom,
        phases,
        iteration: None,
        stop: StopCondition::Manual,
        schedule: Schedule::Parallel,
        flow: Flow::Manual,
    }
}

#[test]
fn a_protocol_that_cannot_be_followed_is_refused_at_once() {
    let slots = [
        slot(1, CHAMPION),
        slot(2, CRITIC),
        slot(3, REVIEWER),
        slot(4, AUTHOR),
        slot(5, "adviser"),
        slot(6, REFRAMER),
    ];
    for protocol in [ideation(false), ideation(true), review(), consult()] {
        assert_eq!(validate(&protocol, &slots), Ok(()));
    }
    let cycle = |names: &[&str], max_iterations| {
        let mut protocol = custom(vec![phase("one"), phase("two")]);
        protocol.iteration = Some(gavel_domain::Iteration {
            cycle: names.iter().map(|name| named(name)).collect(),
            max_iterations,
            exit_when: ExitWhen::CriticSignal,
        });
        protocol
    };
    let mut gated = custom(vec![phase("one")]);
    gated.phases[0].gate = Some(StopCondition::PhaseReached {
        phase: named("three"),
    });
    let mut never = ideation(false);
    never.phases[1].produces = vec![named("finding")];
    let mut stop = custom(vec![phase("one")]);
    stop.stop = StopCondition::Any {
        conditions: Vec::new(),
    };
    let mut nobody = custom(vec![phase("one")]);
    nobody.phases[0].roles = vec![named("judge")];
    for (protocol, problem) in [
        (custom(Vec::new()), "a loop has at least one phase"),
        (
            custom(vec![phase("one"), phase("one")]),
            "two phases are called one",
        ),
        (
            cycle(&["three"], 3),
            "the cycle names the phase three, which the loop does not have",
        ),
        (
            cycle(&["one", "two"], 3),
            "a cycle has at least one phase and one iteration, and a phase that follows it",
        ),
        (
            cycle(&["one"], 0),
            "a cycle has at least one phase and one iteration, and a phase that follows it",
        ),
        (
            gated,
            "a gate names the phase three, which the loop does not have",
        ),
        (
            never,
            "the gate of critique asks for a critique, which critique does not take",
        ),
        (stop, "`any` and `all` need at least one condition"),
        (nobody, "no slot has a role of the phase one: judge"),
    ] {
        assert_eq!(
            validate(&protocol, &slots).unwrap_err().to_string(),
            problem
        );
    }
    let twice = [slot(1, CHAMPION), slot(1, CRITIC)];
    assert_eq!(
        validate(&ideation(false), &twice).unwrap_err().to_string(),
        "two slots are called slot-1"
    );
}

#[test]
fn citations_are_held_against_the_brief() {
    let mut tale = Tale::critics(1);
    let number = tale.turn(2);
    let state = tale.state();
    let turn = state.turn(number).unwrap();
    let phase = state.current().unwrap();
    let kind = named(CRITIQUE);
    let look = |body: &str, cites: &[&str]| {
        let cites: Vec<String> = cites.iter().map(|cite| (*cite).to_owned()).collect();
        let new = Submission {
            kind: &kind,
            body,
            cites: &cites,
            addresses: &[],
            waived: &[],
            turn: Some(turn),
        };
        let judged = judge(&state, phase, new).unwrap();
        (judged.discounted, judged.cites, judged.refused)
    };
    let held = || vec![ITEM.to_owned()];
    let none = Vec::<String>::new;
    assert_eq!(look("x", &[ITEM]), (None, held(), none()));
    assert_eq!(look("x", &["[trp_099a8057]"]), (None, held(), none()));
    // By their ends, however long, where only one ends so.
    for end in ["99a8057", "trp_99a8057", "`8057`", "b302099a8057"] {
        assert_eq!(look("x", &[end]), (None, held(), none()), "{end}");
    }
    for wrong in ["057", "trp_", "trp_805", "beef", "01890a5d"] {
        let refused = vec![wrong.to_owned()];
        let no = (Some(Discounted::NoValidCitation), none(), refused);
        assert_eq!(look("x", &[wrong]), no, "{wrong}");
    }
    assert_eq!(
        look("x", &["dec_099a8057"]).0,
        Some(Discounted::NoValidCitation)
    );
    let candidate = || CANDIDATE.to_owned();
    assert_eq!(
        look("x", &[CANDIDATE]),
        (Some(Discounted::NoValidCitation), vec![candidate()], none()),
        "nobody accepted it"
    );
    assert_eq!(
        look("x", &[CANDIDATE, ITEM]),
        (None, vec![candidate(), ITEM.to_owned()], none())
    );
    assert_eq!(look(" ", &[ITEM]).0, Some(Discounted::Empty));
    let wrong = named(PROPOSAL);
    let new = Submission {
        kind: &wrong,
        body: "x",
        cites: &[],
        addresses: &[],
        waived: &[],
        turn: Some(turn),
    };
    assert_eq!(
        judge(&state, phase, new).unwrap_err().to_string(),
        "the phase critique takes no proposal: it takes critique, nothing_new, critic_signal"
    );
}

#[test]
fn a_plan_answers_critiques_of_this_loop_and_what_it_leaves_is_told() {
    let mut tale = Tale::critics(1);
    let one = tale.hands_in(2, CRITIQUE, None);
    let two = tale.hands_in(2, CRITIQUE, None);
    tale.hands_in(2, CRITIQUE, Some(Discounted::Empty));
    let said = tale.hands_in(2, NOTHING_NEW, None);
    tale.moves(SYNTHESIS, 0);
    let state = tale.state();
    let phase = state.current().unwrap();
    let kind = named(PLAN_DRAFT);
    let name = |number| artifact_name(run(), number);
    let look = |addresses: &[String], waived: &[String]| {
        judge(
            &state,
            phase,
            Submission {
                kind: &kind,
                body: "plan",
                cites: &[],
                addresses,
                waived,
                turn: None,
            },
        )
    };
    assert_eq!(look(&[name(one)], &[]).unwrap().uncovered, [two]);
    assert_eq!(
        look(&[name(one)], &[name(two)]).unwrap().uncovered,
        [0_u32; 0]
    );
    assert_eq!(
        look(&[name(said)], &[]).unwrap_err().to_string(),
        format!(
            "{} is no critique of this loop: a plan addresses or waives critiques",
            name(said)
        )
    );
    assert_eq!(
        look(&[name(77)], &[]).unwrap_err().to_string(),
        format!(
            "{} is no critique of this loop: a plan addresses or waives critiques",
            name(77)
        )
    );
    assert_eq!(
        look(&["art_00000000_1".to_owned()], &[])
            .unwrap_err()
            .to_string(),
        "`art_00000000_1` is an artifact of another loop"
    );
    assert_eq!(
        look(&["one".to_owned()], &[]).unwrap_err().to_string(),
        "`one` is no artifact id, such as art_9a8057cc_3"
    );
}

#[test]
fn a_verdict_accepts_only_with_the_word() {
    let mut tale = Tale::new(review(), vec![slot(1, AUTHOR), slot(2, REVIEWER)]);
    tale.moves(VERDICT, 0);
    let state = tale.state();
    let phase = state.current().unwrap();
    let kind = named(VERDICT);
    for (body, green) in [
        ("Accepted: fine", true),
        ("  accepted", true),
        ("accepted_not", false),
        ("accepted? certainly not", false),
        ("not accepted", false),
        ("acceptedly", false),
        ("changes requested", false),
    ] {
        let new = Submission {
            kind: &kind,
            body,
            cites: &[],
            addresses: &[],
            waived: &[],
            turn: None,
        };
        assert_eq!(judge(&state, phase, new).unwrap().green, green, "{body}");
    }
}

#[test]
fn nothing_is_expected_that_would_be_refused() {
    let mut tale = Tale::critics(2);
    assert_eq!(expected(&tale.state()).len(), 2);
    tale.speaks(2, 1, false);
    let turn = tale.turn(3);
    assert!(matches!(
        expected(&tale.state())[0],
        Expected::CompleteTurn { .. }
    ));
    tale.ends(turn, 3, TurnOutcome::Done);
    let blocked = expected(&tale.state());
    assert!(
        matches!(
            blocked.as_slice(),
            [Expected::Turn { .. }, Expected::Turn { .. }]
        ),
        "{blocked:?}"
    );
}

proptest! {
    /// Bodies are cut between characters, and never above the cap.
    #[test]
    fn a_body_is_cut_between_characters(body in "\\PC{0,3000}") {
        let mut tale = Tale::critics(1);
        let turn = tale.turn(2);
        let state = tale.state();
        let kind = named(CRITIQUE);
        let new = Submission { kind: &kind, body: &body, cites: &[], addresses: &[], waived: &[], turn: state.turn(turn) };
        let shown = judge(&state, state.current().unwrap(), new).unwrap().shown as usize;
        prop_assert!(shown <= CAP_BYTES && body.is_char_boundary(shown));
        prop_assert!(shown == body.len() || shown > CAP_BYTES - 4);
    }

    /// Whatever critics do, a loop of three rounds ends: no way leads round for ever.
    #[test]
    fn every_way_through_an_ideation_ends(rounds in proptest::collection::vec((0_usize..5, any::<bool>()), 12)) {
        let mut tale = Tale::critics(1);
        let mut steps = 0;
        for (critiques, nothing_new) in rounds {
            let state = tale.state();
            match state.phase.as_str() {
                CRITIQUE => tale.speaks(2, critiques, nothing_new || critiques < 3),
                REVISION => {
                    let turn = tale.turn(1);
                    tale.hands_in(1, REVISION, None);
                    tale.ends(turn, 1, TurnOutcome::Done);
                }
                _ => break,
            }
            let to = advance(&tale.state());
            let Ok(to) = to else { continue };
            tale.moves(to.to.as_str(), to.iteration);
            steps += 1;
        }
        let state = tale.state();
        prop_assert!(state.phase.as_str() == SYNTHESIS, "{} after {steps}", state.phase);
        prop_assert!(state.iteration <= 3);
    }
}
