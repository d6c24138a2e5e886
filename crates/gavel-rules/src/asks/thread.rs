//! The thread: a person's words, the criteria that serve them, and what shows these. Every screen,
//! document and answer tells it from here.

use gavel_domain::{
    AskAccount, AskSource, AskStanding, Criterion, CriterionJudged, CriterionStanding,
    EvidenceRank, EvidenceRef,
};
use serde::Serialize;

use crate::judging::evidence_text;

/// How many criteria of one ask a short line names.
const MOST_NAMED: usize = 4;

/// Your words → criteria → evidence, and what is not covered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct AskThread {
    /// The asks, in the order in which they were said.
    pub asks: Vec<ThreadAsk>,
    /// Criteria that no ask names: Gavel's own.
    pub unasked: Vec<ThreadCriterion>,
}

/// An ask with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThreadAsk {
    /// The ask, and how it stands.
    #[serde(flatten)]
    pub account: AskAccount,
    /// The criteria that serve it, or are said to.
    pub criteria: Vec<ThreadCriterion>,
    /// The words that the person said in its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reworded: Vec<String>,
}

/// A criterion with what shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThreadCriterion {
    /// Its id.
    pub id: String,
    /// What it demands.
    pub statement: String,
    /// What shows it; none before it was judged.
    pub shown: Option<CriterionShown>,
}

/// What shows a criterion, and how firmly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CriterionShown {
    /// How far it holds.
    pub standing: CriterionStanding,
    /// How firmly it was shown; none where nothing shows it, and where that was not measured.
    pub rank: Option<EvidenceRank>,
    /// What shows it, each looked up and found.
    pub evidence: Vec<EvidenceRef>,
    /// The same in words; else why nothing does.
    pub text: String,
}

/// How a part of the thread is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ThreadTone {
    /// As it should be.
    Plain,
    /// Shown.
    Good,
    /// Not covered, or nobody's word but the leader's.
    Warn,
    /// Judged, and it does not hold.
    Bad,
}

/// A line of the thread in three parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadRow {
    /// The ask, in the first of its rows.
    pub words: String,
    /// The criterion, or why there is none.
    pub criterion: String,
    /// What shows it.
    pub evidence: String,
    /// How it is to be read.
    pub tone: ThreadTone,
}

impl AskThread {
    /// The thread of these accounts; criteria that were not judged yet have no evidence.
    pub fn of(accounts: &[AskAccount], criteria: &[Criterion], judged: &[CriterionJudged]) -> Self {
        let of_id = |id: &str| {
            let statement = criteria.iter().find(|one| one.id == id);
            let shown = judged.iter().find(|one| one.id == id);
            ThreadCriterion {
                id: id.to_owned(),
                statement: statement.map_or_else(String::new, |one| one.statement.clone()),
                shown: shown.map(CriterionShown::of),
            }
        };
        let words_of = |id: &String| {
            let other = accounts.iter().find(|one| one.ask.id == *id);
            other.map(|one| one.ask.text.clone())
        };
        let asks = accounts.iter().map(|account| ThreadAsk {
            account: account.clone(),
            criteria: account.criteria().iter().map(|id| of_id(id)).collect(),
            reworded: account
                .ask
                .reworded_as
                .iter()
                .filter_map(words_of)
                .collect(),
        });
        let asked = |id: &String| accounts.iter().any(|one| one.criteria().contains(id));
        let unasked = criteria.iter().filter(|one| !asked(&one.id));
        Self {
            asks: asks.collect(),
            unasked: unasked.map(|one| of_id(&one.id)).collect(),
        }
    }

    /// How many asks have criteria that nobody doubts.
    pub fn covered(&self) -> usize {
        let covered = self.asks.iter().filter(|ask| match ask.account.standing {
            AskStanding::Covered { .. } => true,
            AskStanding::Claimed { agreed, .. } => agreed,
            AskStanding::Excluded { .. } | AskStanding::Open | AskStanding::Reworded => false,
        });
        covered.count()
    }

    /// How many asks stand as they were said.
    pub fn standing(&self) -> usize {
        let asks = self.asks.iter();
        asks.filter(|ask| ask.account.stands()).count()
    }

    /// `3 of 4 asks have criteria`, and how many more the person reworded.
    pub fn counted(&self) -> String {
        let all = self.standing();
        let what = if all == 1 { "ask has" } else { "asks have" };
        let mut counted = format!("{} of {all} {what} criteria", self.covered());
        if let reworded @ 1.. = self.asks.len() - all {
            counted.push_str(&format!("; {reworded} reworded by the person"));
        }
        if let Some(origin) = self.origin_line() {
            counted.push_str(&format!("; {origin}"));
        }
        counted
    }

    /// Where the words of the idea are no person's own: whose they are.
    pub fn origin_line(&self) -> Option<&'static str> {
        self.asks
            .iter()
            .find_map(|ask| match ask.account.ask.source {
                AskSource::Agent => Some("asked by a program, not in a person's own words"),
                AskSource::PlanStep => Some("asked by a step of a plan that a person approved"),
                AskSource::Idea
                | AskSource::Answer { .. }
                | AskSource::Interjection
                | AskSource::Rewording { .. } => None,
            })
    }

    /// What the words are called above them.
    pub fn words_title(&self) -> &'static str {
        match self.origin_line() {
            Some(_) => "words",
            None => "your words",
        }
    }

    /// The asks that nothing undoubted answers for: open, left out, or the leader's word alone.
    pub fn uncovered(&self) -> impl Iterator<Item = &ThreadAsk> {
        self.asks.iter().filter(|ask| match ask.account.standing {
            AskStanding::Covered { .. } | AskStanding::Reworded => false,
            AskStanding::Claimed { agreed, .. } => !agreed,
            AskStanding::Excluded { .. } | AskStanding::Open => true,
        })
    }

    /// The criteria that nobody asked for, by name; none where there are none.
    pub fn own_line(&self) -> Option<String> {
        let ids: Vec<&str> = self.unasked.iter().map(|one| one.id.as_str()).collect();
        let ids = ids.join(", ");
        (!ids.is_empty()).then(|| format!("Gavel's own, which nobody asked for: {ids}"))
    }

    /// A row for each criterion of each ask, and one for each ask without any.
    pub fn rows(&self) -> Vec<ThreadRow> {
        self.asks.iter().flat_map(ThreadAsk::rows).collect()
    }
}

impl ThreadAsk {
    /// The words, in quotes, and what became of them, on one line.
    pub fn line(&self) -> String {
        format!("\"{}\" → {}", self.account.ask.text, self.outcome())
    }

    /// What became of it: how much of it is shown, else which criteria will, else why there is none.
    pub fn outcome(&self) -> String {
        let served = || {
            if self.criteria.iter().any(|one| one.shown.is_some()) {
                self.shown_text()
            } else {
                self.named_text()
            }
        };
        match &self.account.standing {
            AskStanding::Covered { .. } => served(),
            AskStanding::Claimed {
                doubt,
                agreed: false,
                ..
            } => {
                let doubt = doubt.words();
                format!("{}, by the leader's word alone: {doubt}", served())
            }
            AskStanding::Claimed { agreed: true, .. } => {
                format!("{}, as a person agreed", served())
            }
            AskStanding::Excluded { reason, agreed } => {
                let agreed = if *agreed { ", as a person agreed" } else { "" };
                format!("left out{agreed}: {reason}")
            }
            AskStanding::Open => "NOT COVERED".to_owned(),
            AskStanding::Reworded => {
                format!("reworded by the person: \"{}\"", self.reworded.join("; "))
            }
        }
    }

    /// How its line is to be read.
    pub fn tone(&self) -> ThreadTone {
        match &self.account.standing {
            AskStanding::Open => ThreadTone::Warn,
            AskStanding::Excluded { agreed, .. } | AskStanding::Claimed { agreed, .. }
                if !agreed =>
            {
                ThreadTone::Warn
            }
            AskStanding::Excluded { .. } | AskStanding::Reworded => ThreadTone::Plain,
            AskStanding::Covered { .. } | AskStanding::Claimed { .. } => {
                let tones = self.criteria.iter().map(ThreadCriterion::tone);
                let bad = |tone: &ThreadTone| *tone == ThreadTone::Bad;
                let all: Vec<ThreadTone> = tones.collect();
                if all.iter().any(bad) {
                    ThreadTone::Bad
                } else if all.iter().all(|tone| *tone == ThreadTone::Good) {
                    ThreadTone::Good
                } else {
                    ThreadTone::Plain
                }
            }
        }
    }

    fn shown_text(&self) -> String {
        let met = self.criteria.iter().filter(|one| one.is_met());
        let ranks = EvidenceRank::ALL.into_iter().filter_map(|rank| {
            let such = |one: &&ThreadCriterion| {
                one.is_met() && one.shown.as_ref().and_then(|shown| shown.rank) == Some(rank)
            };
            let number = self.criteria.iter().filter(such).count();
            (number > 0).then(|| format!("{number} {}", rank.label()))
        });
        let ranks: Vec<String> = ranks.collect();
        let all = self.criteria.len();
        let what = if all == 1 { "criterion" } else { "criteria" };
        let shown = format!("{} of {all} {what} shown", met.count());
        if ranks.is_empty() {
            return shown;
        }
        format!("{shown} ({})", ranks.join(", "))
    }

    fn named_text(&self) -> String {
        let named = self.criteria.iter().take(MOST_NAMED);
        let named: Vec<&str> = named.map(|one| one.id.as_str()).collect();
        match self.criteria.len().saturating_sub(MOST_NAMED) {
            0 => named.join(", "),
            more => format!("{} and {more} more", named.join(", ")),
        }
    }

    /// One row for each criterion; one for an ask without any.
    pub fn rows(&self) -> Vec<ThreadRow> {
        let words = &self.account.ask.text;
        if self.criteria.is_empty() {
            return vec![ThreadRow {
                words: words.clone(),
                criterion: self.outcome(),
                evidence: String::new(),
                tone: self.tone(),
            }];
        }
        let doubted = self.account.is_only_claimed();
        let doubt = match &self.account.standing {
            AskStanding::Claimed {
                doubt,
                agreed: false,
                ..
            } => format!(" (the leader's word alone: {})", doubt.words()),
            AskStanding::Claimed { agreed: true, .. } => " (a person agreed)".to_owned(),
            AskStanding::Covered { .. }
            | AskStanding::Excluded { .. }
            | AskStanding::Open
            | AskStanding::Reworded => String::new(),
        };
        let row = |(place, one): (usize, &ThreadCriterion)| {
            let first = place == 0;
            let tone = if doubted {
                ThreadTone::Warn
            } else {
                one.tone()
            };
            ThreadRow {
                words: if first { words.clone() } else { String::new() },
                criterion: format!("{}{}", one.id, if first { doubt.as_str() } else { "" }),
                evidence: one.evidence_text(),
                tone,
            }
        };
        self.criteria.iter().enumerate().map(row).collect()
    }
}

impl ThreadCriterion {
    /// True when all of it was shown.
    pub fn is_met(&self) -> bool {
        let standing = self.shown.as_ref().map(|shown| shown.standing);
        standing == Some(CriterionStanding::Met)
    }

    /// What shows it, how firmly, or that nothing does yet.
    pub fn evidence_text(&self) -> String {
        let Some(shown) = &self.shown else {
            return "not judged yet".to_owned();
        };
        let text = match shown.rank {
            Some(rank) if shown.standing != CriterionStanding::Unmet => {
                format!("{}: {}", rank.label(), shown.text)
            }
            Some(_) | None => shown.text.clone(),
        };
        match shown.standing {
            CriterionStanding::Met => text,
            CriterionStanding::Partial => format!("in part: {text}"),
            CriterionStanding::Unmet => format!("not shown: {text}"),
        }
    }

    fn tone(&self) -> ThreadTone {
        match self.shown.as_ref().map(|shown| shown.standing) {
            None => ThreadTone::Plain,
            Some(CriterionStanding::Met) => ThreadTone::Good,
            Some(CriterionStanding::Partial) => ThreadTone::Warn,
            Some(CriterionStanding::Unmet) => ThreadTone::Bad,
        }
    }
}

impl CriterionShown {
    fn of(judged: &CriterionJudged) -> Self {
        let texts: Vec<String> = judged.evidence.iter().map(evidence_text).collect();
        Self {
            standing: judged.standing,
            rank: judged.rank,
            evidence: judged.evidence.clone(),
            text: if texts.is_empty() {
                judged.note.clone()
            } else {
                texts.join(", ")
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use gavel_domain::{Ask, ClaimDoubt};

    use super::*;

    fn account(number: u32, text: &str, standing: AskStanding) -> AskAccount {
        AskAccount {
            ask: Ask {
                id: format!("a{number}"),
                text: text.to_owned(),
                source: AskSource::Idea,
                reworded_as: Vec::new(),
            },
            standing,
        }
    }

    #[test]
    fn words_that_no_person_said_are_not_called_theirs() {
        for (source, counted, title) in [
            (AskSource::Idea, "0 of 1 ask has criteria", "your words"),
            (
                AskSource::Agent,
                "0 of 1 ask has criteria; asked by a program, not in a person's own words",
                "words",
            ),
            (
                AskSource::PlanStep,
                "0 of 1 ask has criteria; asked by a step of a plan that a person approved",
                "words",
            ),
        ] {
            let mut open = account(1, "books", AskStanding::Open);
            open.ask.source = source;
            let thread = AskThread::of(&[open], &[], &[]);
            assert_eq!(
                (thread.counted().as_str(), thread.words_title()),
                (counted, title)
            );
        }
    }

    fn by(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn accounts() -> Vec<AskAccount> {
        let claimed = |agreed| AskStanding::Claimed {
            criteria: by(&["help"]),
            doubt: ClaimDoubt::NoSharedWord,
            agreed,
        };
        let excluded = |agreed| AskStanding::Excluded {
            reason: "later".to_owned(),
            agreed,
        };
        let covered = AskStanding::Covered {
            criteria: by(&["book_is_listed", "book_is_found"]),
        };
        vec![
            account(1, "books", covered),
            account(2, "films", claimed(false)),
            account(3, "songs", claimed(true)),
            account(4, "games", excluded(false)),
            account(5, "maps", excluded(true)),
            account(6, "in blue", AskStanding::Open),
        ]
    }

    fn criteria() -> Vec<Criterion> {
        let ids = ["book_is_listed", "book_is_found", "help", "version"];
        let criteria = ids.iter().map(|id| Criterion {
            id: (*id).to_owned(),
            statement: format!("{id} holds."),
            example: String::new(),
        });
        criteria.collect()
    }

    fn judged(
        id: &str,
        standing: CriterionStanding,
        rank: Option<EvidenceRank>,
    ) -> CriterionJudged {
        let is_met = standing == CriterionStanding::Met;
        CriterionJudged {
            id: id.to_owned(),
            standing,
            weight: 1,
            note: if is_met {
                String::new()
            } else {
                "it failed".to_owned()
            },
            evidence: if is_met {
                vec![EvidenceRef::Test {
                    name: id.to_owned(),
                }]
            } else {
                Vec::new()
            },
            rank,
            caught: String::new(),
        }
    }

    #[test]
    fn before_the_gate_the_thread_names_criteria() {
        let thread = AskThread::of(&accounts(), &criteria(), &[]);
        let lines: Vec<String> = thread.asks.iter().map(ThreadAsk::line).collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        "books" → book_is_listed, book_is_found
        "films" → help, by the leader's word alone: no word of it stands in these criteria
        "songs" → help, as a person agreed
        "games" → left out: later
        "maps" → left out, as a person agreed: later
        "in blue" → NOT COVERED
        "#);
        assert_eq!(thread.counted(), "2 of 6 asks have criteria");
        let uncovered: Vec<&str> = thread
            .uncovered()
            .map(|ask| ask.account.ask.text.as_str())
            .collect();
        assert_eq!(uncovered, ["films", "games", "maps", "in blue"]);
        let unasked: Vec<&str> = thread.unasked.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(unasked, ["version"]);
    }

    #[test]
    fn words_that_were_reworded_point_to_those_in_their_place() {
        let mut accounts = accounts();
        accounts[0].ask.reworded_as = vec!["a6".to_owned()];
        accounts[0].standing = AskStanding::Reworded;
        let thread = AskThread::of(&accounts, &criteria(), &[]);
        let first = &thread.asks[0];
        assert_eq!(
            (first.line().as_str(), first.tone()),
            (
                r#""books" → reworded by the person: "in blue""#,
                ThreadTone::Plain
            )
        );
        let counted = "1 of 5 asks have criteria; 1 reworded by the person";
        assert_eq!(thread.counted(), counted);
        assert!(thread.uncovered().all(|ask| ask.account.ask.id != "a1"));
    }

    #[test]
    fn after_the_gate_it_leads_to_the_evidence() {
        let shown = [
            judged(
                "book_is_listed",
                CriterionStanding::Met,
                Some(EvidenceRank::TestBites),
            ),
            judged("book_is_found", CriterionStanding::Unmet, None),
            judged("help", CriterionStanding::Met, Some(EvidenceRank::Said)),
        ];
        let thread = AskThread::of(&accounts(), &criteria(), &shown);
        let rows: Vec<String> = thread
            .rows()
            .into_iter()
            .map(|row| {
                let ThreadRow {
                    words,
                    criterion,
                    evidence,
                    tone,
                } = row;
                format!("{words} | {criterion} | {evidence} | {tone:?}")
            })
            .collect();
        insta::assert_snapshot!(rows.join("\n"), @r"
        books | book_is_listed | test that was proven to bite: book_is_listed | Good
         | book_is_found | not shown: it failed | Bad
        films | help (the leader's word alone: no word of it stands in these criteria) | said: help | Warn
        songs | help (a person agreed) | said: help | Good
        games | left out: later |  | Warn
        maps | left out, as a person agreed: later |  | Plain
        in blue | NOT COVERED |  | Warn
        ");
        assert_eq!(
            thread.asks[0].outcome(),
            "1 of 2 criteria shown (1 test that was proven to bite)"
        );
        assert_eq!(thread.asks[0].tone(), ThreadTone::Bad);
    }
}
