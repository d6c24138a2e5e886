//! The ten questions of the discovery.

/// One of the ten.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DiscoveryQuestion {
    /// Its id, as answers name it.
    pub(crate) id: &'static str,
    /// What a person is asked.
    pub(crate) text: &'static str,
}

const fn ask(id: &'static str, text: &'static str) -> DiscoveryQuestion {
    DiscoveryQuestion { id, text }
}

/// All ten, in the order in which they are asked.
pub(crate) const QUESTIONS: [DiscoveryQuestion; 10] = [
    ask("product-type", "What kind of product is it?"),
    ask("target-platform", "Where does it run?"),
    ask("audience", "Who uses it, and how many are they?"),
    ask("backend-architecture", "How is its inside divided?"),
    ask(
        "backend-stack",
        "Which language and libraries is it written with?",
    ),
    ask("db-strategy", "Where does it keep its data?"),
    ask("frontend-approach", "What do people see and type?"),
    ask("ba-status", "How far are the requirements worked out?"),
    ask("design-status", "Is there a design to follow?"),
    ask("deployment", "How does it get to those who use it?"),
];
