//! From an answer to what is handed in: texts, plans, verdicts.

use gavel_domain::{LoopPhase, Word};
use gavel_rules::deliberation::{
    ADVICE, AUTHOR_RESPONSE, PLAN_DRAFT, PROPOSAL, REFRAME, REVISION, VERDICT, word,
};

use super::Handed;
use super::answers::{
    Answered, ArtifactsAnswer, PlanAnswer, RevisionAnswer, TextAnswer, VerdictAnswer,
};
use super::known::{Known, Named};
use super::shape::Shape;

/// The most that one turn hands in.
pub(super) const MOST: usize = 8;

/// What happens to an answer that is not quite right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// The model is asked again.
    AsksAgain,
    /// It was asked again: what holds is taken, and what does not is said.
    TakesWhatHolds,
}

/// The turn that an answer belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) shape: Shape,
    pub(super) phase: &'a LoopPhase,
    pub(super) known: Known<'a>,
    pub(super) patience: Patience,
}

impl Turn<'_> {
    /// True when the phase takes that type.
    pub(super) fn takes(&self, kind: &str) -> bool {
        let produces = &self.phase.produces;
        produces.is_empty() || produces.iter().any(|taken| taken.as_str() == kind)
    }

    /// An objection that only counts while the model can still be asked.
    pub(super) fn object(&self, wrong: &[String]) -> Result<(), String> {
        match self.patience {
            Patience::AsksAgain if !wrong.is_empty() => Err(wrong.join("; ")),
            Patience::AsksAgain | Patience::TakesWhatHolds => Ok(()),
        }
    }

    /// What is wrong with citations.
    pub(super) fn wrong_cites(&self, named: &Named) -> Option<String> {
        let unknown = named.unknown.first()?;
        let items = self.known.items();
        let known = if items.is_empty() {
            "it holds no memory item at all".to_owned()
        } else {
            format!("its items are {}", items.join(", "))
        };
        Some(format!("`cites`: `{unknown}` is not in the brief: {known}"))
    }
}

/// An answer that becomes artifacts.
pub(super) trait HandIn: Sized {
    /// What is handed in, or what is wrong with the answer.
    fn hand_in(self, turn: &Turn<'_>) -> Result<Vec<Handed>, String>;
}

/// Something that stands for itself.
pub(super) fn plain(kind: Word, body: &str) -> Handed {
    Handed {
        kind,
        body: body.trim().to_owned(),
        cites: Vec::new(),
        addresses: Vec::new(),
        waived: Vec::new(),
    }
}

/// Citations as they are handed in: whoever takes them counts what does not hold.
pub(super) fn all_cites(named: Named) -> Vec<String> {
    named.ids.into_iter().chain(named.unknown).collect()
}

pub(super) fn not_empty(field: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err(format!("`{field}` must not be empty"));
    }
    Ok(())
}

impl HandIn for TextAnswer {
    fn hand_in(self, turn: &Turn<'_>) -> Result<Vec<Handed>, String> {
        let kind = match turn.shape {
            Shape::Reframe => REFRAME,
            Shape::Advice => ADVICE,
            Shape::Proposal
            | Shape::Critique
            | Shape::Revision
            | Shape::Plan
            | Shape::Finding
            | Shape::Response
            | Shape::Verdict
            | Shape::Artifacts => PROPOSAL,
        };
        not_empty("text", &self.text)?;
        let named = turn.known.cites(&self.cites);
        turn.object(&Vec::from_iter(turn.wrong_cites(&named)))?;
        Ok(vec![Handed {
            cites: all_cites(named),
            ..plain(word(kind), &self.text)
        }])
    }
}

impl HandIn for RevisionAnswer {
    fn hand_in(self, turn: &Turn<'_>) -> Result<Vec<Handed>, String> {
        not_empty("text", &self.text)?;
        let named = turn
            .known
            .critiques(self.answers.iter().map(|one| &one.critique));
        let left = unanswered(turn.known, &self.answers);
        let mut wrong = unknown_ids("answers", &named);
        wrong.extend(
            left.iter()
                .map(|id| format!("`answers` has no entry for {id}")),
        );
        turn.object(&wrong)?;
        let kind = match turn.shape {
            Shape::Response => AUTHOR_RESPONSE,
            Shape::Revision
            | Shape::Proposal
            | Shape::Critique
            | Shape::Reframe
            | Shape::Plan
            | Shape::Advice
            | Shape::Finding
            | Shape::Verdict
            | Shape::Artifacts => REVISION,
        };
        let body = with_answers(turn.known, &self, &left);
        Ok(vec![Handed {
            cites: named.ids,
            ..plain(word(kind), &body)
        }])
    }
}

/// The text, how each critique is answered, and which ones are not.
fn with_answers(known: Known<'_>, answer: &RevisionAnswer, left: &[&String]) -> String {
    let mut body = answer.text.trim().to_owned();
    let said = answer
        .answers
        .iter()
        .filter(|one| !one.how.trim().is_empty());
    let lines = said.map(|one| {
        let how = one.how.trim();
        match known.answered(&one.critique) {
            Some(id) => format!("- {id}: {how}"),
            None => format!("- (this names nothing in the brief) {how}"),
        }
    });
    let lines: Vec<_> = lines.collect();
    if !lines.is_empty() {
        body.push_str("\n\nWhat is answered:\n");
        body.push_str(&lines.join("\n"));
    }
    if !left.is_empty() {
        let left: Vec<_> = left.iter().map(|id| id.as_str()).collect();
        body.push_str(&format!("\n\nNot answered: {}", left.join(", ")));
    }
    body
}

fn unanswered<'a>(known: Known<'a>, answers: &[Answered]) -> Vec<&'a String> {
    let told = |id: &&String| {
        let mut about = answers
            .iter()
            .filter(|one| known.answered(&one.critique) == Some(*id));
        about.any(|one| !one.how.trim().is_empty())
    };
    known.to_answer().iter().filter(|id| !told(id)).collect()
}

fn unknown_ids(field: &str, named: &Named) -> Vec<String> {
    let unknown = named.unknown.iter();
    unknown
        .map(|name| format!("`{field}`: `{name}` is no critique of the brief"))
        .collect()
}

impl HandIn for PlanAnswer {
    fn hand_in(self, turn: &Turn<'_>) -> Result<Vec<Handed>, String> {
        let steps = self.steps.iter().map(|step| step.trim());
        let steps: Vec<_> = steps.filter(|step| !step.is_empty()).collect();
        if steps.is_empty() {
            return Err("`steps` must not be empty".to_owned());
        }
        let waived_ids = self.waived.iter().map(|left| &left.id);
        let (addressed, left) = (
            turn.known.critiques(&self.addresses_critique),
            turn.known.critiques(waived_ids),
        );
        // Somebody who says both does not say that a step heeds it.
        let addresses = addressed.ids.iter().filter(|id| !left.ids.contains(id));
        let addresses: Vec<String> = addresses.cloned().collect();
        let mut wrong = unknown_ids("addresses_critique", &addressed);
        wrong.extend(unknown_ids("waived", &left));
        wrong.extend(plan_gaps(turn.known, &addressed, &left));
        let reasonless = self
            .waived
            .iter()
            .filter(|one| one.reason.trim().is_empty());
        wrong.extend(reasonless.map(|one| format!("`waived`: say why {} is left", one.id)));
        turn.object(&wrong)?;
        let waived = self.waived.iter().filter_map(|one| {
            let id = turn.known.answered(&one.id)?;
            let reason = one.reason.trim();
            // Without a reason it is not waived but passed over, which is told as such.
            (!reason.is_empty()).then(|| (id.clone(), reason.to_owned()))
        });
        let waived = waived.collect();
        let lost = addressed.unknown.iter().chain(&left.unknown);
        let lost: Vec<_> = lost.map(String::as_str).collect();
        let body = plan_body(self.summary.trim(), &steps, &lost);
        Ok(vec![Handed {
            addresses,
            waived,
            ..plain(word(PLAN_DRAFT), &body)
        }])
    }
}

/// Critiques that stand in neither list, or in both.
fn plan_gaps(known: Known<'_>, addressed: &Named, left: &Named) -> Vec<String> {
    let mut wrong = Vec::new();
    for id in known.to_answer() {
        match (addressed.ids.contains(id), left.ids.contains(id)) {
            (false, false) => wrong.push(format!("{id} is neither addressed nor waived")),
            (true, true) => wrong.push(format!("{id} is both addressed and waived")),
            (true, false) | (false, true) => {}
        }
    }
    wrong
}

fn plan_body(summary: &str, steps: &[&str], lost: &[&str]) -> String {
    let numbered = (1..).zip(steps).map(|(n, step)| format!("{n}. {step}"));
    let numbered: Vec<String> = numbered.collect();
    let mut body = summary.to_owned();
    if !body.is_empty() {
        body.push_str("\n\n");
    }
    body.push_str(&numbered.join("\n"));
    if !lost.is_empty() {
        body.push_str(&format!(
            "\n\nThe draft also named {}, which are no critiques of this loop.",
            lost.join(", ")
        ));
    }
    body
}

impl HandIn for VerdictAnswer {
    fn hand_in(self, _: &Turn<'_>) -> Result<Vec<Handed>, String> {
        not_empty("why", &self.why)?;
        Ok(vec![verdict(self.accepted, &self.why)])
    }
}

/// A verdict, begun with the word that counts.
pub(super) fn verdict(accepted: bool, why: &str) -> Handed {
    let begins = if accepted {
        "accepted"
    } else {
        "changes-requested"
    };
    plain(word(VERDICT), &format!("{begins}: {}", why.trim()))
}

impl HandIn for ArtifactsAnswer {
    fn hand_in(self, turn: &Turn<'_>) -> Result<Vec<Handed>, String> {
        let (mut handed, mut wrong) = (Vec::new(), Vec::new());
        let mut unusable = Vec::new();
        for one in self.artifacts.iter().take(MOST) {
            let kind = one.kind.trim();
            let Ok(kind) = kind.parse::<Word>() else {
                unusable.push(format!("`type`: `{kind}` is no type of artifact"));
                continue;
            };
            if !turn.takes(kind.as_str()) {
                let takes: Vec<_> = turn.phase.produces.iter().map(Word::as_str).collect();
                unusable.push(format!("`type`: {kind} is none of {}", takes.join(", ")));
                continue;
            }
            if one.text.trim().is_empty() {
                unusable.push(format!("`text` of the {kind} must not be empty"));
                continue;
            }
            let named = turn.known.cites(&one.cites);
            wrong.extend(turn.wrong_cites(&named));
            handed.push(Handed {
                cites: all_cites(named),
                ..plain(kind, &one.text)
            });
        }
        wrong.extend(unusable.iter().cloned());
        turn.object(&wrong)?;
        match (handed.is_empty(), unusable.is_empty()) {
            (true, true) => Err("`artifacts` must not be empty".to_owned()),
            (true, false) => Err(unusable.join("; ")),
            (false, _) => Ok(handed),
        }
    }
}
