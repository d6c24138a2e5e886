//! What a durable fact costs: appends to a fresh store against bare 4 KiB writes with fsync in the
//! same folder, taken in turns so that both see the same disk.
//!
//! `cargo run --release -p gavel-store --example append [FOLDER] [COUNT]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use gavel_domain::{Head, Key, Record, RecordDraft, RunId, TimerFired, Timestamp};
use gavel_store::{Access, Batch, Holder, Lease, SqliteStore, Store, StoreOptions};

type Outcome<T> = Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let parent = args.next().unwrap_or_else(|| ".".to_owned());
    let count: usize = args.next().map_or(Ok(5_000), |text| text.parse())?;
    let folder = tempfile::Builder::new()
        .prefix("gavel-append-")
        .tempdir_in(parent)?;
    let (mut bare, mut append) = measure(folder.path(), count).await?;
    bare.sort_unstable();
    append.sort_unstable();
    println!("{count} durable appends, microseconds");
    println!("{:<24} {:>8} {:>8}", "", "p50", "p99");
    for (name, times) in [
        ("bare 4 KiB write+fsync", &bare),
        ("append a fact", &append),
    ] {
        let (p50, p99) = (percentile(times, 50), percentile(times, 99));
        println!("{name:<24} {:>8} {:>8}", p50.as_micros(), p99.as_micros());
    }
    let ratio = |of| percentile(&append, of).as_secs_f64() / percentile(&bare, of).as_secs_f64();
    println!("{:<24} {:>8.2} {:>8.2}", "ratio", ratio(50), ratio(99));
    Ok(())
}

/// Times of bare writes and of appends, in turns.
async fn measure(folder: &Path, count: usize) -> Outcome<(Vec<Duration>, Vec<Duration>)> {
    let store = SqliteStore::open(StoreOptions::new(folder, Access::ReadWrite)).await?;
    let run = RunId::from_uuid(uuid::Uuid::now_v7());
    let holder = Holder {
        pid: std::process::id(),
        host: "bench".to_owned(),
        since: Timestamp::now(),
    };
    let lease = store.acquire(run, holder).await?;
    let mut head = Head::new(run, Timestamp::now());
    let mut bare = OpenOptions::new()
        .create_new(true)
        .append(true)
        .open(folder.join("bare"))?;
    let (mut bare_times, mut append_times) = (Vec::new(), Vec::new());
    for n in 0..count {
        bare_times.push(write_bare(&mut bare)?);
        let record = next_record(&lease, &head, n)?;
        head.apply(&record)?;
        let batch = Batch {
            records: vec![record],
            blobs: Vec::new(),
            ledger: Vec::new(),
            head: head.clone(),
            inbox_taken: Vec::new(),
        };
        let after = gavel_domain::Seq(u64::try_from(n)?);
        let start = Instant::now();
        store.commit(&lease, after, batch).await?;
        append_times.push(start.elapsed());
    }
    Ok((bare_times, append_times))
}

fn write_bare(file: &mut File) -> Outcome<Duration> {
    let page = [7; 4096];
    let start = Instant::now();
    file.write_all(&page)?;
    file.sync_all()?;
    Ok(start.elapsed())
}

fn next_record(lease: &Lease, head: &Head, n: usize) -> Outcome<Record> {
    let key = Key::new(format!("bench-1/fact-{n}"))?;
    let draft = RecordDraft::new(key.outcome(), &TimerFired {})?;
    let place = (head.seq.next(), lease.epoch);
    Ok(draft.place(lease.run, place, Timestamp::now(), head.chain))
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let place = sorted.len().saturating_sub(1) * percent / 100;
    sorted.get(place).copied().unwrap_or_default()
}
