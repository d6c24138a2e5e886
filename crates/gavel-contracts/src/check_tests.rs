use std::collections::BTreeSet;

use gavel_domain::{Contract, ContractKind as K};

use super::*;
use crate::samples::{sample, sample_shelf, sample_spec};

/// A change of a valid contract, and the one finding that it must cause.
type Case = (K, &'static str, Option<u32>, &'static str, &'static str);

const CASES: &[Case] = &[
    // every kind
    (
        K::Ui,
        "control_character",
        Some(4),
        "- A program",
        "- A\u{7} program",
    ),
    (
        K::Stack,
        "control_character",
        Some(7),
        "one text",
        "one\u{202e} text",
    ),
    (
        K::Manifesto,
        "secret",
        Some(4),
        "Every lamp",
        "Token ghp_16C7e42F292c6912E7710c838347Ae178B4a opens, every lamp",
    ),
    (
        K::Ui,
        "fence_open",
        Some(6),
        "## Screens",
        "```\n## Screens",
    ),
    (
        K::Stack,
        "title",
        Some(1),
        "# Stack\n",
        "Here it is:\n# Stack\n",
    ),
    (K::Stack, "title", Some(1), "# Stack\n\n", ""),
    (
        K::Blueprint,
        "title",
        Some(19),
        "## Deployment",
        "# Rest\n## Deployment",
    ),
    // manifesto
    (
        K::Manifesto,
        "principle_count",
        None,
        "## One file, no server\n",
        "",
    ),
    (
        K::Manifesto,
        "principle_bullets",
        Some(6),
        "- All data is one text file that a person can read.\n",
        "",
    ),
    // sections
    (
        K::Blueprint,
        "section_missing",
        None,
        "## Not now\n- A map.\n",
        "",
    ),
    (
        K::Blueprint,
        "section_empty",
        Some(12),
        "- A map.\n",
        "A map.\n",
    ),
    (
        K::Ui,
        "section_twice",
        Some(14),
        "- Colours.\n",
        "- Colours.\n## flows\n- again\n",
    ),
    (
        K::Blueprint,
        "layer_form",
        Some(17),
        "- `cli`: reads",
        "- cli: reads",
    ),
    (
        K::Blueprint,
        "layer_twice",
        Some(17),
        "- `cli`",
        "- `store`",
    ),
    (
        K::Stack,
        "test_command",
        Some(10),
        "`cargo test`",
        "cargo test",
    ),
    (
        K::Stack,
        "test_command",
        Some(9),
        "- command: `cargo test`\n",
        "",
    ),
    (
        K::Stack,
        "test_command",
        Some(11),
        "- one test",
        "- Command: `make`\n- one test",
    ),
    // schema
    (
        K::Schema,
        "entity_heading",
        Some(8),
        "Entity: keeper (keepers)",
        "Entity: keeper (keepers)\n| field | type | required | notes |\n|---|---|---|---|\n| a | text | no | |\n\n## Entity: Keeper",
    ),
    (
        K::Schema,
        "entity_twice",
        Some(9),
        "lamp (lamps)",
        "lamp (keepers)",
    ),
    (K::Schema, "entity_table", Some(11), "| place", "\n| place"),
    (
        K::Schema,
        "field_none",
        Some(5),
        "| name | text | yes | how one calls them |\n",
        "",
    ),
    (
        K::Schema,
        "field_form",
        Some(13),
        "| place | text | yes | where it stands |",
        "| place | text | yes |",
    ),
    (
        K::Schema,
        "field_form",
        Some(13),
        "| place | text",
        "| its place | text",
    ),
    (
        K::Schema,
        "field_form",
        Some(13),
        "| place | text",
        "| place | ",
    ),
    (
        K::Schema,
        "field_twice",
        Some(14),
        "| keeper | ref",
        "| place | ref",
    ),
    (
        K::Schema,
        "field_required",
        Some(13),
        "| yes | where",
        "| maybe | where",
    ),
    (
        K::Schema,
        "reference_unknown",
        Some(14),
        "reference to keeper",
        "reference to guard",
    ),
    // physics
    (K::Physics, "yaml", Some(3), "  version", " version"),
    (
        K::Physics,
        "yaml",
        Some(8),
        "    entity: lamp",
        "    entity: lamp\n    entity: lamp",
    ),
    (K::Physics, "info", Some(1), "  version: \"1\"\n", ""),
    (K::Physics, "info", None, "info:", "about:"),
    (
        K::Physics,
        "command_summary",
        Some(6),
        "    summary: stores a new lamp\n",
        "",
    ),
    (
        K::Physics,
        "entity_unknown",
        Some(6),
        "  lamp add:",
        "  lamp drop: {entity: lump, summary: drops one}\n  lamp add:",
    ),
    (
        K::Physics,
        "entity_unreached",
        None,
        "  /keepers/{id}:",
        "  /people/{id}:",
    ),
    (
        K::Physics,
        "path_form",
        Some(11),
        "/keepers/{id}",
        "/keepers/{id}/lamps/{id}",
    ),
    (
        K::Physics,
        "path_form",
        Some(11),
        "/keepers/{id}:",
        "/keepers/{id:",
    ),
    (
        K::Physics,
        "path_form",
        Some(11),
        "/keepers/{id}:",
        "x/keepers:",
    ),
    (
        K::Physics,
        "method_unknown",
        Some(11),
        "    get:",
        "    fetch: {}\n    get:",
    ),
    (
        K::Physics,
        "method_none",
        Some(11),
        "  /keepers/{id}:",
        "  /keepers:\n    summary: none\n  /lamps:",
    ),
    (
        K::Physics,
        "method_form",
        Some(11),
        "      summary: one keeper\n",
        "",
    ),
    (
        K::Physics,
        "method_form",
        Some(11),
        "      responses: {200: the keeper, 404: no such id}\n",
        "",
    ),
    // boundaries
    (K::Boundaries, "json", Some(3), "\"layers\"", "\"layer\""),
    (K::Boundaries, "json", Some(11), "\"known", ",\"known"),
    (
        K::Boundaries,
        "description_empty",
        Some(2),
        "Who may use whom.",
        "",
    ),
    (
        K::Boundaries,
        "layer_twice",
        Some(10),
        "\"forbidden\": []}",
        "\"forbidden\": []},\n{\"name\": \"cli\", \"glob\": \"x\"}",
    ),
    (K::Boundaries, "glob", Some(6), "src/store/**", "src/[store"),
    (
        K::Boundaries,
        "glob",
        Some(6),
        "src/store/**",
        "../store/**",
    ),
    (
        K::Boundaries,
        "glob",
        Some(9),
        "src/main.rs",
        "/src/main.rs",
    ),
    (K::Boundaries, "pattern", Some(7), "println!", "(println"),
    (
        K::Boundaries,
        "pattern",
        Some(7),
        "println!",
        "((a{99}){99}){99}",
    ),
    (K::Boundaries, "pattern", Some(7), "println!", "a(?=b)"),
    (
        K::Boundaries,
        "reason_empty",
        Some(7),
        "only cli prints",
        " ",
    ),
    (
        K::Boundaries,
        "violation_layer",
        Some(11),
        "\"known_violations\": []",
        "\"known_violations\": [{\"layer\": \"web\", \"file\": \"a\", \"pattern\": \"println!\"}]",
    ),
    (
        K::Boundaries,
        "violation_pattern",
        Some(11),
        "\"known_violations\": []",
        "\"known_violations\": [{\"layer\": \"cli\", \"file\": \"a\", \"pattern\": \"println!\"}]",
    ),
    (
        K::Boundaries,
        "violation_file",
        Some(11),
        "\"known_violations\": []",
        "\"known_violations\": [{\"layer\": \"store\", \"file\": \"\", \"pattern\": \"println!\"}]",
    ),
    (
        K::Boundaries,
        "layer_unknown",
        Some(10),
        "\"forbidden\": []}",
        "\"forbidden\": []},\n{\"name\": \"web\", \"glob\": \"x\"}",
    ),
    (
        K::Boundaries,
        "layer_missing",
        None,
        ",\n    {\"name\": \"cli\", \"glob\": \"src/main.rs\", \"forbidden\": []}",
        "",
    ),
    // phases
    (
        K::Phases,
        "fence_open",
        Some(14),
        "  has Pier\n  ```\n",
        "  has Pier\n",
    ),
    (
        K::Phases,
        "phase_heading",
        Some(3),
        "## Phase 0: Lamps",
        "## Phase zero\n## Phase 0: Lamps",
    ),
    (
        K::Phases,
        "phase_order",
        Some(20),
        "## Phase 1",
        "## Phase 2",
    ),
    (
        K::Phases,
        "phase_field",
        Some(3),
        "**Objective:** Lamps can",
        "Lamps can",
    ),
    (
        K::Phases,
        "phase_field_twice",
        Some(7),
        "**Deliverables:**\n- the",
        "**Objective:** again\n\n**Deliverables:**\n- the",
    ),
    (
        K::Phases,
        "phase_field_empty",
        Some(7),
        "- the data file and its format\n",
        "",
    ),
    (
        K::Phases,
        "phase_field_empty",
        Some(29),
        "- `keeper_shown`: A keeper is shown with the lamps.\n",
        "",
    ),
    (
        K::Phases,
        "criterion_form",
        Some(31),
        "- `keeper_shown`: A keeper is shown with the lamps.\n",
        "- `keeper_shown`: A keeper is shown with the lamps.\n- Works.\n",
    ),
    (
        K::Phases,
        "criterion_id",
        Some(31),
        "the lamps.\n",
        "the lamps.\n- `Keeper`: x\n",
    ),
    (
        K::Phases,
        "criterion_twice",
        Some(31),
        "the lamps.\n",
        "the lamps.\n- `lamp_listed`: A lamp that was added is listed.\n",
    ),
    (
        K::Phases,
        "criterion_examples",
        Some(30),
        "the lamps.\n",
        "the lamps.\n  ```\n  a\n  ```\n  ```\n  b\n  ```\n",
    ),
    (
        K::Phases,
        "criterion_example",
        Some(30),
        "the lamps.\n",
        "the lamps.\n  ```\n  $ keeper show 1\n  shows Pier\n  ```\n",
    ),
    (
        K::Phases,
        "coverage_unknown",
        Some(20),
        "coverage:** keeper",
        "coverage:** keeper, keepers",
    ),
    (
        K::Phases,
        "entity_uncovered",
        None,
        "coverage:** keeper",
        "coverage:** none",
    ),
    (
        K::Phases,
        "criterion_missing",
        None,
        "- `keeper_shown`",
        "- `keeper_seen`",
    ),
    (
        K::Phases,
        "criterion_changed",
        Some(30),
        "with the lamps",
        "with a lamp",
    ),
    // builder_directive
    (
        K::BuilderDirective,
        "instructions_numbered",
        Some(3),
        "1. Read the contracts before you write.\n2. Write",
        "- Read and write",
    ),
    (
        K::BuilderDirective,
        "listed_phase_form",
        Some(10),
        "- Phase 1: Keepers\n",
        "- Phase 1: Keepers\n- and so on\n",
    ),
    (
        K::BuilderDirective,
        "listed_phase_twice",
        Some(10),
        "- Phase 1: Keepers\n",
        "- Phase 1: Keepers\n- Phase 1 - Keepers\n",
    ),
    (
        K::BuilderDirective,
        "listed_phase_unknown",
        Some(10),
        "- Phase 1: Keepers\n",
        "- Phase 1: Keepers\n- Phase 2: Ships\n",
    ),
    (
        K::BuilderDirective,
        "phase_unlisted",
        Some(7),
        "- Phase 1: Keepers\n",
        "",
    ),
    (
        K::BuilderDirective,
        "phase_renamed",
        Some(9),
        "- Phase 1: Keepers",
        "- Phase 1: Guards",
    ),
    (
        K::BuilderDirective,
        "section_empty",
        Some(7),
        "- Phase 0: Lamps\n- Phase 1: Keepers\n",
        "",
    ),
];

/// Texts that are wrong as a whole.
fn wholes() -> Vec<(K, &'static str, Option<u32>, String)> {
    let long = format!("# A\n{}", "x".repeat(MAX_CONTRACT_BYTES));
    vec![
        (K::Ui, "too_long", None, long),
        (K::Boundaries, "empty", None, " \n\n".to_owned()),
        (
            K::Schema,
            "entity_none",
            None,
            "# Schema\n\n## Conventions\n- none\n".to_owned(),
        ),
        (
            K::Phases,
            "phase_none",
            None,
            "# Phases\n\n## Notes\n- none\n".to_owned(),
        ),
        (K::Physics, "yaml", None, "- a\n- b\n".to_owned()),
    ]
}

fn found(kind: K, text: &str) -> Vec<(&'static str, Option<u32>)> {
    let (shelf, spec) = (sample_shelf(), sample_spec());
    let agreement = Agreement {
        shelf: &shelf,
        spec: Some(&spec),
    };
    let findings = check(kind, text, &agreement);
    assert!(
        findings
            .iter()
            .all(|one| one.kind == kind && !one.help.is_empty())
    );
    findings
        .into_iter()
        .map(|one| (one.rule, one.line))
        .collect()
}

#[test]
fn each_change_is_found_and_nothing_else() {
    let mut wrong = Vec::new();
    for (kind, rule, line, old, new) in CASES {
        let valid = sample(*kind);
        let text = valid.replacen(old, new, 1);
        assert_ne!(text, valid, "{rule}: {old}");
        let found = found(*kind, &text);
        if found != [(*rule, *line)] {
            wrong.push(format!("{kind} {rule} {line:?} {new:?}: {found:?}"));
        }
    }
    for (kind, rule, line, text) in wholes() {
        let found = found(kind, &text);
        if found != [(rule, line)] {
            wrong.push(format!("{kind} {rule} {line:?}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A form that leaves nothing to compare has a second finding, by rule.
#[test]
fn an_interface_without_a_way_in_reaches_nothing() {
    let bare = "info: {title: a, version: 1, description: b}\n";
    let unreached = ("entity_unreached", None);
    let none = ("interface_none", None);
    assert_eq!(found(K::Physics, bare), [none, unreached, unreached]);
    let empty = format!("{bare}commands: {{}}\npaths:\n");
    assert_eq!(found(K::Physics, &empty), [none, unreached, unreached]);
    let odd = format!("{bare}commands: [a]\n");
    let form = ("interface_form", Some(2));
    assert_eq!(found(K::Physics, &odd), [form, none, unreached, unreached]);
}

#[test]
fn boundaries_without_layers_miss_the_planned_ones() {
    let text = "{\"description\": \"x\", \"layers\": []}";
    let missing = ("layer_missing", None);
    assert_eq!(
        found(K::Boundaries, text),
        [("layer_none", Some(1)), missing, missing]
    );
    let text = sample(K::Boundaries).replace("\"cli\", \"g", "\" \", \"g");
    let expected = [("layer_name", Some(5)), ("layer_unknown", Some(9)), missing];
    assert_eq!(found(K::Boundaries, &text), expected);
}

/// What Gavel executes is one example, for the gate and for whoever repeats the seal.
#[test]
fn an_example_of_the_spec_stands_in_the_phases_as_it_is() {
    let text = sample(K::Phases);
    let shelf = sample_shelf();
    let rules = |example: &str| {
        let mut spec = sample_spec();
        for criterion in &mut spec.criteria {
            criterion.example = example.to_owned();
        }
        spec.criteria.truncate(1);
        let agreement = Agreement {
            shelf: &shelf,
            spec: Some(&spec),
        };
        check(K::Phases, &text, &agreement)
    };
    let phases = crate::parse_phases(&text).unwrap();
    let listed = phases.iter().flat_map(|phase| &phase.criteria);
    let mut listed = listed.filter(|criterion| criterion.id == "lamp_listed");
    let own = listed.next().unwrap().example.clone();
    assert!(!own.is_empty());
    for same in [own.as_str(), "", "A lamp is seen.", "none: nobody sees it"] {
        assert_eq!(rules(same), [], "{same}");
    }
    let other = "$ lamp list\nhas Sconce";
    let [found] = rules(other).try_into().unwrap();
    assert_eq!(found.rule, "criterion_example_changed");
    assert!(found.help.contains(other), "{found}");
}

/// Every rule in the code has a case here and a line in the documentation.
#[test]
fn every_rule_is_shown_and_documented() {
    let sources = [
        include_str!("check.rs"),
        include_str!("check/boundaries.rs"),
        include_str!("check/directive.rs"),
        include_str!("check/phases.rs"),
        include_str!("check/physics.rs"),
        include_str!("check/sections.rs"),
        include_str!("phases.rs"),
        include_str!("schema.rs"),
    ];
    let is_rule = |word: &&str| {
        let plain = |c: char| c.is_ascii_lowercase() || c == '_';
        word.len() > 2 && word.chars().all(plain)
    };
    let mut rules = BTreeSet::from([NOT_COMPARABLE]);
    for source in sources {
        for after in source.split("(\"").skip(1) {
            let (word, rest) = after.split_once('"').unwrap();
            rules.extend(
                Some(word)
                    .filter(is_rule)
                    .filter(|_| rest.starts_with(", ")),
            );
        }
    }
    assert!(rules.len() > 50, "{rules:?}");
    let shown = CASES.iter().map(|case| case.1);
    let shown: BTreeSet<_> = shown
        .chain(wholes().into_iter().map(|case| case.1))
        .collect();
    let elsewhere = [
        NOT_COMPARABLE,
        "criterion_example_missing",
        "criterion_example_changed",
        "missing",
        "interface_none",
        "interface_form",
        "layer_none",
        "layer_name",
    ];
    let unshown: Vec<_> = rules
        .iter()
        .filter(|rule| !shown.contains(*rule) && !elsewhere.contains(rule))
        .collect();
    assert_eq!(unshown, [] as [&&str; 0]);
    let docs = include_str!("../../../docs/contracts.md");
    let undocumented: Vec<_> = rules
        .iter()
        .filter(|rule| !docs.contains(&format!("`{rule}`")))
        .collect();
    assert_eq!(undocumented, [] as [&&str; 0]);
}

#[test]
fn a_malformed_neighbour_is_said_where_nobody_else_says_it() {
    let mut shelf = sample_shelf();
    for (kind, old, new) in [
        (K::Schema, "| yes |", "| so |"),
        (K::Blueprint, "- `cli`:", "- cli:"),
        (K::Phases, "## Phase 1", "## Phase 3"),
    ] {
        let text = sample(kind).replacen(old, new, 1);
        shelf.insert(Contract { kind, text });
    }
    let agreement = Agreement {
        shelf: &shelf,
        spec: None,
    };
    for kind in [K::Physics, K::Boundaries, K::Phases, K::BuilderDirective] {
        let found = check(kind, &sample(kind), &agreement);
        let rules: Vec<_> = found.iter().map(|one| one.rule).collect();
        assert_eq!(rules, [NOT_COMPARABLE], "{kind}");
    }
    let all: Vec<_> = check_all(&shelf, None)
        .iter()
        .map(|one| (one.kind, one.rule))
        .collect();
    let expected = [
        (K::Blueprint, "layer_form"),
        (K::Schema, "field_required"),
        (K::Phases, "phase_order"),
    ];
    assert_eq!(all, expected);
}

#[test]
fn a_missing_contract_is_a_finding() {
    let shelf: Shelf = sample_shelf()
        .iter()
        .filter(|contract| contract.kind != K::Schema)
        .cloned()
        .collect();
    assert!(!shelf.is_complete());
    let found = check_all(&shelf, None);
    let texts: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        ["schema.md: missing: the contract schema is missing; write schema.md"]
    );
}

#[test]
fn what_is_not_on_the_shelf_yet_is_not_compared() {
    let shelf = Shelf::default();
    let agreement = Agreement {
        shelf: &shelf,
        spec: None,
    };
    for kind in K::ALL {
        assert_eq!(check(kind, &sample(kind), &agreement), [], "{kind}");
    }
}

#[test]
fn findings_are_bounded_and_tell_their_place() {
    let rows: String = (0..100)
        .map(|n| format!("| f{n} | text | perhaps | |\n"))
        .collect();
    let text = sample(K::Schema) + &rows;
    let found = parse(K::Schema, &text);
    assert_eq!(found.len(), MAX_FINDINGS);
    assert_eq!(
        found[0].to_string(),
        "schema.md:15: field_required: `perhaps` does not say whether a field is required; write \
         yes or no"
    );
    let json = serde_json::to_string(&found[0]).unwrap();
    assert!(
        json.starts_with(r#"{"rule":"field_required","kind":"schema","line":15,"#),
        "{json}"
    );
}

fn parse(kind: K, text: &str) -> Vec<Finding> {
    let shelf = Shelf::default();
    check(
        kind,
        text,
        &Agreement {
            shelf: &shelf,
            spec: None,
        },
    )
}

/// Seconds in a debug build. Without bounds it would be hours: the runner ends a test long before.
#[test]
fn hostile_texts_end_soon() {
    let laughs: String = (1..10)
        .map(|n| {
            format!(
                "a{n}: &a{n} [{}]\n",
                vec![format!("*a{}", n - 1); 10].join(",")
            )
        })
        .collect();
    let deep = "[".repeat(20_000);
    let anchors = format!("a0: &a0 x\n{laughs}");
    for (kind, text, rule) in [
        (K::Physics, anchors, "yaml"),
        (K::Physics, deep.clone(), "yaml"),
        (K::Physics, "? ".repeat(10_000), "yaml"),
        (K::Physics, "--- a\n".repeat(5_000), "yaml"),
        (K::Boundaries, deep, "json"),
    ] {
        let found = parse(kind, &text);
        let rules: Vec<_> = found.iter().map(|one| one.rule).collect();
        assert_eq!(rules, [rule], "{found:?}");
    }
    let globs = "{a,".repeat(90);
    let many = |pattern: &str| {
        let rule = format!("{{\"pattern\":\"{pattern}\",\"reason\":\"r\"}}");
        let rules = vec![rule; 100].join(",");
        format!(
            "{{\"description\":\"d\",\"layers\":[{{\"name\":\"n\",\"glob\":\"{globs}\",\
             \"forbidden\":[{rules}]}}]}}"
        )
    };
    for pattern in [
        "(a{500}){500}",
        "(((((((((((((((((((((((((((((((((((((((((((((((((a",
        "[\\\\p{L}\\\\p{N}]{200}",
    ] {
        let found = parse(K::Boundaries, &many(pattern));
        assert_eq!(found.len(), MAX_FINDINGS, "{pattern}");
    }
    let bullets = "- `a`: b\n".repeat(4_000);
    assert_eq!(
        parse(K::Phases, &format!("# P\n## Phase 0: a\n{bullets}")).len(),
        4
    );
}

#[test]
fn what_has_no_example_is_told_and_not_refused() {
    let with = |example: &str| {
        let fence = format!("the lamps.\n  ```\n  {example}\n  ```\n");
        sample(K::Phases).replacen("the lamps.\n", &fence, 1)
    };
    let told = |text: &str| {
        let missing = crate::missing_examples(text);
        missing
            .into_iter()
            .map(|one| one.message)
            .collect::<Vec<_>>()
    };
    let none = told(&sample(K::Phases));
    assert_eq!(none, ["the criterion `keeper_shown` has no example"]);
    for (example, wanted) in [
        (
            "Look at it.",
            "the example of `keeper_shown` is a text for people",
        ),
        (
            "$ keeper show 1",
            "the example of `keeper_shown` holds for a program that does nothing",
        ),
    ] {
        assert_eq!(told(&with(example)), [wanted]);
    }
    for example in ["none: it is about colours", "$ keeper show 1\n  has Pier"] {
        assert_eq!(told(&with(example)), Vec::<String>::new());
    }
}

#[test]
fn the_documented_examples_hold() {
    let docs = include_str!("../../../docs/contracts.md");
    let block = |heading: &str| {
        let (_, rest) = docs.split_once(&format!("\n## {heading}\n")).unwrap();
        let (fence, rest) = rest.split_once('\n').unwrap();
        let marks = fence.trim_end_matches(char::is_alphanumeric);
        rest.split_once(&format!("\n{marks}\n"))
            .unwrap()
            .0
            .to_owned()
            + "\n"
    };
    let kinds = [K::Schema, K::Physics, K::Phases];
    let contract = |kind: K| Contract {
        kind,
        text: block(kind.file_name()),
    };
    let shelf: Shelf = kinds.into_iter().map(contract).collect();
    let own = |one: &Finding| one.rule != "missing";
    let found: Vec<_> = check_all(&shelf, None).into_iter().filter(own).collect();
    assert_eq!(found, []);
    assert_eq!(shelf.iter().count(), 3);
}
