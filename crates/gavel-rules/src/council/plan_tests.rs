use proptest::prelude::*;

use super::*;

fn stance(name: &str) -> Stance {
    Stance {
        name: name.to_owned(),
        lens: "what it costs".to_owned(),
        focus: String::new(),
        origin: StanceOrigin::Planned,
    }
}

fn decision(id: &str, options: &[&str]) -> OpenDecision {
    OpenDecision {
        id: id.to_owned(),
        question: "which store?".to_owned(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
    }
}

fn usable() -> DebatePlan {
    DebatePlan {
        intent_summary: "choose a store".to_owned(),
        stances: vec![stance("Operator"), stance("Người dùng")],
        decisions: vec![decision("store", &["SQLite", "PostgreSQL"])],
        output_shape: OutputShape {
            kind: OutputKind::Decision,
            sections: vec![section("agreed", "Agreed", SectionShape::List)],
            guardrails: Vec::new(),
        },
        planned_rounds: 2,
        fallback: false,
    }
}

#[test]
fn a_usable_plan_has_no_problem() {
    assert_eq!(check_plan(&usable()), Vec::<String>::new());
    let talk = DebatePlan {
        decisions: Vec::new(),
        output_shape: OutputShape::default(),
        ..usable()
    };
    assert_eq!(check_plan(&talk), Vec::<String>::new());
}

#[test]
fn every_problem_is_told_at_once() {
    let mut unlensed = stance("Cost");
    unlensed.lens = " ".to_owned();
    let mut silent = decision("a b", &["same", "Same "]);
    silent.question = String::new();
    let plan = DebatePlan {
        intent_summary: String::new(),
        stances: vec![
            unlensed,
            stance("cost"),
            stance("x`; drop\nall"),
            stance(""),
            stance("Fifth"),
        ],
        decisions: vec![
            silent,
            decision("a b", &["one", ""]),
            decision("d", &["only"]),
        ],
        output_shape: OutputShape {
            kind: OutputKind::Decision,
            sections: vec![
                section("agreed", "", SectionShape::List),
                section("agreed", "", SectionShape::List),
                section("", "", SectionShape::List),
            ],
            guardrails: Vec::new(),
        },
        planned_rounds: 0,
        fallback: false,
    };
    insta::assert_snapshot!(check_plan(&plan).join("\n"), @r"
    The intent summary is empty: say in one sentence what is wanted.
    There are 5 stances: name 2 to 4.
    The stance `Cost` has no lens: say in one sentence what it looks at.
    Two stances are called `cost`: give each a name of its own.
    The stance name `x; dropall` must be at most 40 letters, digits, spaces, - and '.
    A stance has no name: give each a short one.
    The decision id `a b` must be 1 to 40 of a-z, 0-9 and -.
    The decision `a b` asks nothing: write its question.
    The decision `a b` has the same option twice: make them differ.
    The decision id `a b` must be 1 to 40 of a-z, 0-9 and -.
    Two decisions have the id `a b`: each needs its own.
    The decision `a b` has an empty option: write it out.
    The decision `d` has 1 options: give it 2 to 4.
    Two sections have the key `agreed`: each needs its own.
    A section has no key: give each its own.
    `0` rounds are planned: plan 1 to 5.
    ");
}

#[test]
fn bounds_are_where_they_are_said_to_be() {
    let with = |change: &dyn Fn(&mut DebatePlan)| {
        let mut plan = usable();
        change(&mut plan);
        check_plan(&plan).len()
    };
    let many = |count: usize| {
        let ids = (0..count).map(|n| decision(&format!("d{n}"), &["x", "y"]));
        ids.collect::<Vec<_>>()
    };
    let sections = |count: usize| {
        let keys = (0..count).map(|n| section(&format!("s{n}"), "", SectionShape::Text));
        keys.collect::<Vec<_>>()
    };
    assert_eq!(with(&|plan| plan.planned_rounds = 5), 0);
    assert_eq!(with(&|plan| plan.planned_rounds = 6), 1);
    assert_eq!(with(&|plan| plan.decisions = many(6)), 0);
    assert_eq!(with(&|plan| plan.decisions = many(7)), 1);
    assert_eq!(with(&|plan| plan.decisions = Vec::new()), 1);
    assert_eq!(with(&|plan| plan.output_shape.sections = sections(8)), 0);
    assert_eq!(with(&|plan| plan.output_shape.sections = sections(9)), 1);
    assert_eq!(with(&|plan| plan.stances.truncate(1)), 1);
    assert_eq!(with(&|plan| plan.stances[0] = stance(&"x".repeat(40))), 0);
    assert_eq!(with(&|plan| plan.stances[0] = stance(&"x".repeat(41))), 1);
    assert_eq!(with(&|plan| plan.decisions[0].id = "x".repeat(41)), 1);
    let five = ["a", "b", "c", "d", "e"];
    assert_eq!(
        with(&|plan| plan.decisions = vec![decision("d", &five[..4])]),
        0
    );
    assert_eq!(with(&|plan| plan.decisions = vec![decision("d", &five)]), 1);
}

proptest! {
    #[test]
    fn the_fallback_is_a_plan_that_passes(
        topic in "[a-zA-Z\n ]{1,600}[a-z]",
        options in prop::collection::btree_set("[a-z]{1,8}", 0..6),
    ) {
        let options: Vec<String> = options.into_iter().collect();
        let plan = fallback_plan(&topic, &options);
        prop_assert!(plan.fallback);
        prop_assert!(plan.intent_summary.chars().count() <= 300);
        prop_assert!(plan.stances.iter().all(|s| s.origin == StanceOrigin::Fallback));
        let problems = check_plan(&plan);
        if (2..=4).contains(&options.len()) {
            prop_assert_eq!(&plan.decisions[0].options, &options);
            prop_assert_eq!(problems, Vec::<String>::new());
        } else {
            // What nobody knows is not made up: the missing decision is its only flaw.
            prop_assert_eq!(problems.len(), 1);
        }
    }
}
