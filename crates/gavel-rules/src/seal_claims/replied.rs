//! Who replied as what, and which omissions follow from it.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::ReplyClaim;
use crate::{AuditedBy, Omission};

/// The built-in rules, which are nobody's independent auditor, judge or customer.
const RULES: &str = "offline";

/// The models of each role.
pub(super) struct Replied<'a>(BTreeMap<&'a str, BTreeSet<&'a str>>);

/// Who audited, by who replied as what; none where nobody did.
pub fn audited_by(replies: &[ReplyClaim<'_>]) -> Option<AuditedBy> {
    let replied = Replied::of(replies);
    replied.models("auditor").next()?;
    let mut auditors = replied.models("auditor");
    Some(if replied.by_another("auditor", "coder") {
        AuditedBy::OtherModel
    } else if auditors.all(|model| model == RULES)
        && replied.models("coder").any(|model| model != RULES)
    {
        AuditedBy::Rules
    } else {
        AuditedBy::Author
    })
}

impl<'a> Replied<'a> {
    pub(super) fn of(replies: &[ReplyClaim<'a>]) -> Self {
        let mut roles: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for one in replies.iter().filter(|one| one.replies > 0) {
            roles.entry(one.role).or_default().insert(one.model);
        }
        Self(roles)
    }

    fn models(&self, role: &str) -> impl Iterator<Item = &'a str> {
        let models = self.0.get(role).into_iter().flatten();
        models.copied()
    }

    /// True where a model replied in a role, that is not the rules, and another one in the other role.
    pub(super) fn by_another(&self, role: &str, than: &str) -> bool {
        let mut models = self.models(role).filter(|model| *model != RULES);
        models.any(|model| self.models(than).any(|other| other != model))
    }

    /// Nobody but the model that wrote it, or rules, audited: one of these has to be named.
    pub(super) fn audit_needs(&self) -> Option<Needed> {
        let needed = Needed {
            one_of: &[
                Omission::IndependentAudit,
                Omission::RulesAudit,
                Omission::Audit,
            ],
            because: "nobody but the coder's model and rules replied as auditor",
        };
        (!self.by_another("auditor", "coder")).then_some(needed)
    }

    /// No two models debated: one of these has to be named.
    pub(super) fn debate_needs(&self) -> Option<Needed> {
        let needed = Needed {
            one_of: &[Omission::Debate, Omission::SecondOpinion],
            because: "fewer than two models replied in a debate",
        };
        (self.models("stance").count() < 2).then_some(needed)
    }

    /// Nobody but the owner's model could speak for the customer.
    pub(super) fn customer_needs(&self) -> Option<Needed> {
        let needed = Needed {
            one_of: &[Omission::Customer],
            because: "nobody but the owner's model replied for the customer",
        };
        (!self.by_another("stance", "leader")).then_some(needed)
    }
}

/// Lines of which one has to be there.
pub(super) struct Needed {
    one_of: &'static [Omission],
    because: &'static str,
}

impl Needed {
    pub(super) fn problem(&self, left_out: &[String]) -> Option<String> {
        let is_there = |one: &Omission| left_out.contains(&one.to_string());
        let first = self.one_of.first()?;
        (!self.one_of.iter().any(is_there)).then(|| {
            let because = self.because;
            format!("{because}, and it does not say that this was left out: {first}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_model_is_a_second_look() {
        let audited = |who: &[(&'static str, &'static str)]| {
            let replies = who.iter().map(|(model, role)| ReplyClaim {
                model,
                role,
                replies: 2,
            });
            audited_by(&replies.collect::<Vec<_>>())
        };
        let coder = ("x/one", "coder");
        for (auditor, by) in [
            ("y/two", AuditedBy::OtherModel),
            ("offline", AuditedBy::Rules),
            ("x/one", AuditedBy::Author),
        ] {
            assert_eq!(audited(&[coder, (auditor, "auditor")]), Some(by));
        }
        let rules = [("offline", "coder"), ("offline", "auditor")];
        assert_eq!(audited(&rules), Some(AuditedBy::Author));
        assert_eq!(audited(&[coder]), None);
    }
}
