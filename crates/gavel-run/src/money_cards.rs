//! What a person is asked about money: may runs spend at all, may a cap be raised.

use gavel_domain::{
    AnswerShape, Audience, Cap, CapScope, Caps, MicroUsd, OnTimeout, Price, Purpose, QuestionCard,
    Tokens,
};

use crate::ask::Question;

/// The option that ends a drive instead of spending.
pub(crate) const STOP: &str = "stop";

/// The option that lets a model be used.
pub(crate) const ALLOW: &str = "allow";

/// A call that did not fit into a cap, in what the cap counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Breach {
    pub(crate) cap: Cap,
    /// Settled, or lost and booked in full.
    pub(crate) spent: u64,
    /// Held for calls under way.
    pub(crate) reserved: u64,
    /// The most that the call may take.
    pub(crate) projected: u64,
}

/// Why a person is asked before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// Nothing was ever spent here, and nobody said that it may be.
    FirstSpend {
        /// What the model costs.
        price: Option<Price>,
        /// The most that the call may cost.
        ceiling: MicroUsd,
    },
    /// The price is not known, so no money cap can hold.
    PriceUnknown,
    /// The provider counted more than was possible, so many times.
    CeilingBroken(u32),
}

impl Breach {
    /// The least limit that lets the call through.
    const fn enough(self) -> u64 {
        self.spent
            .saturating_add(self.reserved)
            .saturating_add(self.projected)
    }

    fn amount(self, amount: u64) -> String {
        match self.cap.scope {
            CapScope::RunUsd | CapScope::MonthUsd => MicroUsd(amount).to_string(),
            CapScope::RunTokens => format!("{} tokens", Tokens(amount)),
        }
    }

    /// Asks to raise the cap.
    pub(crate) fn question(self) -> Question {
        let amount = |of| self.amount(of);
        let takes = match self.cap.scope {
            CapScope::RunUsd | CapScope::MonthUsd => "may cost",
            CapScope::RunTokens => "may take",
        };
        let whose = match self.cap.scope {
            CapScope::RunUsd | CapScope::RunTokens => "by this run",
            CapScope::MonthUsd => "by all runs of this month",
        };
        let held = if self.reserved > 0 {
            format!(", {} held for calls under way", amount(self.reserved))
        } else {
            String::new()
        };
        let text = format!(
            "The next call {takes} up to {} and does not fit into {} ({}): {} spent {whose}{held}. Raise it?",
            amount(self.projected),
            self.cap.scope.setting(),
            amount(self.cap.limit),
            amount(self.spent),
        );
        let enough = match self.cap.scope {
            // Nobody types a millionth.
            CapScope::RunUsd | CapScope::MonthUsd => self.enough().div_ceil(10_000) * 10_000,
            CapScope::RunTokens => self.enough(),
        };
        let why = format!(
            "Gavel reserves the most a call can cost before it sends it, and gives back what it did \
             not cost. Give a new limit to go on: from {} on this call fits.",
            amount(enough)
        );
        Question {
            purpose: Purpose::Cap,
            card: QuestionCard::with_options(text, Some(why), &[(STOP, "Stop here")]),
            shape: AnswerShape::Limit {
                options: vec![STOP.into()],
                above: self.cap.limit,
            },
            recommended: None,
            audience: Audience::Person,
            deadline: None,
            on_timeout: OnTimeout::Wait,
        }
    }
}

impl Doubt {
    /// Asks whether a model may be used.
    pub(crate) fn question(self, model: &str, caps: &Caps) -> Question {
        let (text, why, yes) = match self {
            Self::FirstSpend { price, ceiling } => (
                format!(
                    "This is the first call that costs money, to {model}: {}at most {ceiling} for \
                     this call. May runs spend up to their caps?",
                    priced(price)
                ),
                format!(
                    "{} This is asked once: later runs spend without asking, each within its own caps.",
                    capped(caps)
                ),
                "Yes, this run and later ones, each within its caps",
            ),
            Self::PriceUnknown => (
                format!(
                    "The price of {model} is not known: nobody can say what it costs, and no money cap can hold. Use it all the same?"
                ),
                "Once [[models.catalogue]] in your config.toml names its price, caps hold and nobody \
                 is asked."
                    .to_owned(),
                "Yes, and in later runs of this project",
            ),
            Self::CeilingBroken(times) => (
                format!(
                    "{model} counted more than its calls could come to ({times} time(s)). Go on with it?"
                ),
                "Booked was what had been reserved; the provider's bill may say more.".to_owned(),
                "Yes, in this run",
            ),
        };
        let options = [(ALLOW, yes), (STOP, "No, stop here")];
        Question {
            purpose: Purpose::Spend,
            card: QuestionCard::with_options(text, Some(why), &options),
            shape: AnswerShape::Choice {
                options: options.map(|(id, _)| id.to_owned()).to_vec(),
            },
            recommended: None,
            audience: Audience::Person,
            deadline: None,
            on_timeout: OnTimeout::Wait,
        }
    }
}

fn priced(price: Option<Price>) -> String {
    let told = |price: Price| {
        let (input, output) = (MicroUsd(price.input), MicroUsd(price.output));
        format!("{input} for a million tokens in, {output} out, ")
    };
    price.map(told).unwrap_or_default()
}

fn capped(caps: &Caps) -> String {
    let run = match caps.run_usd {
        Some(cap) => format!("This run may spend {cap} in all (caps.run_usd)"),
        None => "This run has no cap of its own (caps.run_usd)".to_owned(),
    };
    let month = match caps.month_usd {
        Some(cap) => format!("all runs together {cap} a month (caps.month_usd)."),
        None => "and there is none for the month (caps.month_usd).".to_owned(),
    };
    format!("{run}, {month}")
}

#[cfg(test)]
#[path = "money_cards_tests.rs"]
mod tests;
