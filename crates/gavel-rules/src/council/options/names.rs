//! Where a text names an option.

use super::super::short_forms::called_too;
use super::super::telling::{is_filling, same_form, same_name, tokens, words};
use super::TopicOptions;

/// How many other words may stand inside a name of several words.
const SLACK: usize = 3;

/// The options by the words that name them.
#[derive(Debug)]
pub(super) struct Names {
    options: Vec<Vec<String>>,
    /// Which of them are no names but plain words, which have forms: `patch it` and `patching`.
    plain: Vec<bool>,
    /// What else the project calls them, a word each.
    aliases: Vec<Vec<String>>,
}

/// A place that names an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Naming {
    /// Which option, counted from zero.
    pub(super) option: usize,
    /// The first word.
    pub(super) from: usize,
    /// The word after the last.
    pub(super) to: usize,
}

/// True when a text names one of the options of a topic.
pub(in super::super) fn names_option(topic: &TopicOptions, text: &str) -> bool {
    !Names::of_topic(topic).find(&words(text)).is_empty()
}

impl Names {
    /// The names of a topic's options, and what else the project calls them.
    pub(super) fn of_topic(topic: &TopicOptions) -> Self {
        let mut names = Self::of(topic.names());
        names.aliases.clone_from(&topic.aliases);
        names
    }

    /// What a text calls each option too, with the option that it is of.
    pub(super) fn called_too(&self, text: &str) -> Vec<(usize, String)> {
        let namings = self.find(&words(text)).into_iter();
        let tokens = tokens(text);
        let called = |naming: Naming| {
            let alias = called_too((text, &tokens), naming.from, naming.to)?;
            // What is a name of another option is no alias of this one.
            let taken = self.find(std::slice::from_ref(&alias));
            taken.is_empty().then_some((naming.option, alias))
        };
        namings.filter_map(called).collect()
    }

    fn of(options: &[String]) -> Self {
        let small = |option: &String| option.chars().next().is_some_and(char::is_lowercase);
        let plain = options.iter().map(small);
        let whole: Vec<Vec<String>> = options.iter().map(|option| words(option)).collect();
        let short = |all: &Vec<String>| {
            let telling = all.iter().filter(|word| !is_filling(word));
            telling.cloned().collect::<Vec<String>>()
        };
        let telling: Vec<Vec<String>> = whole.iter().map(short).collect();
        // `plan A` and `plan B` differ in a word that says nothing elsewhere.
        let options = whole.into_iter().zip(&telling).map(|(whole, own)| {
            let same = telling.iter().filter(|other| *other == own).count();
            if own.is_empty() || same > 1 {
                whole
            } else {
                own.clone()
            }
        });
        Self {
            options: options.collect(),
            plain: plain.collect(),
            aliases: Vec::new(),
        }
    }

    /// Every place that names an option, in order. A name inside a longer one is that longer one:
    /// `Redis Streams` does not name `Redis`.
    pub(super) fn find(&self, text: &[String]) -> Vec<Naming> {
        let mut found: Vec<Naming> = Vec::new();
        for (option, name) in self.options.iter().enumerate() {
            found.extend(self.find_one(option, name, text));
            found.extend(self.find_aliases(option, text));
        }
        let words = |naming: &Naming| self.options.get(naming.option).map_or(0, Vec::len);
        let longest = found.iter().map(words).max().unwrap_or(0);
        let swallowed = |inner: &Naming| {
            if words(inner) == longest {
                return false;
            }
            found.iter().any(|outer| {
                let longer = words(outer) > words(inner);
                let tight = outer.to - outer.from <= words(outer) + SLACK;
                longer && tight && outer.from <= inner.from && inner.to <= outer.to
            })
        };
        let mut kept: Vec<Naming> = found.iter().filter(|n| !swallowed(n)).cloned().collect();
        kept.sort_by_key(|naming| (naming.from, naming.to, naming.option));
        kept
    }

    fn find_aliases(&self, option: usize, text: &[String]) -> Vec<Naming> {
        let aliases = self.aliases.get(option).map_or(&[][..], Vec::as_slice);
        let places = text.iter().enumerate();
        let named = places.filter(|(_, word)| aliases.contains(word));
        let naming = |(from, _)| Naming {
            option,
            from,
            to: from + 1,
        };
        named.map(naming).collect()
    }

    fn find_one(&self, option: usize, name: &[String], text: &[String]) -> Vec<Naming> {
        let mut found = Vec::new();
        if name.is_empty() {
            return found;
        }
        let has = |part: &[String]| {
            let there = |word: &String| part.iter().any(|token| self.is_word(option, word, token));
            name.iter().all(there)
        };
        let starts = |token: &String| name.iter().any(|word| self.is_word(option, word, token));
        let mut from = 0;
        while let Some(rest) = text.get(from..) {
            let Some(first) = rest.iter().position(starts) else {
                break;
            };
            from += first;
            let longest = (from + name.len() + SLACK).min(text.len());
            let ends =
                (from + name.len()..=longest).find(|to| text.get(from..*to).is_some_and(has));
            if let Some(to) = ends {
                let tightest = (from..to)
                    .rev()
                    .find(|at| text.get(*at..to).is_some_and(has));
                let from = tightest.unwrap_or(from);
                found.push(Naming { option, from, to });
            }
            from = ends.unwrap_or(from + 1);
        }
        if found.is_empty() && has(text) {
            let from = text.iter().position(starts).unwrap_or(0);
            let to = text
                .iter()
                .rposition(starts)
                .map_or(text.len(), |at| at + 1);
            found.push(Naming { option, from, to });
        }
        found
    }

    /// True when a word of a text is this word of an option. Another spelling counts only where no
    /// other option could be meant by it.
    fn is_word(&self, option: usize, word: &str, token: &str) -> bool {
        let others = self.options.iter().enumerate();
        let mut others = others
            .filter(|(other, _)| *other != option)
            .flat_map(|(_, o)| o);
        let plain = self.plain.get(option).copied().unwrap_or_default();
        word == token
            || plain && same_form(word, token)
            || same_name(word, token)
                && !others.any(|other| other != word && same_name(other, token))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(options: &[&str], text: &str) -> Vec<usize> {
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        let found = Names::of(&options).find(&words(text));
        found.into_iter().map(|naming| naming.option).collect()
    }

    #[test]
    fn options_are_named_by_whole_words() {
        let two = ["SQLite", "PostgreSQL"];
        assert_eq!(found(&two, "Postgres beats sqlite3, SQLITE"), [1, 0, 0]);
        assert_eq!(found(&two, "sqlitefoo and mypostgres"), [0; 0]);
        assert_eq!(found(&["Go", "Rust"], "golang or going rusty"), [0]);
        assert_eq!(found(&["Java", "JavaScript"], "JavaScript only"), [1]);
        assert_eq!(found(&["C", "C++", "C#"], "c# then c++"), [2, 1]);
        let short = ["C", "R", "Zig"];
        assert_eq!(found(&short, "the C parser, zig's and R's"), [0, 2]);
        assert_eq!(found(&short, "step c) of R&D, vitamin c"), [0; 0]);
        assert_eq!(
            found(&["Let's Encrypt"], "Let\u{2019}s Encrypt renews"),
            [0]
        );
        assert_eq!(found(&two, "pg is a server"), [1]);
    }

    #[test]
    fn what_the_project_calls_an_option_names_it() {
        let two = TopicOptions {
            options: vec!["MongoDB".to_owned(), "PostgreSQL".to_owned()],
            ..TopicOptions::default()
        };
        let told = "Mongo, aka the lake. PostgreSQL (MongoDB) is a joke.";
        let called = Names::of_topic(&two).called_too(told);
        assert_eq!(called, [(0, "lake".to_owned())]);
        let known = TopicOptions {
            aliases: vec![vec!["lake".to_owned()], Vec::new()],
            ..two
        };
        let namings = Names::of_topic(&known).find(&words("The lake lost writes"));
        assert_eq!(namings.len(), 1);
    }

    #[test]
    fn names_of_several_words_need_all_of_them() {
        let two = ["a message broker", "a table in the database"];
        assert_eq!(found(&two, "a broker for each message"), [0]);
        assert_eq!(found(&two, "every table of that old database"), [1]);
        assert_eq!(found(&two, "a message in the database"), [0; 0]);
        let nested = ["Redis", "Redis Streams"];
        assert_eq!(found(&nested, "Redis Streams worked"), [1]);
        assert_eq!(found(&nested, "Redis is not Redis Streams"), [0, 1]);
        assert_eq!(found(&["plan A", "plan B"], "take plan B"), [1]);
        let plain = ["rewrite the parser", "patch it"];
        let text = "Patching broke twice before rewriting parsers";
        assert_eq!(found(&plain, text), [1, 0]);
        // A name has no forms.
        assert_eq!(found(&["React", "Vue"], "we reacted"), [0; 0]);
    }

    #[test]
    fn a_spelling_that_fits_two_options_names_none() {
        assert_eq!(found(&["Vue2", "Vue3"], "vue is fine, vue3 better"), [1]);
        assert_eq!(found(&["Python", "Python3"], "python3 and python"), [1, 0]);
    }
}
