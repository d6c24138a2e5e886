use super::*;

fn layer(origin: Origin, values: &[(&str, Value)]) -> Layer {
    let values = values
        .iter()
        .map(|(key, value)| ((*key).to_owned(), value.clone()))
        .collect();
    Layer { origin, values }
}

fn project(values: &[(&str, Value)]) -> Layer {
    layer(Origin::Project("gavel.toml".into()), values)
}

#[test]
fn built_in_values_are_the_promised_ones() {
    let settings = run_settings(&resolve(vec![]).unwrap());
    assert_eq!(settings.caps, Caps::default());
    assert_eq!(settings.max_input, Tokens(80_000));
}

#[test]
fn the_strongest_layer_wins_and_says_where_it_is() {
    let flag = layer(Origin::Flag("-c".into()), &[("caps.run_usd", "3".into())]);
    let environment = Origin::Environment("GAVEL_CAPS_RUN_USD".into());
    let environment = layer(environment, &[("caps.run_usd", "4".into())]);
    let file = project(&[
        ("caps.run_usd", 2.into()),
        ("caps.run_tokens", 9_000.into()),
    ]);
    let own = Origin::User("config.toml".into());
    let own = layer(own, &[("caps.month_usd", "none".into())]);
    let effective = resolve(vec![flag, environment, file, own]).unwrap();
    let shown = |name: &str| {
        let found = effective.iter().find(|e| e.key == name).unwrap();
        format!("{} from {}", found.value, found.origin)
    };
    assert_eq!(shown("caps.run_usd"), "\"3\" from flag -c");
    assert_eq!(shown("caps.month_usd"), "null from config.toml");
    assert_eq!(shown("caps.run_tokens"), "9000 from gavel.toml");
    assert_eq!(shown("models.paid"), "\"ask\" from built in");
    assert_eq!(run_settings(&effective).caps.month_usd, None);
}

#[test]
fn every_problem_is_told_with_its_remedy() {
    let problems = resolve(vec![project(&[
        ("caps.run_uds", 1.into()),
        ("models.max_input", 5.into()),
        ("models.paid", "maybe".into()),
        ("usage.retention_days", true.into()),
        ("zebra", 1.into()),
        ("caps.run_usd", "-1".into()),
    ])])
    .unwrap_err();
    let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    unknown setting `caps.run_uds` (gavel.toml); did you mean `caps.run_usd`?
    `caps.run_usd` cannot be "-1" (gavel.toml): expected dollars such as 2.5, or none
    `models.max_input` cannot be 5 (gavel.toml): expected a whole number from 1000 to 10000000
    `models.paid` cannot be "maybe" (gavel.toml): expected one of ask, agreed
    `usage.retention_days` cannot be true (gavel.toml): expected a whole number from 1 to 3650
    unknown setting `zebra` (gavel.toml); `gavel config show` lists all
    "#);
}

#[test]
fn a_project_cannot_widen_a_money_guard() {
    let own = || {
        let origin = Origin::User("config.toml".into());
        let values = [
            ("caps.run_usd", "9".into()),
            ("caps.month_usd", "none".into()),
        ];
        layer(origin, &values)
    };
    let problems = resolve(vec![
        own(),
        project(&[
            ("caps.month_usd", "none".into()),
            ("caps.run_tokens", "none".into()),
            ("caps.run_usd", "9.01".into()),
            ("models.paid", "agreed".into()),
        ]),
    ])
    .unwrap_err();
    let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    `caps.month_usd` cannot be "none" (gavel.toml): a project may only lower it, and without the project it is none; set it in your own config.toml, in the environment or with -c
    `caps.run_tokens` cannot be "none" (gavel.toml): a project may only lower it, and without the project it is none; set it in your own config.toml, in the environment or with -c
    `caps.run_usd` cannot be "9.01" (gavel.toml): a project may only lower it, and without the project it is 9; set it in your own config.toml, in the environment or with -c
    `models.paid` cannot be set by a project (gavel.toml): set it in your own config.toml, in the environment or with -c
    "#);
    let lower = [
        ("caps.month_usd", "500".into()),
        ("caps.run_usd", "9".into()),
    ];
    let caps = run_settings(&resolve(vec![own(), project(&lower)]).unwrap()).caps;
    assert_eq!(caps.month_usd, MicroUsd::parse_dollars("500"));
    // A person may still raise what a project lowered, and agree to pay.
    for origin in [Origin::Flag("-c".into()), Origin::Environment("E".into())] {
        let wide = layer(
            origin,
            &[
                ("caps.run_usd", "none".into()),
                ("models.paid", "agreed".into()),
            ],
        );
        let effective = resolve(vec![wide, project(&[("caps.run_usd", 1.into())])]).unwrap();
        assert_eq!(run_settings(&effective).caps.run_usd, None);
    }
}

#[test]
fn letters_that_change_are_counted() {
    for (left, right, expected) in [("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 2)] {
        assert_eq!(distance(left, right), expected);
    }
}

#[test]
fn a_project_cannot_shorten_the_memory_of_others() {
    let file = project(&[("usage.retention_days", 1.into())]);
    let problems = resolve(vec![file]).unwrap_err();
    assert!(
        matches!(problems.as_slice(), [SettingProblem::NotTheProjects { .. }]),
        "{problems:?}"
    );
}

#[test]
fn slots_take_models_and_are_not_the_projects_to_choose() {
    let slots = |leader: Value, stances: Value| {
        let values = [
            ("models.slots.leader", leader),
            ("models.slots.stances", stances),
        ];
        let effective = resolve(vec![layer(Origin::Flag("-c".into()), &values)])?;
        let value = |name: &str| {
            effective
                .iter()
                .find(|e| e.key == name)
                .unwrap()
                .value
                .clone()
        };
        Ok::<_, Vec<SettingProblem>>((value("models.slots.leader"), value("models.slots.stances")))
    };
    assert_eq!(
        slots("fake/a".into(), "fake/a, offline".into()).unwrap(),
        ("fake/a".into(), vec!["fake/a", "offline"].into())
    );
    assert_eq!(
        slots("none".into(), Value::Array(Vec::new())).unwrap(),
        (Value::Null, Value::Array(Vec::new()))
    );
    for (leader, stances) in [
        (Value::from("gpt"), Value::from("none")),
        (Value::from("/x"), Value::from("none")),
        (Value::from(3), Value::from("none")),
        (Value::from("offline"), Value::from("fake/a,,")),
        (Value::from("offline"), Value::from(vec![1, 2])),
    ] {
        let problems = slots(leader, stances).unwrap_err();
        assert!(
            matches!(problems.as_slice(), [SettingProblem::Unfit { .. }]),
            "{problems:?}"
        );
    }
    for key in ["leader", "coder", "auditor", "researcher", "stances"] {
        let key = format!("models.slots.{key}");
        let problems = resolve(vec![project(&[(&key, "fake/dear".into())])]).unwrap_err();
        assert!(
            matches!(problems.as_slice(), [SettingProblem::NotTheProjects { .. }]),
            "{problems:?}"
        );
    }
}

#[test]
fn seal_keys_are_a_persons_and_have_one_form() {
    let key = format!("ed25519:{}=", "A".repeat(43));
    let read = |value: Value| {
        let own = layer(Origin::User("config.toml".into()), &[("seal.keys", value)]);
        let effective = resolve(vec![own])?;
        let found = effective.into_iter().find(|e| e.key == "seal.keys");
        Ok::<_, Vec<SettingProblem>>(found.unwrap().value)
    };
    let one = Value::from(vec![key.as_str()]);
    assert_eq!(read(one.clone()).unwrap(), one);
    assert_eq!(read(key.as_str().into()).unwrap(), one);
    let two = read(format!("{key}, {key}").into()).unwrap();
    assert_eq!(two.as_array().unwrap().len(), 2);
    for wrong in ["ed25519:AAAA", "ssh-ed25519 AAAA", "none"] {
        let problems = read(wrong.into()).unwrap_err();
        assert!(
            matches!(problems.as_slice(), [SettingProblem::Unfit { .. }]),
            "{problems:?}"
        );
    }
    let problems = resolve(vec![project(&[("seal.keys", one)])]).unwrap_err();
    assert!(
        matches!(problems.as_slice(), [SettingProblem::NotTheProjects { .. }]),
        "{problems:?}"
    );
}

#[test]
fn a_project_cannot_lower_the_done_gate_or_make_a_run_dearer() {
    let own = || {
        let values = [
            ("run.done_threshold", "0.8".into()),
            ("models.max_input", 50_000.into()),
        ];
        layer(Origin::User("config.toml".into()), &values)
    };
    let wide = project(&[
        ("models.max_input", 50_001.into()),
        ("run.done_threshold", "0.799".into()),
        ("run.recommender", "council".into()),
    ]);
    let problems = resolve(vec![own(), wide]).unwrap_err();
    let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    `models.max_input` cannot be 50001 (gavel.toml): a project may only lower it, and without the project it is 50000; set it in your own config.toml, in the environment or with -c
    `run.done_threshold` cannot be "0.799" (gavel.toml): a project may only raise it, and without the project it is 0.8; set it in your own config.toml, in the environment or with -c
    `run.recommender` cannot be set by a project (gavel.toml): set it in your own config.toml, in the environment or with -c
    "#);
    let built_in = project(&[("run.done_threshold", 0.7.into())]);
    assert!(matches!(
        resolve(vec![built_in]).unwrap_err().as_slice(),
        [SettingProblem::Lowered { least, .. }] if least == "0.9"
    ));
    // More proof and less money may be asked for; a person still has the last word.
    let tight = || {
        project(&[
            ("models.max_input", 50_000.into()),
            ("run.done_threshold", "1".into()),
        ])
    };
    let threshold = |layers| {
        let settings = run_settings(&resolve(layers).unwrap());
        crate::RunChoices::of(&settings).done_threshold
    };
    assert_eq!(threshold(vec![own(), tight()]), 1000);
    let flag = layer(
        Origin::Flag("--done-threshold".into()),
        &[("run.done_threshold", "0.7".into())],
    );
    assert_eq!(threshold(vec![own(), tight(), flag]), 700);
}

#[test]
fn a_project_may_say_who_speaks_in_a_council_and_not_what_it_costs() {
    let shown = |layers: Vec<Layer>| {
        let effective = resolve(layers).unwrap();
        let wanted = |e: &&Effective| e.key.starts_with("council.") || e.key == "models.patience_s";
        let wanted = effective.iter().filter(wanted);
        let lines = wanted.map(|e| format!("{} = {} ({})", e.key, e.value, e.origin));
        lines.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(shown(vec![]), @r#"
    council.cost_aware = "on" (built in)
    council.experience = "advisory" (built in)
    council.gate = "on" (built in)
    models.patience_s = 120 (built in)
    "#);
    let file = project(&[
        ("council.experience", "enforcing".into()),
        ("models.patience_s", 20.into()),
    ]);
    let values = [
        ("council.cost_aware", "off".into()),
        ("council.gate", "off".into()),
    ];
    let own = layer(Origin::User("config.toml".into()), &values);
    insta::assert_snapshot!(shown(vec![file, own]), @r#"
    council.cost_aware = "off" (config.toml)
    council.experience = "enforcing" (gavel.toml)
    council.gate = "off" (config.toml)
    models.patience_s = 20 (gavel.toml)
    "#);
    let wide = project(&[
        ("council.cost_aware", "off".into()),
        ("council.experience", "on".into()),
        ("council.gate", "on".into()),
        ("models.patience_s", 121.into()),
    ]);
    let problems = resolve(vec![wide]).unwrap_err();
    let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    `council.cost_aware` cannot be set by a project (gavel.toml): set it in your own config.toml, in the environment or with -c
    `council.experience` cannot be "on" (gavel.toml): expected one of off, advisory, enforcing
    `council.gate` cannot be set by a project (gavel.toml): set it in your own config.toml, in the environment or with -c
    `models.patience_s` cannot be 121 (gavel.toml): a project may only lower it, and without the project it is 120; set it in your own config.toml, in the environment or with -c
    "#);
    for wrong in [0, 1_801] {
        let flag = layer(
            Origin::Flag("-c".into()),
            &[("models.patience_s", wrong.into())],
        );
        let problems = resolve(vec![flag]).unwrap_err();
        assert!(
            matches!(problems.as_slice(), [SettingProblem::Unfit { .. }]),
            "{problems:?}"
        );
    }
}

#[test]
fn remotes_are_a_persons_and_carry_no_password() {
    let read = |value: Value| {
        let own = Origin::User("config.toml".into());
        let effective = resolve(vec![layer(own, &[("push.remotes", value)])]).ok()?;
        let found = effective.into_iter().find(|e| e.key == "push.remotes")?;
        Some(found.value)
    };
    for word in ["ask", "none"] {
        assert_eq!(read(word.into()), Some(Value::from(word)));
    }
    let list = serde_json::json!([
        "https://example.org/x.git",
        "git@example.org:x.git",
        "ssh://git@example.org/x.git",
        "/srv/git/x.git",
    ]);
    assert_eq!(read(list.clone()), Some(list));
    let commas = "/srv/git/x.git, https://example.org/x.git";
    let listed = serde_json::json!(["/srv/git/x.git", "https://example.org/x.git"]);
    assert_eq!(read(commas.into()), Some(listed));
    for wrong in [
        "everything",
        "--upload-pack=x/y",
        "https://user:secret@example.org/x.git",
        "https://token@example.org/x.git",
        "ssh://user:secret@example.org/x.git",
        "/srv/a b.git",
    ] {
        assert_eq!(read(wrong.into()), None, "{wrong}");
    }
    let theirs = project(&[("push.remotes", "https://example.org/x.git".into())]);
    let problems = resolve(vec![theirs]).unwrap_err();
    assert!(matches!(
        problems.as_slice(),
        [SettingProblem::NotTheProjects {
            key: "push.remotes",
            ..
        }]
    ));
}
