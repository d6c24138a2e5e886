use std::sync::{Arc, Mutex};

use gavel_agent::{Counter, Refused, ServedAnswer, Visit};
use gavel_domain::{
    AnswerShape, Audience, Key, OnTimeout, ProjectId, Purpose, QuestionCard, RunId, Settings,
};
use gavel_rules::KeyScope;
use gavel_run::{DriveEnd, NewRun, Question, Run, RunError, Stop, SystemClock};
use gavel_testkit::{ScriptedModel, TestBed};
use serde_json::{Value, json};

use super::{Doing, RunDesk, RunDoor, ServedPlace, WantedCouncil, WantedRun, served_tools};
use crate::DRIVER;

const OURS: &str = "01890000-0000-7000-8000-000000000001";
/// Where runs of tests were begun, and what is served: no folder that is there.
const FOLDER: &str = "/nowhere";
const OTHERS: &str = "01890000-0000-7000-8000-000000000002";

/// A door that begins runs in the store of a test, and remembers what it let be driven.
struct Door {
    engine: gavel_run::Engine,
    wanted: Mutex<Vec<String>>,
    launched: Mutex<Vec<RunId>>,
    broken: bool,
}

impl RunDoor for Door {
    fn begin(&self, wanted: WantedRun) -> Doing<'_, RunId> {
        self.wanted.lock().unwrap().push(format!("{wanted:?}"));
        Box::pin(async { Ok(self.engine.start(new_run(OURS)).await.unwrap()) })
    }

    fn convene(&self, wanted: WantedCouncil) -> Doing<'_, RunId> {
        self.wanted.lock().unwrap().push(format!("{wanted:?}"));
        let mut new = new_run(OURS);
        new.driver = crate::meeting::DRIVER.to_owned();
        Box::pin(async { Ok(self.engine.start(new).await.unwrap()) })
    }

    fn launch(&self, run: RunId) -> Doing<'_, ()> {
        self.launched.lock().unwrap().push(run);
        let broken = self.broken;
        Box::pin(async move {
            match broken {
                true => Err(Refused::new("failed", "it does not start here")),
                false => Ok(()),
            }
        })
    }
}

fn new_run(project: &str) -> NewRun {
    let project: ProjectId = project.parse().unwrap();
    NewRun {
        driver: DRIVER.to_owned(),
        flow: crate::FLOW,
        settings: Settings::default(),
        project: Some(project),
        brief: Some(json!({ "idea": "lamps", "checkout": FOLDER }).to_string()),
    }
}

struct Desk {
    bed: TestBed,
    door: Arc<Door>,
    counter: Counter,
}

impl Desk {
    async fn new() -> Self {
        Self::with(false, 4).await
    }

    async fn with(broken: bool, most_at_work: usize) -> Self {
        let bed = TestBed::new(ScriptedModel::new()).await;
        let door = Arc::new(Door {
            engine: bed.engine().clone(),
            wanted: Mutex::default(),
            launched: Mutex::default(),
            broken,
        });
        let place = ServedPlace {
            project: Some(OURS.parse().unwrap()),
            checkout: Some(FOLDER.into()),
        };
        let desk = RunDesk::new(bed.store(), Arc::new(SystemClock), place);
        let desk = Arc::new(desk.with_most_at_work(most_at_work));
        let mut counter = Counter::default();
        let as_door: Arc<dyn RunDoor> = door.clone();
        served_tools(&mut counter, &desk, &as_door).unwrap();
        Self { bed, door, counter }
    }

    /// A run that waits for an answer.
    async fn waiting(&self, project: &str, audience: Audience) -> RunId {
        let run = self.bed.engine().start(new_run(project)).await.unwrap();
        let asked = self.bed.drive(run, |run| ask(run, audience)).await;
        asked.unwrap();
        run
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<ServedAnswer, Refused> {
        self.counter.call(&Visit::guest(), tool, arguments).await
    }

    async fn refused(&self, tool: &str, arguments: Value) -> Refused {
        self.call(tool, arguments).await.unwrap_err()
    }

    fn launched(&self) -> Vec<RunId> {
        self.door.launched.lock().unwrap().clone()
    }
}

async fn ask(run: Run, audience: Audience) -> Result<(), RunError> {
    let options = [("red", "Bright red"), ("blue", "Blue")];
    let question = Question {
        purpose: Purpose::Choice,
        card: QuestionCard::with_options("Which colour?".into(), None, &options),
        shape: AnswerShape::Choice {
            options: options.map(|(id, _)| id.to_owned()).to_vec(),
        },
        recommended: Some("blue".into()),
        audience,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    run.ask(Key::new("colour")?, question).await?;
    Ok(())
}

#[tokio::test]
async fn a_journal_is_read_again_only_when_it_grew() {
    let bed = TestBed::new(ScriptedModel::new()).await;
    let place = ServedPlace {
        project: Some(OURS.parse().unwrap()),
        checkout: Some(FOLDER.into()),
    };
    let desk = RunDesk::new(bed.store(), Arc::new(SystemClock), place);
    let run = bed.engine().start(new_run(OURS)).await.unwrap();
    let head = desk.named(&run.to_string()).await.unwrap();
    let first = desk.report(&head).await.unwrap();
    assert!(Arc::ptr_eq(&first, &desk.report(&head).await.unwrap()));
    let asked = bed.drive(run, |run| ask(run, Audience::Any)).await;
    asked.unwrap();
    let grown = desk.named(&run.to_string()).await.unwrap();
    let later = desk.report(&grown).await.unwrap();
    assert_ne!(first.state, later.state);
    let other = bed.engine().start(new_run(OURS)).await.unwrap();
    let other = desk.named(&other.to_string()).await.unwrap();
    assert_eq!(desk.report(&other).await.unwrap().run, other.run);
    assert_eq!(desk.report(&grown).await.unwrap().run, run);
}

#[tokio::test]
async fn a_guest_answers_what_anybody_may_and_the_run_goes_on() {
    let desk = Desk::new().await;
    let run = desk.waiting(OURS, Audience::Any).await;
    let status = desk.call("gavel_run_status", json!({})).await.unwrap();
    let asked = &status.structured["pending_question"];
    assert_eq!(
        (&asked["id"], &asked["audience"], &asked["recommended"]),
        (&json!("colour"), &json!("any"), &json!("blue"))
    );
    assert_eq!(status.structured["next"][0]["tool"], "gavel_answer");
    let elicited = status.question.unwrap();
    assert_eq!(elicited.options, ["Bright red", "Blue"]);
    let wrong = desk
        .refused("gavel_answer", json!({ "answer": "green" }))
        .await;
    assert_eq!(wrong.code, "unknown_option");
    assert_eq!(desk.launched(), []);
    // As a client passes on what its user chose.
    let mut arguments = elicited.arguments.clone();
    arguments.insert(elicited.answer_field.to_owned(), json!("bright red"));
    let answered = desk
        .call(elicited.tool, Value::Object(arguments))
        .await
        .unwrap();
    assert!(answered.line.starts_with("answered"), "{}", answered.line);
    // Nobody is shown the question again while the answer waits to be taken.
    assert!(!answered.line.contains("Which colour"), "{}", answered.line);
    assert_eq!(answered.structured["next"][0]["tool"], "gavel_control");
    let after = desk.call("gavel_run_status", json!({})).await.unwrap();
    assert_eq!(after.structured["pending_question"], Value::Null);
    assert_eq!(after.question, None);
    assert_eq!(desk.launched(), [run]);
    let rows = desk.bed.store().pending(run).await.unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    let again = desk
        .refused("gavel_answer", json!({ "answer": "blue" }))
        .await;
    assert_eq!(again.code, "answered_before");
}

#[tokio::test]
async fn a_guest_never_answers_for_a_person() {
    let desk = Desk::new().await;
    let run = desk.waiting(OURS, Audience::Person).await;
    let refused = desk
        .refused("gavel_answer", json!({ "answer": "blue" }))
        .await;
    assert_eq!(refused.code, "person_only");
    let command = format!("gavel answer {} colour --option N --resume", run.short());
    assert!(refused.message.contains(&command), "{}", refused.message);
    let data = refused.data.unwrap();
    assert_eq!(data["pending_question"]["audience"], "person");
    assert!(desk.bed.store().pending(run).await.unwrap().is_empty());
    let status = desk.call("gavel_run_status", json!({})).await.unwrap();
    assert_eq!(status.question, None, "nobody is asked in a person's place");
    // A key that a person gave the right to decide may.
    let mut visit = Visit::guest();
    visit.scope = KeyScope::Decide;
    let arguments = json!({ "answer": "blue", "run": run.to_string() });
    desk.counter
        .call(&visit, "gavel_answer", arguments)
        .await
        .unwrap();
    assert_eq!(desk.bed.store().pending(run).await.unwrap().len(), 1);
}

#[tokio::test]
async fn runs_of_other_projects_do_not_exist() {
    let desk = Desk::new().await;
    let theirs = desk.waiting(OTHERS, Audience::Any).await;
    for tool in [
        "gavel_run_status",
        "gavel_get_branch_status",
        "gavel_list_branch_commits",
        "gavel_council",
    ] {
        let refused = desk
            .refused(tool, json!({ "run": theirs.to_string() }))
            .await;
        assert_eq!(refused.code, "not_found", "{tool}");
    }
    let arguments = json!({ "run": theirs.to_string(), "answer": "blue" });
    assert_eq!(
        desk.refused("gavel_answer", arguments).await.code,
        "not_found"
    );
    let status = desk.refused("gavel_run_status", json!({})).await;
    assert_eq!(status.next[0].tool, "gavel_start_run");
}

#[tokio::test]
async fn whoever_changes_a_run_says_which_where_several_are_open() {
    let desk = Desk::new().await;
    let first = desk.waiting(OURS, Audience::Any).await;
    let second = desk.waiting(OURS, Audience::Any).await;
    let refused = desk
        .refused("gavel_say", json!({ "text": "be quick" }))
        .await;
    assert_eq!(refused.code, "ambiguous");
    let named = refused.data.unwrap();
    assert_eq!(named["runs"].as_array().unwrap().len(), 2);
    let mut visit = Visit::guest();
    visit.session.run = Some(first);
    let said = desk
        .counter
        .call(&visit, "gavel_say", json!({ "text": "be quick" }))
        .await;
    assert_eq!(said.unwrap().structured["run"], json!(first.to_string()));
    let short = json!({ "text": "be quick", "run": second.short() });
    let said = desk.call("gavel_say", short).await.unwrap();
    assert_eq!(said.structured["taken"], false);
    let empty = desk.refused("gavel_say", json!({ "text": " " })).await;
    assert_eq!(empty.code, "bad_arguments");
}

#[tokio::test]
async fn a_guest_lets_a_run_go_on_and_ends_nothing() {
    let desk = Desk::new().await;
    let run = desk.waiting(OURS, Audience::Any).await;
    for action in ["pause", "abort", "ship"] {
        let refused = desk
            .refused("gavel_control", json!({ "action": action }))
            .await;
        assert_eq!(refused.code, "person_only", "{action}");
        assert!(
            refused
                .message
                .contains(&format!("gavel {action} {}", run.short()))
        );
    }
    assert!(desk.bed.store().pending(run).await.unwrap().is_empty());
    desk.call("gavel_control", json!({ "action": "resume" }))
        .await
        .unwrap();
    assert_eq!(desk.launched(), [run]);
    let mut visit = Visit::guest();
    visit.scope = KeyScope::Decide;
    let arguments = json!({ "action": "abort", "reason": "no longer wanted" });
    desk.counter
        .call(&visit, "gavel_control", arguments)
        .await
        .unwrap();
    let end = desk.bed.drive(run, |_| async { Ok(()) }).await.unwrap();
    assert_eq!(end, DriveEnd::Stopped(Stop::Aborted));
    let status = desk.call("gavel_run_status", json!({})).await.unwrap();
    assert_eq!(status.structured["state"], "aborted");
    let over = json!({ "action": "resume", "run": run.to_string() });
    assert_eq!(desk.refused("gavel_control", over).await.code, "over");
}

#[tokio::test]
async fn a_run_is_recorded_before_it_is_driven() {
    let desk = Desk::new().await;
    let refused = desk
        .refused("gavel_start_run", json!({ "idea": " " }))
        .await;
    assert_eq!(refused.code, "bad_arguments");
    let broke = json!({ "idea": "lamps", "max_cost_usd": -1 });
    assert_eq!(
        desk.refused("gavel_start_run", broke).await.code,
        "bad_arguments"
    );
    let started = json!({ "idea": "lamps", "max_cost_usd": "0.5", "mini": "true" });
    let started = desk.call("gavel_start_run", started).await.unwrap();
    assert_eq!(started.structured["state"], "running");
    let wanted = desk.door.wanted.lock().unwrap().join("\n");
    assert!(
        wanted.contains("max_cost: Some(MicroUsd(500000))"),
        "{wanted}"
    );
    assert!(wanted.contains("mini: true"), "{wanted}");
    assert_eq!(desk.launched().len(), 1);
    let council = json!({ "topic": "red or blue?" });
    let council = desk.call("gavel_council", council).await.unwrap();
    assert_eq!(council.structured["outcome"], Value::Null);
    assert_eq!(desk.launched().len(), 2);
    let both = json!({ "topic": "red or blue?", "run": "1234" });
    assert_eq!(
        desk.refused("gavel_council", both).await.code,
        "bad_arguments"
    );
}

#[tokio::test]
async fn a_run_that_nobody_could_drive_is_named() {
    let desk = Desk::with(true, 4).await;
    let refused = desk
        .refused("gavel_start_run", json!({ "idea": "lamps" }))
        .await;
    let run = desk.launched()[0];
    assert!(
        refused
            .message
            .starts_with(&format!("run {} is recorded", run.short()))
    );
    assert_eq!(refused.next[0].tool, "gavel_control");
    assert_eq!(refused.next[0].arguments["run"], json!(run.to_string()));
}

#[tokio::test]
async fn no_more_runs_are_at_work_than_may_be() {
    let desk = Desk::with(false, 1).await;
    let waits = desk.waiting(OURS, Audience::Any).await;
    let started = json!({ "idea": "lamps" });
    let first = desk.call("gavel_start_run", started.clone()).await.unwrap();
    let first: RunId = first.structured["run"].as_str().unwrap().parse().unwrap();
    let holder = gavel_store::Holder {
        pid: 1,
        host: "here".to_owned(),
        since: gavel_domain::Timestamp::now(),
    };
    let at_work = desk.bed.store().acquire(first, holder).await.unwrap();
    let before = desk.door.wanted.lock().unwrap().len();
    for (tool, arguments) in [
        ("gavel_start_run", started.clone()),
        ("gavel_council", json!({ "topic": "red or blue?" })),
        (
            "gavel_control",
            json!({ "action": "resume", "run": waits.to_string() }),
        ),
    ] {
        let refused = desk.refused(tool, arguments).await;
        assert_eq!(refused.code, "too_many_runs", "{tool}");
        let short = format!("`gavel pause {}`", first.short());
        assert!(refused.message.contains(&short), "{}", refused.message);
        let data = refused.data.unwrap();
        assert_eq!(data, json!({ "runs": [first.to_string()], "max_runs": 1 }));
    }
    let recorded = desk.door.wanted.lock().unwrap().len();
    assert_eq!(recorded, before, "nothing was begun");
    // An answer is taken all the same; the run goes on later.
    let arguments = json!({ "answer": "blue", "run": waits.to_string() });
    let answered = desk.call("gavel_answer", arguments).await.unwrap();
    assert!(
        answered.line.starts_with("answered, and the run waits"),
        "{}",
        answered.line
    );
    assert_eq!(answered.structured["next"][0]["tool"], "gavel_control");
    assert_eq!(desk.bed.store().pending(waits).await.unwrap().len(), 1);
    assert_eq!(desk.launched(), [first]);
    drop(at_work);
    desk.call("gavel_start_run", started).await.unwrap();
}

#[tokio::test]
async fn a_run_is_found_behind_many_loops() {
    let desk = Desk::new().await;
    let run = desk.waiting(OURS, Audience::Any).await;
    for _ in 0..40 {
        let mut other = new_run(OURS);
        other.driver = "loop".to_owned();
        desk.bed.engine().start(other).await.unwrap();
    }
    let newest = desk.call("gavel_run_status", json!({})).await.unwrap();
    assert_eq!(newest.structured["run"], json!(run.to_string()));
    let short = json!({ "run": run.short() });
    let named = desk.call("gavel_run_status", short).await.unwrap();
    assert_eq!(named.structured["run"], json!(run.to_string()));
    let said = desk.call("gavel_say", json!({ "text": "be quick" })).await;
    assert_eq!(said.unwrap().structured["run"], json!(run.to_string()));
}

#[tokio::test]
async fn what_is_not_built_has_no_branch() {
    let desk = Desk::new().await;
    desk.waiting(OURS, Audience::Any).await;
    for tool in ["gavel_get_branch_status", "gavel_list_branch_commits"] {
        let refused = desk.refused(tool, json!({})).await;
        assert_eq!(
            (refused.code, refused.next[0].tool),
            ("not_built", "gavel_run_status")
        );
    }
}
