use gavel_domain::{Digest, Epoch, Fact, Key, MicroUsd, RecordDraft, RunId, Seq, Timestamp};

use super::*;

fn record(seq: u64, key: &str, fact: &impl Fact) -> Record {
    let run: RunId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    let at: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
    let draft = RecordDraft::new(Key::engine(key).unwrap().outcome(), fact).unwrap();
    draft.place(run, (Seq(seq), Epoch(1)), at, Digest::ZERO)
}

fn opened(sprint: u32, phase: u32) -> SprintOpened {
    SprintOpened {
        sprint,
        phase: Some(phase),
        of_phase: 1,
        spent: MicroUsd(0),
        driven_ms: 0,
        cap: None,
        said: None,
        focus: None,
    }
}

fn resumed(unclean: bool) -> Resumed {
    Resumed {
        unclean,
        gavel: "0.1.0".to_owned(),
    }
}

#[test]
fn the_build_is_told_by_its_last_facts() {
    let judged = CriteriaJudged {
        sprint: 2,
        met: 3,
        partial: 0,
        unmet: 1,
        score: 755,
        judged: gavel_domain::Blob::new("[]".as_bytes()).name(),
    };
    let records = [
        record(1, "run/resumed-2", &resumed(false)),
        record(2, "sprint-1/opened", &opened(1, 0)),
        record(3, "run/resumed-3", &resumed(true)),
        record(4, "sprint-2/opened", &opened(2, 1)),
        record(5, "sprint-2/criteria", &judged),
        record(6, "run/resumed-4", &resumed(true)),
    ];
    let mut standing = Standing::of(&records);
    standing.max_sprints = 8;
    assert_eq!(
        standing.told().unwrap(),
        "sprint 2 of 8, phase 1, 75 % shown"
    );
    assert_eq!(
        standing.crashes().unwrap(),
        "resumed after a crash, 2 times"
    );
    assert_eq!(standing.phases_built, 2);
    let before = Standing::of(records.get(..1).unwrap());
    assert_eq!((before.told(), before.crashes()), (None, None));
}

#[test]
fn whether_a_branch_was_pushed_is_told_by_the_start_and_then_by_the_last_push() {
    let mut settings = gavel_domain::Settings::default();
    let decision = PushDecision {
        repository: "/r/.git".to_owned(),
        plan: gavel_domain::PushPlan::Withheld {
            remote: "https://host/x".to_owned(),
            why: gavel_domain::PushRefusal::Unasked,
        },
    };
    decision.record(&mut settings);
    let started = |driver: &str| RunStarted {
        flow: 1,
        driver: driver.to_owned(),
        seed: Digest::ZERO,
        gavel: "0.1.0".to_owned(),
        settings: settings.clone(),
        project: None,
        brief: None,
    };
    let pushed = BranchPushed {
        branch: "gavel/build-1".to_owned(),
        commit: "c0ffee".to_owned(),
        failed: None,
        withheld: None,
    };
    let mut records = vec![record(1, "run/started", &started(gavel_product::DRIVER))];
    assert_eq!(Standing::of(&records).push, Some(PushState::NotAgreed));
    records.push(record(2, "sprint-1/pushed", &pushed));
    assert_eq!(Standing::of(&records).push, Some(PushState::Pushed));
    let other = [record(1, "run/started", &started("council"))];
    assert_eq!(Standing::of(&other).push, None);
}
