//! What becomes of items, through the binary: edits, marks, statuses, time, places taken.

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::memory::{add, project, texts};

fn id(item: &Value) -> &str {
    item["id"].as_str().unwrap()
}

#[test]
fn an_item_is_edited_and_goes_its_way() {
    let bench = Bench::new();
    let plan = add(
        &bench,
        &["--kind", "plan", "--title", "cut", "extract the dispatcher"],
    );
    assert_eq!(
        (&plan["status"], &plan["label"]),
        (&json!("todo"), &json!("cut"))
    );
    let short = plan["short"].as_str().unwrap();
    let edited = bench.json(&[
        "memory",
        "edit",
        short,
        "--status",
        "in-progress",
        "--tag",
        "Core",
        "--path",
        "src/main.rs",
        "--text",
        "extract the dispatcher into a crate",
        "--expires",
        "30d",
    ]);
    assert_eq!(edited["id"], plan["id"]);
    assert_eq!(edited["status"], "in_progress");
    assert_eq!(
        (&edited["tags"], &edited["paths"]),
        (&json!(["core"]), &json!(["src/main.rs"]))
    );
    assert_eq!(edited["title"], "cut", "what is not named stays");
    assert!(edited["expires_at"].is_string(), "{edited}");
    let done = bench.json(&[
        "memory",
        "edit",
        short,
        "--status",
        "done",
        "--expires",
        "never",
    ]);
    assert_eq!(
        (&done["status"], &done["expires_at"]),
        (&json!("done"), &Value::Null)
    );
    assert_eq!(
        bench.json(&["memory", "list"])["items"],
        json!([]),
        "it is over"
    );
    let list = bench.json(&["memory", "list", "--status", "done"]);
    assert_eq!(texts(&list), ["extract the dispatcher into a crate"]);
    assert_eq!(
        bench.json(&["memory", "search", "dispatcher"])["items"],
        json!([])
    );
    let back = bench.run(&["memory", "edit", short, "--status", "todo"]);
    assert_eq!(back.code, Some(2), "{back:?}");
    assert!(back.stderr.contains("nothing follows that"), "{back:?}");
    for args in [
        &["--status", "approved"][..],
        &["--status", "lost"],
        &["--expires", "yesterday"],
        &["--expires", "2020-01-01"],
        &["--severity", "high"],
        &[],
    ] {
        let refused = bench.run(&[&["memory", "edit", short], args].concat());
        assert_eq!(refused.code, Some(2), "{args:?} {refused:?}");
    }
}

#[test]
fn marks_are_counted_and_shown() {
    let bench = Bench::new();
    let trap = add(&bench, &["--kind", "trap", "the lock is lost on sleep"]);
    for how in ["confirmed", "saved-me", "saved-me", "misled_me"] {
        let marked = bench.run(&["memory", "mark", id(&trap), how]);
        assert_eq!(marked.code, Some(0), "{marked:?}");
    }
    let seen = bench.json(&["memory", "get", id(&trap)]);
    assert_eq!(seen["marks"]["saved_me"]["count"], 2, "{seen}");
    assert_eq!(seen["marks"]["contradicted"]["count"], 0, "{seen}");
    assert_eq!(
        seen["updated_at"], seen["created_at"],
        "a mark changes nothing"
    );
    let card = bench.run(&["memory", "get", id(&trap)]).stdout;
    assert!(card.contains("saved 2 times, last on "), "{card}");
    bench.json(&["memory", "mark", id(&trap), "contradicted"]);
    let stale = bench.json(&["memory", "stale"]);
    assert_eq!(stale["items"][0]["stale"], "contradicted", "{stale}");
    let people = bench.run(&["memory", "list", "--stale"]);
    assert!(
        people.stdout.contains("somebody contradicted it"),
        "{people:?}"
    );
    for args in [
        &["nobody", "confirmed"][..],
        &[id(&trap), "liked"],
        &[id(&trap), "confirmed", id(&trap)],
        &[id(&trap), "superseded-by"],
        &[id(&trap), "superseded-by", id(&trap)],
    ] {
        let refused = bench.run(&[&["memory", "mark"], args].concat());
        assert_eq!(refused.code, Some(2), "{args:?} {refused:?}");
    }
}

#[test]
fn an_item_takes_the_place_of_another() {
    let bench = Bench::new();
    let old = add(&bench, &["--kind", "decision", "one process per build"]);
    let new = add(&bench, &["--kind", "decision", "one worker for all builds"]);
    let gone = bench.json(&["memory", "mark", id(&old), "superseded-by", id(&new)]);
    assert_eq!(gone["superseded_by"], new["id"]);
    assert_eq!(
        texts(&bench.json(&["memory", "list"])),
        ["one worker for all builds"]
    );
    let said = add(&bench, &["--kind", "feedback", "builds starve each other"]);
    let made = bench.json(&["memory", "promote", id(&said), "--kind", "trap"]);
    assert_eq!(
        (&made["kind"], &made["severity"]),
        (&json!("trap"), &json!("medium"))
    );
    assert_eq!(
        made["provenance"],
        json!({ "from": "item", "item": said["id"] })
    );
    let old = bench.json(&["memory", "get", id(&said)]);
    assert_eq!(old["superseded_by"], made["id"]);
    // Twice is once, and as one kind only.
    let again = bench.json(&["memory", "promote", id(&said), "--kind", "trap"]);
    assert_eq!((&again["id"], &again["file"]), (&made["id"], &Value::Null));
    let other = bench.run(&["memory", "promote", id(&said), "--kind", "plan"]);
    assert_eq!(other.code, Some(8), "{other:?}");
    assert!(other.stderr.contains(id(&made)), "{other:?}");
    let list = bench.json(&["memory", "list"]);
    let texts = texts(&list);
    let same = texts.iter().filter(|text| text.contains("starve"));
    assert_eq!(same.count(), 1, "{list}");
}

#[test]
fn what_is_over_is_not_written_down_twice() {
    let bench = Bench::new();
    let trap = add(&bench, &["--kind", "trap", "the port is taken"]);
    let files = || {
        let months = std::fs::read_dir(project(&bench).join(".gavel/memory")).unwrap();
        let files = months.flat_map(|month| std::fs::read_dir(month.unwrap().path()).unwrap());
        files.count()
    };
    for verb in ["retire", "redact"] {
        let first = bench.run(&["memory", verb, id(&trap)]);
        assert_eq!(first.code, Some(0), "{first:?}");
        let before = files();
        let again = bench.run(&["memory", verb, id(&trap)]);
        assert_eq!(again.code, Some(0), "{again:?}");
        assert!(again.stdout.contains("nothing was written"), "{again:?}");
        assert_eq!(files(), before, "{verb}");
    }
}

#[test]
fn a_card_says_what_holds_and_nothing_empty() {
    let bench = Bench::new();
    let note = add(&bench, &["--kind", "feedback", "--private", "it is slow"]);
    let listed = bench.run(&["memory", "list"]);
    assert!(listed.stdout.contains("private"), "{listed:?}");
    let card = |state: &str| {
        let got = bench.run(&["memory", "get", id(&note)]);
        let told = got.stdout;
        assert!(
            told.contains(&format!("state       {state}")) || state != "live",
            "{told}"
        );
        assert!(told.lines().all(|line| line.trim_end() == line), "{told}");
        for empty in ["tags", "about"] {
            assert!(!told.contains(empty), "{told}");
        }
        let written = told.lines().find(|line| line.starts_with("written"));
        assert!(written.is_some_and(|line| !line.contains('.')), "{told}");
        told
    };
    assert!(card("live").contains("status      active"));
    bench.json(&["memory", "retire", id(&note)]);
    let retired = card("retired");
    assert!(
        retired.contains("retired") && !retired.contains("active"),
        "{retired}"
    );
    bench.json(&["memory", "redact", id(&note)]);
    let redacted = card("redacted");
    assert!(redacted.contains("its words were taken out"), "{redacted}");
}

#[test]
fn what_ran_out_is_over() {
    let bench = Bench::new();
    let past = r#"{"event":"added","id":"01890a5d-ac96-774b-bcce-b302099a8001","at":"2026-01-15T12:00:00Z","item":"trp_01890a5d-ac96-774b-bcce-b302099a8057","text":"the certificate ends soon","expires_at":"2026-02-01T00:00:00Z","acceptance":"accepted"}"#;
    let month = project(&bench).join(".gavel/memory/2026-01");
    std::fs::create_dir_all(&month).unwrap();
    std::fs::write(month.join("a.jsonl"), past).unwrap();
    assert_eq!(bench.json(&["memory", "list"])["items"], json!([]));
    let stale = bench.json(&["memory", "list", "--stale"]);
    assert_eq!(stale["items"][0]["stale"], "expired", "{stale}");
    let seen = bench.json(&["memory", "get", "trp_099a8057"]);
    assert_eq!(seen["status"], "expired", "{seen}");
}

#[test]
fn alike_and_opposite_items_are_named_and_stop_nobody() {
    let bench = Bench::new();
    let yes = add(
        &bench,
        &[
            "--kind",
            "constraint",
            "--tag",
            "http",
            "always retry the upload of invoices",
        ],
    );
    assert_eq!(
        (&yes["similar"], &yes["contradicts"]),
        (&json!([]), &json!([]))
    );
    let no = [
        "memory",
        "add",
        "--kind",
        "decision",
        "--tag",
        "http",
        "never retry the upload of invoices",
    ];
    let people = bench.run(&no);
    assert_eq!(people.code, Some(0), "{people:?}");
    assert!(people.stderr.contains("similar: cst_"), "{people:?}");
    assert!(
        people
            .stderr
            .contains("may contradict (never / always): cst_"),
        "{people:?}"
    );
    let again = bench.json(&no);
    assert_eq!(again["similar"].as_array().unwrap().len(), 2, "{again}");
    assert_eq!(again["contradicts"][0]["id"], yes["id"], "{again}");
    assert_eq!(again["contradicts"][0]["how"], "high", "{again}");
}

#[test]
fn a_search_says_why() {
    let bench = Bench::new();
    add(
        &bench,
        &[
            "--kind",
            "trap",
            "--tag",
            "upload",
            "the second try doubles the order",
        ],
    );
    add(&bench, &["--kind", "decision", "dates are local"]);
    let found = bench.json(&["memory", "search", "upload order", "--explain"]);
    let item = &found["items"][0];
    assert_eq!(item["kind"], "trap", "{found}");
    assert!(item["score"].as_f64().unwrap() <= 1.0, "{item}");
    assert!(
        item["why"]["words"].as_array().unwrap().len() == 2,
        "{item}"
    );
    let people = bench.run(&["memory", "search", "upload order", "--explain"]);
    assert!(people.stdout.contains("score "), "{people:?}");
    assert!(people.stdout.contains("upload in tag"), "{people:?}");
    // The index is a cache: without it the same is found.
    std::fs::remove_dir_all(bench.state()).unwrap();
    let again = bench.json(&["memory", "search", "upload order", "--explain"]);
    assert_eq!(again["items"][0]["id"], item["id"]);
}
