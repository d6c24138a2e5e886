use serde_json::json;

use super::*;

fn values(pairs: &[(&str, Value)]) -> BTreeMap<String, Value> {
    let named = |(slot, value): &(&str, Value)| (format!("models.slots.{slot}"), value.clone());
    pairs.iter().map(named).collect()
}

fn shown(pairs: &[(&str, Value)]) -> String {
    let slots = slots_of(&values(pairs)).unwrap();
    let seats: Vec<&str> = slots.stances.iter().map(ModelId::as_str).collect();
    format!(
        "{} {} {} {seats:?}: {}",
        slots.leader,
        slots.coder,
        slots.auditor,
        told(&slots)
    )
}

#[test]
fn whoever_is_not_named_follows_the_leader() {
    assert_eq!(
        shown(&[("leader", Value::Null), ("stances", Value::Null)]),
        "offline offline offline []: offline (rule-based, no network)"
    );
    assert_eq!(
        shown(&[("leader", json!("a/x"))]),
        r#"a/x a/x a/x ["a/x", "a/x"]: a/x"#
    );
    assert_eq!(
        shown(&[("leader", json!("a/x")), ("stances", json!([]))]),
        "a/x a/x a/x []: a/x"
    );
    assert_eq!(
        shown(&[
            ("leader", json!("a/x")),
            ("coder", json!("offline")),
            ("stances", json!(["a/x", "b/y"]))
        ]),
        r#"a/x offline a/x ["a/x", "b/y"]: leader a/x, coder offline (rule-based, no network), seats a/x and b/y"#
    );
    assert_eq!(
        shown(&[("coder", json!("a/x"))]),
        "offline a/x offline []: leader offline (rule-based, no network), coder a/x"
    );
}

#[test]
fn a_run_keeps_its_models_unless_somebody_says_otherwise() {
    let loaded = |origin: Origin, leader: Value| Loaded {
        effective: vec![gavel_rules::Effective {
            key: "models.slots.leader",
            value: leader,
            origin,
        }],
        models: crate::providers::ModelSettings::default(),
        sources: crate::sources::SourceSettings::default(),
        agents: crate::named_agents::NamedAgents::default(),
        notify: crate::notify::NotifySettings::default(),
    };
    let before = |leader: Value| slots_of(&values(&[("leader", leader)])).unwrap();
    let own = || Origin::User("config.toml".into());
    let flag = || Origin::Flag("--model".into());
    for (now, had, expected) in [
        (loaded(own(), json!("b/y")), json!("a/x"), "a/x"),
        (loaded(flag(), json!("b/y")), json!("a/x"), "b/y"),
        (loaded(own(), json!("b/y")), json!("offline"), "b/y"),
        (loaded(own(), json!("b/y")), Value::Null, "b/y"),
        (loaded(Origin::BuiltIn, Value::Null), json!("a/x"), "a/x"),
        (loaded(Origin::BuiltIn, Value::Null), Value::Null, "offline"),
    ] {
        let slots = slots_now(&now, &before(had)).unwrap();
        assert_eq!(slots.leader.as_str(), expected);
    }
}
