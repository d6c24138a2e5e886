use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::id::Kind;
use crate::item::Severity;
use crate::marks::Mark;
use gavel_rules::memory::Status;

fn id(number: u8) -> EventId {
    EventId(Uuid::from_u128(u128::from(number)))
}

fn item(number: u8) -> ItemId {
    ItemId::new(Kind::Trap, Uuid::from_u128(u128::from(number)))
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn event(number: u8, second: i64, change: Change) -> Event {
    Event {
        id: id(number),
        at: at(second),
        by: Some(Speaker::PERSON),
        item: item(1),
        change,
    }
}

fn text(text: &str) -> Box<Fields> {
    Box::new(Fields {
        text: Some(text.to_owned()),
        ..Fields::default()
    })
}

fn only(events: &[Event]) -> Item {
    let folded = fold(events);
    assert_eq!(folded.items.len(), 1);
    folded.items.into_values().next().unwrap()
}

#[test]
fn per_field_the_newest_wins_and_the_greater_id_breaks_a_tie() {
    let added = event(1, 10, Change::Added(text("first")));
    let severe = event(
        2,
        30,
        Change::Changed(Box::new(Fields {
            severity: Some(Severity::High),
            ..Fields::default()
        })),
    );
    let later = event(3, 20, Change::Changed(text("second")));
    let same_moment = event(4, 20, Change::Changed(text("third")));
    let folded = only(&[same_moment, severe, added, later]);
    assert_eq!(
        (folded.text.as_str(), folded.severity),
        ("third", Some(Severity::High))
    );
    assert_eq!((folded.created_at, folded.updated_at), (at(10), at(30)));
    assert_eq!(folded.acceptance, Acceptance::Proposed, "nobody vouched");
}

#[test]
fn retired_and_redacted_win_whenever_they_were_written() {
    let added = event(1, 10, Change::Added(text("words")));
    let retired = event(2, 5, Change::Retired);
    let redacted = event(3, 1, Change::Redacted);
    let changed = event(4, 99, Change::Changed(text("more words")));
    let gone = only(&[added.clone(), retired.clone(), changed.clone()]);
    assert_eq!(
        (gone.state, gone.text.as_str()),
        (State::Retired, "more words")
    );
    for events in [
        [
            added.clone(),
            retired.clone(),
            redacted.clone(),
            changed.clone(),
        ],
        [redacted, changed, retired, added],
    ] {
        let silent = only(&events);
        assert_eq!((silent.state, silent.text.as_str()), (State::Redacted, ""));
        assert!(!silent.is_live(at(100)) && !silent.is_trusted(at(100)));
    }
}

#[test]
fn a_change_without_its_item_is_incomplete_and_a_tombstone_is_nothing() {
    let tags = Fields {
        tags: Some(vec!["a".to_owned()]),
        ..Fields::default()
    };
    let orphan = event(1, 10, Change::Changed(Box::new(tags)));
    let folded = fold([&orphan]);
    assert_eq!((folded.items.len(), folded.incomplete.len()), (0, 1));
    let folded = fold([&event(1, 10, Change::Retired)]);
    assert_eq!((folded.items.len(), folded.incomplete.len()), (0, 0));
}

#[test]
fn what_an_agent_changes_after_a_person_vouched_does_not_count() {
    let agent = Speaker {
        role: Role::Guest,
        ..Speaker::ENGINE
    };
    let accepted = Fields {
        acceptance: Some(Acceptance::Accepted),
        ..*text("as seen")
    };
    let added = event(1, 10, Change::Added(text("first")));
    let unseen = Event {
        by: Some(agent),
        ..event(2, 20, Change::Changed(text("not seen")))
    };
    let accepted = event(3, 30, Change::Changed(Box::new(accepted)));
    let late = Event {
        by: Some(agent),
        ..event(4, 40, Change::Changed(text("too late")))
    };
    let gone = Event {
        by: Some(agent),
        ..event(5, 41, Change::Retired)
    };
    let folded = only(&[gone.clone(), late.clone(), accepted.clone(), unseen, added]);
    assert_eq!(
        (folded.text.as_str(), folded.state, folded.acceptance),
        ("as seen", State::Live, Acceptance::Accepted)
    );
    assert_eq!(folded.updated_at, at(30));
    // A person still changes and retires it, and a proposal is everybody's.
    let edited = event(6, 50, Change::Changed(text("edited")));
    let retired = event(7, 60, Change::Retired);
    let folded = only(&[accepted, late.clone(), edited, retired]);
    assert_eq!(
        (folded.text.as_str(), folded.state),
        ("edited", State::Retired)
    );
    let proposal = event(1, 10, Change::Added(text("first")));
    let folded = only(&[proposal, late, gone]);
    assert_eq!(
        (folded.text.as_str(), folded.state),
        ("too late", State::Retired)
    );
}

fn changes() -> impl Strategy<Value = Change> {
    let fields = (
        proptest::option::of("[a-c]{1,2}"),
        proptest::option::of(proptest::collection::vec("[a-c]", 0..3)),
        proptest::option::of(proptest::sample::select(vec![
            Acceptance::Proposed,
            Acceptance::Accepted,
            Acceptance::Rejected,
        ])),
        proptest::option::of(proptest::sample::select(vec![
            Status::Active,
            Status::Resolved,
            Status::Done,
        ])),
        proptest::option::of(proptest::sample::select(vec![
            Expiry::Never,
            Expiry::At(at(2)),
        ])),
    );
    let fields = fields.prop_map(|(text, tags, acceptance, status, expires_at)| {
        Box::new(Fields {
            text,
            tags,
            acceptance,
            status,
            expires_at,
            superseded_by: status.map(|_| item(2)),
            ..Fields::default()
        })
    });
    prop_oneof![
        6 => fields.clone().prop_map(Change::Changed),
        3 => fields.prop_map(Change::Added),
        2 => proptest::sample::select(Mark::ALL.to_vec()).prop_map(Change::Marked),
        1 => Just(Change::Retired),
        1 => Just(Change::Redacted),
    ]
}

/// Events with ids of their own, at few moments and of few items, so that they collide.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let by = proptest::sample::select(vec![Speaker::PERSON, Speaker::ENGINE]);
    let parts = (0_i64..4, 0_u8..3, by, changes());
    proptest::collection::vec(parts, 0..20).prop_map(|parts| {
        let numbered = parts.into_iter().zip(0_u8..);
        numbered
            .map(|((second, of, by, change), number)| Event {
                item: item(of),
                by: Some(by),
                ..event(number, second, change)
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn any_order_gives_the_same_items(
        (events, shuffled) in events().prop_flat_map(|events| {
            (Just(events.clone()), Just(events).prop_shuffle())
        })
    ) {
        let (one, other) = (fold(&events), fold(&shuffled));
        prop_assert_eq!(one.items, other.items);
        prop_assert_eq!(one.incomplete, other.incomplete);
    }
}
