//! When a debate looks something up: before it begins, and between two rounds.

use gavel_domain::{DebatePart, PhaseOutcome, ResearchOutcome};
use gavel_run::RunError;

use crate::chamber::Chamber;
use crate::evaluating::After;
use crate::floor::Floor;
use crate::phase::Phase;
use crate::research::{Findings, Lookup, research, research_need};

/// A debate that has looked twice between rounds will not find it by looking again.
const MOST_BETWEEN: u32 = 2;

impl Chamber<'_> {
    /// Looks into sources before anybody speaks, where that is wanted.
    pub(crate) async fn look_up_first(&mut self, floor: &mut Floor) -> Result<(), RunError> {
        let scope = self.scope.scope("research", 1)?;
        if !research_need(self.run, &scope, self.council, self.matter).await? {
            let phase = lookup_phase("research-1", 1);
            phase.begin(self.run, self.scope, Vec::new()).await?;
            let skipped = (PhaseOutcome::Skipped, "");
            return phase.end(self.run, self.scope, skipped).await;
        }
        let question = self.matter.topic;
        self.look_up(floor, question).await
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
        self.look_up(floor, query).await
    }

    async fn look_up(&mut self, floor: &mut Floor, question: &str) -> Result<(), RunError> {
        floor.lookups += 1;
        let number = floor.lookups;
        let name = format!("research-{number}");
        let phase = lookup_phase(&name, number);
        let model = self.council.researcher.id.to_string();
        phase.begin(self.run, self.scope, vec![model]).await?;
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
            ResearchOutcome::Found => self.findings.push_str(&found.text),
            ResearchOutcome::NothingNew
            | ResearchOutcome::NoSources
            | ResearchOutcome::Rejected
            | ResearchOutcome::Failed => {
                let asked: String = question.chars().take(200).collect();
                self.findings
                    .push_str(&format!("No new evidence was found for: {asked}"));
            }
        }
        self.evidence.add(&found.results);
        self.results.extend(found.results);
    }
}

const fn lookup_phase(name: &str, number: u32) -> Phase<'_> {
    Phase {
        name,
        part: DebatePart::Research,
        round: number,
    }
}
