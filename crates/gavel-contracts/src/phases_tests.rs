use super::*;
use crate::samples::sample;

#[test]
fn phases_are_read_whole() {
    let phases = parse_phases(&sample(ContractKind::Phases)).unwrap();
    let expected = Phase {
        number: 0,
        name: "Lamps".to_owned(),
        objective: "Lamps can be stored and listed.".to_owned(),
        deliverables: vec!["the data file and its format".to_owned()],
        schema_coverage: vec!["lamp".to_owned()],
        criteria: vec![Criterion {
            id: "lamp_listed".to_owned(),
            statement: "A lamp that was added is listed.".to_owned(),
            example: "$ lamp add --place Pier\n$ lamp list\nhas Pier".to_owned(),
        }],
    };
    assert_eq!(phases.len(), 2);
    assert_eq!(phases[0], expected);
    assert_eq!(phases[1].criteria[0].example, "");
}

#[test]
fn what_people_write_otherwise_is_read_too() {
    let text = "## Phase 0 — Start # now ##\n\
        **objective**: One\nsentence.\n\n\
        **Remark:** not ours\n- nor this\n\
        **Deliverables:**\n* a thing\n  that goes on\n+ another\n\n\
        **Schema coverage:** `lamp`, keeper.\n- harbour-wall\n\
        **Exit criteria:**\n- `one`: It\n  holds: always.\n\n```sh\n  $ a\n    b\n\n- c\n```\n\
        - `two`: Also.\n\n    ~~~~\n    x\n      y\n    ~~~\n  z\n    ~~~~\n\
        ## Risks\n**Objective:** of something else\n";
    let phases = parse_phases(text).unwrap();
    let [phase] = phases.as_slice() else {
        panic!("{phases:?}");
    };
    assert_eq!(phase.name, "Start # now");
    assert_eq!(phase.objective, "One sentence.");
    assert_eq!(phase.deliverables, ["a thing that goes on", "another"]);
    assert_eq!(phase.schema_coverage, ["lamp", "keeper", "harbour-wall"]);
    let criteria: Vec<_> = phase
        .criteria
        .iter()
        .map(|criterion| {
            let Criterion {
                id,
                statement,
                example,
            } = criterion;
            (id.as_str(), statement.as_str(), example.as_str())
        })
        .collect();
    assert_eq!(
        criteria,
        [
            ("one", "It holds: always.", "  $ a\n    b\n\n- c"),
            ("two", "Also.", "x\n  y\n~~~\nz"),
        ]
    );
}

#[test]
fn a_phase_may_cover_nothing_when_it_says_so() {
    let text = sample(ContractKind::Phases).replace("coverage:** keeper", "coverage:** None.");
    let phases = parse_phases(&text).unwrap();
    assert_eq!(phases[1].schema_coverage, [] as [&str; 0]);
}

#[test]
fn headings_are_told_apart() {
    let phase = |number, name| PhaseHeading::Phase { number, name };
    for (title, expected) in [
        ("Phase 0: Genesis", phase(0, "Genesis")),
        ("Phase 12 -  A: b", phase(12, "A: b")),
        ("PHASE 3–c", phase(3, "c")),
        ("Phase\t07 — d", phase(7, "d")),
        ("Phase one: e", PhaseHeading::Malformed),
        ("Phase 1.", PhaseHeading::Malformed),
        ("Phase -1: f", PhaseHeading::Malformed),
        ("Phase 99999999999: g", PhaseHeading::Malformed),
        ("Phase", PhaseHeading::Malformed),
        ("Phases", PhaseHeading::Other),
        ("Phase0: h", PhaseHeading::Other),
        ("", PhaseHeading::Other),
    ] {
        assert_eq!(PhaseHeading::read(title), expected, "{title}");
    }
}

#[test]
fn everything_wrong_is_said_at_once() {
    let text = "# P\n## Phase 1: a\n**Objective:**\n**Exit criteria:**\n- x\n- `X`: y\n";
    let found = parse_phases(text).unwrap_err();
    let found: Vec<_> = found.iter().map(|one| (one.rule, one.line)).collect();
    assert_eq!(
        found,
        [
            ("phase_order", Some(2)),
            ("phase_field_empty", Some(3)),
            ("phase_field", Some(2)),
            ("phase_field", Some(2)),
            ("criterion_form", Some(5)),
            ("criterion_id", Some(6)),
        ]
    );
}
