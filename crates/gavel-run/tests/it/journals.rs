//! Waiting journals of every version stay in `tests/journals/<version>/`, and are driven on here.
//!
//! A journal that no longer resumes is a broken promise: guard the change of the driver with
//! `run.flow()`, or read the old form too. To keep the journal of a new version, run this test with
//! `GAVEL_TEST_KEEP_JOURNAL=<folder>` and commit the file it writes.

use std::path::Path;
use std::time::Duration;

use gavel_domain::{
    AnswerReply, AnswerShape, Audience, Caps, FaultClass, Halted, OnTimeout, Purpose, QuestionCard,
    Role, RunId, RunState, Stage, StageEntered, Tokens, ToolFinished,
};
use gavel_models::{Deadlines, Limits, Message, MessageRole, Request, ToolChoice};
use gavel_rules::RetryPolicy;
use gavel_run::{Call, DriveEnd, Pure, Question, Run, RunError, StepFailure, Stop};
use gavel_store::HeadsQuery;
use gavel_testkit::{ScriptedModel, TestBed, test_model};

use crate::key;

/// Uses what a journal can hold, and waits in the middle. Its keys and inputs never change.
async fn guarded(run: Run) -> Result<(), RunError> {
    let stage = StageEntered {
        stage: Stage::Building,
    };
    run.decide(key("guard-1/stage"), stage).await?;
    let tool = |blobs: gavel_run::Blobs| async move {
        Ok(ToolFinished {
            tool: "guard".into(),
            ok: true,
            result: blobs.keep("kept"),
            level: None,
            source: None,
        })
    };
    let kept = run
        .step(key("guard-1/pure"), Pure, &"input", tool)
        .await?
        .value;
    assert_eq!(run.text(kept.result).await?, "kept");
    let reply = run.call(key("guard-1/call"), call()).await?.value;
    assert_eq!(reply.text, "a recorded reply");
    let fails = |_| async { Err::<StageEntered, _>(StepFailure::new(FaultClass::Failed, "no")) };
    let failed = run.step(key("guard-1/failed"), Pure, &(), fails).await;
    assert!(matches!(failed, Err(RunError::Failed(error)) if error.message == "no"));
    run.sleep(key("guard-1/nap"), Duration::from_millis(1))
        .await?;
    assert!(run.hear(key("guard-1/heard")).await?.is_empty());
    run.ask(key("guard-1/colour"), question()).await?;
    let halted = Halted {
        reason: "guarded".into(),
        detail: None,
    };
    run.decide(key("guard-1/done"), halted).await?;
    Ok(())
}

fn call() -> Call {
    let request = Request {
        model: test_model(),
        messages: vec![Message::text(MessageRole::User, "Say something.")],
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        answer: None,
        limits: Limits {
            max_output: Tokens(100),
            deadlines: Deadlines::default(),
        },
    };
    Call {
        policy: RetryPolicy::never(),
        ..Call::new(request, Role::Coder)
    }
}

fn question() -> Question {
    let options = [("red", "Red"), ("blue", "Blue")];
    Question {
        purpose: Purpose::Choice,
        card: QuestionCard::with_options("Which colour?".into(), None, &options),
        shape: AnswerShape::Choice {
            options: options.map(|(id, _)| id.to_owned()).to_vec(),
        },
        recommended: None,
        audience: Audience::Any,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    }
}

/// Answers the open question and drives on; nothing on record may be bought or asked again.
async fn drive_on(bed: &TestBed, model: &ScriptedModel, run: RunId) {
    model.forbid_requests();
    let red = AnswerReply::Option { id: "red".into() };
    bed.mailbox().answer(run, None, red).await.unwrap();
    let end = bed.drive(run, guarded).await.unwrap();
    assert_eq!(end, DriveEnd::Through(RunState::Halted));
    bed.records(run).await;
}

#[tokio::test]
async fn the_journal_of_this_version_resumes() {
    let model = ScriptedModel::new().text("a recorded reply");
    let bed = TestBed::new(model.clone()).await;
    let run = bed.start(Caps::default()).await;
    let waiting = Stop::Waiting {
        question: key("guard-1/colour"),
    };
    assert_eq!(
        bed.drive(run, guarded).await.unwrap(),
        DriveEnd::Stopped(waiting)
    );
    if let Some(folder) = gavel_testkit::text_asked_for("GAVEL_TEST_KEEP_JOURNAL") {
        bed.keep_store(Path::new(&folder)).await;
    }
    drive_on(&bed, &model, run).await;
}

#[tokio::test]
async fn journals_of_earlier_versions_resume() {
    let journals = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals");
    let mut versions = 0;
    for version in std::fs::read_dir(journals).unwrap() {
        let model = ScriptedModel::new();
        let bed = TestBed::over(&version.unwrap().path(), model.clone()).await;
        let query = HeadsQuery {
            project: None,
            unfinished: true,
            limit: 10,
        };
        let heads = bed.store().heads(query).await.unwrap();
        let [head] = heads.as_slice() else {
            panic!("one waiting run: {heads:?}")
        };
        drive_on(&bed, &model, head.run).await;
        versions += 1;
    }
    assert!(versions > 0, "no journal was found");
}
