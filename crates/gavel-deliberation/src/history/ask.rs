//! Questions to a record, answered by rules.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use super::answers::Answers;
use super::intent::Asked;
use super::search::{Place, find, terms};
use super::{CouncilRecord, Told};
use crate::readable::excerpt_about;

const MOST_QUOTE: usize = 300;
/// Words that speak of a debate as such: as a subject they name nothing that was debated.
const GENERIC: &str = "answer beginning choice conclusion decision decided discussion else end everything final finally first \
    idea issue last majority matter now option other others outcome overall plan point position \
    problem proposal question really reason recommendation result round stance start still synthesis \
    thing time today topic totally vote whole kết quả luận quyết định cuối cùng đề xuất ý kiến";

/// What a record says to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordAnswer {
    /// True when the record says something about it.
    pub found: bool,
    /// What it says; empty when nothing was found.
    pub lines: Vec<AnswerLine>,
}

/// One thing that a record says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerLine {
    /// What.
    pub text: String,
    /// The key where it stands.
    pub key: String,
}

/// One line per thing with its key; `not in the record` where there is none.
impl fmt::Display for RecordAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lines.is_empty() {
            return f.write_str("not in the record");
        }
        for (place, line) in self.lines.iter().enumerate() {
            if place > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{} [{}]", line.text, line.key)?;
        }
        Ok(())
    }
}

/// Answers a question from a record.
pub(super) fn answer(record: &CouncilRecord, question: &str) -> RecordAnswer {
    let asked = Asked::new(question);
    let lines = if is_elsewhere(record, &asked) {
        Vec::new()
    } else {
        told(record, &asked).unwrap_or_else(|| quotes(record, question))
    };
    RecordAnswer {
        found: !lines.is_empty(),
        lines,
    }
}

/// What the record says to a question that it understands; nothing for one that it does not.
fn told(record: &CouncilRecord, asked: &Asked) -> Option<Vec<AnswerLine>> {
    let answers = Answers { record };
    let named: Vec<&str> = stances(record)
        .into_iter()
        .filter(|stance| asked.names(stance))
        .collect();
    let lines = match (asked.intent(), named.as_slice()) {
        (Some(intent), []) => answers.to(intent),
        (Some(intent), named) => {
            let all = answers.to(intent);
            let theirs = |line: &AnswerLine| {
                let words = Asked::new(&line.text);
                named.iter().any(|stance| words.names(stance))
            };
            let some: Vec<AnswerLine> = all.into_iter().filter(theirs).collect();
            if some.is_empty() {
                answers.said_by(named)
            } else {
                some
            }
        }
        (None, []) => return None,
        (None, named) => answers.said_by(named),
    };
    // Of what is told, only that which is asked about; all of it where the words do not tell.
    let subject = subject(asked);
    let about = |line: &&AnswerLine| !terms(&line.text).is_disjoint(&subject);
    let some: Vec<AnswerLine> = lines.iter().filter(about).cloned().collect();
    Some(if some.is_empty() { lines } else { some })
}

/// The words of what a question is about, where it says so.
fn subject(asked: &Asked) -> BTreeSet<String> {
    let mut words = asked.subject().map(terms).unwrap_or_default();
    let generic = terms(GENERIC);
    words.retain(|word| !generic.contains(word));
    words
}

/// True when a question names a subject that nobody mentioned.
fn is_elsewhere(record: &CouncilRecord, asked: &Asked) -> bool {
    let subject = subject(asked);
    if subject.is_empty() {
        return false;
    }
    let mut known: BTreeSet<String> = BTreeSet::new();
    for text in texts(record) {
        known.extend(terms(text));
    }
    subject.is_disjoint(&known)
}

/// The places whose words fit the question best, quoted.
fn quotes(record: &CouncilRecord, question: &str) -> Vec<AnswerLine> {
    let wanted = terms(question);
    let places = places(record);
    let found = find(&wanted, &places);
    let line = |place: Place<'_>| {
        let turn = record.archive.iter().find(|turn| turn.key == place.key);
        let quote = excerpt_about(place.text, question, MOST_QUOTE);
        let text = match turn {
            Some(turn) if turn.round == 0 => format!("{}, opening: {quote}", turn.stance),
            Some(turn) => format!("{}, round {}: {quote}", turn.stance, turn.round),
            None => quote,
        };
        AnswerLine {
            text,
            key: place.key.to_owned(),
        }
    };
    found.into_iter().map(line).collect()
}

/// Everything that can be quoted.
fn places(record: &CouncilRecord) -> Vec<Place<'_>> {
    let turns = record.archive.iter().map(|turn| Place {
        key: &turn.key,
        text: &turn.said,
    });
    let research = record.research.iter().filter_map(|one| {
        let text = one.text.as_ref().and_then(Told::kept)?;
        Some(Place {
            key: &one.key,
            text,
        })
    });
    let synthesis = record.synthesis.iter().filter_map(|one| {
        Some(Place {
            key: &one.key,
            text: one.text.kept()?,
        })
    });
    turns.chain(research).chain(synthesis).collect()
}

fn texts(record: &CouncilRecord) -> Vec<&str> {
    let mut all: Vec<&str> = places(record).iter().map(|place| place.text).collect();
    all.extend(
        record
            .topic
            .iter()
            .filter_map(Told::kept)
            .map(String::as_str),
    );
    for decision in record
        .decisions
        .iter()
        .filter_map(|one| one.decision.kept())
    {
        all.extend([decision.title.as_str(), &decision.choice, &decision.why]);
    }
    if let Some(plan) = record.plan.as_ref().and_then(|told| told.plan.kept()) {
        let options = plan.decisions.iter().flat_map(|open| &open.options);
        all.extend(options.map(String::as_str));
        all.extend(plan.decisions.iter().map(|open| open.question.as_str()));
    }
    all.extend(stances(record));
    all
}

fn stances(record: &CouncilRecord) -> Vec<&str> {
    let seated = record.participants.iter().map(|seat| seat.stance.as_str());
    let spoke = record.archive.iter().map(|turn| turn.stance.as_str());
    let all: BTreeSet<&str> = seated
        .chain(spoke)
        .filter(|name| !name.is_empty())
        .collect();
    all.into_iter().collect()
}
