//! Which sources outside the project a run asked, and which it was not allowed to.

use std::collections::BTreeMap;

use gavel_domain::{Fact as _, Record, SourceDecided, SourceUse, ToolFinished};

/// The fold over the facts of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceUses(BTreeMap<String, SourceUse>);

impl SourceUses {
    /// Takes one more record; one that is about something else changes nothing.
    pub fn take(&mut self, record: &Record) {
        if record.kind == ToolFinished::KIND
            && let Ok(ToolFinished {
                source: Some(source),
                ..
            }) = record.read()
        {
            self.of(source).calls += 1;
        } else if record.kind == SourceDecided::KIND
            && let Ok(decided) = record.read::<SourceDecided>()
        {
            let seen = self.of(decided.source);
            seen.allowed = decided.allowed;
            seen.rule = Some(decided.rule);
        }
    }

    /// The sources, in the order of their names.
    pub fn into_uses(self) -> Vec<SourceUse> {
        self.0.into_values().collect()
    }

    fn of(&mut self, source: String) -> &mut SourceUse {
        self.0.entry(source.clone()).or_insert(SourceUse {
            source,
            calls: 0,
            allowed: true,
            rule: None,
        })
    }
}

/// The sources of a run by its facts, in the order of their names.
pub fn source_uses<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<SourceUse> {
    let mut uses = SourceUses::default();
    records.into_iter().for_each(|record| uses.take(record));
    uses.into_uses()
}

#[cfg(test)]
mod tests {
    use gavel_domain::{
        Blob, Digest, Epoch, Fact, Key, RecordDraft, RunId, Seq, SourceRule, Speaker, Timestamp,
    };

    use super::*;

    fn record(seq: u64, fact: &impl Fact) -> Record {
        let key = Key::new(format!("place-{seq}")).unwrap().outcome();
        let draft = RecordDraft::new(key, fact).unwrap();
        let run: RunId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        draft.place(
            run,
            (Seq(seq), Epoch(1)),
            Timestamp::UNIX_EPOCH,
            Digest::ZERO,
        )
    }

    fn asked(seq: u64, source: Option<&str>, ok: bool) -> Record {
        let finished = ToolFinished {
            tool: "ask_source".to_owned(),
            ok,
            result: Blob::new("text").name(),
            level: None,
            source: source.map(str::to_owned),
        };
        record(seq, &finished)
    }

    fn decided(seq: u64, source: &str, allowed: bool) -> Record {
        let decided = SourceDecided {
            source: source.to_owned(),
            allowed,
            rule: SourceRule::Person,
            by: Speaker::PERSON,
        };
        record(seq, &decided)
    }

    #[test]
    fn calls_count_whether_they_were_answered_and_refused_sources_are_named() {
        let records = [
            decided(1, "docs", true),
            asked(2, Some("docs"), true),
            asked(3, Some("docs"), false),
            // Refused before anybody was asked.
            asked(4, None, false),
            asked(5, Some("free"), true),
            decided(6, "paid", false),
        ];
        let person = Some(SourceRule::Person);
        let told = source_uses(&records);
        let told: Vec<_> = told
            .iter()
            .map(|one| (one.source.as_str(), one.calls, one.allowed, one.rule))
            .collect();
        assert_eq!(
            told,
            [
                ("docs", 2, true, person),
                ("free", 1, true, None),
                ("paid", 0, false, person)
            ]
        );
    }
}
