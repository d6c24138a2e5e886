//! What a search costs: a memory of many items whose words are spread as in real texts, the time to
//! make its index, to notice one new file, and to answer.
//!
//! `cargo run --release -p gavel-memory --example search_bench [FOLDER] [ITEMS]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use gavel_domain::Timestamp;
use gavel_memory::{Kind, MEMORY_FOLDER, Query, Shelf, ShelfPlace, Standing};

type Outcome<T> = Result<T, Box<dyn Error>>;

const WORDS: usize = 50_000;
/// How much rarer each next word is.
const SKEW: f64 = 1.05;
const PER_FILE: usize = 10;
const MONTHS: usize = 24;
/// No word of these and a vowel has an ending to lose.
const LETTERS: &str = "bcdfghjklmnprtvw";
const QUERIES: usize = 1_000;
const TOP: usize = 8;
const COUNTS: u32 = 1_000_000;

#[tokio::main]
async fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let parent = args.next().unwrap_or_else(|| ".".to_owned());
    let items: usize = args.next().map_or(Ok(100_000), |text| text.parse())?;
    let folder = tempfile::Builder::new()
        .prefix("gavel-search-")
        .tempdir_in(parent)?;
    let checkout = fs::canonicalize(folder.path())?.join("checkout");
    let mut texts = Texts::new();
    let files = write(&checkout, items, &mut texts)?;
    println!("{items} items of about 24 words in {files} files");
    let place = ShelfPlace {
        cache: checkout.with_file_name("cache"),
        checkout,
        lines: Vec::new(),
    };
    let start = Instant::now();
    Shelf::open(&place).await?.close().await?;
    println!(
        "{:<44} {:>8.2} s",
        "making the index",
        start.elapsed().as_secs_f64()
    );
    let mut bytes = 0;
    for file in fs::read_dir(&place.cache)? {
        let file = fs::File::open(file?.path())?;
        // What was just written goes to the disk now, not in the middle of what is measured.
        file.sync_all()?;
        bytes += file.metadata()?.len();
    }
    println!("{:<44} {:>8} MB", "its size", bytes / 1_000_000);
    let start = Instant::now();
    let shelf = Shelf::open(&place).await?;
    println!(
        "{:<44} {:>8.2} ms",
        "opening it again",
        millis(start.elapsed())
    );
    println!(
        "{:<44} {:>8} {:>8} {:>8}",
        "milliseconds", "p50", "p99", "worst"
    );
    machine();
    searches(&shelf, &mut texts).await?;
    briefs(&shelf, &mut texts).await?;
    news(&shelf, &place.checkout, &mut texts).await
}

/// How even the machine is: the same work again and again, which takes about as long as a search.
/// Where this has a long tail, so has everything below.
fn machine() {
    let times = (0..QUERIES).map(|seed| {
        let start = Instant::now();
        let mut state = seed as u64 | 1;
        for _ in 0..COUNTS {
            state = std::hint::black_box(state.wrapping_mul(0x2545_F491_4F6C_DD1D).rotate_left(7));
        }
        start.elapsed()
    });
    print("the machine alone, counting", times.collect());
}

async fn searches(shelf: &Shelf, texts: &mut Texts) -> Outcome<()> {
    for (name, words) in [
        ("search, 1 to 3 words as they occur in texts", None),
        ("search, 12 words", Some(12)),
        ("search, a text of 4,000 characters", Some(usize::MAX)),
    ] {
        let mut times = Vec::new();
        let mut none = 0;
        for number in 0..QUERIES {
            let text = match words {
                None => texts.words(number % 3 + 1),
                Some(usize::MAX) => texts.long(4_000),
                Some(words) => texts.words(words),
            };
            let start = Instant::now();
            let found = shelf.find(&query(&text, &[])).await?;
            times.push(start.elapsed());
            none += usize::from(found.is_empty());
        }
        print(name, times);
        if none > 0 {
            println!("  {none} of {QUERIES} found nothing");
        }
    }
    Ok(())
}

/// What the brief of a loop takes from memory: the best of each kind for a long proposal.
async fn briefs(shelf: &Shelf, texts: &mut Texts) -> Outcome<()> {
    let mut times = Vec::new();
    for _ in 0..QUERIES / 5 {
        let text = texts.long(4_000);
        let start = Instant::now();
        for kind in Kind::ALL {
            shelf.find(&query(&text, &[kind])).await?;
        }
        times.push(start.elapsed());
    }
    print("the memory of a brief: 8 kinds, 8 items each", times);
    Ok(())
}

/// A search right after somebody wrote a file.
async fn news(shelf: &Shelf, checkout: &Path, texts: &mut Texts) -> Outcome<()> {
    let mut times = Vec::new();
    for _ in 0..100 {
        let place = checkout.join(MEMORY_FOLDER).join("2026-11");
        let name = texts.uuid();
        let line = texts.line(1_794_744_000)?;
        let hidden = place.join(".new");
        fs::write(&hidden, line)?;
        fs::rename(hidden, place.join(format!("{name}.jsonl")))?;
        let text = texts.words(2);
        let start = Instant::now();
        shelf.find(&query(&text, &[])).await?;
        times.push(start.elapsed());
    }
    print("search right after a new file", times);
    Ok(())
}

fn query<'a>(text: &'a str, kinds: &'a [Kind]) -> Query<'a> {
    Query {
        text,
        kinds,
        standing: Standing::Trusted,
        limit: TOP,
        floor: 0.0,
        now: Timestamp::from_second(1_794_800_000).unwrap_or_default(),
        paths: &[],
    }
}

fn print(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |percent: usize| {
        let place = times.len().saturating_sub(1) * percent / 100;
        times.get(place).copied().map_or(0.0, millis)
    };
    println!(
        "{name:<44} {:>8.2} {:>8.2} {:>8.2}",
        at(50),
        at(99),
        at(100)
    );
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Writes items into files, as many commands over two years would have.
fn write(checkout: &Path, items: usize, texts: &mut Texts) -> Outcome<usize> {
    let files = items.div_ceil(PER_FILE);
    for file in 0..files {
        let month = file * MONTHS / files;
        let folder = format!("{}-{:02}", 2024 + month.div_ceil(12), (month + 11) % 12 + 1);
        let folder = checkout.join(MEMORY_FOLDER).join(folder);
        fs::create_dir_all(&folder)?;
        let seconds = 1_733_000_000 + i64::try_from(file * 60_000_000 / files)?;
        let mut lines = String::new();
        for _ in 0..PER_FILE {
            lines.push_str(&texts.line(seconds)?);
        }
        fs::write(folder.join(format!("{}.jsonl", texts.uuid())), lines)?;
    }
    Ok(files)
}

/// Texts whose words are as unevenly spread as in real ones, the same at every run.
struct Texts {
    state: u64,
    /// The share of all words up to each.
    shares: Vec<f64>,
}

impl Texts {
    fn new() -> Self {
        let mut sum = 0.0;
        let mut shares: Vec<f64> = (1..=WORDS)
            .map(|rank| {
                sum += f64::from(u32::try_from(rank).unwrap_or(u32::MAX)).powf(-SKEW);
                sum
            })
            .collect();
        for share in &mut shares {
            *share /= sum;
        }
        Self {
            state: 0x9E37_79B9_7F4A_7C15,
            shares,
        }
    }

    fn number(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.number() % end
    }

    fn word(&mut self) -> String {
        let at = f64::from(u32::try_from(self.number() >> 32).unwrap_or(0)) / f64::from(u32::MAX);
        let rank = self.shares.partition_point(|share| *share < at);
        let mut word = String::new();
        let mut rest = rank + 1;
        while rest > 0 {
            word.extend(LETTERS.chars().nth(rest % 16));
            word.push('o');
            rest /= 16;
        }
        word
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }

    fn long(&mut self, chars: usize) -> String {
        let mut text = self.word();
        while text.len() < chars {
            text.push(' ');
            text.push_str(&self.word());
        }
        text
    }

    fn uuid(&mut self) -> String {
        let (one, other) = (self.number(), self.number());
        let digits = format!("{one:016x}{other:016x}");
        let mut text = String::new();
        for (place, digit) in digits.chars().enumerate() {
            if matches!(place, 8 | 12 | 16 | 20) {
                text.push('-');
            }
            text.push(digit);
        }
        text
    }

    /// An item as its file has it.
    fn line(&mut self, seconds: i64) -> Outcome<String> {
        let kind = usize::try_from(self.below(8))?;
        let kind = Kind::ALL.get(kind).copied().unwrap_or(Kind::Trap);
        let (event, item) = (self.uuid(), self.uuid());
        let words = 12 + usize::try_from(self.below(24))?;
        let (text, tag) = (self.words(words), self.word());
        let (folder, name) = (self.word(), self.word());
        let at = Timestamp::from_second(seconds)?;
        let mut line = String::new();
        writeln!(
            line,
            r#"{{"event":"added","id":"{event}","at":"{at}","item":"{}_{item}","text":"{text}","tags":["{tag}"],"paths":["src/{folder}/{name}.rs"],"acceptance":"accepted","visibility":"shared"}}"#,
            kind.prefix()
        )?;
        Ok(line)
    }
}
