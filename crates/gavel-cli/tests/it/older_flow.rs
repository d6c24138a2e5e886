//! Runs of an older Gavel: they are read, and given up, and not replayed under other keys.

use gavel_store::Store as _;
use gavel_testkit::open_store;

use crate::bench::{Bench, run_id};
use crate::usage::Book;

#[test]
fn a_run_of_an_older_flow_is_read_and_not_driven() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let records = runtime.block_on(async {
        let store = open_store(&bench.state()).await;
        drop(Book::begin(store.as_ref(), run_id(), "2026-11-14T10:00:00Z").await);
        store.head(run_id()).await.unwrap().unwrap().seq
    });
    let refused = bench.run(&["resume", &id]);
    assert_eq!(refused.code, Some(8), "{refused:?}");
    for told in ["was started by an older gavel", "gavel abort"] {
        assert!(refused.stderr.contains(told), "{told}: {refused:?}");
    }
    for reads in ["status", "review", "replay"] {
        let read = bench.run(&[reads, &id]);
        assert_eq!(read.code, Some(0), "{reads}: {read:?}");
    }
    let after = runtime.block_on(async {
        let store = open_store(&bench.state()).await;
        store.head(run_id()).await.unwrap().unwrap().seq
    });
    assert_eq!(records, after, "nothing was written");
    let given_up = bench.run(&["abort", &id]);
    assert_eq!(given_up.code, Some(0), "{given_up:?}");
    let status = bench.json(&["status", &id]);
    assert_eq!(status["state"], "aborted", "{status}");
}
