//! Lines of project memory: kept once, replaced, dropped, per project.

use futures_util::future::join_all;
use uuid::Uuid;

use super::StoreUnderTest;

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn line(number: u128, text: &str) -> (Uuid, String) {
    (id(number), text.to_owned())
}

/// Lines come back in the order of their events, of their own project only, also after reopening.
pub async fn lines_are_kept_once_per_project<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    assert_eq!(store.memory_lines("here").await.unwrap(), [""; 0]);
    let odd = "\u{fc}\n\u{0}\"";
    let lines = vec![line(2, "two"), line(1, odd)];
    for _ in 0..2 {
        store
            .keep_memory_lines("here", lines.clone())
            .await
            .unwrap();
    }
    let there = vec![line(1, "elsewhere")];
    store.keep_memory_lines("there", there).await.unwrap();
    let other = subject.open().await;
    assert_eq!(other.memory_lines("here").await.unwrap(), [odd, "two"]);
    assert_eq!(other.memory_lines("there").await.unwrap(), ["elsewhere"]);
    assert_eq!(subject.check().await, [""; 0]);
}

/// Only the named lines go, and only those of the project; one that is gone already is no trouble.
pub async fn a_dropped_line_is_gone<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let lines = vec![line(1, "one"), line(2, "two")];
    for project in ["here", "there"] {
        store
            .keep_memory_lines(project, lines.clone())
            .await
            .unwrap();
    }
    for _ in 0..2 {
        let gone = vec![id(1), id(9)];
        store.drop_memory_lines("here", gone).await.unwrap();
    }
    assert_eq!(store.memory_lines("here").await.unwrap(), ["two"]);
    assert_eq!(store.memory_lines("there").await.unwrap(), ["one", "two"]);
}

/// Words that are taken out stay in no file of the store.
pub async fn a_replaced_line_leaves_no_trace<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let words = "a-word-that-nobody-may-find";
    let keep = async |text: &str| {
        let lines = vec![line(1, text)];
        store.keep_memory_lines("here", lines).await.unwrap();
    };
    keep(words).await;
    assert!(subject.holds(words.as_bytes()));
    keep("nothing").await;
    assert_eq!(store.memory_lines("here").await.unwrap(), ["nothing"]);
    drop(store);
    assert!(!subject.holds(words.as_bytes()));
}

/// Handles that write at once all have their lines kept.
pub async fn writers_of_lines_lose_nothing<S: StoreUnderTest>() {
    let subject = S::fresh();
    let writers = (0..4_u128).map(async |writer| {
        let store = subject.open().await;
        for number in 0..8 {
            let text = format!("{writer}-{number}");
            let lines = vec![line(writer * 100 + number, &text)];
            store.keep_memory_lines("here", lines).await.unwrap();
        }
    });
    join_all(writers).await;
    let kept = subject.open().await.memory_lines("here").await.unwrap();
    assert_eq!(kept.len(), 32);
}

/// An agent that came is known, in its own project only, however often it comes.
pub async fn agents_are_known_per_project<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    assert_eq!(store.agents("here").await.unwrap(), [""; 0]);
    for second in [1, 2] {
        let at = gavel_domain::Timestamp::from_second(second).unwrap();
        store.see_agent("here", "critic", at).await.unwrap();
        store.see_agent("here", "author", at).await.unwrap();
    }
    let other = subject.open().await;
    assert_eq!(other.agents("here").await.unwrap(), ["author", "critic"]);
    assert_eq!(other.agents("there").await.unwrap(), [""; 0]);
    assert_eq!(subject.check().await, [""; 0]);
}
