//! What a council will cost, as far as that can be known before: who leads and sits, how many replies
//! that takes, and what they come to at the listed prices.

use gavel_domain::{MicroUsd, Price, Settings, TokenUsage, Tokens, cost};
use gavel_models::ModelId;

use crate::panel::{CouncilChoices, is_voice, pick};
use crate::{Reach, Slots};

/// What a reply of a council usually takes in and gives; prompts grow with each round.
const TAKES_IN: Tokens = Tokens(6_000);
const GIVES: Tokens = Tokens(1_200);
/// How many stances a leader plans, at least and at most with those whom the program adds.
const STANCES: (u64, u64) = (2, 5);
/// The most rounds of a debate.
const ROUNDS: u64 = 5;

/// What a council will take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// Who leads.
    pub leader: String,
    /// The model that was configured to lead, when a stronger one of its provider takes its place.
    pub promoted_from: Option<String>,
    /// Who sits, in order of preference.
    pub seats: Vec<String>,
    /// The replies, when two drafts settle it and when every round is held.
    pub replies: (u64, u64),
    /// What they cost; nothing where a price is unknown.
    pub usd: Option<(MicroUsd, MicroUsd)>,
}

/// Looks ahead; nothing where only rules are configured.
pub fn forecast(settings: &Settings, slots: &Slots, reach: &Reach) -> Option<Forecast> {
    let panel = pick(slots, reach, CouncilChoices::of(settings))?;
    let price = |name: &String| {
        let of_name = |info: &&gavel_models::ModelInfo| info.id.as_str() == name;
        reach.models.iter().find(of_name)?.price
    };
    let voices = panel.seats.iter().filter(|seat| {
        let id: Option<ModelId> = seat.parse().ok();
        id.is_some_and(|id| is_voice(&id))
    });
    let voices: Vec<&String> = voices.collect();
    // A plan, whether to research, a synthesis, a verdict; and after each round a look at it.
    let (least_led, most_led) = (4, 4 + ROUNDS);
    let (least_said, most_said) = (STANCES.0, STANCES.1 * (1 + ROUNDS));
    let one = |name: &String| price(name).map(|price| one_reply(&price));
    let each: Option<Vec<u64>> = voices.iter().map(|name| one(name)).collect();
    let usd = one(&panel.leader).zip(each).map(|(led, said)| {
        let cheapest = said.iter().min().copied().unwrap_or(led);
        let dearest = said.iter().max().copied().unwrap_or(led);
        (
            MicroUsd(led * least_led + cheapest * least_said),
            MicroUsd(led * most_led + dearest * most_said),
        )
    });
    Some(Forecast {
        replies: (least_led + least_said, most_led + most_said),
        usd,
        leader: panel.leader,
        promoted_from: panel.promoted_from,
        seats: panel.seats,
    })
}

fn one_reply(price: &Price) -> u64 {
    let usage = TokenUsage {
        input: TAKES_IN,
        output: GIVES,
        ..TokenUsage::default()
    };
    cost(price, &usage).0
}

#[cfg(test)]
mod tests {
    use gavel_models::{ModelInfo, Tier};

    use super::*;

    fn model(id: &str, tier: Tier, price: Option<u64>) -> ModelInfo {
        ModelInfo {
            tier,
            price: price.map(|price| Price {
                input: price,
                output: price,
                ..Price::FREE
            }),
            ..ModelInfo::unlisted(id.parse().unwrap())
        }
    }

    fn of(models: Vec<ModelInfo>) -> Option<Forecast> {
        let id = |place: usize| models.get(place).unwrap().id.clone();
        let slots = Slots {
            leader: id(0),
            stances: vec![id(0), id(1)],
            coder: id(0),
            auditor: id(0),
            judge: id(0),
            researcher: id(0),
        };
        let reach = Reach {
            models,
            leader_named: true,
            seats_named: true,
            sources: Vec::new(),
        };
        forecast(&Settings::default(), &slots, &reach)
    }

    #[test]
    fn the_leader_is_part_of_what_it_costs() {
        let one = model("a/one", Tier::Balanced, Some(1_000_000));
        let two = model("b/two", Tier::Balanced, Some(2_000_000));
        let told = of(vec![one.clone(), two.clone()]).unwrap();
        assert_eq!(told.replies, (6, 39));
        // 7,200 tokens a reply: four led and two said at the price of one; nine led, thirty said by two.
        let expected = (MicroUsd(6 * 7_200), MicroUsd(9 * 7_200 + 30 * 14_400));
        assert_eq!(told.usd, Some(expected));
        assert_eq!(told.promoted_from, None);
        let unknown = of(vec![one, model("b/two", Tier::Balanced, None)]).unwrap();
        assert_eq!(unknown.usd, None, "a price that nobody knows is none");
    }

    #[test]
    fn rules_alone_cost_nothing_and_a_stronger_model_that_leads_is_named() {
        let rules = model("offline", Tier::Fast, Some(0));
        assert_eq!(of(vec![rules.clone(), rules]), None);
        let weak = model("a/weak", Tier::Fast, Some(1));
        let strong = model("a/strong", Tier::Premium, Some(1));
        let told = of(vec![weak, strong]).unwrap();
        assert_eq!(told.leader, "a/strong");
        assert_eq!(told.promoted_from.as_deref(), Some("a/weak"));
    }
}
