//! The corners of the money door: answers that were used up, replies that no record holds, room
//! that came back, months that end.

use gavel_domain::{
    AnswerReply, BreakerTripped, Cap, CapScope, Caps, Fact as _, MicroUsd, Role, RunId, RunState,
    Seq, ShareExceeded, Stage, Timestamp, TokenUsage, Tokens,
};
use gavel_models::{
    Deadlines, Limits, Message, MessageRole, Reply, Request, ToolChoice, input_ceiling,
};
use gavel_rules::RetryPolicy;
use gavel_run::{Call, Clock, DriveEnd, Engine, Run, RunError, Stop, StopHandle};
use gavel_store::{CallState, CallsQuery, InboxKind};
use gavel_testkit::{
    STRICT, ScriptedModel, TEST_PRICE, TestBed, models_with, test_info, test_model, text_reply,
    tool_reply,
};
use std::sync::{Arc, Mutex};

use crate::key;

fn request() -> Request {
    Request {
        model: test_model(),
        messages: vec![Message::text(MessageRole::User, "x")],
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        answer: None,
        limits: Limits {
            max_output: Tokens(100),
            deadlines: Deadlines::default(),
        },
    }
}

fn ceiling() -> u64 {
    let input = input_ceiling(&request(), &test_info(Some(TEST_PRICE)), None);
    TEST_PRICE.worst_case(input, Tokens(100)).0
}

/// A model that bills exactly what was reserved.
fn dear_model() -> ScriptedModel {
    ScriptedModel::by_rule(|request| {
        let usage = TokenUsage {
            input: input_ceiling(request, &test_info(Some(TEST_PRICE)), None),
            output: Tokens(100),
            ..TokenUsage::default()
        };
        Ok(Reply {
            usage,
            ..text_reply("dear")
        })
    })
}

async fn say(run: &Run, name: &str) -> Result<Reply, RunError> {
    let call = Call {
        policy: RetryPolicy::never(),
        ..Call::new(request(), Role::Coder)
    };
    Ok(run.call(key(name), call).await?.value)
}

async fn say_once(run: Run) -> Result<(), RunError> {
    say(&run, "a").await.map(drop)
}

async fn say_twice(run: Run) -> Result<(), RunError> {
    say(&run, "a").await?;
    say(&run, "b").await.map(drop)
}

fn capped(limit: u64) -> Caps {
    Caps {
        run_usd: Some(MicroUsd(limit)),
        ..Caps::default()
    }
}

fn is_budget(end: &DriveEnd) -> bool {
    matches!(end, DriveEnd::Stopped(Stop::Budget { .. }))
}

async fn open_questions(bed: &TestBed, run: RunId) -> usize {
    bed.mailbox().questions(run).await.unwrap().len()
}

#[tokio::test]
async fn who_said_stop_is_asked_again_by_the_next_drive() {
    let bed = TestBed::new(dear_model()).await;
    let run = bed.start(capped(1)).await;
    assert!(is_budget(&bed.drive(run, say_once).await.unwrap()));
    let stop = AnswerReply::Option { id: "stop".into() };
    bed.mailbox().answer(run, None, stop).await.unwrap();
    assert!(is_budget(&bed.drive(run, say_once).await.unwrap()));
    assert_eq!(open_questions(&bed, run).await, 0);
    assert!(is_budget(&bed.drive(run, say_once).await.unwrap()));
    assert_eq!(open_questions(&bed, run).await, 1);
    let limit = AnswerReply::Limit { limit: ceiling() };
    bed.mailbox().answer(run, None, limit).await.unwrap();
    let end = bed.drive(run, say_once).await.unwrap();
    assert_eq!(end, DriveEnd::Through(RunState::Running));
}

#[tokio::test]
async fn a_cap_question_stands_beside_the_breaker_that_says_what_it_saw() {
    let bed = TestBed::new(dear_model()).await;
    let limit = ceiling() + 1;
    let run = bed.start(capped(limit)).await;
    assert!(is_budget(&bed.drive(run, say_twice).await.unwrap()));
    // Nothing is written twice by a drive that finds the question open.
    assert!(is_budget(&bed.drive(run, say_twice).await.unwrap()));
    let records = bed.store().records(run, Seq::ZERO, u32::MAX).await.unwrap();
    let tripped: Vec<_> = records
        .iter()
        .filter(|record| record.kind == BreakerTripped::KIND)
        .collect();
    let [tripped] = tripped.as_slice() else {
        panic!("{tripped:?}");
    };
    let key = format!("money/cap-run-usd-{limit}");
    assert_eq!(tripped.key.as_str(), format!("{key}:breaker"));
    let asked = records
        .iter()
        .find(|record| record.key.as_str() == format!("{key}:asked"));
    let asked = asked.unwrap();
    assert_eq!((asked.seq, asked.at), (tripped.seq.next(), tripped.at));
    let fact: BreakerTripped = tripped.read().unwrap();
    assert_eq!(
        (fact.breaker.as_str(), fact.reason.as_str()),
        ("cb_4", "cap_breach")
    );
    assert_eq!(fact.role, Some(Role::Coder));
    let number = |amount: u64| i64::try_from(amount).unwrap();
    let numbers = [
        ("cap_run_usd", number(limit)),
        ("projected", number(ceiling())),
        ("reserved", 0),
        ("spent", number(ceiling())),
    ];
    let numbers = numbers.map(|(name, amount)| (name.to_owned(), amount));
    assert_eq!(fact.numbers, numbers.into());
}

#[tokio::test]
async fn each_cap_names_itself_among_the_numbers() {
    for (caps, name) in [
        (
            Caps {
                month_usd: Some(MicroUsd(1)),
                ..Caps::default()
            },
            "cap_month_usd",
        ),
        (
            Caps {
                run_tokens: Some(Tokens(7)),
                ..Caps::default()
            },
            "cap_run_tokens",
        ),
    ] {
        let bed = TestBed::new(dear_model()).await;
        let run = bed.start(caps).await;
        assert!(is_budget(&bed.drive(run, say_once).await.unwrap()));
        let records = bed.store().records(run, Seq::ZERO, u32::MAX).await.unwrap();
        let tripped: Vec<BreakerTripped> = records
            .iter()
            .filter_map(|record| record.read().ok())
            .collect();
        assert_eq!(tripped.len(), 1);
        let numbers = &tripped[0].numbers;
        assert!(numbers.contains_key(name), "{name}: {numbers:?}");
        assert_eq!((numbers["spent"], numbers["reserved"]), (0, 0));
        assert!(numbers["projected"] > numbers[name], "{numbers:?}");
    }
}

#[tokio::test]
async fn a_note_is_written_once_and_may_be_said_often() {
    let bed = TestBed::new(dear_model()).await;
    let run = bed.start(Caps::default()).await;
    for said in [1, 2, 3] {
        let noting = |run: Run| async move {
            for _ in 0..2 {
                let share = MicroUsd(said);
                let note = run.note(key("share"), |_| ShareExceeded {
                    stage: Stage::Council,
                    spent: MicroUsd(9),
                    share,
                });
                note.await?;
                assert!(run.has_noted(&key("share")));
            }
            Ok(())
        };
        bed.drive(run, noting).await.unwrap();
    }
    let records = bed.store().records(run, Seq::ZERO, u32::MAX).await.unwrap();
    let noted: Vec<ShareExceeded> = records
        .iter()
        .filter_map(|record| record.read().ok())
        .collect();
    assert_eq!(noted.len(), 1);
    assert_eq!(noted[0].share, MicroUsd(1), "the first word stands");
}

#[tokio::test]
async fn a_cap_that_is_set_back_is_asked_about_anew() {
    let bed = TestBed::new(dear_model()).await;
    let run = bed.start(capped(1)).await;
    assert!(is_budget(&bed.drive(run, say_once).await.unwrap()));
    let limit = AnswerReply::Limit { limit: ceiling() };
    bed.mailbox().answer(run, None, limit).await.unwrap();
    bed.drive(run, say_once).await.unwrap();
    let cap = Cap {
        scope: CapScope::RunUsd,
        limit: 1,
    };
    let lowered = InboxKind::SetCap { cap };
    bed.mailbox().control(run, lowered).await.unwrap();
    let drive = bed.drive(run, say_twice);
    let end = tokio::time::timeout(std::time::Duration::from_secs(20), drive).await;
    assert!(is_budget(&end.unwrap().unwrap()));
    assert_eq!(open_questions(&bed, run).await, 1);
}

#[tokio::test]
async fn a_reply_that_no_record_holds_is_a_failed_call_not_a_bug() {
    let id = "i".repeat(200);
    let calls = vec![(id.as_str(), "read_file", "{}"); 100];
    let model = ScriptedModel::new().reply(tool_reply(&calls));
    let bed = TestBed::new(model).await;
    let run = bed.start(Caps::default()).await;
    let driver = |run: Run| async move {
        let Err(RunError::Failed(error)) = say(&run, "a").await else {
            panic!("must fail")
        };
        assert!(error.message.contains("100 tool calls"), "{error}");
        Ok(())
    };
    bed.drive(run, driver).await.unwrap();
    let calls = bed.store().calls(CallsQuery::default()).await.unwrap();
    assert_eq!(calls[0].state, CallState::Lost);
}

#[tokio::test]
async fn a_count_beyond_all_reason_is_a_failed_call_not_a_bug() {
    let usage = TokenUsage {
        input: Tokens(u64::MAX),
        ..TokenUsage::default()
    };
    let model = ScriptedModel::new().reply(Reply {
        usage,
        ..text_reply("mad")
    });
    let bed = TestBed::new(model).await;
    let run = bed.start(Caps::default()).await;
    let error = bed.drive(run, say_once).await.unwrap_err();
    assert!(matches!(error, RunError::Failed(_)), "{error:?}");
}

/// A clock that is set by hand.
struct Hands(Mutex<Timestamp>);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}

#[tokio::test]
async fn a_call_that_ends_in_the_next_month_counts_for_the_month_it_was_sent_in() {
    let model = ScriptedModel::parking();
    let bed = TestBed::new(model.clone()).await;
    let month = Caps {
        month_usd: Some(MicroUsd(ceiling())),
        ..Caps::default()
    };
    let run = bed.start(month).await;
    let clock = Arc::new(Hands(Mutex::new("2026-11-30T23:59:59Z".parse().unwrap())));
    let models = Arc::new(models_with(model.clone(), Some(TEST_PRICE)));
    let engine = Engine::new(bed.store(), models, clock.clone(), ("bed", "test"));
    let drive = engine.drive(run, STRICT, StopHandle::new(), say_once);
    let new_year = async {
        let parked = model.next_parked().await;
        *clock.0.lock().unwrap() = "2026-12-01T00:00:01Z".parse().unwrap();
        let usage = TokenUsage {
            input: Tokens(ceiling()),
            ..TokenUsage::default()
        };
        parked.answer(Ok(Reply {
            usage,
            ..text_reply("late")
        }));
    };
    let (end, ()) = tokio::join!(drive, new_year);
    end.unwrap();
    let story = bed.story(run).await;
    assert!(story.contains("money/month-usd-2026-11-"), "{story}");
    assert!(!story.contains("2026-12"), "{story}");
}
