//! `gavel scout` through the real binary: text, JSON, SARIF, a page, what changed, a plan, exit codes.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::bench::Bench;

/// A small shop with one secret in it.
fn shop(bench: &Bench) -> PathBuf {
    let place = bench.folder().join("shop");
    write(&place, "README.md", "# Shop\n");
    write(&place, "requirements.txt", "flask==3.0.3\nredis\n");
    write(
        &place,
        "shop/api/app.py",
        "from shop.store import db\n\n\n@app.get('/items')\ndef items():\n    return db.all()\n",
    );
    write(&place, "shop/store/db.py", "def all():\n    return []\n");
    let token = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6";
    write(
        &place,
        "shop/store/key.py",
        &format!("KEY = \"ghp_{token}\"\n"),
    );
    place
}

fn write(place: &Path, name: &str, text: &str) {
    let file = place.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_repository_is_looked_at_then_what_changed_in_it() {
    let bench = Bench::new();
    let place = shop(&bench);
    let folder = place.to_str().unwrap();

    let deep = bench.run(&["scout", folder, "--json"]);
    assert_eq!(
        deep.code,
        Some(5),
        "a secret fails the command: {}",
        deep.stderr
    );
    assert!(
        deep.stderr.contains("no scan of this folder yet"),
        "{}",
        deep.stderr
    );
    assert!(
        !deep.stdout.contains("aB3dE6gH9"),
        "the secret is not shown"
    );
    let deep = json(&deep.stdout);
    assert_eq!(deep["schema"], "gavel/scout/v1");
    assert_eq!(deep["depth"], "deep");
    assert_eq!(deep["survey"]["routes"][0]["address"], "/items");
    let edge = &deep["survey"]["imports"]["edges"][0]["evidence"];
    assert_eq!(
        (&edge["path"], &edge["line"]),
        (&"shop/api/app.py".into(), &1.into())
    );
    let secret = &deep["findings"][0];
    assert_eq!(secret["check"], "secret");
    assert_eq!(secret["evidence"]["path"], "shop/store/key.py");

    std::fs::remove_file(place.join("shop/store/key.py")).unwrap();
    write(&place, "shop/new.py", "x = 1\n");
    let quick = bench.run(&["scout", folder, "--json"]);
    assert_eq!(quick.code, Some(0), "{}", quick.stderr);
    let quick = json(&quick.stdout);
    assert_eq!(quick["depth"], "quick");
    assert_eq!(quick["added"], serde_json::json!(["shop/new.py"]));
    assert_eq!(quick["removed"], serde_json::json!(["shop/store/key.py"]));
    let again = json(&bench.run(&["scout", folder, "--json"]).stdout);
    assert_eq!(again["added"], serde_json::json!([]));

    let text = bench.run(&["scout", folder, "--deep"]);
    assert_eq!(text.code, Some(0));
    for wanted in [
        "Flask",
        "3.0.3",
        "S010",
        "requirements.txt#L2",
        "## Module map",
    ] {
        assert!(text.stdout.contains(wanted), "{wanted}: {}", text.stdout);
    }
    assert!(
        !place.join(".gavel").exists(),
        "nothing is written into the repository"
    );
}

#[test]
fn findings_are_sarif_and_a_page_and_a_plan() {
    let bench = Bench::new();
    let place = shop(&bench);
    let folder = place.to_str().unwrap();
    let sarif = bench.run(&["scout", "--deep", "--sarif", folder]);
    assert_eq!(sarif.code, Some(5));
    let sarif = json(&sarif.stdout);
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "S002");

    let page = bench.folder().join("scout.html");
    let wrote = bench.run(&["scout", folder, "--html", page.to_str().unwrap()]);
    assert_eq!(wrote.code, Some(5));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains("<svg") && page.contains("shop/api imports shop/store: 1"),
        "{page}"
    );

    let plan = bench.run(&["scout", "plan", folder, "--json"]);
    assert_eq!(plan.code, Some(0), "{}", plan.stderr);
    let plan = json(&plan.stdout);
    assert_eq!(plan["schema"], "gavel/renovation_plan/v1");
    assert_eq!(plan["tasks"][0]["check"], "secret");
    let flask = plan["versions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|line| line["package"] == "flask")
        .unwrap();
    assert_eq!(flask["latest"]["source"], "unknown");
}

#[test]
fn what_is_no_folder_is_wrong_usage() {
    let bench = Bench::new();
    let ended = bench.run(&["scout", "nowhere-at-all"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("is not a folder"), "{}", ended.stderr);
}
