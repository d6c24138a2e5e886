//! Steps: at least once until committed, exactly once after.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use gavel_domain::{Caps, FaultClass, Halted, RunState, StageEntered};
use gavel_rules::RetryPolicy;
use gavel_run::{
    Bug, Drift, DriveEnd, DriveOptions, Probe, Pure, Run, RunError, StepFailure, StopHandle,
};
use gavel_testkit::{STRICT, ScriptedModel, TestBed};

use crate::{entered, key};

async fn bed() -> TestBed {
    TestBed::new(ScriptedModel::new()).await
}

#[derive(Clone, Default)]
struct Counter(Arc<AtomicU32>);

impl Counter {
    fn count(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn get(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

fn bug(error: &RunError) -> &Bug {
    let RunError::Bug(bug) = error else {
        panic!("not a bug: {error:?}")
    };
    bug
}

#[tokio::test]
async fn a_recorded_step_is_read_not_repeated() {
    let bed = bed().await;
    let run = bed.start(Caps::default()).await;
    let times = Counter::default();
    let mut moments = Vec::new();
    for _ in 0..3 {
        let (times, moments) = (&times, &mut moments);
        let driver = |run: Run| async move {
            let effect = |_| async {
                times.count();
                Ok(entered())
            };
            moments.push(run.step(key("a"), Pure, &1, effect).await?.at);
            Ok(())
        };
        bed.drive(run, driver).await.unwrap();
    }
    assert_eq!(times.get(), 1);
    assert!(
        moments.iter().all(|at| *at == moments[0]),
        "the recorded time comes back"
    );
}

#[tokio::test]
async fn a_key_may_be_asked_once_per_drive() {
    let bed = bed().await;
    let run = bed.start(Caps::default()).await;
    let driver = |run: Run| async move {
        run.decide(key("a"), entered()).await?;
        run.decide(key("a"), entered()).await?;
        Ok(())
    };
    let error = bed.drive(run, driver).await.unwrap_err();
    assert!(matches!(bug(&error), Bug::AskedTwice(_)), "{error:?}");
    let head = bed.store().head(run).await.unwrap().unwrap();
    assert_eq!(head.state, RunState::Faulted);
}

#[tokio::test]
async fn a_panic_parks_the_run_as_faulted_and_it_can_go_on() {
    let bed = bed().await;
    let run = bed.start(Caps::default()).await;
    let error = bed
        .drive(run, |_| async { panic!("oh no") })
        .await
        .unwrap_err();
    assert!(bug(&error).to_string().contains("oh no"), "{error}");
    assert_eq!(
        bed.store().head(run).await.unwrap().unwrap().state,
        RunState::Faulted
    );
    let again = |run: Run| async move { run.decide(key("a"), entered()).await.map(drop) };
    assert_eq!(
        bed.drive(run, again).await.unwrap(),
        DriveEnd::Through(RunState::Running)
    );
}

#[tokio::test]
async fn another_input_is_drift() {
    let bed = bed().await;
    let run = bed.start(Caps::default()).await;
    let step = |input: u32| {
        move |run: Run| async move {
            run.step(key("a"), Pure, &input, |_| async { Ok(entered()) })
                .await
                .map(drop)
        }
    };
    bed.drive(run, step(1)).await.unwrap();
    bed.drive(run, step(1)).await.unwrap();
    let error = bed.drive(run, step(2)).await.unwrap_err();
    assert!(matches!(bug(&error), Bug::InputDrift { .. }), "{error:?}");

    let noting = DriveOptions {
        drift: Drift::Note,
        ..STRICT
    };
    bed.engine()
        .drive(run, noting, StopHandle::new(), step(2))
        .await
        .unwrap();
    assert!(bed.story(run).await.contains("a:drift input_drifted"));
}

#[tokio::test]
async fn another_kind_under_a_key_is_a_bug() {
    let bed = bed().await;
    let run = bed.start(Caps::default()).await;
    let first = |run: Run| async move {
        run.step(key("a"), Pure, &(), |_| async { Ok(entered()) })
            .await
            .map(drop)
    };
    bed.drive(run, first).await.unwrap();
    let other = |run: Run| async move {
        let effect = |_| async {
            Ok(Halted {
                reason: "x".into(),
                detail: None,
            })
        };
        run.step(key("a"), Pure, &(), effect).await.map(drop)
    };
    let error = bed.drive(run, other).await.unwrap_err();
    assert!(matches!(bug(&error), Bug::Fact(_)), "{error:?}");
}

#[tokio::test]
async fn failures_are_facts_and_giving_up_is_final() {
    let bed = bed().await;
    let run = bed.start(Caps::default()).await;
    let times = Counter::default();
    let policy = RetryPolicy {
        attempts: 3,
        pauses: vec![Duration::from_millis(1)],
        longest: Duration::from_secs(1),
        ..RetryPolicy::never()
    };
    for _ in 0..2 {
        let (times, policy) = (&times, policy.clone());
        let driver = |run: Run| async move {
            let effect = |_| async {
                times.count();
                Err::<StageEntered, _>(StepFailure::new(FaultClass::Network, "no route"))
            };
            let outcome = run.step_with(key("a"), Pure, &(), (policy, effect)).await;
            let Err(RunError::Failed(error)) = outcome else {
                panic!("must give up")
            };
            assert_eq!((error.attempts, error.message.as_str()), (3, "no route"));
            Ok(())
        };
        bed.drive(run, driver).await.unwrap();
    }
    assert_eq!(times.get(), 3, "asking again returns the recorded error");
    insta::assert_snapshot!(bed.story(run).await, @r"
    run/started run_started
    a@1 attempt_failed
    a@2 attempt_failed
    a@3 attempt_failed
    a gave_up
    run/resumed-3 resumed
    ");
}

#[tokio::test]
async fn a_probe_looks_before_it_acts_and_a_blind_one_refuses() {
    let bed = bed().await;
    let run = bed.start(Caps::default()).await;
    let driver = |run: Run| async move {
        let look = || async { Ok(Some(entered())) };
        let effect = |_| async { Err(StepFailure::new(FaultClass::Failed, "must not run")) };
        let found = run.step(key("found"), Probe(look), &(), effect).await?;
        assert_eq!(found.value, entered());
        let look = || async { Err(StepFailure::new(FaultClass::Failed, "cannot look")) };
        let blind = run
            .step(key("blind"), Probe(look), &(), |_| async { Ok(entered()) })
            .await;
        let Err(RunError::Failed(error)) = blind else {
            panic!("it must refuse")
        };
        assert_eq!(error.message, "cannot look");
        Ok(())
    };
    bed.drive(run, driver).await.unwrap();
}

#[tokio::test]
async fn parallel_parts_come_back_in_key_order_and_all_finish() {
    let bed = bed().await;
    let run = bed.start(Caps::default()).await;
    let driver = |run: Run| async move {
        let part = |name: &'static str, ok: bool| {
            let run = run.clone();
            (key(name), async move {
                let effect = move |_| async move {
                    tokio::task::yield_now().await;
                    if ok {
                        Ok(entered())
                    } else {
                        Err(StepFailure::new(FaultClass::Failed, "no"))
                    }
                };
                run.step(key(name), Pure, &name, effect).await.map(|_| name)
            })
        };
        let good = run
            .all([part("c", true), part("a", true), part("b", true)])
            .await?;
        assert_eq!(
            good.iter().map(|(_, name)| *name).collect::<Vec<_>>(),
            ["a", "b", "c"]
        );
        let bad = run
            .all([part("f", true), part("e", false), part("d", true)])
            .await;
        assert!(matches!(bad, Err(RunError::Failed(error)) if error.key == key("e")));
        Ok(())
    };
    bed.drive(run, driver).await.unwrap();
    let story = bed.story(run).await;
    for line in ["d stage_entered", "e gave_up", "f stage_entered"] {
        assert!(story.contains(line), "{story}");
    }
}

#[tokio::test]
async fn random_is_the_same_in_every_drive_and_differs_by_key() {
    let bed = bed().await;
    let run = bed.start(Caps::default()).await;
    let mut seen = Vec::new();
    for _ in 0..2 {
        let seen = &mut seen;
        let driver = |run: Run| async move {
            seen.push((run.random(&key("a")), run.random(&key("b"))));
            Ok(())
        };
        bed.drive(run, driver).await.unwrap();
    }
    assert_eq!(seen[0], seen[1]);
    assert_ne!(seen[0].0, seen[0].1);
}
