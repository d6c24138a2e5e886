//! When a debate looks something up: before it begins, and between two rounds.

use gavel_domain::{DebatePart, PhaseOutcome, ResearchOutcome};
use gavel_run::RunError;

use crate::Edition;
use crate::chamber::Chamber;
use crate::evaluating::After;
use crate::evidence::FoundResult;
use crate::floor::Floor;
use crate::phase::Phase;
use crate::research::{Findings, Lookup, research, research_need};

/// The most characters of a result that nobody reported on.
const MOST_SHOWN: usize = 1_500;
/// A debate that has looked twice between rounds will not find it by looking again.
pub(crate) const MOST_BETWEEN: u32 = 2;

impl Chamber<'_> {
    /// Looks into sources before anybody speaks, where that is wanted.
    pub(crate) async fn look_up_first(&mut self, floor: &mut Floor) -> Result<(), RunError> {
        let (number, name) = floor.next_lookup();
        let phase = self.begin_lookup(&name, number).await?;
        let scope = self.scope.scope("research", number)?;
        let need = research_need(self.run, &scope, self.council, self.matter).await?;
        self.has_files = need.has_files || self.council.edition == Edition::First;
        if !need.needed {
            let skipped = (PhaseOutcome::Skipped, "");
            return phase.end(self.run, self.scope, skipped).await;
        }
        self.look_up(floor, phase, self.matter.topic).await
    }

    /// Looks up what the leader misses, and says so when nothing new was found.
    pub(crate) async fn research_between(
        &mut self,
        floor: &mut Floor,
        after: &After,
    ) -> Result<(), RunError> {
        let Some(query) = &after.query else {
            return Ok(());
        };
        if floor.lookups > MOST_BETWEEN {
            return Ok(());
        }
        let (number, name) = floor.next_lookup();
        let phase = self.begin_lookup(&name, number).await?;
        self.look_up(floor, phase, query).await
    }

    async fn begin_lookup<'n>(&self, name: &'n str, number: u32) -> Result<Phase<'n>, RunError> {
        let phase = lookup_phase(name, number);
        let model = self.council.researcher.id.to_string();
        phase.begin(self.run, self.scope, vec![model]).await?;
        Ok(phase)
    }

    async fn look_up(
        &mut self,
        floor: &mut Floor,
        phase: Phase<'_>,
        question: &str,
    ) -> Result<(), RunError> {
        let number = phase.round;
        let scope = self.scope.scope("research", number)?;
        let lookup = Lookup {
            number,
            question,
            known: &self.results,
            known_text: &self.findings,
        };
        let asked = (self.matter, &self.evidence, lookup);
        let found = research(self.run, &scope, self.council, asked).await?;
        let ended = match found.outcome {
            ResearchOutcome::Found | ResearchOutcome::NothingNew => PhaseOutcome::Done,
            ResearchOutcome::NoSources => PhaseOutcome::NoSources,
            ResearchOutcome::Rejected | ResearchOutcome::Failed => PhaseOutcome::Failed,
        };
        floor.no_sources |= found.outcome == ResearchOutcome::NoSources;
        let trouble = found.trouble.clone();
        self.take_findings(question, found);
        phase.end(self.run, self.scope, (ended, &trouble)).await
    }

    fn take_findings(&mut self, question: &str, found: Findings) {
        if !self.findings.is_empty() {
            self.findings.push_str("\n\n");
        }
        match found.outcome {
            ResearchOutcome::Found => {
                self.findings.push_str(&found.text);
                // What nobody was shown cannot be cited.
                self.evidence.add(&found.results);
            }
            ResearchOutcome::Rejected | ResearchOutcome::Failed
                if self.council.edition > Edition::First
                    && found.results.iter().any(|one| one.ok) =>
            {
                self.findings.push_str(&shown(question, &found.results));
                self.evidence.add(&found.results);
            }
            ResearchOutcome::NothingNew
            | ResearchOutcome::NoSources
            | ResearchOutcome::Rejected
            | ResearchOutcome::Failed => {
                let asked: String = question.chars().take(200).collect();
                self.findings
                    .push_str(&format!("No new evidence was found for: {asked}"));
            }
        }
        self.results.extend(found.results);
    }
}

/// What the tools of a lookup showed that came without a report which can be used.
fn shown(question: &str, results: &[FoundResult]) -> String {
    let asked: String = question.chars().take(200).collect();
    let mut told = format!("Nobody reported on: {asked}\nWhat the tools showed:");
    for result in results.iter().filter(|result| result.ok) {
        let text: String = result.text.chars().take(MOST_SHOWN).collect();
        told.push_str(&format!(
            "\ntool:{} ({})\n{text}",
            result.label, result.tool
        ));
    }
    told
}

const fn lookup_phase(name: &str, number: u32) -> Phase<'_> {
    Phase {
        name,
        part: DebatePart::Research,
        round: number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_showed_is_told_without_a_report() {
        let result = |label, ok| FoundResult {
            label,
            key: format!("call-{label}"),
            tool: "read_file".to_owned(),
            ok,
            pages: Vec::new(),
            text: format!("line {label}"),
        };
        assert_eq!(
            shown(
                "Which?",
                &[result(3, true), result(4, false), result(5, true)]
            ),
            "Nobody reported on: Which?\nWhat the tools showed:\ntool:3 (read_file)\nline 3\n\
             tool:5 (read_file)\nline 5"
        );
    }
}
