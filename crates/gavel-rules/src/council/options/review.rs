//! Holding every source against every option.

use super::super::MemoryLooked;
use super::super::telling::tokens;
use super::cues::{Sign, doubt};
use super::names::Names;
use super::reading::{Spoken, goes_on, read_passage};
use super::recommend::{recommend, recommend_one, unknowns};
use super::subject::{background, excerpt};
use super::topic::sentences;
use super::{Cited, OptionSource, OptionStanding, OptionsReview, SourceKind, TopicOptions};

/// What a source says about one option.
#[derive(Debug)]
struct Reading {
    sign: Option<Sign>,
    text: String,
    why: String,
}

/// Holds the options of a topic against sources. The result depends on what the sources say and
/// not on the order of sources or options, but for the order in which things are listed.
pub fn review_options(
    topic: &TopicOptions,
    whole_topic: &str,
    sources: &[OptionSource],
    looked: MemoryLooked,
) -> OptionsReview {
    let names = Names::of_topic(topic);
    let standing = |name: &String| OptionStanding {
        name: name.clone(),
        speaks_for: Vec::new(),
        speaks_against: Vec::new(),
        mentions: Vec::new(),
    };
    // What a topic names and does not offer is looked for, and not held against anything.
    let offered = match topic.options.as_slice() {
        [] => &[],
        _ => topic.names(),
    };
    let mut options: Vec<OptionStanding> = offered.iter().map(standing).collect();
    let mut silent = Vec::new();
    for (place, source) in sources.iter().enumerate() {
        let repeated = sources.iter().take(place).any(|before| before == source);
        if repeated {
            continue;
        }
        let readings = read_source(source, &names, offered);
        if readings.iter().all(Option::is_none) {
            silent.push(source);
        }
        for (option, reading) in options.iter_mut().zip(readings) {
            if let Some(reading) = reading {
                option.add(&source.cite, reading);
            }
        }
    }
    let background = background(topic, whole_topic, &silent);
    let unknown = unknowns(&options, looked);
    let warning = warning(topic, &options, &background, looked);
    let (recommended, mut why) = match options.as_slice() {
        [one] => recommend_one(one, &topic.options),
        options => recommend(options),
    };
    if let Some(gap) = looked.gap() {
        why = format!("{why} {gap}");
    }
    OptionsReview {
        topic: whole_topic.to_owned(),
        subject: topic.subject.clone(),
        options: called(options, topic),
        background,
        unknown,
        recommended,
        why,
        warning,
    }
}

/// The options as the topic calls them. What speaks about the one thing of a yes or no speaks for
/// the first answer or for the second.
fn called(standings: Vec<OptionStanding>, topic: &TopicOptions) -> Vec<OptionStanding> {
    match (
        <[OptionStanding; 1]>::try_from(standings),
        topic.options.as_slice(),
    ) {
        (Ok([one]), [yes, no]) => vec![
            OptionStanding {
                name: yes.clone(),
                speaks_for: one.speaks_for,
                speaks_against: Vec::new(),
                mentions: one.mentions,
            },
            OptionStanding {
                name: no.clone(),
                speaks_for: one.speaks_against,
                speaks_against: Vec::new(),
                mentions: Vec::new(),
            },
        ],
        (Ok(one), _) => one.into(),
        (Err(mut all), names) => {
            for (option, name) in all.iter_mut().zip(names) {
                option.name.clone_from(name);
            }
            all
        }
    }
}

impl OptionStanding {
    fn add(&mut self, cite: &str, reading: Reading) {
        let cited = Cited {
            cite: cite.to_owned(),
            text: reading.text,
            why: reading.why,
        };
        let list = match reading.sign {
            Some(Sign::For) => &mut self.speaks_for,
            Some(Sign::Against) => &mut self.speaks_against,
            None => &mut self.mentions,
        };
        list.push(cited);
    }
}

/// What a passage says about an option.
#[derive(Debug)]
struct Told<'p> {
    passage: &'p str,
    /// True when it only asks, or is code: it says nothing either way.
    idle: bool,
    spoken: Spoken,
}

impl Told<'_> {
    fn sign(&self) -> Option<Sign> {
        self.spoken.sign.filter(|_| !self.idle)
    }
}

/// What a source says about each option; nothing for those that it does not name.
fn read_source(source: &OptionSource, names: &Names, options: &[String]) -> Vec<Option<Reading>> {
    let code = source.kind == SourceKind::File && is_code(&source.text);
    let passages = passages(said(&source.text), names);
    let told = passages.iter().flat_map(|(passage, asks)| {
        let spoken = read_passage(passage, names).into_iter();
        spoken.map(move |spoken| Told {
            passage,
            idle: *asks || code,
            spoken,
        })
    });
    let told: Vec<Told<'_>> = told.collect();
    let each = options.iter().enumerate().map(|(option, name)| {
        let (own, others): (Vec<&Told<'_>>, Vec<_>) =
            told.iter().partition(|told| told.spoken.option == option);
        own.first()?;
        let aside = others.iter().any(|told| told.sign().is_some());
        let reading = by_words(source.kind, name, &own);
        reading.or_else(|| by_kind(source.kind, name, (&own, aside)))
    });
    each.collect()
}

/// How a source speaks about an option by its words; nothing when they say neither yes nor no.
fn by_words(kind: SourceKind, name: &str, own: &[&Told<'_>]) -> Option<Reading> {
    let signed = own.iter().filter(|told| told.sign().is_some());
    let mut signed: Vec<&&Told<'_>> = signed.collect();
    // A warning that tells what was chosen tells it because of what came of it.
    let warns = matches!(kind, SourceKind::Trap | SourceKind::Feedback);
    if !warns && signed.iter().any(|told| told.spoken.outright) {
        signed.retain(|told| told.spoken.outright);
    }
    let first = signed.first()?;
    let torn = signed.iter().any(|told| told.sign() != first.sign());
    let deciding = match kind {
        _ if !torn => Some(first),
        // What is kept as a warning may praise in passing.
        SourceKind::Trap | SourceKind::Feedback => signed
            .iter()
            .find(|told| told.sign() == Some(Sign::Against)),
        SourceKind::Constraint
        | SourceKind::Decision
        | SourceKind::Vision
        | SourceKind::Plan
        | SourceKind::Note
        | SourceKind::File => None,
    };
    Some(deciding.map_or_else(
        || Reading {
            sign: None,
            text: excerpt(first.passage),
            why: format!("speaks both for and against {name}"),
        },
        |told| Reading {
            sign: told.sign(),
            text: excerpt(told.passage),
            why: named(name, &told.spoken),
        },
    ))
}

fn named(name: &str, spoken: &Spoken) -> String {
    match &spoken.words {
        Some((words, true)) => format!("names {name} after `{words}`"),
        Some((words, false)) => format!("names {name} before `{words}`"),
        None => format!("names {name}"),
    }
}

/// How a source speaks that names an option and says nothing more of it: by what it was written
/// down as, unless it asks or speaks about another option. A decision that denies something, or
/// tells of what was, is for nothing by its kind alone.
fn by_kind(kind: SourceKind, name: &str, (own, aside): (&[&Told<'_>], bool)) -> Option<Reading> {
    let told = own.iter().find(|told| !told.idle).or(own.first())?;
    let in_passing = own.iter().all(|told| told.spoken.in_passing);
    let sign = match kind {
        _ if aside || told.idle || in_passing => None,
        SourceKind::Trap => Some(Sign::Against),
        SourceKind::Constraint | SourceKind::Decision | SourceKind::Vision | SourceKind::Plan => {
            Some(Sign::For)
        }
        // What somebody says of the work may as well be praise.
        SourceKind::Feedback | SourceKind::Note | SourceKind::File => None,
    };
    let mut heard = own.iter().filter(|told| !told.idle);
    let doubted = match sign {
        Some(Sign::For) => heard.find_map(|told| Some((told, doubtful(told.passage)?))),
        Some(Sign::Against) | None => None,
    };
    let (told, sign, why) = match (doubted, sign) {
        (Some((told, word)), _) => {
            let why = format!("names {name} beside `{word}`: yes or no cannot be told");
            (told, None, why)
        }
        (None, Some(_)) => (told, sign, format!("{} names {name}", kind.called())),
        (None, None) if in_passing => (
            told,
            None,
            format!(
                "names {name} in passing: what it is about is something else, or words cannot tell"
            ),
        ),
        (None, None) => (
            told,
            None,
            format!("names {name} and says neither yes nor no"),
        ),
    };
    Some(Reading {
        sign,
        text: excerpt(told.passage),
        why,
    })
}

/// The word that leaves open whether what a passage names is wanted.
fn doubtful(passage: &str) -> Option<&str> {
    let tokens = tokens(passage);
    let words: Vec<String> = tokens.iter().map(|token| token.word.clone()).collect();
    passage.get(tokens.get(doubt(&words)?)?.at.clone())
}

/// What a source says itself. A kept outcome of a council repeats the question with all its options
/// first: `Council on "A or B?" (evidence high): A.`
fn said(text: &str) -> &str {
    let Some(rest) = text.trim_start().strip_prefix("Council on \"") else {
        return text;
    };
    let plain = rest.split_once("\": ");
    let judged = rest
        .split_once("\" (")
        .and_then(|(topic, behind)| Some((topic, behind.split_once("): ")?.1)));
    let shorter = |(topic, _): &(&str, &str)| topic.len();
    let found = plain.into_iter().chain(judged).min_by_key(shorter);
    found.map_or(text, |(_, said)| said)
}

/// True for a line of a program, which uses words of choice without choosing: `use sqlite::…`. A
/// comment is prose, and so is what a document says around its code.
fn is_code(line: &str) -> bool {
    const COMMENTS: [&str; 6] = ["//", "#", "--", "/*", "* ", "<!--"];
    const MARKS: [&str; 10] = ["::", "();", "){", "{", "}", "=", "->", "</", ");", "[["];
    let line = line.trim();
    if COMMENTS.iter().any(|mark| line.starts_with(mark)) {
        return false;
    }
    let prose: String = line.split('`').step_by(2).collect();
    let marked = MARKS.iter().any(|mark| prose.contains(mark));
    marked || prose.trim_end().ends_with(';')
}

/// The sentences of a text, each with those behind it that go on about the same thing.
fn passages(text: &str, names: &Names) -> Vec<(String, bool)> {
    let mut found: Vec<(String, bool)> = Vec::new();
    for (sentence, asks) in sentences(text) {
        match found.last_mut() {
            Some((before, false)) if !asks && goes_on(sentence, names) => {
                before.push_str(". ");
                before.push_str(sentence);
            }
            _ => found.push((sentence.to_owned(), asks)),
        }
    }
    found
}

fn warning(
    topic: &TopicOptions,
    options: &[OptionStanding],
    background: &[Cited],
    looked: MemoryLooked,
) -> Option<String> {
    let silent = options.iter().all(|option| {
        option.speaks_for.is_empty()
            && option.speaks_against.is_empty()
            && option.mentions.is_empty()
    });
    Some(match (options, background) {
        ([], []) => {
            let does = match topic.named.as_slice() {
                [] => "say anything close to its words".to_owned(),
                things => format!("name {}", things.join(" or ")),
            };
            format!(
                "The question names no options, and {}. Ask it as “A or B for …?”.",
                looked.nothing_does(&does)
            )
        }
        ([], _) => "The question names no options, so nothing was held against evidence: what is \
                    listed is about it and answers nothing. Ask it as “A or B for …?”."
            .to_owned(),
        _ if !silent => return looked.gap().map(str::to_owned),
        (named, _) => {
            let what = match named {
                [one] => one.name.as_str(),
                _ => "any of these options",
            };
            let nothing = looked.nothing_does(&format!("name {what}"));
            let mut letters = nothing.chars();
            let first: String = letters
                .by_ref()
                .take(1)
                .flat_map(char::to_uppercase)
                .collect();
            let rest = letters.as_str();
            format!("{first}{rest}: a critique has nothing to stand on.")
        }
    })
}
