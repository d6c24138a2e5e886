use std::collections::BTreeMap;

use super::*;

fn words(list: &[(&str, usize)]) -> Option<BTreeMap<String, usize>> {
    let words = list
        .iter()
        .map(|(word, level)| ((*word).to_owned(), *level));
    Some(words.collect())
}

fn document(name: &str, base: i64, list: &[(&str, usize)]) -> IndexDocument {
    IndexDocument {
        name: name.to_owned(),
        base: base * INDEX_ROOM,
        body: format!("body of {name}"),
        words: words(list),
    }
}

fn list(word: &str, level: usize) -> PostingList {
    PostingList {
        word: word.to_owned(),
        level,
        places: (0, i64::MAX),
    }
}

async fn put(index: &TextIndex, after: u64, documents: Vec<IndexDocument>) -> u64 {
    let change = IndexChange {
        after,
        documents,
        ..IndexChange::default()
    };
    index.apply(&change).await.unwrap()
}

async fn counts(index: &TextIndex, word: &str) -> Vec<[u32; INDEX_LEVELS]> {
    let found = index.words(&[&word.to_owned()]).await.unwrap().words;
    found.into_iter().map(|word| word.counts).collect()
}

#[tokio::test]
async fn documents_are_listed_by_word_level_and_place_and_leave_without_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/index.db");
    let (index, origin) = TextIndex::open(&path, "a").await.unwrap();
    assert_eq!(origin, IndexOrigin::Made);
    let one = document("one", 1, &[("retry", 3), ("src_a", 0), ("拼写", 1)]);
    let two = document("two", 1, &[("retry", 3)]);
    let far = document("far", 9, &[("retry", 1)]);
    let mut silent = document("silent", 9, &[]);
    silent.words = None;
    let after = put(&index, 0, vec![one, two, far, silent]).await;
    assert_eq!(index.total().await.unwrap(), (1, 3));
    let lists = [
        list("retry", 3),
        list("retry", 1),
        list("拼写", 1),
        list("none", 0),
    ];
    let (base, high) = (INDEX_ROOM, 9 * INDEX_ROOM);
    assert_eq!(
        index.postings(&lists, 9).await.unwrap(),
        [vec![base + 1, base], vec![high], vec![base], vec![]]
    );
    let near = PostingList {
        places: (0, base),
        ..list("retry", 3)
    };
    assert_eq!(index.postings(&[near], 9).await.unwrap(), [[base]]);
    assert_eq!(index.postings(&lists[..1], 1).await.unwrap(), [[base + 1]]);
    assert_eq!(counts(&index, "retry").await, [[0, 1, 0, 2]]);
    assert_eq!(counts(&index, "src_a").await, [[1, 0, 0, 0]]);

    // One changes, another goes.
    let change = IndexChange {
        after,
        gone: ["far".to_owned()].into(),
        documents: vec![document("one", 1, &[("upload", 2)])],
        ..IndexChange::default()
    };
    index.apply(&change).await.unwrap();
    assert_eq!(counts(&index, "retry").await, [[0, 0, 0, 1]]);
    assert_eq!(
        counts(&index, "src_a").await,
        Vec::<[u32; INDEX_LEVELS]>::new()
    );
    assert_eq!(
        index.postings(&lists, 9).await.unwrap(),
        [vec![base + 1], vec![], vec![], vec![]]
    );
    let body = index.document("one").await.unwrap();
    assert_eq!(body.as_deref(), Some("body of one"));
    assert_eq!(index.document("far").await.unwrap(), None);
    assert_eq!(index.names_ending("o", 9).await.unwrap(), ["two"]);
    assert_eq!(index.total().await.unwrap(), (2, 2));
}

#[tokio::test]
async fn lines_go_with_their_source() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let (index, _) = TextIndex::open(&path, "a").await.unwrap();
    let line = |source: &str, subject: &str, text: &str| IndexLine {
        source: source.to_owned(),
        subject: subject.to_owned(),
        text: text.to_owned(),
    };
    let stamp = |text: &str| Some(text.to_owned());
    let change = IndexChange {
        sources: [
            ("a/1".to_owned(), stamp("x")),
            ("b/1".to_owned(), stamp("y")),
        ]
        .into(),
        marks: [("a/".to_owned(), stamp("now"))].into(),
        lines: vec![
            line("a/1", "one", "{1}"),
            line("b/1", "one", "{2}"),
            line("b/1", "two", "{3}"),
        ],
        ..IndexChange::default()
    };
    index.apply(&change).await.unwrap();
    let about = index.lines_about(&["one".to_owned()]).await.unwrap();
    assert_eq!(about, change.lines[..2]);
    let subjects = index.subjects_in(&["b/1".to_owned()]).await.unwrap();
    assert_eq!(subjects, ["one", "two"]);
    let sources = index.sources("b/").await.unwrap();
    assert_eq!(sources, [("b/1".to_owned(), "y".to_owned())].into());
    let gone = IndexChange {
        after: 1,
        sources: [("b/1".to_owned(), None)].into(),
        marks: [("a/".to_owned(), None)].into(),
        ..IndexChange::default()
    };
    index.apply(&gone).await.unwrap();
    assert_eq!(index.lines_about(&["two".to_owned()]).await.unwrap(), []);
    assert_eq!(index.marks().await.unwrap(), BTreeMap::new());
    assert_eq!(index.sources("").await.unwrap().len(), 1);
}

#[tokio::test]
async fn whoever_comes_second_looks_again_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let (one, _) = TextIndex::open(&path, "a").await.unwrap();
    let (other, origin) = TextIndex::open(&path, "a").await.unwrap();
    assert_eq!(origin, IndexOrigin::Kept);
    put(&one, 0, vec![document("one", 1, &[("retry", 3)])]).await;
    let change = IndexChange {
        documents: vec![document("late", 1, &[("retry", 3)])],
        ..IndexChange::default()
    };
    let refused = other.apply(&change).await.unwrap_err();
    assert!(matches!(refused, IndexError::Moved { .. }));
    assert_eq!(other.document("late").await.unwrap(), None);
    put(&other, 1, change.documents).await;
    assert_eq!(one.total().await.unwrap(), (2, 2));
}

#[tokio::test]
async fn what_is_damaged_or_of_another_form_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let (index, _) = TextIndex::open(&path, "a").await.unwrap();
    put(&index, 0, vec![document("one", 1, &[("retry", 3)])]).await;
    index.close().await.unwrap();
    let (index, origin) = TextIndex::open(&path, "b").await.unwrap();
    assert!(matches!(origin, IndexOrigin::Remade { .. }));
    assert_eq!(index.total().await.unwrap(), (0, 0));
    index.close().await.unwrap();
    std::fs::write(
        &path,
        "no database at all, but long enough to be looked at".repeat(40),
    )
    .unwrap();
    let (index, origin) = TextIndex::open(&path, "b").await.unwrap();
    assert!(matches!(origin, IndexOrigin::Remade { .. }), "{origin:?}");
    put(&index, 0, vec![document("one", 1, &[("retry", 3)])]).await;
    index.close().await.unwrap();
    std::fs::write(&path, "").unwrap();
    let (_, origin) = TextIndex::open(&path, "b").await.unwrap();
    assert!(matches!(origin, IndexOrigin::Remade { .. }), "{origin:?}");
}

#[tokio::test]
async fn damage_that_is_met_later_is_told_and_remade_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let (index, _) = TextIndex::open(&path, "a").await.unwrap();
    let many = (0..400).map(|n| document(&format!("document {n}"), n, &[("retry", 3)]));
    put(&index, 0, many.collect()).await;
    index.close().await.unwrap();
    // Everything but the first pages, which say what the file is.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4096 * 12..].fill(7);
    std::fs::write(&path, bytes).unwrap();
    let (index, origin) = TextIndex::open(&path, "a").await.unwrap();
    assert_eq!(origin, IndexOrigin::Kept);
    let met = index.sources("").await.err();
    let met = met.or(index.names_ending("7", 900).await.err()).unwrap();
    assert!(matches!(met, IndexError::Damaged { .. }), "{met:?}");
    let index = index.remake("a").await.unwrap();
    assert_eq!(index.total().await.unwrap(), (0, 0));
    put(&index, 0, vec![document("one", 1, &[("retry", 3)])]).await;
    // Whoever still holds the old file does not delete the new one.
    let (late, _) = TextIndex::open(&path, "a").await.unwrap();
    let late = TextIndex { inode: 0, ..late };
    let late = late.remake("a").await.unwrap();
    assert_eq!(late.total().await.unwrap(), (1, 1));
}
