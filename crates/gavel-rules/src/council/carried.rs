//! Whether quoted words carry what is particular about a claim: its figures, its names, its negation,
//! bound together as in the claim.
//!
//! A line about the same matter shares words with a false claim; it rarely has its figures and names in
//! one clause.

use super::clauses::{Clause, NamesKnown, begins_with_pronoun, clauses, figure};
use super::telling::{is_filling, same_name, same_word, words};

/// What denies.
const DENIALS: [&str; 14] = [
    "cannot", "hardly", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing",
    "without", "chưa", "chẳng", "không",
];

/// What is claimed, with what a reader knows who came so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claimed<'a> {
    /// The sentence.
    pub(super) words: &'a str,
    /// What the sentences before it are about.
    pub(super) subject: &'a [String],
    /// The names of what is chosen between.
    pub(super) options: &'a [String],
}

/// True for a quote that says each part of a claim in one of its clauses: every figure and name of it,
/// and a denial where the claim denies. What is said of another thing carries nothing.
pub(super) fn carries(quote: &str, claim: Claimed<'_>) -> bool {
    let known = NamesKnown::of(&[quote, claim.words], claim.options);
    let said = clauses(quote, &known, &[]);
    let claimed = clauses(claim.words, &known, claim.subject);
    // `It` may be any of several things that the quote names.
    let things = said
        .iter()
        .filter(|clause| !clause.names.is_empty())
        .count();
    let vague = |clause: &Clause| clause.names.is_empty() && begins_with_pronoun(&clause.words);
    if things > 1 && claimed.iter().any(vague) {
        return false;
    }
    let there = words(quote);
    claimed.iter().all(|clause| {
        let wanted = Wanted::of(clause, &there);
        let mut others = clause.contrasted.iter();
        let compared = others.all(|name| there.iter().any(|word| is_called(name, word)));
        compared && said.iter().any(|one| wanted.is_in(one, &said))
    })
}

/// What a clause of a claim has that a clause of the quote must have.
struct Wanted<'c> {
    clause: &'c Clause,
    figures: Vec<String>,
    denies: bool,
}

impl<'c> Wanted<'c> {
    fn of(clause: &'c Clause, quote: &[String]) -> Self {
        // `One` is a word for many things, and a figure beside others.
        let counted = quote.iter().any(|word| number(word).is_some());
        let read = |word: &String| if counted { number(word) } else { figure(word) };
        Self {
            clause,
            figures: clause.words.iter().filter_map(read).collect(),
            denies: denies(&clause.words),
        }
    }

    fn is_in(&self, one: &Clause, all: &[Clause]) -> bool {
        let figures: Vec<String> = one.words.iter().filter_map(|word| number(word)).collect();
        let named = |name: &String| {
            let plain = |word: &&String| !one.contrasted.contains(word) && is_called(name, word);
            let mut there = one.names.iter().chain(&one.words);
            there.any(|word| plain(&word))
        };
        let bound = self.figures.iter().all(|figure| figures.contains(figure))
            && self.clause.names.iter().all(named)
            && self.denies == denies(&one.words);
        // What is said of another thing may not be nearer to the claim than what is said of its own.
        let near = self.near(one);
        let rival = |other: &&Clause| {
            let mut names = self.clause.names.iter();
            let same = |name: &String| other.names.iter().any(|word| is_called(name, word));
            !other.names.is_empty() && !names.any(same)
        };
        let unnamed = self.clause.names.is_empty();
        bound
            && (unnamed
                || all
                    .iter()
                    .filter(rival)
                    .all(|other| self.near(other) <= near))
    }

    /// How many words and figures of the claim stand in a clause, without its names.
    fn near(&self, one: &Clause) -> usize {
        let name = |word: &String| self.clause.names.contains(word);
        let tells = |word: &&String| !name(word) && (number(word).is_some() || !is_filling(word));
        let there = |word: &&String| {
            one.words.iter().any(|other| {
                let same = number(word).is_some() && number(word) == number(other);
                same || same_word(word, other)
            })
        };
        self.clause.words.iter().filter(tells).filter(there).count()
    }
}

/// A figure, `one` among them.
fn number(word: &str) -> Option<String> {
    match word {
        "one" | "single" => Some("1".to_owned()),
        word => figure(word),
    }
}

fn is_called(name: &str, word: &str) -> bool {
    same_name(name, word) || same_word(name, word)
}

fn denies(words: &[String]) -> bool {
    let short = |word: &str| {
        let verbs = [
            "do", "does", "did", "is", "was", "are", "were", "ca", "wo", "has", "have", "would",
            "should",
        ];
        word.strip_suffix("nt")
            .is_some_and(|verb| verbs.contains(&verb))
    };
    words
        .iter()
        .any(|word| DENIALS.contains(&word.as_str()) || short(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(quote: &str, words: &str) -> bool {
        let options = ["sqlite".to_owned(), "postgresql".to_owned()];
        let claim = Claimed {
            words,
            subject: &[],
            options: &options,
        };
        carries(quote, claim)
    }

    #[test]
    fn a_quote_carries_the_figures_names_and_denials_of_a_claim() {
        let line = "Redis held four writers";
        for (claim, whole) in [
            ("Redis took four writers", true),
            ("Four writers are held by Redis", true),
            ("The writers are held", true),
            ("Choosing it holds 4 writers", true),
            ("Valkey held four writers", false),
            ("Redis held forty writers", false),
            ("Redis held one writer", false),
            ("It held 40 writers", false),
            ("Redis never held four writers", false),
            ("Redis held four writers at Acme", false),
        ] {
            assert_eq!(carried(line, claim), whole, "{claim}");
        }
        assert!(carried("it doesn't lose rows", "Rows are not lost"));
        assert!(!carried("it doesn't lose rows", "It does lose rows"));
    }

    #[test]
    fn what_is_said_of_another_thing_carries_nothing() {
        let lines = [
            "PostgreSQL took four writers; SQLite took one",
            "PostgreSQL took four writers, SQLite took one.",
            "PostgreSQL took four writers and SQLite took one",
            "PostgreSQL took four writers, but SQLite took one",
            "PostgreSQL took four writers, while SQLite only took one",
            "SQLite took one writer, whereas PostgreSQL took four writers",
            "In the test PostgreSQL took four writers (SQLite took one)",
            "postgres took four writers; sqlite took one",
            "sqlite took one; postgres took four writers",
        ];
        for line in lines {
            for (claim, whole) in [
                ("SQLite took four writers", false),
                ("sqlite took four writers", false),
                ("SQLite took 4", false),
                ("SQLite took four writers and PostgreSQL took one", false),
                ("SQLite took four writers, PostgreSQL one", false),
                ("PostgreSQL took one writer", false),
                ("SQLite did not take one", false),
                ("PostgreSQL took four writers", true),
                ("Four writers fit PostgreSQL", true),
                ("SQLite took one", true),
                ("Unlike SQLite, PostgreSQL took four writers", true),
                ("PostgreSQL took four writers; SQLite took one", true),
                ("While SQLite took one, PostgreSQL took four", true),
            ] {
                assert_eq!(carried(line, claim), whole, "{line}: {claim}");
            }
        }
    }

    #[test]
    fn without_figures_the_nearer_clause_counts() {
        let line = "Redis lost the jobs and Valkey kept them";
        assert!(carried(line, "Redis lost jobs"));
        assert!(!carried(line, "Valkey lost jobs"));
        let line = "PostgreSQL took more writers than SQLite";
        assert!(carried(line, "PostgreSQL took more writers than SQLite"));
        assert!(!carried(line, "SQLite took more writers than PostgreSQL"));
        let line = "SQLite needs no server, but PostgreSQL does";
        assert!(carried(line, "SQLite needs no server"));
        assert!(!carried(line, "PostgreSQL needs no server"));
    }

    #[test]
    fn a_pronoun_means_what_was_named_before() {
        let line = "Redis held four writers; Valkey held one";
        let claim = |subject: &[&str]| {
            let subject: Vec<String> = subject.iter().map(|name| (*name).to_owned()).collect();
            let claim = Claimed {
                words: "It held four writers",
                subject: &subject,
                options: &[],
            };
            carries(line, claim)
        };
        assert!(claim(&["redis"]));
        assert!(!claim(&["valkey"]));
        // What it means cannot be told.
        assert!(!claim(&[]));
    }
}
