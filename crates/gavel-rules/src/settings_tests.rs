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
        ("caps.month_usd", "none".into()),
    ]);
    let effective = resolve(vec![flag, environment, file]).unwrap();
    let shown = |name: &str| {
        let found = effective.iter().find(|e| e.key == name).unwrap();
        format!("{} from {}", found.value, found.origin)
    };
    assert_eq!(shown("caps.run_usd"), "\"3\" from flag -c");
    assert_eq!(shown("caps.month_usd"), "null from gavel.toml");
    assert_eq!(shown("caps.run_tokens"), "null from built in");
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
fn letters_that_change_are_counted() {
    for (left, right, expected) in [("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 2)] {
        assert_eq!(distance(left, right), expected);
    }
}
