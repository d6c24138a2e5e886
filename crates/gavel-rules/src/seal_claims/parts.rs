//! The further parts of a seal, and what the format of a statement promises about them.

use gavel_domain::{MicroUsd, SandboxLevel};

/// Which parts a statement has to carry, and so what can be computed again from it. It is signed with
/// the statement, as a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SealFormat {
    /// Statements that name no format: they are held to what they say, and may lack parts.
    #[default]
    First,
    /// Every part is there, and each line of what was left out that follows from another part.
    Second,
    /// A later one: all that the second holds, and what only later programs can check.
    Later(u32),
}

impl SealFormat {
    /// The format of statements that are signed now.
    pub const NOW: u32 = 2;

    /// The format that a statement names; none is named by the first.
    pub const fn of(named: Option<u32>) -> Self {
        match named {
            None | Some(0 | 1) => Self::First,
            Some(2) => Self::Second,
            Some(later) => Self::Later(later),
        }
    }

    /// Its number.
    pub const fn number(self) -> u32 {
        match self {
            Self::First => 1,
            Self::Second => 2,
            Self::Later(number) => number,
        }
    }

    /// True where every part has to be there.
    pub const fn is_whole(self) -> bool {
        match self {
            Self::First => false,
            Self::Second | Self::Later(_) => true,
        }
    }
}

/// The parts of a seal that its omissions, ranks and asks follow from.
#[derive(Debug, Clone, Default)]
pub struct StatedParts<'a> {
    /// The statement's format.
    pub format: SealFormat,
    /// What the person asked for, in their words; empty where it is not stated.
    pub idea: &'a str,
    /// What was made of it while the run went on; empty where that is the same.
    pub became: &'a str,
    /// Each criterion's evidence as the seal words it, in the order of the criteria.
    pub worded: Vec<&'a str>,
    /// The commands of the verification.
    pub commands: Vec<CommandClaim>,
    /// Who replied as what, and how often.
    pub replies: Vec<ReplyClaim<'a>>,
    /// The models that are said to have replied.
    pub models: Vec<&'a str>,
    /// What was spent.
    pub spend: SpendClaim,
    /// Assumptions that were refuted and not settled.
    pub unsettled: Vec<&'a str>,
    /// Those that were settled.
    pub settled: Vec<SettledClaim<'a>>,
    /// How many contracts the build was held to.
    pub contracts: usize,
}

/// A refuted assumption that is said to be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettledClaim<'a> {
    /// What was assumed.
    pub claim: &'a str,
    /// How it was settled.
    pub how: &'a str,
}

/// A command of the verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandClaim {
    /// Its exit code; none when a signal or the deadline ended it.
    pub exit: Option<i32>,
    /// How strongly it was confined.
    pub level: SandboxLevel,
}

/// How often a model replied in a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyClaim<'a> {
    /// `provider/model`.
    pub model: &'a str,
    /// The role's word.
    pub role: &'a str,
    /// How often.
    pub replies: u64,
}

/// What was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpendClaim {
    /// What is known of it; none when of all that was spent nothing is known.
    pub known: Option<MicroUsd>,
    /// The part of it that nobody confirmed.
    pub unconfirmed: MicroUsd,
    /// Replies.
    pub calls: u64,
    /// Calls whose price is not known, lost ones too.
    pub unpriced: u64,
    /// Replies of which nobody counts anything.
    pub unmetered: u64,
    /// Replies with the figures of the agent that gave them.
    pub reported: u64,
    /// Calls of sources, of which nobody counts anything either.
    pub asked_of_sources: u64,
}

impl StatedParts<'_> {
    /// Everything that this statement does not allow to be checked, a line each; nothing where every
    /// check of this program was made.
    pub fn not_checked(&self) -> Vec<String> {
        let format = self.format;
        match format {
            SealFormat::Second => return Vec::new(),
            SealFormat::Later(number) => {
                return vec![format!(
                    "what format {number} adds: this program knows {} formats",
                    SealFormat::NOW
                )];
            }
            SealFormat::First => {}
        }
        let no_replies = self.replies.is_empty();
        let lines = [
            (true, "whether the asks are all that the idea asks for"),
            (
                no_replies,
                "whether somebody else audited: it counts no replies",
            ),
            (true, "whether every condition of the gate is there"),
            (true, "whether all that was left out is named"),
            (true, "whether assumptions that were refuted are settled"),
        ];
        let lines = lines.into_iter().filter(|(applies, _)| *applies);
        lines.map(|(_, line)| line.to_owned()).collect()
    }
}
