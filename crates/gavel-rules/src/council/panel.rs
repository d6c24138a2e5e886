//! Which model leads, sits, or helps.

use gavel_domain::Voices;

/// The id of the rules that stand in for a model. They are no voice.
const RULES: &str = "offline";

/// How capable and how dear a model is among its kin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelTier {
    /// Quick and cheap.
    Fast,
    /// The usual choice.
    Balanced,
    /// The most capable.
    Premium,
}

/// What is known about a model that can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelCard<'a> {
    /// Its whole id, `provider/model`.
    pub id: &'a str,
    /// Its provider.
    pub provider: &'a str,
    /// Its tier.
    pub tier: ModelTier,
}

/// Who leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaderPick {
    /// The model.
    pub model: String,
    /// The model that was configured, when another one took its place.
    pub promoted_from: Option<String>,
}

/// What a model does in a council.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CouncilTask {
    /// Says whether something must be looked up.
    ResearchNeed,
    /// Sums a round up.
    RoundSummary,
    /// Evaluates a round.
    EvaluateRound,
    /// Asks what is unclear.
    ClarifyQuestions,
    /// Draws the clarified matter together.
    SpecSynthesis,
    /// Draws the debate together.
    Synthesis,
    /// Plans the debate.
    Planning,
    /// Speaks for a stance.
    Turn,
}

impl CouncilTask {
    /// The tier that is enough; nothing where only the model that was chosen will do.
    const fn enough(self) -> Option<ModelTier> {
        match self {
            Self::ResearchNeed | Self::RoundSummary => Some(ModelTier::Fast),
            Self::EvaluateRound | Self::ClarifyQuestions | Self::SpecSynthesis => {
                Some(ModelTier::Balanced)
            }
            Self::Synthesis | Self::Planning | Self::Turn => None,
        }
    }
}

/// Chooses the leader, who never leaves the session's provider.
///
/// Without a configured leader the session's model leads. A configured one of the same provider
/// does, unless a reachable one of that provider is of a higher tier. One of another provider gives
/// way to the best one that the session's provider has.
pub fn pick_leader(
    session: &ModelCard<'_>,
    configured: Option<&ModelCard<'_>>,
    reachable: &[ModelCard<'_>],
) -> LeaderPick {
    let Some(configured) = configured else {
        return LeaderPick {
            model: session.id.to_owned(),
            promoted_from: None,
        };
    };
    let stays = configured.provider == session.provider;
    let mut best = if stays { configured } else { session };
    for card in reachable {
        if card.provider == session.provider && card.tier > best.tier {
            best = card;
        }
    }
    LeaderPick {
        model: best.id.to_owned(),
        promoted_from: (best.id != configured.id).then(|| configured.id.to_owned()),
    }
}

/// Chooses a model for each of so many stances.
///
/// Configured seats are taken in their order and repeat when there are fewer of them than stances.
/// Without any, every provider gives one model before one gives its second, and only when all
/// models sit do they repeat. Nothing comes of no model.
pub fn pick_seats(
    stances: usize,
    configured: &[ModelCard<'_>],
    reachable: &[ModelCard<'_>],
) -> Vec<String> {
    let order: Vec<&str> = if configured.is_empty() {
        spread(reachable)
    } else {
        configured.iter().map(|card| card.id).collect()
    };
    let seats = order.iter().cycle().take(stances);
    seats.map(|id| (*id).to_owned()).collect()
}

/// All models once, the first one of each provider first, then the second ones.
fn spread<'a>(reachable: &[ModelCard<'a>]) -> Vec<&'a str> {
    let mut ranked: Vec<(usize, &str)> = Vec::new();
    let mut seen: Vec<&ModelCard<'_>> = Vec::new();
    for card in reachable {
        if card.id == RULES || seen.iter().any(|known| known.id == card.id) {
            continue;
        }
        let kin = seen.iter().filter(|known| known.provider == card.provider);
        ranked.push((kin.count(), card.id));
        seen.push(card);
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, id)| id).collect()
}

/// The model at hand that is the most independent of a council: of another provider than the leader and
/// every seat, else another model than they, else another model than the leader. The most capable one of
/// those, the first in order where several are. Nothing when the leader is all there is.
pub fn most_independent<'a>(
    leader: &ModelCard<'_>,
    seats: &[String],
    reachable: &[ModelCard<'a>],
) -> Option<&'a str> {
    let provider = |id: &str| id.split('/').next().unwrap_or_default().to_owned();
    let sits = |card: &ModelCard<'_>| seats.iter().any(|seat| seat == card.id);
    let kin = |card: &ModelCard<'_>| {
        let seated = seats.iter().any(|seat| provider(seat) == card.provider);
        seated || card.provider == leader.provider
    };
    let others = reachable.iter().filter(|card| card.id != leader.id);
    let rank = |card: &&ModelCard<'_>| (!kin(card), !sits(card), card.tier);
    let mut best: Option<&ModelCard<'a>> = None;
    for card in others {
        if best.is_none_or(|best| rank(&card) > rank(&best)) {
            best = Some(card);
        }
    }
    best.map(|card| card.id)
}

/// Whose voices these models are.
pub fn voices(models: &[String]) -> Voices {
    let mut real = models.iter().filter(|model| *model != RULES);
    match real.next() {
        None => Voices::Rules,
        Some(first) if real.all(|model| model == first) => Voices::OneModel,
        Some(_) => Voices::Several,
    }
}

/// The model for a task. Where costs count, the five named tasks go to the cheapest reachable model
/// of the leader's provider that is enough for them; the others never do, and no task goes up.
pub fn model_for(
    task: CouncilTask,
    leader: &ModelCard<'_>,
    reachable: &[ModelCard<'_>],
    cost_aware: bool,
) -> String {
    let enough = task.enough().filter(|_| cost_aware);
    let cheaper = enough.and_then(|enough| {
        let fits = reachable.iter().filter(|card| {
            card.provider == leader.provider && (enough..leader.tier).contains(&card.tier)
        });
        fits.min_by_key(|card| card.tier)
    });
    cheaper.unwrap_or(leader).id.to_owned()
}

#[cfg(test)]
#[path = "panel_tests.rs"]
mod tests;
