//! `gavel seal approve`: a person looks at what `--yes` shipped. The seal behind it, its journal, its clone.

use gavel_domain::{Resumed, SealApproved, SealSigned, Sealed};
use gavel_testkit::{asked_for, git};
use serde_json::{Value, json};

use crate::attacks::damage::flip;
use crate::bench::{Ended, run_id};
use crate::killing::{Between, kill};
use crate::mcp_runs::Client;
use crate::product_hot::{project, users};
use crate::studio::Studio;
use crate::terminal::Terminal;

const RENAME: &str = "rename get_user to fetch_user in src/lib.rs";
const OTHER: &str = "01890a5d-ac96-774b-bcce-b302099a8058";
const RULE: &str = "[seal]\napprove_when = \"every_criterion_proven\"\n";

fn branch() -> String {
    format!("gavel/build-{}", run_id().short())
}

/// A small change that `--yes` shipped.
pub(crate) fn shipped() -> Studio {
    shipped_with("")
}

/// The same with these settings of the person.
fn shipped_with(settings: &str) -> Studio {
    let studio = Studio::offline();
    std::fs::write(studio.bench.own_file(), settings).unwrap();
    project(&studio, &users());
    let id = run_id().to_string();
    let done = studio.run(&["start", RENAME, "--run", &id, "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    studio
}

/// What `seal verify` says about the branch.
fn seal(studio: &Studio) -> Value {
    studio.bench.json(&["seal", "verify"])
}

fn git_in(studio: &Studio, args: &[&str]) -> String {
    git(&studio.bench.folder().join("project"), args)
}

/// Words, whatever lines they stand on.
fn flat(ended: &Ended) -> String {
    let words = ended.stdout.split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}

/// A terminal in which a person is asked.
fn asked(studio: &Studio, args: &[&str]) -> Terminal {
    let mut terminal = Terminal::open(studio.command(args), 120);
    let card = terminal.wait_for("Do you approve this result?");
    for told in [
        "Sealed, and nobody has looked at it",
        "--yes; nobody looked at the result",
        "council: a small change",
        "with your approval it is: conditional",
        "worktree add",
    ] {
        assert!(card.contains(told), "{told}: {card}");
    }
    terminal.wait_for("1–2 › ");
    terminal
}

#[test]
fn a_person_who_looks_later_seals_again_over_the_same_tree() {
    let studio = shipped();
    let id = run_id().to_string();
    let before = git_in(&studio, &["rev-parse", &branch()]);
    let sealed = seal(&studio);
    assert_eq!(sealed["approved_by"], "yes_flag", "{sealed:#}");
    nobody_but_a_person_approves(&studio, &id);
    // Who looks and is not convinced changes nothing.
    let mut terminal = asked(&studio, &["seal", "approve", &id]);
    terminal.press("2\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(3), "{shown}");
    assert!(!studio.look().holds("seal_approved"));
    assert_eq!(git_in(&studio, &["rev-parse", &branch()]), before);

    let mut terminal = asked(&studio, &["ship", &id]);
    terminal.press("1\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("sealed, conditional"), "{shown}");

    says_the_same_but_for_the_approval(&studio, &sealed, &before);
    told_everywhere(&studio, &id);

    // Twice is once.
    let tip = git_in(&studio, &["rev-parse", &branch()]);
    let twice = studio.run(&["seal", "approve", &id]);
    assert_eq!(twice.code, Some(0), "{twice:?}");
    assert!(
        twice.stdout.contains("a person approved it before"),
        "{twice:?}"
    );
    assert_eq!(git_in(&studio, &["rev-parse", &branch()]), tip);
    let seen = studio.look();
    assert_eq!(seen.facts::<SealApproved>().len(), 1);
    assert_eq!(
        (
            seen.facts::<SealSigned>().len(),
            seen.facts::<Sealed>().len()
        ),
        (2, 2)
    );
    compared_with_journals(&studio);
    shown_as_a_document(&studio);

    // Nobody approves what is not what was sealed.
    git_in(&studio, &["branch", "-q", "-f", &branch(), &before]);
    let moved = studio.run(&["seal", "approve", &id]);
    assert_eq!(moved.code, Some(8), "{moved:?}");
    // A journal that was altered behind the program's back is named.
    git_in(&studio, &["branch", "-q", "-f", &branch(), &tip]);
    flip(
        &studio,
        "\"reason\":\"yes_flag\"",
        "\"reason\":\"yes_flog\"",
    );
    let altered = studio.run(&["seal", "verify", "--journal"]);
    assert_eq!(altered.code, Some(5), "{altered:?}");
    assert!(
        altered.stdout.contains("DIFFERS: it was changed"),
        "{altered:?}"
    );
}

/// A flag, a pipe and a program are nobody who looks.
fn nobody_but_a_person_approves(studio: &Studio, id: &str) {
    for args in [
        &["seal", "approve", id][..],
        &["--yes", "seal", "approve", id],
        &["seal", "approve"],
        &["seal", "approve", &branch()],
        &["ship", id],
        &["--yes", "ship", id],
    ] {
        let refused = studio.run(args);
        assert_eq!(refused.code, Some(6), "{args:?} {refused:?}");
        assert!(refused.stdout.contains("nobody has looked"), "{refused:?}");
    }
    let flagged = studio.run(&["--yes", "seal", "approve", id]);
    assert!(
        flagged.stderr.contains("--yes is no approval"),
        "{flagged:?}"
    );
    let mut guest = Client::with(studio, &[]);
    let arguments = json!({"action": "ship", "run": id});
    let params = json!({"name": "gavel_control", "arguments": arguments});
    let answer = guest.ask("tools/call", &params).to_string();
    assert!(answer.contains("ship is for a person"), "{answer}");
    guest.hang_up();
}

/// One more commit, with one new file; what was judged is the same.
fn says_the_same_but_for_the_approval(studio: &Studio, sealed: &Value, before: &str) {
    assert_eq!(
        git_in(studio, &["rev-parse", &format!("{}^", branch())]),
        before
    );
    let changed = git_in(studio, &["diff", "--name-status", before, &branch()]);
    let build = run_id().short();
    assert_eq!(changed, format!("A\t.gavel/seal/{build}.2.dsse.json"));
    let again = seal(studio);
    assert_eq!(
        (&again["valid"], &again["signer"]),
        (&true.into(), &"known".into()),
        "{again:#}"
    );
    assert_eq!(again["approved_by"], "person", "{again:#}");
    let (old, new) = (
        &sealed["statement"]["predicate"],
        &again["statement"]["predicate"],
    );
    for same in [
        "judged_commit",
        "base_commit",
        "criteria",
        "commands",
        "spend",
        "score",
        "asks",
    ] {
        assert_eq!(old[same], new[same], "{same}");
    }
    assert_eq!(new["follows"]["commit"], before);
    let nobody = |seal: &Value| {
        seal["left_out"]
            .to_string()
            .contains("nobody looked at the result")
    };
    assert_eq!((nobody(old), nobody(new)), (true, false));
}

/// Check, review and status say who approved.
fn told_everywhere(studio: &Studio, id: &str) {
    let verified = studio.run(&["seal", "verify"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    for told in [
        "a person looked at the result and agreed",
        "shipped by --yes",
    ] {
        assert!(verified.stdout.contains(told), "{told}: {verified:?}");
    }
    let review = studio.run(&["review", id]);
    assert!(
        flat(&review).contains("approved it after it was sealed"),
        "{review:?}"
    );
    let status = studio.bench.json(&["status", id]);
    assert_eq!(status["state"], "sealed", "{status}");
    assert_eq!(status["approved_by"], "person", "{status}");
}

/// The journal of this run says the same; another one, and one that was altered, are named.
fn compared_with_journals(studio: &Studio) {
    let same = studio.run(&["seal", "verify", "--journal"]);
    assert_eq!(same.code, Some(0), "{same:?}");
    assert!(flat(&same).contains("says the same"), "{same:?}");
    let data = studio.bench.json(&["seal", "verify", "--journal"]);
    let parts = data["journal"]["parts"].as_array().unwrap();
    let outcomes: Vec<&Value> = parts.iter().map(|part| &part["outcome"]).collect();
    assert!(outcomes.iter().all(|one| *one == "same"), "{data:#}");
    let named: Vec<&str> = parts
        .iter()
        .filter_map(|part| part["part"].as_str())
        .collect();
    for part in [
        "idea",
        "asks",
        "verdict",
        "left_out",
        "refuted",
        "contracts",
        "proof",
    ] {
        assert!(named.contains(&part), "{part}: {named:?}");
    }
    // A machine without this run.
    let elsewhere = Studio::offline();
    let here = studio.bench.folder().join("project");
    let here = here.to_str().unwrap();
    let missing = elsewhere.run(&["-C", here, "seal", "verify", "--journal"]);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(
        missing.stderr.contains("holds no journal of run"),
        "{missing:?}"
    );
    // Another run's journal, named as if it were this one's.
    let idea = "a list of books";
    let another = studio.run(&["start", idea, "--into", "../other", "--run", OTHER]);
    assert_eq!(another.code, Some(3), "{another:?}");
    let named = format!("--journal={OTHER}");
    let told = studio.run(&["seal", "verify", &named]);
    assert_eq!(told.code, Some(5), "{told:?}");
    for part in [
        "DIFFERS: the seal is of run",
        "the journal has no gate that passed",
        "DIFFERS: the run was started with another idea, and nobody reworded it so",
        "the journal accounts for none",
        "the run signed nothing about this commit",
    ] {
        assert!(told.stdout.contains(part), "{part}: {told:?}");
    }
}

fn shown_as_a_document(studio: &Studio) {
    let shown = studio.run(&["seal", "show"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    for told in [
        "The seal of",
        "What was asked for",
        "Not covered, left out",
        "council: a small change",
        "a person looked and approved",
        "tests-still-pass",
        "before: conditional, shipped by --yes",
    ] {
        assert!(shown.stdout.contains(told), "{told}: {shown:?}");
    }
    let file = studio.bench.folder().join("seal.html");
    let path = file.to_str().unwrap();
    let written = studio.run(&["seal", "show", &branch(), "--html", path]);
    assert_eq!(written.code, Some(0), "{written:?}");
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(
        page.contains("What was asked for") && page.contains("<table"),
        "{page}"
    );
}

#[test]
fn an_approval_that_is_killed_is_finished_and_not_asked_for_again() {
    let studio = shipped();
    let id = run_id().to_string();
    let before = git_in(&studio, &["rev-parse", &branch()]);
    let mut terminal = asked(&studio, &["seal", "approve", &id]);
    terminal.press("1\n");
    let place = Between {
        near: "later-approval-1/approved",
        after: "later-approval-1/sign",
        before: "later-approval-1/sealed",
    };
    kill(&studio, terminal.into_child(), place);
    // Whoever comes next finishes it, without a terminal: the person has spoken.
    let finished = studio.run(&["resume", &id]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(
        finished.stdout.contains("sealed, conditional"),
        "{finished:?}"
    );
    let seen = studio.look();
    assert_eq!(seen.facts::<SealApproved>().len(), 1);
    assert_eq!(seen.facts::<Sealed>().len(), 2);
    assert!(seen.facts::<Resumed>().len() >= 2);
    let log = git_in(
        &studio,
        &["rev-list", "--count", &format!("{before}..{}", branch())],
    );
    assert_eq!(log, "1");
    let sealed = seal(&studio);
    assert_eq!(
        (&sealed["valid"], &sealed["approved_by"]),
        (&true.into(), &"person".into())
    );
}

#[test]
fn a_project_cannot_name_a_rule_and_one_that_does_not_hold_ships_nothing() {
    let studio = Studio::offline();
    std::fs::write(studio.bench.project_file(), RULE).unwrap();
    let refused = studio.run(&["status"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("seal.approve_when"), "{refused:?}");
    // What only a judge read is nothing that the rule goes by.
    let studio = shipped_with(RULE);
    let sealed = seal(&studio);
    assert_eq!(sealed["approved_by"], "yes_flag", "{sealed:#}");
    assert!(!studio.look().holds("policy_approved"));
    // A small change is repeated by the command that shows it.
    let rerun = studio.run(&["seal", "verify", "--rerun"]);
    assert_eq!(rerun.code, Some(0), "{rerun:?}");
    let told =
        "tests-still-pass same: `cargo test --workspace --no-fail-fast --offline` ends as it did";
    assert!(flat(&rerun).contains(told), "{rerun:?}");
}

#[test]
fn a_rule_of_the_persons_settings_ships_and_is_named() {
    if !asked_for("ideas") {
        return;
    }
    let studio = Studio::offline();
    std::fs::write(studio.bench.own_file(), RULE).unwrap();
    let done = studio.start(&["--yes", "--mini"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let sealed = studio.seal();
    assert_eq!(sealed["approved_by"], "policy", "{sealed:#}");
    let predicate = &sealed["statement"]["predicate"];
    assert_eq!(predicate["approval"]["rule"], "every_criterion_proven");
    assert_eq!(predicate["verdict"], "conditional");
    let shown = studio.run(&["-C", "made", "seal", "verify"]);
    let told = "the rule `every_criterion_proven` of the person's settings; nobody looked";
    assert!(shown.stdout.contains(told), "{shown:?}");
    assert!(studio.look().holds("policy_approved"));
    let journal = studio
        .bench
        .json(&["-C", "made", "seal", "verify", "--journal"]);
    assert_eq!(journal["journal"]["same"], true, "{journal:#}");
    let status = studio.bench.json(&["status", &run_id().to_string()]);
    assert_eq!(status["approved_by"], "policy", "{status}");
}
