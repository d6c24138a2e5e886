//! Questions: who may answer, who wins, what the clock and `--yes` do.

use std::time::Duration;

use gavel_domain::{
    AnswerReply, AnswerShape, AnswerValue, Audience, Caps, Door, InboxId, OnTimeout, Purpose,
    QuestionCard, Role, RunId, RunState, Speaker, Timestamp,
};
use gavel_run::{
    Delivery, DriveEnd, DriveOptions, MailError, Question, Run, RunError, Stop, StopHandle,
    WaitMode,
};
use gavel_store::{InboxKind, InboxPost};
use gavel_testkit::{STRICT, ScriptedModel, TestBed};

use crate::key;

const STAYING: DriveOptions = DriveOptions {
    wait: WaitMode::Stay,
    ..STRICT
};
const AGENT: Speaker = Speaker {
    door: Door::Mcp,
    role: Role::Coder,
    decides: false,
};

fn question(audience: Audience) -> Question {
    let options = [("json", "JSON"), ("text", "Plain text")];
    Question {
        purpose: Purpose::Choice,
        card: QuestionCard::with_options("Which format?".into(), None, &options),
        shape: AnswerShape::Choice {
            options: vec!["json".into(), "text".into()],
        },
        recommended: Some("text".into()),
        audience,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    }
}

fn option(id: &str) -> AnswerReply {
    AnswerReply::Option { id: id.into() }
}

async fn ask(run: Run, question: Question) -> Result<AnswerValue, RunError> {
    Ok(run.ask(key("format"), question).await?.value.value)
}

/// A driver that expects JSON.
async fn expect_json(run: Run) -> Result<(), RunError> {
    let answer = ask(run, question(Audience::Any)).await?;
    assert_eq!(answer, AnswerValue::Option { id: "json".into() });
    Ok(())
}

async fn world() -> (TestBed, RunId) {
    let bed = TestBed::new(ScriptedModel::new()).await;
    let run = bed.start(Caps::default()).await;
    (bed, run)
}

/// Drives until the question is open and the driver left.
async fn leave_open(bed: &TestBed, run: RunId, audience: Audience) {
    let driver = |handle: Run| async move { ask(handle, question(audience)).await.map(drop) };
    let waiting = Stop::Waiting {
        question: key("format"),
    };
    assert_eq!(
        bed.drive(run, driver).await.unwrap(),
        DriveEnd::Stopped(waiting)
    );
    assert_eq!(
        bed.store().head(run).await.unwrap().unwrap().state,
        RunState::Waiting
    );
}

#[tokio::test]
async fn an_answer_given_while_nobody_drives_is_kept_and_found() {
    let (bed, run) = world().await;
    leave_open(&bed, run, Audience::Any).await;
    let shown = bed.mailbox().questions(run).await.unwrap();
    assert_eq!(
        (shown.len(), shown[0].card.text.as_str()),
        (1, "Which format?")
    );
    let kept = bed
        .mailbox()
        .answer(run, None, option("json"))
        .await
        .unwrap();
    assert_eq!(kept, Delivery::Kept);
    let late = bed
        .mailbox()
        .answer(run, None, option("text"))
        .await
        .unwrap_err();
    assert!(matches!(late, MailError::AnsweredBefore { .. }), "{late:?}");
    let end = bed.drive(run, expect_json).await.unwrap();
    assert_eq!(end, DriveEnd::Through(RunState::Running));
    let later = bed
        .mailbox()
        .answer(run, Some(key("format")), option("text"))
        .await
        .unwrap_err();
    assert!(
        later.to_string().contains("answered first by `json`"),
        "{later}"
    );
}

#[tokio::test]
async fn a_staying_driver_hears_the_answer() {
    let (bed, run) = world().await;
    let drive = bed
        .engine()
        .drive(run, STAYING, StopHandle::new(), expect_json);
    let answers = async {
        loop {
            match bed
                .mailbox()
                .answer(run, Some(key("format")), option("json"))
                .await
            {
                Ok(delivery) => break assert_eq!(delivery, Delivery::Taken),
                Err(MailError::NotOpen { .. }) => tokio::task::yield_now().await,
                Err(error) => panic!("{error}"),
            }
        }
    };
    let (end, ()) = tokio::join!(drive, answers);
    assert_eq!(end.unwrap(), DriveEnd::Through(RunState::Running));
}

#[tokio::test]
async fn a_bad_answer_is_refused_before_the_inbox() {
    let (bed, run) = world().await;
    leave_open(&bed, run, Audience::Person).await;
    let unknown = bed
        .mailbox()
        .answer(run, None, option("xml"))
        .await
        .unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "`xml` is not an option; the options are: json, text"
    );
    let agent = bed
        .mailbox_of(AGENT)
        .answer(run, None, option("json"))
        .await
        .unwrap_err();
    assert!(agent.to_string().contains("only a person"), "{agent}");
    assert!(bed.store().pending(run).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_driver_checks_again_what_reached_the_inbox() {
    let (bed, run) = world().await;
    leave_open(&bed, run, Audience::Person).await;
    let forged = InboxPost {
        id: InboxId::from_uuid(uuid::Uuid::now_v7()),
        run,
        by: AGENT,
        at: Timestamp::UNIX_EPOCH,
        kind: InboxKind::Answer {
            question: key("format"),
            reply: option("json"),
        },
    };
    bed.store().post(forged).await.unwrap();
    leave_open(&bed, run, Audience::Person).await;
    assert!(bed.story(run).await.contains("inbox_rejected"));
    // The refused row freed its slot.
    bed.mailbox()
        .answer(run, None, option("text"))
        .await
        .unwrap();
    let driver = |run: Run| async move { ask(run, question(Audience::Person)).await.map(drop) };
    assert_eq!(
        bed.drive(run, driver).await.unwrap(),
        DriveEnd::Through(RunState::Running)
    );
}

#[tokio::test]
async fn yes_takes_what_is_recommended_and_says_so() {
    let (bed, run) = world().await;
    let yes = DriveOptions {
        yes: true,
        ..STRICT
    };
    let driver = |handle: Run| async move {
        let answered = handle
            .ask(key("format"), question(Audience::Any))
            .await?
            .value;
        assert_eq!(answered.value, AnswerValue::Option { id: "text".into() });
        assert!(answered.assumed && !answered.timed_out);
        Ok(())
    };
    bed.engine()
        .drive(run, yes, StopHandle::new(), driver)
        .await
        .unwrap();
}

#[tokio::test]
async fn the_clock_answers_after_the_deadline() {
    let (bed, run) = world().await;
    let dated = Question {
        deadline: Some(Duration::from_millis(30)),
        on_timeout: OnTimeout::Take {
            option: "json".into(),
        },
        ..question(Audience::Any)
    };
    let driver = |handle: Run| async move {
        let answered = handle.ask(key("format"), dated).await?.value;
        assert_eq!(answered.value, AnswerValue::Option { id: "json".into() });
        assert!(answered.timed_out && answered.by == Speaker::ENGINE);
        Ok(())
    };
    bed.engine()
        .drive(run, STAYING, StopHandle::new(), driver)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_timer_is_set_once_and_fires_once() {
    let (bed, run) = world().await;
    let mut moments = Vec::new();
    for _ in 0..2 {
        let moments = &mut moments;
        let driver = |run: Run| async move {
            moments.push(run.sleep(key("nap"), Duration::from_millis(5)).await?.at);
            Ok(())
        };
        bed.drive(run, driver).await.unwrap();
    }
    assert_eq!(moments[0], moments[1]);
    assert!(
        bed.story(run)
            .await
            .contains("nap:set timer_set\nnap timer_fired\n")
    );
}

#[tokio::test]
async fn what_is_said_reaches_the_next_hearing_once() {
    let (bed, run) = world().await;
    bed.mailbox().say(run, "use tabs".into()).await.unwrap();
    bed.mailbox().say(run, "no, spaces".into()).await.unwrap();
    for _ in 0..2 {
        let driver = |handle: Run| async move {
            let heard = handle.hear(key("turn-1")).await?;
            let texts: Vec<_> = heard.into_iter().map(|(_, text)| text).collect();
            assert_eq!(texts, ["use tabs", "no, spaces"]);
            assert!(handle.hear(key("turn-2")).await?.is_empty());
            Ok(())
        };
        bed.drive(run, driver).await.unwrap();
    }
}

#[tokio::test]
async fn more_than_one_turn_can_hear_waits_for_the_next() {
    let (bed, run) = world().await;
    for n in 0..450_u32 {
        let post = InboxPost {
            id: InboxId::from_uuid(uuid::Uuid::now_v7()),
            run,
            by: AGENT,
            at: Timestamp::UNIX_EPOCH,
            kind: InboxKind::Say {
                text: n.to_string(),
            },
        };
        bed.store().post(post).await.unwrap();
    }
    let driver = |handle: Run| async move {
        let mut heard = Vec::new();
        for turn in 0..4 {
            let texts = handle.hear(key(&format!("turn-{turn}"))).await?;
            heard.extend(texts.into_iter().map(|(_, text)| text));
        }
        assert_eq!(heard, (0..450).map(|n| n.to_string()).collect::<Vec<_>>());
        Ok(())
    };
    bed.drive(run, driver).await.unwrap();
}
