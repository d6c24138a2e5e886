//! What a council will cost, as far as that can be known before: who leads and sits, how many replies
//! that takes, and what they come to at the listed prices.

use gavel_deliberation::Replies;
use gavel_domain::{MicroUsd, Price, Settings, TokenUsage, Tokens, cost};
use gavel_models::ModelId;

use crate::panel::{CouncilChoices, is_voice, pick};
use crate::{Reach, Slots};

/// What a reply of a council usually takes in and gives; prompts grow with each round.
const TAKES_IN: Tokens = Tokens(6_000);
const GIVES: Tokens = Tokens(1_200);

/// What a council will take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// Who leads.
    pub leader: String,
    /// The model that was configured to lead, when a stronger one of its provider takes its place.
    pub promoted_from: Option<String>,
    /// Who sits, in order of preference.
    pub seats: Vec<String>,
    /// The replies when two drafts settle it.
    pub fewest: Expected,
    /// The replies when every round is held and every answer is right at once.
    pub planned: Expected,
    /// More cannot come: answers that have to be repaired, rounds that are added, further lookups.
    pub most: Expected,
}

/// So many replies, and what they cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// How many.
    pub replies: u64,
    /// What they cost; nothing where a price is unknown.
    pub usd: Option<MicroUsd>,
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
    let one = |name: &String| price(name).map(|price| one_reply(&price));
    let led = one(&panel.leader);
    let looked = reach.models.iter().find(|info| info.id == slots.researcher);
    let looked = looked.and_then(|info| Some(one_reply(&info.price?)));
    let each: Option<Vec<u64>> = voices.iter().map(|name| one(name)).collect();
    let side = |of_all: fn(&[u64]) -> Option<u64>| {
        let each = each.as_deref()?;
        of_all(each).or(led)
    };
    let cheapest = side(|each| each.iter().min().copied());
    let dearest = side(|each| each.iter().max().copied());
    let expected = |replies: Replies, said: Option<u64>| Expected {
        replies: replies.all(),
        usd: led.zip(said).and_then(|(led, said)| {
            // A lookup that fails is made by the leader.
            let looked_up = match replies.looked_up {
                0 => 0,
                many => many * looked?.max(led),
            };
            Some(MicroUsd(
                led * replies.led + said * replies.said + looked_up,
            ))
        }),
    };
    Some(Forecast {
        fewest: expected(Replies::FEWEST, cheapest),
        planned: expected(Replies::planned(), dearest),
        most: expected(Replies::most(), dearest),
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
        let told_of = |one: Expected| (one.replies, one.usd.unwrap());
        // 7,200 tokens a reply: four led and two said at the price of one; 13 led, six looked up, thirty said
        // by two.
        assert_eq!(told_of(told.fewest), (6, MicroUsd(6 * 7_200)));
        let planned = MicroUsd((13 + 6) * 7_200 + 30 * 14_400);
        assert_eq!(told_of(told.planned), (49, planned));
        let most = MicroUsd((38 + 36) * 7_200 + 160 * 14_400);
        assert_eq!(told_of(told.most), (234, most));
        assert_eq!(told.promoted_from, None);
        let unknown = of(vec![one, model("b/two", Tier::Balanced, None)]).unwrap();
        assert_eq!(
            unknown.planned.usd, None,
            "a price that nobody knows is none"
        );
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
