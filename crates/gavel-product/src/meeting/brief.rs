//! What a council on its own is given, and what it is driven with.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gavel_models::{ModelId, ModelInfo};
use serde::{Deserialize, Serialize};

use crate::{DoubtedCouncil, MemoryMeans, Reach, Slots};

/// The brief of a council, kept as JSON; places are absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each one is a choice of whoever asks"
)]
pub struct MeetingBrief {
    /// What is asked, as it was typed.
    pub topic: String,
    /// The folder that is read and never written: a checkout, or an empty one where there is none.
    pub folder: PathBuf,
    /// The checkout whose memory is asked; nothing without a project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkout: Option<PathBuf>,
    /// True when project memory is not to be asked.
    #[serde(default)]
    pub without_memory: bool,
    /// True when somebody is there to answer, or what is recommended is to be taken.
    #[serde(default)]
    pub attended: bool,
    /// True when the topic is taken as it is, and nothing is asked about it.
    #[serde(default)]
    pub as_it_is: bool,
    /// True when rounds are held although drafts agree.
    #[serde(default)]
    pub force_rounds: bool,
}

/// What a council is driven with on this machine, now.
#[derive(Debug, Clone)]
pub struct MeetingMeans {
    /// The models as they are configured now.
    pub slots: Slots,
    /// What is known about every model that may take part, and about those on record.
    pub models: BTreeMap<ModelId, ModelInfo>,
    /// The models that the council may have.
    pub reach: Reach,
    /// Earlier councils of this project whose outcome was doubted.
    pub doubted_councils: Vec<DoubtedCouncil>,
    /// Where project memory is found.
    pub memory: MemoryMeans,
}
