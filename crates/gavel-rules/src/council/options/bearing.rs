//! Whether a source speaks for a proposal or against it, as far as words can tell.

use super::super::MemoryLooked;
use super::super::telling::words;
use super::question::{SWAP, says_what_to_do};
use super::review::review_options;
use super::things::things_in;
use super::topic::read_options;
use super::{OptionSource, OptionStanding, SourceKind, TopicOptions};

/// How a source bears on a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bearing {
    /// It speaks against it: against what is proposed, or for what it would replace.
    Against,
    /// It speaks for it: for what is proposed, or against what it would replace.
    For,
    /// It names what is proposed or replaced, and words alone cannot tell which way it speaks.
    Unclear,
    /// It names neither.
    Silent,
}

/// A proposal, as far as it says by name what it wants and what it would replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    names: TopicOptions,
    /// The place of what it wants among the names; nothing when it only wants to be rid of the other.
    wanted: Option<usize>,
    /// The place of what it would replace.
    replaced: Option<usize>,
}

impl Proposal {
    /// A proposal of which nobody can tell what it wants or replaces, by the things that it names; nothing
    /// where it names none. Whatever names one of them is unclear, and no objection.
    pub fn naming(text: &str) -> Option<Self> {
        let things = things_in(text);
        let names = TopicOptions {
            options: things,
            ..TopicOptions::default()
        };
        (!names.options.is_empty()).then_some(Self {
            names,
            wanted: None,
            replaced: None,
        })
    }

    /// Reads a proposal; nothing where it does not name what it wants or replaces.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let asked = format!("Should we {}?", text.trim_end_matches(['.', '!', '?']));
        let read = [text, &asked].into_iter().map(read_options);
        let topic = read.into_iter().find(|topic| !topic.options.is_empty())?;
        let low = words(text);
        let has = |word: &str| low.iter().any(|other| other == word);
        let (wanted, replaced) = match (topic.named.as_slice(), topic.options.as_slice()) {
            // Plain words are no name: what is said of them need not be said of the proposal.
            ([thing], _) if !is_name(thing) || !says_what_to_do(text) => return None,
            ([_], [first, _]) if first == "yes" => (Some(0), None),
            ([_], _) => (None, Some(0)),
            // `Move from A to B` is read as B first.
            ([_, _], [_, stay]) if stay.starts_with("stay") || stay.starts_with("giữ") => {
                (Some(0), Some(1))
            }
            (_, [_, _]) if SWAP.iter().any(|verb| has(verb)) => (Some(1), Some(0)),
            (_, [_, _]) if has("instead") || has("over") || has("rather") => (Some(0), Some(1)),
            _ => return None,
        };
        let names = TopicOptions {
            options: topic.names().to_vec(),
            ..TopicOptions::default()
        };
        Some(Self {
            names,
            wanted,
            replaced,
        })
    }

    /// What it names, for whoever asks memory about it.
    pub const fn names(&self) -> &TopicOptions {
        &self.names
    }

    /// Learns from texts what the project calls what it names.
    pub fn learn<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        self.names.learn_aliases(texts);
    }

    /// How a source bears on it.
    pub fn bearing(&self, kind: SourceKind, text: &str) -> Bearing {
        if (self.wanted, self.replaced) == (None, None) {
            return match self.names.named_in(text).is_empty() {
                true => Bearing::Silent,
                false => Bearing::Unclear,
            };
        }
        let source = OptionSource {
            cite: String::new(),
            kind,
            text: text.to_owned(),
        };
        let review = review_options(&self.names, "", &[source], MemoryLooked::Asked);
        let side = |place: Option<usize>| {
            let standing = place.and_then(|place| review.options.get(place));
            standing.map_or(Side::Silent, Side::of)
        };
        match (side(self.wanted), side(self.replaced)) {
            (Side::Silent, Side::Silent) => Bearing::Silent,
            (Side::Against, Side::For | Side::Named | Side::Silent)
            | (Side::Named | Side::Silent, Side::For) => Bearing::Against,
            (Side::For, Side::Against | Side::Named | Side::Silent)
            | (Side::Named | Side::Silent, Side::Against) => Bearing::For,
            (Side::For, Side::For)
            | (Side::Against, Side::Against)
            | (Side::Named, Side::Named | Side::Silent)
            | (Side::Silent, Side::Named) => Bearing::Unclear,
        }
    }
}

fn is_name(thing: &str) -> bool {
    thing
        .chars()
        .any(|c| c.is_uppercase() || c.is_ascii_digit())
}

/// What a source says of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    For,
    Against,
    Named,
    Silent,
}

impl Side {
    fn of(standing: &OptionStanding) -> Self {
        let (pro, contra) = (&standing.speaks_for, &standing.speaks_against);
        match (
            pro.is_empty(),
            contra.is_empty(),
            standing.mentions.is_empty(),
        ) {
            (false, true, _) => Self::For,
            (true, false, _) => Self::Against,
            (true, true, true) => Self::Silent,
            (true, true, false) | (false, false, _) => Self::Named,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_speaks_for_the_old_speaks_against_the_new() {
        use Bearing::{Against, For, Silent, Unclear};
        use SourceKind::{Constraint, Decision, Feedback, Trap};
        let table = [
            (Decision, "SQLite is enough for the orders", Against),
            (
                Constraint,
                "No ops team: nobody can run PostgreSQL",
                Against,
            ),
            (Trap, "SQLite locked under four writers", For),
            (Trap, "PostgreSQL connections ran out", Against),
            (Decision, "We moved from SQLite to PostgreSQL", For),
            (Feedback, "The talk about PostgreSQL was too long", Unclear),
            (Trap, "The login page forgets the language", Silent),
        ];
        for proposal in [
            "Replace SQLite with PostgreSQL for the orders.",
            "Should we replace SQLite with PostgreSQL?",
            "Should we migrate the orders from SQLite to PostgreSQL?",
            "Move the orders from SQLite to PostgreSQL",
            "Use PostgreSQL instead of SQLite for the orders",
            "Switch the orders from SQLite to PostgreSQL",
            "Switch from SQLite to PostgreSQL",
            "Swap SQLite for PostgreSQL.",
            "Run the orders on PostgreSQL rather than SQLite.",
            "Keep the orders in PostgreSQL rather than in SQLite",
            "Move the orders off SQLite to PostgreSQL",
        ] {
            let read = Proposal::read(proposal).unwrap_or_else(|| panic!("{proposal}"));
            for (kind, text, bearing) in table {
                assert_eq!(read.bearing(kind, text), bearing, "{proposal}: {text}");
            }
        }
        let adopt = Proposal::read("Adopt Redis for the cache").unwrap();
        assert_eq!(adopt.bearing(Trap, "Redis lost the cache"), Against);
        let moved = Proposal::read("Move the orders to PostgreSQL").unwrap();
        assert_eq!(moved.bearing(Trap, "PostgreSQL lost rows"), Against);
        let drop = Proposal::read("Drop Redis").unwrap();
        assert_eq!(drop.bearing(Trap, "Redis lost the cache"), For);
        assert_eq!(
            drop.bearing(Decision, "We decided on Redis for the cache"),
            Against
        );
    }

    #[test]
    fn what_is_left_is_not_what_is_wanted() {
        use Bearing::{Against, For};
        use SourceKind::{Decision, Trap};
        for proposal in [
            "Move the orders off SQLite.",
            "Get the orders off SQLite",
            "Get off SQLite",
            "Phase out SQLite",
            "Take the orders out of SQLite.",
            "Should we move the orders off SQLite?",
            "Should we drop SQLite or keep it?",
        ] {
            let read = Proposal::read(proposal).unwrap_or_else(|| panic!("{proposal}"));
            let trap = "SQLite locked under four writers";
            assert_eq!(read.bearing(Trap, trap), For, "{proposal}");
            let decided = "SQLite is enough for the orders";
            assert_eq!(read.bearing(Decision, decided), Against, "{proposal}");
        }
    }

    #[test]
    fn what_names_a_thing_of_an_unread_proposal_is_no_objection() {
        let text = "The orders and SQLite: time to part";
        assert_eq!(Proposal::read(text), None);
        assert_eq!(Proposal::read("Phase SQLite out"), None);
        let naming = Proposal::naming(text).unwrap();
        let trap = "SQLite locked under four writers";
        assert_eq!(naming.bearing(SourceKind::Trap, trap), Bearing::Unclear);
        let other = "The login page forgets the language";
        assert_eq!(naming.bearing(SourceKind::Trap, other), Bearing::Silent);
        assert_eq!(Proposal::naming("Extract the dispatcher"), None);
    }

    #[test]
    fn a_proposal_without_names_is_not_read() {
        for text in [
            "SQLite or PostgreSQL?",
            "Extract the dispatcher into its own package",
            "Should we extract the dispatcher?",
            "",
        ] {
            assert_eq!(Proposal::read(text), None, "{text}");
        }
    }
}
