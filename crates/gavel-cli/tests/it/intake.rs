//! `gavel intake` through the binary.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::json;

use crate::bench::{Bench, ended};

#[test]
fn an_idea_is_scored_for_scripts() {
    let bench = Bench::new();
    let scored = bench.json(&["intake", "build a chat platform"]);
    assert_eq!(
        scored,
        json!({
            "schema": "gavel/intake/v1",
            "sufficient": false,
            "missing": ["target", "scope", "intent"],
            "complexity": {"label": "medium", "score": 3},
            "size": {"label": "small", "score": -2},
            "route": "council",
            "reasons": ["new_product", "medium_complexity"],
            "gray_areas": ["scope", "target", "format", "convention"],
            "language": "en",
            "greenfield": true,
            "scored": true,
        })
    );
    assert!(!bench.state().exists(), "nothing was made");
}

/// The vectors of the reference: prompt, missing, complexity, size, gray areas.
const VECTORS: &str = "\
todo app | target,scope,intent | low 0 | small -2 | scope,target,format,convention
build a chat platform | target,scope,intent | medium 3 | small -2 | scope,target,format,convention
fix typo in README.md |  | low -2 | small -3 | scope,target,convention,depth
rename getUser in src/a.ts |  | low -2 | small -3 | target,convention,depth,audience
auth | target,intent | low 0 | small -2 | scope,target,format,convention
add a retry to the login endpoint |  | low 0 | small -2 | scope,target,format,convention
migrate the billing service to a multi-tenant microservice architecture | target,scope | medium 4 | medium 0 | scope,format,convention,depth
improve test coverage | target | low 0 | large 3.5 | scope,target,format,convention
build an internal tool where a team records which laptops are lent out, to whom, until when, and exports them as csv lists | target | low 1 | medium 0 | scope,target,convention,depth
update deps |  | low 0 | small -2 | scope,target,format,convention
refactor src/a.ts src/b.ts and src/c.ts to share one http client |  | high 6 | medium 2 | scope,target,convention,depth";

#[test]
fn the_vectors_of_the_reference() {
    let bench = Bench::new();
    let mut vectors = 0;
    for line in VECTORS.lines() {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [prompt, missing, complexity, size, areas] = parts[..] else {
            panic!("{line}");
        };
        vectors += 1;
        let scored = bench.json(&["intake", prompt]);
        let words = |name: &str| {
            let list = scored[name].as_array().unwrap().iter();
            list.map(|word| word.as_str().unwrap())
                .collect::<Vec<_>>()
                .join(",")
        };
        let scale = |name: &str| {
            format!(
                "{} {}",
                scored[name]["label"].as_str().unwrap(),
                scored[name]["score"]
            )
        };
        let seen = (
            words("missing"),
            scale("complexity"),
            scale("size"),
            words("gray_areas"),
        );
        let expected = (missing, complexity, size, areas);
        let expected = (
            expected.0.to_owned(),
            expected.1.to_owned(),
            expected.2.to_owned(),
            expected.3.to_owned(),
        );
        assert_eq!(seen, expected, "{prompt}");
        assert_eq!(scored["sufficient"], missing.is_empty(), "{prompt}");
    }
    assert_eq!(vectors, 11);
}

#[test]
fn an_idea_is_scored_for_people() {
    let bench = Bench::new();
    let card = bench.run(&["intake", "fix typo in README.md"]);
    assert_eq!(card.code, Some(0), "{card:?}");
    insta::assert_snapshot!(card.stdout, @"
    route       straight to work
    why         target, scope and intent are clear; it is a simple change
    missing     nothing
    complexity  low (-2)
    size        small (-3)
    language    en

    worth saying
      scope       How far may the change reach?        for example: only what the task needs
      target      Which part is it about?              for example: the whole project
      convention  Which conventions should it follow?  for example: those that the project has
      depth       How thorough should it be?           for example: as needed to work
    ");
}

#[test]
fn languages_and_flags_reach_the_route() {
    let bench = Bench::new();
    let hot = bench.json(&["intake", "sửa lỗi chính tả trong README.md"]);
    assert_eq!(
        (&hot["route"], &hot["language"]),
        (&"hot_path".into(), &"vi".into())
    );
    let unread = bench.json(&["intake", "thêm nút đăng xuất vào trang cài đặt"]);
    assert_eq!(unread["reasons"], json!(["language_not_scored"]));
    assert_eq!(unread["scored"], false);
    let forced = bench.json(&["intake", "update deps", "--force-council"]);
    assert_eq!(
        (&forced["route"], &forced["reasons"]),
        (&"council".into(), &json!(["force_council"]))
    );
    let short = bench.json(&["intake", "--max-sprints", "1", "build a chat platform"]);
    assert_eq!(short["complexity"]["score"], 1);
}

#[test]
fn an_idea_may_look_like_a_flag_or_come_from_a_pipe() {
    let bench = Bench::new();
    let flag = bench.json(&["intake", "--", "--json"]);
    assert_eq!(flag["missing"], json!(["target", "intent"]));
    let mut command = bench.command(&["--json", "intake", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"fix typo in README.md\n").unwrap();
    drop(input);
    let piped = ended(child);
    assert_eq!(piped.code, Some(0), "{piped:?}");
    assert!(piped.stdout.contains(r#""route":"hot_path""#), "{piped:?}");
    assert_eq!(bench.run(&["intake"]).code, Some(2));
}
