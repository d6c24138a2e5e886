use gavel_domain::Timestamp;
use gavel_workspace::RepoPath;
use uuid::Uuid;

use super::*;
use crate::id::ItemId;
use crate::item::{Acceptance, State, Visibility};
use crate::marks::Marks;

fn item(number: u128, kind: Kind, text: &str) -> Item {
    Item {
        id: ItemId::new(kind, Uuid::from_u128(number)),
        kind,
        title: None,
        text: text.to_owned(),
        tags: Vec::new(),
        paths: Vec::new(),
        severity: None,
        acceptance: Acceptance::Accepted,
        visibility: Visibility::Shared,
        state: State::Live,
        status: kind.course().first(),
        expires_at: None,
        superseded_by: None,
        marks: Marks::default(),
        provenance: None,
        by: None,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

fn shelf() -> Vec<Item> {
    let mut tagged = item(3, Kind::Decision, "keep them in one place");
    tagged.tags = vec!["retry".to_owned()];
    let mut about = item(4, Kind::Constraint, "must stay small");
    about.paths = vec![RepoPath::new("src/retry.rs").unwrap()];
    vec![
        item(1, Kind::Trap, "a retry after a timeout doubles the order"),
        item(
            2,
            Kind::Trap,
            "the retry of uploads has no limit, and its waiting grows without an end in sight",
        ),
        tagged,
        about,
        item(5, Kind::Trap, "dates are local in the export"),
        item(6, Kind::Feedback, "sửa lỗi chính tả trước"),
    ]
}

fn found(query: &str, kinds: &[Kind], limit: usize) -> Vec<u128> {
    let shelf = shelf();
    let ranked = rank(shelf.iter(), query, Wanted { kinds, limit });
    let number = |recalled: &Recalled| {
        let text = recalled.item.id.to_string();
        u128::from_str_radix(text.get(text.len() - 1..).unwrap(), 16).unwrap()
    };
    ranked.iter().map(number).collect()
}

#[test]
fn tags_and_short_texts_weigh_more() {
    assert_eq!(
        found("retries, and the retry", &[], 9),
        Vec::<u128>::from([3, 1, 4, 2])
    );
    assert_eq!(found("retry timeout", &[], 1), [1]);
}

#[test]
fn kinds_and_limits_choose_and_do_not_change_the_order() {
    assert_eq!(found("retry", &[Kind::Trap], 9), [1, 2]);
    assert_eq!(found("retry", &[Kind::Trap, Kind::Constraint], 2), [1, 4]);
    assert_eq!(found("retry", &[Kind::Vision], 9), Vec::<u128>::new());
}

#[test]
fn common_words_and_nothing_find_nothing() {
    assert_eq!(found("the of and in", &[], 9), Vec::<u128>::new());
    assert_eq!(found("", &[], 9), Vec::<u128>::new());
    assert_eq!(found("zebra", &[], 9), Vec::<u128>::new());
    assert_eq!(found("lỗi", &[], 9), [6]);
}

#[test]
fn ties_are_broken_by_id_whatever_the_order() {
    let same = |number| item(number, Kind::Trap, "the very same");
    let shelf = [same(3), same(1), same(2)];
    let wanted = Wanted {
        kinds: &[],
        limit: 9,
    };
    let ranked = rank(shelf.iter(), "same", wanted);
    let ids: Vec<_> = ranked.iter().map(|recalled| recalled.item.id).collect();
    assert_eq!(ids, [same(1).id, same(2).id, same(3).id]);
    let scores: Vec<_> = ranked
        .iter()
        .map(|recalled| recalled.score.to_bits())
        .collect();
    assert!(scores.windows(2).all(|pair| pair[0] == pair[1]));
}
