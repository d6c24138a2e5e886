use super::*;

const STAGES: [Stage; 10] = [
    Stage::Intake,
    Stage::Scout,
    Stage::Discovery,
    Stage::Council,
    Stage::Scoping,
    Stage::Contracts,
    Stage::Building,
    Stage::Gating,
    Stage::Sealing,
    Stage::Lessons,
];

/// Every pair of a place and an event; `-` where it cannot happen.
const TABLE: &str = "
    start      intake     intake     -          -          -
    intake     discovery  building   -          -          -
    scout      discovery  -          -          -          -
    discovery  council    -          -          -          -
    council    scoping    -          -          -          -
    scoping    contracts  -          -          -          -
    contracts  building   -          -          -          -
    building   gating     gating     -          council    discovery
    gating     sealing    sealing    building   council    discovery
    sealing    lessons    lessons    -          -          -
    lessons    -          -          -          -          -
";

#[test]
fn every_pair_is_as_the_table_says() {
    let mut rows = 0;
    for line in TABLE.trim().lines() {
        let mut words = line.split_whitespace();
        let from = words.next().unwrap();
        let from = Stage::from_word(from);
        for (event, word) in StageEvent::ALL.into_iter().zip(words) {
            let to = next_stage(from, event);
            assert_eq!(to.map_or("-", Stage::word), word, "{from:?} {event:?}");
        }
        rows += 1;
    }
    assert_eq!(rows, STAGES.len() + 1, "every stage has its row");
}

#[test]
fn a_stage_is_entered_only_from_where_the_way_leads() {
    let may: Vec<String> = std::iter::once(None)
        .chain(STAGES.map(Some))
        .flat_map(|from| STAGES.map(|to| (from, to)))
        .filter(|(from, to)| may_enter(*from, *to))
        .map(|(from, to)| format!("{}>{to}", from.map_or("start", Stage::word)))
        .collect();
    assert_eq!(
        may.join(" "),
        "start>intake intake>discovery intake>building scout>discovery discovery>council \
         council>scoping council>contracts scoping>contracts contracts>building \
         building>discovery building>council building>gating gating>discovery gating>council \
         gating>building gating>sealing sealing>lessons"
    );
}

#[test]
fn every_way_ends() {
    for (event, length) in [(StageEvent::Done, 9), (StageEvent::DoneHot, 5)] {
        let mut stage = None;
        let mut passed = 0;
        while let Some(next) = next_stage(stage, event) {
            stage = Some(next);
            passed += 1;
            assert!(passed <= STAGES.len(), "{event:?} goes round in circles");
        }
        assert_eq!((stage, passed), (Some(Stage::Lessons), length));
    }
}

#[test]
fn reasons_are_found_by_their_word() {
    for reason in HaltReason::ALL {
        assert_eq!(HaltReason::from_word(reason.word()), Some(reason));
    }
    assert_eq!(HaltReason::from_word("bad_mood"), None);
    let proof = HaltReason::ALL.into_iter().filter(|r| r.is_about_proof());
    assert_eq!(proof.count(), 4);
}
