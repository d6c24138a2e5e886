//! Programs pass their own tests, are tidy, and follow their design.

use gavel_domain::{Criterion, Example, ExampleStep};
use gavel_offline::{Design, Kind, criteria, write_program};

use crate::workshop::{Workshop, design, expect_success, program};

const CLIPPY: [&str; 7] = [
    "clippy",
    "--locked",
    "--quiet",
    "--all-targets",
    "--",
    "-D",
    "warnings",
];

/// A project with every kind of field, two levels of references and names that Rust keeps.
const ODD: &str = r#"{
  "program": "odd-shelf",
  "purpose": "names \"that\" {hurt}: a \\ test",
  "entities": [
    {"name": "store", "plural": "stores", "fields": [{"name": "type", "kind": "text", "required": true}],
     "commands": ["add", "list", "show", "edit", "delete", "search"]},
    {"name": "record", "plural": "records", "fields": [
       {"name": "match", "kind": "integer", "required": true},
       {"name": "self", "kind": "tags"},
       {"name": "ref", "kind": "reference", "entity": "store", "required": false}],
     "commands": ["add", "list", "show", "edit", "delete", "search",
       {"total": {"of": "match", "day": null, "by": [{"field": "ref"}, {"field": "self"}]}}]},
    {"name": "counterproductive-result", "plural": "counterproductive-result", "fields": [
       {"name": "institutionalised-amount", "kind": "amount"},
       {"name": "institutionalised-dates", "kind": "date", "required": true},
       {"name": "institutionalised-flags", "kind": "flag"},
       {"name": "institutionalised-parent", "kind": "reference", "entity": "record", "required": true}],
     "commands": ["add", "list", "show", "edit", "delete", "search", {"mark": {"flag": "institutionalised-flags"}},
       {"total": {"of": "institutionalised-amount", "day": "institutionalised-dates", "by": ["year", "day"]}}]}
  ]
}"#;

fn odd() -> Design {
    serde_json::from_str(ODD).unwrap()
}

/// Criteria of people: names that the tests use for something else, texts that end a literal.
fn strange_criteria() -> [Criterion; 5] {
    let named = |name: &str, text: &str| {
        let show = ExampleStep {
            has: vec![text.to_owned()],
            ..ExampleStep::run(["store", "show", "1"])
        };
        let steps = vec![ExampleStep::run(["store", "add", "--type", text]), show];
        let example = Example {
            steps,
            ..Example::default()
        };
        Criterion {
            id: name.to_owned(),
            statement: "Says\nsomething.".to_owned(),
            example: example.to_string(),
        }
    };
    [
        named("check", "a\"# b ' c"),
        named("promise", "x"),
        named("split", "y\\\r\nz"),
        named("str", "--"),
        Criterion {
            id: "every_verb".to_owned(),
            statement: "Files are as the transcript says.".to_owned(),
            example: "fixed Pier: a \"place\nfile lost.txt \"\"\nfile ~/kept.txt here\n\
                $ --file mine.txt store add --type Pier\nstdin \"nobody reads it\"\n\
                holds mine.txt Pier\nholds ~/kept.txt here\ngone other.txt\n\
                $ --file lost.txt store list\nlacks Pier"
                .to_owned(),
        },
    ]
}

/// The same design with an entity under another name and a field less.
fn changed(idea: &str) -> Design {
    let text = serde_json::to_string(&design(idea)).unwrap();
    let text = text
        .replace("\"expense\"", "\"cost\"")
        .replace("\"expenses\"", "\"costs\"");
    let mut parts: gavel_offline::DesignParts = serde_json::from_str(&text).unwrap();
    parts
        .entities
        .first_mut()
        .unwrap()
        .fields
        .retain(|field| field.name != "note");
    Design::new(parts).unwrap()
}

#[test]
fn programs_pass_their_own_tests_and_clippy() {
    let workshop = Workshop::new("own");
    let costs = changed("track my expenses by category with a total per month");
    let strange = [criteria(&odd()), strange_criteria().to_vec()].concat();
    let odd = (
        odd().program().to_owned(),
        write_program(&odd(), &strange),
        strange.len(),
    );
    let plain = [costs, design("habit tracker")].map(|design| {
        let program = program(&design);
        (
            design.program().to_owned(),
            program,
            criteria(&design).len(),
        )
    });
    for (name, files, count) in plain.into_iter().chain([odd]) {
        let folder = workshop.write(&name, &files);
        let tests = workshop.cargo(&folder, &["test", "--locked", "--quiet"]);
        expect_success(&tests);
        let said = String::from_utf8_lossy(&tests.stdout).into_owned();
        let result = format!(" {count} passed; 0 failed; 0 ignored");
        assert!(said.contains(&result), "{result}\n{said}");
        expect_success(&workshop.cargo(&folder, &CLIPPY));
    }
}

/// A design without most of what can be left out.
fn reduced(idea: &str, left: &[&str]) -> Design {
    let mut parts = gavel_offline::DesignParts::from(design(idea));
    for entity in &mut parts.entities {
        let keep = |word: &str| left.contains(&word) || ["add", "list", "show"].contains(&word);
        entity.commands.retain(|command| keep(command.word()));
    }
    parts.program = format!("few{}", left.concat());
    Design::new(parts).unwrap()
}

#[test]
fn programs_have_no_command_that_their_design_lacks() {
    let workshop = Workshop::new("few");
    let idea = "a CLI to manage projects and their tasks";
    for left in [vec![], vec!["delete"], vec!["search", "done"], vec!["edit"]] {
        let design = reduced(idea, &left);
        let files = program(&design);
        for word in ["edit", "delete", "search", "done"] {
            let handler = format!("[\"{word}\", rest");
            let there = files.iter().any(|file| file.content.contains(&handler));
            assert_eq!(there, left.contains(&word), "{left:?}: {word}");
        }
        let folder = workshop.write(design.program(), &files);
        expect_success(&workshop.cargo(&folder, &["test", "--locked", "--quiet"]));
        expect_success(&workshop.cargo(&folder, &["fmt", "--check"]));
        expect_success(&workshop.cargo(&folder, &CLIPPY));
    }
}

#[test]
fn programs_are_formatted_and_small() {
    let workshop = Workshop::new("format");
    let ideas = [
        "a bookmark manager with tags",
        "track my expenses by category with a total per month",
        "a tool to keep recipes and their ingredients",
        "inventory for a small shop: products, suppliers, stock counts",
        "a list of x: a, b, c, d, e, f, g, h, i, j, k, l",
    ];
    for design in ideas.map(design).into_iter().chain([odd()]) {
        let files = program(&design);
        let folder = workshop.write(design.program(), &files);
        expect_success(&workshop.cargo(&folder, &["fmt", "--check"]));
        let sources = files
            .iter()
            .filter(|file| file.path.starts_with("src/") && file.path.ends_with(".rs"));
        let lines: usize = sources.map(|file| file.content.lines().count()).sum();
        let most = if design.entities().len() <= 2 {
            920
        } else {
            1300
        };
        assert!(lines <= most, "{}: {lines} lines", design.program());
    }
}

#[test]
fn code_and_tests_follow_the_design() {
    let design = changed("track my expenses by category with a total per month");
    let entity = &design.entities()[0];
    assert_eq!(
        (entity.name.as_str(), entity.plural.as_str()),
        ("cost", "costs")
    );
    assert!(entity.fields.iter().any(|field| field.kind == Kind::Amount));
    for file in program(&design) {
        let said = file.content.replace("track my expenses", "");
        let gone = ["note", "Expense", "\"expense"]
            .iter()
            .find(|word| said.contains(*word));
        assert_eq!(gone, None, "{}", file.path);
    }
}

#[test]
fn designs_that_cannot_be_built_are_refused() {
    let broken = [
        ("\"odd-shelf\"", "\"Odd shelf\"", "is no name"),
        (
            "\"entity\": \"store\"",
            "\"entity\": \"shop\"",
            "nothing called `shop`",
        ),
        (
            "\"entity\": \"store\"",
            "\"entity\": \"record\"",
            "in a circle",
        ),
        ("\"name\": \"self\"", "\"name\": \"match\"", "is taken"),
        (
            "\"of\": \"match\"",
            "\"of\": \"self\"",
            "a number to add up",
        ),
        ("\"show\", ", "", "`show` serves as a command"),
        (
            "\"kind\": \"integer\", \"required\": true",
            "\"kind\": \"integer\"",
            "tells its entries apart",
        ),
        ("\"by\": [\"year\", \"day\"]", "\"by\": []", "has 0 parts"),
    ];
    for (right, wrong, words) in broken {
        assert!(ODD.contains(right), "{right}");
        let read: Result<Design, _> = serde_json::from_str(&ODD.replacen(right, wrong, 1));
        let problem = read.unwrap_err().to_string();
        assert!(problem.contains(words), "{wrong}: {problem}");
    }
}
