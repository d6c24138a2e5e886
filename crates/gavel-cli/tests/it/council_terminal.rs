//! A person at a terminal after a debate: asks on, has a plan made, agrees to it, and every step of it
//! becomes a run.

use gavel_domain::ProductBrief;
use gavel_domain::{DebateClosed, Seq};
use gavel_offline::Offline;
use gavel_store::{HeadsQuery, Store as _};
use gavel_testkit::{FakeReply, FakeServer, SeenRequest, fake_server, git, model_rule, open_store};
use serde_json::{Value, json};

use crate::bench::run_id;
use crate::council::{Project, TOPIC, end_of};
use crate::council_debate::{convened, leader_says, seat};
use crate::seen::Seen;
use crate::studio::shape;
use crate::terminal::Terminal;

/// Leads councils by script, and builds by rules.
fn builder() -> FakeServer {
    let rules = model_rule(Offline, shape);
    let rule = move |seen: &SeenRequest| {
        let answer = seen.rebuilt().request.answer;
        let name = answer.map(|answer| answer.name).unwrap_or_default();
        let says = match name.as_str() {
            "council_action_plan" => json!({
                "steps": [
                    {"description": "a bookmark manager with tags", "priority": "high"},
                    {"description": "a notes program with a search", "priority": "low"},
                ],
                "prerequisites": [],
            }),
            "council_research_need" => leader_says("need"),
            name => match name.strip_prefix("council_") {
                Some(name) => leader_says(name),
                None => return rules(seen),
            },
        };
        FakeReply::text(&says.to_string())
    };
    fake_server().rule(rule).start()
}

/// Runs of the store, the newest first: their ids and states.
fn runs(project: &Project) -> Vec<(String, String)> {
    let status = project.studio.bench.json(&["status"]);
    let runs = status["runs"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    runs.map(|run| (text(&run["run"]), text(&run["state"])))
        .collect()
}

/// The commits that builds began with, by the idea's first word.
fn bases(project: &Project) -> Vec<(String, String)> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = open_store(&project.studio.bench.state()).await;
        let query = HeadsQuery {
            project: None,
            unfinished: false,
            limit: 100,
        };
        let mut bases = Vec::new();
        for head in store.heads(query).await.unwrap() {
            if head.driver != gavel_product::DRIVER {
                continue;
            }
            let first = store.records(head.run, Seq::ZERO, 1).await.unwrap();
            let started: gavel_domain::RunStarted = first[0].read().unwrap();
            let text = store.blob(started.brief.unwrap().digest).await.unwrap();
            let brief: ProductBrief = serde_json::from_slice(&text.unwrap()).unwrap();
            let idea = brief.idea.lines().next().unwrap().to_owned();
            bases.push((idea, brief.base));
        }
        bases.sort();
        bases
    })
}

/// A council wrote the step, and a person approved it: the seal says just that.
fn no_person_is_said_to_have_written_a_step(project: &Project, branch: &str) {
    let seal = project.studio.bench.json(&["seal", "verify", branch]);
    let asks = seal["statement"]["predicate"]["asks"].as_array().unwrap();
    assert!(!asks.is_empty(), "{seal:#}");
    let sources: Vec<&Value> = asks.iter().map(|ask| &ask["source"]["kind"]).collect();
    assert!(
        sources.iter().all(|kind| **kind == "plan_step"),
        "{sources:?}"
    );
    let shown = project.studio.run(&["seal", "verify", branch]);
    let whose = "asked by a step of a plan that a person approved";
    assert!(shown.stdout.contains(whose), "{shown:?}");
}

#[test]
fn a_plan_is_carried_out_after_a_person_agreed_and_no_step_begins_twice() {
    let project = Project::new();
    let left = seat("A", &["README.md:1"], "One file is enough.");
    let right = seat("A", &["README.md:1"], "One file it is.");
    let lead = builder();
    convened(&project.studio, [&left, &right], &lead);
    let id = run_id().to_string();
    let args = ["council", TOPIC, "--run", &id, "--no-clarify"];
    let mut terminal = Terminal::open(project.studio.command(&args), 100);
    terminal.wait_for("What now?");
    terminal.wait_for("› ");
    terminal.press("and what about backups?\n");
    terminal.wait_for("What now?");
    terminal.wait_for("› ");
    terminal.press("plan\n");
    terminal.wait_for("Carry out this plan?");
    terminal.wait_for("› ");
    terminal.press("\n");
    terminal.wait_for("Enter alone does not approve it");
    terminal.wait_for("› ");
    assert_eq!(runs(&project).len(), 1, "nothing is built before that");
    terminal.press("approve\n");
    terminal.wait_for("step 1 of 2");
    terminal.wait_for("Take them all?");

    // The first step is a run of its own; somebody pauses it.
    let [step, council] = runs(&project).try_into().unwrap();
    assert_eq!(council, (id.clone(), "closed".to_owned()));
    project.does(&["pause", &step.0]);
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(130), "{shown}");
    let seen = Seen::of(&project.studio.bench);
    assert_eq!(
        seen.facts::<DebateClosed>().len(),
        2,
        "the second knows the first"
    );
    let asked_on = lead.requests().iter().any(|seen| {
        let body = seen.body.to_string();
        body.contains("and what about backups?") && body.contains("weighed two stores")
    });
    assert!(
        asked_on,
        "what was found before is told to the debate that follows it up"
    );

    let status = project.studio.bench.json(&["status", &id]);
    assert_eq!(status["next"], "gavel resume 099a8057", "{status}");

    // Going on with the council goes on with its plan: the same step, then the next.
    let on = project.studio.run(&["resume", &id, "--yes"]);
    assert!(on.stderr.contains("step 1 of 2"), "{on:?}");
    assert!(on.stderr.contains("step 2 of 2"), "{on:?}");
    let all = runs(&project);
    assert_eq!(all.len(), 3, "no step began twice: {all:?}");
    let first = all.iter().find(|(run, _)| *run == step.0).unwrap();
    assert_eq!(first.1, "sealed", "{on:?}");
    let [one, two] = bases(&project).try_into().unwrap();
    let folder = project.folder();
    assert_eq!(one.0, "a bookmark manager with tags");
    assert_eq!(one.1, git(&folder, &["rev-parse", "main"]).trim());
    let branch = format!("gavel/build-{}", end_of(&step.0));
    assert_eq!(two.1, git(&folder, &["rev-parse", &branch]).trim());
    assert_eq!(
        git(&folder, &["status", "--porcelain"]),
        "",
        "the checkout stays as it was"
    );
    no_person_is_said_to_have_written_a_step(&project, &branch);

    // What memory may keep is the answer to the last question, and either debate can be proved.
    let proposed = project.studio.bench.json(&["memory", "list", "--proposed"]);
    let items = proposed["items"].as_array().unwrap().iter();
    let mut texts = items.filter_map(|item| item["text"].as_str());
    let kept = "Council on \"and what about backups?\"";
    assert!(texts.any(|text| text.starts_with(kept)), "{proposed}");
    let proved = ["council", "proved", &id, "storage", "right", "--debate"];
    project.does(&[&proved[..], &["1"]].concat());
    let none = project.command(&[&proved[..], &["3"]].concat(), 2);
    assert!(none.stderr.contains("has no debate 3"), "{none:?}");
    left.finish();
    right.finish();
}

#[test]
fn a_step_that_was_stopped_is_a_persons_to_try_again_or_to_skip() {
    let project = Project::new();
    let left = seat("A", &["README.md:1"], "One file is enough.");
    let right = seat("A", &["README.md:1"], "One file it is.");
    let lead = builder();
    convened(&project.studio, [&left, &right], &lead);
    let id = run_id().to_string();
    let args = ["council", TOPIC, "--run", &id, "--no-clarify"];
    let mut terminal = Terminal::open(project.studio.command(&args), 100);
    terminal.wait_for("What now?");
    terminal.wait_for("› ");
    terminal.press("plan\n");
    terminal.wait_for("Carry out this plan?");
    terminal.wait_for("› ");
    terminal.press("approve\n");
    terminal.wait_for("Take them all?");
    let first = runs(&project)[0].0.clone();
    project.does(&["abort", &first]);
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(5), "{shown}");
    let one_truth = "was stopped, so no other begins";
    assert!(shown.contains(one_truth), "{shown}");
    assert!(!shown.contains("goes on with it"), "{shown}");

    // Nobody is there: the same truth, and nothing begins.
    let alone = project.studio.run(&["resume", &id, "--yes"]);
    assert_eq!(alone.code, Some(5), "{alone:?}");
    assert!(alone.stderr.contains(one_truth), "{alone:?}");
    assert_eq!(runs(&project).len(), 2, "no step begins by itself");

    // A person has it tried again, in another run, which is given up, too.
    let mut terminal = Terminal::open(project.studio.command(&["resume", &id]), 100);
    terminal.wait_for("What now?");
    terminal.wait_for("› ");
    terminal.press("1\n");
    terminal.wait_for("Take them all?");
    let second = runs(&project)[0].0.clone();
    assert_ne!(second, first);
    project.does(&["abort", &second]);
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(5), "{shown}");

    // Then it is skipped: the next step begins, and from then on the first one stays skipped.
    let mut terminal = Terminal::open(project.studio.command(&["resume", &id]), 100);
    terminal.wait_for("What now?");
    terminal.wait_for("› ");
    terminal.press("skip\n");
    terminal.wait_for("step 2 of 2");
    terminal.wait_for("Take them all?");
    let third = runs(&project)[0].0.clone();
    project.does(&["pause", &third]);
    terminal.end();
    let on = project.studio.run(&["resume", &id, "--yes"]);
    assert!(!on.stderr.contains(one_truth), "{on:?}");
    assert_eq!(runs(&project).len(), 4, "{on:?}");
    // What was agreed to is on record with the debate.
    let record = project.studio.bench.json(&["council", "show", &id]);
    let plan = &record["action_plan"];
    assert_eq!(plan["agreed"], true, "{plan}");
    let steps = plan["plan"]["steps"].as_array().unwrap();
    assert_eq!(steps[0]["description"], "a bookmark manager with tags");
}
