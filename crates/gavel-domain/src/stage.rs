//! Stages and states of a run: the words that scripts rely on.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ::serde::Serialize, ::serde::Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// The stored and printed word.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Finds the variant of a word.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.word())
            }
        }
    };
}

pub(crate) use words;

words!(
    /// Where a run is on its way.
    Stage {
        /// The prompt is scored.
        Intake = "intake",
        /// An existing repository is read.
        Scout = "scout",
        /// Questions are asked.
        Discovery = "discovery",
        /// The council debates.
        Council = "council",
        /// The spec is written.
        Scoping = "scoping",
        /// The nine contracts are written.
        Contracts = "contracts",
        /// Phases are built.
        Building = "building",
        /// The done gate judges.
        Gating = "gating",
        /// The seal is made.
        Sealing = "sealing",
        /// Lessons are proposed.
        Lessons = "lessons",
    }
);

words!(
    /// What a run does right now.
    RunState {
        /// Somebody drives it, or could.
        Running = "running",
        /// It waits for an answer.
        Waiting = "waiting",
        /// Somebody or a budget paused it.
        Paused = "paused",
        /// It stopped with a reason; a person may go on.
        Halted = "halted",
        /// A bug of ours stopped it.
        Faulted = "faulted",
        /// Somebody gave it up for good.
        Aborted = "aborted",
        /// It is done and sealed.
        Sealed = "sealed",
        /// It is done: it gave its answer, and nothing was to be built.
        Closed = "closed",
    }
);

impl RunState {
    /// True when nothing will ever be added.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Aborted | Self::Sealed | Self::Closed => true,
            Self::Running | Self::Waiting | Self::Paused | Self::Halted | Self::Faulted => false,
        }
    }
}
