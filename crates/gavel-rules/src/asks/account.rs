//! What a spec does about each ask: which claims of its writer hold, and which only are claims.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{Ask, AskAccount, AskStanding, ClaimDoubt, Criterion};

use super::is_carrier;
use crate::council::telling::{is_filling, same_form, same_word, words};

/// Of a criterion that is to serve more asks than this, the example has to show each.
const MOST_ASKS_OF_ONE: usize = 3;
/// Two words that begin alike for so long are forms of one: `category`, `categories`.
const SAME_BEGINNING: usize = 5;
/// By how much the ends of two such words may differ.
const MOST_ENDING: usize = 3;

/// What nearly every program does or has.
const USUAL: [&str; 20] = [
    "show", "list", "add", "keep", "track", "manage", "manager", "store", "save", "find", "search",
    "see", "get", "let", "thing", "item", "entry", "data", "print", "command",
];

/// The first words of those lines of an example that say what must come.
const COMES_OUT: [&str; 9] = [
    "exit", "has", "lacks", "error", "status", "json", "holds", "gone", "fixed",
];

/// What a spec says about one ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskClaim {
    /// Criteria serve it.
    Served(Vec<String>),
    /// Criteria serve what the writer guessed to be meant.
    Guessed(Vec<String>),
    /// It is left out, for this reason.
    LeftOut(String),
}

/// How far the word of whoever wrote the spec goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimCheck {
    /// The criteria exist. For runs from before words were compared, and for small changes, whose one
    /// criterion holds the request word for word.
    Existence,
    /// The criteria exist, and something in them is about the ask.
    Words,
}

/// The parts of a spec in which the words of asks are looked for.
#[derive(Debug, Clone, Copy)]
pub struct SpecWords<'a> {
    /// What the rules call the whole, after what they understood: the first thing that was asked for may
    /// be there by its name alone. What a model calls it says nothing, so there is none.
    pub title: Option<&'a str>,
    /// Its criteria.
    pub criteria: &'a [Criterion],
}

/// What every ask comes to. A claim counts only with criteria that exist or with a reason; what
/// nothing answers for is open. Where everything is left out, leaving out counts for nothing.
pub fn account_for(
    asks: Vec<Ask>,
    claims: &BTreeMap<String, AskClaim>,
    spec: SpecWords<'_>,
    check: ClaimCheck,
) -> Vec<AskAccount> {
    let busy = busy_criteria(&asks, claims);
    let account = |(place, ask): (usize, Ask)| {
        let standing = match claims.get(&ask.id) {
            _ if !ask.stands() => AskStanding::Reworded,
            Some(AskClaim::Served(ids)) => {
                let title = spec.title.filter(|_| place == 0);
                let own = SpecWords { title, ..spec };
                served(&ask, ids, own, (check, &busy))
            }
            Some(AskClaim::Guessed(ids)) => guessed(&ask, ids, spec, check),
            Some(AskClaim::LeftOut(reason)) if !reason.trim().is_empty() => AskStanding::Excluded {
                reason: reason.trim().to_owned(),
                agreed: false,
            },
            Some(AskClaim::LeftOut(_)) | None => AskStanding::Open,
        };
        AskAccount { ask, standing }
    };
    let mut accounts: Vec<AskAccount> = asks.into_iter().enumerate().map(account).collect();
    let nothing = accounts.iter().all(|one| one.criteria().is_empty());
    if check == ClaimCheck::Words && nothing {
        for account in accounts.iter_mut().filter(|one| one.stands()) {
            account.standing = AskStanding::Open;
        }
    }
    accounts
}

/// True where not one ask has a criterion that nobody doubts: what would be built may be something
/// else, and nobody but a person can say that it is not.
pub fn serves_nothing(accounts: &[AskAccount]) -> bool {
    let covered = |one: &AskAccount| match one.standing {
        AskStanding::Covered { .. } => true,
        AskStanding::Claimed { agreed, .. } => agreed,
        AskStanding::Excluded { .. } | AskStanding::Open | AskStanding::Reworded => false,
    };
    accounts.iter().any(AskAccount::stands) && !accounts.iter().any(covered)
}

/// A guess is not more than the writer's word.
fn guessed(ask: &Ask, ids: &[String], spec: SpecWords<'_>, check: ClaimCheck) -> AskStanding {
    let nobody_is_busy = BTreeSet::new();
    match served(ask, ids, spec, (check, &nobody_is_busy)) {
        AskStanding::Covered { criteria } if check == ClaimCheck::Words => AskStanding::Claimed {
            criteria,
            doubt: ClaimDoubt::Guessed,
            agreed: false,
        },
        standing @ (AskStanding::Covered { .. }
        | AskStanding::Claimed { .. }
        | AskStanding::Excluded { .. }
        | AskStanding::Open
        | AskStanding::Reworded) => standing,
    }
}

fn served(
    ask: &Ask,
    ids: &[String],
    spec: SpecWords<'_>,
    (check, busy): (ClaimCheck, &BTreeSet<&str>),
) -> AskStanding {
    let criteria = spec.criteria.iter();
    let there: Vec<&Criterion> = criteria.filter(|one| ids.contains(&one.id)).collect();
    if there.is_empty() {
        return AskStanding::Open;
    }
    let criteria = there.iter().map(|one| one.id.clone()).collect();
    let doubt = match check {
        ClaimCheck::Existence => None,
        ClaimCheck::Words => claim_doubt(ask, &there, spec, |id| busy.contains(id)),
    };
    match doubt {
        Some(doubt) => AskStanding::Claimed {
            criteria,
            doubt,
            agreed: false,
        },
        None => AskStanding::Covered { criteria },
    }
}

/// Criteria that are said to serve many asks.
fn busy_criteria<'a>(asks: &[Ask], claims: &'a BTreeMap<String, AskClaim>) -> BTreeSet<&'a str> {
    let mut served: BTreeMap<&str, usize> = BTreeMap::new();
    for ask in asks {
        if let Some(AskClaim::Served(ids) | AskClaim::Guessed(ids)) = claims.get(&ask.id) {
            let ids: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
            for id in ids {
                *served.entry(id).or_default() += 1;
            }
        }
    }
    let busy = served
        .into_iter()
        .filter(|(_, asks)| *asks > MOST_ASKS_OF_ONE);
    busy.map(|(id, _)| id).collect()
}

/// Why it is not taken for granted that these criteria serve an ask; none where they do as far as
/// words can tell. An ask without a telling word is not doubted, nor one that the title names and
/// that half of all criteria are to serve.
fn claim_doubt(
    ask: &Ask,
    criteria: &[&Criterion],
    spec: SpecWords<'_>,
    is_busy: impl Fn(&str) -> bool,
) -> Option<ClaimDoubt> {
    let mut wanted = telling_words(&ask.text);
    if wanted.is_empty() {
        return None;
    }
    // What every program does tells two of them apart only where nothing else does.
    let own: BTreeSet<String> = wanted
        .iter()
        .filter(|word| !is_usual(word))
        .cloned()
        .collect();
    if !own.is_empty() {
        wanted = own;
    }
    let speaks = |text: &str| {
        let there = telling_words(text);
        wanted
            .iter()
            .any(|word| there.iter().any(|other| is_same(word, other)))
    };
    let is_whole = 2 * criteria.len() >= spec.criteria.len();
    if is_whole && spec.title.is_some_and(speaks) {
        return None;
    }
    let named = criteria.iter().filter(|one| {
        let id = one.id.replace(['_', '-'], " ");
        speaks(&id) || speaks(&one.statement) || speaks(&shown_by(one))
    });
    let named: Vec<&&Criterion> = named.collect();
    if named.is_empty() {
        return Some(ClaimDoubt::NoSharedWord);
    }
    let shows = |one: &&&Criterion| !is_busy(&one.id) || speaks(&shown_by(one));
    (!named.iter().any(shows)).then_some(ClaimDoubt::ServesEverything)
}

/// What goes into the example, where there is one: what comes out may name everything there is.
fn shown_by(criterion: &Criterion) -> String {
    let example = criterion.example.trim();
    if example.starts_with("none") {
        return String::new();
    }
    let goes_in = |line: &&str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        !COMES_OUT.contains(&first)
    };
    let lines: Vec<&str> = example.lines().filter(goes_in).collect();
    lines.join(" ")
}

fn is_usual(word: &str) -> bool {
    USUAL.iter().any(|usual| is_same(usual, word))
}

fn telling_words(text: &str) -> BTreeSet<String> {
    let words = words(text).into_iter();
    words
        .filter(|word| !is_filling(word) && !is_carrier(word))
        .collect()
}

fn is_same(left: &str, right: &str) -> bool {
    // A short word has one more form: `tag`, `tags`.
    let single = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    if same_word(left, right) || same_form(left, right) || single(left) == single(right) {
        return true;
    }
    let both = left.chars().zip(right.chars());
    let alike = both.take_while(|(left, right)| left == right).count();
    let ends = |word: &str| word.chars().count() - alike <= MOST_ENDING;
    alike >= SAME_BEGINNING && ends(left) && ends(right)
}

#[cfg(test)]
mod tests {
    use gavel_domain::AskSource;

    use super::*;
    use crate::asks::{number_asks, without_open};

    fn asks(text: &str) -> Vec<Ask> {
        number_asks([(AskSource::Idea, text.to_owned())])
    }

    fn spec(criteria: &[Criterion]) -> SpecWords<'_> {
        SpecWords {
            title: None,
            criteria,
        }
    }

    fn criterion(id: &str, statement: &str, example: &str) -> Criterion {
        Criterion {
            id: id.to_owned(),
            statement: statement.to_owned(),
            example: example.to_owned(),
        }
    }

    fn served(pairs: &[(&str, &[&str])]) -> BTreeMap<String, AskClaim> {
        let pairs = pairs.iter().map(|(ask, ids)| {
            let ids = ids.iter().map(|id| (*id).to_owned()).collect();
            ((*ask).to_owned(), AskClaim::Served(ids))
        });
        pairs.collect()
    }

    /// What became of each ask: `covered`, the doubt, `left out`, `open`.
    fn told(accounts: &[AskAccount]) -> Vec<&'static str> {
        let word = |one: &AskAccount| match &one.standing {
            AskStanding::Covered { .. } => "covered",
            AskStanding::Claimed { doubt, .. } => match doubt {
                ClaimDoubt::NoSharedWord => "no word",
                ClaimDoubt::ServesEverything => "everything",
                ClaimDoubt::Guessed => "guess",
            },
            AskStanding::Excluded { .. } => "left out",
            AskStanding::Open => "open",
            AskStanding::Reworded => "reworded",
        };
        accounts.iter().map(word).collect()
    }

    #[test]
    fn an_ask_that_nothing_answers_for_is_open() {
        let text = "books, films, songs, games, maps";
        let mut claims = served(&[("a1", &["book_is_listed"]), ("a2", &["nowhere"])]);
        claims.insert("a3".to_owned(), AskClaim::LeftOut("  ".to_owned()));
        claims.insert("a4".to_owned(), AskClaim::LeftOut("later".to_owned()));
        claims.insert("a99".to_owned(), AskClaim::LeftOut("who asked?".to_owned()));
        let criteria = [criterion("book_is_listed", "A book is listed.", "")];
        for check in [ClaimCheck::Existence, ClaimCheck::Words] {
            let accounts = account_for(asks(text), &claims, spec(&criteria), check);
            assert_eq!(
                told(&accounts),
                ["covered", "open", "open", "left out", "open"]
            );
            assert_eq!(without_open(text, &accounts), "books, , , games");
        }
    }

    #[test]
    fn criteria_about_something_else_are_only_a_claim() {
        let criteria = [
            criterion(
                "item_is_listed",
                "An item that was added is listed.",
                "$ list",
            ),
            criterion("photo_is_renamed", "A photo is called by its date.", ""),
            criterion("thing_is_rated_in", "It is kept.", "$ add x --rating 5"),
            criterion("help", "It names every option.", "$ help\nhas --rating"),
        ];
        for (idea, ids, expected) in [
            (
                "a tool that renames photos",
                &["item_is_listed"][..],
                "no word",
            ),
            (
                "a tool that renames photos",
                &["photo_is_renamed"],
                "covered",
            ),
            (
                "a tool that renames photos",
                &["item_is_listed", "photo_is_renamed"],
                "covered",
            ),
            ("renaming pictures", &["photo_is_renamed"], "covered"),
            // An item is listed by nearly everything.
            ("list who owes what", &["item_is_listed"], "no word"),
            ("list items", &["item_is_listed"], "covered"),
            // What goes in is about it, what comes out may name everything.
            ("with a rating", &["thing_is_rated_in"], "covered"),
            ("with a rating", &["help"], "no word"),
            ("đổi tên ảnh", &["photo_is_renamed"], "no word"),
            // Nothing in it tells what it is about.
            ("a simple tool for me", &["item_is_listed"], "covered"),
        ] {
            let claims = served(&[("a1", ids)]);
            let accounts = account_for(asks(idea), &claims, spec(&criteria), ClaimCheck::Words);
            assert_eq!(told(&accounts), [expected], "{idea}");
            let unchecked =
                account_for(asks(idea), &claims, spec(&criteria), ClaimCheck::Existence);
            assert_eq!(told(&unchecked), ["covered"], "{idea}");
        }
    }

    #[test]
    fn the_first_ask_may_be_there_by_the_name_of_the_whole() {
        let criteria = [criterion("book_is_listed", "A book is listed.", "$ list")];
        let named = SpecWords {
            title: Some("reading journal in blue"),
            criteria: &criteria,
        };
        let claims = served(&[("a1", &["book_is_listed"]), ("a2", &["book_is_listed"])]);
        // Of many criteria one is not the whole.
        let many: Vec<Criterion> = ["book_is_listed", "book_is_found", "help"]
            .map(|id| criterion(id, "It holds.", ""))
            .to_vec();
        let part = SpecWords {
            criteria: &many,
            ..named
        };
        let doubted = account_for(asks("a reading journal"), &claims, part, ClaimCheck::Words);
        assert_eq!(told(&doubted), ["no word"]);
        let accounts = account_for(
            asks("a reading journal, in blue"),
            &claims,
            named,
            ClaimCheck::Words,
        );
        assert_eq!(told(&accounts), ["covered", "no word"]);
    }

    #[test]
    fn a_guess_is_the_writers_word_alone() {
        let criteria = [criterion(
            "tag_is_found",
            "A tag is found.",
            "$ add --tag x",
        )];
        let guessed = AskClaim::Guessed(vec!["tag_is_found".to_owned()]);
        let claims = BTreeMap::from([("a1".to_owned(), guessed)]);
        for (check, standing) in [
            (ClaimCheck::Words, "guess"),
            (ClaimCheck::Existence, "covered"),
        ] {
            let accounts = account_for(asks("with tags"), &claims, spec(&criteria), check);
            assert_eq!(told(&accounts), [standing]);
        }
        let gone = AskClaim::Guessed(vec!["tag_is_gone".to_owned()]);
        let claims = BTreeMap::from([("a1".to_owned(), gone)]);
        let accounts = account_for(asks("tags"), &claims, spec(&criteria), ClaimCheck::Words);
        assert_eq!(told(&accounts), ["open"]);
    }

    #[test]
    fn claims_alone_serve_nothing_until_a_person_agrees() {
        let criteria = [criterion("book_is_listed", "A book is listed.", "$ list")];
        let claims = served(&[("a1", &["book_is_listed"])]);
        let accounts = account_for(asks("films"), &claims, spec(&criteria), ClaimCheck::Words);
        assert!(serves_nothing(&accounts));
        let agreed: Vec<_> = accounts.into_iter().map(AskAccount::agreed_to).collect();
        assert!(!serves_nothing(&agreed));
        assert!(!serves_nothing(&[]));
    }

    #[test]
    fn one_criterion_for_everything_has_to_show_it() {
        let idea = "books, ratings, loans, tags";
        let all = ["a1", "a2", "a3", "a4"];
        let statement = "Books with ratings, loans and tags are kept.";
        let claims = served(&all.map(|ask| (ask, &["all"][..])));
        for (example, expected) in [
            ("$ add x", ["everything"; 4]),
            ("none: it is seen", ["everything"; 4]),
            (
                "$ book add Dune --rating 5",
                ["covered", "covered", "everything", "everything"],
            ),
        ] {
            let criteria = [criterion("all", statement, example)];
            let accounts = account_for(asks(idea), &claims, spec(&criteria), ClaimCheck::Words);
            assert_eq!(told(&accounts), expected, "{example}");
        }
        // One of its own is enough.
        let mut claims = claims;
        claims.extend(served(&[("a4", &["all", "tag_is_found"])]));
        let criteria = [
            criterion("all", statement, "$ add x"),
            criterion("tag_is_found", "A tag is found.", ""),
        ];
        let accounts = account_for(asks(idea), &claims, spec(&criteria), ClaimCheck::Words);
        assert_eq!(
            told(&accounts),
            ["everything", "everything", "everything", "covered"]
        );
    }

    #[test]
    fn leaving_everything_out_leaves_everything_open() {
        let out = |ask: &str| (ask.to_owned(), AskClaim::LeftOut("later".to_owned()));
        let claims = BTreeMap::from([out("a1"), out("a2")]);
        let criteria = [criterion("book_is_listed", "A book is listed.", "")];
        let accounts = account_for(
            asks("films, songs"),
            &claims,
            spec(&criteria),
            ClaimCheck::Words,
        );
        assert_eq!(told(&accounts), ["open", "open"]);
        assert!(serves_nothing(&accounts));
        let before = account_for(
            asks("films, songs"),
            &claims,
            spec(&criteria),
            ClaimCheck::Existence,
        );
        assert_eq!(told(&before), ["left out", "left out"]);
    }
}
