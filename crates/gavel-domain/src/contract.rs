//! The nine contracts: short documents that a build is held to.

use crate::Digest;
use crate::stage::words;

words!(
    /// Which contract; the order of the variants is the order in which they are written.
    ContractKind {
        /// Why the project exists and by which principles.
        Manifesto = "manifesto",
        /// What ships, what does not, what always holds, which layers there are.
        Blueprint = "blueprint",
        /// Language, storage, tests, dependencies.
        Stack = "stack",
        /// The entities and their fields.
        Schema = "schema",
        /// The interface: commands, paths, what they take and answer.
        Physics = "physics",
        /// Which layer may use what.
        Boundaries = "boundaries",
        /// What a person sees and does.
        Ui = "ui",
        /// What is built in which order, and by which criteria each phase ends.
        Phases = "phases",
        /// How the builder is to work.
        BuilderDirective = "builder_directive",
    }
);

impl ContractKind {
    /// All nine, in the order in which they are written.
    pub const ALL: [Self; 9] = [
        Self::Manifesto,
        Self::Blueprint,
        Self::Stack,
        Self::Schema,
        Self::Physics,
        Self::Boundaries,
        Self::Ui,
        Self::Phases,
        Self::BuilderDirective,
    ];

    /// The name of its file.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Manifesto => "manifesto.md",
            Self::Blueprint => "blueprint.md",
            Self::Stack => "stack.md",
            Self::Schema => "schema.md",
            Self::Physics => "physics.yaml",
            Self::Boundaries => "boundaries.json",
            Self::Ui => "ui.md",
            Self::Phases => "phases.md",
            Self::BuilderDirective => "builder_directive.md",
        }
    }
}

/// A contract with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// Which.
    pub kind: ContractKind,
    /// Its text.
    pub text: String,
}

impl Contract {
    /// The digest that pins it.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.text)
    }
}
