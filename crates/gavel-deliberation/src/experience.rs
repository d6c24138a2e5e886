//! What the Experience Auditor wants to be reminded of, and what of memory a debate named.

use gavel_domain::{MemoryCited, MemoryNote, Scope, Tokens};
use gavel_rules::council::{Experience, names_id};
use gavel_run::{RecallSpec, RecalledItem, Run, RunError};

use crate::chamber::Spoken;
use crate::floor::Floor;
use crate::{Council, Matter};

/// The most warnings that are added to what the stage found.
const MOST: usize = 4;

/// What memory says about a matter: what the stage found, then warnings that fit what the matter came
/// to mean. The stage asked by the words of the question alone, and an auditor of experience who
/// misses a warning for a word is of no use.
pub(crate) async fn remembered(
    run: &Run,
    scope: &Scope,
    council: &Council,
    matter: &Matter<'_>,
) -> Result<Vec<MemoryNote>, RunError> {
    let mut notes = matter.memory.to_vec();
    match council.experience {
        Experience::Off => return Ok(notes),
        Experience::Advisory | Experience::Enforcing => {}
    }
    let spec = RecallSpec {
        kinds: &["trap", "feedback"],
        query: about(matter),
        // Each seat has its own share for memory, which cuts what is too much.
        max_tokens: Tokens(400),
    };
    let choose = |items: Vec<RecalledItem>, _| {
        let known = |item: &RecalledItem| matter.memory.iter().any(|note| note.id == item.id);
        let fresh = items.into_iter().filter(|item| !known(item));
        fresh.take(MOST).collect()
    };
    let key = scope.key("experience/recalled")?;
    let recalled = run.recall(key, &spec, choose).await?;
    let recalled = recalled.map_or_else(Vec::new, |recalled| recalled.value);
    notes.extend(recalled.into_iter().map(|item| MemoryNote {
        id: item.id,
        kind: item.kind,
        text: item.text,
    }));
    Ok(notes)
}

/// Records which items the debate named, if any.
pub(crate) async fn record_cited(
    run: &Run,
    scope: &Scope,
    memory: &[MemoryNote],
    floor: &Floor,
) -> Result<(), RunError> {
    let named = |note: &&MemoryNote| floor.turns.iter().any(|turn| names(turn, note));
    let mut items: Vec<String> = memory
        .iter()
        .filter(named)
        .map(|note| note.id.clone())
        .collect();
    for id in floor.turns.iter().flat_map(|turn| &turn.beyond) {
        if !items.contains(id) {
            items.push(id.clone());
        }
    }
    if !items.is_empty() {
        run.decide(scope.key("cited")?, MemoryCited { items })
            .await?;
    }
    Ok(())
}

/// True when a turn names an item, in its words or among its sources.
pub(crate) fn names(turn: &Spoken, note: &MemoryNote) -> bool {
    let mut cites = turn.said.choices.iter().flat_map(|choice| &choice.cites);
    names_id(&turn.said.text, &note.id) || cites.any(|cite| names_id(cite, &note.id))
}

/// The question, and what was found out about it by asking.
fn about(matter: &Matter<'_>) -> String {
    let mut about = matter.topic.to_owned();
    if let Some(clear) = matter.clarified {
        let more = [clear.problem.as_str(), clear.scope.as_str()];
        let listed = clear.constraints.iter().chain(&clear.criteria);
        for words in more.into_iter().chain(listed.map(String::as_str)) {
            about.push(' ');
            about.push_str(words);
        }
    }
    if let Some(trouble) = matter.trouble {
        about.push(' ');
        about.push_str(trouble);
    }
    about
}
