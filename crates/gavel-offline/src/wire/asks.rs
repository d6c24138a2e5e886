//! What the rules say about each ask: which criteria serve it, or why none does. An ask with a word
//! that the rules neither used nor know is not claimed, and so stays open.

use std::collections::BTreeMap;

use gavel_domain::{Ask, AskSource, Criterion, DiscoveryAnswer};
use gavel_rules::{apart_from_left_out, cut_asks};
use serde_json::{Value, json};

use super::conversation::{Conversation, Halt};
use super::edits::SpecEdit;
use super::project::why_not;
use crate::design::{Design, Entity};
use crate::english::spoken;
use crate::understand::{
    is_exclusion, is_guess, is_known, is_link, is_purpose, is_unlisted, says_what_is_done, singular,
};

/// Questions whose answers say what is kept, like the idea.
const CONTENT: [&str; 4] = ["ba-status", "spec", "clarification", "open-asks"];
const MEANS: &str =
    "a choice of means: spec and contracts hold it, and no criterion shows it by itself";
const EXCLUDED: &str =
    "it says what is not wanted, and that holds: these rules never build such a thing";
const TAKEN_AWAY: &str = "it takes something away, and that holds: no criterion asks for it";
const NOTHING_MORE: &str = "no word of it asks for more than every program of these rules does";

/// What the reply says about asks.
#[derive(Default)]
pub(super) struct Claims {
    /// The asks that each criterion serves, by its id.
    pub(super) served: BTreeMap<String, Vec<String>>,
    pub(super) left_out: Vec<Value>,
    /// Asks of which a word was taken for a field without being known as one.
    pub(super) guessed: Vec<String>,
}

pub(super) fn claims(
    talk: &Conversation<'_>,
    design: &Design,
    criteria: &[Criterion],
) -> Result<Claims, Halt> {
    let mut claims = Claims::default();
    if !talk.has("asks") {
        return Ok(claims);
    }
    let asks: Vec<Ask> = talk.list("asks")?;
    let (_, spans) = apart_from_left_out(talk.text("idea")?);
    let out: Vec<String> = spans.iter().flat_map(|span| cut_asks(span)).collect();
    let mut before: Option<OpenAsk> = None;
    for ask in asks {
        let is_out = out.contains(&ask.text) || before.take().is_some_and(|one| one.takes(&ask));
        if is_out {
            before = Some(OpenAsk::of(&ask));
            continue;
        }
        match claim(&ask, design, criteria) {
            Claim::Served { criteria, is_guess } => {
                if is_guess {
                    claims.guessed.push(ask.id.clone());
                }
                for id in criteria {
                    let asks = claims.served.entry(id).or_default();
                    asks.push(ask.id.clone());
                }
            }
            Claim::LeftOut(reason) => {
                let left_out = json!({"ask": ask.id, "reason": reason});
                claims.left_out.push(left_out);
            }
            Claim::Nothing => before = Some(OpenAsk::of(&ask)),
        }
    }
    Ok(claims)
}

/// An ask that nothing answers for, and what it says of the next one.
struct OpenAsk {
    source: AskSource,
    /// True for "that syncs", "warn me": behind it stands what it is done with, or when.
    does: bool,
}

impl OpenAsk {
    fn of(ask: &Ask) -> Self {
        Self {
            source: ask.source.clone(),
            does: says_what_is_done(&ask.text),
        }
    }

    /// True where the next ask only goes on: "that syncs", "with my phone".
    fn takes(&self, next: &Ask) -> bool {
        const GOES_ON: [&str; 8] = ["with", "by", "to", "in", "when", "where", "from", "if"];
        let first = next.text.split_whitespace().next().unwrap_or_default();
        let goes_on = GOES_ON.contains(&first.to_lowercase().as_str());
        self.does && goes_on && self.source == next.source
    }
}

enum Claim {
    Served {
        criteria: Vec<String>,
        is_guess: bool,
    },
    LeftOut(String),
    Nothing,
}

fn claim(ask: &Ask, design: &Design, criteria: &[Criterion]) -> Claim {
    if let AskSource::Answer { question } = &ask.source
        && !CONTENT.contains(&question.as_str())
    {
        let answer = DiscoveryAnswer {
            question: question.clone(),
            answer: ask.text.clone(),
            ..DiscoveryAnswer::default()
        };
        return Claim::LeftOut(why_not(&answer).unwrap_or_else(|| MEANS.to_owned()));
    }
    let edits = matches!(&ask.source, AskSource::Answer { question } if question == "spec");
    match SpecEdit::read(&ask.text).filter(|_| edits) {
        Some(SpecEdit::Remove(_)) => return Claim::LeftOut(TAKEN_AWAY.to_owned()),
        Some(SpecEdit::Rename { to, .. }) => {
            let criteria = serving(&[singular(&to)], design, criteria);
            return Claim::Served {
                criteria,
                is_guess: false,
            };
        }
        None => {}
    }
    if is_exclusion(&ask.text) {
        return Claim::LeftOut(EXCLUDED.to_owned());
    }
    let lower = ask.text.to_lowercase();
    // What it is for changes nothing where that is a place or a thing: "inventory for a small shop".
    let (before, behind) = lower.split_once(" for ").unwrap_or((&lower, ""));
    let (purpose, after) = up_to_link(behind);
    if !is_purpose(&purpose) {
        return Claim::Nothing;
    }
    let asked = format!("{before} {after}");
    // Nor does whose it is: "a band's song list".
    let whose = |word: &&str| word.ends_with("'s") || word.ends_with("’s");
    let asked = asked.split_whitespace().filter(|word| !whose(word));
    let words: Vec<String> = asked
        .flat_map(|word| word.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(singular)
        .collect();
    let title: Vec<&str> = design.program().split('-').collect();
    let named = |word: &String| {
        title.contains(&word.as_str()) || design.entities().iter().any(|one| names(one, word))
    };
    let known = |word: &String| is_known(word) || named(word);
    if !words.iter().all(known) {
        return Claim::Nothing;
    }
    let criteria = serving(&words, design, criteria);
    if criteria.is_empty() {
        return Claim::LeftOut(NOTHING_MORE.to_owned());
    }
    let fields = design.entities().iter().flat_map(|one| &one.fields);
    let mut named = fields.filter(|field| words.iter().any(|word| is_part(&field.name, word)));
    let is_guess = named.any(is_guess) || words.iter().any(|word| only_qualifies(design, word));
    Claim::Served { criteria, is_guess }
}

/// The words before the next one that joins clauses, and the others.
fn up_to_link(text: &str) -> (String, String) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let ends = words.iter().position(|word| is_link(word));
    let (before, after) = words.split_at(ends.unwrap_or(words.len()));
    (before.join(" "), after.join(" "))
}

fn names(entity: &Entity, word: &str) -> bool {
    is_thing(entity, word) || entity.fields.iter().any(|field| is_part(&field.name, word))
}

/// True for a word before the noun of a thing, or of the program, which no list knows: nothing says
/// that it is no wish. "a printable invoice tracker".
fn only_qualifies(design: &Design, word: &str) -> bool {
    let is_noun = |entity: &Entity| entity.name.rsplit('-').next() == Some(word);
    let is_field = |entity: &Entity| entity.fields.iter().any(|field| is_part(&field.name, word));
    let mut entities = design.entities().iter();
    !is_known(word) && is_unlisted(word) && !entities.any(|one| is_noun(one) || is_field(one))
}

fn is_thing(entity: &Entity, word: &str) -> bool {
    is_part(&entity.name, word)
}

fn is_part(name: &str, word: &str) -> bool {
    name.split('-')
        .any(|part| part == word || singular(part) == word)
}

/// Criteria of the fields that the words name, else of the things, else of the whole program where
/// the words are its title.
fn serving(words: &[String], design: &Design, criteria: &[Criterion]) -> Vec<String> {
    let mut ids = Vec::new();
    for entity in design.entities() {
        let prefix = format!("{}_", entity.name.replace('-', "_"));
        let own = criteria.iter().filter(|one| one.id.starts_with(&prefix));
        let fields = entity.fields.iter();
        let fields: Vec<&str> = fields
            .map(|field| field.name.as_str())
            .filter(|name| words.iter().any(|word| is_part(name, word)))
            .collect();
        let whole = words.iter().any(|word| is_thing(entity, word));
        let shows = |one: &&Criterion| {
            let told = |name: &&str| {
                let option = format!("--{name}");
                let shown = one.example.split_whitespace().any(|word| word == option);
                shown || says(&one.statement, name)
            };
            let total = words.iter().any(|word| word == "total" || word == "sum");
            whole || fields.iter().any(told) || total && one.id.contains("total")
        };
        ids.extend(own.filter(shows).map(|one| one.id.clone()));
    }
    let titled = |word: &String| design.program().split('-').any(|part| part == word);
    if ids.is_empty() && words.iter().any(titled) {
        ids = criteria.iter().map(|one| one.id.clone()).collect();
    }
    ids
}

/// True where the name stands in a text as a word.
fn says(text: &str, name: &str) -> bool {
    let is_own = |c: char| c.is_alphanumeric() || c == '-';
    let mut words = text.split(|c: char| !is_own(c));
    words.any(|word| word == name) || name.contains('-') && text.contains(&spoken(name))
}

#[cfg(test)]
mod tests {
    use gavel_rules::{AskClaim, ClaimCheck, SpecWords, account_for};

    use super::*;
    use crate::criteria::criteria;
    use crate::understand::{Understood, offer, understand, without};

    /// What the rules say about each ask of an idea, as a line.
    fn told(idea: &str) -> Vec<String> {
        let spans = offer(idea, understand);
        let idea = gavel_rules::leave_out(idea, &spans);
        let Understood::InReach(design) = understand(&without(&idea)) else {
            return vec!["refused".to_owned()];
        };
        let criteria = criteria(&design);
        let (idea, spans) = apart_from_left_out(&idea);
        let parts = gavel_rules::cut_at(&idea, &spans).into_iter();
        let spans: Vec<String> = spans.iter().flat_map(|span| cut_asks(span)).collect();
        let asks = gavel_rules::number_asks(parts.map(|part| (AskSource::Idea, part)));
        let line = |ask: &Ask| {
            let text = &ask.text;
            if spans.contains(text) {
                return format!("{text}: left out");
            }
            match claim(ask, &design, &criteria) {
                Claim::Served { is_guess: true, .. } => format!("{text}: guess"),
                Claim::Served { criteria, .. } => format!("{text}: {} criteria", criteria.len()),
                Claim::LeftOut(_) => format!("{text}: nothing more"),
                Claim::Nothing => format!("{text}: OPEN"),
            }
        };
        asks.iter().map(line).collect()
    }

    #[test]
    fn ideas_that_are_built_whole_leave_no_word_over() {
        let all = include_str!("../understand/ideas/within.txt").lines();
        let open = all.flat_map(|idea| told(idea).into_iter().map(move |line| (idea, line)));
        let open: Vec<(&str, String)> = open
            .filter(|(_, line)| line.ends_with("OPEN") || line == "refused")
            .collect();
        assert_eq!(open, Vec::<(&str, String)>::new());
        let all = include_str!("../understand/ideas/within.txt").lines();
        let guessed = all.flat_map(told).filter(|line| line.ends_with("guess"));
        assert_eq!(
            guessed.collect::<Vec<_>>(),
            [
                "a cheese tasting journal: guess",
                "with cheese: guess",
                "with receipts: guess",
                "with watering intervals: guess",
                "with feedings: guess",
                "sleep: guess",
                "ph: guess",
                "with shares: guess",
                "rate: guess",
            ]
        );
    }

    #[test]
    fn a_word_that_is_taken_for_a_field_unknown_is_called_a_guess() {
        for (idea, guess) in [
            ("todo list with badges", "with badges: guess"),
            ("notes with autosave", "with autosave: guess"),
            (
                "members with name and monthly email",
                "monthly email: guess",
            ),
        ] {
            let told = told(idea);
            let left_over = ["refused".to_owned()];
            assert!(
                told.iter().any(|one| one == guess) || told == left_over,
                "{idea}: {told:?}"
            );
        }
    }

    /// What of an idea the rules claim by its name alone: no word of it stands in their criteria.
    fn doubted(idea: &str) -> Vec<String> {
        let Understood::InReach(design) = understand(idea) else {
            panic!("{idea} is within reach");
        };
        let criteria = criteria(&design);
        let asks = gavel_rules::number_asks([(AskSource::Idea, idea.to_owned())]);
        let said = asks.iter().filter_map(|ask| {
            let said = match claim(ask, &design, &criteria) {
                Claim::Served { criteria, .. } => AskClaim::Served(criteria),
                Claim::LeftOut(reason) => AskClaim::LeftOut(reason),
                Claim::Nothing => return None,
            };
            Some((ask.id.clone(), said))
        });
        let said = said.collect();
        let title = design.program().replace('-', " ");
        let words = SpecWords {
            title: Some(&title),
            criteria: &criteria,
        };
        let accounts = account_for(asks.clone(), &said, words, ClaimCheck::Words);
        let doubted = accounts.iter().filter(|one| one.is_only_claimed());
        doubted.map(|one| one.ask.text.clone()).collect()
    }

    /// The claims of the rules are held to their words like those of any leader.
    #[test]
    fn what_the_rules_claim_stands_in_their_criteria_but_for_names() {
        let all = include_str!("../understand/ideas/within.txt").lines();
        let names: Vec<String> = all.flat_map(doubted).collect();
        insta::assert_snapshot!(names.join("\n"), @"");
    }

    /// Words that say how good it is to be, and what is done beside keeping, are named, never built as
    /// things and fields.
    #[test]
    fn praise_and_verbs_are_left_out_by_name() {
        for (idea, thread) in [
            (
                "a todo list, fast and secure",
                &[
                    "a todo list: 12 criteria",
                    "fast: left out",
                    "secure: left out",
                ][..],
            ),
            (
                "a secure todo list",
                &["secure: left out", "todo list: 12 criteria"],
            ),
            (
                "a cross-platform todo list",
                &["cross-platform: left out", "todo list: 12 criteria"],
            ),
            (
                "a printable invoice tracker",
                &["a printable invoice tracker: guess"],
            ),
            (
                "a list of board games",
                &["a list of board games: 11 criteria"],
            ),
            (
                "products with prices in euros",
                &["products: 12 criteria", "with prices in euros: 12 criteria"],
            ),
            (
                "todo list which emails me with a note",
                &[
                    "todo list: 12 criteria",
                    "which emails me: left out",
                    "with a note: left out",
                ],
            ),
            (
                "inventory, warn me when stock is low",
                &[
                    "inventory: 15 criteria",
                    "warn me: left out",
                    "when stock is low: left out",
                ],
            ),
        ] {
            assert_eq!(told(idea), thread, "{idea}");
        }
    }

    /// Where a leader of another kind left the verb open, what it is done with stays open, too.
    #[test]
    fn what_stands_behind_an_open_verb_is_not_claimed() {
        let open = |text: &str, next: &str| {
            let asks = gavel_rules::number_asks([(AskSource::Idea, format!("{text}, {next}"))]);
            let [before, after] = asks.as_slice() else {
                panic!("{asks:?}");
            };
            OpenAsk::of(before).takes(after)
        };
        assert!(open("that syncs", "with my phone"));
        assert!(open("warn me", "when stock is low"));
        assert!(!open("that syncs", "tags"));
        assert!(!open("that keeps notes", "with tags"));
        assert!(!open("colors", "with tags"));
    }

    #[test]
    fn twenty_ideas_have_a_thread_or_are_refused() {
        for (idea, thread) in [
            ("rust cli that counts words in a file", &["refused"][..]),
            ("a tool that renames photos by their date", &["refused"]),
            (
                "inventory with low stock",
                &["inventory: 15 criteria", "with low stock: left out"],
            ),
        ] {
            assert_eq!(told(idea), thread, "{idea}");
        }
        let ideas = [
            "a bookmark manager with tags",
            "a todo list",
            "track my expenses, with categories and a total per month",
            "recipe book where I can search by ingredient",
            "habit tracker",
            "habit tracker with streaks",
            "address book with birthdays",
            "keep track of books I lent to friends",
            "books, members and loans",
            "a CLI todo list with colors",
            "todo list for my team",
            "products with price, quantity and a minimum quantity",
            "time tracker for projects, with hours per project",
            "invoice tracker with clients, show unpaid",
            "a list of my favourite movies, sort by rating",
            "a clone of Slack",
            "make my life easier",
        ];
        let table: Vec<String> = ideas
            .iter()
            .map(|idea| format!("{idea} => {}", told(idea).join(" | ")))
            .collect();
        insta::assert_snapshot!(table.join("\n"));
    }
}
