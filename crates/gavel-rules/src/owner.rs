//! Product owner and customer: how independent of each other their models are, and what follows
//! from it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Breaker, Trip};

/// The provider of the rules that need no model; they are nobody's second opinion.
const RULES: &str = "offline";

/// A model that may speak for somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Voice<'a> {
    /// `provider/model`.
    pub model: &'a str,
    /// Its provider.
    pub provider: &'a str,
    /// Its tier, by its word.
    pub tier: &'a str,
}

/// How independent the customer is of the product owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Independence {
    /// Two providers.
    CrossProvider,
    /// One provider, models of two tiers.
    OtherTier,
    /// One provider, two models of one tier.
    SameTier,
    /// The very same model: it reviews itself and must dissent.
    SelfReview,
}

impl Independence {
    /// All of them, the most independent first.
    pub const ALL: [Self; 4] = [
        Self::CrossProvider,
        Self::OtherTier,
        Self::SameTier,
        Self::SelfReview,
    ];

    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::CrossProvider => "cross_provider",
            Self::OtherTier => "other_tier",
            Self::SameTier => "same_tier",
            Self::SelfReview => "self_review",
        }
    }

    /// How many rounds they talk: the closer they are, the longer.
    pub const fn rounds(self) -> u32 {
        match self {
            Self::CrossProvider | Self::SelfReview => 1,
            Self::OtherTier => 3,
            Self::SameTier => 5,
        }
    }

    /// True when somebody must speak against shipping, whatever they think of it.
    pub const fn must_dissent(self) -> bool {
        match self {
            Self::CrossProvider | Self::OtherTier => false,
            Self::SameTier | Self::SelfReview => true,
        }
    }
}

/// Chooses the customer among other models: the most independent, the first of equals. `None` when
/// only the owner itself is left.
pub fn choose_customer(owner: Voice<'_>, others: &[Voice<'_>]) -> (Option<usize>, Independence) {
    let of = |other: &Voice<'_>| {
        if other.model == owner.model {
            Independence::SelfReview
        } else if other.provider == RULES && owner.provider != RULES {
            // Rules follow what was judged already; asking them would only look like a debate.
            Independence::SelfReview
        } else if other.provider != owner.provider {
            Independence::CrossProvider
        } else if other.tier != owner.tier {
            Independence::OtherTier
        } else {
            Independence::SameTier
        }
    };
    for wanted in Independence::ALL {
        if wanted == Independence::SelfReview {
            break;
        }
        if let Some(place) = others.iter().position(|other| of(other) == wanted) {
            return (Some(place), wanted);
        }
    }
    (None, Independence::SelfReview)
}

/// CB-5: the owner's own model would have to speak for the customer. The run goes on with less.
pub fn role_collision(owner: Voice<'_>, others: &[Voice<'_>]) -> Option<Trip> {
    let (_, independence) = choose_customer(owner, others);
    let all = others.iter().chain([&owner]);
    let models: BTreeSet<&str> = all.map(|voice| voice.model).collect();
    let models = i64::try_from(models.len()).unwrap_or(i64::MAX);
    let tripped = || {
        Trip::new(
            Breaker::RoleCollision,
            "role_collision",
            [("models", models)],
        )
    };
    (independence == Independence::SelfReview).then(tripped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(text: &'static str) -> Voice<'static> {
        let (model, tier) = text.split_once(' ').unwrap();
        let (provider, _) = model.split_once('/').unwrap_or((model, ""));
        Voice {
            model,
            provider,
            tier,
        }
    }

    const LEAD: &str = "a/x big";
    const RULED: &str = "offline/rules big";

    /// Owner, others, the place of the chosen one, how independent it is.
    type Row = (
        &'static str,
        &'static [&'static str],
        Option<usize>,
        Independence,
    );

    #[test]
    fn the_most_independent_model_speaks_for_the_customer() {
        use Independence::{CrossProvider, OtherTier, SameTier, SelfReview};
        let table: [Row; 8] = [
            (
                LEAD,
                &[LEAD, "a/y small", "b/z big"],
                Some(2),
                CrossProvider,
            ),
            (LEAD, &["b/z small", "c/z big"], Some(0), CrossProvider),
            (LEAD, &["a/w big", "a/y small"], Some(1), OtherTier),
            (LEAD, &[LEAD, "a/w big"], Some(1), SameTier),
            (LEAD, &[LEAD], None, SelfReview),
            (LEAD, &[], None, SelfReview),
            (LEAD, &[RULED], None, SelfReview),
            (RULED, &[RULED], None, SelfReview),
        ];
        for (owner, others, place, wanted) in table {
            let others: Vec<_> = others.iter().map(|text| voice(text)).collect();
            let chosen = choose_customer(voice(owner), &others);
            assert_eq!(chosen, (place, wanted), "{owner} {others:?}");
            let tripped = role_collision(voice(owner), &others);
            assert_eq!(tripped.is_some(), place.is_none(), "{owner} {others:?}");
        }
    }

    #[test]
    fn the_closer_they_are_the_longer_they_talk() {
        let all = Independence::ALL.map(|how| (how.word(), how.rounds(), how.must_dissent()));
        let wanted = [
            ("cross_provider", 1, false),
            ("other_tier", 3, false),
            ("same_tier", 5, true),
            ("self_review", 1, true),
        ];
        assert_eq!(all, wanted);
    }
}
