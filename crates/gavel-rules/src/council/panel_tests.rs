use proptest::prelude::*;

use super::*;

/// `provider/name:tier`, for example `a/big:p`.
fn card(text: &str) -> ModelCard<'_> {
    let (id, tier) = text.split_once(':').unwrap();
    let (provider, _) = id.split_once('/').unwrap_or((id, ""));
    let tier = match tier {
        "f" => ModelTier::Fast,
        "b" => ModelTier::Balanced,
        _ => ModelTier::Premium,
    };
    ModelCard { id, provider, tier }
}

fn cards<'a>(texts: &[&'a str]) -> Vec<ModelCard<'a>> {
    texts.iter().map(|text| card(text)).collect()
}

#[test]
fn the_leader_stays_with_the_sessions_provider() {
    let session = card("a/mid:b");
    for (configured, reachable, leads, promoted) in [
        // Nobody configured a leader: nobody is promoted.
        (None, &["a/mid:b", "a/big:p"][..], "a/mid", None),
        (
            Some("a/mid:b"),
            &["a/mid:b", "a/big:p"],
            "a/big",
            Some("a/mid"),
        ),
        (Some("a/big:p"), &["a/mid:b", "a/huge:p"], "a/big", None),
        (Some("a/mid:b"), &["b/big:p"], "a/mid", None),
        // One of another provider gives way, to the best one there is.
        (
            Some("b/big:p"),
            &["b/big:p", "a/mid:b", "a/big:p"],
            "a/big",
            Some("b/big"),
        ),
        (
            Some("b/big:p"),
            &["b/big:p", "a/old:b"],
            "a/mid",
            Some("b/big"),
        ),
        (Some("b/big:p"), &[], "a/mid", Some("b/big")),
        // The first one of the highest tier.
        (
            Some("a/small:f"),
            &["a/mid:b", "a/p1:p", "a/p2:p"],
            "a/p1",
            Some("a/small"),
        ),
    ] {
        let configured = configured.map(card);
        let found = pick_leader(&session, configured.as_ref(), &cards(reachable));
        assert_eq!(found.model, leads, "{configured:?}");
        assert_eq!(found.promoted_from.as_deref(), promoted, "{configured:?}");
    }
}

#[test]
fn seats_differ_as_far_as_they_can() {
    for (stances, configured, reachable, expected) in [
        (3, &["a/x:b", "b/y:b"][..], &["c/z:p"][..], "a/x b/y a/x"),
        (2, &["a/x:b", "a/x:b"], &["c/z:p"], "a/x a/x"),
        (1, &["a/x:b", "b/y:b"], &[], "a/x"),
        (3, &[], &["a/x:b", "a/w:f", "b/y:b"], "a/x b/y a/w"),
        (4, &[], &["a/x:b", "a/w:f"], "a/x a/w a/x a/w"),
        (2, &[], &["a/x:b", "a/x:b"], "a/x a/x"),
        (3, &[], &["offline:f", "a/x:b"], "a/x a/x a/x"),
        (3, &[], &["offline:f"], ""),
        (2, &[], &[], ""),
    ] {
        let found = pick_seats(stances, &cards(configured), &cards(reachable));
        assert_eq!(found.join(" "), expected);
    }
}

#[test]
fn voices_count_models() {
    for (models, expected) in [
        (&[][..], Voices::Rules),
        (&["offline", "offline"], Voices::Rules),
        (&["a/x"], Voices::OneModel),
        (&["a/x", "a/x", "offline"], Voices::OneModel),
        (&["a/x", "a/w"], Voices::Several),
    ] {
        let models: Vec<String> = models.iter().map(|model| (*model).to_owned()).collect();
        assert_eq!(voices(&models), expected, "{models:?}");
    }
}

const TASKS: [CouncilTask; 8] = [
    CouncilTask::ResearchNeed,
    CouncilTask::RoundSummary,
    CouncilTask::EvaluateRound,
    CouncilTask::ClarifyQuestions,
    CouncilTask::SpecSynthesis,
    CouncilTask::Synthesis,
    CouncilTask::Planning,
    CouncilTask::Turn,
];

#[test]
fn five_tasks_go_to_a_cheaper_model_of_the_same_provider() {
    let for_all = |leader: &str, reachable: &[&str], cost_aware: bool| {
        let models =
            TASKS.map(|task| model_for(task, &card(leader), &cards(reachable), cost_aware));
        models.join(" ").replace("a/", "")
    };
    let all = ["a/p:p", "a/b:b", "a/f:f", "b/f:f"];
    assert_eq!(for_all("a/p:p", &all, true), "f f b b b p p p");
    assert_eq!(for_all("a/b:b", &all, true), "f f b b b b b b");
    assert_eq!(for_all("a/f:f", &all, true), "f f f f f f f f");
    assert_eq!(for_all("a/p:p", &all, false), "p p p p p p p p");
    // The next one up helps where the one that is enough cannot be reached, but nobody goes below.
    assert_eq!(for_all("a/p:p", &["a/b:b"], true), "b b b b b p p p");
    assert_eq!(for_all("a/p:p", &["a/f:f"], true), "f f p p p p p p");
    // Another provider never helps.
    assert_eq!(
        for_all("a/p:p", &["b/f:f", "b/b:b"], true),
        "p p p p p p p p"
    );
}

proptest! {
    #[test]
    fn no_model_is_repeated_while_another_is_free(
        names in prop::collection::vec("[abc]/[xyz]", 0..8),
        stances in 0_usize..6,
    ) {
        let texts: Vec<String> = names.iter().map(|name| format!("{name}:b")).collect();
        let reachable: Vec<ModelCard<'_>> = texts.iter().map(|text| card(text)).collect();
        let seats = pick_seats(stances, &[], &reachable);
        let distinct = |ids: &[String]| {
            let mut ids = ids.to_vec();
            ids.sort();
            ids.dedup();
            ids.len()
        };
        prop_assert_eq!(seats.len(), if names.is_empty() { 0 } else { stances });
        prop_assert_eq!(distinct(&seats), stances.min(distinct(&names)));
        let provider = |id: &String| id.split('/').next().unwrap_or_default().to_owned();
        let sitting: Vec<String> = seats.iter().map(provider).collect();
        let there: Vec<String> = names.iter().map(provider).collect();
        prop_assert_eq!(distinct(&sitting), stances.min(distinct(&there)));
    }

    #[test]
    fn the_leader_never_leaves_the_provider(
        configured in prop::option::of("[ab]/[xyz]:[fbp]"),
        reachable in prop::collection::vec("[ab]/[xyz]:[fbp]", 0..6),
    ) {
        let session = card("a/x:b");
        let configured = configured.as_deref().map(card);
        let reachable: Vec<ModelCard<'_>> = reachable.iter().map(|text| card(text)).collect();
        let found = pick_leader(&session, configured.as_ref(), &reachable);
        prop_assert!(found.model.starts_with("a/"));
        prop_assert_ne!(found.promoted_from, Some(found.model));
    }
}

#[test]
fn the_judge_is_the_one_furthest_from_the_council() {
    let card = |id: &'static str, tier| ModelCard {
        id,
        provider: id.split('/').next().unwrap(),
        tier,
    };
    let leader = card("lead/m", ModelTier::Premium);
    let seats = ["left/m".to_owned(), "lead/m".to_owned()];
    let reach = |ids: &[&'static str]| {
        let cards = ids.iter().map(|id| card(id, ModelTier::Balanced));
        let cards: Vec<ModelCard<'static>> = cards.collect();
        most_independent(&leader, &seats, &cards)
    };
    assert_eq!(
        reach(&["lead/m", "left/m", "lead/n", "other/m"]),
        Some("other/m")
    );
    assert_eq!(reach(&["lead/m", "left/m", "lead/n"]), Some("lead/n"));
    assert_eq!(reach(&["lead/m", "left/m"]), Some("left/m"));
    assert_eq!(reach(&["lead/m"]), None);
}
