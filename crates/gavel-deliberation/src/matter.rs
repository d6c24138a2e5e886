//! What a council looks at.

use gavel_domain::{ClarifiedMatter, DiscoveryAnswer, MemoryNote};

/// A matter with everything that is known about it.
#[derive(Debug, Clone, Copy)]
pub struct Matter<'a> {
    /// What is asked, as it was typed.
    pub topic: &'a str,
    /// What it came to mean, where people were asked.
    pub clarified: Option<&'a ClarifiedMatter>,
    /// The answers of a discovery.
    pub answers: &'a [DiscoveryAnswer],
    /// What project memory says.
    pub memory: &'a [MemoryNote],
    /// Why the plan before this one did not work out; nothing for the first.
    pub trouble: Option<&'a str>,
    /// What an earlier debate of the same run came to, for one that follows it up.
    pub earlier: Option<&'a str>,
    /// Earlier councils on the subject whose outcome was doubted, a line each.
    pub doubted: Option<&'a str>,
    /// True when a person may be asked on the way.
    pub attended: bool,
    /// True for a debate about a product, which four stances of its own look at.
    pub product: bool,
}

impl<'a> Matter<'a> {
    /// A topic, and nothing known about it.
    pub const fn of(topic: &'a str) -> Self {
        Self {
            topic,
            clarified: None,
            answers: &[],
            memory: &[],
            trouble: None,
            earlier: None,
            doubted: None,
            attended: false,
            product: false,
        }
    }

    /// The words of the question that evidence may call `idea`.
    pub(crate) fn criteria(&self) -> &'a [String] {
        self.clarified.map_or(&[], |clarified| &clarified.criteria)
    }
}
