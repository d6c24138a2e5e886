//! Whether every role has a model that can be reached: looked at before a sprint spends anything.

use gavel_domain::{Role, Scope, ToolFinished};
use gavel_models::ModelInfo;
use gavel_rules::no_provider;
use gavel_run::{Blobs, Pure, RunError};

use crate::breakers::{Choice, Tripped, trip};
use crate::staffing::Staff;
use crate::way::{Leave, Way};

/// Goes on once every role has its model; until then a person is asked to connect one. Returns words
/// of theirs for the work.
pub(crate) async fn reach_all(
    way: Way<'_>,
    scope: &Scope,
    staff: &mut Staff,
) -> Result<Option<String>, Leave> {
    let mut number = 1;
    let mut said = None;
    loop {
        let room = scope.scope("models", number)?;
        let Some((role, model)) = missing(way, &room, staff).await? else {
            return Ok(said);
        };
        let tried = way.means.models.len();
        let Some(tripped) = no_provider(false, tried) else {
            return Ok(said);
        };
        let told = format!(
            "{model} cannot be reached. Set its provider's key or name its endpoint in your \
             config.toml, or name another model: gavel resume --model PROVIDER/MODEL."
        );
        let at = Tripped {
            scope: &room,
            sprint: None,
            role: Some(role),
            told: &told,
        };
        if let Choice::Retry(words) = trip(way, at, &tripped).await? {
            said = words.or(said);
        }
        staff.choose_again(way, &room).await?;
        number += 1;
    }
}

/// The first role without a model, as it was when this was looked at.
async fn missing(
    way: Way<'_>,
    room: &Scope,
    staff: &Staff,
) -> Result<Option<(Role, String)>, RunError> {
    let roles = [
        (Role::Leader, &staff.leader),
        (Role::Coder, &staff.coder),
        (Role::Auditor, &staff.auditor),
        (Role::Judge, &staff.judge),
    ];
    let known = |model: &ModelInfo| way.means.models.contains_key(&model.id);
    let missing = roles.iter().position(|(_, model)| !known(model));
    let effect = |blobs: Blobs| {
        let found = missing.map(|place| place.to_string()).unwrap_or_default();
        async move {
            Ok(ToolFinished {
                tool: "look_for_models".to_owned(),
                ok: found.is_empty(),
                result: blobs.keep(found),
                level: None,
                source: None,
            })
        }
    };
    // What is configured is no input: the record says what was found when it was looked at.
    let looked = way
        .run
        .step(room.key("reached")?, Pure, &(), effect)
        .await?;
    if looked.value.ok {
        return Ok(None);
    }
    let place: usize = way
        .run
        .text(looked.value.result)
        .await?
        .parse()
        .unwrap_or(0);
    let found = roles
        .get(place)
        .map(|(role, model)| (*role, model.id.to_string()));
    Ok(found)
}
