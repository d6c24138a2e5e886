use proptest::prelude::*;

use super::*;

#[test]
fn keys_follow_the_grammar() {
    for good in ["a", "council-1/opening-skeptic", "a/b/c-9"] {
        assert_eq!(Key::new(good).map(|k| k.to_string()), Ok(good.to_owned()));
    }
    for bad in [
        "", "/", "a/", "/a", "a//b", "A", "a b", "a@1", "a:x", "ä", "a_b",
    ] {
        assert_eq!(
            Key::new(bad),
            Err(KeyError::Malformed(bad.to_owned())),
            "{bad:?}"
        );
    }
    assert!(Key::new("a".repeat(201)).is_err());
}

#[test]
fn the_engine_keeps_its_rooms() {
    for room in ["run", "inbox/x", "money/cap-1"] {
        assert_eq!(Key::new(room), Err(KeyError::Engine(room.to_owned())));
        assert!(Key::engine(room).is_ok());
    }
    assert!(Key::new("runner/x").is_ok());
}

#[test]
fn record_keys_take_apart_what_keys_put_together() {
    let key = Key::new("a/b").unwrap();
    let record = key.attempt_part(3, "reserved");
    assert_eq!(record.as_str(), "a/b@3:reserved");
    assert_eq!(
        (
            record.key(),
            record.attempt(),
            record.part(),
            record.is_outcome()
        ),
        (key.clone(), Some(3), Some("reserved"), false)
    );
    assert!(key.outcome().is_outcome());
    for bad in ["a@0", "a@x", "a@1:", "a:B", "@1", ":x", "a@1@2", "a:b:c"] {
        assert!(bad.parse::<RecordKey>().is_err(), "{bad}");
    }
}

proptest! {
    #[test]
    fn record_keys_round_trip(key in "[a-z0-9-]{1,9}(/[a-z0-9-]{1,9}){0,3}", n in 1u32.., part in "[a-z-]{1,9}") {
        let text = format!("{key}@{n}:{part}");
        let parsed: RecordKey = text.parse().unwrap();
        prop_assert_eq!(parsed.as_str(), &text);
        prop_assert_eq!(parsed.attempt(), Some(n));
        let json = serde_json::to_string(&parsed).unwrap();
        prop_assert_eq!(serde_json::from_str::<RecordKey>(&json).unwrap(), parsed);
    }
}
