//! A planted set: thirty topics whose evidence is known, seats that follow a script.
//!
//! Ten have a false claim in two drafts: beside a heading, beside words of the line that says otherwise, and
//! beside the whole of that line; ten are settled
//! by one item of memory among a thousand; ten are clear. A few are always tried, all with
//! `cargo xtask test --with council`; they print what they took.

use gavel_domain::{Speaker, Timestamp};
use gavel_memory::{Kind, Memory, NewItem, Provenance, Stamp};
use gavel_testkit::{FakeReply, FakeServer, SeenRequest, asked_for, fake_server};
use serde_json::{Value, json};

use crate::council::Project;
use crate::council_debate::{leader_says, shape};
use crate::studio::{Served, Speaks};

/// What is chosen between, in each group.
const PAIRS: [[&str; 2]; 10] = [
    ["Redis", "Valkey"],
    ["Kafka", "NATS"],
    ["MySQL", "MariaDB"],
    ["React", "Svelte"],
    ["Tokio", "Smol"],
    ["Nginx", "Caddy"],
    ["Docker", "Podman"],
    ["Terraform", "Pulumi"],
    ["Vim", "Emacs"],
    ["Rust", "Zig"],
];
/// A busy machine may take its time; how fast memory is, is measured elsewhere.
const PATIENT: &str = "memory.recall_ms=5000";

/// How many items of memory one decisive one stands among.
const OTHERS: usize = 1_000;

/// The pairs that are tried: so many of them, or all.
fn tried(few: usize) -> &'static [[&'static str; 2]] {
    match asked_for("council") {
        true => &PAIRS,
        false => &PAIRS[..few],
    }
}

/// A project with a line about each pair, of which the first held more.
fn project() -> Project {
    let project = Project::new();
    let lines = PAIRS.map(|[one, other]| format!("{one} held four writers; {other} held one.\n"));
    let facts = format!("# Facts\n\n{}", lines.concat());
    std::fs::write(project.folder().join("facts.md"), facts).unwrap();
    project
}

/// The citation of the line about a pair, with words of it.
fn shown(pair: &[&str; 2]) -> String {
    let place = PAIRS.iter().position(|other| other == pair).unwrap();
    format!("facts.md:{} \"{} held four writers\"", place + 3, pair[0])
}

/// The same with the whole line.
fn shown_whole(pair: &[&str; 2]) -> String {
    let place = PAIRS.iter().position(|other| other == pair).unwrap();
    let [one, other] = *pair;
    format!(
        "facts.md:{} \"{one} held four writers; {other} held one.\"",
        place + 3
    )
}

/// A seat that says what its script makes of a request: an option, words, citations.
fn scripted(
    script: impl Fn(&str) -> (&'static str, String, Vec<String>) + Send + 'static,
) -> FakeServer {
    let rule = move |seen: &SeenRequest| {
        let (option, text, cites) = script(&seen.body.to_string());
        let choices = json!([
            {"decision": "choice", "option": option, "confidence": 80, "cites": cites},
        ]);
        let said = match shape(seen) {
            Some("opening") => json!({"text": text, "choices": choices, "assumptions": []}),
            Some("turn") => json!({"text": text, "choices": choices}),
            Some("verdict") => leader_says("verdict"),
            other => json!({ "not_for_a_seat": other }),
        };
        FakeReply::text(&said.to_string())
    };
    fake_server().rule(rule).start()
}

fn leader([one, other]: [&'static str; 2]) -> FakeServer {
    let rule = move |seen: &SeenRequest| {
        let Some(wanted) = shape(seen) else {
            return FakeReply::text("nothing was found");
        };
        let mut said = leader_says(wanted);
        if wanted == "plan" {
            let third = json!({"name": "Operator", "lens": "You run it at night.", "focus": ""});
            said["stances"].as_array_mut().unwrap().push(third);
            said["decisions"] = json!([
                {"id": "choice", "question": "Which one?", "options": [one, other]},
            ]);
        }
        if wanted == "synthesis" {
            said["decisions"] = json!([{"id": "choice", "why": "as it was counted"}]);
        }
        FakeReply::text(&said.to_string())
    };
    fake_server().rule(rule).start()
}

/// What a debate took.
struct Took {
    calls: usize,
    cost_usd: f64,
}

/// What a debate came to, and what it took.
fn held(project: &Project, pair: [&'static str; 2], seats: [FakeServer; 3]) -> (Value, Took) {
    let lead = leader(pair);
    let served = |name, server| Served {
        name,
        server,
        speaks: Speaks::OpenAi,
    };
    let [left, mid, right] = &seats;
    project.studio.set(
        "[models]\npaid = \"agreed\"\n\n[models.slots]\nleader = \"lead/rules\"\n\
         stances = [\"left/rules\", \"mid/rules\", \"right/rules\"]\n",
        &[
            served("left", left),
            served("mid", mid),
            served("right", right),
            served("lead", &lead),
        ],
    );
    let topic = format!("{} or {} for the orders?", pair[0], pair[1]);
    let council = project
        .studio
        .bench
        .json(&["council", &topic, "--no-clarify", "-c", PATIENT]);
    let asked = seats.iter().chain([&lead]);
    let calls = asked.map(|server| server.requests().len()).sum();
    seats.into_iter().chain([lead]).for_each(FakeServer::finish);
    let cost_usd = council["cost_usd"].as_f64().unwrap();
    (council, Took { calls, cost_usd })
}

/// Prints a line of the table in docs/benchmarks.md.
fn told(group: &str, took: &[Took]) {
    let topics = took.len();
    let calls: usize = took.iter().map(|one| one.calls).sum();
    let most = took.iter().map(|one| one.calls).max().unwrap();
    let cost: f64 = took.iter().map(|one| one.cost_usd).sum();
    let cents = cost * 100.0 / f64::from(u32::try_from(topics).unwrap());
    println!(
        "planted: {group}: {topics} topics, {} calls each, at most {most}, {cents:.2} cents each at 1 and 2 \
         dollars per million tokens",
        calls / topics
    );
}

#[test]
fn no_false_claim_wins_by_a_line_that_exists() {
    let project = project();
    let mut took = Vec::new();
    for (place, pair) in tried(3).iter().enumerate() {
        let [one, other] = *pair;
        // A heading, words of the very line that says otherwise, or all of it.
        let (claim, source) = match place % 3 {
            0 => ("is forty times faster on the moon", "facts.md:1".to_owned()),
            1 => ("held four writers", shown(pair)),
            _ => ("held four writers", shown_whole(pair)),
        };
        let liar = || {
            let (text, source) = (
                format!("{other} {claim} [CONFIRMED via {source}]."),
                source.clone(),
            );
            scripted(move |_| ("B", text.clone(), vec![source.clone()]))
        };
        let cite = shown(pair);
        let honest = scripted(move |_| {
            let text = format!("{one} took four writers [CONFIRMED via {cite}].");
            ("A", text, vec![cite.clone()])
        });
        let (council, calls) = held(&project, *pair, [liar(), liar(), honest]);
        let decision = &council["decisions"][0];
        assert_ne!(decision["option"], 1, "{one} {council}");
        assert_ne!(council["stop"], "drafts_agree", "{one} {council}");
        assert_ne!(council["badge"], "high", "{one} {council}");
        took.push(calls);
    }
    told("a false claim in two drafts", &took);
}

#[test]
fn what_is_clear_is_not_debated() {
    let project = project();
    let (mut took, mut spared) = (Vec::new(), 0);
    for pair in tried(1) {
        let [one, _] = *pair;
        let seat = || {
            let cite = shown(pair);
            scripted(move |_| {
                let text = format!("{one} took four writers [CONFIRMED via {cite}].");
                ("A", text, vec![cite.clone()])
            })
        };
        let (council, calls) = held(&project, *pair, [seat(), seat(), seat()]);
        assert_eq!(council["decisions"][0]["option"], 0, "{one} {council}");
        spared += usize::from(council["stop"] == "drafts_agree");
        took.push(calls);
    }
    assert!(2 * spared >= took.len(), "{spared} of {}", took.len());
    told("a clear one", &took);
}

/// Writes a thousand notes about other things, and an item against the second of each pair. The ids of
/// those, in the order of the pairs.
fn remembered(project: &Project) -> Vec<String> {
    let mut next = u128::from(Timestamp::now().as_microsecond().unsigned_abs()) << 64;
    let mut ids = || {
        next += 1;
        uuid::Uuid::from_u128(next)
    };
    let mut stamp = Stamp::new(Timestamp::now(), Speaker::PERSON, &mut ids);
    let mut memory = Memory::open(&project.folder()).unwrap();
    let decisive = PAIRS.map(|[_, other]| {
        let text = format!("{other} lost forty orders in the spring audit.");
        NewItem::new(Kind::Trap, text, Provenance::Person)
    });
    let others = (0..OTHERS).map(|number| {
        let kind = [Kind::Trap, Kind::Decision, Kind::RuntimeNote][number % 3];
        let text = format!("Shelf {number} of the archive holds the orders of customer {number}.");
        NewItem::new(kind, text, Provenance::Person)
    });
    let all = decisive.into_iter().chain(others).collect();
    let written = memory.add_all(all, &mut stamp).unwrap();
    let ids = written.ids.iter().take(PAIRS.len());
    ids.map(ToString::to_string).collect()
}

#[test]
fn one_decisive_item_among_a_thousand_is_not_missed() {
    let project = project();
    let ids = remembered(&project);
    let mut took = Vec::new();
    for (pair, id) in tried(1).iter().zip(&ids) {
        let [_, other] = *pair;
        let seat = || {
            let cite = format!("memory:{id} \"{other} lost forty orders\"");
            let id = id.clone();
            scripted(move |request| match request.contains(&id) {
                true => {
                    let text = format!("{other} lost forty orders [CONFIRMED via {cite}].");
                    ("A", text, vec![cite.clone()])
                }
                // Whoever was not shown it chooses what lost.
                false => ("B", format!("{other} is common [UNVERIFIED]."), Vec::new()),
            })
        };
        let (council, calls) = held(&project, *pair, [seat(), seat(), seat()]);
        assert_eq!(council["decisions"][0]["option"], 0, "{other} {council}");
        assert_eq!(council["density"], 1.0, "{other} {council}");
        took.push(calls);
    }
    told("one decisive item among a thousand", &took);
}
