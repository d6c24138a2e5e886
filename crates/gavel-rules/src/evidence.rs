//! Evidence: whether what a claim points at exists. How a tag looks proves nothing.

use std::fmt;

/// What there is to point at.
#[derive(Debug, Clone, Copy)]
pub struct KnownEvidence<'a> {
    /// The ids of the questions that have answers.
    pub answers: &'a [&'a str],
    /// The ids of the memory items that were shown.
    pub memory: &'a [&'a str],
}

/// Whether a tag names something that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// It does.
    Held,
    /// It does not.
    Broken {
        /// Why.
        why: BrokenEvidence,
    },
}

/// Why a tag names nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BrokenEvidence {
    /// No question of that id has an answer.
    NoSuchAnswer,
    /// No memory item of that id was shown.
    NoSuchMemory,
    /// It is neither `idea` nor `answer:…` nor `memory:…`.
    UnknownForm,
}

impl fmt::Display for BrokenEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchAnswer => "no answer has this id",
            Self::NoSuchMemory => "no memory item has this id",
            Self::UnknownForm => "evidence is `idea`, `answer:ID` or `memory:ID`",
        })
    }
}

/// How many tags name something that exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EvidenceCount {
    /// Those that do.
    pub held: u32,
    /// Those that do not.
    pub broken: u32,
}

/// Checks a tag: `idea`, `answer:<question id>` or `memory:<item id>`, ids in full.
pub fn check_evidence(tag: &str, known: &KnownEvidence<'_>) -> Evidence {
    let judged = |exists: bool, why| {
        if exists {
            Evidence::Held
        } else {
            Evidence::Broken { why }
        }
    };
    let tag = tag.trim();
    match tag.split_once(':') {
        None => judged(tag == "idea", BrokenEvidence::UnknownForm),
        Some(("answer", id)) => judged(known.answers.contains(&id), BrokenEvidence::NoSuchAnswer),
        Some(("memory", id)) => judged(known.memory.contains(&id), BrokenEvidence::NoSuchMemory),
        Some(_) => judged(false, BrokenEvidence::UnknownForm),
    }
}

/// Counts tags; one that is given twice counts twice.
pub fn count_evidence<'a>(
    tags: impl IntoIterator<Item = &'a str>,
    known: &KnownEvidence<'_>,
) -> EvidenceCount {
    let mut count = EvidenceCount::default();
    for tag in tags {
        let place = match check_evidence(tag, known) {
            Evidence::Held => &mut count.held,
            Evidence::Broken { .. } => &mut count.broken,
        };
        *place = place.saturating_add(1);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: KnownEvidence<'_> = KnownEvidence {
        answers: &["db-strategy", "audience"],
        memory: &["trap-1"],
    };

    #[test]
    fn a_tag_holds_when_it_names_something() {
        let broken = |why| Evidence::Broken { why };
        let table = [
            ("idea", Evidence::Held),
            (" idea\n", Evidence::Held),
            ("answer:db-strategy", Evidence::Held),
            ("memory:trap-1", Evidence::Held),
            ("answer:trap-1", broken(BrokenEvidence::NoSuchAnswer)),
            ("answer:db", broken(BrokenEvidence::NoSuchAnswer)),
            ("answer:", broken(BrokenEvidence::NoSuchAnswer)),
            ("memory:trap", broken(BrokenEvidence::NoSuchMemory)),
            ("memory:TRAP-1", broken(BrokenEvidence::NoSuchMemory)),
            ("Idea", broken(BrokenEvidence::UnknownForm)),
            ("idea:1", broken(BrokenEvidence::UnknownForm)),
            ("src/main.rs:10", broken(BrokenEvidence::UnknownForm)),
            ("deadbeef", broken(BrokenEvidence::UnknownForm)),
            ("", broken(BrokenEvidence::UnknownForm)),
        ];
        for (tag, wanted) in table {
            assert_eq!(check_evidence(tag, &KNOWN), wanted, "{tag:?}");
        }
        let tags = table.iter().map(|(tag, _)| *tag);
        let wanted = EvidenceCount {
            held: 4,
            broken: 10,
        };
        assert_eq!(count_evidence(tags, &KNOWN), wanted);
    }

    #[test]
    fn nothing_known_holds_nothing_but_the_idea() {
        let nothing = KnownEvidence {
            answers: &[],
            memory: &[],
        };
        for tag in ["answer:", "memory:", "answer:audience", "memory:trap-1"] {
            assert_ne!(check_evidence(tag, &nothing), Evidence::Held, "{tag}");
        }
        assert_eq!(check_evidence("idea", &nothing), Evidence::Held);
    }
}
