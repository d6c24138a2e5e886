//! A statement's own parts, as the rules read them.

use gavel_domain::{Approver, Criterion, CriterionJudged, CriterionStanding};
use gavel_rules::{
    AskThread, CommandClaim, IdeaInTheEnd, KeptClaims, ProofClaims, ReplyClaim, SealClaims,
    SealFormat, SettledClaim, SpendClaim, StatedParts, approves,
};

use super::statement::{SealCriterion, SealPredicate};

impl SealPredicate {
    /// What was asked for, the criteria that serve it, and what shows these.
    pub fn thread(&self) -> AskThread {
        let stated = self.criteria.iter().map(|one| Criterion {
            id: one.id.clone(),
            statement: one.statement.clone(),
            example: String::new(),
        });
        let stated: Vec<Criterion> = stated.collect();
        let judged: Vec<CriterionJudged> = self.criteria.iter().map(judged).collect();
        AskThread::of(&self.asks, &stated, &judged)
    }

    /// What was built in the end, where that is something else than the words that were typed.
    pub fn idea_in_the_end(&self) -> Option<IdeaInTheEnd> {
        let became = self.idea_became.as_ref()?;
        Some(IdeaInTheEnd::of(&self.idea, became))
    }

    /// Everything in which the statement contradicts itself, a sentence each.
    pub fn contradictions(&self) -> Vec<String> {
        let (criteria, stated) = (self.judged_criteria(), self.stated_parts());
        let mut found = self.claims(&criteria, &stated).contradictions();
        if stated.format.is_whole() && self.criteria.iter().any(|one| one.standing.is_none()) {
            found.push("it does not say how far each criterion holds".to_owned());
        }
        let twice = self.criteria.iter().filter(|one| {
            let met = one.standing == Some(CriterionStanding::Met);
            one.standing.is_some() && met != one.holds
        });
        found.extend(twice.map(|one| format!("{} holds, and does not", one.id)));
        found.extend(self.rule_problem());
        found
    }

    /// The criteria as the rules read them.
    pub(super) fn judged_criteria(&self) -> Vec<CriterionJudged> {
        self.criteria.iter().map(judged).collect()
    }

    /// The format of the statement.
    pub const fn seal_format(&self) -> SealFormat {
        SealFormat::of(self.format)
    }

    /// What the statement's format does not allow to be checked, a line each.
    pub fn not_checked(&self) -> Vec<String> {
        self.stated_parts().not_checked()
    }

    /// The parts that omissions, ranks and asks follow from.
    pub(super) fn stated_parts(&self) -> StatedParts<'_> {
        let worded = self.criteria.iter().map(|one| one.evidence.as_str());
        let commands = self.commands.iter().map(|ran| CommandClaim {
            exit: ran.exit,
            level: ran.level,
        });
        let replies = self.replies.iter().map(|one| ReplyClaim {
            model: &one.model,
            role: &one.role,
            replies: one.replies,
        });
        let is_open = |settled: &Option<String>| {
            let settled = settled.as_deref().unwrap_or_default();
            settled.trim().is_empty()
        };
        let unsettled = self.refuted.iter().filter(|one| is_open(&one.settled));
        let settled = self.refuted.iter().filter(|one| !is_open(&one.settled));
        let settled = settled.map(|one| SettledClaim {
            claim: &one.claim,
            how: one.settled.as_deref().unwrap_or_default(),
        });
        let spend = &self.spend;
        let of_sources = spend.sources.iter().map(|one| one.calls);
        StatedParts {
            format: self.seal_format(),
            idea: &self.idea,
            became: self.idea_became.as_deref().unwrap_or_default(),
            worded: worded.collect(),
            commands: commands.collect(),
            replies: replies.collect(),
            models: self.models.iter().map(String::as_str).collect(),
            spend: SpendClaim {
                known: spend.usd,
                unconfirmed: spend.unconfirmed_usd,
                calls: spend.calls,
                unpriced: spend.unpriced_calls,
                unmetered: spend.unmetered_calls,
                reported: spend.reported_calls,
                asked_of_sources: of_sources.fold(0, u64::saturating_add),
            },
            unsettled: unsettled.map(|one| one.claim.as_str()).collect(),
            settled: settled.collect(),
            contracts: self.contracts.len(),
        }
    }

    /// The parts that verdict and score follow from.
    pub(super) fn claims<'a>(
        &'a self,
        criteria: &'a [CriterionJudged],
        stated: &'a StatedParts<'a>,
    ) -> SealClaims<'a> {
        SealClaims {
            verdict: self.verdict,
            score: self.score,
            reasons: &self.reasons,
            conditions: &self.conditions,
            criteria,
            asks: &self.asks,
            left_out: &self.left_out,
            approver: self.approval.as_ref().map(|approval| approval.by),
            proof: self.proof.as_ref().map(|proof| ProofClaims {
                evidence_ranks: &proof.evidence_ranks,
                mutants: proof.mutants,
                killed: proof.killed,
                hollow: &proof.hollow,
                kept: proof.kept_tests.map(|kept| KeptClaims {
                    tried: kept.tried,
                    came_to: [kept.biting, kept.hollow_before, kept.not_measured],
                }),
            }),
            stated,
        }
    }

    /// A rule approves by name, its criteria are as it wants them, and nobody else approves by a rule.
    fn rule_problem(&self) -> Option<String> {
        let approval = self.approval.as_ref()?;
        match (approval.by, approval.rule) {
            (Approver::Policy, None) => Some("a rule approved it, and is not named".to_owned()),
            (Approver::Policy, Some(rule)) => {
                let criteria = self.judged_criteria();
                let kept = approves(rule, &criteria);
                (!kept)
                    .then(|| format!("the rule `{rule}` approved it, and its criteria are not so"))
            }
            (Approver::Person | Approver::YesFlag | Approver::Clock, Some(rule)) => {
                let by = approval.by;
                Some(format!("{by} approved it, and the rule `{rule}` is named"))
            }
            (Approver::Person | Approver::YesFlag | Approver::Clock, None) => None,
        }
    }
}

fn judged(criterion: &SealCriterion) -> CriterionJudged {
    let by_holds = if criterion.holds {
        CriterionStanding::Met
    } else {
        CriterionStanding::Unmet
    };
    CriterionJudged {
        id: criterion.id.clone(),
        standing: criterion.standing.unwrap_or(by_holds),
        weight: criterion.weight,
        note: criterion.evidence.clone(),
        evidence: criterion.proof.clone(),
        rank: criterion.rank,
        caught: criterion.caught.clone(),
    }
}
