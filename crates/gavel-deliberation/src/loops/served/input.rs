//! What `gavel_loop` is called with, and what it means.

use gavel_domain::{LoopKind, LoopStatus, Profile, TurnOutcome};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::super::problem::LoopProblem;
use super::super::turns::Handed;
use super::super::verbs::Verb;

/// What is wanted of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Intent {
    Open,
    Inbox,
    Brief,
    Turn,
    CompleteTurn,
    AddArtifact,
    Advance,
    Pause,
    Resume,
    Close,
    Promote,
    Get,
    List,
}

/// What a plan becomes in project memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum PromoteAs {
    #[default]
    Plan,
    Decision,
}

/// Its arguments.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoopInput {
    pub(super) intent: Intent,
    /// Who you are; needed for all but get and list.
    #[serde(default)]
    pub(super) agent_id: Option<String>,
    #[serde(default)]
    pub(super) loop_id: Option<String>,
    /// A slot's id, or its role.
    #[serde(default)]
    pub(super) slot_id: Option<String>,
    /// open
    #[serde(default)]
    pub(super) kind: Option<LoopKind>,
    #[serde(default)]
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) goal: Option<String>,
    #[serde(default, deserialize_with = "slots")]
    pub(super) slots: Vec<SlotInput>,
    /// open: over the kind's own.
    #[serde(default)]
    #[schemars(schema_with = "super::protocol::schema")]
    pub(super) protocol: Option<Map<String, Value>>,
    /// What is handed in (complete_turn, add_artifact, open).
    #[serde(default)]
    pub(super) artifacts: Vec<ArtifactInput>,
    /// complete_turn: done, failed or cancelled.
    #[serde(default)]
    pub(super) outcome: Option<TurnOutcome>,
    #[serde(default)]
    pub(super) reason: Option<String>,
    /// advance: to this phase whatever gates say; for whoever opened it.
    #[serde(default)]
    pub(super) to_phase: Option<String>,
    /// close: completed, cancelled or blocked; list: open ones only.
    #[serde(default)]
    pub(super) status: Option<LoopStatus>,
    /// promote: what the plan is proposed as.
    #[serde(default)]
    pub(super) promote_as: Option<PromoteAs>,
    #[serde(default)]
    pub(super) expected_version: Option<u64>,
    /// The same again is done once.
    #[serde(default)]
    pub(super) client_request_id: Option<String>,
}

/// Something that is handed in.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ArtifactInput {
    /// critique, nothing_new, revision, plan_draft …: what the brief asks for.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// The text.
    #[serde(default)]
    pub(super) body: String,
    /// Ids from the brief that it rests on.
    #[serde(default)]
    pub(super) cites: Vec<String>,
    /// plan_draft: critiques that it answers.
    #[serde(default)]
    pub(super) addresses_critique: Vec<String>,
    /// plan_draft: critiques that it leaves, as {id, reason}.
    #[serde(default)]
    pub(super) waived: Vec<WaivedInput>,
}

/// A critique that a plan leaves.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaivedInput {
    pub(super) id: String,
    pub(super) reason: String,
}

/// A place in a loop.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SlotInput {
    pub(super) role: String,
    #[serde(default)]
    pub(super) agent: Option<String>,
    #[serde(default)]
    pub(super) profile: Option<Profile>,
}

/// Places as objects, or as the command line writes them: `critic`, `critic:ann`, `critic:ann:security`.
fn slots<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<SlotInput>, D::Error> {
    let all = Vec::<Value>::deserialize(reader)?.into_iter();
    let slot = |value: Value| {
        let written = value.as_str().map(slot_written);
        match written {
            Some(slot) => Ok(slot),
            None => SlotInput::deserialize(value).map_err(D::Error::custom),
        }
    };
    all.map(slot).collect()
}

/// An agent's id may hold colons; a profile is one of a few words and stands last.
fn slot_written(words: &str) -> SlotInput {
    let (role, rest) = words.split_once(':').unwrap_or((words, ""));
    let (agent, last) = rest.rsplit_once(':').unwrap_or(("", rest));
    let (agent, profile) = match last.trim().parse::<Profile>() {
        Ok(profile) => (agent, Some(profile)),
        Err(_) => (rest, None),
    };
    SlotInput {
        role: role.trim().to_owned(),
        agent: Some(agent.trim().to_owned()).filter(|agent| !agent.is_empty()),
        profile,
    }
}

pub(super) fn word_of(intent: Intent) -> &'static str {
    match intent {
        Intent::Open => "open",
        Intent::Inbox => "inbox",
        Intent::Brief => "brief",
        Intent::Turn => "turn",
        Intent::CompleteTurn => "complete_turn",
        Intent::AddArtifact => "add_artifact",
        Intent::Advance => "advance",
        Intent::Pause => "pause",
        Intent::Resume => "resume",
        Intent::Close => "close",
        Intent::Promote => "promote",
        Intent::Get => "get",
        Intent::List => "list",
    }
}

pub(super) fn slot_of(input: &LoopInput) -> Result<&str, LoopProblem> {
    input.slot_id.as_deref().ok_or(LoopProblem::Missing {
        what: "slot_id",
        why: "a slot's id or its role; intent get shows them",
    })
}

pub(super) fn verb(input: &LoopInput) -> Result<Verb, LoopProblem> {
    let handed: Result<Vec<Handed>, _> = input.artifacts.iter().map(handed).collect();
    let artifacts = handed?;
    let reason = input.reason.clone();
    Ok(match input.intent {
        Intent::CompleteTurn => Verb::Complete {
            slot: slot_of(input)?.to_owned(),
            outcome: input.outcome.unwrap_or(TurnOutcome::Done),
            artifacts,
            reason,
        },
        Intent::AddArtifact => Verb::Add {
            slot: input.slot_id.clone(),
            artifacts,
        },
        Intent::Advance => Verb::Advance {
            to: input.to_phase.as_deref().map(str::parse).transpose()?,
        },
        Intent::Pause => Verb::Pause { reason },
        Intent::Resume => Verb::Resume,
        Intent::Close => Verb::Close {
            status: closing(input.status)?,
            reason,
        },
        Intent::Turn
        | Intent::Open
        | Intent::Inbox
        | Intent::Brief
        | Intent::Promote
        | Intent::Get
        | Intent::List => Verb::Turn {
            slot: slot_of(input)?.to_owned(),
            note: reason,
        },
    })
}

pub(super) fn handed(input: &ArtifactInput) -> Result<Handed, LoopProblem> {
    Ok(Handed {
        kind: input.kind.parse()?,
        body: input.body.clone(),
        cites: input.cites.clone(),
        addresses: input.addresses_critique.clone(),
        waived: input
            .waived
            .iter()
            .map(|left| (left.id.clone(), left.reason.clone()))
            .collect(),
    })
}

fn closing(status: Option<LoopStatus>) -> Result<LoopStatus, LoopProblem> {
    let status = status.unwrap_or(LoopStatus::Completed);
    if status.is_final() {
        return Ok(status);
    }
    Err(LoopProblem::Missing {
        what: "a final status",
        why: "a loop is closed as completed, cancelled or blocked",
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_read_as_objects_and_as_the_command_line_writes_them() {
        let read = |slots: Value| {
            let input = json!({"intent": "open", "slots": slots});
            let input: LoopInput = serde_json::from_value(input).unwrap();
            let told = input.slots.into_iter().map(|slot| {
                let profile = slot.profile.map(|profile| json!(profile));
                (slot.role, slot.agent.unwrap_or_default(), profile)
            });
            told.collect::<Vec<_>>()
        };
        let security = Some(json!("security"));
        let plain = |role: &str, agent: &str| (role.to_owned(), agent.to_owned(), None);
        assert_eq!(
            read(json!(["champion:ann", "critic", "critic:mcp:bob:security", {"role": "critic"}])),
            [
                plain("champion", "ann"),
                plain("critic", ""),
                ("critic".to_owned(), "mcp:bob".to_owned(), security),
                plain("critic", ""),
            ]
        );
        let wrong = json!({"intent": "open", "slots": [{"role": "critic", "who": "ann"}]});
        assert!(serde_json::from_value::<LoopInput>(wrong).is_err());
    }
}
