//! The money door: ceilings, caps, losses, consent.

use std::sync::Arc;

use gavel_domain::{
    AnswerReply, Cap, CapScope, Caps, FaultClass, Key, MicroUsd, ProjectId, Role, RunState,
    StopReason, TokenUsage, Tokens,
};
use gavel_models::{
    AnswerMode, CallErrorKind, Catalogue, Cost, MaxTokensField, ModelId, ModelInfo, ModelOverride,
    Models, PriceOverride, ProviderConfig, Reply, Wire, input_ceiling,
};
use gavel_rules::RetryPolicy;
use gavel_run::{Call, DriveEnd, DriveOptions, Run, RunError, Stop, StopHandle, usage};
use gavel_store::{CallState, CallsQuery, InboxKind, TotalsOf};
use gavel_testkit::{
    FakeReply, STRICT, ScriptedModel, TEST_PRICE, TestBed, fake_server, maybe_billed, models_with,
    test_info, text_reply, unbilled,
};

use crate::{key, request};

fn call(text: &str) -> Call {
    Call {
        policy: RetryPolicy::never(),
        ..Call::new(request(text, 100), Role::Coder)
    }
}

/// What the door reserves for `say`.
fn ceiling() -> u64 {
    let input = input_ceiling(&request("x", 100), &test_info(Some(TEST_PRICE)), None);
    TEST_PRICE.worst_case(input, Tokens(100)).0
}

fn caps(run: u64) -> Caps {
    Caps {
        run_usd: Some(MicroUsd(run)),
        ..Caps::default()
    }
}

/// A model that bills exactly what was reserved.
fn dear_model() -> ScriptedModel {
    ScriptedModel::by_rule(|request| {
        let input = input_ceiling(request, &test_info(Some(TEST_PRICE)), None);
        let usage = TokenUsage {
            input,
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
    Ok(run.call(key(name), call("x")).await?.value)
}

async fn say_once(run: Run) -> Result<(), RunError> {
    say(&run, "a").await.map(drop)
}

async fn say_twice(run: Run) -> Result<(), RunError> {
    say(&run, "a").await?;
    say(&run, "b").await?;
    Ok(())
}

fn is_budget(end: &DriveEnd) -> bool {
    matches!(end, DriveEnd::Stopped(Stop::Budget { .. }))
}

#[tokio::test]
async fn a_recorded_reply_is_never_bought_again() {
    let model = ScriptedModel::new().text("hello");
    let bed = TestBed::new(model.clone()).await;
    let run = bed.start(Caps::default()).await;
    for _ in 0..2 {
        let driver = |run: Run| async move {
            let reply = say(&run, "a").await?;
            assert_eq!(
                (reply.text.as_str(), reply.stop),
                ("hello", StopReason::End)
            );
            Ok(())
        };
        bed.drive(run, driver).await.unwrap();
    }
    assert_eq!(model.requests().len(), 1);
    insta::assert_snapshot!(bed.story(run).await, @r"
    run/started run_started
    a@1:reserved usage_reserved
    a@1:settled usage_settled
    a model_replied
    run/resumed-3 resumed
    ");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_calls_race_for_a_cap_that_fits_thirty_seven() {
    let model = dear_model();
    let bed = TestBed::new(model.clone()).await;
    let cap = ceiling() * 37 + ceiling() - 1;
    let run = bed.start(caps(cap)).await;
    let driver = |run: Run| async move {
        let parts = (0..200).map(|n| {
            let (run, name) = (run.clone(), format!("c-{n:03}"));
            (key(&name), async move { say(&run, &name).await })
        });
        run.all(parts).await.map(drop)
    };
    let end = bed.drive(run, driver).await.unwrap();
    let question = Key::engine(format!("money/cap-run-usd-{cap}")).unwrap();
    assert_eq!(end, DriveEnd::Stopped(Stop::Budget { question }));
    assert_eq!(model.requests().len(), 37);
    let totals = bed.store().totals(TotalsOf::Run(run)).await.unwrap();
    assert_eq!(
        (totals.money(), totals.reserved),
        (MicroUsd(ceiling() * 37), MicroUsd::ZERO)
    );
    let head = bed.store().head(run).await.unwrap().unwrap();
    assert_eq!((head.state, head.questions.len()), (RunState::Paused, 1));
    let story = bed.story(run).await;
    for percent in [50, 80] {
        let line = format!("money/run-usd-{cap}-{percent} spend_threshold");
        assert!(story.contains(&line), "{story}");
    }
}

#[tokio::test]
async fn a_person_raises_the_cap_and_the_run_goes_on() {
    let bed = TestBed::new(dear_model()).await;
    let run = bed.start(caps(ceiling())).await;
    assert!(is_budget(&bed.drive(run, say_twice).await.unwrap()));
    let too_low = AnswerReply::Limit { limit: ceiling() };
    assert!(bed.mailbox().answer(run, None, too_low).await.is_err());
    let more = AnswerReply::Limit {
        limit: ceiling() * 2,
    };
    bed.mailbox().answer(run, None, more).await.unwrap();
    assert_eq!(
        bed.drive(run, say_twice).await.unwrap(),
        DriveEnd::Through(RunState::Running)
    );
    let head = bed.store().head(run).await.unwrap().unwrap();
    assert_eq!(head.cap_usd, Some(MicroUsd(ceiling() * 2)));
    assert!(bed.story(run).await.contains("-100 spend_threshold"));
}

#[tokio::test]
async fn yes_never_raises_a_cap() {
    let bed = TestBed::new(dear_model()).await;
    let run = bed.start(caps(1)).await;
    let yes = DriveOptions {
        yes: true,
        ..STRICT
    };
    let end = bed
        .engine()
        .drive(run, yes, StopHandle::new(), say_once)
        .await
        .unwrap();
    assert!(is_budget(&end), "{end:?}");
}

#[tokio::test]
async fn a_cap_set_through_the_inbox_counts() {
    let bed = TestBed::new(dear_model()).await;
    let run = bed.start(caps(1)).await;
    let cap = Cap {
        scope: CapScope::RunUsd,
        limit: ceiling(),
    };
    bed.mailbox()
        .control(run, InboxKind::SetCap { cap })
        .await
        .unwrap();
    assert_eq!(
        bed.drive(run, say_once).await.unwrap(),
        DriveEnd::Through(RunState::Running)
    );
}

#[tokio::test]
async fn failures_release_or_lose_what_was_reserved() {
    let model = ScriptedModel::new()
        .error(unbilled(CallErrorKind::Unauthorized))
        .error(maybe_billed(CallErrorKind::Network));
    let bed = TestBed::new(model).await;
    let run = bed.start(Caps::default()).await;
    let driver = |run: Run| async move {
        for name in ["refused", "cut"] {
            let Err(RunError::Failed(_)) = say(&run, name).await else {
                panic!("must fail")
            };
        }
        Ok(())
    };
    bed.drive(run, driver).await.unwrap();
    let calls = bed.store().calls(CallsQuery::default()).await.unwrap();
    let states: Vec<_> = calls.iter().map(|call| call.state).collect();
    assert_eq!(states, [CallState::Released, CallState::Lost]);
    let spent = usage(bed.store().as_ref(), CallsQuery::default())
        .await
        .unwrap()
        .total;
    assert_eq!((spent.calls, spent.interrupted), (0, 1));
    assert_eq!(spent.interrupted_ceiling, MicroUsd(ceiling()));
}

#[tokio::test]
async fn a_call_is_tried_again_by_policy() {
    let model = ScriptedModel::new()
        .error(unbilled(CallErrorKind::Overloaded { after: None }))
        .error(unbilled(CallErrorKind::RateLimited { after: None }))
        .text("at last");
    let bed = TestBed::new(model).await;
    let run = bed.start(Caps::default()).await;
    let driver = |run: Run| async move {
        let pauses = vec![std::time::Duration::from_millis(1)];
        let policy = RetryPolicy {
            pauses,
            ..RetryPolicy::calls()
        };
        let reply = run
            .call(
                key("a"),
                Call {
                    policy,
                    ..call("x")
                },
            )
            .await?;
        assert_eq!(reply.value.text, "at last");
        Ok(())
    };
    bed.drive(run, driver).await.unwrap();
    assert!(bed.story(run).await.contains("a@3:settled usage_settled"));
}

#[tokio::test]
async fn a_cut_call_is_booked_in_full() {
    let model = ScriptedModel::parking();
    let bed = TestBed::new(model.clone()).await;
    let run = bed.start(Caps::default()).await;
    let stop = StopHandle::new();
    let drive = bed.engine().drive(run, STRICT, stop.clone(), say_once);
    let cutter = async {
        let parked = model.next_parked().await;
        stop.cut();
        parked
    };
    let (end, parked) = tokio::join!(drive, cutter);
    assert_eq!(end.unwrap(), DriveEnd::Stopped(Stop::Paused));
    assert!(parked.is_abandoned(), "the connection was closed");
    let totals = bed.store().totals(TotalsOf::Run(run)).await.unwrap();
    assert_eq!(
        (totals.unconfirmed, totals.reserved),
        (MicroUsd(ceiling()), MicroUsd::ZERO)
    );
}

#[tokio::test]
async fn a_broken_ceiling_stops_the_model_until_a_person_agrees() {
    let usage = TokenUsage {
        input: Tokens(1_000_000),
        ..TokenUsage::default()
    };
    let model = ScriptedModel::new()
        .reply(Reply {
            usage,
            ..text_reply("greedy")
        })
        .text("tame")
        .text("tame still");
    let bed = TestBed::new(model).await;
    let run = bed.start(Caps::default()).await;
    assert!(is_budget(&bed.drive(run, say_twice).await.unwrap()));
    assert!(bed.story(run).await.contains("a@1:broken ceiling_broken"));
    // Booked is what was reserved; what the provider counted is kept beside it.
    let totals = bed.store().totals(TotalsOf::Run(run)).await.unwrap();
    assert_eq!(totals.settled, MicroUsd(ceiling()));
    let calls = bed.store().calls(CallsQuery::default()).await.unwrap();
    let claimed = calls.iter().find_map(|call| call.claimed).unwrap();
    assert_eq!(claimed.tokens, Tokens(1_000_000));
    assert!(claimed.cost > MicroUsd(ceiling()));
    let allow = || AnswerReply::Option { id: "allow".into() };
    bed.mailbox().answer(run, None, allow()).await.unwrap();
    assert_eq!(
        bed.drive(run, say_twice).await.unwrap(),
        DriveEnd::Through(RunState::Running)
    );
    // The next run does not trust it either, until a person agrees.
    let next = bed.start(Caps::default()).await;
    assert!(is_budget(&bed.drive(next, say_once).await.unwrap()));
    bed.mailbox().answer(next, None, allow()).await.unwrap();
    assert_eq!(
        bed.drive(next, say_once).await.unwrap(),
        DriveEnd::Through(RunState::Running)
    );
}

#[tokio::test]
async fn a_cap_set_from_elsewhere_answers_the_open_question() {
    let bed = TestBed::new(dear_model()).await;
    let run = bed.start(caps(1)).await;
    assert!(is_budget(&bed.drive(run, say_once).await.unwrap()));
    let cap = Cap {
        scope: CapScope::RunUsd,
        limit: ceiling() * 3,
    };
    bed.mailbox()
        .control(run, InboxKind::SetCap { cap })
        .await
        .unwrap();
    assert_eq!(
        bed.drive(run, say_once).await.unwrap(),
        DriveEnd::Through(RunState::Running)
    );
    let head = bed.store().head(run).await.unwrap().unwrap();
    assert_eq!(head.cap_usd, Some(MicroUsd(ceiling() * 3)));
    assert!(head.questions.is_empty());
}

#[tokio::test]
async fn an_unknown_price_needs_consent_under_every_cap_and_token_caps_still_hold() {
    let bed = TestBed::with_models(models_with(dear_model(), None)).await;
    let none = Caps {
        run_usd: None,
        month_usd: None,
        run_tokens: None,
    };
    let tokens_only = Caps {
        run_tokens: Some(Tokens(10)),
        ..none
    };
    for caps in [Caps::default(), none] {
        let run = bed.start(caps).await;
        assert!(is_budget(&bed.drive(run, say_once).await.unwrap()));
    }
    let run = bed.start(tokens_only).await;
    assert!(is_budget(&bed.drive(run, say_once).await.unwrap()));
    let allow = AnswerReply::Option { id: "allow".into() };
    bed.mailbox().answer(run, None, allow).await.unwrap();
    let question = Key::engine("money/cap-run-tokens-10").unwrap();
    let end = bed.drive(run, say_once).await.unwrap();
    assert_eq!(end, DriveEnd::Stopped(Stop::Budget { question }));
}

#[tokio::test]
async fn an_unknown_price_is_asked_about_once_per_model_and_project() {
    let bed = TestBed::with_models(models_with(dear_model(), None)).await;
    let project = |number| Some(ProjectId::from_uuid(uuid::Uuid::from_u128(number)));
    let first = bed.start_in(project(1), Caps::default()).await;
    assert!(is_budget(&bed.drive(first, say_once).await.unwrap()));
    // Nobody agreed yet, so the next one is asked, too.
    let second = bed.start_in(project(1), Caps::default()).await;
    assert!(is_budget(&bed.drive(second, say_once).await.unwrap()));
    let allow = AnswerReply::Option { id: "allow".into() };
    bed.mailbox().answer(first, None, allow).await.unwrap();
    let through = DriveEnd::Through(RunState::Running);
    assert_eq!(bed.drive(first, say_once).await.unwrap(), through);
    let third = bed.start_in(project(1), Caps::default()).await;
    assert_eq!(bed.drive(third, say_once).await.unwrap(), through);
    // Other projects, and runs without one, are asked.
    for elsewhere in [project(2), None] {
        let run = bed.start_in(elsewhere, Caps::default()).await;
        assert!(is_budget(&bed.drive(run, say_once).await.unwrap()));
    }
}

#[tokio::test]
async fn a_request_above_max_input_is_refused_on_record() {
    let model = ScriptedModel::new();
    model.forbid_requests();
    let bed = TestBed::new(model).await;
    let run = bed.start(Caps::default()).await;
    for _ in 0..2 {
        let driver = |run: Run| async move {
            let long = call(&"x".repeat(90_000));
            let Err(RunError::Failed(error)) = run.call(key("a"), long).await else {
                panic!("must be refused")
            };
            assert!(error.message.contains("models.max_input"), "{error}");
            Ok(())
        };
        bed.drive(run, driver).await.unwrap();
    }
}

#[tokio::test]
async fn a_request_that_its_model_cannot_hold_is_refused_on_record() {
    let model = ScriptedModel::new();
    model.forbid_requests();
    let small = ModelInfo {
        context: Tokens(1_000),
        ..test_info(None)
    };
    let mut models = Models::default();
    models.insert(small, Arc::new(model));
    let bed = TestBed::with_models(models).await;
    let run = bed.start(Caps::default()).await;
    for _ in 0..2 {
        let driver = |run: Run| async move {
            let long = call(&"x".repeat(5_000));
            let Err(RunError::Failed(error)) = run.call(key("a"), long).await else {
                panic!("must be refused")
            };
            assert_eq!(error.fault.class, FaultClass::ContextTooLong);
            assert!(error.message.contains("holds 1000:"), "{error}");
            Ok(())
        };
        bed.drive(run, driver).await.unwrap();
    }
}

#[tokio::test]
async fn a_month_is_shared_by_all_runs() {
    let bed = TestBed::new(dear_model()).await;
    let month = Caps {
        month_usd: Some(MicroUsd(ceiling())),
        ..Caps::default()
    };
    let first = bed.start(month.clone()).await;
    assert_eq!(
        bed.drive(first, say_once).await.unwrap(),
        DriveEnd::Through(RunState::Running)
    );
    let second = bed.start(month).await;
    assert!(is_budget(&bed.drive(second, say_once).await.unwrap()));
}

#[tokio::test]
async fn a_providers_own_count_lets_a_call_through_that_its_bytes_would_not() {
    let server = fake_server()
        .counted(7)
        .reply(FakeReply::text("fits"))
        .start();
    let provider = ProviderConfig {
        name: "fake".into(),
        wire: Wire::Anthropic,
        base_url: server.anthropic_url(),
        key: None,
        answers: AnswerMode::Native,
        max_tokens: MaxTokensField::MaxTokens,
        cost: Cost::Listed,
    };
    let id: ModelId = "fake/model".parse().unwrap();
    let price = PriceOverride {
        input: "1".into(),
        output: "2".into(),
        cache_read: None,
        cache_write: Some("1".into()),
    };
    let listed = ModelOverride {
        id: id.clone(),
        tier: None,
        context: None,
        max_output: None,
        price: Some(price),
        free: false,
    };
    let catalogue = Catalogue::built_in()
        .unwrap()
        .with_overrides(&[listed])
        .unwrap();
    let models = Models::new(vec![provider], &catalogue).unwrap();
    gavel_models::install_tls();
    let bed = TestBed::with_models(models).await;
    // 7 counted + 1 (2 %) + 64 for the message, and 100 tokens of output at twice the price.
    let run = bed.start(caps(7 + 1 + 64 + 200)).await;
    let driver = |run: Run| async move {
        let mut call = call(&"x".repeat(1_000));
        call.request.model = id;
        run.call(key("a"), call).await.map(drop)
    };
    assert_eq!(
        bed.drive(run, driver).await.unwrap(),
        DriveEnd::Through(RunState::Running)
    );
    server.finish();
}
