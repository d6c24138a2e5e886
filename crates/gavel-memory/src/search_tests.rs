use std::str::FromStr as _;

use gavel_rules::memory::Status;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::id::ItemId;
use crate::item::{Acceptance, State, Visibility};
use crate::marks::{Mark, Marks};

pub(crate) fn day(days: i64) -> Timestamp {
    Timestamp::from_second(days * 86_400).unwrap()
}

pub(crate) const TODAY: i64 = 20_000;

/// A trusted item of today.
pub(crate) fn item(number: u128, kind: Kind, text: &str) -> Item {
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
        changed_by: None,
        created_at: day(TODAY),
        updated_at: day(TODAY),
    }
}

pub(crate) fn query(text: &str) -> Query<'_> {
    Query {
        text,
        kinds: &[],
        standing: Standing::Live,
        limit: 9,
        floor: 0.0,
        now: day(TODAY),
        paths: &[],
    }
}

/// What a search gives that reads every item in full.
pub(crate) fn exact(items: &[Item], query: &Query<'_>) -> Vec<Found> {
    let ever = Timestamp::MIN;
    let indexed: Vec<&Item> = items.iter().filter(|item| item.is_live(ever)).collect();
    let profiles: Vec<Profile> = indexed.iter().map(|item| Profile::of(item)).collect();
    let terms = Sought::terms(query);
    let all = terms.words.union(&terms.paths).cloned().collect();
    let counts = super::rank::count(&profiles, &all);
    let sought = Sought::new(&terms, counts, indexed.len() as u64);
    let wanted = |item: &&Item| query.kinds.is_empty() || query.kinds.contains(&item.kind);
    let weighed = indexed
        .into_iter()
        .filter(wanted)
        .filter_map(|item| sought.weigh(item.clone(), query));
    sought.best(weighed.collect(), query.limit)
}

/// The last digits of the items that were found, in order.
pub(crate) fn numbers(found: &[Found]) -> Vec<u128> {
    let number = |found: &Found| {
        let text = found.item.id.to_string();
        u128::from_str_radix(text.get(text.len() - 4..).unwrap(), 16).unwrap()
    };
    found.iter().map(number).collect()
}

fn find(items: &[Item], query: &Query<'_>) -> Vec<u128> {
    numbers(&exact(items, query))
}

fn paths(list: &[&str]) -> Vec<RepoPath> {
    list.iter()
        .map(|path| RepoPath::new(*path).unwrap())
        .collect()
}

#[test]
fn rare_words_tags_titles_and_short_texts_weigh_more() {
    let mut tagged = item(
        1,
        Kind::Trap,
        "keep them in one place, and do not let them wander",
    );
    tagged.tags = vec!["retry".to_owned()];
    let mut titled = item(
        2,
        Kind::Trap,
        "keep them in one place, and do not let them wander",
    );
    titled.title = Some("Retry".to_owned());
    let plain = item(
        3,
        Kind::Trap,
        "keep the retry in one place, and do not let it wander",
    );
    let much = "its waiting grows without end while the sender sleeps, ".repeat(9);
    let long = item(4, Kind::Trap, &format!("a retry has no limit, {much}"));
    let shelf = [long, plain, titled, tagged];
    assert_eq!(find(&shelf, &query("retries")), [1, 2, 3, 4]);

    let mut shelf: Vec<Item> = (1..=20)
        .map(|number| item(number, Kind::Trap, "the upload of a file"))
        .collect();
    shelf.push(item(30, Kind::Trap, "the walrus of a file"));
    let found = exact(&shelf, &query("upload walrus"));
    assert_eq!(numbers(&found)[0], 30, "the rare word decides");
    assert!(found[0].why.words[0].worth > found[1].why.words[0].worth);
}

#[test]
fn paths_are_found_by_their_words_and_by_themselves() {
    let mut about = item(1, Kind::Trap, "must stay small");
    about.paths = paths(&["src/http"]);
    let mut deeper = item(2, Kind::Trap, "must stay small too");
    deeper.paths = paths(&["src/http/client.rs"]);
    let other = item(3, Kind::Trap, "must stay small, whatever else");
    let shelf = [about, deeper, other];
    assert_eq!(find(&shelf, &query("http")), [1, 2]);
    assert_eq!(find(&shelf, &query("client.rs")), [2]);
    let asked = paths(&["src/http/server.rs"]);
    let with_path = Query {
        paths: &asked,
        ..query("")
    };
    assert_eq!(find(&shelf, &with_path), [1], "a folder above counts");
    let both = Query {
        text: "small",
        ..with_path
    };
    let found = exact(&shelf, &both);
    assert_eq!(numbers(&found)[0], 1);
    assert!(found[0].why.shares_path && !found[1].why.shares_path);
}

#[test]
fn what_is_over_or_not_wanted_is_never_found() {
    let base = |number| item(number, Kind::Trap, "the retry of uploads");
    let retired = Item {
        state: State::Retired,
        ..base(2)
    };
    let rejected = Item {
        acceptance: Acceptance::Rejected,
        ..base(3)
    };
    let resolved = Item {
        status: Status::from_str("resolved").unwrap(),
        ..base(4)
    };
    let expired = Item {
        expires_at: Some(day(TODAY - 1)),
        ..base(5)
    };
    let superseded = Item {
        superseded_by: Some(base(1).id),
        ..base(6)
    };
    let proposed = Item {
        acceptance: Acceptance::Proposed,
        ..base(7)
    };
    let shelf = [
        base(1),
        retired,
        rejected,
        resolved,
        expired,
        superseded,
        proposed,
    ];
    let with = |standing| Query {
        standing,
        ..query("retry")
    };
    assert_eq!(find(&shelf, &with(Standing::Live)), [1, 7]);
    assert_eq!(find(&shelf, &with(Standing::Trusted)), [1]);
    assert_eq!(find(&shelf, &with(Standing::Proposed)), [7]);
    let before = Query {
        now: day(TODAY - 2),
        ..with(Standing::Trusted)
    };
    assert_eq!(find(&shelf, &before), [1, 5], "its time was not over then");
}

#[test]
fn life_and_age_rank_and_never_hide() {
    let base = |number| item(number, Kind::Trap, "the retry of uploads");
    let marked = |number, mark| {
        let mut marked = base(number);
        marked.marks.take(mark, day(TODAY));
        marked
    };
    let mut old = base(2);
    (old.created_at, old.updated_at) = (day(TODAY - 400), day(TODAY - 400));
    let shelf = [
        marked(1, Mark::Contradicted),
        old,
        base(3),
        marked(4, Mark::Confirmed),
    ];
    let found = exact(&shelf, &query("retry upload"));
    assert_eq!(numbers(&found), [4, 3, 2, 1]);
    let floored = Query {
        floor: 0.55,
        ..query("retry upload")
    };
    assert_eq!(
        find(&shelf, &floored),
        [4, 3, 2, 1],
        "the floor asks for the fit"
    );
}

#[test]
fn the_floor_keeps_chance_out_of_short_and_long_queries() {
    let shelf = [
        item(
            1,
            Kind::Trap,
            "bookmarks that hold tags with commas break the import",
        ),
        item(2, Kind::Trap, "the manager wants a report every Monday"),
        item(3, Kind::Trap, "dates are local in the export"),
    ];
    let floored = |text| Query {
        floor: 0.55,
        ..query(text)
    };
    assert_eq!(find(&shelf, &floored("bookmark tags")), [1]);
    assert_eq!(find(&shelf, &floored("a bookmark manager with tags")), [1]);
    let long = "We want a program that keeps bookmarks of pages, sorts them by tags, imports what \
        browsers export, and shows them on one page that loads quickly on any phone.";
    assert_eq!(find(&shelf, &floored(long)), [1]);
    let other = "A game of chess with a clock, in which the report of all moves can be printed.";
    assert_eq!(find(&shelf, &floored(other)), Vec::<u128>::new());
}

#[test]
fn common_words_and_nothing_find_nothing_and_accents_do_not_matter() {
    let shelf = [
        item(1, Kind::Feedback, "sửa lỗi chính tả trước"),
        item(2, Kind::Feedback, "修正拼写错误"),
        item(3, Kind::Feedback, "un café crème"),
    ];
    assert_eq!(
        find(&shelf, &query("the of and in")),
        [1, 2, 3],
        "as without words"
    );
    assert_eq!(find(&shelf, &query("zebra")), Vec::<u128>::new());
    assert_eq!(find(&shelf, &query("lỗi")), [1]);
    assert_eq!(find(&shelf, &query("loi chinh ta")), [1]);
    assert_eq!(find(&shelf, &query("拼写")), [2]);
    assert_eq!(find(&shelf, &query("cafe")), [3]);
}

#[test]
fn ties_are_broken_by_id_whatever_the_order() {
    let same = |number| item(number, Kind::Trap, "the very same");
    let found = exact(&[same(3), same(1), same(2)], &query("same"));
    assert_eq!(numbers(&found), [1, 2, 3]);
    assert!(
        found
            .windows(2)
            .all(|pair| pair[0].score.to_bits() == pair[1].score.to_bits())
    );
}

#[test]
fn why_says_what_a_score_is_made_of() {
    let mut tagged = item(1, Kind::Trap, "a retry doubles the order");
    tagged.tags = vec!["retry".to_owned()];
    let found = exact(&[tagged], &query("retry zebra"));
    insta::assert_snapshot!(found[0].why, @"fits 0.57: retry (text, tag); life ×1.00, age ×1.00");
    assert_eq!(found[0].why.unknown, ["zebra"]);
    let fields = serde_json::to_value(&found[0].why.words[0].fields).unwrap();
    assert_eq!(fields, serde_json::json!(["text", "tag"]));
}

proptest! {
    #[test]
    fn scores_stay_between_nothing_and_one_and_do_not_depend_on_order(
        (texts, shuffled) in proptest::collection::vec("[a-f]{2,3}( [a-f]{2,3}){0,6}", 1..12)
            .prop_flat_map(|texts| {
                let numbered: Vec<(u128, String)> = (1..).zip(texts).collect();
                (Just(numbered.clone()), Just(numbered).prop_shuffle())
            }),
        text in "[a-f]{2,3}( [a-f]{2,3}){0,4}",
    ) {
        let items = |list: &[(u128, String)]| -> Vec<Item> {
            list.iter().map(|(number, text)| item(*number, Kind::Trap, text)).collect()
        };
        let one = exact(&items(&texts), &query(&text));
        prop_assert!(one.iter().all(|found| (0.0..=1.0).contains(&found.score)));
        prop_assert_eq!(one, exact(&items(&shuffled), &query(&text)));
    }
}

#[test]
fn a_name_counts_once_and_its_spellings_find_each_other() {
    let items = [
        item(1, Kind::Decision, "Postgres holds the reports"),
        item(2, Kind::Decision, "pg holds the invoices"),
        item(3, Kind::Trap, "an SQL injection in the search form"),
        item(4, Kind::Decision, "the C parser is kept"),
        item(5, Kind::Trap, "step c of the plan was forgotten"),
    ];
    assert_eq!(find(&items, &query("PostgreSQL reports")), [1, 2, 3]);
    assert_eq!(find(&items, &query("postgres"))[..2], [1, 2]);
    assert_eq!(find(&items, &query("pg"))[..2], [1, 2]);
    assert_eq!(find(&items, &query("C")), [4]);
    // One name of three terms weighs no more than another word.
    let found = exact(&items, &query("PostgreSQL reports"));
    let fit = |number: usize| found.get(number).unwrap().why.fit;
    assert!(fit(0) > 0.7 && fit(2) < 0.5, "{} {}", fit(0), fit(2));
}
