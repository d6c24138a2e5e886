//! Reading the options out of a question.

use std::ops::RangeInclusive;

use super::super::telling::{is_filling, words};
use super::TopicOptions;
use super::question::{brought, moved, read_alternative, read_question, thing_of_read};
use super::things::things_in;

/// How many options a question may name, to be read as a choice.
const OPTIONS: RangeInclusive<usize> = 2..=6;
/// A longer option is a sentence that has an `or` in it.
pub(super) const LONGEST_OPTION: usize = 6;
/// What stands between two options.
pub(super) const BETWEEN: [&str; 7] = ["or", "vs", "vs.", "versus", "hay", "hoặc", "oder"];
/// What stands between two options after `between`.
const AND: [&str; 2] = ["and", "và"];
/// Says that options follow.
const CHOICE: [&str; 2] = ["between", "giữa"];
/// What a question begins with that is not part of its first option.
const LEADS: &[&str] = &[
    "a", "adopt", "an", "be", "better", "build", "chọn", "choose", "chúng", "compare", "cần",
    "dùng", "decide", "do", "either", "go", "hãy", "i", "is", "it", "keep", "là", "let's", "mình",
    "nên", "on", "pick", "prefer", "sử", "dụng", "shall", "should", "take", "ta", "the", "to",
    "use", "using", "want", "we", "whether", "with", "would", "you",
];
/// What begins the part that says what the options are for, behind the last of them.
const FOR: &[&str] = &[
    "as", "at", "because", "cho", "for", "here", "if", "in", "on", "given", "to", "trong", "when",
    "where", "while", "with",
];
/// What ends an option and is not part of it.
const TAILS: &[&str] = &[
    "a",
    "an",
    "are",
    "be",
    "best",
    "better",
    "choice",
    "fit",
    "good",
    "hơn",
    "is",
    "more",
    "preferable",
    "right",
    "suitable",
    "the",
    "tốt",
    "enough",
];
/// A question that begins with these asks for something else than a choice.
pub(super) const OTHER_QUESTIONS: [&str; 7] = ["how", "why", "when", "where", "who", "làm", "tại"];
/// A question that begins with these names its options behind a colon or a comma.
const ASKS_WHICH: [&str; 4] = ["what", "which", "gì", "nào"];

/// Words with a stroke between them that are one word.
const ONE_WORD: &[&str] = &[
    "a/b",
    "ci/cd",
    "client/server",
    "i/o",
    "n/a",
    "os/2",
    "r/w",
    "tcp/ip",
    "ui/ux",
];
/// Words that only ask, before the last option: `or do we move to PostgreSQL`.
const ASK_ON: [&str; 9] = [
    "do", "should", "shall", "we", "i", "you", "rather", "just", "instead",
];

/// Reads what a topic offers to choose from: a list, two that are compared, or a yes and a no about
/// one thing. Where it offers nothing there are no options, and the things that it names stand under
/// `named`.
pub fn read_options(topic: &str) -> TopicOptions {
    let sentences: Vec<(&str, bool)> = sentences(topic);
    let asked = sentences.iter().filter(|(_, asks)| *asks);
    let told = sentences.iter().filter(|(_, asks)| !*asks);
    let found = asked.chain(told).find_map(|(sentence, asks)| {
        let read = read_alternative(sentence, *asks)
            .or_else(|| read_sentence(sentence, *asks))
            .or_else(|| read_question(sentence, *asks))?;
        Some((*sentence, read))
    });
    let Some((from, mut read)) = found else {
        return TopicOptions {
            named: things_in(topic),
            ..TopicOptions::default()
        };
    };
    if read.subject.is_empty() {
        let rest = sentences.iter().map(|(sentence, _)| *sentence);
        let rest: Vec<&str> = rest.filter(|sentence| *sentence != from).collect();
        read.subject = rest.join(". ");
    }
    read
}

/// The sentences of a text, each with whether it is a question.
pub(super) fn sentences(text: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.char_indices().find(|(at, c)| {
            let after = rest.get(at + c.len_utf8()..).and_then(|t| t.chars().next());
            let ends = after.is_none_or(char::is_whitespace);
            // `vs.` ends no sentence.
            let short = rest.get(..*at).is_some_and(|before| before.ends_with("vs"));
            *c == '\n' || matches!(c, '.' | '?' | '!' | ';') && ends && !short
        });
        let (at, length, asks) = end.map_or((rest.len(), 0, false), |(at, c)| {
            (at, c.len_utf8(), c == '?')
        });
        let (sentence, after) = (rest.get(..at), rest.get(at + length..));
        let sentence = sentence.unwrap_or_default().trim();
        if !sentence.is_empty() {
            found.push((sentence, asks));
        }
        rest = after.unwrap_or_default().trim_start();
    }
    found
}

/// `SQLite/PostgreSQL: which?` with an `or`; nothing where a stroke is part of a word, or where nobody asks
/// which.
fn unstroked(sentence: &str, asks: bool) -> Option<String> {
    let parts: Vec<&str> = sentence.split_whitespace().collect();
    let names = |part: &&str| {
        let written = trimmed(part);
        let each: Vec<&str> = written.split('/').collect();
        let name = |name: &&str| name.starts_with(char::is_uppercase);
        OPTIONS.contains(&each.len())
            && each.iter().all(name)
            && !ONE_WORD.contains(&written.to_lowercase().as_str())
    };
    let at = parts.iter().position(names)?;
    let which = parts
        .iter()
        .any(|part| ASKS_WHICH.contains(&lower(part).as_str()));
    if !(which || asks && at == 0) {
        return None;
    }
    let cut = parts
        .iter()
        .enumerate()
        .map(|(place, part)| match place == at {
            true => part.replace('/', " or "),
            false => (*part).to_owned(),
        });
    Some(cut.collect::<Vec<_>>().join(" "))
}

/// The words of a sentence. `Go` is a name, but for where it begins a sentence and something is gone for:
/// `Go with PostgreSQL`.
pub(super) fn parts_of(sentence: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = sentence.split_whitespace().collect();
    if let ["Go", how, what, ..] = parts.as_slice()
        && matches!(*how, "back" | "for" | "over" | "to" | "with")
        && (what.starts_with(char::is_uppercase) || matches!(*what, "to" | "with"))
        && let Some(first) = parts.first_mut()
    {
        *first = "go";
    }
    parts
}

fn read_sentence(sentence: &str, asks: bool) -> Option<TopicOptions> {
    if let Some(cut) = unstroked(sentence, asks) {
        return read_sentence(&cut, asks);
    }
    // `For the queue: SQLite or PostgreSQL` and `Which store, SQLite or PostgreSQL`.
    let first = words(sentence).into_iter().next()?;
    let which = ASKS_WHICH.contains(&first.as_str());
    if let Some((before, after)) = sentence.split_once(": ")
        && let Some(read) = read_list(after, asks)
    {
        return Some(with_subject(read, before));
    }
    if which || FOR.contains(&first.as_str()) {
        let (before, after) = sentence.split_once(", ")?;
        return read_list(after, asks).map(|read| with_subject(read, before));
    }
    if OTHER_QUESTIONS.contains(&first.as_str()) {
        return None;
    }
    read_list(sentence, asks)
}

/// Takes the subject from before the options where none stands behind them.
fn with_subject(read: TopicOptions, before: &str) -> TopicOptions {
    if !read.subject.is_empty() {
        return read;
    }
    let parts: Vec<&str> = before.split_whitespace().collect();
    let at = parts
        .iter()
        .position(|part| FOR.contains(&lower(part).as_str()));
    let skipped = |part: &&str| {
        let word = lower(part);
        ASKS_WHICH.contains(&word.as_str()) || LEADS.contains(&word.as_str())
    };
    let from = at.map_or_else(
        || parts.iter().take_while(|p| skipped(p)).count(),
        |at| at + 1,
    );
    let subject = parts.get(from..).unwrap_or_default().join(" ");
    TopicOptions {
        subject: trimmed(&subject),
        ..read
    }
}

fn read_list(text: &str, asks: bool) -> Option<TopicOptions> {
    let parts: Vec<&str> = parts_of(text);
    let choice = parts
        .iter()
        .position(|part| CHOICE.contains(&lower(part).as_str()));
    let joints: &[&str] = if choice.is_some() { &AND } else { &BETWEEN };
    let from = choice.map_or(0, |at| at + 1);
    let is_joint = |part: &&str| joints.contains(&lower(part).as_str());
    let last = parts.iter().rposition(is_joint).filter(|at| *at > from)?;
    let (before, mut after) = (parts.get(from..last)?, parts.get(last + 1..)?);
    while let [first, rest @ ..] = after
        && !rest.is_empty()
        && ASK_ON.contains(&lower(first).as_str())
    {
        after = rest;
    }
    let (option, mut subject) = last_option(after);
    // `Or keep them in SQLite`.
    let option = brought(after, 0)
        .filter(|place| place.object.0 > place.verb)
        .and_then(|place| Some(last_option(after.get(place.thing..)?).0))
        .unwrap_or(option);
    let mut options = Vec::new();
    let mut current: Vec<&str> = Vec::new();
    for part in before {
        if is_joint(part) {
            options.push(std::mem::take(&mut current));
            continue;
        }
        let ends = part.ends_with(',');
        current.push(part.trim_end_matches(','));
        if ends {
            options.push(std::mem::take(&mut current));
        }
    }
    options.push(current);
    let mut named: Vec<String> = Vec::new();
    for option in &options {
        // `The orders stay in SQLite or …`, `move the orders to PostgreSQL or …`.
        let place = brought(option, 0).filter(|place| {
            let object = option
                .get(place.object.0..place.object.1)
                .unwrap_or_default();
            place.object.0 > place.verb || !object.iter().all(|part| is_lead(part))
        });
        if let Some(place) = place {
            let (thing, behind) = last_option(option.get(place.thing..).unwrap_or_default());
            let object = option.get(place.object.0..place.object.1);
            let object = trimmed(&unled(object.unwrap_or_default()).join(" "));
            for told in [behind, object] {
                if subject.is_empty() && !is_lead(&told) {
                    subject = told;
                }
            }
            named.push(thing);
            continue;
        }
        // `SQLite for the queue or PostgreSQL`.
        let at = option
            .iter()
            .position(|part| matches!(lower(part).as_str(), "for" | "cho"));
        let at = at.filter(|at| *at > 0).unwrap_or(option.len());
        if let Some(behind) = option.get(at + 1..).filter(|_| subject.is_empty()) {
            subject = trimmed(&behind.join(" "));
        }
        named.push(plain(option.get(..at).unwrap_or_default()));
    }
    named.push(option);
    named.retain(|option| !option.is_empty());
    let things: Vec<String> = named.iter().map(|option| thing_of_read(option)).collect();
    let telling = |thing: &String| words(thing).iter().any(|word| !is_filling(word));
    let own = things != named && things.iter().all(telling) && is_choice(&things, true);
    is_choice(&named, asks || choice.is_some()).then_some(TopicOptions {
        options: named,
        subject,
        named: if own { things } else { Vec::new() },
        aliases: Vec::new(),
    })
}

/// The last option of a list, and what it is for.
pub(super) fn last_option(after: &[&str]) -> (String, String) {
    let after: Vec<&str> = after
        .iter()
        .filter(|part| lower(part) != "else")
        .copied()
        .collect();
    // A mark ends the option as well: `PostgreSQL, given that …`, `PostgreSQL: which for …`.
    let comma = after
        .iter()
        .position(|part| part.ends_with([',', ':']))
        .map(|at| at + 1);
    // `stay with SQLite` is one option.
    let low: Vec<String> = after.iter().map(|part| lower(part)).collect();
    let skip = moved(&after).max(1);
    let word = low
        .iter()
        .skip(skip)
        .position(|part| FOR.contains(&part.as_str()));
    let word = word.map(|at| at + skip);
    let ends = [comma, word]
        .into_iter()
        .flatten()
        .min()
        .unwrap_or(after.len());
    let option = plain(after.get(..ends).unwrap_or_default());
    let behind = after.get(ends..).unwrap_or_default();
    let which = behind
        .first()
        .is_some_and(|part| ASKS_WHICH.contains(&lower(part).as_str()));
    let behind = behind.get(usize::from(which)..).unwrap_or_default();
    let skip = usize::from(
        behind
            .first()
            .is_some_and(|part| FOR.contains(&lower(part).as_str())),
    );
    let subject = behind.get(skip..).unwrap_or_default().join(" ");
    (option, trimmed(&subject))
}

/// True when these look like options of one choice, and not like halves of a sentence.
pub(super) fn is_choice(options: &[String], asked: bool) -> bool {
    let words_of = |option: &String| words(option).len();
    let short = options
        .iter()
        .all(|o| (1..=LONGEST_OPTION).contains(&words_of(o)));
    let few = options.iter().all(|option| words_of(option) <= 3);
    let mut lowered: Vec<String> = options.iter().map(|option| option.to_lowercase()).collect();
    let no = lowered
        .iter()
        .any(|option| matches!(option.as_str(), "not" | "no" | "không"));
    lowered.sort();
    lowered.dedup();
    let distinct = lowered.len() == options.len();
    OPTIONS.contains(&options.len()) && short && distinct && !no && (asked || few)
}

/// True for a word that only leads to an option, or stands for what was named before.
fn is_lead(part: &str) -> bool {
    let word = lower(part);
    LEADS.contains(&word.as_str()) || matches!(word.as_str(), "them" | "they" | "everything")
}

/// Words without those that only lead to them.
fn unled<'a, 'p>(parts: &'a [&'p str]) -> &'a [&'p str] {
    let mut parts = parts;
    while let [first, rest @ ..] = parts
        && (leads(first, rest) || lower(first).is_empty())
    {
        parts = rest;
    }
    parts
}

/// An option without what leads to it and what trails behind it.
pub(super) fn plain(parts: &[&str]) -> String {
    let mut parts = unled(parts);
    while let [rest @ .., last] = parts
        && !rest.is_empty()
        && TAILS.contains(&lower(last).as_str())
    {
        parts = rest;
    }
    trimmed(&parts.join(" "))
}

/// True for a word that is no part of the option behind it. `Let's Encrypt` is a name: a name
/// follows, and no verb.
fn leads(first: &str, rest: &[&str]) -> bool {
    let Some(next) = rest.first() else {
        return false;
    };
    match lower(first).replace('’', "'").as_str() {
        "let's" => !next.starts_with(char::is_uppercase),
        "in" | "into" | "onto" => next.starts_with(char::is_uppercase),
        word => LEADS.contains(&word),
    }
}

/// A word in lower case without the marks around it. `Go` stays a name: what is done is written small.
pub(super) fn lower(part: &str) -> String {
    if part.trim_matches(|c: char| !c.is_alphanumeric()) == "Go" {
        return "Go".to_owned();
    }
    let word = part.to_lowercase();
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#'));
    if word == "vs." {
        word
    } else {
        inner.to_owned()
    }
}

pub(super) fn trimmed(text: &str) -> String {
    let mark =
        |c: char| c.is_whitespace() || matches!(c, ',' | ':' | '?' | '"' | '\'' | '`' | '“' | '”');
    text.trim_matches(mark).to_owned()
}
