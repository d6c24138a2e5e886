//! Which parts of the project's memory a phase wants to see.

use gavel_domain::{Category, LoopPhase};

/// The categories that memory answers, in the order of briefs.
const OF_MEMORY: [Category; 9] = [
    Category::Traps,
    Category::Feedback,
    Category::RuntimeNotes,
    Category::Decisions,
    Category::Constraints,
    Category::Handoffs,
    Category::Plans,
    Category::Candidates,
    Category::ProjectVision,
];

/// The categories of a phase that memory answers, always in the same order. `*`, and a phase that
/// names none, mean all of them.
pub fn memory_categories(phase: &LoopPhase) -> Vec<Category> {
    let all = phase.context.is_empty() || phase.context.contains(&Category::Everything);
    let wanted = |category: &Category| all || phase.context.contains(category);
    OF_MEMORY.into_iter().filter(wanted).collect()
}

/// What stands above the items of a category in a brief.
pub(super) const fn heading(category: Category) -> &'static str {
    match category {
        Category::Traps => "Memory: traps, which went wrong before",
        Category::Feedback => "Memory: feedback of people",
        Category::RuntimeNotes => "Memory: what was seen while things ran",
        Category::Decisions => "Memory: decisions",
        Category::Constraints => "Memory: constraints, which must hold",
        Category::Handoffs => "Memory: handoffs",
        Category::Plans => "Memory: plans",
        Category::Candidates => "Memory: proposed items, which nobody has accepted yet",
        Category::ProjectVision => "Memory: what the project is for",
        Category::CritiqueHistory => "Earlier in this loop: what was said",
        Category::RevisionHistory => "Earlier in this loop: earlier versions, and other views",
        Category::SynthesisArtifact => "Earlier in this loop: plans",
        Category::Everything => "Everything else",
    }
}
