//! The assumption ledger: what was taken for granted, and what became of it.

use std::collections::BTreeMap;

use gavel_domain::{Assumption, AssumptionStatus, Confidence, Criterion, Digest};

/// The most entries of one run that the plan does not rest on: more are not read by anybody. What it
/// does rest on always fits, for the gate asks about every one.
const MOST: usize = 100;

/// Every assumption of a run, in the order in which they were raised.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    entries: Vec<Assumption>,
    /// Who settled an entry last, by its id.
    settled: BTreeMap<String, SettledBy>,
}

/// What became of an assumption that was raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raised {
    /// It is a new entry.
    New,
    /// It was there, and weighs more from now on.
    Weightier,
    /// It was there, says nothing, or no more of its weight fit.
    Not,
}

/// Who settled an assumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettledBy {
    /// Somebody who may decide.
    Person,
    /// Somebody who may only say something.
    Guest,
    /// Nobody: the run went on without an answer.
    Engine,
    /// A verification, by a test or a criterion. The last one counts.
    Verify,
    /// The repository as it was when the run began.
    Repository,
}

impl SettledBy {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Guest => "guest",
            Self::Engine => "engine",
            Self::Verify => "verify",
            Self::Repository => "repository",
        }
    }
}

/// How an assumption can be looked at, by what its raiser said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validation<'a> {
    /// `test:NAME`, or the id of a criterion, which is its test's name.
    Test(&'a str),
    /// `file:PATH`.
    File(&'a str),
    /// Only a person can tell.
    Person,
}

/// The numbers that a person named, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallen {
    /// Counted from one, in order, each once.
    pub numbers: Vec<usize>,
    /// What was said besides; may be empty.
    pub reason: String,
}

/// An assumption that nobody looked at yet.
pub fn assume(claim: &str, raised_by: &str, confidence: Confidence, how: &str) -> Assumption {
    Assumption {
        id: assumption_id(claim),
        claim: claim.trim().to_owned(),
        raised_by: raised_by.to_owned(),
        confidence,
        how_to_validate: how.trim().to_owned(),
        status: AssumptionStatus::Unverified,
        evidence: String::new(),
    }
}

/// The id of a claim: `a_` and letters and digits, the same however it is spelled and spaced.
pub fn assumption_id(claim: &str) -> String {
    let mut number = Digest::of(normal(claim)).number();
    let mut digits = Vec::new();
    loop {
        let digit = u32::try_from(number % 36).unwrap_or_default();
        digits.extend(char::from_digit(digit, 36));
        number /= 36;
        if number == 0 {
            break;
        }
    }
    let digits: String = digits.iter().rev().collect();
    format!("a_{digits}")
}

/// How an assumption can be looked at.
pub fn validation(assumption: &Assumption) -> Validation<'_> {
    let how = assumption.how_to_validate.trim();
    if let Some(test) = how.strip_prefix("test:") {
        return Validation::Test(test.trim());
    }
    if let Some(file) = how.strip_prefix("file:") {
        return Validation::File(file.trim());
    }
    if Criterion::is_id(how) {
        return Validation::Test(how);
    }
    Validation::Person
}

/// Reads `2, 3: because …`; none when it does not begin with numbers of the list.
pub fn fallen(words: &str, listed: usize) -> Option<Fallen> {
    let end = words.find(|c: char| !(c.is_ascii_digit() || c.is_whitespace() || ",;&".contains(c)));
    let (named, rest) = words.split_at_checked(end.unwrap_or(words.len()))?;
    let named: Result<Vec<usize>, _> = named
        .split(|c: char| !c.is_ascii_digit())
        .filter(|word| !word.is_empty())
        .map(str::parse)
        .collect();
    let mut numbers = named.ok()?;
    numbers.sort_unstable();
    numbers.dedup();
    let all_listed = numbers.iter().all(|number| (1..=listed).contains(number));
    let reason = rest.trim_start_matches([':', '.', '-', ')', '–', '—', ' ']);
    (all_listed && !numbers.is_empty()).then(|| Fallen {
        numbers,
        reason: reason.trim().to_owned(),
    })
}

impl Ledger {
    /// All of them, in the order in which they were raised.
    pub fn entries(&self) -> &[Assumption] {
        &self.entries
    }

    /// The entry of an id.
    pub fn get(&self, id: &str) -> Option<&Assumption> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// Takes an assumption in. The first who raised a claim keeps it; it weighs as much as whoever
    /// gave it the most weight said.
    pub fn raise(&mut self, assumption: Assumption) -> Raised {
        let id = assumption_id(&assumption.claim);
        if let Some(known) = self.entries.iter_mut().find(|entry| entry.id == id) {
            if assumption.confidence <= known.confidence {
                return Raised::Not;
            }
            known.confidence = assumption.confidence;
            return Raised::Weightier;
        }
        let fits = assumption.confidence == Confidence::High || self.entries.len() < MOST;
        if normal(&assumption.claim).is_empty() || !fits {
            return Raised::Not;
        }
        self.entries.push(Assumption {
            id,
            status: AssumptionStatus::Unverified,
            evidence: String::new(),
            ..assumption
        });
        Raised::New
    }

    /// Settles an assumption; false when there is none of that id or it is settled as far already.
    ///
    /// What was put off may be shown later, and what was shown may fall; what fell stays fallen.
    pub fn resolve(
        &mut self,
        id: &str,
        (status, by): (AssumptionStatus, SettledBy),
        evidence: &str,
    ) -> bool {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == id) else {
            return false;
        };
        let goes_on = rank(status) > rank(entry.status);
        if goes_on {
            entry.status = status;
            evidence.clone_into(&mut entry.evidence);
            self.settled.insert(id.to_owned(), by);
        }
        goes_on
    }

    /// What a verification showed, of which the last one has to say whether it still holds.
    pub fn shown_by_verify(&self) -> impl Iterator<Item = &Assumption> {
        self.entries.iter().filter(|entry| {
            entry.status == AssumptionStatus::Validated
                && self.settled.get(&entry.id) == Some(&SettledBy::Verify)
        })
    }

    /// Opens again what a verification showed and the last one does not; false for anything else.
    pub fn reopen(&mut self, id: &str) -> bool {
        let shown = self.shown_by_verify().any(|entry| entry.id == id);
        let entry = self.entries.iter_mut().find(|entry| entry.id == id);
        let Some(entry) = entry.filter(|_| shown) else {
            return false;
        };
        entry.status = AssumptionStatus::Unverified;
        entry.evidence.clear();
        self.settled.remove(id);
        true
    }

    /// What was put off, and by whom.
    pub fn put_off(&self) -> impl Iterator<Item = (&Assumption, SettledBy)> {
        let entries = self.entries.iter();
        let put_off = entries.filter(|entry| entry.status == AssumptionStatus::Deferred);
        put_off.map(|entry| {
            let by = self.settled.get(&entry.id).copied();
            (entry, by.unwrap_or(SettledBy::Engine))
        })
    }

    /// What the plan rests on and nobody looked at.
    pub fn unresolved_critical(&self) -> impl Iterator<Item = &Assumption> {
        self.open()
            .filter(|entry| entry.confidence == Confidence::High)
    }

    /// Everything that nobody looked at.
    pub fn open(&self) -> impl Iterator<Item = &Assumption> {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.status == AssumptionStatus::Unverified)
    }

    /// What turned out not to be so.
    pub fn fell(&self) -> impl Iterator<Item = &Assumption> {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.status == AssumptionStatus::Refuted)
    }

    /// A line for each that a builder must know: what fell, then what is open, weightiest first.
    pub fn lines(&self) -> Vec<String> {
        let fell = self.fell().map(|entry| {
            let why = match entry.evidence.as_str() {
                "" => String::new(),
                evidence => format!(" ({evidence})"),
            };
            format!("[FELL] {}: this is not so{why}", entry.claim)
        });
        let mut open: Vec<&Assumption> = self.open().collect();
        open.sort_by_key(|entry| std::cmp::Reverse(entry.confidence));
        let open = open.into_iter().map(|entry| {
            let weight = match entry.confidence {
                Confidence::High => "CRITICAL",
                Confidence::Medium => "IMPORTANT",
                Confidence::Low => "MINOR",
            };
            format!("[{weight}] {}", entry.claim)
        });
        fell.chain(open).collect()
    }
}

/// How far an assumption is settled.
const fn rank(status: AssumptionStatus) -> u32 {
    match status {
        AssumptionStatus::Unverified => 0,
        AssumptionStatus::Deferred => 1,
        AssumptionStatus::Validated => 2,
        AssumptionStatus::Refuted => 3,
    }
}

/// The words of a claim alone, in lower case.
fn normal(claim: &str) -> String {
    let lower = claim.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
