//! Things that happen at the same moment: a deadline and an answer, a stop and a failure, the end
//! of a run and a word to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use gavel_domain::{
    AnswerReply, AnswerShape, Audience, Caps, FaultClass, Halted, InboxId, OnTimeout, Purpose,
    QuestionCard, RunId, RunState, Speaker, Timestamp,
};
use gavel_run::{
    DriveEnd, Engine, MailError, Pure, Question, Run, RunError, StepFailure, Stop, StopHandle,
    SystemClock,
};
use gavel_store::{Answer, InboxKind, InboxPost, InboxRow, ReadError, Store};
use gavel_testkit::{OverlaidStore, Overlay, STRICT, ScriptedModel, TestBed};

use crate::{entered, key};

async fn world() -> (TestBed, RunId) {
    let bed = TestBed::new(ScriptedModel::new()).await;
    let run = bed.start(Caps::default()).await;
    (bed, run)
}

fn question(deadline: Option<Duration>) -> Question {
    Question {
        purpose: Purpose::Choice,
        card: QuestionCard::with_options("Now?".into(), None, &[("now", "Now")]),
        shape: AnswerShape::Choice {
            options: vec!["now".into()],
        },
        recommended: None,
        audience: Audience::Any,
        deadline,
        on_timeout: OnTimeout::Take {
            option: "now".into(),
        },
    }
}

fn post(run: RunId, kind: InboxKind) -> InboxPost {
    InboxPost {
        id: InboxId::from_uuid(uuid::Uuid::now_v7()),
        run,
        by: Speaker::PERSON,
        at: Timestamp::UNIX_EPOCH,
        kind,
    }
}

/// Somebody posts right after the inbox was read for the `n`-th time.
struct LatePost {
    reads_left: AtomicU32,
    post: InboxPost,
}

impl Overlay for LatePost {
    fn pending<'a>(
        &'a self,
        store: &'a dyn Store,
        run: RunId,
    ) -> Answer<'a, Vec<InboxRow>, ReadError> {
        Box::pin(async move {
            let rows = store.pending(run).await;
            if self.reads_left.fetch_sub(1, Ordering::SeqCst) == 1 {
                store.post(self.post.clone()).await.unwrap();
                // The driver looks again right away, before anybody else has a turn.
                tokio::time::advance(Duration::from_millis(200)).await;
            }
            rows
        })
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_at_the_moment_of_the_deadline_is_one_answer() {
    for reads in 1..=12 {
        let (bed, run) = world().await;
        let answer = InboxKind::Answer {
            question: key("q"),
            reply: AnswerReply::Option { id: "now".into() },
        };
        let late = LatePost {
            reads_left: AtomicU32::new(reads),
            post: post(run, answer),
        };
        let store = OverlaidStore::new(bed.store(), late);
        let engine = Engine::new(
            Arc::new(store),
            Arc::default(),
            Arc::new(SystemClock),
            ("bed", "test"),
        );
        let driver = |handle: Run| async move {
            let due = question(Some(Duration::ZERO));
            handle.ask(key("q"), due).await.map(drop)
        };
        let end = engine.drive(run, STRICT, StopHandle::new(), driver).await;
        assert_eq!(end.unwrap(), DriveEnd::Through(RunState::Running));
    }
}

#[tokio::test]
async fn a_part_that_did_not_end_stops_the_whole_before_a_failure_is_seen() {
    let (bed, run) = world().await;
    let driver = |handle: Run| async move {
        let fails = async {
            let effect = |_| async { Err(StepFailure::new(FaultClass::Failed, "no")) };
            handle
                .step::<gavel_domain::StageEntered, _, _, _, _>(key("a"), Pure, &(), effect)
                .await
                .map(drop)
        };
        let asks = async { handle.ask(key("b"), question(None)).await.map(drop) };
        let parts: Vec<(_, futures_util::future::LocalBoxFuture<'_, _>)> =
            vec![(key("a"), Box::pin(fails)), (key("b"), Box::pin(asks))];
        match handle.all(parts).await {
            // Going on here would leave the question behind.
            Err(RunError::Failed(_)) => handle.decide(key("after"), entered()).await.map(drop),
            other => other.map(drop),
        }
    };
    let end = bed.drive(run, driver).await.unwrap();
    let waiting = Stop::Waiting { question: key("b") };
    assert_eq!(end, DriveEnd::Stopped(waiting));
    assert!(!bed.story(run).await.contains("after"));
}

#[tokio::test]
async fn a_run_that_is_over_stays_over_whatever_is_posted_at_its_end() {
    let (bed, run) = world().await;
    for kind in [InboxKind::Abort { reason: None }, InboxKind::Pause] {
        bed.store().post(post(run, kind)).await.unwrap();
    }
    let go_on = |handle: Run| async move { handle.decide(key("on"), entered()).await.map(drop) };
    let end = bed.drive(run, go_on).await.unwrap();
    assert_eq!(end, DriveEnd::Stopped(Stop::Aborted));
    let state = bed.store().head(run).await.unwrap().unwrap().state;
    assert_eq!(state, RunState::Aborted);
    assert!(bed.story(run).await.contains("inbox_rejected"));
}

#[tokio::test]
async fn a_halted_run_is_not_paused_by_a_late_word() {
    let (bed, run) = world().await;
    let driver = |handle: Run| {
        let (bed, done) = (
            &bed,
            Halted {
                reason: "done".into(),
                detail: None,
            },
        );
        async move {
            handle.decide(key("done"), done).await?;
            bed.store().post(post(run, InboxKind::Pause)).await.unwrap();
            // The inbox is emptied at once whenever a question is asked.
            drop(handle.ask(key("late"), question(None)).await);
            Ok(())
        }
    };
    let end = bed.drive(run, driver).await.unwrap();
    assert_eq!(end, DriveEnd::Through(RunState::Halted));
}

#[tokio::test]
async fn a_halted_run_may_be_given_up_and_hears_nothing_else() {
    let (bed, run) = world().await;
    let halt = |handle: Run| async move {
        let done = Halted {
            reason: "done".into(),
            detail: None,
        };
        handle.decide(key("done"), done).await.map(drop)
    };
    bed.drive(run, halt).await.unwrap();
    let refused = bed.mailbox().control(run, InboxKind::Pause).await;
    assert!(
        matches!(refused, Err(MailError::Over { .. })),
        "{refused:?}"
    );
    bed.mailbox()
        .control(run, InboxKind::Abort { reason: None })
        .await
        .unwrap();
    let end = bed.drive(run, halt).await.unwrap();
    assert_eq!(end, DriveEnd::Through(RunState::Aborted));
}
