//! Two at one run: a second driver, a lost lease, pausing, aborting.

use std::sync::Arc;

use gavel_domain::{Caps, Door, Role, RunId, RunState, Seq, Speaker, StageEntered, Timestamp};
use gavel_run::{Delivery, DriveEnd, Follower, Pure, Run, RunError, Stop, StopHandle};
use gavel_store::{Holder, InboxKind, Store};
use gavel_testkit::{STRICT, ScriptedModel, TestBed, open_store};
use tokio::sync::Notify;

use crate::{entered, key};

async fn world() -> (TestBed, RunId) {
    let bed = TestBed::new(ScriptedModel::new()).await;
    let run = bed.start(Caps::default()).await;
    (bed, run)
}

async fn go_on(run: Run) -> Result<(), RunError> {
    run.decide(key("on"), entered()).await.map(drop)
}

#[tokio::test]
async fn a_second_driver_is_refused_and_told_who_drives() {
    let (bed, run) = world().await;
    let driver = |_| async {
        let error = bed.drive(run, go_on).await.unwrap_err();
        assert!(matches!(error, RunError::Held(_)), "{error:?}");
        assert!(error.to_string().contains("on bed since"), "{error}");
        Ok(())
    };
    bed.drive(run, driver).await.unwrap();
    bed.drive(run, go_on).await.unwrap();
}

#[tokio::test]
async fn a_driver_that_lost_its_lease_writes_nothing_more() {
    let (bed, run) = world().await;
    let driver = |handle: Run| {
        let bed = &bed;
        async move {
            handle.decide(key("before"), entered()).await?;
            // Somebody removes the lock by hand and drives: the epoch still protects the journal.
            std::fs::remove_file(bed.state().join("locks").join(format!("{run}.lock"))).unwrap();
            let other = open_store(&bed.state()).await;
            let holder = Holder {
                pid: 1,
                host: "elsewhere".into(),
                since: Timestamp::UNIX_EPOCH,
            };
            let stolen = other.acquire(run, holder).await.unwrap();
            let error = handle.decide(key("after"), entered()).await.unwrap_err();
            assert!(matches!(error, RunError::Cut), "{error:?}");
            drop(stolen);
            Err(error)
        }
    };
    let error = bed.drive(run, driver).await.unwrap_err();
    assert!(matches!(error, RunError::Moved { .. }), "{error:?}");
    assert!(!bed.story(run).await.contains("after"));
}

#[tokio::test]
async fn a_pause_through_the_inbox_lets_the_step_finish() {
    let (bed, run) = world().await;
    let driver = |handle: Run| {
        let mailbox = bed.mailbox();
        async move {
            let effect = |_| async {
                mailbox.control(run, InboxKind::Pause).await.unwrap();
                Ok(entered())
            };
            handle.step(key("a"), Pure, &(), effect).await?;
            handle.decide(key("b"), entered()).await?;
            Ok(())
        }
    };
    let end = bed.drive(run, driver).await.unwrap();
    assert_eq!(end, DriveEnd::Stopped(Stop::Paused));
    let story = bed.story(run).await;
    assert!(
        story.contains("a stage_entered") && !story.contains("b stage_entered"),
        "{story}"
    );
    assert_eq!(
        bed.store().head(run).await.unwrap().unwrap().state,
        RunState::Paused
    );
    assert_eq!(
        bed.drive(run, go_on).await.unwrap(),
        DriveEnd::Through(RunState::Running)
    );
}

#[tokio::test]
async fn ctrl_c_pauses_between_steps_and_a_second_one_cuts() {
    let (bed, run) = world().await;
    let stop = StopHandle::new();
    let begun = Arc::new(Notify::new());
    let driver = |handle: Run| {
        let (begun, stop) = (begun.clone(), stop.clone());
        async move {
            let effect = |_| async {
                stop.pause();
                begun.notify_one();
                std::future::pending::<Result<StageEntered, _>>().await
            };
            handle.step(key("a"), Pure, &(), effect).await.map(drop)
        }
    };
    let drive = bed.engine().drive(run, STRICT, stop.clone(), driver);
    let second = async {
        begun.notified().await;
        stop.cut();
    };
    let (end, ()) = tokio::join!(drive, second);
    assert_eq!(end.unwrap(), DriveEnd::Stopped(Stop::Paused));
    assert!(bed.story(run).await.ends_with("run/paused-2 paused\n"));
}

/// What is done between steps is given up as well; what it does on a thread of its own ends by itself.
#[tokio::test]
async fn a_cut_does_not_wait_for_what_is_done_between_steps() {
    let (bed, run) = world().await;
    let stop = StopHandle::new();
    let (free, busy) = std::sync::mpsc::channel::<()>();
    let begun = Arc::new(Notify::new());
    let busy = std::sync::Mutex::new(Some(busy));
    let driver = |handle: Run| {
        let begun = begun.clone();
        let busy = busy.lock().unwrap().take().unwrap();
        async move {
            assert_eq!(handle.until_cut(async { 7 }).await.unwrap(), 7);
            let reading = tokio::task::spawn_blocking(move || {
                begun.notify_one();
                busy.recv().unwrap_err();
            });
            handle.until_cut(reading).await.map(drop)
        }
    };
    let drive = bed.engine().drive(run, STRICT, stop.clone(), driver);
    let signal = async {
        begun.notified().await;
        stop.cut();
    };
    let (end, ()) = tokio::join!(drive, signal);
    assert_eq!(end.unwrap(), DriveEnd::Stopped(Stop::Paused));
    drop(free);
}

#[tokio::test]
async fn an_aborted_run_takes_nothing_more() {
    let (bed, run) = world().await;
    bed.mailbox()
        .control(run, InboxKind::Abort { reason: None })
        .await
        .unwrap();
    assert_eq!(
        bed.drive(run, go_on).await.unwrap(),
        DriveEnd::Stopped(Stop::Aborted)
    );
    assert_eq!(
        bed.drive(run, go_on).await.unwrap(),
        DriveEnd::Through(RunState::Aborted)
    );
    let error = bed.mailbox().say(run, "hello".into()).await.unwrap_err();
    assert!(error.to_string().contains("aborted"), "{error}");
}

#[tokio::test]
async fn an_unclean_stop_is_a_fact() {
    let (bed, run) = world().await;
    let hang = |handle: Run| async move {
        handle.decide(key("a"), entered()).await?;
        let effect = |_| std::future::pending::<Result<StageEntered, _>>();
        handle.step(key("b"), Pure, &(), effect).await.map(drop)
    };
    // The driver's future is dropped, as when its task dies.
    {
        let drive = bed.drive(run, hang);
        tokio::pin!(drive);
        let mut follower = Follower::new(bed.store(), run, Seq(1));
        loop {
            tokio::select! {
                end = &mut drive => panic!("{end:?}"),
                records = follower.next() => if !records.unwrap().is_empty() { break },
            }
        }
    }
    loop {
        match bed.drive(run, go_on).await {
            Err(RunError::Held(_)) => tokio::task::yield_now().await,
            end => break assert_eq!(end.unwrap(), DriveEnd::Through(RunState::Running)),
        }
    }
    let records = bed.records(run).await;
    let resumed = records
        .iter()
        .find(|record| record.kind == "resumed")
        .unwrap();
    assert!(
        resumed.body.contains(r#""unclean":true"#),
        "{}",
        resumed.body
    );
}

#[tokio::test]
async fn an_unknown_run_is_refused() {
    let (bed, _) = world().await;
    let run = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    let error = bed.drive(run, go_on).await.unwrap_err();
    assert!(matches!(error, RunError::NoRun(_)));
}

#[tokio::test]
async fn a_drive_that_ends_with_an_error_says_so() {
    let (bed, run) = world().await;
    let fails = |handle: Run| async move {
        handle.decide(key("a"), entered()).await?;
        Err(RunError::NoModel("nobody/model".parse().unwrap()))
    };
    assert!(bed.drive(run, fails).await.is_err());
    let head = bed.store().head(run).await.unwrap().unwrap();
    assert_eq!(head.state, RunState::Paused);
    assert_eq!(
        bed.drive(run, go_on).await.unwrap(),
        DriveEnd::Through(RunState::Running)
    );
    let records = bed.records(run).await;
    let resumed = records.iter().find(|record| record.kind == "resumed");
    assert!(resumed.unwrap().body.contains(r#""unclean":false"#));
}

#[tokio::test]
async fn a_guest_may_not_stop_a_run() {
    let (bed, run) = world().await;
    let guest = Speaker {
        door: Door::Mcp,
        role: Role::Guest,
        decides: false,
    };
    let posted = bed
        .mailbox_of(guest)
        .control(run, InboxKind::Abort { reason: None })
        .await;
    assert_eq!(posted.unwrap(), Delivery::Kept);
    assert_eq!(
        bed.drive(run, go_on).await.unwrap(),
        DriveEnd::Through(RunState::Running)
    );
    assert!(bed.story(run).await.contains("inbox_rejected"));
}
