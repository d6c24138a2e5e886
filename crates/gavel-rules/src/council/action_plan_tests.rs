use proptest::prelude::*;

use super::*;

fn lifted(items: &[&str]) -> Option<ActionPlan> {
    let items: Vec<String> = items.iter().map(|item| (*item).to_owned()).collect();
    lift_plan(&items)
}

fn shown(items: &[&str]) -> String {
    let plan = lifted(items).unwrap();
    let steps = plan.steps.iter();
    let steps = steps.map(|step| format!("{:?} {}", step.priority, step.description));
    format!(
        "{:?}\n{}",
        plan.complexity,
        steps.collect::<Vec<_>>().join("\n")
    )
}

#[test]
fn two_items_are_no_plan_and_three_are() {
    assert_eq!(lifted(&["a", "b"]), None);
    // Blank ones and repeats are no items.
    assert_eq!(lifted(&["a", " ", "b", "B", "- b"]), None);
    insta::assert_snapshot!(shown(&["1. Add the table", "- [ ] Write the worker", "Document it"]), @r"
    Trivial
    High Add the table
    High Write the worker
    Low Document it
    ");
}

#[test]
fn priorities_follow_place_and_what_waits() {
    insta::assert_snapshot!(shown(&[
        "Add the table",
        "After the table is there, write the worker",
        "Measure 2. attempt",
        "Retry failed jobs",
        "Write the manual",
        "Announce it once it is released",
    ]), @r"
    Moderate
    High Add the table
    Medium After the table is there, write the worker
    High Measure 2. attempt
    Medium Retry failed jobs
    Low Write the manual
    Low Announce it once it is released
    ");
}

#[test]
fn words_inside_words_wait_for_nothing() {
    // "hereafter" and "thereafter" are not "after".
    let plan = lifted(&["Hereafter use one table", "b", "c"]).unwrap();
    assert_eq!(plan.steps[0].priority, StepPriority::High);
}

#[test]
fn complexity_counts_steps() {
    for (count, expected) in [
        (3, PlanComplexity::Trivial),
        (4, PlanComplexity::Trivial),
        (5, PlanComplexity::Moderate),
        (9, PlanComplexity::Moderate),
        (10, PlanComplexity::Complex),
    ] {
        let items: Vec<String> = (0..count).map(|n| format!("step {n}")).collect();
        assert_eq!(lift_plan(&items).unwrap().complexity, expected, "{count}");
    }
}

proptest! {
    #[test]
    fn order_is_kept_and_a_third_is_low(count in 3_usize..40) {
        let items: Vec<String> = (0..count).map(|n| format!("step {n}")).collect();
        let plan = lift_plan(&items).unwrap();
        let told: Vec<_> = plan.steps.iter().map(|s| s.description.clone()).collect();
        prop_assert_eq!(told, items);
        let low = plan.steps.iter().filter(|s| s.priority == StepPriority::Low).count();
        prop_assert_eq!(low, count / 3);
        prop_assert_eq!(plan.steps[0].priority, StepPriority::High);
    }
}
