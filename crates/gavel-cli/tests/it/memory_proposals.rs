//! Proposals, private items and those of one machine, through the binary: they stay out of the
//! repository until somebody accepts them.

use serde_json::{Value, json};

use crate::bench::{Bench, ended};
use crate::council::end_of;
use crate::memory::{add, project, texts};

fn files(bench: &Bench) -> usize {
    let Ok(months) = std::fs::read_dir(project(bench).join(".gavel/memory")) else {
        return 0;
    };
    let inside = months.map(|month| std::fs::read_dir(month.unwrap().path()).unwrap().count());
    inside.sum()
}

fn id(item: &Value) -> &str {
    item["id"].as_str().unwrap()
}

#[test]
fn a_proposal_is_accepted_with_its_id_or_refused() {
    let bench = Bench::new();
    let [one, two, three] =
        ["one", "two", "three"].map(|text| add(&bench, &["--kind", "decision", "--propose", text]));
    assert_eq!(
        (&one["acceptance"], &one["file"]),
        (&json!("proposed"), &Value::Null)
    );
    assert_eq!(files(&bench), 0, "nothing is kept unasked");
    let proposed = bench.json(&["memory", "list", "--candidates"]);
    assert_eq!(texts(&proposed), ["one", "two", "three"]);
    let found = bench.json(&["memory", "search", "two"]);
    assert_eq!(found["items"][0]["id"], two["id"], "people find proposals");

    let kept = bench.json(&["memory", "accept", id(&one), two["short"].as_str().unwrap()]);
    assert_eq!(kept["items"][1]["changed"], true, "{kept}");
    assert_eq!(kept["items"][1]["id"], two["id"], "{kept}");
    assert_eq!(files(&bench), 2);
    let again = bench.json(&["memory", "accept", id(&one)]);
    assert_eq!(again["items"][0]["changed"], false, "{again}");
    let refused = bench.run(&["memory", "reject", id(&three)]);
    assert!(refused.stdout.contains("refused: three"), "{refused:?}");
    assert_eq!(files(&bench), 2, "a refused proposal leaves no file");
    let proposed = bench.json(&["memory", "list", "--proposed"]);
    assert_eq!(proposed["items"], json!([]));
    assert_eq!(texts(&bench.json(&["memory", "list"])), ["one", "two"]);
    assert_eq!(texts(&bench.json(&["memory", "list", "--all"])).len(), 3);
    let turned = bench.run(&["memory", "reject", id(&one)]);
    assert_eq!(turned.code, Some(8), "{turned:?}");

    // Whoever has the repository alone has what was accepted.
    std::fs::remove_dir_all(bench.state()).unwrap();
    let list = bench.json(&["memory", "list", "--all"]);
    assert_eq!(texts(&list), ["one", "two"]);
    assert_eq!(list["items"][0]["acceptance"], "accepted");
}

#[test]
fn what_is_private_or_of_this_machine_stays_out_of_the_repository() {
    let bench = Bench::new();
    let mine = add(
        &bench,
        &["--kind", "feedback", "--private", "I dislike tabs"],
    );
    let here = add(
        &bench,
        &["--kind", "runtime_note", "--machine", "the disk is slow"],
    );
    assert_eq!(
        (&mine["visibility"], &here["visibility"]),
        (&json!("private"), &json!("machine"))
    );
    bench.json(&["memory", "edit", id(&here), "--tag", "disk"]);
    bench.json(&["memory", "mark", id(&mine), "confirmed"]);
    assert_eq!(files(&bench), 0);
    let list = bench.json(&["memory", "list"]);
    assert_eq!(texts(&list), ["I dislike tabs", "the disk is slow"]);
    let export = bench.run(&["memory", "export"]);
    assert_eq!(export.stdout, "", "not even by an export");
    assert_eq!(
        bench
            .run(&["memory", "export", "--all"])
            .stdout
            .lines()
            .count(),
        4
    );
    let both = bench.run(&[
        "memory",
        "add",
        "--kind",
        "plan",
        "--private",
        "--machine",
        "x",
    ]);
    assert_eq!(both.code, Some(2), "{both:?}");
    // Another project has another memory.
    let other = bench.folder().join("other");
    std::fs::create_dir(&other).unwrap();
    let other = other.to_str().unwrap();
    bench.json(&["-C", other, "init"]);
    assert_eq!(
        bench.json(&["-C", other, "memory", "list"])["items"],
        json!([])
    );
}

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let bench = Bench::new();
    let shared = ["memory", "add", "--kind", "trap", "for all"];
    let private = ["memory", "add", "--kind", "trap", "--private", "for me"];
    let proposed = ["memory", "add", "--kind", "trap", "--propose", "for later"];
    let children: Vec<_> = (0..3)
        .flat_map(|_| [&shared[..], &private, &proposed])
        .map(|args| bench.spawn(args))
        .collect();
    for child in children {
        let added = ended(child);
        assert_eq!(added.code, Some(0), "{added:?}");
    }
    let list = bench.json(&["memory", "list"]);
    let mut texts = texts(&list);
    texts.sort_unstable();
    let expected = ["for all", "for later", "for me"].map(|text| [text; 3]);
    assert_eq!(texts, expected.concat());
}

#[test]
fn refusals_name_the_next_step() {
    let bench = Bench::new();
    for args in [
        &["accept", "trp_nobody"][..],
        &["reject", "dec_01890a5d-ac96-774b-bcce-b302099a8057"],
        &["accept"],
        &["accept", "12345678", "two"],
        &["promote", "nobody"],
    ] {
        let refused = bench.run(&[&["memory"], args].concat());
        assert_eq!(refused.code, Some(2), "{args:?} {refused:?}");
    }
    let nobody = bench.run(&["memory", "accept", "nope"]);
    let proposed = "gavel memory list --proposed";
    assert!(nobody.stderr.contains(proposed), "{nobody:?}");
    let outside = bench.run(&[
        "memory",
        "add",
        "--kind",
        "trap",
        "--path",
        "/etc/hosts",
        "x",
    ]);
    assert!(outside.stderr.contains("lies outside of"), "{outside:?}");
    assert!(!outside.stderr.contains("prefix"), "{outside:?}");
    let one = add(&bench, &["--kind", "plan", "--propose", "go"]);
    // The end of an item's id is enough here as well.
    let two = add(&bench, &["--kind", "plan", "--propose", "stay"]);
    let end = end_of(id(&two));
    let refused = bench.json(&["memory", "reject", end]);
    assert_eq!(refused["items"][0]["acceptance"], "rejected", "{refused}");
    let kept = bench.json(&["memory", "promote", id(&one)]);
    assert_eq!(
        (&kept["acceptance"], &kept["changed"]),
        (&json!("accepted"), &json!(true))
    );
}

#[test]
fn what_is_accepted_is_shown_before_it_is_kept_and_who_changed_it() {
    let bench = Bench::new();
    let texts = ["first words", "other words"];
    let one = add(&bench, &["--kind", "plan", "--propose", texts[0]]);
    let untouched = bench.run(&["memory", "list", "--proposed"]);
    assert!(!untouched.stdout.contains("changed by"), "{untouched:?}");
    bench.json(&[
        "memory",
        "edit",
        id(&one),
        "--text",
        "other words\nand more",
    ]);
    let listed = bench.run(&["memory", "list", "--proposed"]);
    assert!(listed.stdout.contains("(changed by person)"), "{listed:?}");
    let got = bench.run(&["memory", "get", id(&one)]);
    assert!(got.stdout.contains("changed by"), "{got:?}");
    let kept = bench.run(&["memory", "accept", id(&one)]);
    let shown = kept.stdout.find("about to be kept (changed by person):");
    let whole = kept.stdout.find("  other words\n  and more\n");
    let told = kept.stdout.find("  kept: other words");
    assert!(shown.is_some() && shown < whole && whole < told, "{kept:?}");
    let again = bench.json(&["memory", "accept", id(&one)]);
    let item = &again["items"][0];
    assert_eq!(item["text"], "other words\nand more", "{again}");
    assert_eq!(item["changed_by"]["role"], "person", "{again}");
}
