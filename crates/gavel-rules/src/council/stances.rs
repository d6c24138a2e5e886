//! Stances that the program adds to a plan: somebody who speaks for what went wrong before, and
//! somebody who speaks for those who will use what is planned.

use gavel_domain::{DebatePlan, MemoryNote, OutputKind, Stance, StanceOrigin};

use super::telling::words;

/// The name of the stance that speaks for what went wrong before.
const AUDITOR: &str = "Experience Auditor";
/// The name of the stance that speaks for users.
const OWNER: &str = "Product Owner";
/// The longest focus, in characters.
const LONGEST_FOCUS: usize = 300;
/// The most stances of a plan. Each is a seat that costs money in every round.
const MOST_STANCES: usize = 5;
/// What the name or the lens of a stance says that already speaks for users.
const PRODUCT_WORDS: [&str; 9] = [
    "product",
    "owner",
    "user",
    "users",
    "customer",
    "customers",
    "ux",
    "khách",
    "dùng",
];

/// Whether somebody speaks for what went wrong in this project before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Experience {
    /// Nobody does.
    Off,
    /// Somebody does, beside the others.
    #[default]
    Advisory,
    /// Somebody does, in the place of the last generic stance.
    Enforcing,
}

impl Experience {
    /// Reads the word of the setting `council.experience`.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "off" => Some(Self::Off),
            "advisory" => Some(Self::Advisory),
            "enforcing" => Some(Self::Enforcing),
            _ => None,
        }
    }
}

/// The stances of every debate about a product, each with what it looks at.
const PRODUCT: [(&str, &str); 4] = [
    (
        "Researcher",
        "What is known already: what files, memory and sources say about it, and what nobody has \
         looked up.",
    ),
    (
        "Cost-Controller",
        "What it costs to build, to run and to keep: the smallest version that is worth having, and \
         what can be left out.",
    ),
    (
        "Skeptic",
        "What will go wrong, which claim nobody has shown, and what would have to be true for the \
         obvious way to fail.",
    ),
    (
        "Architect",
        "How it is put together from as few parts as possible, where its boundaries run, and what a \
         later change will cost.",
    ),
];

/// Gives a debate about a product its four stances; what the leader planned is added to them, up to
/// five, and takes the place of none.
pub fn set_product_stances(plan: &mut DebatePlan) {
    let fixed = PRODUCT.map(|(name, lens)| Stance {
        name: name.to_owned(),
        lens: lens.to_owned(),
        focus: String::new(),
        origin: StanceOrigin::Research,
    });
    let is_fixed = |stance: &Stance| {
        let mut names = PRODUCT.iter();
        names.any(|(name, _)| stance.name.trim().eq_ignore_ascii_case(name))
    };
    let planned = std::mem::take(&mut plan.stances);
    let mut others = planned.into_iter();
    let own = |stance: &Stance| stance.origin == StanceOrigin::Planned && !is_fixed(stance);
    let other = others.find(own);
    plan.stances = fixed.into_iter().chain(other).collect();
}

/// Adds the stance that holds what memory warns of against every proposal. Nothing happens without
/// a warning, or when nobody wants it. A plan keeps at most five stances: in a full one, and where
/// it is enforced, the last one that is not of the program's own making gives way.
pub fn add_experience_auditor(plan: &mut DebatePlan, warnings: &[&MemoryNote], mode: Experience) {
    let replaces = match mode {
        Experience::Off => return,
        Experience::Advisory => false,
        Experience::Enforcing => true,
    };
    if warnings.is_empty() {
        return;
    }
    let auditor = Stance {
        name: AUDITOR.to_owned(),
        lens: "What went wrong in this project before, and whether a proposal repeats it."
            .to_owned(),
        focus: focus(warnings),
        origin: StanceOrigin::ExperienceAuditor,
    };
    seat(plan, auditor, replaces);
}

/// Adds a product owner to an implementation plan that nobody looks at for its users. Where the four
/// stances of a product sit, only in the place that is left.
pub fn add_product_owner(plan: &mut DebatePlan) {
    let wanted = plan.output_shape.kind == OutputKind::ImplementationPlan;
    let fixed = plan
        .stances
        .iter()
        .any(|stance| stance.origin == StanceOrigin::Research);
    if fixed && plan.stances.len() >= MOST_STANCES {
        return;
    }
    if !wanted || plan.stances.iter().any(speaks_for_users) {
        return;
    }
    let owner = Stance {
        name: OWNER.to_owned(),
        lens: "What those who will use it need first, and what they can do without.".to_owned(),
        focus: "Which parts of the plan nobody asked for, and how one sees that it is done."
            .to_owned(),
        origin: StanceOrigin::ProductOwner,
    };
    seat(plan, owner, false);
}

/// True when a stance looks at what is planned for its users. The last words of a lens are not
/// enough: an auditor of user data is no product owner, so its name decides, and else the lens.
fn speaks_for_users(stance: &Stance) -> bool {
    let says = |text: &str| {
        let words = words(text);
        words
            .iter()
            .any(|word| PRODUCT_WORDS.contains(&word.as_str()))
    };
    match stance.origin {
        StanceOrigin::ProductOwner => true,
        StanceOrigin::ExperienceAuditor | StanceOrigin::Fallback | StanceOrigin::Research => false,
        StanceOrigin::Planned => says(&stance.name) || says(&stance.lens),
    }
}

/// Puts a stance into a plan, where one of the same name was if there is one.
fn seat(plan: &mut DebatePlan, stance: Stance, replaces: bool) {
    let stances = &mut plan.stances;
    let same = |known: &Stance| known.name.trim().eq_ignore_ascii_case(&stance.name);
    let generic = |known: &Stance| match known.origin {
        StanceOrigin::Planned | StanceOrigin::Fallback => true,
        StanceOrigin::ExperienceAuditor | StanceOrigin::ProductOwner | StanceOrigin::Research => {
            false
        }
    };
    let full = stances.len() >= MOST_STANCES;
    let place = stances.iter().position(same).or_else(|| {
        let last = stances.iter().rposition(generic);
        last.filter(|_| replaces || full)
    });
    match place.and_then(|place| stances.get_mut(place)) {
        Some(taken) => *taken = stance,
        None => stances.push(stance),
    }
}

/// Names the warnings by their ids, as many as there is room for.
fn focus(warnings: &[&MemoryNote]) -> String {
    const BEFORE: &str = "Hold these against every proposal: ";
    const AFTER: &str = ". Say of each whether it is answered.";
    let mut named = String::new();
    for warning in warnings {
        let joint = if named.is_empty() { "" } else { ", " };
        let next = format!("{joint}{}", warning.id);
        let length = [BEFORE, &named, &next, AFTER].map(|part| part.chars().count());
        if length.iter().sum::<usize>() > LONGEST_FOCUS {
            break;
        }
        named.push_str(&next);
    }
    format!("{BEFORE}{named}{AFTER}")
}

#[cfg(test)]
#[path = "stances_tests.rs"]
mod tests;
