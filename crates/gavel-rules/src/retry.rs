//! Trying again: policy is data, the decision is a function of the failures on record.

use std::time::Duration;

use gavel_domain::{Fault, FaultClass};

/// How often and how fast a step is tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The most attempts, the first included.
    pub attempts: u32,
    /// The pause after the first failure, the second, …; the last one repeats.
    pub pauses: Vec<Duration>,
    /// The longest pause that another side may ask for; a longer one gives up at once.
    pub longest: Duration,
    /// What follows a reply that was cut at its maximum.
    pub cut: CutReply,
}

/// What follows a reply that was cut at its maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutReply {
    /// The same request again.
    Repeat,
    /// Nothing: whoever asked asks for less.
    AskForLess,
}

impl RetryPolicy {
    /// One attempt.
    pub const fn never() -> Self {
        Self {
            attempts: 1,
            pauses: Vec::new(),
            longest: Duration::ZERO,
            cut: CutReply::Repeat,
        }
    }

    /// Model calls: three attempts, 2 s and 6 s apart, or as the provider asks, up to two minutes.
    pub fn calls() -> Self {
        Self {
            attempts: 3,
            pauses: vec![Duration::from_secs(2), Duration::from_secs(6)],
            longest: Duration::from_secs(120),
            cut: CutReply::Repeat,
        }
    }

    /// The same for whoever asks for a shorter reply where one was cut at its maximum: the same words give
    /// the same again.
    pub fn calls_asking_for_less() -> Self {
        Self {
            cut: CutReply::AskForLess,
            ..Self::calls()
        }
    }
}

/// What follows a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextTry {
    /// Wait so long after the failure was recorded, then try again.
    After(Duration),
    /// No further attempt.
    GiveUp,
}

/// Decides from the last fault and the number of failed attempts so far, that one included.
///
/// `jitter` spreads callers that failed together: 0 adds nothing, `u64::MAX` a quarter of the pause.
pub fn next_try(policy: &RetryPolicy, failures: u32, last: &Fault, jitter: u64) -> NextTry {
    let for_less = last.class == FaultClass::ReplyTooLong && policy.cut == CutReply::AskForLess;
    if !last.class.may_pass() || for_less || failures >= policy.attempts {
        return NextTry::GiveUp;
    }
    let place = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX);
    let planned = policy
        .pauses
        .get(place)
        .or_else(|| policy.pauses.last())
        .copied()
        .unwrap_or_default();
    let asked = Duration::from_millis(last.retry_after_ms.unwrap_or_default());
    if asked > policy.longest {
        return NextTry::GiveUp;
    }
    let pause = planned.max(asked);
    NextTry::After(pause + pause.mul_f64(quarter(jitter)))
}

#[expect(clippy::cast_precision_loss, reason = "jitter needs no precision")]
fn quarter(jitter: u64) -> f64 {
    (jitter as f64 / u64::MAX as f64) * 0.25
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(class: FaultClass, after: Option<u64>) -> Fault {
        Fault {
            class,
            retry_after_ms: after,
            detail: None,
        }
    }

    #[test]
    fn a_cut_reply_is_asked_for_again_as_the_policy_says() {
        let cut = fault(FaultClass::ReplyTooLong, None);
        let again = next_try(&RetryPolicy::calls(), 1, &cut, 0);
        assert_eq!(again, NextTry::After(Duration::from_secs(2)));
        let less = RetryPolicy::calls_asking_for_less();
        assert_eq!(next_try(&less, 1, &cut, 0), NextTry::GiveUp);
        let other = fault(FaultClass::BadReply, None);
        assert_eq!(next_try(&less, 1, &other, 0), again);
    }

    #[test]
    fn policy_and_provider_decide_together() {
        let policy = RetryPolicy::calls();
        let secs = |s| NextTry::After(Duration::from_secs(s));
        for (failures, class, after, expected) in [
            (1, FaultClass::Overloaded, None, secs(2)),
            (2, FaultClass::Overloaded, None, secs(6)),
            (3, FaultClass::Overloaded, None, NextTry::GiveUp),
            (1, FaultClass::RateLimited, Some(30_000), secs(30)),
            (1, FaultClass::RateLimited, Some(500), secs(2)),
            (1, FaultClass::RateLimited, Some(600_000), NextTry::GiveUp),
            (1, FaultClass::Unauthorized, None, NextTry::GiveUp),
            (1, FaultClass::ContextTooLong, None, NextTry::GiveUp),
        ] {
            assert_eq!(
                next_try(&policy, failures, &fault(class, after), 0),
                expected
            );
        }
        assert_eq!(
            next_try(
                &RetryPolicy::never(),
                1,
                &fault(FaultClass::Network, None),
                0
            ),
            NextTry::GiveUp
        );
        assert_eq!(
            next_try(&policy, 1, &fault(FaultClass::Network, None), u64::MAX),
            NextTry::After(Duration::from_millis(2_500))
        );
    }
}
