use gavel_domain::Phase;

use super::*;
use crate::criteria::criteria;
use crate::understand::{Understood, understand};

const IDEAS: [&str; 6] = [
    "a bookmark manager with tags",
    "track my expenses by category with a total per month",
    "a tool to keep recipes and their ingredients",
    "inventory for a small shop: products, suppliers, stock counts",
    "todo list with due dates and priorities",
    "tool library: tools, members, loans",
];

fn plan(idea: &str) -> Plan {
    let Understood::InReach(design) = understand(idea) else {
        panic!("{idea} is out of reach");
    };
    Plan {
        criteria: criteria(&design),
        design,
        answers: vec![("audience".to_owned(), "me\nand my | cat.".to_owned())],
        memory: vec!["# a trap:\n- beware".to_owned()],
        one_phase: false,
    }
}

struct Texts {
    schema: String,
    physics: String,
    phases: String,
}

impl Texts {
    fn of(idea: &str) -> Self {
        let plan = plan(idea);
        Self {
            schema: write_contract(ContractKind::Schema, &plan),
            physics: write_contract(ContractKind::Physics, &plan),
            phases: write_contract(ContractKind::Phases, &plan),
        }
    }

    fn read(&self, phase: u32) -> Result<(Design, Vec<Criterion>), ContractProblem> {
        let windows = [self.phases.clone(), self.phases.clone()];
        read_contracts(&self.schema, &self.physics, &windows, phase)
    }

    fn all(self, from: &str, to: &str) -> Self {
        assert!(self.schema.contains(from), "{from}");
        Self {
            schema: self.schema.replace(from, to),
            physics: self.physics.replace(from, to),
            phases: self.phases.replace(from, to),
        }
    }
}

#[test]
fn what_is_written_is_read_again() {
    for idea in IDEAS {
        let plan = plan(idea);
        let (design, read) = Texts::of(idea).read(1).unwrap();
        assert_eq!(design, plan.design, "{idea}");
        let sorted = |mut all: Vec<Criterion>| {
            all.sort_by(|one, other| one.id.cmp(&other.id));
            all
        };
        assert_eq!(sorted(read), sorted(plan.criteria), "{idea}");
    }
}

#[test]
fn the_first_phase_is_what_its_own_design_promises() {
    for idea in IDEAS {
        let phases = phases_of(&plan(idea));
        let [
            Phase {
                criteria: early, ..
            },
            Phase { criteria: late, .. },
        ] = phases.as_slice()
        else {
            panic!("{phases:?}");
        };
        let (design, read) = Texts::of(idea).read(0).unwrap();
        assert_eq!(&read, early, "{idea}");
        let words = |entity: &crate::Entity| entity.commands.len();
        assert!(design.entities().iter().all(|entity| words(entity) == 3));
        assert!(late.len() > 1 && early.len() > late.len() / 2, "{idea}");
        let own = criteria(&design);
        for criterion in early {
            let same = own.iter().find(|other| other.id == criterion.id).unwrap();
            assert_eq!(same.example, criterion.example);
        }
    }
}

#[test]
fn contracts_speak_of_this_idea_and_say_who_wrote_them() {
    for idea in IDEAS {
        let plan = plan(idea);
        for kind in ContractKind::ALL {
            let text = write_contract(kind, &plan);
            let count = text.matches("Written by Gavel's offline rules").count();
            assert_eq!(count, 1, "{text}");
            let name = plan.design.entities()[0].plural.replace('-', " ");
            assert!(text.contains(&name) || text.contains(&plan.design.entities()[0].name));
            assert!(text.contains(plan.design.program()), "{text}");
            let left = text.split('@').nth(1);
            assert_eq!(left, None, "{text}");
            assert!(text.len() < 20_000, "{kind:?} of {idea}: {}", text.len());
            let headings = text.lines().filter(|line| line.starts_with("# ")).count();
            let markdown = kind != ContractKind::Boundaries;
            assert_eq!(headings, usize::from(markdown), "{text}");
        }
    }
}

#[test]
fn a_dot_that_is_an_argument_stays() {
    let mut plan = plan("a wine list");
    let deployment = "cargo install --path .".to_owned();
    plan.answers.push(("deployment".to_owned(), deployment));
    let text = write_contract(ContractKind::Blueprint, &plan);
    assert!(text.contains("settled: cargo install --path .\n"), "{text}");
    assert!(text.contains("It is for me and my | cat.\n"), "{text}");
}

#[test]
fn contracts_look_like_this() {
    let plan = plan("a tool to keep recipes and their ingredients");
    let kinds = ContractKind::ALL
        .into_iter()
        .filter(|kind| *kind != ContractKind::Phases);
    let texts =
        kinds.map(|kind| format!("{}\n\n{}", kind.file_name(), write_contract(kind, &plan)));
    let phases = write_contract(ContractKind::Phases, &plan);
    let (head, _) = phases.split_once("- `recipe_is_shown`").unwrap();
    let all: Vec<String> = texts.chain([format!("phases.md\n\n{head}")]).collect();
    insta::assert_snapshot!("recipes", all.join("\n=====\n"));
}

#[test]
fn what_a_person_changes_shows_in_design_and_criteria() {
    let (design, criteria) = Texts::of(IDEAS[1]).all("expense", "cost").read(1).unwrap();
    assert_eq!(design.entities()[0].name, "cost");
    assert!(
        criteria
            .iter()
            .any(|criterion| criterion.id == "cost_is_listed")
    );

    let mut texts = Texts::of(IDEAS[4]);
    let row = "| priority | text | no | a text |\n";
    assert!(texts.schema.contains(row));
    texts.schema = texts.schema.replace(row, "");
    texts.phases = texts.phases.replace(" --priority \"Amber priority\"", "");
    let problem = texts.read(1).unwrap_err().to_string();
    assert!(problem.contains("--priority"), "{problem}");
    assert!(
        problem.starts_with("phases.md: criteria `todo_"),
        "{problem}"
    );

    let mut texts = Texts::of(IDEAS[0]);
    let own = "**Exit criteria:**\n- `mine`: Mine holds,\n  too.\n  ```\n  $ list\n  ```\n";
    texts.phases = texts.phases.replacen("**Exit criteria:**\n", own, 1);
    let (_, criteria) = texts.read(0).unwrap();
    let mine = criteria
        .iter()
        .find(|criterion| criterion.id == "mine")
        .unwrap();
    assert_eq!(
        (mine.statement.as_str(), mine.example.as_str()),
        ("Mine holds, too.", "$ list")
    );
}

#[test]
fn a_command_can_be_dropped_with_its_criteria() {
    let mut texts = Texts::of(IDEAS[0]);
    let (before, rest) = texts.physics.split_once("  bookmark search:\n").unwrap();
    let rest = rest.split_once("wrong usage}\n").unwrap().1;
    texts.physics = format!("{before}{rest}");
    let problem = texts.read(1).unwrap_err().to_string();
    assert!(problem.contains("`bookmark search`"), "{problem}");
    assert!(
        problem.contains("`bookmark_is_found`") && problem.contains("`help`"),
        "{problem}"
    );
    let plan = plan(IDEAS[0]);
    let (design, _) = read_contracts(&texts.schema, &texts.physics, &[], u32::MAX).unwrap();
    assert!(!design.entities()[0].can("search"));
    let criteria = criteria(&design);
    texts.phases = write_contract(
        ContractKind::Phases,
        &Plan {
            design,
            criteria,
            ..plan
        },
    );
    let (_, criteria) = texts.read(1).unwrap();
    assert!(
        criteria
            .iter()
            .all(|criterion| criterion.id != "bookmark_is_found")
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn contracts_that_cannot_be_built_name_the_place() {
    use ContractKind::{Phases, Physics, Schema};
    for (contract, from, to, words) in [
        (
            Schema,
            "## Entity: bookmark (bookmarks)",
            "## Entity: bookmark",
            "schema.md: heading",
        ),
        (
            Schema,
            "| tags | tags |",
            "| tags | blob |",
            "use one of them",
        ),
        (
            Schema,
            "| tags | tags | no |",
            "| tags | tags | maybe |",
            "yes or no",
        ),
        (
            Schema,
            "| tags | tags | no | words with commas between them |",
            "| x |",
            "schema.md: row",
        ),
        (
            Schema,
            "| tags | tags |",
            "| tags | reference to folder |",
            "nothing called `folder`",
        ),
        (Physics, "info:", "info", "physics.yaml: the text"),
        (
            Physics,
            "  bookmark add:",
            "  add:",
            "physics.yaml: command `add`",
        ),
        (
            Physics,
            "entity: bookmark\n",
            "entity: mark\n",
            "make them the same",
        ),
        (
            Physics,
            "  bookmark edit:\n    entity: bookmark",
            "  folder edit:",
            "has no entity `folder`",
        ),
        (
            Physics,
            "  bookmark edit:",
            "  bookmark burn:",
            "nothing called `burn` serves as a flag",
        ),
        (
            Physics,
            "  bookmark edit:",
            "  bookmark total:",
            "`adds_up: FIELD`",
        ),
        (
            Physics,
            "title: bookmark-manager",
            "title: My Marks",
            "is no name",
        ),
        (
            Phases,
            "- `help`:",
            "- `match`:",
            "criterion `match`: no test",
        ),
        (
            Phases,
            "- `help`:",
            "- `bookmark_is_listed`:",
            "it stands twice",
        ),
        (Phases, "- `help`:", "- help:", "write - `id`: statement"),
        (
            Phases,
            "$ help\n",
            "some help\n",
            "criterion `help`: `some help` is no line",
        ),
        (
            Phases,
            "$ bookmark list",
            "$ folder list",
            "no command `bookmark folder`",
        ),
        (
            Phases,
            "$ help\n",
            "GET /help\n",
            "the program has no server: say with `$` what is run",
        ),
        (
            Phases,
            "$ help\n",
            "$ help\njson /a 1\n",
            "the program prints no JSON",
        ),
        (Phases, "## Phase 1:", "## Later:", "phase 1: it is missing"),
        (
            Phases,
            " --url https://example.org/amber",
            "",
            "bookmark requires `url`",
        ),
    ] {
        let mut texts = Texts::of(IDEAS[0]);
        let text = if contract == Schema {
            &mut texts.schema
        } else if contract == Physics {
            &mut texts.physics
        } else {
            &mut texts.phases
        };
        assert!(text.contains(from), "{from}\n{text}");
        *text = text.replace(from, to);
        let problem = texts.read(1).unwrap_err().to_string();
        assert!(problem.contains(words), "{to}: {problem}");
    }
}

#[test]
fn a_damaged_file_without_a_name_is_read_as_earlier_versions_wrote_it() {
    let texts = Texts::of(IDEAS[0]);
    let mut earlier = Texts::of(IDEAS[0]);
    earlier.phases = earlier
        .phases
        .replace("--file damaged.txt ", "")
        .replace("file damaged.txt ", "file ");
    assert_ne!(earlier.phases, texts.phases);
    assert_eq!(earlier.read(1), texts.read(1));
}

#[test]
fn a_phase_ends_with_something_whatever_a_spec_leaves_out() {
    let plan = Plan {
        criteria: Vec::new(),
        ..plan(IDEAS[0])
    };
    let phases = phases_of(&plan);
    let ids: Vec<&str> = phases.iter().map(|one| &*one.criteria[0].id).collect();
    assert_eq!(ids, ["bookmark_is_listed", "help"]);
}

#[test]
fn one_phase_holds_everything_and_is_built_whole() {
    for idea in IDEAS {
        let two = plan(idea);
        let one = Plan {
            one_phase: true,
            ..two.clone()
        };
        let phases = phases_of(&one);
        let [only] = phases.as_slice() else {
            panic!("{phases:?}");
        };
        assert_eq!(only.criteria.len(), two.criteria.len(), "{idea}");
        for promised in phases_of(&two).iter().flat_map(|one| &one.deliverables) {
            let times = only.deliverables.iter().filter(|own| *own == promised);
            assert_eq!(times.count(), 1, "{idea}: {promised}");
        }
        let texts = Texts {
            phases: write_contract(ContractKind::Phases, &one),
            ..Texts::of(idea)
        };
        let (design, read) = texts.read(0).unwrap();
        assert_eq!(design.entities(), two.design.entities(), "{idea}");
        assert_eq!(read.len(), two.criteria.len(), "{idea}");
        let directive = write_contract(ContractKind::BuilderDirective, &one);
        assert!(!directive.contains("Phase 1"), "{directive}");
    }
}

/// `a{b,c}d` or `a(b|c)d` as all that it stands for.
fn expanded(text: &str, marks: [char; 3]) -> Vec<String> {
    let [open, between, close] = marks;
    let parts = text
        .split_once(open)
        .and_then(|(before, rest)| Some((before, rest.split_once(close)?)));
    parts.map_or_else(
        || vec![text.to_owned()],
        |(before, (middle, after))| {
            let all = middle.split(between);
            all.map(|one| format!("{before}{one}{after}")).collect()
        },
    )
}

#[test]
fn programs_keep_the_boundaries_of_their_contract() {
    let mut files = 0;
    for idea in IDEAS {
        let plan = plan(idea);
        let text = write_contract(ContractKind::Boundaries, &plan);
        let boundaries: serde_json::Value = serde_json::from_str(&text).unwrap();
        let program = crate::write_program(&plan.design, &plan.criteria);
        for layer in boundaries["layers"].as_array().unwrap() {
            let globs = expanded(layer["glob"].as_str().unwrap(), ['{', ',', '}']);
            let fits = |path: &str| {
                globs
                    .iter()
                    .any(|glob| path.starts_with(glob.trim_end_matches("**")))
            };
            for file in program.iter().filter(|file| fits(&file.path)) {
                files += 1;
                for rule in layer["forbidden"].as_array().unwrap() {
                    for pattern in expanded(rule["pattern"].as_str().unwrap(), ['(', '|', ')']) {
                        assert!(!file.content.contains(&pattern), "{}: {pattern}", file.path);
                    }
                }
            }
        }
    }
    assert!(files > 50, "{files}");
}
