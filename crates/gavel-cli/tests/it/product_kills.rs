//! Runs that are killed with -9 at named places: in the interview, in a sprint, in the gate. Whoever
//! resumes has other settings by then, which must not count.

use std::process::Child;

use gavel_domain::{
    CriteriaJudged, GateJudged, KeptTestsTried, OwnerReviewed, QuestionAnswered, Resumed, Sealed,
    SprintOpened, VerifyFinished,
};
use gavel_offline::Offline;
use gavel_testkit::{FakeServer, Gate, SeenRequest, fake_server, git, model_rule};

use crate::bench::{Ended, ended, run_id};
use crate::killing::{Between, keys_of, kill};
use crate::product_crash::{assert_no_reply_was_asked_for_again, comparable};
use crate::product_hot::{project, users};
use crate::seen::Seen;
use crate::studio::{IDEA, Served, Speaks, Studio, shape};

/// The run's own flags.
const OWN: [&str; 5] = [
    "--force-council",
    "--max-sprints",
    "6",
    "--done-threshold",
    "0.95",
];
/// What the person has set by the time that somebody resumes. One sprint would not be enough.
const OTHER: &str = "[run]\nmax_sprints = 1\ndone_threshold = \"0.7\"\nmax_hours = 1\n";
/// What the environment of whoever resumes says.
const ENVIRONMENT: [(&str, &str); 2] = [
    ("GAVEL_RUN_DONE_THRESHOLD", "1"),
    ("GAVEL_RUN_RECOMMENDER", "council"),
];

fn begin(studio: &Studio, more: &[&str]) -> Child {
    let id = run_id().to_string();
    let fixed = ["start", IDEA, "--into", "made", "--run", &id];
    studio.spawn(&[&fixed[..], &OWN, more].concat())
}

/// Goes on, with other settings in the environment and on the command line too.
fn resume(studio: &Studio, more: &[&str]) -> Child {
    let id = run_id().to_string();
    let other = ["resume", &id, "-c", "run.max_sprints=2"];
    let mut command = studio.command(&[&other[..], more].concat());
    command.envs(ENVIRONMENT).spawn().unwrap()
}

fn answer(studio: &Studio, words: &[&str]) -> Child {
    let id = run_id().to_string();
    studio.spawn(&[&["answer", &id][..], words].concat())
}

/// The run waits, and asks this.
fn assert_asks(ended: &Ended, text: &str) {
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(ended.stdout.contains(text), "{text}: {ended:?}");
}

/// How each drive found the run: true where the one before had died.
fn found_dead(seen: &Seen) -> Vec<bool> {
    let all = seen.facts::<Resumed>();
    all.iter().map(|resumed| resumed.unclean).collect()
}

/// The run has its own flags still, and whoever looks is told of the deaths.
fn assert_told(studio: &Studio, deaths: u32) {
    let id = run_id().to_string();
    let status = studio.bench.json(&["status", &id]);
    assert_eq!(status["unclean_resumes"], deaths, "{status}");
    assert_eq!(status["max_sprints"], 6, "{status}");
    let shown = studio.run(&["status", &id]).stdout;
    let told = format!("resumed after a crash, {deaths} times");
    assert!(shown.contains(&told), "{shown}");
    let review = studio.bench.json(&["review", &id]);
    assert_eq!(review["resumed"]["unclean"], deaths, "{review}");
    assert_eq!(review["limits"]["done_threshold"], 950, "{review}");
    let shown = studio.run(&["review", &id]).stdout;
    let told = format!("the program died {deaths} times and the run was taken up again");
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains(&told), "{shown}");
}

/// The rules behind HTTP, which say nothing before the gate opens.
fn slow_rules(gate: &Gate) -> FakeServer {
    let rules = model_rule(Offline, shape);
    let held = gate.clone();
    let answer = move |seen: &SeenRequest| rules(seen).gated(&held);
    fake_server().rule(answer).start()
}

/// Every card up to the spec, once.
fn interview_cards() -> Vec<String> {
    let questions = [
        "product-type",
        "target-platform",
        "audience",
        "backend-architecture",
        "backend-stack",
        "db-strategy",
        "frontend-approach",
        "ba-status",
        "design-status",
        "deployment",
    ];
    let questions = questions.map(|id| format!("discovery-1/question-{id}"));
    let mut cards = vec!["discovery-1/recommended".to_owned()];
    cards.extend(questions);
    cards.extend(["discovery-1/gate-1", "scoping-1/agreed"].map(str::to_owned));
    cards
}

/// The recorded answer is what a person said.
fn assert_person_said(studio: &Studio, question: &str, said: &str) {
    let review = studio.bench.json(&["review", &run_id().to_string()]);
    let answers = review["discovery"]["answers"].as_array().unwrap();
    let mut answers = answers.iter();
    let one = answers.find(|one| one["question"] == question).unwrap();
    assert_eq!(
        (&one["answer"], &one["source"]),
        (&said.into(), &"person".into())
    );
}

#[test]
fn what_was_answered_before_a_kill_is_not_asked_again() {
    let gate = Gate::closed();
    let server = slow_rules(&gate);
    let models = [Served {
        name: "left",
        server: &server,
        speaks: Speaks::Anthropic,
    }];
    let settings = "[models]\npaid = \"agreed\"\nslots = { leader = \"left/rules\" }\n";
    let studio = Studio::with(settings, &models);

    // While a model thinks that is paid for.
    let mut first = begin(&studio, &[]);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(server.until_waiting(1));
    first.kill().unwrap();
    assert_eq!(ended(first).code, None);
    gate.open();
    studio.set(&format!("{OTHER}{settings}"), &models);
    let asked = ended(resume(&studio, &[]));
    assert_asks(&asked, "Take them all?");
    let stays = "run.max_sprints is part of the run and stays as it began";
    assert!(asked.stderr.contains(stays), "{asked:?}");

    // Somebody answers, and whoever takes the answer dies before the next question.
    assert_asks(
        &ended(answer(&studio, &["one-by-one", "--resume"])),
        "What kind of product is it?",
    );
    assert_eq!(ended(answer(&studio, &["cli-tool"])).code, Some(0));
    let place = Between::long(
        "discovery-1/question-product-type",
        "discovery-1/question-target-platform:asked",
    );
    kill(&studio, resume(&studio, &[]), place);
    assert_asks(&ended(resume(&studio, &[])), "Where does it run?");

    // An answer that nobody took waits for whoever comes.
    let own = "a terminal in the library";
    assert_eq!(ended(answer(&studio, &[own])).code, Some(0));
    assert_asks(
        &ended(resume(&studio, &[])),
        "Who uses it, and how many are they?",
    );

    // The rest is taken as recommended; death comes when all is answered.
    let people = "two librarians at one desk";
    let place = Between::long("discovery-1/answers", "scoping-1/agreed:asked");
    let going = answer(&studio, &[people, "--resume", "--yes"]);
    kill(&studio, going, place);
    assert_asks(&ended(resume(&studio, &[])), "Build this?");

    let seen = studio.look();
    assert_eq!(keys_of(&seen.records, "question_asked"), interview_cards());
    assert_eq!(
        found_dead(&seen),
        [true, false, false, true, false, false, true]
    );
    assert_person_said(&studio, "product-type", "cli-tool");
    assert_person_said(&studio, "target-platform", own);
    assert_person_said(&studio, "audience", people);
    assert!(!seen.holds("input_drifted"), "every drive asked the same");
    assert_eq!(keys_of(&seen.records, "discovery_answered").len(), 1);
    assert_no_reply_was_asked_for_again(&server, &seen);
    assert_told(&studio, 3);
    server.finish();
}

#[test]
fn a_sprint_that_is_killed_again_and_again_ends_like_a_calm_one() {
    let calm = Studio::offline();
    let calm_driver = begin(&calm, &["--yes"]);
    let studio = Studio::offline();
    let mut driver = begin(&studio, &["--yes"]);
    for place in [
        // A sprint was opened, and nothing is done.
        Between::long("sprint-1/opened", "sprint-1/code-1/stage"),
        // Some files are written, others are not.
        Between::long("sprint-1/code-1/*/tool-5:tree", "sprint-1/verify-1/stage"),
        // Tests run.
        Between::long("sprint-1/verify-1/stage", "sprint-1/verify-1/verified"),
        // The work of a sprint becomes a commit.
        Between::long("sprint-2/commit-1/stage", "stage/gating"),
    ] {
        kill(&studio, driver, place);
        studio.set(OTHER, &[]);
        driver = resume(&studio, &["--yes"]);
    }
    let sealed = ended(driver);
    assert_eq!(sealed.code, Some(0), "{sealed:?}");
    let calm_end = ended(calm_driver);
    assert_eq!(calm_end.code, Some(0), "{calm_end:?}");

    let (seen, calm_seen) = (studio.look(), calm.look());
    assert_eq!(found_dead(&seen), [true; 4]);
    assert!(seen.facts::<SprintOpened>().len() > 1, "one is not enough");
    assert_eq!(comparable(&seen), comparable(&calm_seen));
    assert_eq!(seen.settled, calm_seen.settled, "every reply came once");
    assert_eq!(studio.tree(), calm.tree());
    assert_eq!(studio.branch(), calm.branch());
    assert_eq!(studio.seal()["valid"], true);
    assert_told(&studio, 4);
}

#[test]
fn a_proof_that_is_killed_again_and_again_proves_the_same() {
    let calm = Studio::offline();
    let calm_driver = begin(&calm, &["--yes"]);
    let studio = Studio::offline();
    let mut driver = begin(&studio, &["--yes"]);
    for place in [
        // The program of the examples is built.
        Between::long("proof-1/work", "proof-1/example-1"),
        // Some examples are executed, others are not.
        Between::long("proof-1/example-3", "proof-1/example-14"),
        // Faults are planted.
        Between::long("proof-1/example-14", "proof-1/test-1"),
        // Some tests were tried with them.
        Between::long("proof-1/test-2", "proof-1/test-14"),
    ] {
        kill(&studio, driver, place);
        driver = resume(&studio, &["--yes"]);
    }
    let sealed = ended(driver);
    assert_eq!(sealed.code, Some(0), "{sealed:?}");
    let calm_end = ended(calm_driver);
    assert_eq!(calm_end.code, Some(0), "{calm_end:?}");

    let (seen, calm_seen) = (studio.look(), calm.look());
    assert_eq!(comparable(&seen), comparable(&calm_seen));
    assert_eq!(studio.tree(), calm.tree());
    assert_eq!(studio.seal()["valid"], true);
    let worktrees = studio.bench.state().join("worktrees");
    for project in std::fs::read_dir(worktrees).unwrap() {
        let left: Vec<_> = std::fs::read_dir(project.unwrap().path())
            .unwrap()
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn a_gate_that_is_killed_judges_once_and_asks_once() {
    let studio = Studio::offline();
    assert_asks(&ended(begin(&studio, &[])), "Take them all?");
    let spec = ended(answer(&studio, &["take-all", "--resume"]));
    assert_asks(&spec, "Build this?");

    // The tests of the gate run.
    let place = Between::long("stage/gating", "gate-1/verify-1/verify");
    kill(&studio, answer(&studio, &["agree", "--resume"]), place);
    studio.set(OTHER, &[]);
    // Owner and customer have spoken, and nobody was asked for the last word.
    let place = Between {
        near: "gate-1/judging-1/criteria",
        after: "gate-1/owner-1/reviewed",
        before: "gate-1/approval:asked",
    };
    kill(&studio, resume(&studio, &[]), place);
    let last_word = ended(resume(&studio, &[]));
    assert_asks(&last_word, "at least 950 are asked for");
    // The last word is said, and the seal is signed but not yet a commit.
    assert_eq!(ended(answer(&studio, &["ship"])).code, Some(0));
    let place = Between {
        near: "gate-1/judged",
        after: "seal-1/sign",
        before: "seal-1/commit",
    };
    kill(&studio, resume(&studio, &[]), place);
    let sealed = ended(resume(&studio, &[]));
    assert_eq!(sealed.code, Some(0), "{sealed:?}");

    let seen = studio.look();
    assert_eq!(found_dead(&seen), [false, false, true, true, false, true]);
    assert_eq!(
        keys_of(&seen.records, "question_asked"),
        [
            "discovery-1/recommended",
            "scoping-1/agreed",
            "gate-1/approval"
        ]
    );
    let answers = seen.facts::<QuestionAnswered>();
    assert!(answers.iter().all(|one| !one.assumed), "{answers:?}");
    let [gate] = seen.facts::<GateJudged>().try_into().unwrap();
    assert!(gate.passed, "{gate:?}");
    let judged = seen.facts::<CriteriaJudged>();
    assert_eq!(judged.iter().filter(|one| one.sprint == 0).count(), 1);
    assert_eq!(seen.facts::<OwnerReviewed>().len(), 1);
    let sprints = seen.facts::<SprintOpened>().len();
    assert_eq!(seen.facts::<VerifyFinished>().len(), sprints + 1);
    let [end] = seen.facts::<Sealed>().try_into().unwrap();
    let made = studio.bench.folder().join("project/made");
    assert_eq!(git(&made, &["rev-parse", &end.branch]).trim(), end.commit);
    let seals = ["log", "--format=%H", &end.branch, "--", ".gavel/seal"];
    assert_eq!(git(&made, &seals).trim(), end.commit, "one seal");
    assert_eq!(studio.seal()["valid"], true);
    assert_told(&studio, 3);
}

#[test]
fn a_small_change_that_is_killed_ends_like_a_calm_one() {
    let id = run_id().to_string();
    let begin = |studio: &Studio| {
        let folder = project(studio, &users());
        let idea = "rename get_user to fetch_user in src/lib.rs";
        (
            folder,
            studio.spawn(&["start", idea, "--run", &id, "--yes"]),
        )
    };
    let calm = Studio::offline();
    let (_, calm_driver) = begin(&calm);
    let studio = Studio::offline();
    let (folder, mut driver) = begin(&studio);
    for place in [
        // It is changed in the working tree alone.
        Between {
            near: "hot-1/stage-code-0",
            after: "hot-1/round-1/work-1/*/tool-1:tree",
            before: "hot-1/round-1/commit-1/made",
        },
        // Its tests run.
        Between::long("hot-1/stage-verify-0", "hot-1/round-1/verify-1/verify"),
        // The tests of the gate run.
        Between::long("stage/gating", "gate-1/verify-1/verify"),
        // Faults are planted for the tests from before the run.
        Between::long("proof-1/kept-tests", "proof-1/kept-faults"),
    ] {
        kill(&studio, driver, place);
        studio.set(OTHER, &[]);
        driver = resume(&studio, &["--yes"]);
    }
    for driver in [driver, calm_driver] {
        let sealed = ended(driver);
        assert_eq!(sealed.code, Some(0), "{sealed:?}");
    }
    let (seen, calm_seen) = (studio.look(), calm.look());
    assert_eq!(found_dead(&seen), [true; 4]);
    assert_eq!(comparable(&seen), comparable(&calm_seen));
    assert_eq!(seen.facts::<KeptTestsTried>().len(), 1);
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
    let branch = seen.facts::<Sealed>().remove(0).branch;
    let added = format!("HEAD..{branch}");
    let commits = git(&folder, &["rev-list", "--count", &added]);
    assert_eq!(commits.trim(), "2", "the change and its seal");
    assert_eq!(studio.bench.json(&["seal", "verify"])["valid"], true);
}
