use super::*;

const FINE: AfterDebate = AfterDebate {
    synthesised: true,
    criteria_unmet: false,
    empty_sections: false,
    badge: Badge::High,
    has_plan: false,
    kind: OutputKind::Decision,
};

#[test]
fn what_is_missing_comes_first() {
    let all_wrong = AfterDebate {
        synthesised: false,
        criteria_unmet: true,
        empty_sections: true,
        badge: Badge::Low,
        has_plan: true,
        kind: OutputKind::ImplementationPlan,
    };
    assert_eq!(recommend_next(&all_wrong), NextAction::RetrySynthesis);
    for missing in [
        AfterDebate {
            criteria_unmet: true,
            ..FINE
        },
        AfterDebate {
            empty_sections: true,
            ..FINE
        },
        AfterDebate {
            badge: Badge::Low,
            ..FINE
        },
        AfterDebate {
            synthesised: true,
            ..all_wrong
        },
    ] {
        assert_eq!(
            recommend_next(&missing),
            NextAction::FollowUp,
            "{missing:?}"
        );
    }
}

#[test]
fn what_follows_depends_on_kind_plan_and_badge() {
    use Badge::{High, Medium, NotMeasured};
    for (kind, has_plan, badge, expected) in [
        (OutputKind::Decision, false, High, NextAction::Save),
        (OutputKind::Decision, true, High, NextAction::Save),
        (OutputKind::Evaluation, false, NotMeasured, NextAction::Save),
        (
            OutputKind::ImplementationPlan,
            false,
            High,
            NextAction::MakePlan,
        ),
        (
            OutputKind::ImplementationPlan,
            false,
            NotMeasured,
            NextAction::MakePlan,
        ),
        (
            OutputKind::ImplementationPlan,
            true,
            Medium,
            NextAction::Execute,
        ),
        (
            OutputKind::ImplementationPlan,
            true,
            NotMeasured,
            NextAction::Save,
        ),
        (OutputKind::ActionItems, true, High, NextAction::Execute),
        (OutputKind::ActionItems, false, High, NextAction::Save),
    ] {
        let after = AfterDebate {
            kind,
            has_plan,
            badge,
            ..FINE
        };
        assert_eq!(recommend_next(&after), expected, "{after:?}");
    }
}

#[test]
fn stored_words_are_the_enums_own() {
    for action in NextAction::ALL {
        let stored = serde_json::to_value(action).unwrap();
        assert_eq!(stored, action.word());
    }
}
