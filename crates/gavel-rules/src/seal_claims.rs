//! What a seal says of itself, computed again: a statement that claims more than its own parts give
//! is refused, whoever signed it.

mod asked;
mod parts;
mod reasons;
mod replied;
mod reworded;
mod shown;
mod whole;

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{
    Approver, AskAccount, AskStanding, ConditionState, CriterionJudged, CriterionStanding,
    EvidenceRank, GateCondition, SandboxLevel,
};

pub use self::asked::unheard_in_became;
pub use self::parts::{
    CommandClaim, ReplyClaim, SealFormat, SettledClaim, SpendClaim, StatedParts,
};
use self::replied::Replied;
pub use self::replied::audited_by;
pub use self::reworded::{IdeaBecame, WordsOnRecord, idea_became};
use crate::judging::score;
use crate::{Omission, SealVerdict};

/// No score is higher.
const WHOLE: u32 = 1000;
pub(crate) const APPROVAL: &str = "user_approval";
/// What every gate asks that says who approved.
const SIX: [&str; 6] = [
    "engineering_floor",
    "evidence",
    "weighted_score",
    "assumption_ledger",
    "owner_customer",
    APPROVAL,
];

/// The parts of a seal that its verdict and score follow from.
#[derive(Debug, Clone, Copy)]
pub struct SealClaims<'a> {
    /// The verdict that is claimed.
    pub verdict: SealVerdict,
    /// The score that is claimed.
    pub score: u32,
    /// Why the verdict is no better, a line each.
    pub reasons: &'a [String],
    /// The conditions of the gate.
    pub conditions: &'a [GateCondition],
    /// The criteria as they were judged.
    pub criteria: &'a [CriterionJudged],
    /// What was asked for.
    pub asks: &'a [AskAccount],
    /// What was left out, a line each.
    pub left_out: &'a [String],
    /// Who agreed to ship; none in seals from before it was kept.
    pub approver: Option<Approver>,
    /// What Gavel counted of its own proof; none in seals from before there was one.
    pub proof: Option<ProofClaims<'a>>,
    /// The further parts.
    pub stated: &'a StatedParts<'a>,
}

/// What Gavel counted of its own proof.
#[derive(Debug, Clone, Copy)]
pub struct ProofClaims<'a> {
    /// How many criteria were shown how firmly.
    pub evidence_ranks: &'a BTreeMap<EvidenceRank, u32>,
    /// Faults that were tried.
    pub mutants: u32,
    /// Those that were caught.
    pub killed: u32,
    /// Criteria whose tests caught none.
    pub hollow: &'a [String],
    /// Tests from before the run that were tried; none where that was not counted.
    pub kept: Option<KeptClaims>,
}

/// What tests from before the run made of faults in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptClaims {
    /// Those that were tried.
    pub tried: u32,
    /// Those that noticed faults, noticed none before the run either, and could not be measured.
    pub came_to: [u32; 3],
}

impl KeptClaims {
    /// Those of which nothing could be told.
    pub const fn not_measured(self) -> u32 {
        let [_, _, not_measured] = self.came_to;
        not_measured
    }
}

impl SealClaims<'_> {
    /// Everything in which it contradicts itself, a sentence each.
    pub fn contradictions(&self) -> Vec<String> {
        let mut found = Vec::new();
        for condition in self.conditions {
            found.extend(condition_problem(condition));
        }
        found.extend(self.missing_conditions());
        found.extend(self.criteria_problems());
        found.extend(self.ask_problems());
        found.extend(self.proof_problems());
        found.extend(self.approval_problem());
        found.extend(shown::rank_problems(self));
        found.extend(whole::spend_problems(&self.stated.spend));
        found.extend(self.audit_problem());
        if self.stated.format.is_whole() {
            found.extend(whole::problems(self));
            found.extend(shown::whole_problems(self));
            found.extend(asked::asked_problems(self.stated.idea, self.asks));
            found.extend(asked::became_problem(self.stated.became, self.asks));
            found.extend(asked::line_problems(self.left_out, self.asks));
            found.extend(reasons::problems(self));
        } else {
            found.extend(self.floor_problems());
        }
        let reached = score(self.criteria);
        if reached != self.score {
            let said = self.score;
            found.push(format!(
                "it says {said} of 1000, its criteria come to {reached}"
            ));
        }
        let (best, why) = self.best_verdict();
        if self.verdict > best {
            let said = self.verdict;
            found.push(format!(
                "it says `{said}`, and can be `{best}` at most: {why}"
            ));
        }
        found
    }

    /// The best verdict that the parts allow, and why it is no better.
    pub(crate) fn best_verdict(&self) -> (SealVerdict, String) {
        if self.conditions.is_empty() {
            let why = "it names no condition of the gate".to_owned();
            return (SealVerdict::Flagged, why);
        }
        let open = self.conditions.iter().filter(|one| !one.holds);
        let open: Vec<&str> = open.map(|one| one.id.as_str()).collect();
        if !open.is_empty() {
            let why = format!("conditions do not hold: {}", open.join(", "));
            return (SealVerdict::Flagged, why);
        }
        match self.lowered_by() {
            Some(why) => (SealVerdict::Conditional, why),
            None => (SealVerdict::Certified, String::new()),
        }
    }

    fn lowered_by(&self) -> Option<String> {
        if score(self.criteria) < WHOLE {
            return Some("some criteria are not met".to_owned());
        }
        if let Some(line) = self.left_out.iter().find(|line| weighs(line)) {
            return Some(format!("left out: {line}"));
        }
        if let Some(by @ (Approver::YesFlag | Approver::Clock | Approver::Policy)) = self.approver {
            return Some(format!("{by} shipped it"));
        }
        if self.asks.iter().any(AskAccount::is_open) {
            return Some("something that was asked for is not covered".to_owned());
        }
        if self.asks.iter().any(AskAccount::is_only_claimed) {
            let why = "something that was asked for is covered by the leader's word alone";
            return Some(why.to_owned());
        }
        let excluded = self.asks.iter().any(AskAccount::is_left_out_unseen);
        if self.stated.format.is_whole() && excluded {
            return Some("something that was asked for is left out, and nobody agreed".to_owned());
        }
        if self.proof.is_some_and(|proof| !proof.hollow.is_empty()) {
            return Some("tests of criteria are hollow".to_owned());
        }
        let kept = self.proof.and_then(|proof| proof.kept);
        if kept.is_some_and(|kept| kept.not_measured() > 0) {
            return Some("tests from before the run were not measured".to_owned());
        }
        let mut commands = self.stated.commands.iter();
        if commands.any(|ran| ran.level == SandboxLevel::None) {
            return Some("commands ran without walls".to_owned());
        }
        let weak = |one: &&CriterionJudged| !one.rank.is_some_and(EvidenceRank::certifies);
        let weak = self.criteria.iter().find(weak);
        let (Some(_), Some(weak)) = (self.proof, weak) else {
            return None;
        };
        Some(format!("{} is not shown firmly enough", weak.id))
    }

    /// What a certified result has in every format.
    fn floor_problems(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.verdict < SealVerdict::Certified {
            return found;
        }
        if !self.stated.commands.iter().any(|ran| ran.exit == Some(0)) {
            found.push("it says `certified`, and names no command that ended with 0".to_owned());
        }
        // Whoever names one of the six names all of them; the very first seals had others.
        let named = |id: &&str| self.conditions.iter().any(|one| one.id == **id);
        let missing: Vec<&str> = SIX.iter().filter(|id| !named(id)).copied().collect();
        if self.approver.is_none() && !missing.is_empty() && missing.len() < SIX.len() {
            let missing = missing.join(", ");
            found.push(format!(
                "it says `certified`, without the conditions {missing}"
            ));
        }
        found
    }

    /// Where replies are counted, they say whether somebody else audited.
    fn audit_problem(&self) -> Option<String> {
        let audited = self.conditions.iter().find(|one| one.id == "audited")?;
        let counts = audited.state() == ConditionState::Holds && !self.stated.replies.is_empty();
        let needed = Replied::of(&self.stated.replies).audit_needs()?;
        counts.then(|| needed.problem(self.left_out)).flatten()
    }

    fn missing_conditions(&self) -> Option<String> {
        // A statement that has every part names more than the six.
        if self.stated.format.is_whole() {
            return None;
        }
        self.approver?;
        let there = |id: &&&str| !self.conditions.iter().any(|one| one.id == **id);
        let missing: Vec<&str> = SIX.iter().filter(there).copied().collect();
        let missing = missing.join(", ");
        (!missing.is_empty()).then(|| format!("it does not name the conditions {missing}"))
    }

    fn criteria_problems(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut ids = BTreeSet::new();
        for one in self.criteria {
            if !ids.insert(one.id.as_str()) {
                found.push(format!("the criterion {} stands there twice", one.id));
            }
            let is_said = match one.standing {
                CriterionStanding::Met | CriterionStanding::Partial => true,
                CriterionStanding::Unmet => false,
            };
            if is_said && one.evidence.is_empty() && one.note.is_empty() {
                found.push(format!("the criterion {} holds by nothing", one.id));
            }
        }
        found
    }

    fn ask_problems(&self) -> Vec<String> {
        let known = |id: &&String| !self.criteria.iter().any(|one| one.id == **id);
        let asks = self.asks.iter().filter_map(|account| {
            let words = &account.ask.text;
            match &account.standing {
                AskStanding::Covered { criteria } | AskStanding::Claimed { criteria, .. }
                    if criteria.is_empty() =>
                {
                    Some(format!("\"{words}\" is called covered, by no criterion"))
                }
                AskStanding::Covered { criteria } | AskStanding::Claimed { criteria, .. } => {
                    criteria.iter().find(known).map(|id| {
                        format!("\"{words}\" is called covered by {id}, which is no criterion")
                    })
                }
                AskStanding::Excluded { .. } | AskStanding::Open | AskStanding::Reworded => None,
            }
        });
        let reworded = self
            .asks
            .iter()
            .filter_map(|one| self.rewording_problem(one));
        let mut found: Vec<String> = asks.chain(reworded).collect();
        if !self.asks.is_empty() && !self.asks.iter().any(AskAccount::stands) {
            found.push("every ask is called reworded, and no words stand".to_owned());
        }
        found
    }

    fn rewording_problem(&self, account: &AskAccount) -> Option<String> {
        let (words, others) = (&account.ask.text, &account.ask.reworded_as);
        if account.stands() != others.is_empty() {
            return Some(if account.stands() {
                format!("\"{words}\" is reworded, and is said to stand")
            } else {
                format!("\"{words}\" is called reworded, by no other words")
            });
        }
        let is_none = |id: &&String| {
            let mut asks = self.asks.iter();
            **id == account.ask.id || !asks.any(|one| one.ask.id == **id)
        };
        let gone = others.iter().find(is_none)?;
        Some(format!(
            "\"{words}\" is called reworded as {gone}, which are no other words"
        ))
    }

    fn proof_problems(&self) -> Vec<String> {
        let Some(proof) = self.proof else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut counted: BTreeMap<EvidenceRank, u32> = BTreeMap::new();
        for rank in self.criteria.iter().filter_map(|one| one.rank) {
            *counted.entry(rank).or_default() += 1;
        }
        if counted != *proof.evidence_ranks {
            found.push("the ranks that it counts are not those of its criteria".to_owned());
        }
        if proof.killed > proof.mutants {
            let ProofClaims {
                killed, mutants, ..
            } = proof;
            found.push(format!(
                "{killed} of {mutants} faults are said to be caught"
            ));
        }
        if let Some(kept) = proof.kept {
            let sum = kept.came_to.into_iter().fold(0, u32::saturating_add);
            if sum > kept.tried {
                let tried = kept.tried;
                found.push(format!(
                    "{tried} tests from before the run were tried, and {sum} came to something"
                ));
            }
        }
        let bites = |id: &&String| {
            let of_that = self.criteria.iter().find(|one| one.id == **id);
            of_that.is_some_and(|one| one.rank == Some(EvidenceRank::TestBites))
        };
        let bites = proof.hollow.iter().filter(bites);
        found.extend(bites.map(|id| format!("the test of {id} is called hollow and biting")));
        found
    }

    /// The condition says the same as the approval.
    fn approval_problem(&self) -> Option<String> {
        let approver = self.approver?;
        let condition = self.conditions.iter().find(|one| one.id == APPROVAL)?;
        let agrees = match approver {
            Approver::Person => condition.state() == ConditionState::Holds,
            Approver::YesFlag | Approver::Clock | Approver::Policy => {
                condition.state() == ConditionState::Waived && condition.reason == approver.word()
            }
        };
        let text =
            || format!("{approver} approved it, and the condition {APPROVAL} says otherwise");
        (!agrees).then(text)
    }
}

fn condition_problem(condition: &GateCondition) -> Option<String> {
    let GateCondition {
        id,
        holds,
        looked_at,
        held,
        reason,
    } = condition;
    if held > looked_at {
        return Some(format!("{id}: {held} of {looked_at} things hold"));
    }
    let wrong = match condition.state() {
        ConditionState::Holds => held < looked_at || (id == "engineering_floor" && *looked_at == 0),
        ConditionState::NotApplicable | ConditionState::Waived => {
            *looked_at > 0 || reason == GateCondition::NOT_REACHED
        }
        ConditionState::NotReached => *looked_at > 0,
        ConditionState::Fails => false,
    };
    let says = if *holds { "holds" } else { "was not looked at" };
    wrong.then(|| format!("{id} is said to be one that {says}, by {held} of {looked_at}"))
}

/// True for a line that lowers a verdict. Settings that ran the tests are named one by one, and only
/// what this program says about all of them weighs.
pub(crate) fn weighs(line: &str) -> bool {
    match Omission::of_line(line) {
        Some(omission) => omission.weighs(),
        None => !line.starts_with("runner: ") && !line.starts_with("coverage: "),
    }
}

#[cfg(test)]
#[path = "seal_claims_tests.rs"]
mod tests;
