use gavel_domain::OutputShape;

use super::super::plan::fallback_plan;
use super::*;

fn stance(name: &str, lens: &str) -> Stance {
    Stance {
        name: name.to_owned(),
        lens: lens.to_owned(),
        focus: String::new(),
        origin: StanceOrigin::Planned,
    }
}

fn plan(kind: OutputKind, names: &[&str]) -> DebatePlan {
    DebatePlan {
        stances: names
            .iter()
            .map(|name| stance(name, "what it costs"))
            .collect(),
        output_shape: OutputShape {
            kind,
            ..OutputShape::default()
        },
        fallback: false,
        ..fallback_plan("topic", &[])
    }
}

fn names(plan: &DebatePlan) -> String {
    let names = plan.stances.iter().map(|stance| stance.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

fn note(id: &str) -> MemoryNote {
    MemoryNote {
        id: id.to_owned(),
        kind: "trap".to_owned(),
        text: "it broke".to_owned(),
    }
}

#[test]
fn experience_appends_or_replaces_the_last_generic_one() {
    let warning = note("trp_1");
    for (planned, mode, warned, expected) in [
        (
            &["A", "B"][..],
            Experience::Advisory,
            true,
            "A, B, Experience Auditor",
        ),
        (
            &["A", "B"],
            Experience::Enforcing,
            true,
            "A, Experience Auditor",
        ),
        (&["A", "B"], Experience::Off, true, "A, B"),
        (&["A", "B"], Experience::Enforcing, false, "A, B"),
        (
            &["A", "B", "C", "D"],
            Experience::Advisory,
            true,
            "A, B, C, D, Experience Auditor",
        ),
        (
            &["A", "experience auditor", "B"],
            Experience::Advisory,
            true,
            "A, Experience Auditor, B",
        ),
    ] {
        let mut plan = plan(OutputKind::Decision, planned);
        let warnings: Vec<&MemoryNote> = warned.then_some(&warning).into_iter().collect();
        add_experience_auditor(&mut plan, &warnings, mode);
        assert_eq!(names(&plan), expected);
        // A second time changes nothing.
        let before = plan.clone();
        add_experience_auditor(&mut plan, &warnings, mode);
        assert_eq!(plan, before);
    }
}

#[test]
fn its_focus_names_the_warnings_that_fit() {
    let notes: Vec<MemoryNote> = (0..40).map(|n| note(&format!("trp_{n:020}"))).collect();
    let warnings: Vec<&MemoryNote> = notes.iter().collect();
    let mut plan = plan(OutputKind::Decision, &["A", "B"]);
    add_experience_auditor(&mut plan, &warnings, Experience::Advisory);
    let focus = &plan.stances[2].focus;
    assert!(focus.chars().count() <= 300, "{focus}");
    assert!(
        focus.contains(&notes[0].id) && focus.contains(&notes[7].id),
        "{focus}"
    );
    assert!(!focus.contains(&notes[20].id), "{focus}");
    assert_eq!(plan.stances[2].origin, StanceOrigin::ExperienceAuditor);
}

#[test]
fn an_implementation_plan_has_a_product_voice() {
    let four = ["A", "B", "C", "D"];
    for (kind, planned, expected) in [
        (
            OutputKind::ImplementationPlan,
            &["A", "B"][..],
            "A, B, Product Owner",
        ),
        (
            OutputKind::ImplementationPlan,
            &["A", "Customer voice"],
            "A, Customer voice",
        ),
        (OutputKind::Decision, &["A", "B"], "A, B"),
    ] {
        let mut plan = plan(kind, planned);
        add_product_owner(&mut plan);
        assert_eq!(names(&plan), expected);
    }
    // Never more than five: the program's own voices stay.
    let mut full = plan(OutputKind::ImplementationPlan, &four);
    add_experience_auditor(&mut full, &[&note("trp_1")], Experience::Advisory);
    add_product_owner(&mut full);
    assert_eq!(names(&full), "A, B, C, Product Owner, Experience Auditor");
    let mut full = plan(OutputKind::ImplementationPlan, &four);
    add_product_owner(&mut full);
    add_experience_auditor(&mut full, &[&note("trp_1")], Experience::Enforcing);
    assert_eq!(names(&full), "A, B, C, Experience Auditor, Product Owner");
    let mut by_lens = plan(OutputKind::ImplementationPlan, &["A", "B"]);
    by_lens.stances[0].lens = "What users need first.".to_owned();
    add_product_owner(&mut by_lens);
    assert_eq!(names(&by_lens), "A, B");
}

#[test]
fn the_words_of_the_setting_are_read() {
    for (word, expected) in [
        ("off", Some(Experience::Off)),
        ("advisory", Some(Experience::Advisory)),
        ("enforcing", Some(Experience::Enforcing)),
        ("on", None),
    ] {
        assert_eq!(Experience::from_word(word), expected);
    }
}

#[test]
fn a_product_has_four_stances_of_its_own_and_the_leader_adds_one() {
    let fixed = "Researcher, Cost-Controller, Skeptic, Architect";
    let mut planned = plan(OutputKind::Decision, &["skeptic", "Keeper", "Mover"]);
    set_product_stances(&mut planned);
    assert_eq!(names(&planned), format!("{fixed}, Keeper"));
    assert!(planned.stances.iter().all(|stance| !stance.lens.is_empty()));
    // Whoever speaks for what went wrong takes the place that the leader filled, and no other.
    let warning = note("trp_1");
    for mode in [Experience::Advisory, Experience::Enforcing] {
        let mut audited = planned.clone();
        add_experience_auditor(&mut audited, &[&warning], mode);
        assert_eq!(names(&audited), format!("{fixed}, {AUDITOR}"));
        audited.output_shape.kind = OutputKind::ImplementationPlan;
        add_product_owner(&mut audited);
        assert_eq!(
            names(&audited),
            format!("{fixed}, {AUDITOR}"),
            "five seats are enough"
        );
    }
    // A plan that nobody could use has them too, and the generic ones are gone.
    let mut none = fallback_plan("topic", &[]);
    set_product_stances(&mut none);
    assert_eq!(names(&none), fixed);
    none.output_shape.kind = OutputKind::ImplementationPlan;
    add_product_owner(&mut none);
    assert_eq!(names(&none), format!("{fixed}, {OWNER}"));
}
