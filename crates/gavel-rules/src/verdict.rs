//! The verdict of a seal: what the gate said, and what was left out on the way.

use std::collections::BTreeSet;
use std::fmt;

use gavel_domain::Approver;
use serde::{Deserialize, Serialize};

use crate::GateVerdict;

/// The reason of a flagged verdict where the gate named none.
pub(crate) const NO_CONDITIONS: &str = "the gate does not say which conditions hold";
const WHOLE_SUITE: &str =
    "tests: their runner cannot run one alone; they count by how the whole suite ended";
const UNSEEN_FIX: &str =
    "fix: its runner runs no test alone, so none was seen to fail on the code from before";

/// What a seal says of a run; the order is from the worst to the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SealVerdict {
    /// The gate did not pass.
    Flagged,
    /// The gate passed, but something is missing.
    Conditional,
    /// Every condition holds and nothing was left out.
    Certified,
}

impl SealVerdict {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Flagged => "flagged",
            Self::Conditional => "conditional",
            Self::Certified => "certified",
        }
    }
}

impl fmt::Display for SealVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Who audited what was built; the order is from the worst to the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditedBy {
    /// The model that wrote it.
    Author,
    /// The built-in rules, what a model wrote.
    Rules,
    /// Another model.
    OtherModel,
}

impl AuditedBy {
    /// Why that is no second look; none where it is one.
    pub const fn doubt(self) -> Option<&'static str> {
        match self {
            Self::Author => Some("by the model that wrote it"),
            Self::Rules => Some("by rules alone"),
            Self::OtherModel => None,
        }
    }
}

/// Something that belongs to a whole run and did not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Omission {
    /// No models debated the plan; rules reviewed it.
    Debate,
    /// The seats of the debate were one model.
    SecondOpinion,
    /// The auditor was the model that wrote the code.
    IndependentAudit,
    /// The built-in rules audited what a model wrote.
    RulesAudit,
    /// Nobody audited the code.
    Audit,
    /// Nobody looked at the result; this shipped it.
    Approval(Approver),
    /// Project memory was not asked.
    Memory,
    /// A person asked to ship before the repairs were through.
    Repairs,
    /// Commands ran without walls.
    Sandbox,
    /// Project memory knows traps, and no criterion proves that they are avoided.
    Traps,
    /// A small change: no council, no assumptions, no customer.
    SmallChange,
    /// Criteria were shown by reading alone.
    Execution,
    /// The product owner's own model spoke for the customer.
    Customer,
    /// A person put assumptions off that the plan rests on.
    Assumptions,
    /// Nobody looked at this many assumptions that the plan rests on.
    UnseenAssumptions(u32),
    /// The council's judge wanted a person to look at what it came to, and nobody did.
    UnseenCouncil,
    /// The run changed what runs the tests; they ran with what was there before.
    ChangedRunner,
    /// The run changed what runs the tests, and a person agreed.
    AgreedRunner,
    /// Settings of the project choose what runs the tests, as they did before. Stated, and held
    /// against nobody.
    OwnRunner,
    /// This many criteria are shown by less than Gavel's own execution or a test that bites.
    WeakEvidence(u32),
    /// This many tests of criteria are hollow.
    HollowTests(u32),
    /// The runner of the tests cannot run one of them alone: they count by how the whole suite ended.
    WholeSuite,
    /// So many tests were printed as passed beyond those that the runner lists; they are not counted.
    UnlistedTests(u32),
    /// A fix whose runner names no tests: none was seen to fail on the code from before it.
    UnseenFix,
    /// Of this many tests from before the run nobody could tell whether they still notice faults.
    UnmeasuredTests(u32),
    /// Nothing measured how much the tests cover. Stated, and held against nobody.
    Coverage,
    /// This many asks of a person are covered by no criterion, and nobody stated why.
    OpenAsks(u32),
    /// This many asks are covered by the leader's word alone, and no person agreed to that.
    ClaimedAsks(u32),
    /// This many asks were left out for a stated reason, and no person agreed to that.
    LeftOutAsks(u32),
    /// Dependencies were fetched with the whole network of the machine, as a person agreed to.
    OpenNetwork,
}

impl Omission {
    /// All of them, numbers as the smallest that there are.
    pub const ALL: [Self; 32] = [
        Self::Debate,
        Self::SecondOpinion,
        Self::IndependentAudit,
        Self::RulesAudit,
        Self::Audit,
        Self::Approval(Approver::YesFlag),
        Self::Approval(Approver::Clock),
        Self::Approval(Approver::Policy),
        Self::Memory,
        Self::Repairs,
        Self::Sandbox,
        Self::Traps,
        Self::SmallChange,
        Self::Execution,
        Self::Customer,
        Self::Assumptions,
        Self::UnseenAssumptions(1),
        Self::UnseenCouncil,
        Self::ChangedRunner,
        Self::AgreedRunner,
        Self::OwnRunner,
        Self::WeakEvidence(1),
        Self::HollowTests(1),
        Self::WholeSuite,
        Self::UnlistedTests(1),
        Self::UnseenFix,
        Self::UnmeasuredTests(1),
        Self::Coverage,
        Self::OpenAsks(1),
        Self::ClaimedAsks(1),
        Self::LeftOutAsks(1),
        Self::OpenNetwork,
    ];

    /// The omission that a line tells.
    pub fn of_line(line: &str) -> Option<Self> {
        let digits = line.split(|c: char| !c.is_ascii_digit());
        let number = digits.filter_map(|word| word.parse().ok()).next();
        let mut all = Self::ALL.into_iter();
        all.find_map(|one| {
            let one = number.map_or(one, |number| one.of_number(number));
            (one.to_string() == line).then_some(one)
        })
    }

    /// The same about so many things, where it counts any.
    const fn of_number(self, number: u32) -> Self {
        match self {
            Self::UnseenAssumptions(_) => Self::UnseenAssumptions(number),
            Self::WeakEvidence(_) => Self::WeakEvidence(number),
            Self::HollowTests(_) => Self::HollowTests(number),
            Self::UnlistedTests(_) => Self::UnlistedTests(number),
            Self::UnmeasuredTests(_) => Self::UnmeasuredTests(number),
            Self::OpenAsks(_) => Self::OpenAsks(number),
            Self::ClaimedAsks(_) => Self::ClaimedAsks(number),
            Self::LeftOutAsks(_) => Self::LeftOutAsks(number),
            Self::Debate
            | Self::SecondOpinion
            | Self::IndependentAudit
            | Self::RulesAudit
            | Self::Audit
            | Self::Approval(_)
            | Self::Memory
            | Self::Repairs
            | Self::Sandbox
            | Self::Traps
            | Self::SmallChange
            | Self::Execution
            | Self::Customer
            | Self::Assumptions
            | Self::UnseenCouncil
            | Self::ChangedRunner
            | Self::AgreedRunner
            | Self::OwnRunner
            | Self::WholeSuite
            | Self::UnseenFix
            | Self::Coverage
            | Self::OpenNetwork => self,
        }
    }

    /// True for what lowers the verdict; the rest is only stated.
    pub const fn weighs(self) -> bool {
        match self {
            Self::Debate
            | Self::SecondOpinion
            | Self::IndependentAudit
            | Self::RulesAudit
            | Self::Audit
            | Self::Approval(_)
            | Self::Memory
            | Self::Repairs
            | Self::Sandbox
            | Self::Traps
            | Self::SmallChange
            | Self::Execution
            | Self::Customer
            | Self::Assumptions
            | Self::UnseenAssumptions(_)
            | Self::UnseenCouncil
            | Self::ChangedRunner
            | Self::AgreedRunner
            | Self::WeakEvidence(_)
            | Self::HollowTests(_)
            | Self::WholeSuite
            | Self::UnlistedTests(_)
            | Self::UnseenFix
            | Self::UnmeasuredTests(_)
            | Self::OpenAsks(_)
            | Self::ClaimedAsks(_)
            | Self::LeftOutAsks(_)
            | Self::OpenNetwork => true,
            Self::OwnRunner | Self::Coverage => false,
        }
    }
}

const OPEN_NETWORK: &str = "network: dependencies were fetched with the whole network of this machine, so \
    nothing says whom that talked to";

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Debate => "debate: rule-based review only",
            Self::SecondOpinion => "second opinion: one model had every seat of the debate",
            Self::IndependentAudit => "independent audit: the model that wrote the code audited it",
            Self::RulesAudit => "audit: rules looked at what a model wrote; no other model did",
            Self::Audit => "audit: nobody audited the code",
            Self::Approval(Approver::Person) => "approval: a person looked at the result",
            Self::Approval(by @ (Approver::YesFlag | Approver::Clock | Approver::Policy)) => {
                return write!(f, "approval: nobody looked at the result; {by} shipped it");
            }
            Self::Memory => "memory: project memory was not asked",
            Self::Repairs => "repairs: a person asked to ship before they were through",
            Self::Sandbox => "sandbox: commands ran without walls",
            Self::Traps => {
                "traps: memory knows some, and no criterion proves that they are avoided"
            }
            Self::SmallChange => {
                "council: a small change; nobody debated it, weighed assumptions or spoke for a customer"
            }
            Self::Execution => {
                "execution: some criteria were shown by reading alone, not by anything that ran"
            }
            Self::Customer => "customer: the product owner's own model reviewed its own work",
            Self::Assumptions => "assumptions: a person put some off that the plan rests on",
            Self::UnseenAssumptions(1) => {
                "assumptions: nobody looked at 1 assumption that the plan rests on"
            }
            Self::UnseenAssumptions(number) => {
                return write!(
                    f,
                    "assumptions: nobody looked at {number} assumptions that the plan rests on"
                );
            }
            Self::UnseenCouncil => {
                "council: its judge wanted a person to look at what it came to, and nobody did"
            }
            Self::ChangedRunner => {
                "runner: the work changed what runs the tests; they ran with what was there before"
            }
            Self::AgreedRunner => {
                "runner: the work changed what runs the tests, and a person agreed"
            }
            Self::OwnRunner => {
                "runner: settings of the project choose what runs the tests, as before the run"
            }
            Self::WeakEvidence(number) => {
                return write!(
                    f,
                    "evidence: {number} of the criteria shown neither by Gavel's own execution nor by a test \
                     that was proven to bite"
                );
            }
            Self::HollowTests(1) => "tests: 1 test of a criterion is hollow",
            Self::HollowTests(number) => {
                return write!(f, "tests: {number} tests of criteria are hollow");
            }
            Self::WholeSuite => WHOLE_SUITE,
            Self::UnlistedTests(number) => {
                return write!(
                    f,
                    "tests: {number} more were printed as passed than the runner lists; they are not counted"
                );
            }
            Self::UnseenFix => UNSEEN_FIX,
            Self::UnmeasuredTests(number) => return f.write_str(&unmeasured(*number)),
            Self::Coverage => "coverage: nothing measured how much the tests cover",
            Self::OpenAsks(number) => return f.write_str(&open_asks(*number)),
            Self::ClaimedAsks(number) => {
                let said = "covered by the leader's word alone";
                return write!(f, "asked: {number} {} {said}, and nobody agreed", things(*number));
            }
            Self::LeftOutAsks(number) => {
                return write!(f, "asked: {number} {} left out, and nobody agreed", things(*number));
            }
            Self::OpenNetwork => OPEN_NETWORK,
        })
    }
}

fn unmeasured(number: u32) -> String {
    let (tests, they) = match number {
        1 => ("test", "it still notices"),
        _ => ("tests", "they still notice"),
    };
    format!(
        "tests: of {number} {tests} from before the run it could not be measured whether {they} faults"
    )
}

fn open_asks(number: u32) -> String {
    let things = things(number);
    format!(
        "asked: no criterion covers {number} {things} that {} asked for",
        match number {
            1 => "was",
            _ => "were",
        }
    )
}

const fn things(number: u32) -> &'static str {
    match number {
        1 => "thing",
        _ => "things",
    }
}

/// What was left out of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut(BTreeSet<Omission>);

impl LeftOut {
    /// Notes something.
    pub fn note(&mut self, omission: Omission) {
        self.0.insert(omission);
    }

    /// True when nothing was left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True when something was left out that lowers the verdict.
    fn weighs(&self) -> bool {
        self.0.iter().any(|omission| omission.weighs())
    }

    /// What was left out, one line each.
    pub fn lines(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

impl FromIterator<Omission> for LeftOut {
    fn from_iter<T: IntoIterator<Item = Omission>>(omissions: T) -> Self {
        Self(omissions.into_iter().collect())
    }
}

/// The verdict of a seal, and why it is no better; for a certified run, why it is so good.
pub fn seal_verdict(gate: &GateVerdict, left_out: &LeftOut) -> (SealVerdict, Vec<String>) {
    let verdict = if !gate.passed || !gate.holds_where_it_must() {
        SealVerdict::Flagged
    } else if !gate.holds_whole() || left_out.weighs() {
        SealVerdict::Conditional
    } else {
        SealVerdict::Certified
    };
    let mut reasons = gate.reasons.clone();
    reasons.extend(
        left_out
            .lines()
            .into_iter()
            .map(|line| format!("left out: {line}")),
    );
    match verdict {
        SealVerdict::Certified if left_out.is_empty() => {
            reasons.push("every condition holds, and nothing was left out".to_owned());
        }
        SealVerdict::Certified => reasons.insert(0, "every condition holds".to_owned()),
        SealVerdict::Conditional | SealVerdict::Flagged if reasons.is_empty() => {
            reasons.push(NO_CONDITIONS.to_owned());
        }
        SealVerdict::Conditional | SealVerdict::Flagged => {}
    }
    (verdict, reasons)
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
