use super::*;

const fn usage(input: u64, cache_read: u64, cache_write: u64, output: u64) -> TokenUsage {
    TokenUsage {
        input: Tokens(input),
        cache_read: Tokens(cache_read),
        cache_write: Tokens(cache_write),
        output: Tokens(output),
    }
}

fn call(key: &str, usage: TokenUsage) -> CallSeen {
    CallSeen {
        key: key.to_owned(),
        model: "fake/one".to_owned(),
        role: Role::Coder,
        stage: Some(Stage::Building),
        end: CallEnd::Replied,
        usage,
        cost: Some(MicroUsd(usage.total().0)),
        claimed: None,
        expected_input: None,
        caches: false,
        blocks: Some(Vec::new()),
    }
}

fn block(text: &str) -> BlockSeen {
    BlockSeen {
        digest: Digest::of(text),
        bytes: text.len() as u64,
    }
}

#[test]
fn nothing_is_made_of_nothing() {
    assert_eq!(analyse_calls(&[]), Forensics::default());
}

#[test]
fn totals_peaks_and_the_part_of_the_cache() {
    let lost = CallSeen {
        end: CallEnd::Lost,
        cost: Some(MicroUsd(77)),
        ..call("c@1", usage(0, 0, 0, 0))
    };
    let unpriced = CallSeen {
        cost: None,
        ..call("d@1", usage(10, 0, 0, 5))
    };
    let lost_unpriced = CallSeen {
        cost: None,
        ..lost.clone()
    };
    let of = |end, key| CallSeen {
        end,
        ..call(key, usage(0, 0, 0, 0))
    };
    let found = analyse_calls(&[
        call("a@1", usage(100, 900, 0, 10)),
        call("b@1", usage(300, 0, 200, 10)),
        lost,
        unpriced,
        of(CallEnd::UnderWay, "e@1"),
        of(CallEnd::Released, "f@1"),
        lost_unpriced.clone(),
    ]);
    assert_eq!(
        (found.known_lost(), found.lost_unpriced),
        (Some(MicroUsd(77)), 1)
    );
    let alone = analyse_calls(&[lost_unpriced]);
    assert_eq!((alone.known_cost(), alone.known_lost()), (None, None));
    assert_eq!(
        (found.replies, found.lost, found.under_way, found.released),
        (3, 2, 1, 1)
    );
    assert_eq!(found.tokens, usage(410, 900, 200, 25));
    assert_eq!(
        (found.cost, found.lost_ceiling),
        (MicroUsd(1_520), MicroUsd(77))
    );
    assert_eq!(found.unpriced, 1);
    assert_eq!(found.cache_ratio, Some(900 * 1_000 / 1_510));
    let peak = |key: &str, tokens| {
        Some(Peak {
            key: key.to_owned(),
            tokens: Tokens(tokens),
        })
    };
    assert_eq!(found.peak_input, peak("a@1", 1_000));
    assert_eq!(found.peak_fresh, peak("b@1", 500));
    assert!(found.findings.is_empty(), "{:?}", found.findings);
}

/// A call and what is odd about it.
type Case = (TokenUsage, bool, Option<u64>, &'static [&'static str]);

#[test]
fn what_is_odd_about_a_call() {
    let cases: &[Case] = &[
        (usage(80_000, 0, 0, 1), false, None, &[]),
        (usage(80_001, 0, 0, 1), false, None, &["much_fresh_input"]),
        // From the cache it is not fresh; written to the cache it is.
        (usage(1, 200_000, 0, 1), true, None, &[]),
        (usage(1, 0, 80_000, 1), true, None, &["much_fresh_input"]),
        (usage(0, 0, 0, 0), true, None, &["no_usage"]),
        (usage(0, 0, 0, 7), false, None, &["no_usage"]),
        (usage(7, 0, 0, 0), false, None, &["no_usage"]),
        (usage(0, 7, 0, 7), false, None, &[]),
        (usage(50_000, 0, 0, 1), true, None, &[]),
        (usage(50_001, 0, 0, 1), true, None, &["no_cache"]),
        (usage(50_001, 0, 0, 1), false, None, &[]),
        (usage(50_001, 1, 0, 1), true, None, &[]),
        (
            usage(99_999, 0, 0, 1),
            true,
            None,
            &["much_fresh_input", "no_cache"],
        ),
        (
            usage(999, 0, 0, 1),
            false,
            Some(10_000),
            &["below_estimate"],
        ),
        (usage(1_000, 0, 0, 1), false, Some(10_000), &[]),
        (usage(99, 900, 1, 1), false, Some(10_000), &[]),
        // Too little was expected to say anything, or nothing was counted at all.
        (usage(10, 0, 0, 1), false, Some(999), &[]),
        (usage(0, 0, 0, 1), false, Some(10_000), &["no_usage"]),
    ];
    for (usage, caches, expected, codes) in cases {
        let seen = CallSeen {
            caches: *caches,
            expected_input: expected.map(Tokens),
            ..call("a@1", *usage)
        };
        let found = analyse_calls(&[seen]);
        let odd: Vec<_> = found.findings.iter().map(|odd| odd.oddity.code()).collect();
        assert_eq!(odd, *codes, "{usage:?} {caches} {expected:?}");
        assert!(
            found
                .findings
                .iter()
                .all(|odd| !odd.oddity.told().is_empty())
        );
    }
}

#[test]
fn a_model_whose_cache_was_used_once_is_known_to_have_one() {
    let cold = call("a@1", usage(60_000, 0, 0, 5));
    let warm = call("b@1", usage(10, 0, 5, 5));
    assert!(
        analyse_calls(std::slice::from_ref(&cold))
            .findings
            .is_empty()
    );
    let found = analyse_calls(&[cold, warm]);
    assert_eq!(found.findings.len(), 1);
    assert_eq!(found.findings[0].key, "a@1");
    assert_eq!(found.findings[0].oddity.code(), "no_cache");
}

#[test]
fn calls_without_a_reply_are_not_odd() {
    for end in [CallEnd::Lost, CallEnd::UnderWay, CallEnd::Released] {
        let seen = CallSeen {
            end,
            ..call("a@1", usage(0, 0, 0, 0))
        };
        let found = analyse_calls(&[seen]);
        assert!(
            found.findings.is_empty() && found.dearest.is_empty(),
            "{end:?}"
        );
    }
}

#[test]
fn the_same_block_again_is_counted_with_its_length() {
    let (long, short) = ("x".repeat(1_000), "y".repeat(10));
    let with = |key: &str, blocks: &[&str]| CallSeen {
        blocks: Some(blocks.iter().map(|text| block(text)).collect()),
        ..call(key, usage(1, 0, 0, 1))
    };
    let gone = CallSeen {
        blocks: None,
        ..call("d@1", usage(1, 0, 0, 1))
    };
    let found = analyse_calls(&[
        with("a@1", &[&long, &short]),
        with("b@1", &[&long, &short, &short]),
        with("c@1", &[&long, &short, "once"]),
        gone,
    ]);
    let repeated: Vec<_> = found
        .repeated
        .iter()
        .map(|block| (block.times, block.bytes, block.again()))
        .collect();
    assert_eq!(repeated, [(3, 1_000, 2_000), (4, 10, 30)]);
    assert_eq!(found.repeated_bytes, 2_030);
    assert_eq!(found.sent_bytes, 3_044);
    assert_eq!(found.without_texts, 1);
}

#[test]
fn the_dearest_calls_come_first_and_only_a_few() {
    let mut calls: Vec<_> = (1..=9)
        .map(|n| call(&format!("a{n}@1"), usage(n, 0, 0, 1)))
        .collect();
    let keys = |calls: &[CallSeen]| -> Vec<String> {
        let dear = analyse_calls(calls).dearest;
        dear.into_iter().map(|call| call.key).collect()
    };
    assert_eq!(keys(&calls), ["a9@1", "a8@1", "a7@1", "a6@1", "a5@1"]);
    // Without a price the longest are told, after those that have one.
    for call in &mut calls[1..] {
        call.cost = None;
    }
    assert_eq!(keys(&calls), ["a1@1", "a9@1", "a8@1", "a7@1", "a6@1"]);
}

#[test]
fn a_count_that_was_not_possible_is_told_with_its_figure() {
    let seen = CallSeen {
        claimed: Some(ClaimSeen {
            tokens: Tokens(2_000_000_000),
            cost: MicroUsd(18_000_000_000),
        }),
        ..call("a", usage(7, 0, 0, 7))
    };
    let found = analyse_calls(&[seen, call("b", usage(7, 0, 0, 7))]).findings;
    let told: Vec<_> = found
        .iter()
        .map(|finding| (finding.key.as_str(), finding.oddity.code()))
        .collect();
    assert_eq!(told, [("a", "above_ceiling")]);
    assert_eq!(
        found[0].oddity.told(),
        "the provider counted 2000000000 tokens ($18000.00), more than was possible: booked was what \
         had been reserved"
    );
}
