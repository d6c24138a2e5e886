//! From the idea to pinned contracts.

use gavel_domain::{PlanFact, Record};

use super::Fold;
use crate::ReportError;
use crate::beginning::{EarlierTold, RepositoryTold, RouteTold};
use crate::plan::{ContractTold, DiscoveryTold, Recalled, RecommendersTold};

impl Fold<'_> {
    pub(super) async fn apply_plan(
        &mut self,
        fact: PlanFact,
        record: &Record,
    ) -> Result<(), ReportError> {
        match fact {
            PlanFact::ModelsChosen(models) => self.report.models = Some(models),
            PlanFact::RouteDecided(route) => {
                let inputs = match route.inputs {
                    Some(name) => Some(self.texts.json(record, name).await?),
                    None => None,
                };
                self.report.route = Some(RouteTold::of(route, inputs));
            }
            PlanFact::IntakeClassified(said) => self.report.clarity = Some(said.into()),
            PlanFact::RepositoryRead(read) => {
                self.report.repository = Some(RepositoryTold {
                    kind: read.kind,
                    sources: read.sources,
                    tests: read.tests,
                    found: self.texts.json(record, read.found).await?,
                });
            }
            PlanFact::EarlierRunsRecalled(recalled) => {
                self.report.earlier = Some(EarlierTold {
                    runs: recalled.runs,
                    texts: self.texts.json(record, recalled.texts).await?,
                });
            }
            // What was recommended stands beside each answer.
            PlanFact::RecommendersChosen(chosen) => {
                self.report
                    .recommenders
                    .push(RecommendersTold::from(chosen));
            }
            // A task that was told nothing is no news.
            PlanFact::MemoryRecalled(recalled)
                if recalled.items.is_empty() && recalled.unanswered.is_empty() => {}
            PlanFact::MemoryCited(cited) => {
                let known = &mut self.report.memory_cited;
                let new = cited.items.into_iter().filter(|item| !known.contains(item));
                let new: Vec<String> = new.collect();
                known.extend(new);
            }
            PlanFact::MemoryRecalled(recalled) => {
                let texts = self.texts.json(record, recalled.texts).await?;
                self.report.memory.push(Recalled {
                    stage: self.head.stage,
                    items: recalled.items,
                    texts,
                    unanswered: recalled.unanswered,
                });
            }
            PlanFact::DiscoveryAnswered(answered) => {
                self.report.discovery = Some(DiscoveryTold {
                    answers: self.texts.json(record, answered.answers).await?,
                    recommended: answered.recommended,
                });
            }
            // The accounts hold the asks themselves.
            PlanFact::AsksRead(_) => {}
            PlanFact::AsksAccounted(accounted) => {
                self.report.asks = Some(self.texts.json(record, accounted.accounts).await?);
            }
            PlanFact::SpecWritten(written) => {
                self.report.spec = Some(self.texts.json(record, written.spec).await?);
            }
            PlanFact::ContractSubmitted(submitted) => {
                let text = self.texts.text(record, submitted.content).await?;
                let told = ContractTold {
                    kind: submitted.kind,
                    version: submitted.version,
                    digest: submitted.content.digest,
                    bytes: submitted.content.bytes,
                    model: submitted.model,
                    pinned: false,
                    text,
                };
                let of_kind = self.contracts.entry(submitted.kind).or_default();
                of_kind.insert(submitted.version, told);
            }
            PlanFact::ContractsPinned(pinned) => self.pinned = pinned.contracts,
        }
        Ok(())
    }
}
