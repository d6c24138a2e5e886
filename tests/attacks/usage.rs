//! A provider that counts what cannot have been. No more is booked than was reserved, the figure is
//! told, and the model stops until a person agrees.

use gavel_domain::{CeilingBroken, TokenUsage, Tokens};
use gavel_testkit::FakeReply;

use crate::bench::{Bench, Ended, run_id};
use crate::seen::Seen;

const LIE: TokenUsage = TokenUsage {
    input: Tokens(1_000_000_000),
    cache_read: Tokens(0),
    cache_write: Tokens(0),
    output: Tokens(1_000_000_000),
};
const TRUE: TokenUsage = TokenUsage {
    input: Tokens(120),
    cache_read: Tokens(0),
    cache_write: Tokens(0),
    output: Tokens(7),
};

/// A bench with a second model of the same price.
fn bench() -> Bench {
    let bench = Bench::new();
    let mut own = std::fs::read_to_string(bench.own_file()).unwrap();
    own.push_str(
        "\n[[models.catalogue]]\nid = \"fake/other\"\nprice = { input = \"1\", output = \"2\" }\n",
    );
    std::fs::write(bench.own_file(), own).unwrap();
    bench
}

fn drafts<'a>(bench: &'a Bench, run: &'a str, model: &'a str) -> Vec<&'a str> {
    let mut args = bench.toy_args(run, &["--drafts", "2", "--in-turn"]);
    let at = args.iter().position(|arg| *arg == "fake/model").unwrap();
    args[at] = model;
    args
}

/// The drafts are bought, and the toy asks its own question.
fn goes_on(ended: &Ended) -> bool {
    ended.code == Some(3) && ended.stdout.contains("Which colour?")
}

#[test]
fn a_count_of_a_billion_tokens_books_no_more_than_was_reserved() {
    let bench = bench();
    let id = run_id().to_string();
    bench.server.push(FakeReply::text("a line").usage(LIE));
    let stopped = bench.run(&drafts(&bench, &id, "fake/model"));
    assert_eq!(stopped.code, Some(4), "{stopped:?}");
    let asks = "fake/model counted more than its calls could come to";
    assert!(stopped.stdout.contains(asks), "{stopped:?}");
    assert_eq!(bench.server.requests().len(), 1, "nothing more was sent");

    let usage = bench.json(&["usage"]);
    let cost = usage["cost_usd"].as_f64().unwrap();
    assert!(cost > 0.0 && cost < 1.0, "{usage}");
    assert_eq!(usage["above_ceiling"]["count"], 1, "{usage}");
    assert_eq!(usage["above_ceiling"]["claimed_usd"], 3000.0, "{usage}");
    let told = bench.run(&["usage"]);
    let line = "1 reply counted more than was possible ($3000.00 by the provider)";
    assert!(told.stdout.contains(line), "{told:?}");
    let odd = bench.json(&["usage", "forensics", &id]);
    assert_eq!(odd["findings"][0]["code"], "above_ceiling", "{odd}");
    let review = bench.run(&["review", &id]);
    let said = "a provider counted more than was possible, $3000.00 by its figures";
    assert!(review.stdout.contains(said), "{review:?}");

    let seen = Seen::of(&bench);
    let broken = seen.facts::<CeilingBroken>();
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0].claimed, Some(LIE));
    assert_eq!(broken[0].booked, Some(broken[0].ceiling));

    // The month has room for others: only this model asks.
    let next = "01890a5d-ac96-774b-bcce-b302099a8058";
    let other = bench.run(&drafts(&bench, next, "fake/other"));
    assert!(goes_on(&other), "{other:?}");
    let third = "01890a5d-ac96-774b-bcce-b302099a8059";
    let same = bench.run(&drafts(&bench, third, "fake/model"));
    assert_eq!(same.code, Some(4), "{same:?}");
    // And it goes on once a person agrees.
    let agreed = bench.run(&["answer", &id, "allow", "--resume"]);
    assert!(goes_on(&agreed), "{agreed:?}");
}

#[test]
fn a_count_that_is_possible_is_booked_exactly() {
    let bench = bench();
    let id = run_id().to_string();
    bench.server.push(FakeReply::text("a line").usage(TRUE));
    bench.server.push(FakeReply::text("a line").usage(TRUE));
    let done = bench.run(&drafts(&bench, &id, "fake/model"));
    assert!(goes_on(&done), "{done:?}");
    let usage = bench.json(&["usage"]);
    assert_eq!(usage["cost_usd"], 0.000_268, "{usage}");
    assert_eq!(usage["input_tokens"], 240, "{usage}");
    assert_eq!(usage["output_tokens"], 14, "{usage}");
    assert_eq!(usage["above_ceiling"]["count"], 0, "{usage}");
    let told = bench.run(&["usage"]);
    assert!(!told.stdout.contains("more than was possible"), "{told:?}");
    assert!(!Seen::of(&bench).holds("ceiling_broken"));
}
