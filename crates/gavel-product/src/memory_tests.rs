//! What memory says to a stage, and what it does not.

use gavel_domain::{Speaker, Timestamp};
use gavel_memory::{ItemId, Kind, Memory, NewItem, Provenance, Stamp, Written, keep_written};
use gavel_models::Tier;
use gavel_testkit::ScriptedModel;

use super::*;
use crate::bench::{Bench, Cast, info};

const CAST: Cast<'_> = Cast {
    leader: "a/lead",
    stances: &[],
    auditor: "a/lead",
    judge: "a/lead",
};

async fn bench() -> Bench {
    let model = (info("a/lead", Tier::Premium), ScriptedModel::new());
    Bench::new(CAST, vec![model], &[]).await
}

fn write(checkout: &Path, new: NewItem) -> Written {
    let mut next = u128::from(Timestamp::now().as_microsecond().unsigned_abs()) << 64;
    let mut ids = || {
        next += 1;
        uuid::Uuid::from_u128(next)
    };
    let mut stamp = Stamp::new(Timestamp::now(), Speaker::PERSON, &mut ids);
    let mut memory = Memory::open(checkout).unwrap();
    memory.add(new, &mut stamp).unwrap()
}

fn trap(text: &str) -> NewItem {
    NewItem::new(Kind::Trap, text, Provenance::Person)
}

/// Asks once in a scope; what is told, as texts.
async fn told(bench: &Bench, scope: u32, query: &str) -> Vec<String> {
    let work = async |way: Way<'_>| {
        let scope = way.run.scope("stage", scope)?;
        recall(way, &scope, query).await
    };
    let notes = bench.drive(work).await.unwrap();
    notes.into_iter().map(|note| note.text).collect()
}

#[tokio::test]
async fn a_stage_is_told_what_fits_and_somebody_vouches_for() {
    let bench = bench().await;
    let checkout = bench.checkout();
    let ids: Vec<ItemId> = [
        trap("an import of bookmarks with commas in their tags breaks"),
        trap("dates are local in the export"),
    ]
    .into_iter()
    .flat_map(|new| write(&checkout, new).ids)
    .collect();
    let kept_apart = [
        trap("bookmarks and tags of mine").proposed(),
        NewItem {
            visibility: Visibility::Private,
            ..trap("bookmarks, tags: nobody else may know")
        },
        NewItem {
            visibility: Visibility::Machine,
            ..trap("bookmarks and their tags are slow here")
        },
    ];
    let project = project_key(None, &checkout);
    for new in kept_apart {
        let written = write(&checkout, new);
        let store = bench.bed.store();
        keep_written(store.as_ref(), &project, written)
            .await
            .unwrap();
    }
    let mut found = told(&bench, 1, "a bookmark manager with tags").await;
    found.sort();
    assert_eq!(
        found,
        [
            "an import of bookmarks with commas in their tags breaks",
            "bookmarks and their tags are slow here"
        ]
    );
    assert_eq!(
        told(&bench, 2, "a game of chess").await,
        Vec::<String>::new()
    );
    let facts: Vec<MemoryRecalled> = bench.facts().await;
    assert!(facts[0].items.contains(&ids[0].to_string()));
    assert_eq!(facts[1].unanswered, "", "it answered: there is nothing");

    // What was said is on record: what is written later changes nothing of it.
    drop(write(&checkout, trap("bookmarks without tags are lost")));
    assert_eq!(
        told(&bench, 1, "a bookmark manager with tags").await.len(),
        2
    );
    assert_eq!(
        told(&bench, 3, "a bookmark manager with tags").await.len(),
        3
    );
}

#[tokio::test]
async fn memory_that_is_too_slow_says_nothing_and_that_is_on_record() {
    let bench = bench().await;
    drop(write(&bench.checkout(), trap("bookmarks with tags break")));
    assert_eq!(told(&bench, 1, "bookmarks with tags").await.len(), 1);
    // Somebody holds the lock of the index.
    let index = bench.index_folder();
    let lock = std::fs::read_dir(index).unwrap().find_map(|file| {
        let path = file.unwrap().path();
        path.extension()?.eq("lock").then_some(path)
    });
    let lock = std::fs::File::open(lock.unwrap()).unwrap();
    lock.lock().unwrap();
    assert_eq!(
        told(&bench, 2, "bookmarks with tags").await,
        Vec::<String>::new()
    );
    lock.unlock().unwrap();
    let facts: Vec<MemoryRecalled> = bench.facts().await;
    assert_eq!(
        (facts[1].items.len(), facts[1].unanswered.as_str()),
        (0, TOO_SLOW)
    );
    assert_eq!(
        told(&bench, 2, "bookmarks with tags").await,
        Vec::<String>::new()
    );
    assert_eq!(told(&bench, 3, "bookmarks with tags").await.len(), 1);
}
