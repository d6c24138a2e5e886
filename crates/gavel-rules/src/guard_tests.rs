use proptest::prelude::*;

use super::*;

/// A letter is a call; a digit after it tells results apart.
fn story(text: &str) -> Vec<SeenCall> {
    text.split_whitespace()
        .map(|word| SeenCall {
            call: Digest::of(word.trim_end_matches(|c: char| c.is_ascii_digit())),
            result: Digest::of(word),
        })
        .collect()
}

/// The verdict after each call: `.` fine, `n` nudge, `S` stop.
fn verdicts(text: &str) -> String {
    let calls = story(text);
    (1..=calls.len())
        .map(|until| match judge_calls(&calls[..until]) {
            Verdict::Fine => '.',
            Verdict::Nudge { .. } => 'n',
            Verdict::Stop { .. } => 'S',
        })
        .collect()
}

#[test]
fn repetitions_are_noticed() {
    for (calls, expected) in [
        ("", ""),
        ("a", "."),
        ("a a", ".."),
        ("a a a", "..n"),
        ("a a a a a a", "..n.SS"),
        // The same call with another result is progress.
        ("a1 a2 a3 a4 a5 a6", "......"),
        // Others in between do not hide a repetition.
        ("a b c a d e a f g a h i a", "......n.....S"),
        // Two in turn.
        ("a b a b", "...n"),
        ("a b a b a b a b", "...n...S"),
        // Two in turn with results that change.
        ("a1 b1 a2 b2 a3 b3 a4 b4", "........"),
        // A third call breaks the turns.
        ("a b a c a d", "....n."),
        // An edit and its undoing, each reported as done.
        ("x y x y x y x y", "...n...S"),
    ] {
        assert_eq!(verdicts(calls), expected, "{calls}");
    }
}

#[test]
fn only_the_last_twenty_count() {
    let others = |n: usize| {
        (0..n)
            .map(|n| format!("q{n}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let spread = |gap| vec!["a".to_owned(); 5].join(&format!(" {} ", others(gap)));
    // The fillers repeat themselves, so only the last verdict is of interest.
    let last = |text: &str| judge_calls(&story(text));
    let far = format!("a a a a {} a", others(19));
    assert_eq!(last(&far), Verdict::Fine);
    let near = format!("a a a a {} a", others(15));
    let reason = Repetition::SameCall { times: 5 };
    assert_eq!(last(&near), Verdict::Stop { reason });
    assert_eq!(last(&spread(3)), Verdict::Stop { reason });
    assert_eq!(last(&spread(4)), Verdict::Fine);
}

#[test]
fn reasons_are_sentences() {
    insta::assert_snapshot!(Repetition::SameCall { times: 5 }, @"the same tool call gave the same result 5 times in the last 20 calls");
    insta::assert_snapshot!(Repetition::PingPong { rounds: 4 }, @"the same two tool calls took turns 4 times with the same results");
}

fn calls(kinds: u8) -> impl Strategy<Value = Vec<SeenCall>> {
    let one = (0..kinds, 0..2u8).prop_map(|(call, result)| SeenCall {
        call: Digest::of([call]),
        result: Digest::of([call, result]),
    });
    prop::collection::vec(one, 0..60)
}

proptest! {
    #[test]
    fn what_is_older_than_the_window_does_not_matter(old in calls(3), new in calls(3)) {
        prop_assume!(new.len() >= GUARD_WINDOW);
        let both: Vec<_> = old.into_iter().chain(new.iter().copied()).collect();
        prop_assert_eq!(judge_calls(&both), judge_calls(&new));
    }

    #[test]
    fn five_equal_of_twenty_stop_and_different_ones_never(history in calls(4)) {
        for until in 1..=history.len() {
            let seen = &history[..until];
            let window = &seen[until.saturating_sub(GUARD_WINDOW)..];
            let times = window.iter().filter(|call| **call == seen[until - 1]).count();
            let verdict = judge_calls(seen);
            let stopped = matches!(verdict, Verdict::Stop { .. });
            if times >= 5 {
                prop_assert!(stopped);
            }
            if times < 3 {
                let ping_pong = Repetition::PingPong { rounds: 2 };
                let calm = verdict == Verdict::Fine
                    || verdict == Verdict::Nudge { pattern: ping_pong };
                prop_assert!(calm, "{:?}", verdict);
            }
        }
    }

    #[test]
    fn calls_that_all_differ_are_fine(n in 0..50u8) {
        let history: Vec<_> = (0..n)
            .map(|n| SeenCall { call: Digest::of([n]), result: Digest::of(b"same") })
            .collect();
        prop_assert_eq!(judge_calls(&history), Verdict::Fine);
    }
}
