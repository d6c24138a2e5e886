//! The inbox: idempotent posts, one answer per question, fates.

use gavel_domain::{AnswerReply, Cap, CapScope, InboxId, RunId, Seq, Speaker};
use gavel_store::{BatchProblem, CommitError, InboxFate, InboxKind, InboxPost, PostError, Posted};
use uuid::Uuid;

use super::StoreUnderTest;
use super::driver::{Driver, Plan, key, moment, new_run};

/// The same id posted again, even with other content, changes nothing.
pub async fn posting_twice_is_posting_once<S: StoreUnderTest>() {
    let subject = S::fresh();
    let (one, two) = (subject.open().await, subject.open().await);
    let mut driver = Driver::start(&one).await;
    let first = say(driver.run(), "first");
    assert_eq!(one.post(first.clone()).await.unwrap(), Posted::New);
    let other = InboxPost {
        kind: InboxKind::Abort { reason: None },
        ..first.clone()
    };
    assert_eq!(two.post(first.clone()).await.unwrap(), Posted::Again);
    assert_eq!(two.post(other).await.unwrap(), Posted::Again);
    let pending = one.pending(driver.run()).await.unwrap();
    assert_eq!(pending, std::slice::from_ref(&first));
    let plan = Plan::new().accept(first.id);
    driver.commit(&one, plan).await.unwrap();
    assert_eq!(two.post(first).await.unwrap(), Posted::Again);
    assert_eq!(two.pending(driver.run()).await.unwrap(), []);
}

/// Only a run that began has an inbox.
pub async fn posts_need_a_run<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let run = new_run();
    let error = store.post(say(run, "hello")).await.unwrap_err();
    let told = matches!(error, PostError::UnknownRun { run: unknown } if unknown == run);
    assert!(told, "{error}");
}

/// Rows wait in the order in which they came, of one run only, with all their content.
pub async fn pending_keeps_the_order<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let other = Driver::start(&store).await;
    let run = driver.run();
    let (scope, limit) = (CapScope::MonthUsd, u64::MAX);
    let text = "\u{fc}\n\u{0}\"".to_owned();
    let kinds = [
        InboxKind::Ship,
        InboxKind::Say { text },
        InboxKind::SetCap {
            cap: Cap { scope, limit },
        },
        answer_kind("q-1", "yes"),
        InboxKind::Pause,
        InboxKind::Abort { reason: None },
    ];
    let mut posts = Vec::new();
    for kind in kinds {
        let post = InboxPost {
            kind,
            ..say(run, "")
        };
        store.post(say(other.run(), "elsewhere")).await.unwrap();
        store.post(post.clone()).await.unwrap();
        posts.push(post);
    }
    assert_eq!(store.pending(run).await.unwrap(), posts);
    let plan = Plan::new().accept(posts[2].id).reject(posts[0].id);
    driver.commit(&store, plan).await.unwrap();
    posts.remove(2);
    posts.remove(0);
    assert_eq!(store.pending(run).await.unwrap(), posts);
}

/// The first answer to a question holds its slot, waiting or accepted; later ones get the winner.
pub async fn the_first_answer_takes_the_slot<S: StoreUnderTest>() {
    let subject = S::fresh();
    let (one, two) = (subject.open().await, subject.open().await);
    let mut driver = Driver::start(&one).await;
    let other = Driver::start(&one).await;
    let run = driver.run();
    let first = answer(run, "q-1", "yes");
    assert_eq!(one.post(first.clone()).await.unwrap(), Posted::New);
    for taken in [false, true] {
        if taken {
            let plan = Plan::new().accept(first.id);
            driver.commit(&one, plan).await.unwrap();
        }
        let late = answer(run, "q-1", "no");
        let error = two.post(late.clone()).await.unwrap_err();
        let PostError::SlotTaken { winner } = error else {
            panic!("expected a taken slot, got {error}");
        };
        assert_eq!(*winner, first);
        assert_eq!(two.fate(late.id).await.unwrap(), None);
    }
    // Other questions, other runs and other wants are not concerned.
    for post in [
        answer(run, "q-2", "no"),
        answer(other.run(), "q-1", "no"),
        say(run, "no"),
        say(run, "no"),
    ] {
        assert_eq!(two.post(post).await.unwrap(), Posted::New);
    }
}

/// An answer that its driver refused leaves the question open for the next one.
pub async fn a_refused_answer_frees_the_slot<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let run = driver.run();
    for word in ["first", "second"] {
        let post = answer(run, "q-1", word);
        store.post(post.clone()).await.unwrap();
        let plan = Plan::new().reject(post.id);
        driver.commit(&store, plan).await.unwrap();
    }
    let third = answer(run, "q-1", "third");
    assert_eq!(store.post(third.clone()).await.unwrap(), Posted::New);
    let late = store.post(answer(run, "q-1", "late")).await.unwrap_err();
    let told = matches!(&late, PostError::SlotTaken { winner } if **winner == third);
    assert!(told, "{late}");
}

/// A row is pending, then taken by the commit that ended with some record.
pub async fn fate_tells_what_became_of_a_row<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let (good, bad) = (say(driver.run(), "good"), say(driver.run(), "bad"));
    assert_eq!(store.fate(good.id).await.unwrap(), None);
    for post in [&good, &bad] {
        store.post(post.clone()).await.unwrap();
        let fate = store.fate(post.id).await.unwrap();
        assert_eq!(fate, Some(InboxFate::Pending));
    }
    let plan = Plan::new().accept(good.id).note("more");
    driver.commit(&store, plan).await.unwrap();
    let plan = Plan::new().reject(bad.id);
    driver.commit(&store, plan).await.unwrap();
    for (post, seq, refused) in [(good, Seq(3), false), (bad, Seq(4), true)] {
        let fate = store.fate(post.id).await.unwrap();
        assert_eq!(fate, Some(InboxFate::Taken { seq, refused }));
    }
}

/// A row becomes a fact once, and only in its own run.
pub async fn a_row_is_taken_once<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let mut other = Driver::start(&store).await;
    let post = say(driver.run(), "once");
    let id = post.id;
    store.post(post).await.unwrap();
    let refusal = async |driver: &mut Driver, plan| {
        let error = driver.commit(&store, plan).await.unwrap_err();
        let CommitError::Refused { problem, .. } = error else {
            panic!("expected a refusal, got {error}");
        };
        problem
    };
    let problem = refusal(&mut other, Plan::new().accept(id)).await;
    assert_eq!(problem, BatchProblem::UnknownInboxRow { id });
    let plan = Plan::new().accept(id);
    driver.commit(&store, plan).await.unwrap();
    let problem = refusal(&mut driver, Plan::new().reject(id)).await;
    assert_eq!(problem, BatchProblem::InboxRowTaken { id });
    let fate = store.fate(id).await.unwrap();
    let (seq, refused) = (Seq(2), false);
    assert_eq!(fate, Some(InboxFate::Taken { seq, refused }));
}

fn say(run: RunId, text: &str) -> InboxPost {
    let text = text.to_owned();
    InboxPost {
        id: InboxId::from_uuid(Uuid::now_v7()),
        run,
        by: Speaker::PERSON,
        at: moment(3),
        kind: InboxKind::Say { text },
    }
}

fn answer(run: RunId, question: &str, word: &str) -> InboxPost {
    InboxPost {
        kind: answer_kind(question, word),
        ..say(run, "")
    }
}

fn answer_kind(question: &str, word: &str) -> InboxKind {
    let id = word.to_owned();
    InboxKind::Answer {
        question: key(question),
        reply: AnswerReply::Option { id },
    }
}
