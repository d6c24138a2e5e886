//! `gavel usage` and `gavel usage forensics` through the binary, over runs of the engine and over
//! journals that were written call by call.

use gavel_domain::{
    Aborted, Blob, BreakerTripped, CostPreviewed, Digest, Fact as _, Head, MicroUsd, ModelsChosen,
    Month, ProjectId, RecordDraft, Role, RouteDecided, RunId, RunStarted, Sealed, Seq, Settings,
    ShareExceeded, Speaker, SpendClass, Stage, StageEntered, Timestamp, TokenUsage, Tokens,
    UsageReserved, UsageSettled,
};
use gavel_models::{Message, MessageRole};
use gavel_offline::Offline;
use gavel_store::{Batch, CallId, Holder, Lease, LedgerChange, Reservation, Store};
use gavel_testkit::{SeenRequest, fake_server, model_rule, open_store};
use serde_json::{Value, json};

use crate::bench::{Bench, Ended, run_id};
use crate::studio::{IDEA, Served, Speaks, Studio, shape};

/// A run that shares the beginning of its id with that of [`run_id`].
fn sibling() -> RunId {
    "01890a5d-ac96-774b-bcce-b302099a9999".parse().unwrap()
}

fn micros(dollars: &Value) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "small sums of a test")]
    let micros = (dollars.as_f64().unwrap() * 1e6).round() as i64;
    micros
}

fn toy_run(bench: &Bench) -> String {
    let id = run_id().to_string();
    let ended = bench.run(&bench.toy_args(&id, &["--yes"]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    id
}

/// A journal with calls in it.
pub(crate) struct Book<'a> {
    store: &'a dyn Store,
    lease: Lease,
    head: Head,
    at: Timestamp,
}

/// One call of a journal.
struct Entry<'a> {
    key: &'a str,
    model: &'a str,
    usage: TokenUsage,
    cost: u64,
    input_max: u64,
    messages: Vec<Message>,
}

impl<'a> Book<'a> {
    pub(crate) async fn begin(store: &'a dyn Store, run: RunId, at: &str) -> Self {
        Self::begin_with(store, run, at, (None, None)).await
    }

    /// A run of a project that was given something.
    pub(crate) async fn begin_with(
        store: &'a dyn Store,
        run: RunId,
        at: &str,
        (project, brief): (Option<ProjectId>, Option<Blob>),
    ) -> Self {
        let at: Timestamp = at.parse().unwrap();
        let holder = Holder {
            pid: 1,
            host: "bed".to_owned(),
            since: at,
        };
        let lease = store.acquire(run, holder).await.unwrap();
        let head = Head::new(run, at);
        let mut book = Self {
            store,
            lease,
            head,
            at,
        };
        let started = RunStarted {
            flow: 1,
            driver: "product".to_owned(),
            seed: Digest::of("seed"),
            gavel: "0.1.0".to_owned(),
            settings: Settings::default(),
            project,
            brief: brief.as_ref().map(Blob::name),
        };
        let blobs = brief.into_iter().collect();
        book.write("run/started", &started, blobs, None).await;
        let stage = Stage::Building;
        book.write("stage/building", &StageEntered { stage }, Vec::new(), None)
            .await;
        book
    }

    async fn write<T: gavel_domain::Fact>(
        &mut self,
        key: &str,
        fact: &T,
        blobs: Vec<Blob>,
        ledger: Option<LedgerChange>,
    ) {
        let draft = RecordDraft::new(key.parse().unwrap(), fact).unwrap();
        let place = (self.head.seq.next(), self.lease.epoch);
        let record = draft.place(self.head.run, place, self.at, self.head.chain);
        let after = self.head.seq;
        self.head.apply(&record).unwrap();
        let batch = Batch {
            records: vec![record],
            blobs,
            ledger: ledger.into_iter().collect(),
            head: self.head.clone(),
            inbox_taken: Vec::new(),
        };
        self.store.commit(&self.lease, after, batch).await.unwrap();
    }

    async fn call(&mut self, entry: Entry<'_>) {
        let (key, model) = (entry.key, entry.model.to_owned());
        let mut blobs: Vec<_> = entry
            .messages
            .iter()
            .map(|message| Blob::new(serde_json::to_vec(message).unwrap()))
            .collect();
        let names: Vec<_> = blobs.iter().map(|blob| blob.name().digest).collect();
        let manifest = json!({ "model": model, "messages": names, "key": key });
        let manifest = Blob::new(serde_json::to_vec(&manifest).unwrap());
        let request = manifest.name();
        blobs.push(manifest);
        let call = CallId {
            run: self.head.run,
            key: format!("{key}@1:reserved").parse().unwrap(),
        };
        let (role, class) = (Role::Coder, SpendClass::Metered);
        let ceiling = MicroUsd(entry.cost + 10);
        let reservation = LedgerChange::Reserve(Reservation {
            call: call.clone(),
            month: Month::of(self.at),
            at: self.at,
            model: model.clone(),
            role,
            stage: self.head.stage,
            class,
            money: ceiling,
            tokens: Tokens(entry.input_max),
            caps: Vec::new(),
        });
        let reserved = UsageReserved {
            model: model.clone(),
            role,
            class,
            ceiling: Some(ceiling),
            input_max: Tokens(entry.input_max),
            output_max: Tokens(100),
            request,
        };
        let place = format!("{key}@1:reserved");
        self.write(&place, &reserved, blobs, Some(reservation))
            .await;
        let (cost, usage) = (MicroUsd(entry.cost), entry.usage);
        let settled = UsageSettled {
            model,
            usage,
            cost: Some(cost),
            input_max: Tokens(entry.input_max),
        };
        let change = LedgerChange::Settle {
            call,
            cost,
            usage,
            claimed: None,
        };
        let place = format!("{key}@1:settled");
        self.write(&place, &settled, Vec::new(), Some(change)).await;
    }

    /// As if it had gone the whole way with one model.
    async fn seal(mut self, route: &str) {
        let model = || "fake/model".to_owned();
        let chosen = ModelsChosen {
            leader: model(),
            stances: vec![model(), model()],
            coder: model(),
            auditor: model(),
            judge: Some(model()),
            rooms: std::collections::BTreeMap::new(),
            council: None,
        };
        self.write("models-1/chosen", &chosen, Vec::new(), None)
            .await;
        let decided = RouteDecided {
            route: route.to_owned(),
            sufficient: false,
            missing: Vec::new(),
            complexity: "high".to_owned(),
            size: "small".to_owned(),
            reasons: Vec::new(),
            inputs: None,
        };
        self.write("intake/route", &decided, Vec::new(), None).await;
        let sealed = Sealed {
            branch: "gavel/build-1".to_owned(),
            commit: "c".repeat(40),
            verdict: "certified".to_owned(),
        };
        self.write("seal/sealed", &sealed, Vec::new(), None).await;
    }

    async fn end(mut self) {
        let aborted = Aborted {
            by: Speaker::PERSON,
            reason: None,
        };
        self.write("run/aborted", &aborted, Vec::new(), None).await;
    }
}

fn usage(input: u64, cache_read: u64, output: u64) -> TokenUsage {
    TokenUsage {
        input: Tokens(input),
        cache_read: Tokens(cache_read),
        cache_write: Tokens(0),
        output: Tokens(output),
    }
}

/// Two calls of one model in a sealed run.
async fn write_sealed_run(store: &dyn Store, (run, route): (RunId, &str), cost: u64) {
    let mut book = Book::begin(store, run, "2026-11-14T10:00:00Z").await;
    for key in ["build-1/turn-1", "build-1/turn-2"] {
        let entry = Entry {
            key,
            model: "fake/model",
            usage: usage(1_000, 0, 100),
            cost,
            input_max: 1_000,
            messages: Vec::new(),
        };
        book.call(entry).await;
    }
    book.seal(route).await;
}

/// Three calls that begin with the same rules; the second is long and cold, the third is counted
/// wrong.
async fn write_odd_run(store: &dyn Store, run: RunId, at: &str) {
    let rules = format!("You are the coder. {}", "Keep to the contract. ".repeat(50));
    let mut system = Message::text(MessageRole::System, rules);
    let mut book = Book::begin(store, run, at).await;
    for (key, model, usage, cost, input_max) in [
        (
            "build-1/turn-1",
            "fake/model",
            usage(1_000, 500, 50),
            300,
            1_600,
        ),
        (
            "build-1/turn-2",
            "fake/model",
            usage(90_000, 0, 40),
            9_000,
            95_000,
        ),
        (
            "build-1/turn-3",
            "other/small",
            usage(10, 0, 20),
            100,
            4_000,
        ),
    ] {
        let own = Message::text(MessageRole::User, format!("do {key}"));
        // Where the cache ends differs from call to call; the message is the same.
        system.cache_here = !system.cache_here;
        let entry = Entry {
            key,
            model,
            usage,
            cost,
            input_max,
            messages: vec![system.clone(), own],
        };
        book.call(entry).await;
    }
    book.end().await;
}

fn write(bench: &Bench, runs: &[(RunId, &str)]) {
    with_store(bench, async |store| {
        for (run, at) in runs {
            write_odd_run(store, *run, at).await;
        }
    });
}

fn with_store<T>(bench: &Bench, work: impl AsyncFnOnce(&dyn Store) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = open_store(&bench.state()).await;
        work(store.as_ref()).await
    })
}

#[test]
fn every_heading_of_usage_adds_up_to_the_total() {
    let bench = Bench::new();
    write(&bench, &[(sibling(), "2026-11-14T23:59:00Z")]);
    let id = toy_run(&bench);
    for args in [&["usage"][..], &["usage", &id]] {
        let told = bench.json(args);
        assert_eq!(told["schema"], "gavel/usage/v1");
        for (heading, name) in [
            ("by_model", "model"),
            ("by_provider", "provider"),
            ("by_role", "role"),
            ("by_stage", "stage"),
            ("by_day", "day"),
        ] {
            let parts = told[heading].as_array().unwrap();
            assert!(parts.iter().all(|part| part[name].is_string()), "{told}");
            let sum = |field: &str| -> i64 {
                let counts = parts.iter().map(|part| part[field].as_i64().unwrap());
                counts.sum()
            };
            for field in ["calls", "input_tokens", "output_tokens", "unpriced"] {
                assert_eq!(sum(field), told[field].as_i64().unwrap(), "{heading}");
            }
            let cost: i64 = parts.iter().map(|part| micros(&part["cost_usd"])).sum();
            assert_eq!(cost, micros(&told["cost_usd"]), "{heading}");
        }
    }
    let all = bench.json(&["usage"]);
    let days = all["by_day"].as_array().unwrap();
    assert_eq!(days[0]["day"], "2026-11-14");
    assert_eq!(days[0]["calls"], 3);
    let providers: Vec<_> = all["by_provider"].as_array().unwrap().iter().collect();
    assert_eq!(providers[0]["provider"], "fake");
    assert_eq!(providers[1]["provider"], "other");
    let text = bench.run(&["usage"]).stdout;
    for heading in ["provider ", "model ", "role ", "stage ", "day "] {
        assert!(text.contains(&format!("\n{heading}")), "{heading}: {text}");
    }
}

#[test]
fn forensics_tells_peaks_oddities_repeats_and_what_was_dear() {
    let bench = Bench::new();
    write(&bench, &[(sibling(), "2026-11-14T10:00:00Z")]);
    let told = bench.json(&["usage", "forensics", &sibling().to_string()]);
    assert_eq!(told["schema"], "gavel/forensics/v1");
    assert_eq!(told["run"], sibling().to_string());
    assert_eq!(
        (&told["replies"], &told["lost"]["count"]),
        (&3.into(), &0.into())
    );
    assert_eq!(micros(&told["cost_usd"]), 9_400);
    assert_eq!(told["input_tokens"], 91_510);
    assert_eq!(told["fresh_input_tokens"], 91_010);
    assert_eq!(told["cache_ratio"], 0.005);
    assert_eq!(
        told["peak_input"],
        json!({ "key": "build-1/turn-2", "tokens": 90_000 })
    );
    assert_eq!(told["peak_fresh_input"]["tokens"], 90_000);
    let findings: Vec<_> = told["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| {
            (
                found["key"].as_str().unwrap(),
                found["code"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        findings,
        [
            ("build-1/turn-2", "much_fresh_input"),
            ("build-1/turn-2", "no_cache"),
            ("build-1/turn-3", "below_estimate"),
        ]
    );
    let repeated = told["repeated"].as_array().unwrap();
    assert_eq!(repeated.len(), 1, "{told}");
    assert_eq!(repeated[0]["times"], 3);
    let begins = repeated[0]["begins"].as_str().unwrap();
    assert!(begins.starts_with("You are the coder. Keep"), "{begins}");
    assert!(begins.ends_with('…'), "{begins}");
    let again = repeated[0]["again_bytes"].as_i64().unwrap();
    assert_eq!(told["repeated_bytes"], again);
    assert!(again > 2_000 && told["sent_bytes"].as_i64().unwrap() > again);
    let dear = &told["most_expensive"][0];
    assert_eq!(dear["key"], "build-1/turn-2");
    assert_eq!(
        (&dear["stage"], &dear["role"]),
        (&"building".into(), &"coder".into())
    );
    assert_eq!(told["calls_without_texts"], 0);

    let text = bench.run(&["usage", "forensics", &sibling().to_string()]);
    assert_eq!(text.code, Some(0), "{text:?}");
    for part in [
        "cost              $0.0094",
        "peak fresh input  90,000   build-1/turn-2",
        "0.5 % from a cache",
        "90000 input tokens came from no cache, more than 80000",
        "3 times",
        "“You are the coder. Keep to the contract.",
        "$0.009",
    ] {
        assert!(text.stdout.contains(part), "{part}\n{}", text.stdout);
    }
    assert!(!text.stdout.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn forensics_of_a_run_of_the_engine_agrees_with_usage() {
    let bench = Bench::new();
    let id = toy_run(&bench);
    let spent = bench.json(&["usage", &id]);
    // The newest, when none is named.
    let told = bench.json(&["usage", "forensics"]);
    assert_eq!(told["run"], id);
    assert_eq!(told["replies"], spent["calls"]);
    assert_eq!(told["cost_usd"], spent["cost_usd"]);
    assert_eq!(told["input_tokens"], spent["input_tokens"]);
    assert_eq!(told["output_tokens"], spent["output_tokens"]);
    assert_eq!(told["calls_without_texts"], 0);
    assert!(told["sent_bytes"].as_i64().unwrap() > 0);
}

#[test]
fn a_part_of_an_id_names_a_run_and_several_are_listed() {
    let bench = Bench::new();
    let at = "2026-11-14T10:00:00Z";
    write(&bench, &[(sibling(), at), (run_id(), at)]);
    let both = bench.run(&["usage", "forensics", "01890a5d"]);
    assert_eq!(both.code, Some(2), "{both:?}");
    for id in [run_id(), sibling()] {
        assert!(both.stderr.contains(&id.to_string()), "{both:?}");
    }
    assert!(both.stderr.contains("give more of the id"), "{both:?}");
    for part in [
        "01890a5d-ac96-774b-bcce-b302099a99",
        "99a9999",
        "01890a5dac96774bbcceb302099a9",
    ] {
        let one = bench.json(&["usage", "forensics", part]);
        assert_eq!(one["run"], sibling().to_string(), "{part}");
    }
    let none = bench.run(&["usage", "forensics", "ffff"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.stderr.contains("there is no run `ffff`"), "{none:?}");
}

#[test]
fn texts_of_old_runs_go_and_totals_stay() {
    let bench = Bench::new();
    write(&bench, &[(sibling(), "2026-01-10T10:00:00Z")]);
    let forensics = ["usage", "forensics", &sibling().to_string()].map(str::to_owned);
    let forensics: Vec<_> = forensics.iter().map(String::as_str).collect();
    let spend = ["usage", &sibling().to_string()].map(str::to_owned);
    let spend: Vec<_> = spend.iter().map(String::as_str).collect();
    let (before, spent) = (bench.json(&forensics), bench.json(&spend));
    assert_eq!(before["calls_without_texts"], 0);
    // Whoever drives tidies up after runs that ended longer ago than the setting says.
    let args = bench.toy_args("01890a5d-ac96-774b-bcce-b302099a0001", &["--yes"]);
    let keeps = bench.run(&[&["-c", "usage.retention_days=3650"], &args[..]].concat());
    assert_eq!(keeps.code, Some(0), "{keeps:?}");
    assert_eq!(bench.json(&forensics), before);
    let id = toy_run(&bench);

    let after = bench.json(&forensics);
    assert_eq!(after["calls_without_texts"], 3, "{after}");
    assert_eq!(after["repeated"], json!([]));
    for kept in [
        "replies",
        "cost_usd",
        "input_tokens",
        "cache_ratio",
        "findings",
        "most_expensive",
    ] {
        assert_eq!(after[kept], before[kept], "{kept}");
    }
    assert_eq!(bench.json(&spend), spent);
    let text = bench.run(&forensics).stdout;
    assert!(text.contains("The texts of 3 calls are gone"), "{text}");
    // The run that just ended keeps its texts.
    let young = bench.json(&["usage", "forensics", &id]);
    assert_eq!(young["calls_without_texts"], 0);
}

/// Starts a run that cannot pay its first call.
fn start(bench: &Bench) -> Ended {
    let id = run_id().to_string();
    let args = ["start", IDEA, "--into", "made", "--run", &id, "--max-cost"];
    let more = ["0.001", "--model", "fake/model", "--non-interactive"];
    bench.run(&[&args[..], &more].concat())
}

#[test]
fn what_a_run_may_cost_is_told_before_the_first_paid_call() {
    let bench = Bench::new();
    let begun = start(&bench);
    assert_eq!(begun.code, Some(4), "{begun:?}");
    // A dollar in, two out; no cheaper cache: six calls of $0.012 for a sprint.
    for told in [
        "This run may cost $",
        "  building   $0.15 to $0.58  2 to 8 sprints\n",
        "  council    $0.08 to $0.20\n",
        "The high end is above caps.run_usd ($0.001): the run pauses there and asks.\n",
    ] {
        assert!(begun.stderr.contains(told), "{told}\n{}", begun.stderr);
    }
    assert!(bench.server.requests().is_empty(), "nothing was sent");
    let records = with_store(&bench, async |store| {
        store.records(run_id(), Seq::ZERO, u32::MAX).await.unwrap()
    });
    let first = |kind: &str| records.iter().position(|record| record.kind == kind);
    assert_eq!(first(UsageReserved::KIND), None);
    let (told, refused) = (first(CostPreviewed::KIND), first(BreakerTripped::KIND));
    assert!(told.is_some() && told < refused, "{told:?} {refused:?}");
    // A drive that goes on tells nothing twice.
    let again = bench.run(&["resume", &run_id().to_string(), "--non-interactive"]);
    assert_eq!(again.code, Some(4), "{again:?}");
    assert!(!again.stderr.contains("may cost"), "{again:?}");
}

#[test]
fn a_model_without_a_price_cannot_be_projected() {
    let bench = Bench::new();
    let settings = std::fs::read_to_string(bench.own_file()).unwrap();
    let unpriced = settings.replace("price = ", "# ");
    std::fs::write(bench.own_file(), unpriced).unwrap();
    let begun = start(&bench);
    let told = "What this run may cost cannot be projected: the price of fake/model is not known.";
    assert!(begun.stderr.contains(told), "{begun:?}");
    assert!(
        begun.stderr.contains("building   cannot be projected"),
        "{begun:?}"
    );
}

#[test]
fn earlier_runs_with_the_same_models_are_what_a_preview_rests_on() {
    let bench = Bench::new();
    let id = |n: u32| -> RunId {
        let text = format!("01890a5d-ac96-774b-bcce-{n:012}");
        text.parse().unwrap()
    };
    with_store(&bench, async |store| {
        write_sealed_run(store, (id(1), "council"), 100_000).await;
        write_sealed_run(store, (id(2), "council"), 350_000).await;
        // Another way, and a run that never was sealed.
        write_sealed_run(store, (id(3), "hot_path"), 5_000_000).await;
        write_odd_run(store, id(4), "2026-11-14T10:00:00Z").await;
    });
    let begun = start(&bench);
    let told = "  building   $0.20 to $0.70  as in 2 earlier runs\n";
    assert!(begun.stderr.contains(told), "{begun:?}");
}

#[test]
fn a_stage_far_above_its_share_is_told_once_and_nothing_stops() {
    let answer = model_rule(Offline, shape);
    // The first reply is nearly as long as it may be; a token of it costs two micro-dollars.
    let rule = move |seen: &SeenRequest| {
        let reply = answer(seen);
        let most = seen.body["max_tokens"].as_u64().unwrap();
        match seen.n {
            0 => reply.usage(usage(100, 0, most * 9 / 10)),
            _ => reply,
        }
    };
    let server = fake_server().rule(rule).start();
    let settings =
        "[models]\npaid = \"agreed\"\nslots = { leader = \"left/rules\", stances = [] }\n";
    let model = Served {
        name: "left",
        server: &server,
        speaks: Speaks::Anthropic,
    };
    let studio = Studio::with(settings, &[model]);
    let begun = studio.start(&["--yes", "--max-cost", "0.03"]);
    let told = begun
        .stderr
        .matches("more than its share of $0.0045")
        .count();
    assert_eq!(told, 1, "{begun:?}");
    let records = with_store(&studio.bench, async |store| {
        store.records(run_id(), Seq::ZERO, u32::MAX).await.unwrap()
    });
    let shares: Vec<ShareExceeded> = records.iter().filter_map(|r| r.read().ok()).collect();
    assert_eq!(shares[0].stage, Stage::Discovery, "{shares:?}");
    assert_eq!(shares[0].share, MicroUsd(4_500));
    assert!(shares[0].spent > MicroUsd(6_750), "{shares:?}");
    let council = |record: &&gavel_domain::Record| {
        let entered = record.read::<StageEntered>();
        entered.is_ok_and(|entered| entered.stage == Stage::Council)
    };
    assert!(records.iter().find(council).is_some(), "it went on");
}
