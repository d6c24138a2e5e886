use super::*;

fn info(id: &str, tier: Tier) -> ModelInfo {
    ModelInfo {
        tier,
        ..ModelInfo::unlisted(id.parse().unwrap())
    }
}

fn slots(leader: &str, stances: &[&str]) -> Slots {
    let id = |name: &str| name.parse::<ModelId>().unwrap();
    Slots {
        leader: id(leader),
        stances: stances.iter().map(|name| id(name)).collect(),
        coder: id(leader),
        auditor: id(leader),
        judge: id(leader),
        researcher: id(leader),
    }
}

fn reach(models: &[(&str, Tier)]) -> Reach {
    Reach {
        models: models.iter().map(|(id, tier)| info(id, *tier)).collect(),
        leader_named: true,
        seats_named: false,
        sources: Vec::new(),
    }
}

const CHOICES: CouncilChoices = CouncilChoices {
    experience: Experience::Advisory,
    gate: true,
    cost_aware: true,
};

fn told(panel: &Panel) -> String {
    let Panel {
        leader,
        promoted_from,
        seats,
        judge,
        researcher,
        fast,
        balanced,
    } = panel;
    format!("{leader} from {promoted_from:?}, {seats:?}, {judge} {researcher} {fast} {balanced}")
}

#[test]
fn the_best_of_the_provider_leads_and_cheap_ones_help() {
    let all = reach(&[
        ("a/mid", Tier::Balanced),
        ("a/top", Tier::Premium),
        ("a/quick", Tier::Fast),
        ("b/top", Tier::Premium),
    ]);
    let slots = slots("a/mid", &["a/mid", "a/mid"]);
    let panel = pick(&slots, &all, CHOICES).unwrap();
    assert_eq!(
        told(&panel),
        r#"a/top from Some("a/mid"), ["a/mid", "b/top", "a/top", "a/quick"], a/mid a/mid a/quick a/mid"#
    );
    // Nobody named a leader, seats are named, and costs do not count.
    let all = Reach {
        leader_named: false,
        seats_named: true,
        ..all
    };
    let dear = CouncilChoices {
        cost_aware: false,
        ..CHOICES
    };
    let panel = pick(&slots, &all, dear).unwrap();
    assert_eq!(
        told(&panel),
        r#"a/mid from None, ["a/mid", "a/mid"], a/mid a/mid a/mid a/mid"#
    );
}

#[test]
fn rules_sit_beside_a_model_and_never_lead() {
    let all = reach(&[("offline", Tier::Fast), ("a/x", Tier::Balanced)]);
    let all = Reach {
        seats_named: true,
        ..all
    };
    let panel = pick(&slots("offline", &["offline", "a/x"]), &all, CHOICES).unwrap();
    assert_eq!(
        told(&panel),
        r#"a/x from None, ["offline", "a/x"], a/x a/x a/x a/x"#
    );
    assert_eq!(pick(&slots("offline", &["offline"]), &all, CHOICES), None);
    // One that nobody can reach now still has its seat: the engine says so when it is asked.
    let panel = pick(&slots("c/z", &["c/z"]), &Reach::default(), CHOICES).unwrap();
    assert_eq!(panel.seats, ["c/z"]);
}

#[test]
fn settings_say_how_a_council_is_held() {
    let settings = |values: serde_json::Value| Settings {
        values: serde_json::from_value(values).unwrap(),
        ..Settings::default()
    };
    let usual = CouncilChoices::of(&settings(serde_json::json!({})));
    assert!(usual.gate && usual.cost_aware);
    let other = CouncilChoices::of(&settings(serde_json::json!({
        "council.gate": "off", "council.cost_aware": "off", "council.experience": "enforcing",
    })));
    assert!(!other.gate && !other.cost_aware);
    assert_eq!(other.experience, Experience::Enforcing);
}
