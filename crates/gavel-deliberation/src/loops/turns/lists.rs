//! From an answer to what is handed in: critics and reviewers, who hand in several things at once.

use gavel_domain::{CountScope, StopCondition};
use gavel_rules::deliberation::{
    CRITIC_SIGNAL, CRITIQUE, FINDING, FOLLOWUP, NOTHING_NEW, VERDICT, word,
};

use super::Handed;
use super::answers::{CritiqueAnswer, CritiqueKind, FindingAnswer};
use super::hand_in::{HandIn, MOST, Turn, all_cites, plain, verdict};

const NOTHING_MORE: &str = "Nothing beyond what was handed in.";
const GOOD_ENOUGH: &str = "It can be carried out as it stands.";

impl HandIn for CritiqueAnswer {
    fn hand_in(self, turn: &Turn<'_>) -> Result<Vec<Handed>, String> {
        let (mut handed, mut wrong, mut hold) = (Vec::new(), Vec::new(), 0_u32);
        let said = self.critiques.iter();
        let said = said.filter(|one| !one.text.trim().is_empty()).take(MOST);
        for (number, one) in (1..).zip(said) {
            let named = turn.known.cites(&one.cites);
            let holds = turn.known.rests_on_memory(&named.ids);
            hold += u32::from(holds);
            let about = |problem: &str| format!("critique {number}: {problem}");
            if let Some(problem) = turn.wrong_cites(&named) {
                wrong.push(about(&problem));
            } else if !holds {
                wrong.push(about("`cites` names no accepted memory item of the brief"));
            }
            handed.push(Handed {
                cites: all_cites(named),
                ..plain(
                    word(CRITIQUE),
                    &format!("{}: {}", label(one.kind), one.text.trim()),
                )
            });
        }
        let is_all = self.nothing_new || self.good_enough;
        if !is_all && handed.is_empty() {
            return Err("`critiques` is empty: say `nothing_new` when there is none".to_owned());
        }
        if !is_all && hold < floor(turn) && turn.takes(NOTHING_NEW) {
            wrong.push(format!(
                "`critiques` has {} and {} are wanted: add some that rest on the brief, or set \
                 `nothing_new` to true when this is all",
                handed.len(),
                floor(turn)
            ));
        }
        turn.object(&wrong)?;
        if !is_all && hold == 0 {
            return Err(format!("no critique can be used: {}", wrong.join("; ")));
        }
        if self.nothing_new && turn.takes(NOTHING_NEW) {
            handed.push(plain(word(NOTHING_NEW), said_or(&self.why, NOTHING_MORE)));
        }
        if self.good_enough && turn.takes(CRITIC_SIGNAL) {
            handed.push(plain(word(CRITIC_SIGNAL), said_or(&self.why, GOOD_ENOUGH)));
        }
        Ok(handed)
    }
}

/// How many critiques end the phase.
fn floor(turn: &Turn<'_>) -> u32 {
    match &turn.phase.gate {
        Some(StopCondition::MinArtifactsByType {
            artifact,
            n,
            scope: CountScope::Phase,
        }) if artifact.as_str() == CRITIQUE => *n,
        Some(_) | None => 0,
    }
}

const fn label(kind: CritiqueKind) -> &'static str {
    match kind {
        CritiqueKind::MemoryConflict => "Memory conflict",
        CritiqueKind::CoverageGap => "Coverage gap",
        CritiqueKind::ScopeCreep => "Scope creep",
    }
}

impl HandIn for FindingAnswer {
    fn hand_in(self, turn: &Turn<'_>) -> Result<Vec<Handed>, String> {
        let kind = if turn.takes(FINDING) {
            FINDING
        } else {
            FOLLOWUP
        };
        let (mut handed, mut wrong) = (Vec::new(), Vec::new());
        let said = self.findings.iter();
        for one in said.filter(|one| !one.text.trim().is_empty()).take(MOST) {
            let named = turn.known.cites(&one.cites);
            wrong.extend(turn.wrong_cites(&named));
            handed.push(Handed {
                cites: all_cites(named),
                ..plain(word(kind), &one.text)
            });
        }
        if handed.is_empty() && !self.nothing_new && !self.accepted {
            return Err("`findings` is empty: say `nothing_new` when there is none".to_owned());
        }
        if self.accepted && !handed.is_empty() {
            wrong.push("`accepted` cannot be true beside findings".to_owned());
        }
        turn.object(&wrong)?;
        // Whoever says both has found something: that stands.
        if self.accepted && handed.is_empty() && turn.takes(VERDICT) {
            handed.push(verdict(true, said_or(&self.why, GOOD_ENOUGH)));
        } else if (self.nothing_new || handed.is_empty()) && turn.takes(NOTHING_NEW) {
            handed.push(plain(word(NOTHING_NEW), said_or(&self.why, NOTHING_MORE)));
        }
        Ok(handed)
    }
}

fn said_or<'a>(said: &'a str, otherwise: &'a str) -> &'a str {
    if said.trim().is_empty() {
        otherwise
    } else {
        said.trim()
    }
}
