//! What memory says to a task: put behind the prompt as fenced items, and heard in the replies.

use std::collections::BTreeSet;

use gavel_domain::{MemoryCited, Scope, Timestamp, Tokens};
use gavel_models::{ModelInfo, Reply};
use gavel_run::{RecallSpec, RecalledItem, Run, RunError};

use crate::excerpt::{Cap, Excerpt, Keep};
use crate::room;

const TITLE: &str = "What this project remembers, best fit first. Heed what holds for this task; \
    name the id of an item that you follow or contradict.";
/// How much of one item is shown.
const ITEM: Cap = Cap {
    bytes: 600,
    lines: 12,
};
const DAY: i64 = 86_400;

/// A prompt that memory may add to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prompt<'a> {
    pub(crate) model: &'a ModelInfo,
    pub(crate) system: &'a str,
    pub(crate) task: &'a str,
}

/// What a task was reminded of, and what of it was named since.
#[derive(Debug, Default)]
pub(crate) struct Recollection {
    block: String,
    items: Vec<RecalledItem>,
    cited: BTreeSet<usize>,
}

impl Recollection {
    /// Asks memory for a prompt, where it wants to be reminded of something.
    pub(crate) async fn of(
        run: &Run,
        scope: &Scope,
        spec: Option<&RecallSpec>,
        prompt: Prompt<'_>,
    ) -> Result<Self, RunError> {
        let Some(spec) = spec else {
            return Ok(Self::default());
        };
        let choose = |items, now| choose(items, spec.max_tokens, (prompt, now));
        let key = scope.key("recalled")?;
        let Some(recalled) = run.recall(key, spec, choose).await? else {
            return Ok(Self::default());
        };
        let (items, at) = (recalled.value, recalled.at);
        Ok(Self {
            block: block(&items, at),
            items,
            cited: BTreeSet::new(),
        })
    }

    /// The task with what memory says behind it.
    pub(crate) fn added_to(&self, task: &str) -> String {
        if self.items.is_empty() {
            return task.to_owned();
        }
        format!("{task}\n\n{}", self.block)
    }

    /// Hears which items a reply names, in its words or in what it hands to tools.
    pub(crate) fn hear(&mut self, reply: &Reply) {
        self.hear_text(&reply.text);
        for call in &reply.tool_calls {
            self.hear_text(&call.arguments);
        }
    }

    /// Hears which items a text names: by id, by short id or by mark.
    pub(crate) fn hear_text(&mut self, text: &str) {
        let named = (0..).zip(&self.items);
        let named = named.filter(|(_, item)| {
            let mark = item.mark();
            let names = [item.id.as_str(), item.label.as_str(), mark.as_str()];
            names.into_iter().any(|name| names_it(text, name))
        });
        let named: Vec<usize> = named.map(|(place, _)| place).collect();
        self.cited.extend(named);
    }

    /// Records what was named, if anything was.
    pub(crate) async fn record(&self, run: &Run, scope: &Scope) -> Result<(), RunError> {
        let cited = self.cited.iter().filter_map(|place| self.items.get(*place));
        let items: Vec<String> = cited.map(|item| item.id.clone()).collect();
        if !items.is_empty() {
            run.decide(scope.key("cited")?, MemoryCited { items })
                .await?;
        }
        Ok(())
    }
}

/// The items that a prompt does not show yet, as many as it has room for. The best come first; one
/// that is too long for what is left gives way to the next.
fn choose(
    items: Vec<RecalledItem>,
    most: Tokens,
    (prompt, now): (Prompt<'_>, Timestamp),
) -> Vec<RecalledItem> {
    let count = |text: &str| room::count(prompt.model.tokenizer, text);
    let mut left = most.0.saturating_sub(count(TITLE).0);
    let mut chosen: Vec<RecalledItem> = Vec::new();
    for item in items {
        let mark = item.mark();
        let shown = prompt.task.contains(&mark) || prompt.system.contains(&mark);
        let twice = chosen.iter().any(|other| other.id == item.id);
        let size = count(&shown_as(&item, now)).0;
        if shown || twice || size > left {
            continue;
        }
        left -= size;
        chosen.push(item);
    }
    chosen
}

/// All of it, as it stands in the prompt.
fn block(items: &[RecalledItem], at: Timestamp) -> String {
    let mut block = TITLE.to_owned();
    for item in items {
        block.push_str("\n\n");
        block.push_str(&shown_as(item, at));
    }
    block
}

/// An item: who it is in a line of ours, what it says as data.
fn shown_as(item: &RecalledItem, at: Timestamp) -> String {
    let RecalledItem {
        id, kind, source, ..
    } = item;
    let seconds = at.as_second().saturating_sub(item.created_at.as_second());
    let age = match seconds / DAY {
        ..=0 => "today".to_owned(),
        1 => "1 day old".to_owned(),
        days => format!("{days} days old"),
    };
    let from = if source.is_empty() {
        String::new()
    } else {
        format!(", from {}", in_line(source))
    };
    let mark = item.mark();
    let text = Excerpt::new("memory", &item.text, ITEM, Keep::Head);
    format!("[{mark}] {id} ({kind}, {age}{from})\n{text}")
}

/// Words of others in a line of ours.
fn in_line(words: &str) -> String {
    let plain = |sign: char| match sign {
        '[' | ']' | '(' | ')' | '<' | '>' => ' ',
        sign if sign.is_control() => ' ',
        sign => sign,
    };
    words.chars().take(80).map(plain).collect()
}

/// True when a text names something, and not only a part of a longer word.
fn names_it(text: &str, name: &str) -> bool {
    let inner = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-');
    let mut found = text.match_indices(name);
    !name.is_empty()
        && found.any(|(place, _)| {
            let before = text.get(..place).and_then(|text| text.chars().next_back());
            let after = text.get(place + name.len()..);
            let after = after.and_then(|text| text.chars().next());
            !before.is_some_and(inner) && !after.is_some_and(inner)
        })
}

#[cfg(test)]
#[path = "recall_tests.rs"]
mod tests;
