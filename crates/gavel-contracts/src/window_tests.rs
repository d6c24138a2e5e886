use proptest::prelude::*;

use super::*;
use crate::samples::sample;
use crate::{parse_phases, parse_schema};

const FOUR: &str = "# Phases\n\nintro\n\n## Phase 0: Zero\nzero\n\n## Notes\nnot a phase\n\n\
    ## Phase 1 - One\none\n```\n## Phase 9: inside a fence\n```\nend of one\n\
    ## Phase 2 – Two\ntwo\n## phase 3 — Three\nthree";

fn window(text: &str, n: u32) -> String {
    phase_window(text, n).unwrap()
}

#[test]
fn a_window_is_a_phase_and_the_next_as_they_stand() {
    assert_eq!(
        window(FOUR, 0),
        "Window: phases 0 and 1 of 0..3\n\n## Phase 0: Zero\nzero\n\n## Phase 1 - One\none\n```\n\
         ## Phase 9: inside a fence\n```\nend of one\n"
    );
    assert_eq!(
        window(FOUR, 2),
        "Window: phases 2 and 3 of 0..3\n\n## Phase 2 – Two\ntwo\n\n## phase 3 — Three\nthree"
    );
}

#[test]
fn the_last_phase_says_that_it_is_the_last() {
    assert_eq!(
        window(FOUR, 3),
        "Window: phase 3 of 0..3, the final phase\n\n## phase 3 — Three\nthree"
    );
    let only = "## Phase 0: Only\r\ntext\r\n";
    assert_eq!(
        window(only, 0),
        format!("Window: phase 0 of 0..0, the final phase\n\n{only}")
    );
}

#[test]
fn another_phase_is_told_which_there_are() {
    let error = phase_window(FOUR, 4).unwrap_err();
    assert_eq!(error, WindowError::NoSuchPhase { asked: 4, last: 3 });
    assert_eq!(
        error.to_string(),
        "there is no phase 4: ask for one of 0..3"
    );
    assert_eq!(
        phase_window(FOUR, u32::MAX),
        Err(WindowError::NoSuchPhase {
            asked: u32::MAX,
            last: 3
        })
    );
    for none in [
        "",
        "# Phases\n",
        "## Phases 0: a\n",
        "##Phase 0: a\n",
        "### Phase 0: a\n",
        "## Phase: a\n",
        "## Phase 0\n",
        "## Phase 0:\n",
        "## Phase 0 a\n",
        "```\n## Phase 0: a\n```\n",
        " ~~~~\n## Phase 0: a\n~~~\n## Phase 1: a\n",
    ] {
        assert_eq!(phase_window(none, 0), Err(WindowError::NoPhases), "{none}");
    }
}

#[test]
fn a_gap_is_not_hidden() {
    let gap = "## Phase 0: a\n## Phase 2: c\n";
    assert_eq!(
        window(gap, 0),
        "Window: phase 0 of 0..2; the next one is missing\n\n## Phase 0: a\n"
    );
    assert_eq!(
        phase_window(gap, 1),
        Err(WindowError::NoSuchPhase { asked: 1, last: 2 })
    );
}

/// Texts made of the pieces that readers look for.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "## Phase 0: a",
        "## Phase 1 — b",
        "## Phase 4294967296: c",
        "## Phase",
        "# T",
        "\n",
        "\n\n",
        "**Objective:** x",
        "**Objective:**",
        "**Deliverables:**",
        "**Schema coverage:** lamp, ,`x`.",
        "**Exit criteria:**",
        "- `a`: b",
        "- `a:",
        "  ```",
        "```",
        "~~~~",
        "- ",
        "**",
        "## Entity: a (b)",
        "## Entity: ä (",
        "| field | type | required | notes |",
        "|---|---|---|---|",
        "| a | reference to é | yes | \\|",
        "|",
        "\\",
        "é",
        "\r\n",
        "\u{0}",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_makes_readers_panic(text in prop_oneof![any::<String>(), pieces()], n in any::<u32>()) {
        read_all(&text, n);
        read_all(&text, n % 4);
    }

    #[test]
    fn a_window_of_a_damaged_contract_is_part_of_it(cut in 0_usize..1_500, n in 0_u32..3) {
        let text = sample(gavel_domain::ContractKind::Phases);
        let text = text.get(..text.floor_char_boundary(cut)).unwrap();
        if let Ok(window) = phase_window(text, n) {
            let (_, sections) = window.split_once("\n\n").unwrap();
            prop_assert!(text.contains(sections), "{window}");
        }
    }
}

fn read_all(text: &str, n: u32) {
    let shelf = crate::samples::sample_shelf();
    let spec = crate::samples::sample_spec();
    let agreement = crate::Agreement {
        shelf: &shelf,
        spec: Some(&spec),
    };
    drop(phase_window(text, n));
    drop(parse_phases(text));
    drop(parse_schema(text));
    for kind in gavel_domain::ContractKind::ALL {
        assert!(crate::check(kind, text, &agreement).len() <= crate::MAX_FINDINGS);
    }
}
