//! Small changes to a project that is there: straight to work, on a branch, proven by its own tests.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use gavel_domain::{
    BreakerTripped, ErrorResolved, ErrorTracked, GateJudged, IntakeClassified, ModelReplied,
    RouteDecided, StageEntered,
};
use gavel_store::Store as _;
use gavel_testkit::{FakeReply, FakeServer, SeenRequest, fake_server, git, open_store};
use serde_json::{Value, json};

use crate::bench::{Ended, ended, run_id};
use crate::studio::{Served, Speaks, Studio, shape};

const MANIFEST: &str = "[package]\nname = \"users\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
const LOCK: &str = "version = 3\n\n[[package]]\nname = \"users\"\nversion = \"0.1.0\"\n";
const SOURCE: &str = "//! Users.\n\n/// A user by number.\npub fn get_user(id: u32) -> String {\n    \
    format!(\"user {id}\")\n}\n\n/// Two of them.\npub fn both() -> String {\n    \
    get_user(1) + &get_user(2)\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    \
    fn users_are_told() {\n        assert_eq!(both(), \"user 1user 2\");\n    }\n}\n";
const NO_MEMORY: &str = "memory: project memory was not asked";
const README: &str = "# Users\n\nYou will recieve a user by teh number.\n";

/// A project with a commit, in the folder that commands start in.
pub(crate) fn project(studio: &Studio, files: &[(&str, &str)]) -> PathBuf {
    let folder = studio.bench.folder().join("project");
    for (path, text) in files {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    git(&folder, &["init", "--quiet"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "-m", "first"]);
    folder
}

pub(crate) fn users() -> [(&'static str, &'static str); 5] {
    [
        ("Cargo.toml", MANIFEST),
        ("Cargo.lock", LOCK),
        ("src/lib.rs", SOURCE),
        ("README.md", README),
        (".gitignore", "/target\n"),
    ]
}

fn start(studio: &Studio, idea: &str, more: &[&str]) -> Ended {
    let id = run_id().to_string();
    studio.run(&[&["start", idea, "--run", &id], more].concat())
}

fn on_branch(folder: &std::path::Path, path: &str) -> String {
    let branch = format!("gavel/build-{}", run_id().short());
    git(folder, &["show", &format!("{branch}:{path}")])
}

/// What a person had is as it was.
fn untouched(folder: &std::path::Path, head: &str) {
    assert_eq!(git(folder, &["rev-parse", "HEAD"]), head);
    assert_eq!(git(folder, &["status", "--porcelain"]), "");
}

fn stages(studio: &Studio) -> Vec<String> {
    let entered = studio.look().facts::<StageEntered>();
    entered
        .into_iter()
        .map(|fact| fact.stage.word().to_owned())
        .collect()
}

fn seal(studio: &Studio) -> Value {
    let seal = studio.bench.json(&["seal", "verify"]);
    assert_eq!(seal["valid"], true, "{seal}");
    seal["statement"]["predicate"].clone()
}

#[test]
fn a_rename_becomes_a_sealed_branch_without_a_debate() {
    let studio = Studio::offline();
    let folder = project(&studio, &users());
    let head = git(&folder, &["rev-parse", "HEAD"]);
    let idea = "rename get_user to fetch_user in src/lib.rs";
    let ended = start(&studio, idea, &["--yes"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");

    untouched(&folder, &head);
    assert_eq!(
        on_branch(&folder, "src/lib.rs"),
        SOURCE.replace("get_user", "fetch_user").trim_end()
    );
    // What changed is shown, and how to see it again; what Gavel keeps for itself is not.
    for shown in ["+pub fn fetch_user(", "-pub fn get_user(", "git diff "] {
        assert!(ended.stdout.contains(shown), "{shown}: {ended:?}");
    }
    assert!(!ended.stdout.contains("b/.gavel/seal"), "{ended:?}");
    assert_eq!(
        stages(&studio),
        ["intake", "building", "gating", "sealing", "lessons"]
    );
    let routes = studio.look().facts::<RouteDecided>();
    assert_eq!(routes[0].route, "hot_path");
    assert_eq!(routes[0].reasons, ["sufficient", "low_complexity"]);
    assert!(routes[0].inputs.is_some(), "all inputs are kept");

    let predicate = seal(&studio);
    for id in ["assumption_ledger", "owner_customer"] {
        let mut conditions = predicate["conditions"].as_array().unwrap().iter();
        let condition = conditions.find(|one| one["id"] == id).unwrap();
        assert_eq!(condition["reason"], "not_applicable", "{condition}");
    }
    let criteria: Vec<_> = predicate["criteria"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["id"].as_str().unwrap(), one["holds"].as_bool().unwrap()))
        .collect();
    assert_eq!(
        criteria,
        [("tests-still-pass", true), ("change-made", true)],
        "{predicate}"
    );
    let asked = json!([{
        "id": "a1", "text": idea, "source": {"kind": "idea"},
        "standing": {"kind": "covered", "criteria": ["change-made"]},
    }]);
    assert_eq!(predicate["asks"], asked);
    says_who_worked_and_who_did_not(&predicate);
    let shown = studio.run(&["seal", "verify"]);
    assert!(shown.stdout.contains(" not applicable"), "{shown:?}");
}

/// Nobody audits what rules did to a file, and only who replied is among the models.
fn says_who_worked_and_who_did_not(predicate: &Value) {
    let left_out = predicate["left_out"].to_string();
    assert!(
        left_out.contains("audit: nobody audited the code"),
        "{left_out}"
    );
    assert!(!left_out.contains(NO_MEMORY), "{left_out}");
    let models = predicate["models"].as_array().unwrap();
    let replies = predicate["replies"].as_array().unwrap();
    for reply in replies {
        assert!(models.contains(&reply["model"]), "{reply} of {models:?}");
        assert!(reply["replies"].as_u64() > Some(0), "{reply}");
    }
    let replied = |model: &Value| replies.iter().any(|reply| reply["model"] == *model);
    assert!(models.iter().all(replied), "{models:?}: {replies:?}");
}

#[test]
fn a_typo_is_corrected_and_the_tests_stay_green() {
    let studio = Studio::offline();
    let folder = project(&studio, &users());
    let without_memory = ["--yes", "-c", "memory.inject=off"];
    let ended = start(&studio, "fix the typos in README.md", &without_memory);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let left_out = seal(&studio)["left_out"].to_string();
    assert!(left_out.contains(NO_MEMORY), "{left_out}");
    let fixed = "# Users\n\nYou will receive a user by the number.";
    assert_eq!(on_branch(&folder, "README.md"), fixed);
    let judged = studio.look().facts::<GateJudged>();
    assert!(judged.iter().all(|gate| gate.passed), "{judged:?}");
}

#[test]
fn contracts_that_are_there_are_held_to() {
    let studio = Studio::offline();
    let contract = (
        ".gavel/contracts/stack.md",
        "# Stack\n\nRust, no dependencies.\n",
    );
    let files = [&users()[..], &[contract]].concat();
    let folder = project(&studio, &files);
    let ended = start(&studio, "fix the typos in README.md", &["--yes"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let predicate = seal(&studio);
    let mut conditions = predicate["conditions"].as_array().unwrap().iter();
    let pinned = conditions
        .find(|one| one["id"] == "contracts_pinned")
        .unwrap();
    assert_eq!(
        (&pinned["holds"], &pinned["looked_at"]),
        (&json!(true), &json!(1)),
        "{pinned}"
    );
    assert_eq!(on_branch(&folder, contract.0), contract.1.trim_end());
}

#[test]
fn what_leaves_a_choice_asks_for_a_model_and_takes_other_words() {
    let studio = Studio::offline();
    let folder = project(&studio, &users());
    let head = git(&folder, &["rev-parse", "HEAD"]);
    let asked = start(&studio, "add a retry to the login endpoint", &["--yes"]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    untouched(&folder, &head);
    let id = run_id().to_string();
    let other = "rename both to two_users in src/lib.rs";
    let done = studio.run(&["answer", &id, other, "--resume", "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(on_branch(&folder, "src/lib.rs").contains("fn two_users()"));
}

#[test]
fn tests_that_were_red_before_are_a_persons_to_decide_about() {
    let studio = Studio::offline();
    let red = SOURCE.replace("\"user 1user 2\"", "\"nobody\"");
    let mut files = users();
    files[2].1 = &red;
    let folder = project(&studio, &files);
    let head = git(&folder, &["rev-parse", "HEAD"]);
    let asked = start(
        &studio,
        "rename both to two_users in src/lib.rs",
        &["--yes"],
    );
    assert_eq!(asked.code, Some(3), "{asked:?}");
    assert!(asked.stdout.contains("users_are_told"), "{asked:?}");
    assert_eq!(studio.look().facts::<ModelReplied>().len(), 0);
    let id = run_id().to_string();
    let stopped = studio.run(&["answer", &id, "stop", "--resume", "--yes"]);
    assert_eq!(stopped.code, Some(5), "{stopped:?}");
    untouched(&folder, &head);
}

#[test]
fn a_small_change_that_is_none_goes_through_the_council() {
    let studio = Studio::offline();
    let red = SOURCE.replace("\"user 1user 2\"", "\"nobody\"");
    let mut files = users();
    files[2].1 = &red;
    project(&studio, &files);
    let id = run_id().to_string();
    let idea = "rename both to two_users in src/lib.rs";
    assert_eq!(start(&studio, idea, &["--yes"]).code, Some(3));
    // The rules make the change, cannot mend what was broken before, and say so.
    let stuck = studio.run(&["answer", &id, "mend", "--resume", "--yes"]);
    assert_eq!(stuck.code, Some(3), "{stuck:?}");
    assert!(stuck.stdout.contains("The change is not done"), "{stuck:?}");
    let council = studio.run(&["answer", &id, "rethink", "--resume", "--yes"]);
    assert_eq!(council.code, Some(3), "{council:?}");
    assert!(
        council.stdout.contains("only write new programs"),
        "{council:?}"
    );
    assert_eq!(stages(&studio), ["intake", "building", "discovery"]);
}

/// Looks at the last record of the run until it is enough; returns the last one seen, zero before
/// there is one.
fn watch(studio: &Studio, mut is_enough: impl FnMut(u64) -> bool) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(async {
        while !studio.bench.state().join("gavel.db").exists() {
            if is_enough(0) {
                return 0;
            }
            tokio::task::yield_now().await;
        }
        let store = open_store(&studio.bench.state()).await;
        loop {
            let head = store.head(run_id()).await.unwrap();
            let at = head.map_or(0, |head| head.seq.0);
            if is_enough(at) {
                return at;
            }
            tokio::task::yield_now().await;
        }
    })
}

#[test]
fn a_change_that_was_killed_goes_on_where_it_was() {
    let studio = Studio::offline();
    let folder = project(&studio, &users());
    let id = run_id().to_string();
    let idea = "rename get_user to fetch_user in src/lib.rs";
    let mut kills = 0;
    loop {
        let at = watch(&studio, |_| true);
        let mut child = match at {
            0 => studio.spawn(&["start", idea, "--run", &id, "--yes"]),
            _ => studio.spawn(&["resume", &id, "--yes"]),
        };
        // Every eighth record or so; the moment between two looks is the machine's to choose.
        watch(&studio, |now| {
            now >= at + 8 || child.try_wait().unwrap().is_some()
        });
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        match ended(child) {
            done if done.code == Some(0) => break,
            killed => assert_eq!(killed.code, None, "{killed:?}"),
        }
        assert!(kills < 100, "it does not get on");
    }
    assert!(kills >= 2, "{kills} kills");
    assert!(on_branch(&folder, "src/lib.rs").contains("fetch_user(1)"));
    let branch = format!("gavel/build-{}", run_id().short());
    let log = git(&folder, &["log", "--format=%s", &branch]);
    assert_eq!(log.lines().count(), 3, "one change, one seal: {log}");
    seal(&studio);
}

/// A model that makes one change with one call, and judges it.
fn small_worker(change: Value) -> FakeServer {
    let rule =
        move |seen: &SeenRequest| {
            let asked = seen.rebuilt().request;
            match asked.answer.as_ref().and_then(|answer| shape(&answer.schema)) {
            Some("clarity") => {
                FakeReply::text(&json!({"clarity": "clear", "reason": "one button"}).to_string())
            }
            Some("judge") => FakeReply::text(
                &json!({"judgements": [{
                    "id": "change-made", "standing": "met", "why": "the line is there",
                    "evidence": [{"kind": "file", "name": change["path"], "line": 1, "exit": 0}],
                }]})
                .to_string(),
            ),
            Some(other) => FakeReply::status(400, &format!("nobody asks for {other}")),
            None if asked.messages.len() > 2 => FakeReply::text("Done."),
            None => FakeReply::calls(&[("call-1", "write_file", &change.to_string())]),
        }
        };
    fake_server().rule(rule).start()
}

fn led_by(server: &FakeServer) -> Studio {
    let settings = "[models]\npaid = \"agreed\"\n\
                    slots = { leader = \"small/rules\", stances = [] }\n";
    let model = Served {
        name: "small",
        server,
        speaks: Speaks::OpenAi,
    };
    Studio::with(settings, &[model])
}

#[test]
fn a_model_vouches_for_a_language_that_the_rules_do_not_read() {
    let change = json!({"path": "src/logout.rs", "content": "pub fn button() -> &'static str {\n    \"logging out\"\n}\n"});
    let server = small_worker(change);
    let studio = led_by(&server);
    let folder = project(&studio, &users());
    let ended = start(&studio, "thêm nút đăng xuất vào trang cài đặt", &["--yes"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let seen = studio.look();
    let said = seen.facts::<IntakeClassified>();
    assert_eq!(said[0].clarity.as_deref(), Some("clear"));
    let routes = seen.facts::<RouteDecided>();
    assert_eq!(routes[0].route, "hot_path");
    assert_eq!(routes[0].reasons, ["model_says_clear", "low_complexity"]);
    assert_eq!(routes[0].missing, ["target"], "by the letter");
    assert!(on_branch(&folder, "src/logout.rs").contains("logging out"));
    server.finish();
}

#[test]
fn offline_a_language_that_nobody_reads_goes_through_the_council() {
    let studio = Studio::offline();
    project(&studio, &users());
    let asked = start(&studio, "thêm nút đăng xuất vào trang cài đặt", &["--yes"]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let seen = studio.look();
    let said = seen.facts::<IntakeClassified>();
    assert_eq!(said[0].clarity.as_deref(), Some("vague"));
    let routes = seen.facts::<RouteDecided>();
    assert_eq!(
        (routes[0].route.as_str(), routes[0].reasons.as_slice()),
        ("council", &["language_not_scored".to_owned()][..])
    );
}

#[test]
fn nothing_that_could_be_tested_is_asked_about_before_any_model() {
    let server = small_worker(json!({"path": "main.c", "content": "int main() { return 1; }\n"}));
    let studio = led_by(&server);
    let folder = project(&studio, &[("main.c", "int main() { return 0; }\n")]);
    let head = git(&folder, &["rev-parse", "HEAD"]);
    let asked = start(&studio, "fix the exit code in src/main.rs", &["--yes"]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    assert_eq!(server.requests().len(), 0);
    let tripped = studio.look().facts::<BreakerTripped>();
    assert_eq!(
        (tripped[0].breaker.as_str(), tripped[0].reason.as_str()),
        ("cb_3", "no_recipe")
    );
    let id = run_id().to_string();
    let halted = studio.run(&["answer", &id, "stop", "--resume"]);
    assert_eq!(halted.code, Some(5), "{halted:?}");
    assert_eq!(server.requests().len(), 0);
    untouched(&folder, &head);
    server.finish();
}

#[test]
fn a_change_where_there_is_nothing_goes_through_the_council_with_a_question() {
    let studio = Studio::offline();
    let id = run_id().to_string();
    let idea = "fix typo in README.md";
    let asked = studio.run(&["start", idea, "--into", "made", "--run", &id, "--yes"]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let routes = studio.look().facts::<RouteDecided>();
    assert_eq!(
        (routes[0].route.as_str(), routes[0].reasons.as_slice()),
        ("council", &["nothing_to_change".to_owned()][..])
    );
}

/// A model whose first change breaks a test, and whose work a judge takes only in the second sprint.
fn clumsy_worker(judged: &'static AtomicUsize) -> FakeServer {
    let rule =
        move |seen: &SeenRequest| {
            let asked = seen.rebuilt().request;
            let task = seen.body.to_string();
            let write = |text: &str| {
                let change = json!({"path": "src/lib.rs", "content": text}).to_string();
                FakeReply::calls(&[("call-1", "write_file", &change)])
            };
            let shape = asked
                .answer
                .as_ref()
                .and_then(|answer| shape(&answer.schema));
            match shape {
            Some("judge") if judged.fetch_add(1, Ordering::SeqCst) == 0 => FakeReply::text(
                &json!({"judgements": [{
                    "id": "change-made", "standing": "unmet", "evidence": [],
                    "why": "GATE-SAYS: nobody greets",
                }]})
                .to_string(),
            ),
            Some("judge") => FakeReply::text(
                &json!({"judgements": [{
                    "id": "change-made", "standing": "met", "why": "it greets",
                    "evidence": [{"kind": "test", "name": "users_are_told", "line": 0, "exit": 0}],
                }]})
                .to_string(),
            ),
            Some(other) => FakeReply::status(400, &format!("nobody asks for {other}")),
            None if asked.messages.len() > 2 => FakeReply::text("Done."),
            None if task.contains("Mend what stands") => {
                assert!(task.contains("the test tests::users_are_told failed"), "{task}");
                write(&SOURCE.replace("Users.", "Users, greeted."))
            }
            None if task.contains("GATE-SAYS") => {
                write(&SOURCE.replace("Users.", "Users, greeted by name."))
            }
            None => write(&SOURCE.replace("user {id}", "hello {id}")),
        }
        };
    fake_server().rule(rule).start()
}

#[test]
fn what_failed_reaches_the_next_try() {
    static JUDGED: AtomicUsize = AtomicUsize::new(0);
    let server = clumsy_worker(&JUDGED);
    let studio = led_by(&server);
    let folder = project(&studio, &users());
    let id = run_id().to_string();
    let refused = start(&studio, "add a greeting to src/lib.rs", &["--yes"]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stdout.contains("nobody greets"), "{refused:?}");
    let seen = studio.look();
    assert_eq!(seen.facts::<ErrorTracked>().len(), 1);
    assert_eq!(seen.facts::<ErrorResolved>().len(), 1, "it was mended");

    let done = studio.run(&["answer", &id, "retry", "--resume", "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(on_branch(&folder, "src/lib.rs").starts_with("//! Users, greeted by name."));
    assert_eq!(
        stages(&studio),
        [
            "intake", "building", "gating", "building", "gating", "sealing", "lessons"
        ]
    );
    let gates: Vec<bool> = studio
        .look()
        .facts::<GateJudged>()
        .iter()
        .map(|gate| gate.passed)
        .collect();
    assert_eq!(gates, [false, true]);
    server.finish();
}

#[test]
fn whoever_says_what_to_change_is_not_asked_what_now() {
    let change = json!({"path": "src/logout.rs", "content": "pub fn button() -> &'static str {\n    \"logging out\"\n}\n"});
    let server = small_worker(change);
    let studio = led_by(&server);
    project(&studio, &users());
    let id = run_id().to_string();
    let open = |ended: &Ended| {
        assert_eq!(ended.code, Some(3), "{ended:?}");
        let told = ended.stdout.lines().last().unwrap_or_default();
        let told: Value = serde_json::from_str(told).unwrap();
        told["questions"][0]["id"].clone()
    };
    let asked = start(&studio, "fix typo in README.md", &["--json"]);
    assert_eq!(open(&asked), "gate-1/approval");
    let words = "say goodbye to whoever logs out";
    let again = studio.run(&["--json", "answer", &id, words, "--resume"]);
    assert_eq!(open(&again), "gate-2/approval");
    let heard = server.requests();
    let heard = heard
        .iter()
        .filter(|seen| seen.body.to_string().contains(words));
    assert!(heard.count() > 0, "the next try is told");
    server.finish();
}

#[test]
fn a_contract_that_cannot_be_read_is_not_passed_over() {
    let studio = Studio::offline();
    let folder = project(&studio, &users());
    let contracts = folder.join(".gavel/contracts");
    std::fs::create_dir_all(&contracts).unwrap();
    std::fs::write(contracts.join("stack.md"), [b'#', b' ', 0xff, 0xfe]).unwrap();
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "-m", "a contract"]);
    let idea = "rename get_user to fetch_user in src/lib.rs";
    let halted = start(&studio, idea, &["--yes"]);
    assert_eq!(halted.code, Some(1), "{halted:?}");
    for told in [
        ".gavel/contracts/stack.md is not UTF-8 text: no change can be held to that contract.",
        "Mend or remove the file, commit that, and start again.",
        "--force-council",
    ] {
        assert!(halted.stdout.contains(told), "{told}: {halted:?}");
    }
    assert_eq!(studio.look().facts::<ModelReplied>().len(), 0);
}
