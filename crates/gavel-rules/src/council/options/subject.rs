//! What a question is about: which words to look for, and which sources are near it.

use std::collections::BTreeSet;

use super::super::short_forms::short_forms;
use super::super::telling::{shared, stem_of_name, telling, words};
use super::names::Names;
use super::{Cited, OptionSource, TopicOptions};

/// The longest sentence that is shown, in characters.
const LONGEST_TEXT: usize = 200;
/// The most sources that are shown as background.
const MOST_BACKGROUND: usize = 6;
/// How many words of the subject a source must share to be about it.
const LEAST_SHARED: usize = 2;
/// A shorter word stands in too many others to be looked for.
const LEAST_LETTERS: usize = 4;

impl TopicOptions {
    /// The names by which sources speak of the options: the options themselves, but for those that
    /// say what to do with something. For a yes or no it is the one thing that it is about: what
    /// speaks for that speaks for the first option, what speaks against it for the second.
    pub fn names(&self) -> &[String] {
        if self.named.is_empty() {
            &self.options
        } else {
            &self.named
        }
    }

    /// What to look for in files, without regard to case: for each name the part that all its
    /// spellings share, and its short forms; where there are no options, the words of the question.
    pub fn searches(&self, topic: &str) -> Vec<String> {
        let names = self.names();
        if names.is_empty() {
            let long = |word: &String| word.chars().count() >= LEAST_LETTERS;
            return self.wanted(topic).into_iter().filter(long).collect();
        }
        let search = |(option, name): (usize, &String)| {
            let longest = |word: &String| word.chars().count();
            let Some(word) = telling(name).into_iter().max_by_key(longest) else {
                return vec![name.clone()];
            };
            let stem = stem_of_name(&word).to_owned();
            let other = |form: &&str| !form.starts_with(&stem);
            let forms = short_forms(&word).into_iter().filter(other);
            let forms: Vec<String> = forms.map(str::to_owned).collect();
            let called = self.aliases.get(option).cloned().unwrap_or_default();
            [vec![stem], forms, called].concat()
        };
        names.iter().enumerate().flat_map(search).collect()
    }

    /// True when a text names an option; where there are none, when it is about the question.
    pub fn is_met_by(&self, topic: &str, text: &str) -> bool {
        let names = self.names();
        if names.is_empty() {
            let wanted = self.wanted(topic);
            return shared(&wanted, text) >= least(&wanted);
        }
        !self.named_in(text).is_empty()
    }

    /// Which of the names stand in a text, counted from zero, each once.
    pub fn named_in(&self, text: &str) -> BTreeSet<usize> {
        let namings = Names::of_topic(self).find(&words(text));
        namings.into_iter().map(|naming| naming.option).collect()
    }

    /// Learns from texts what else they call the options: `PostgreSQL (PSQL)`. True when something new
    /// came.
    pub fn learn_aliases<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> bool {
        let names = Names::of_topic(self);
        self.aliases.resize(self.names().len(), Vec::new());
        let mut learned = false;
        for (option, alias) in texts.into_iter().flat_map(|text| names.called_too(text)) {
            if let Some(known) = self.aliases.get_mut(option)
                && !known.contains(&alias)
            {
                known.push(alias);
                learned = true;
            }
        }
        learned
    }

    /// The words under which an index may know each name: itself, its short forms, and what else
    /// the project calls it.
    pub fn spellings(&self) -> Vec<String> {
        let names = self.names().iter().enumerate();
        let spelled = names.map(|(option, name)| {
            let mut all = vec![name.clone()];
            for word in words(name) {
                all.extend(short_forms(&word).into_iter().map(str::to_owned));
            }
            all.extend(self.aliases.get(option).into_iter().flatten().cloned());
            all.join(" ")
        });
        spelled.collect()
    }

    /// The telling words of what the question is about.
    fn wanted(&self, topic: &str) -> BTreeSet<String> {
        match self.subject.as_str() {
            "" => telling(topic),
            subject => telling(subject),
        }
    }
}

fn least(wanted: &BTreeSet<String>) -> usize {
    if wanted.len() <= LEAST_SHARED {
        1
    } else {
        LEAST_SHARED
    }
}

/// Sources that are about the subject and name no option, the closest first.
pub(super) fn background(
    topic: &TopicOptions,
    whole: &str,
    silent: &[&OptionSource],
) -> Vec<Cited> {
    let wanted = topic.wanted(whole);
    // Without options, what names a thing of the question is about it.
    let things = |source: &OptionSource| match topic.options.as_slice() {
        [] => topic.named_in(&source.text),
        _ => BTreeSet::new(),
    };
    let found = silent.iter().filter_map(|source| {
        let (shared, things) = (shared(&wanted, &source.text), things(source));
        let near = shared > 0 && shared >= least(&wanted) || !things.is_empty();
        near.then_some((things, shared, source))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(things, shared, source)| {
        (std::cmp::Reverse((things.len(), *shared)), &source.cite)
    });
    let (what, unnamed) = match topic.options.as_slice() {
        [] => ("question", ""),
        _ => ("subject", " and names no option"),
    };
    let named = |things: &BTreeSet<usize>| {
        let all = things.iter().filter_map(|thing| topic.names().get(*thing));
        all.cloned().collect::<Vec<_>>().join(", ")
    };
    let found = found.into_iter().take(MOST_BACKGROUND);
    let cited = found.map(|(things, shared, source)| Cited {
        cite: source.cite.clone(),
        text: excerpt(&source.text),
        why: match shared {
            _ if !things.is_empty() => format!("names {}", named(&things)),
            1 => format!("shares a word with the {what}{unnamed}"),
            _ => format!("shares {shared} words with the {what}{unnamed}"),
        },
    });
    cited.collect()
}

/// A text on one line, cut where it is too long.
pub(super) fn excerpt(text: &str) -> String {
    let plain = text.split(|c: char| c.is_whitespace() || c.is_control());
    let plain = plain.filter(|word| !word.is_empty());
    let line = plain.collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST_TEXT {
        return line;
    }
    let kept: String = line.chars().take(LONGEST_TEXT - 1).collect();
    format!("{}…", kept.trim_end())
}
