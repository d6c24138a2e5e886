use super::*;

fn breach(scope: CapScope, limit: u64) -> Breach {
    Breach {
        cap: Cap { scope, limit },
        spent: 4_800_000,
        reserved: 0,
        projected: 421_350,
    }
}

fn labels(question: &Question) -> Vec<&str> {
    let options = question.card.options.iter();
    options.map(|option| option.label.as_str()).collect()
}

#[test]
fn a_cap_is_asked_about_with_its_numbers_and_what_is_enough() {
    let asked = breach(CapScope::RunUsd, 5_000_000).question();
    assert_eq!(
        asked.card.text,
        "The next call may cost up to $0.42135 and does not fit into caps.run_usd ($5.00): $4.80 \
         spent by this run. Raise it?"
    );
    let why = asked.card.why.unwrap();
    assert!(why.ends_with("from $5.23 on this call fits."), "{why}");

    let shared = Breach {
        reserved: 100_000,
        ..breach(CapScope::MonthUsd, 5_000_000)
    };
    let text = shared.question().card.text;
    let told = "$4.80 spent by all runs of this month, $0.10 held for calls under way.";
    assert!(text.contains(told), "{text}");

    let tokens = breach(CapScope::RunTokens, 5_000_000).question();
    let text = &tokens.card.text;
    assert!(text.contains("may take up to 421350 tokens"), "{text}");
    let why = tokens.card.why.unwrap();
    assert!(why.contains("from 5221350 tokens on"), "{why}");
}

#[test]
fn who_agrees_to_spend_reads_the_price_the_caps_and_for_how_long() {
    let price = Price {
        input: 1_000_000,
        output: 2_000_000,
        ..Price::FREE
    };
    let first = Doubt::FirstSpend {
        price: Some(price),
        ceiling: MicroUsd(2_100),
    };
    let asked = first.question("fake/model", &Caps::default());
    assert_eq!(
        asked.card.text,
        "This is the first call that costs money, to fake/model: $1.00 for a million tokens in, \
         $2.00 out, at most $0.0021 for this call. May runs spend up to their caps?"
    );
    let why = asked.card.why.clone().unwrap();
    assert!(
        why.contains("$5.00 in all (caps.run_usd), all runs together $50.00 a month"),
        "{why}"
    );
    assert_eq!(
        labels(&asked),
        [
            "Yes, this run and later ones, each within its caps",
            "No, stop here"
        ]
    );
    let lifted = Caps {
        run_usd: None,
        month_usd: None,
        run_tokens: None,
    };
    let why = first.question("fake/model", &lifted).card.why.unwrap();
    assert!(
        why.contains("no cap of its own (caps.run_usd), and there is none"),
        "{why}"
    );

    // A price that nobody knows is agreed to for the project, a broken ceiling for one run.
    for (doubt, yes) in [
        (
            Doubt::PriceUnknown,
            "Yes, and in later runs of this project",
        ),
        (Doubt::CeilingBroken(2), "Yes, in this run"),
    ] {
        let asked = doubt.question("fake/model", &lifted);
        assert_eq!(labels(&asked), [yes, "No, stop here"]);
    }
}
