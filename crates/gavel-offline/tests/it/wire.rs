//! The whole way of a run, played at a desk: the model sees requests and nothing else.

use std::path::PathBuf;

use gavel_domain::{ContractKind, Criterion, Spec};
use gavel_models::{CallErrorKind, Message, MessageRole};
use gavel_offline::File;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::desk::{Desk, ask, ask_for, data, request, shaped};
use crate::workshop::Workshop;

pub(crate) const IDEA: &str = "a bookmark manager with tags";
const READERS: [&str; 3] = [
    "gavel_list_contracts",
    "gavel_get_contract",
    "gavel_get_phase_window",
];
const WRITER: [&str; 5] = [
    READERS[0],
    READERS[1],
    READERS[2],
    "gavel_get_project_context",
    "submit_contract",
];
const SCOUT: [&str; 6] = [
    READERS[0],
    READERS[1],
    READERS[2],
    "read_file",
    "list_directory",
    "search_code",
];
const CODER: [&str; 8] = [
    READERS[0],
    READERS[1],
    READERS[2],
    "read_file",
    "list_directory",
    "search_code",
    "write_file",
    "edit_file",
];
const AUDITOR: [&str; 6] = [
    READERS[0],
    READERS[1],
    READERS[2],
    "read_file",
    "search_code",
    "submit_audit",
];
const PASSED: &str = "verdict: passed (tests_passed, by cargo)\ncounts: 9 executed, 9 passed";

pub(crate) fn discovery(idea: &str, repository: &str) -> Value {
    ask_for(
        "discovery",
        &[("idea", idea), ("repository", repository), ("memory", "[]")],
    )
}

/// The answers that recommendations come to when nobody says anything.
pub(crate) fn answers(discovered: &Value) -> Vec<Value> {
    let recommended = discovered["recommendations"].as_array().unwrap().iter();
    let taken = |one: &Value| json!({"question": one["question"], "answer": one["answer"], "by_person": false});
    recommended.map(taken).collect()
}

fn spec_reply(idea: &str, answers: &[Value]) -> Value {
    let answers = Value::from(answers.to_vec()).to_string();
    let pieces = [
        ("idea", idea),
        ("answers", &answers),
        ("decisions", "[]"),
        ("memory", "[]"),
    ];
    ask_for("spec", &pieces)
}

/// The spec that a reply comes to: claims for assumptions, weights by id.
pub(crate) fn spec(idea: &str, answers: &[Value]) -> Spec {
    let Value::Object(mut reply) = spec_reply(idea, answers) else {
        panic!("a spec is an object");
    };
    let all = |list: Option<&Value>, name: &str| -> Vec<Value> {
        let list = list.and_then(Value::as_array).unwrap().iter();
        list.map(|one| one.get(name).unwrap().clone()).collect()
    };
    let claims = all(reply.get("assumptions"), "claim");
    reply.insert("assumptions".to_owned(), Value::from(claims));
    let ids = all(reply.get("criteria"), "id");
    let ids = ids.iter().map(|id| id.as_str().unwrap().to_owned());
    let weights: Value = ids.zip(all(reply.get("criteria"), "weight")).collect();
    reply.insert("weights".to_owned(), weights);
    serde_json::from_value(Value::Object(reply)).unwrap()
}

/// A desk with what a run knows before contracts are written.
fn desk(idea: &str) -> Desk {
    let answers = answers(&discovery(idea, ""));
    let spec = spec(idea, &answers);
    let mut desk = Desk::new();
    let note =
        json!([{"id": "m1", "kind": "trap", "text": "Dates without a year were a mistake."}]);
    desk.project = [
        ("idea", idea.to_owned()),
        ("answers", Value::from(answers).to_string()),
        ("spec", serde_json::to_string(&spec).unwrap()),
        ("memory", note.to_string()),
    ]
    .into();
    desk
}

fn write_contracts(desk: &mut Desk) {
    write_contracts_for(desk, "Rules.");
}

fn write_contracts_for(desk: &mut Desk, rules: &str) {
    for kind in ContractKind::ALL {
        let told = if kind == ContractKind::Phases {
            rules
        } else {
            "Rules."
        };
        let played = desk.play(&format!("Contract: {kind}\n\n{told}"), &WRITER);
        let submitted = played
            .submitted
            .unwrap_or_else(|| panic!("{kind}: {}", played.text));
        let content = submitted
            .get("content")
            .and_then(Value::as_str)
            .unwrap()
            .to_owned();
        desk.contracts.insert(kind.word().to_owned(), content);
    }
}

fn contracted(idea: &str) -> Desk {
    let mut desk = desk(idea);
    write_contracts(&mut desk);
    desk
}

fn code(desk: &mut Desk, phase: u32) -> String {
    let task = format!(
        "Phase: {phase}\n\nBuild it.\n\n{}\n{}",
        data("plan", "[]"),
        data("scout", "")
    );
    desk.play(&task, &CODER).text
}

fn audit(desk: &mut Desk, phase: u32, verification: &str) -> Value {
    let told = data("verification", verification);
    let task = format!(
        "Phase: {phase}\n\nAudit.\n\n{told}\n\n{}",
        data("changed", "")
    );
    desk.play(&task, &AUDITOR).submitted.unwrap()
}

fn fix(desk: &mut Desk, phase: u32, findings: &Value, verification: &str) -> String {
    let (findings, told) = (findings.to_string(), data("verification", verification));
    let troubles = data("troubles", "test bookmark_is_listed failed");
    let findings = data("findings", &findings);
    let task = format!("Phase: {phase}\n\nMend.\n\n{findings}\n\n{told}\n\n{troubles}");
    desk.play(&task, &CODER).text
}

/// Names of the tests that passed and failed.
fn test(workshop: &Workshop, desk: &Desk) -> (Vec<String>, Vec<String>) {
    let files: Vec<File> = desk
        .files
        .iter()
        .map(|(path, content)| File {
            path: path.clone(),
            content: content.clone(),
        })
        .collect();
    let folder: PathBuf = workshop.write("program", &files);
    let output = workshop.cargo(&folder, &["test", "--locked", "--test", "cli"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let named = |end: &str| {
        let lines = said
            .lines()
            .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(end));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let (passed, failed) = (named(" ... ok"), named(" ... FAILED"));
    assert!(
        !passed.is_empty() || !failed.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    (passed, failed)
}

#[test]
fn the_rules_take_no_seat_among_three() {
    assert_eq!(discovery(IDEA, "")["size"], "trivial");
    for shape in ["discovery_votes", "discovery_synthesis"] {
        let refused = ask(&shaped(shape, &[("idea", IDEA)])).unwrap_err();
        assert!(refused.to_string().contains("one opinion"), "{refused}");
    }
}

#[test]
fn discovery_tells_what_is_within_reach() {
    let within = discovery(
        IDEA,
        "gavel.toml\n.gavel/memory/x.jsonl\nREADME.md\nLICENSE-MIT\n.gitignore",
    );
    assert_eq!(within["reach"], "within");
    assert_eq!(within["title"], "bookmark-manager");
    let recommended = within["recommendations"].as_array().unwrap();
    let questions: Vec<&str> = recommended
        .iter()
        .map(|one| one["question"].as_str().unwrap())
        .collect();
    assert_eq!(
        questions,
        [
            "product-type",
            "target-platform",
            "audience",
            "backend-architecture",
            "backend-stack",
            "db-strategy",
            "frontend-approach",
            "ba-status",
            "design-status",
            "deployment"
        ]
    );
    for one in recommended {
        assert!(one["why"].as_str().unwrap().starts_with("Rule: "), "{one}");
        assert!(!one["answer"].as_str().unwrap().is_empty(), "{one}");
    }
    let full = discovery(IDEA, "src/main.py\n");
    assert_eq!(full["reach"], "beyond");
    assert!(
        full["reach_reason"]
            .as_str()
            .unwrap()
            .contains("only write new programs"),
        "{full}"
    );
    for idea in ["a web shop with payments", "something useful"] {
        let full = discovery(idea, "src/main.py\n");
        assert_eq!(full["reach"], "beyond");
        let reason = full["reach_reason"].as_str().unwrap();
        assert!(
            reason.starts_with("Rule: the offline rules only write new programs"),
            "{full}"
        );
    }
    let shop = discovery("a web shop with payments", "");
    assert_eq!(shop["reach"], "beyond");
    assert!(
        shop["reach_reason"].as_str().unwrap().contains("payments"),
        "{shop}"
    );
    let vague = discovery("something useful", "");
    assert_eq!(vague["reach"], "vague");
    let answered = discovery("something useful\n\na bookmark manager with tags", "");
    assert_eq!(answered, discovery(IDEA, ""));
    let rust = discovery(&format!("{IDEA}\n\nStack: Rust"), "");
    assert_eq!(rust, discovery(IDEA, ""));
    let python = discovery(&format!("{IDEA}\n\nStack: Python"), "");
    assert_eq!(python["reach"], "beyond");
    let more = discovery(&format!("{IDEA}\n\nalso ratings"), "");
    assert!(
        more["reach_reason"]
            .as_str()
            .unwrap()
            .ends_with("bookmark (url, title, tags, rating)"),
        "{more}"
    );
}

#[test]
fn a_change_adds_something_or_is_not_taken_for_a_field() {
    let change = |wish: &str| discovery(&format!("{IDEA}\n\nChange: {wish}"), "");
    let more = change("also ratings");
    assert_eq!(more, discovery(&format!("{IDEA}\n\nalso ratings"), ""));
    let less = change("remove the title");
    let told = less["reach_reason"].as_str().unwrap();
    assert!(told.ends_with("bookmark (url, tags)"), "{told}");
    for wish in ["yes", "call it links instead"] {
        let asked = change(wish);
        assert_eq!(asked["reach"], "vague", "{wish}: {asked}");
        let told = asked["reach_reason"].as_str().unwrap();
        assert!(told.contains("also"), "{told}");
    }
}

#[test]
fn a_persons_answers_are_heeded_or_said_to_be_unmet() {
    let mut answers = answers(&discovery(IDEA, ""));
    let plain = spec(IDEA, &answers);
    let said = |question: &str, answer: &str| json!({"question": question, "answer": answer, "by_person": true});
    answers.push(said("db-strategy", "SQLite"));
    answers.push(said("ba-status", "also ratings"));
    let more = spec(IDEA, &answers);
    assert!(
        more.out_of_scope[0].contains("SQLite"),
        "{:?}",
        more.out_of_scope
    );
    assert!(
        !plain.in_scope[0].contains("rating"),
        "{:?}",
        plain.in_scope
    );
    assert!(
        more.in_scope[0].contains("title, tags, rating;"),
        "{:?}",
        more.in_scope
    );
}

#[test]
fn unknown_requests_are_refused() {
    let mut wrong = vec![
        shaped("poem", &[]),
        request("Tell me a joke.", &["write_file"]),
        request("Tell me a joke.", &[]),
        shaped("discovery", &[]),
        shaped(
            "spec",
            &[
                ("idea", "a game engine"),
                ("answers", "[]"),
                ("decisions", "[]"),
                ("memory", "[]"),
            ],
        ),
    ];
    let mut short = shaped("discovery", &[("idea", IDEA)]);
    short.limits.max_output = gavel_domain::Tokens(20);
    wrong.push(short);
    for request in wrong {
        let error = ask(&request).unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Refused, "{error}");
        assert!(
            error
                .message
                .starts_with("the offline rules cannot do this"),
            "{error}"
        );
    }
}

#[test]
fn a_seat_of_the_council_names_evidence_that_exists() {
    let answers =
        json!([{"question": "db-strategy", "answer": "one text file", "by_person": true}])
            .to_string();
    let memory = json!([{"id": "m1", "kind": "trap", "text": "No [CONFIRMED] locks."}]).to_string();
    let decisions = json!([
        {"id": "store", "question": "Where?", "options": ["A: a server", "B: one text file"]},
        {"id": "colour", "question": "Which colour?", "options": ["A: red", "B: blue"]},
    ])
    .to_string();
    let topic = [
        ("topic", IDEA),
        ("answers", answers.as_str()),
        ("memory", memory.as_str()),
        ("decisions", decisions.as_str()),
    ];
    let opening = ask_for("council_opening", &topic);
    insta::assert_snapshot!(opening["text"].as_str().unwrap(), @"
    Rule-based view: `bookmark-manager` can be commands over bookmark (url, title, tags).
    A person settled db-strategy as: one text file [CONFIRMED via answer:db-strategy]
    Memory (trap) warns: No (CONFIRMED) locks. [CONFIRMED via memory:m1]
    Where?: B, as it was answered [CONFIRMED via answer:db-strategy]
    Which colour?: no answer names an option, so A is no opinion [UNVERIFIED]
    Rule: keep to what topic and answers say, and test every criterion.
    ");
    let chosen = json!([
        {"decision": "store", "option": "B", "confidence": 90, "cites": ["answer:db-strategy"]},
        {"decision": "colour", "option": "A", "confidence": 0, "cites": []},
    ]);
    assert_eq!(opening["choices"], chosen);
    // What nobody answered is followed, and proves nothing.
    let recommended = answers.replace("true", "false");
    let unattended = [("answers", recommended.as_str()), topic[0], topic[3]];
    let opening = ask_for("council_opening", &unattended);
    assert_eq!(opening["choices"][0]["cites"], json!([]));
    assert_eq!(opening["choices"][0]["option"], "B");
    assert!(!opening["text"].as_str().unwrap().contains("CONFIRMED"));
    let other = "It is red [UNVERIFIED: there is no file src/red.rs] and blue [UNVERIFIED]";
    let said = [&topic[..], &[("own_position", "{}"), ("other_seat", other)]].concat();
    let turn = ask_for("council_turn", &said);
    assert_eq!(turn["choices"], chosen);
    let told = turn["text"].as_str().unwrap();
    assert!(
        told.starts_with("Rule: one source of the other seat is not there."),
        "{told}"
    );
}

/// As a leader the rules plan alike, count, and say what they cannot tell.
#[test]
fn a_council_that_is_led_by_rules_says_what_they_cannot_tell() {
    let plan = ask_for("council_plan", &[("topic", IDEA)]);
    assert_eq!(plan["decisions"], json!([]), "what is open is not known");
    let votes = json!([{"id": "store", "question": "Where?", "agreed": false, "carried": "open",
        "options": [{"option": "A", "chosen_by": ["X"]}, {"option": "B", "chosen_by": ["Y"]}]}])
    .to_string();
    let round = ask_for("council_evaluation", &[("topic", IDEA), ("votes", &votes)]);
    assert_eq!(
        (&round["unresolved"], &round["go_on"]),
        (&json!(["Where?"]), &json!(false))
    );
    let turns = json!([{"stance": "X", "round": 1, "text": "One file."}]).to_string();
    let minutes = ask_for("council_summary", &[("topic", IDEA), ("turns", &turns)]);
    assert_eq!(
        minutes["text"],
        "Rule: the last turns, shortened.\nX: One file."
    );
    let answers =
        json!([{"question": "db-strategy", "answer": "one text file", "by_person": true}])
            .to_string();
    let drawn = ask_for(
        "council_synthesis",
        &[("topic", IDEA), ("answers", &answers), ("votes", &votes)],
    );
    assert_eq!(
        drawn["decisions"],
        json!([{"id": "store", "why": "Rule: as it was counted."}])
    );
    assert_eq!(
        drawn["settled"],
        json!([{"title": "db-strategy", "choice": "one text file", "why": "Rule: a person said so."}])
    );
    for (synthesis, kept) in [
        (r#"{"dissent": []}"#, false),
        (r#"{"dissent": [{"who": "Y"}]}"#, true),
    ] {
        let data = [
            ("votes", votes.as_str()),
            ("synthesis", synthesis),
            ("positions", "[]"),
        ];
        let verdict = ask_for("council_verdict", &data);
        assert_eq!(
            (&verdict["confidence"], &verdict["dissent_kept"]),
            (&json!(0), &json!(kept))
        );
    }
}

/// A council may be shown a part of a long list; a spec may not.
#[test]
fn a_seat_of_the_council_reads_a_part_of_a_long_list() {
    let answers =
        json!([{"question": "db-strategy", "answer": "one text file", "by_person": true}])
            .to_string();
    let topic = [("topic", IDEA), ("answers", answers.as_str())];
    let opening = ask_for("council_opening", &topic);
    let cut = answers.replacen('[', "[\n", 1).replacen(']', ",\n", 1);
    let mut part = shaped("council_opening", &[topic[0], ("answers", &cut)]);
    cut_answers(&mut part);
    let reply: Value = serde_json::from_str(&ask(&part).unwrap().text).unwrap();
    assert_eq!(reply["text"], opening["text"]);
    let idea = [
        ("idea", IDEA),
        ("memory", "[]"),
        ("answers", &cut),
        ("decisions", "[]"),
    ];
    let mut part = shaped("spec", &idea);
    cut_answers(&mut part);
    assert!(ask(&part).unwrap_err().message.contains("was cut"));
    let strange = ask_for("council_opening", &[("topic", "a game engine"), topic[1]]);
    let told = strange["text"].as_str().unwrap();
    assert!(told.contains("have no opinion"), "{told}");
}

/// Marks the answers of a task as cut.
fn cut_answers(request: &mut gavel_models::Request) {
    for part in request
        .messages
        .iter_mut()
        .flat_map(|message| &mut message.parts)
    {
        if let gavel_models::Part::Text { text } = part {
            *text = text.replace(
                "source=\"answers\"",
                "source=\"answers\" cut=\"9 of 99 bytes left out\"",
            );
        }
    }
}

#[test]
fn contracts_are_mended_once_and_then_given_up() {
    let mut desk = desk(IDEA);
    desk.refusals = vec!["not accepted: a line is wrong".to_owned()];
    let mended = desk.play("Contract: stack\n", &WRITER);
    assert!(mended.submitted.is_some(), "{}", mended.text);
    assert_eq!(mended.turns, 3);
    desk.refusals = vec!["not accepted: a line is wrong".to_owned(); 2];
    let stuck = desk.play("Contract: stack\n", &WRITER);
    assert!(stuck.text.starts_with("Cannot: "), "{}", stuck.text);
    assert!(stuck.text.contains("a line is wrong"), "{}", stuck.text);
    let none = desk.play("Contract: poem\n", &WRITER);
    assert!(none.text.starts_with("Cannot: "), "{}", none.text);
}

#[test]
fn one_phase_is_written_where_no_more_fit_and_holds_the_whole_program() {
    let mut two = contracted(IDEA);
    let mut one = desk(IDEA);
    write_contracts_for(&mut one, "Rules.\n\nAt most 1 phase(s).");
    for (text, count) in [("phases", 1), ("builder_directive", 1)] {
        let phases = one.contracts[text].matches("Phase ").count();
        assert_eq!(phases, count, "{}", one.contracts[text]);
    }
    code(&mut one, 0);
    for phase in [0, 1] {
        code(&mut two, phase);
    }
    assert_eq!(one.files, two.files);
}

#[test]
fn a_contract_does_not_settle_what_the_rules_do_not_do() {
    let mut desk = desk(IDEA);
    let answers = json!([{"question": "backend-stack", "answer": "Python", "by_person": true},
        {"question": "db-strategy", "answer": "CockroachDB", "by_person": true},
        {"question": "deployment", "answer": "Docker", "by_person": true}]);
    desk.project.insert("answers", answers.to_string());
    write_contracts(&mut desk);
    for (kind, text) in &desk.contracts {
        for word in ["Python", "Cockroach", "Docker"] {
            assert!(!text.contains(word), "{kind}: {text}");
        }
    }
}

#[test]
fn an_idea_becomes_a_program_that_passes_its_audits() {
    let workshop = Workshop::new("wire-way");
    let mut desk = contracted(IDEA);
    let report = desk.play("Phase: 0\n\nScout.", &SCOUT).text;
    let window = desk.contracts["phases"].clone();
    let plan = ask_for(
        "phase_plan",
        &[
            ("phase", &window),
            ("scout", &report),
            ("files", "Cargo.toml"),
        ],
    );
    for phase in [0, 1] {
        let closing = code(&mut desk, phase);
        assert!(closing.contains("as the contracts demand"), "{closing}");
        let (passed, failed) = test(&workshop, &desk);
        assert_eq!(failed, Vec::<String>::new());
        assert_eq!(
            passed.len(),
            desk.files["tests/cli.rs"].matches("#[test]").count()
        );
        let audited = audit(&mut desk, phase, PASSED);
        assert_eq!(audited, json!({"verdict": "pass", "findings": []}));
        if phase == 0 {
            let planned: Vec<&str> = plan["files"]
                .as_array()
                .unwrap()
                .iter()
                .map(|file| file["path"].as_str().unwrap())
                .collect();
            let mut written: Vec<&str> = desk.files.keys().map(String::as_str).collect();
            written.sort_by_key(|path| planned.iter().position(|planned| planned == path));
            assert_eq!(written, planned);
            assert_eq!(
                (&plan["files"][0]["path"], &plan["files"][0]["action"]),
                (&json!("Cargo.toml"), &json!("modify"))
            );
        }
    }
    let spec: Spec = serde_json::from_str(&desk.project["spec"]).unwrap();
    let tests = &desk.files["tests/cli.rs"];
    for Criterion { id, .. } in &spec.criteria {
        assert!(tests.contains(&format!("fn {id}()")), "{id}");
    }
}

#[test]
fn a_broken_file_is_cited_by_the_audit_and_written_again_by_the_fixer() {
    let workshop = Workshop::new("wire-break");
    let mut desk = contracted(IDEA);
    code(&mut desk, 1);
    let whole = desk.files.clone();
    let broken = whole["src/commands/bookmark.rs"].replace(
        "store.save()?;\n    Ok(format!(\"added",
        "Ok(format!(\"added",
    );
    assert_ne!(broken, whole["src/commands/bookmark.rs"]);
    desk.files
        .insert("src/commands/bookmark.rs".to_owned(), broken);
    let (_, failed) = test(&workshop, &desk);
    assert!(
        failed.contains(&"bookmark_is_listed".to_owned()),
        "{failed:?}"
    );
    let told = format!(
        "verdict: failed (tests_failed, by cargo)\ncounts: some\nfailed tests:\n- {}\nrest",
        failed.join("\n- ")
    );
    let audited = audit(&mut desk, 1, &told);
    assert_eq!(audited["verdict"], "fail");
    let cited: Vec<&str> = audited["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["evidence"].as_str().unwrap())
        .collect();
    assert!(
        cited.contains(&"test bookmark_is_listed failed"),
        "{cited:?}"
    );
    assert_eq!(cited.len(), failed.len());
    assert_eq!(audited["findings"][0]["file"], "tests/cli.rs");
    assert_ne!(audited["findings"][0]["line"], 0);
    let closing = fix(&mut desk, 1, &audited["findings"], &told);
    assert!(closing.contains("src/commands/bookmark.rs"), "{closing}");
    assert_eq!(desk.files, whole);
    assert_eq!(test(&workshop, &desk).1, Vec::<String>::new());

    // All is as it should be, and still something is said against it.
    let stuck = fix(&mut desk, 1, &audited["findings"], &told);
    assert!(
        stuck.starts_with("Cannot: every file is exactly"),
        "{stuck}"
    );
    assert!(stuck.contains("bookmark_is_listed"), "{stuck}");
}

#[test]
fn audits_find_what_is_missing_and_what_is_left_over() {
    let mut desk = contracted(IDEA);
    code(&mut desk, 1);
    let tests = desk.files.get_mut("tests/cli.rs").unwrap();
    *tests = tests.replace("fn help()", "fn other()");
    let help = desk.files.get_mut("src/help.txt").unwrap();
    *help = help.replace("bookmark delete ID", "bookmark remove ID");
    let main = desk.files.get_mut("src/main.rs").unwrap();
    main.push_str(&format!("// {}: everything\n", "TODO"));
    let told = format!("{PASSED}\ncriteria without a test:\n- bookmark_is_shown\noutput of x:");
    let audited = audit(&mut desk, 1, &told);
    let found: Vec<&str> = audited["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["message"].as_str().unwrap())
        .collect();
    assert_eq!(
        found,
        [
            "the criterion `bookmark_is_shown` has no test of its name",
            "the criterion `help` has no test of its name",
            "the command `bookmark delete` of physics is not there",
            "work is left unfinished",
        ]
    );
    for unclear in ["", "verdict: unclear (no_recipe, by none)"] {
        assert_eq!(audit(&mut desk.clone(), 1, unclear)["verdict"], "fail");
    }
    // A contract that cannot be read lets nothing pass.
    desk.contracts.remove("schema");
    let audited = audit(&mut desk, 1, PASSED);
    assert_eq!(audited["verdict"], "fail");
}

#[test]
fn what_people_change_in_contracts_shows_in_code_and_tests() {
    let workshop = Workshop::new("wire-change");
    let mut desk = contracted(IDEA);
    for text in desk.contracts.values_mut() {
        *text = text.replace("bookmark", "link");
    }
    let schema = desk.contracts.get_mut("schema").unwrap();
    *schema = schema.replace(
        "| tags | tags | no | words with commas between them |\n",
        "",
    );
    let phases = desk.contracts.get_mut("phases").unwrap();
    for (old, new) in TAGS {
        assert!(phases.contains(old), "{old}: {phases}");
        *phases = phases.replace(old, new);
    }
    phases.push_str(
        "- `first_is_one`: The first link has the id 1.\n  ```\n  $ link add --url x\n  has 1\n  ```\n",
    );
    let closing = code(&mut desk, 1);
    assert!(closing.contains("as the contracts demand"), "{closing}");
    assert!(desk.files.contains_key("src/commands/link.rs"));
    assert!(!desk.files["src/model.rs"].contains("tags"));
    let (passed, failed) = test(&workshop, &desk);
    assert_eq!(failed, Vec::<String>::new());
    assert!(passed.contains(&"first_is_one".to_owned()), "{passed:?}");
    assert!(passed.contains(&"link_is_listed".to_owned()), "{passed:?}");
}

/// Where the examples speak of tags, and what they say without them.
const TAGS: [(&str, &str); 7] = [
    (" --tags \"crimson,round\"", ""),
    (" --tags navy", ""),
    (" \"crimson, round\"", ""),
    ("\" navy\n", "\"\n"),
    (" --tags\n", "\n"),
    (
        "  $ link list --tags round\n  has https://example.org/amber\n  lacks https://example.org/birch\n",
        "",
    ),
    (
        "  $ link search \"CRIMSON, ROUND\"\n  has https://example.org/amber\n  lacks https://example.org/birch\n",
        "",
    ),
];

#[test]
fn contracts_that_contradict_each_other_are_told_and_nothing_is_written() {
    let mut desk = contracted(IDEA);
    let schema = desk.contracts.get_mut("schema").unwrap();
    *schema = schema.replace("| text |", "| painting |");
    let closing = code(&mut desk, 0);
    assert!(
        closing.starts_with("Cannot: ") && closing.contains("painting"),
        "{closing}"
    );
    assert!(desk.files.is_empty());
}

#[test]
fn small_results_and_small_replies_lead_to_the_same_program() {
    let idea = "a tool to keep recipes and their ingredients";
    let mut desk = contracted(idea);
    let mut narrow = desk.clone();
    narrow.reply_bytes = 9_000;
    code(&mut desk, 1);
    code(&mut narrow, 1);
    assert_eq!(desk.files, narrow.files);
    assert!(!desk.files["tests/cli.rs"].contains("@@"));
    narrow
        .files
        .get_mut("tests/cli.rs")
        .unwrap()
        .push_str("// more\n");
    narrow.files.remove("README.md");
    narrow.reply_bytes = 20_000;
    let closing = fix(&mut narrow, 1, &json!([]), PASSED);
    assert!(closing.contains("README.md, tests/cli.rs."), "{closing}");
    assert_eq!(desk.files, narrow.files);
}

#[test]
fn words_of_people_are_not_taken_for_heard() {
    let mut request = request("Phase: 0\n\nBuild.", &CODER);
    let words = Message::text(
        MessageRole::User,
        "A person says at the command line, while you work:\nhurry",
    );
    request.messages.push(words);
    let reply = ask(&request).unwrap();
    assert_eq!(reply.tool_calls.len(), 2, "{reply:?}");
    request.tool_choice = gavel_models::ToolChoice::None;
    let summary = ask(&request).unwrap();
    assert!(summary.text.starts_with("Noted by rules"), "{summary:?}");
}

proptest! {
    /// Whatever stands in a request, the same request gets the same bytes, and nothing panics.
    #[test]
    fn the_same_request_gets_the_same_bytes(
        shape in prop::sample::select(vec!["discovery", "council_plan", "council_opening", "council_turn", "council_evaluation", "council_summary", "council_synthesis", "council_verdict", "spec", "phase_plan"]),
        idea in "(a |my )?(bookmark|book|expense|recipe|.{0,12})s? (manager|list|tracker)? ?(with (tags|dates|ratings))?.{0,10}",
        json in "\\[\\]|.{0,30}",
    ) {
        let pieces = [
            ("idea", idea.as_str()), ("topic", idea.as_str()), ("answers", &json), ("memory", "[]"),
            ("decisions", &json), ("votes", &json), ("turns", &json), ("files", &json), ("scout", &json),
        ];
        let request = shaped(shape, &pieces);
        prop_assert_eq!(ask(&request), ask(&request));
    }

    #[test]
    fn no_task_makes_it_panic(task in "(Phase: |Contract: )?[0-9a-z]{0,9}\n.{0,40}(<data( source=\"[a-z]{0,8}\")?>?\n?.{0,20}(</data>)?)?", tools in prop::sample::subsequence(WRITER.iter().chain(&CODER).chain(&AUDITOR).copied().collect::<Vec<_>>(), 0..12)) {
        let request = request(&task, &tools);
        prop_assert_eq!(ask(&request), ask(&request));
    }
}

#[test]
fn a_spec_says_what_the_rules_added() {
    let idea = "rental apartments, tenants and their payments";
    let taken = spec(idea, &answers(&discovery(idea, ""))).assumptions;
    for told in [
        "Not said, but usual for tenants: name, note.",
        "The rental-apartments stand for themselves: the idea does not say what they belong to.",
    ] {
        assert!(taken.iter().any(|one| one == told), "{told}: {taken:?}");
    }
    let said = spec(IDEA, &answers(&discovery(IDEA, ""))).assumptions;
    assert_eq!(said[0], "Not said, but usual for bookmarks: url, title.");
}

#[test]
fn a_spec_weighs_its_criteria_and_is_sure_of_nothing_that_nobody_said() {
    let reply = spec_reply(IDEA, &answers(&discovery(IDEA, "")));
    let spec = spec(IDEA, &answers(&discovery(IDEA, "")));
    for (id, weight) in [
        ("bookmark_is_listed", 3),
        ("bookmark_is_found", 3),
        ("bookmark_is_edited", 2),
        ("bookmark_keeps_any_text", 1),
        ("help", 1),
    ] {
        assert_eq!(spec.weight(id), weight, "{id}");
    }
    let assumed = reply["assumptions"].as_array().unwrap();
    assert!(
        assumed.iter().all(|one| one["confidence"] != "high"),
        "{assumed:?}"
    );
    let shown: Vec<&Value> = assumed
        .iter()
        .filter(|one| one["how_to_validate"] == "bookmark_is_listed")
        .collect();
    assert_eq!(shown.len(), 1);
    assert!(
        spec.criteria
            .iter()
            .any(|one| one.id == "bookmark_is_listed")
    );
    assert_eq!((spec.sprint_estimate, spec.folders.len()), (2, 2));
    assert!(spec.architecture.contains("without a language model"));
}

#[test]
fn what_a_person_said_is_not_assumed() {
    let mut answered = answers(&discovery(IDEA, ""));
    for one in &mut answered {
        one["by_person"] = json!(true);
    }
    let assumed = spec(IDEA, &answered).assumptions;
    assert!(
        assumed
            .iter()
            .all(|one| !one.contains("not said by a person")),
        "{assumed:?}"
    );
    assert!(!assumed.is_empty());
}

#[test]
fn a_thing_of_another_is_renamed_and_a_field_of_its_owner_dropped() {
    let workshop = Workshop::new("wire-rename");
    let idea = "I run a small vet practice and want to keep track of pets (name, species, owner) and their visits \
                (date, reason, cost)";
    let mut desk = contracted(idea);
    let owner = regex::Regex::new(
        " --owner \"[^\"]*\"| \"(Amber|Birch) owner\"|(?m)^ *\\$ pet (search \"AMBER OWNER\"|list --owner).*\n.*\n.*\n",
    )
    .unwrap();
    for text in desk.contracts.values_mut() {
        *text = owner.replace_all(text, "").replace("visit", "appointment");
        *text = text.replace("| owner | text | no | a text |\n", "");
        *text = text.replace(" --owner\n", "\n");
    }
    desk.contracts.get_mut("phases").unwrap().push_str(
        "- `two_on_a_day`: A pet has two appointments on a day.\n  ```\n  $ pet add --name Rex\n  \
         $ appointment add --pet 1 --date 2024-02-29\n  $ appointment add --pet 1 --date 2024-02-29\n  has 2\n  ```\n",
    );
    let closing = [code(&mut desk, 1), code(&mut desk, 2)].concat();
    let model = &desk.files["src/model.rs"];
    assert!(model.contains("struct Appointment"), "{closing}");
    assert!(!model.contains("owner") && !model.contains("Visit"));
    let (passed, failed) = test(&workshop, &desk);
    assert_eq!(failed, Vec::<String>::new());
    for name in ["two_on_a_day", "appointment_is_listed", "pet_is_listed"] {
        assert!(passed.contains(&name.to_owned()), "{name}: {passed:?}");
    }
}
