use proptest::prelude::*;

use super::*;

/// `s` system, `w` words, `r` reply, `o` results ("out"), each with its size.
fn messages(text: &str) -> Vec<MessageSize> {
    text.split_whitespace()
        .map(|word| word.split_at(1))
        .map(|(kind, size)| MessageSize {
            kind: match kind {
                "s" => MessageKind::System,
                "w" => MessageKind::Words,
                "r" => MessageKind::Reply,
                _ => MessageKind::Results,
            },
            tokens: Tokens(size.parse().unwrap()),
        })
        .collect()
}

fn rule(limit: u64, keep_turns: usize) -> CompactionRule {
    CompactionRule {
        limit: Tokens(limit),
        keep_turns,
        summary: Tokens(10),
    }
}

#[test]
fn the_limit_is_a_share_of_the_context_and_never_above_64_000() {
    for (context, limit) in [
        (8_000, 4_800),
        (100_000, 60_000),
        (200_000, 64_000),
        (1_000_000, 64_000),
        (u64::MAX, 64_000),
    ] {
        assert_eq!(
            CompactionRule::for_context(Tokens(context)).limit,
            Tokens(limit)
        );
    }
}

#[test]
fn old_turns_are_folded_and_the_last_ones_stay() {
    for (text, limit, keep, expected) in [
        ("s10 w10 r10 o10 r10 o10", 60, 1, None),
        ("s10 w10 r10 o10 r10 o10", 59, 1, Some(2..4)),
        ("s10 w10 r10 o10 r10 o10 r10 o10", 79, 2, Some(2..4)),
        // Two turns do not fit, so one stays.
        ("s10 w10 r10 o10 r10 o10 r10 o10", 60, 2, Some(2..6)),
        // Not even one fits: it stays all the same.
        ("s10 w10 r10 o10 r10 o900", 100, 2, Some(2..4)),
        // The only turn stays.
        ("s10 w10 r10 o900", 100, 2, None),
        // Words that lead to a reply stay with it.
        ("s10 w10 r10 o10 w10 r10 o10", 69, 1, Some(2..4)),
        ("s10 w10 w10 r10 o10 w10 r10", 69, 1, Some(2..5)),
        // An earlier summary is folded again, but not for its own sake.
        ("s10 w10 w10 r10 o10 r10 o10", 69, 1, Some(2..5)),
        ("s10 w10 w90 r10 o10", 99, 1, None),
        // A reply without calls.
        ("s10 w10 r10 w10 r10 w10 r10 o10", 79, 1, Some(2..5)),
        ("s10 w100", 50, 1, None),
        ("s100", 50, 1, None),
        ("", 0, 1, None),
    ] {
        let cut = plan_compaction(&messages(text), &rule(limit, keep));
        assert_eq!(cut, expected, "{text}, limit {limit}, keep {keep}");
    }
}

/// Conversations as the turn loop makes them.
fn conversations() -> impl Strategy<Value = Vec<MessageSize>> {
    let turn = (0..3usize, any::<bool>(), 1..500u64);
    prop::collection::vec(turn, 0..40).prop_map(|turns| {
        let message = |kind, tokens| MessageSize {
            kind,
            tokens: Tokens(tokens),
        };
        let mut all = vec![
            message(MessageKind::System, 100),
            message(MessageKind::Words, 50),
        ];
        for (words, calls, size) in turns {
            all.extend((0..words).map(|_| message(MessageKind::Words, 20)));
            all.push(message(MessageKind::Reply, size));
            if calls {
                all.push(message(MessageKind::Results, size * 3));
            }
        }
        all
    })
}

proptest! {
    #[test]
    fn pairs_stay_together_and_the_prefix_stays(
        all in conversations(),
        limit in 100..20_000u64,
        keep in 1..6usize,
    ) {
        let rule = rule(limit, keep);
        let Some(cut) = plan_compaction(&all, &rule) else {
            let replies = all.iter().filter(|m| m.kind == MessageKind::Reply).count();
            prop_assert!(sum(&all) <= rule.limit || replies < 2);
            return Ok(());
        };
        prop_assert!(sum(&all) > rule.limit);
        prop_assert_eq!(cut.start, 2);
        prop_assert!(cut.end < all.len());
        // Neither the first message after the cut nor the first of it is a result of something
        // on the other side.
        prop_assert_ne!(all[cut.end].kind, MessageKind::Results);
        prop_assert_ne!(all[cut.start].kind, MessageKind::Results);
        let kept = all[cut.end..].iter().filter(|m| m.kind == MessageKind::Reply).count();
        prop_assert!((1..=keep).contains(&kept));
        // More turns stay whenever they fit.
        let after = sum(&all[..2]) + sum(&all[cut.end..]) + rule.summary;
        prop_assert!(after <= rule.limit || kept == 1);
    }

    #[test]
    fn compacting_twice_in_a_row_changes_nothing_when_the_rest_fits(
        all in conversations(),
        limit in 2_000..20_000u64,
    ) {
        let rule = rule(limit, 4);
        if let Some(cut) = plan_compaction(&all, &rule) {
            let mut after = all.clone();
            let summary = MessageSize { kind: MessageKind::Words, tokens: rule.summary };
            after.splice(cut, [summary]);
            if sum(&after) <= rule.limit {
                prop_assert_eq!(plan_compaction(&after, &rule), None);
            }
        }
    }
}
