//! Holding every source against every option.

use super::super::telling::{shared, telling};
use super::cues::Sign;
use super::names::Names;
use super::reading::{Spoken, goes_on, read_passage};
use super::recommend::{recommend, unknowns};
use super::topic::sentences;
use super::{Cited, OptionSource, OptionStanding, OptionsReview, SourceKind, TopicOptions};

/// The longest sentence that is shown, in characters.
const LONGEST_TEXT: usize = 200;
/// The most sources that are shown as background.
const MOST_BACKGROUND: usize = 6;
/// How many words of the subject a source must share to be about it.
const LEAST_SHARED: usize = 2;

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
) -> OptionsReview {
    let names = Names::of(&topic.options);
    let standing = |name: &String| OptionStanding {
        name: name.clone(),
        speaks_for: Vec::new(),
        speaks_against: Vec::new(),
        mentions: Vec::new(),
    };
    let mut options: Vec<OptionStanding> = topic.options.iter().map(standing).collect();
    let mut silent = Vec::new();
    for (place, source) in sources.iter().enumerate() {
        let repeated = sources.iter().take(place).any(|before| before == source);
        if repeated {
            continue;
        }
        let readings = read_source(source, &names, &topic.options);
        if readings.iter().all(Option::is_none) {
            silent.push(source);
        }
        for (option, reading) in options.iter_mut().zip(readings) {
            if let Some(reading) = reading {
                option.add(&source.cite, reading);
            }
        }
    }
    let (recommended, why) = recommend(&options);
    OptionsReview {
        topic: whole_topic.to_owned(),
        subject: topic.subject.clone(),
        background: background(topic, whole_topic, &silent),
        unknown: unknowns(&options),
        warning: warning(&options),
        recommended,
        why,
        options,
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
    let passages = passages(&source.text, names);
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
        let first = own.first()?;
        let idle = own.iter().all(|told| told.idle);
        let aside = idle || others.iter().any(|told| told.sign().is_some());
        let reading = by_words(source.kind, name, &own);
        Some(reading.unwrap_or_else(|| by_kind(source.kind, name, (first.passage, aside))))
    });
    each.collect()
}

/// How a source speaks about an option by its words; nothing when they say neither yes nor no.
fn by_words(kind: SourceKind, name: &str, own: &[&Told<'_>]) -> Option<Reading> {
    let signed = own.iter().filter(|told| told.sign().is_some());
    let mut signed: Vec<&&Told<'_>> = signed.collect();
    if signed.iter().any(|told| told.spoken.outright) {
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
/// down as, unless it asks or speaks about another option.
fn by_kind(kind: SourceKind, name: &str, (passage, aside): (&str, bool)) -> Reading {
    let sign = match kind {
        _ if aside => None,
        SourceKind::Trap | SourceKind::Feedback => Some(Sign::Against),
        SourceKind::Constraint | SourceKind::Decision | SourceKind::Vision | SourceKind::Plan => {
            Some(Sign::For)
        }
        SourceKind::Note | SourceKind::File => None,
    };
    let why = match sign {
        Some(_) => format!("{} names {name}", kind.called()),
        None => format!("names {name} and says neither yes nor no"),
    };
    Reading {
        sign,
        text: excerpt(passage),
        why,
    }
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

/// Sources that are about the subject and name no option, the closest first.
fn background(topic: &TopicOptions, whole: &str, silent: &[&OptionSource]) -> Vec<Cited> {
    let subject = match topic.subject.as_str() {
        "" => whole,
        subject => subject,
    };
    let wanted = telling(subject);
    let least = if wanted.len() <= LEAST_SHARED {
        1
    } else {
        LEAST_SHARED
    };
    let found = silent.iter().filter_map(|source| {
        let shared = shared(&wanted, &source.text);
        (shared >= least).then_some((shared, source))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(shared, source)| (std::cmp::Reverse(*shared), &source.cite));
    let found = found.into_iter().take(MOST_BACKGROUND);
    let cited = found.map(|(shared, source)| Cited {
        cite: source.cite.clone(),
        text: excerpt(&source.text),
        why: match shared {
            1 => "shares a word with the subject and names no option".to_owned(),
            _ => format!("shares {shared} words with the subject and names no option"),
        },
    });
    cited.collect()
}

fn warning(options: &[OptionStanding]) -> Option<String> {
    if options.is_empty() {
        return Some(
            "The question names no options, so nothing could be held against evidence. \
             Ask it as “A or B for …?”."
                .to_owned(),
        );
    }
    let silent = options.iter().all(|option| {
        option.speaks_for.is_empty()
            && option.speaks_against.is_empty()
            && option.mentions.is_empty()
    });
    silent.then(|| {
        "Neither project memory nor the files name any of these options: a critique has nothing \
         to stand on."
            .to_owned()
    })
}

/// A text on one line, cut where it is too long.
fn excerpt(text: &str) -> String {
    let plain = text.split(|c: char| c.is_whitespace() || c.is_control());
    let plain = plain.filter(|word| !word.is_empty());
    let line = plain.collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST_TEXT {
        return line;
    }
    let kept: String = line.chars().take(LONGEST_TEXT - 1).collect();
    format!("{}…", kept.trim_end())
}
