//! The files of memory, through the binary: redacted, compacted, taken out and in, looked over.

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::memory::{add, git, project, texts};

const TOKEN: &str = concat!("ghp", "_16C7e42F292c6912E7710c838347Ae178B4a");

fn id(item: &Value) -> &str {
    item["id"].as_str().unwrap()
}

/// A file of a month that is over, with these lines.
fn put(bench: &Bench, name: &str, lines: &[&str]) {
    let month = project(bench).join(".gavel/memory/2026-01");
    std::fs::create_dir_all(&month).unwrap();
    std::fs::write(month.join(name), lines.join("\n") + "\n").unwrap();
}

fn line(number: u32, text: &str) -> String {
    format!(
        r#"{{"event":"added","id":"01890a5d-ac96-774b-bcce-b302099a8{number:03}","at":"2026-01-15T12:00:00Z","item":"trp_01890a5d-ac96-774b-bcce-b302099a9{number:03}","text":"{text}","acceptance":"accepted"}}"#
    )
}

fn all_text(bench: &Bench) -> String {
    let mut all = String::new();
    let folder = project(bench).join(".gavel/memory");
    for month in std::fs::read_dir(folder).unwrap() {
        for file in std::fs::read_dir(month.unwrap().path()).unwrap() {
            all += &std::fs::read_to_string(file.unwrap().path()).unwrap();
        }
    }
    all
}

#[test]
fn words_are_redacted_and_history_is_named() {
    let bench = Bench::new();
    git(&bench, &["init", "-q", "-b", "main"]);
    let said = add(&bench, &["--kind", "feedback", "Ann earns too much"]);
    let fresh = add(&bench, &["--kind", "feedback", "Bob too"]);
    git(
        &bench,
        &[
            "add",
            &project(&bench)
                .join(said["file"].as_str().unwrap())
                .display()
                .to_string(),
        ],
    );
    git(&bench, &["commit", "-q", "-m", "said"]);
    let redacted = bench.json(&["memory", "redact", id(&said)]);
    assert_eq!(redacted["files"].as_array().unwrap().len(), 1, "{redacted}");
    let commit = redacted["in_history_since"].as_str().unwrap().to_owned();
    assert_eq!(commit.len(), 40, "{redacted}");
    assert!(!all_text(&bench).contains("Ann"));
    let again = bench.run(&["memory", "redact", id(&said)]);
    let note = format!(
        "still in git history since {}; rotate it",
        commit.get(..12).unwrap()
    );
    assert!(again.stderr.contains(&note), "{again:?}");
    let seen = bench.json(&["memory", "get", id(&said)]);
    assert_eq!(
        (&seen["state"], &seen["text"]),
        (&json!("redacted"), &json!(""))
    );
    let never = bench.json(&["memory", "redact", id(&fresh)]);
    assert_eq!(
        never["in_history_since"],
        Value::Null,
        "never committed: {never}"
    );
    let nobody = bench.run(&[
        "memory",
        "redact",
        "trp_01890a5d-ac96-774b-bcce-b302099a9999",
    ]);
    assert_eq!(nobody.code, Some(2), "{nobody:?}");
    let private = add(&bench, &["--kind", "plan", "--private", "leave on Monday"]);
    bench.json(&["memory", "redact", id(&private)]);
    assert!(
        !bench
            .run(&["memory", "export", "--all"])
            .stdout
            .contains("Monday")
    );
}

#[test]
fn a_secret_in_a_file_is_found_by_an_audit_and_taken_out() {
    let bench = Bench::new();
    put(
        &bench,
        "a.jsonl",
        &[&line(1, "fine"), &line(2, &format!("log in with {TOKEN}"))],
    );
    let listed = bench.run(&["memory", "list"]);
    assert!(
        listed.stdout.contains("fine") && !listed.stdout.contains("log in"),
        "{listed:?}"
    );
    assert_eq!(
        bench.json(&["memory", "search", "log in"])["items"],
        json!([])
    );
    let audit = bench.run(&["memory", "audit"]);
    assert!(
        audit
            .stdout
            .contains("2026-01/a.jsonl:2: the line holds a github token"),
        "{audit:?}"
    );
    assert!(!audit.stdout.contains(TOKEN), "{audit:?}");
    let data = bench.json(&["memory", "audit"]);
    assert_eq!(data["secrets"][0]["line"], 2, "{data}");
    let id = "trp_01890a5d-ac96-774b-bcce-b302099a9002";
    assert!(
        audit.stdout.contains(&format!("gavel memory redact {id}")),
        "{audit:?}"
    );
    bench.json(&["memory", "redact", id]);
    assert!(!all_text(&bench).contains(TOKEN));
    let after = bench.json(&["memory", "audit"]);
    assert_eq!(
        (&after["secrets"], &after["problems"]),
        (&json!([]), &json!([]))
    );
}

#[test]
fn an_audit_tells_doubles_stale_and_unused_items() {
    let bench = Bench::new();
    put(
        &bench,
        "a.jsonl",
        &[&line(1, "the server answers before it listens")],
    );
    add(
        &bench,
        &["--kind", "trap", "The server answers, before it listens!"],
    );
    let audit = bench.json(&["memory", "audit"]);
    assert_eq!(
        audit["duplicates"][0]["ids"].as_array().unwrap().len(),
        2,
        "{audit}"
    );
    assert_eq!(audit["stale"][0]["stale"], "unconfirmed", "{audit}");
    assert_eq!(audit["never_used"].as_array().unwrap().len(), 2, "{audit}");
    assert_eq!(
        (&audit["items"], &audit["cited_share"]),
        (&json!(2), &json!(0.0))
    );
    let people = bench.run(&["memory", "audit"]).stdout;
    assert!(people.contains("say the same: 1"), "{people}");
    assert!(people.contains("never used: 2"), "{people}");
}

#[test]
fn an_audit_counts_what_a_loop_was_given_and_cited() {
    let bench = Bench::new();
    add(
        &bench,
        &[
            "--kind",
            "trap",
            "the dispatcher package cannot import the store: cycles",
        ],
    );
    add(
        &bench,
        &[
            "--kind",
            "feedback",
            "extracting the dispatcher cost us a week",
        ],
    );
    let before = bench.json(&["memory", "audit"]);
    assert_eq!(
        before["never_used"].as_array().unwrap().len(),
        2,
        "{before}"
    );
    let question = "Should we extract the dispatcher into its own package?";
    let done = bench.run(&["ideate", question, "--model", "offline"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let after = bench.json(&["memory", "audit"]);
    assert_eq!(after["never_used"], json!([]), "{after}");
    assert!(after["cited"].as_u64().unwrap() > 0, "{after}");
    assert!(after["cited_share"].as_f64().unwrap() > 0.0, "{after}");
}

#[test]
fn months_that_are_over_become_one_file() {
    let bench = Bench::new();
    put(&bench, "a.jsonl", &[&line(1, "one")]);
    put(&bench, "b.jsonl", &[&line(2, "two"), &line(1, "one")]);
    put(&bench, "torn.jsonl", &["{\"event\":"]);
    add(&bench, &["--kind", "plan", "now"]);
    let before = bench.json(&["memory", "list", "--all"])["items"].clone();
    let done = bench.json(&["memory", "compact"]);
    assert_eq!(
        (&done["months"][0]["files"], &done["months"][0]["events"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(
        done["untouched"],
        json!([".gavel/memory/2026-01/torn.jsonl"])
    );
    let month = project(&bench).join(".gavel/memory/2026-01");
    assert_eq!(std::fs::read_dir(month).unwrap().count(), 2);
    assert_eq!(bench.json(&["memory", "list", "--all"])["items"], before);
    let again = bench.run(&["memory", "compact"]);
    assert!(again.stdout.contains("no month that is over"), "{again:?}");
}

#[test]
fn what_is_exported_is_imported_once() {
    let bench = Bench::new();
    let trap = add(&bench, &["--kind", "trap", "--tag", "http", "beware"]);
    add(&bench, &["--kind", "plan", "--propose", "go"]);
    bench.json(&["memory", "mark", id(&trap), "confirmed"]);
    let export = bench.run(&["memory", "export", "--all"]);
    assert_eq!(export.stdout.lines().count(), 3, "{export:?}");
    let file = bench.folder().join("all.jsonl");
    std::fs::write(&file, &export.stdout).unwrap();
    let other = bench.folder().join("other");
    std::fs::create_dir(&other).unwrap();
    let (other, file) = (other.to_str().unwrap(), file.to_str().unwrap());
    bench.json(&["-C", other, "init"]);
    let came = bench.json(&["-C", other, "memory", "import", file]);
    assert_eq!(
        (&came["new_events"], &came["known_events"]),
        (&json!(3), &json!(0))
    );
    assert_eq!(came["items"].as_array().unwrap().len(), 2, "{came}");
    let there = bench.json(&["-C", other, "memory", "list"]);
    let here = bench.json(&["memory", "list"]);
    assert_eq!(there["items"], here["items"], "ids, marks and all");
    assert_eq!(
        texts(&bench.json(&["-C", other, "memory", "list", "--proposed"])),
        ["go"]
    );
    let again = bench.json(&["-C", other, "memory", "import", file]);
    assert_eq!(
        (&again["new_events"], &again["known_events"]),
        (&json!(0), &json!(3))
    );

    let secret = export
        .stdout
        .replace("beware", TOKEN)
        .replace("trp_0", "trp_1");
    std::fs::write(file, secret.replace("\"id\":\"0", "\"id\":\"1")).unwrap();
    let refused = bench.run(&["-C", other, "memory", "import", file]);
    assert_eq!(refused.code, Some(6), "{refused:?}");
    assert!(!refused.stderr.contains(TOKEN), "{refused:?}");
    let missing = bench.run(&["memory", "import", "nowhere.jsonl"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
}

#[test]
fn a_redaction_says_where_it_could_not_look_and_which_loops_were_told() {
    let (project, [trap, ..]) = crate::ideate::known();
    let bench = &project.studio.bench;
    let looped = bench.json(&["ideate", crate::ideate::PROPOSAL]);
    let unused = project.remember("plan", "paint the bikeshed green");
    let redacted = bench.json(&["memory", "redact", &trap]);
    assert_eq!(
        redacted["in_runs"],
        json!([looped["loop_id"]]),
        "{redacted}"
    );
    let never = bench.json(&["memory", "redact", &unused]);
    assert_eq!(
        (&never["in_runs"], &never["too_large"]),
        (&json!([]), &json!([]))
    );
    let file = never["files"][0].as_str().unwrap();
    let large = project.folder().join(file).with_file_name("large.jsonl");
    std::fs::File::create(large)
        .unwrap()
        .set_len((64 << 20) + 1)
        .unwrap();
    let again = bench.run(&["memory", "redact", &trap]);
    assert!(again.stdout.contains("not everywhere"), "{again:?}");
    assert!(
        again
            .stderr
            .contains("large.jsonl is too large to look into"),
        "{again:?}"
    );
    assert!(
        again
            .stderr
            .contains("still in what runs or loops were told (1: "),
        "{again:?}"
    );
}
