use super::*;

use proptest::prelude::{Strategy, any, prop};

fn texts(range: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(any::<String>(), range)
}

fn steps() -> impl Strategy<Value = Step> {
    let parts = (
        texts(0..4),
        any::<u8>(),
        texts(0..3),
        texts(0..3),
        texts(0..3),
    );
    parts.prop_map(|(args, exit, has, lacks, error)| Step {
        args,
        exit,
        has,
        lacks,
        error,
    })
}

proptest::proptest! {
    #[test]
    fn what_is_written_is_read_again(
        file in prop::option::of(any::<String>()),
        steps in prop::collection::vec(steps(), 1..5),
    ) {
        let transcript = Transcript { file, steps };
        proptest::prop_assert_eq!(transcript.to_string().parse(), Ok(transcript));
    }
}

#[test]
fn what_is_no_transcript_is_named() {
    for (text, words) in [
        ("", "no line starts with `$`"),
        ("has x", "`has x` is no line"),
        ("$ list\nshows x", "`shows x` is no line"),
        ("$ list\nexit soon", "`exit soon` is no line"),
        ("$ list\nexit 300", "`exit 300` is no line"),
        ("$ list\nhas", "`has` is no line"),
        ("$ list\nfile x", "`file x` is no line"),
        ("$ add \"half", "has an open quote"),
        ("$ add \"half\\", "has an open quote"),
    ] {
        let problem = text.parse::<Transcript>().unwrap_err().to_string();
        assert!(problem.contains(words), "{text}: {problem}");
    }
}
