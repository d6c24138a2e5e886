//! Items for people and for programs.

use gavel_domain::Timestamp;
use gavel_memory::{
    Acceptance, Item, MAX_TEXT_BYTES, Memory, Problem, Provenance, Severity, State, Tally,
    Visibility,
};
use gavel_rules::role_word;
use gavel_rules::sanitize_for_display;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::context::Context;
use crate::exit::Exit;
use crate::ui::{Cell, Look, cell};

/// How much of a text a list shows.
const SHOWN_CHARS: usize = 90;
/// How many problems are told one by one.
const TOLD: usize = 5;

/// Ends a list: its problems, and all of it as data.
pub(super) fn finish(context: &Context, memory: &Memory, items: &[Value]) -> Exit {
    let problems = memory.problems();
    tell(context, problems);
    let problems: Vec<Value> = problems.iter().map(problem_json).collect();
    let data = json!({ "items": items, "problems": problems });
    context.ui.data("memory", &data);
    Exit::Done
}

/// Tells what was wrong with files; all of it is in the data.
pub(super) fn tell(context: &Context, problems: &[Problem]) {
    for problem in problems.iter().take(TOLD) {
        context.ui.note(problem);
    }
    let more = problems.len().saturating_sub(TOLD);
    if more > 0 {
        let where_all = "gavel memory list --json shows all";
        context.ui.note(format!("and {more} more: {where_all}"));
    }
}

/// One line of a list.
pub(super) fn row(item: &Item, now: Timestamp) -> Vec<Cell> {
    let tags: Vec<_> = item
        .tags
        .iter()
        .map(|tag| sanitize_for_display(&format!("#{tag}")))
        .collect();
    vec![
        (item.id.short(), Look::Strong),
        cell(item.kind),
        (standing(item, now), Look::Warn),
        cell(short(item)),
        (tags.join(" "), Look::Faint),
    ]
}

/// What an item is called in a list: its title, or the beginning of its text.
pub(in crate::commands) fn short(item: &Item) -> String {
    let whole = item.title.as_deref().unwrap_or(&item.text);
    let line = whole.lines().next().unwrap_or_default();
    let mut text: String = sanitize_for_display(line)
        .chars()
        .take(SHOWN_CHARS)
        .collect();
    if text.chars().count() < sanitize_for_display(whole).chars().count() {
        text.push('…');
    }
    text
}

/// What a list says beside an item: how it stands, and who else does not see it.
fn standing(item: &Item, now: Timestamp) -> String {
    let stands = stands(item, now);
    let seen = match item.visibility {
        Visibility::Shared => "",
        hidden @ (Visibility::Machine | Visibility::Private) => hidden.word(),
    };
    let both = [stands.as_str(), seen].into_iter();
    let both: Vec<&str> = both.filter(|word| !word.is_empty()).collect();
    both.join(", ")
}

/// Why an item does not count, how far it is, or how bad it is.
fn stands(item: &Item, now: Timestamp) -> String {
    let status = item.status_at(now);
    match (item.state, item.acceptance) {
        (State::Retired | State::Redacted, _) => item.state.word().to_owned(),
        (State::Live, Acceptance::Proposed | Acceptance::Rejected) => {
            item.acceptance.word().to_owned()
        }
        (State::Live, Acceptance::Accepted) if item.superseded_by.is_some() => {
            "superseded".to_owned()
        }
        (State::Live, Acceptance::Accepted) if status != item.kind.course().first() => {
            status.word().replace('_', " ")
        }
        (State::Live, Acceptance::Accepted) => item.severity.map_or("", Severity::word).to_owned(),
    }
}

/// Who changed something. Guests are not told apart: what they call themselves is a claim.
fn changed_by(item: &Item) -> Option<&'static str> {
    item.changed_by.map(|by| role_word(by.role))
}

/// A proposal in a line: what it is called, and who gave it other words since.
pub(in crate::commands) fn proposal(item: &Item) -> String {
    match changed_by(item) {
        Some(who) => format!("{} (changed by {who})", short(item)),
        None => short(item),
    }
}

/// Shows what is about to be accepted, all of it: the words may be others than those that a list
/// showed before.
pub(super) fn words(context: &Context, item: &Item) {
    let by = changed_by(item).map_or_else(String::new, |who| format!(" (changed by {who})"));
    let id = item.id.short();
    context.ui.line(format!("{id}  about to be kept{by}:"));
    let title = item.title.iter().map(String::as_str);
    for line in title.chain(item.text.lines()) {
        context
            .ui
            .flow(0, format!("  {}", sanitize_for_display(line)));
    }
}

/// Everything about one item.
pub(super) fn card(context: &Context, item: &Item, now: Timestamp) {
    let strong = |text: &str| (text.to_owned(), Look::Strong);
    let paths: Vec<_> = item.paths.iter().map(ToString::to_string).collect();
    let mut rows = vec![
        vec![strong("id"), cell(item.id)],
        vec![strong("kind"), cell(item.kind)],
        vec![strong("state"), cell(item.state.word())],
    ];
    let mut more = |name: &str, value: Option<String>| {
        let value = value.filter(|value| !value.is_empty());
        rows.extend(value.map(|value| vec![strong(name), cell(sanitize_for_display(&value))]));
    };
    // Of what is over nobody asks how far it is.
    let live = item.state == State::Live;
    more("status", live.then(|| item.status_at(now).to_string()));
    more(
        "acceptance",
        live.then(|| item.acceptance.word().to_owned()),
    );
    more("written", Some(local(item.created_at)));
    more("tags", Some(item.tags.join(" ")));
    more("about", Some(paths.join(" ")));
    more("title", item.title.clone());
    more(
        "severity",
        item.severity.map(|severity| severity.word().to_owned()),
    );
    more("expires", item.expires_at.map(local));
    more("superseded by", item.superseded_by.map(|id| id.to_string()));
    let hidden = item.visibility != Visibility::Shared;
    more(
        "visible to",
        hidden.then(|| item.visibility.word().to_owned()),
    );
    let changed = item.updated_at != item.created_at;
    more("changed", changed.then(|| local(item.updated_at)));
    more("changed by", changed_by(item).map(str::to_owned));
    more("comes from", item.provenance.as_ref().and_then(origin));
    more("proved", proved(item));
    more(
        "look again",
        item.staleness(now).map(|why| why.told().to_owned()),
    );
    context.ui.table(&rows);
    context.ui.line("");
    if item.state == State::Redacted {
        context
            .ui
            .line("its words were taken out (gavel memory redact)");
    } else {
        let text = sanitize_for_display(&item.text);
        let shown = text.get(..text.floor_char_boundary(MAX_TEXT_BYTES));
        let shown = shown.unwrap_or_default();
        context.ui.flow(0, shown);
        // Longer ones were written by other means than Gavel's.
        let more = text.len() - shown.len();
        if more > 0 {
            let cut = format!("… ({more} more bytes; --json has them)");
            context.ui.line(context.ui.look(&cut, Look::Warn));
        }
    }
}

/// Shown times are local, stored ones are UTC.
fn local(at: Timestamp) -> String {
    let zoned = at.to_zoned(TimeZone::system());
    zoned.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

fn origin(provenance: &Provenance) -> Option<String> {
    match provenance {
        Provenance::Person => None,
        Provenance::Run { run, key } => {
            let key = key.as_deref().unwrap_or_default();
            Some(format!("run {} {key}", run.short()))
        }
        Provenance::Loop { id, artifact } => {
            let artifact = artifact.as_deref().unwrap_or_default();
            Some(format!("loop {} {artifact}", id.short()))
        }
        Provenance::Agent { name } => Some(format!("agent {name}")),
        Provenance::Item { item } => Some(item.to_string()),
    }
}

fn proved(item: &Item) -> Option<String> {
    let marks = &item.marks;
    let told = [
        ("confirmed", marks.confirmed),
        ("contradicted", marks.contradicted),
        ("saved", marks.saved_me),
        ("misled", marks.misled_me),
    ];
    let told = told
        .into_iter()
        .filter_map(|(word, tally)| counted(word, tally));
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join(", "))
}

fn counted(word: &str, tally: Tally) -> Option<String> {
    let last = tally.last?;
    let day = last.strftime("%Y-%m-%d");
    Some(match tally.count {
        1 => format!("{word} on {day}"),
        many => format!("{word} {many} times, last on {day}"),
    })
}

/// An item for programs.
pub(in crate::commands) fn as_json(item: &Item, now: Timestamp) -> Value {
    let mut data = serde_json::to_value(item).unwrap_or(Value::Null);
    insert(&mut data, "short", json!(item.id.short()));
    insert(&mut data, "label", json!(item.label()));
    insert(&mut data, "status", json!(item.status_at(now)));
    data
}

pub(super) fn problem_json(problem: &Problem) -> Value {
    json!({
        "file": problem.file,
        "line": problem.line,
        "message": problem.trouble.to_string(),
    })
}

pub(super) fn insert(data: &mut Value, name: &str, value: Value) {
    if let Value::Object(fields) = data {
        fields.insert(name.to_owned(), value);
    }
}
