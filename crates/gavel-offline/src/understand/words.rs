//! Sentences cut into clauses: a link word, and the words up to the next one. Lists of words.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What joins a clause to what was said before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    Start,
    To,
    For,
    Of,
    With,
    By,
    Per,
    That,
    And,
    Comma,
    Colon,
    Open,
    Close,
    Stop,
}

const LINKS: &[(&str, Link)] = &[
    ("to", Link::To),
    ("for", Link::For),
    ("of", Link::Of),
    ("with including having containing has have", Link::With),
    ("by", Link::By),
    ("per", Link::Per),
    ("that which where so", Link::That),
    ("and plus &", Link::And),
    (", /", Link::Comma),
    ("(", Link::Open),
    (")", Link::Close),
    (": - – —", Link::Colon),
    ("; . ! ?", Link::Stop),
];

/// A link and its words, small letters only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) link: Link,
    pub(super) words: Vec<String>,
}

/// A list of words, by its name in `lists.txt`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words(pub(super) &'static str);

/// All lists; a line that starts with a blank goes on with the list above it.
static LISTS: LazyLock<BTreeMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut lists: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut name = "";
    for line in data_lines(include_str!("lists.txt")) {
        let words = line.split_once(": ").map_or(line, |(own, words)| {
            name = own;
            words
        });
        lists
            .entry(name)
            .or_default()
            .extend(words.split_whitespace());
    }
    lists
});

impl Words {
    pub(super) fn iter(self) -> impl Iterator<Item = &'static str> {
        LISTS.get(self.0).into_iter().flatten().copied()
    }

    pub(super) fn contains(self, word: &str) -> bool {
        self.iter().any(|own| own == word)
    }

    /// What stands behind `word=`.
    pub(super) fn pair(self, word: &str) -> Option<&'static str> {
        let mut pairs = self.iter().filter_map(|pair| pair.split_once('='));
        pairs.find_map(|(own, other)| (own == word).then_some(other))
    }
}

/// True for a word, in the singular, that stands in any list.
pub(super) fn is_listed(word: &str) -> bool {
    let mut all = LISTS.values().flatten();
    all.any(|own| *own == word || singular(own) == word)
}

/// The lines of a table, without remarks.
pub(super) fn data_lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// True for a word that joins clauses.
pub(crate) fn is_link(word: &str) -> bool {
    let mut all = LINKS.iter().flat_map(|(words, _)| words.split(' '));
    all.any(|own| own == word)
}

/// Cuts a sentence into clauses.
pub(super) fn clauses(sentence: &str) -> Vec<Clause> {
    let clause = |link| Clause {
        link,
        words: Vec::new(),
    };
    let mut clauses = vec![clause(Link::Start)];
    for word in wish(&spaced(sentence)).split_whitespace() {
        let link = LINKS
            .iter()
            .find(|(words, _)| words.split(' ').any(|own| own == word));
        match (link, clauses.last_mut()) {
            (Some((_, link)), _) => clauses.push(clause(*link)),
            (None, Some(last)) => last.words.push(word.to_owned()),
            (None, None) => {}
        }
    }
    // "a, and b": the comma says nothing that the word does not.
    clauses.retain(|clause| clause.link != Link::Comma || !clause.words.is_empty());
    clauses
}

/// What is wished for, without the words about who wishes: "I run a practice and want to track pets".
fn wish(sentence: &str) -> &str {
    const WISHES: [&str; 4] = [" want ", " need ", " would like ", " looking for "];
    let about_oneself = [" i ", " i'm ", " we ", " we're ", " as a ", " my "]
        .iter()
        .any(|start| sentence.starts_with(start));
    let after = |wish: &&str| sentence.split_once(*wish).map(|(_, wished)| wished);
    let wished = WISHES.iter().find_map(after);
    // "I collect stamps. I want to list them": then the beginning says what is kept.
    let whole = |rest: &&str| !format!(" {rest}").contains(" them ");
    wished
        .filter(|rest| about_oneself && whole(rest))
        .unwrap_or(sentence)
}

/// All words of a sentence, without punctuation.
pub(super) fn plain_words(sentence: &str) -> Vec<String> {
    let spaced = spaced(sentence);
    let words = spaced.split_whitespace();
    words
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .map(str::to_owned)
        .collect()
}

/// Small letters, single spaces, punctuation as words of its own.
fn spaced(sentence: &str) -> String {
    let mut text = String::new();
    for c in sentence.to_lowercase().chars() {
        match c {
            ',' | ':' | ';' | '.' | '!' | '?' | '(' | ')' | '&' | '/' | '–' | '—' => {
                text.extend([' ', c, ' ']);
            }
            '’' => text.push('\''),
            '"' | '“' | '”' | '`' => text.push(' '),
            c => text.push(c),
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut text = format!(" {} ", words.join(" ")).replace("'s ", " ");
    for (phrase, instead) in
        data_lines(include_str!("phrases.txt")).filter_map(|line| line.split_once('='))
    {
        text = text.replace(&format!(" {phrase} "), &format!(" {instead} "));
    }
    text
}

/// One of many: `priorities` → `priority`.
pub(crate) fn singular(word: &str) -> String {
    const ENDS: [(&str, &str); 5] = [
        ("ies", "y"),
        ("sses", "ss"),
        ("shes", "sh"),
        ("ches", "ch"),
        ("xes", "x"),
    ];
    if Words("same").contains(word) {
        return word.to_owned();
    }
    let mut odd = Words("odd").iter().filter_map(|pair| pair.split_once('='));
    if let Some((one, _)) = odd.find(|(_, many)| *many == word) {
        return one.to_owned();
    }
    let by_rule = |(end, instead): &(&str, &str)| {
        let stem = word.strip_suffix(end).filter(|stem| stem.len() > 1)?;
        Some(format!("{stem}{instead}"))
    };
    let plain = word
        .strip_suffix('s')
        .filter(|stem| stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']));
    ENDS.iter()
        .find_map(by_rule)
        .unwrap_or_else(|| plain.unwrap_or(word).to_owned())
}

/// Many of one: `entry` → `entries`.
pub(crate) fn plural(word: &str) -> String {
    let same = Words("same").iter().find(|own| *own == word);
    if let Some(many) = Words("odd").pair(word).or(same) {
        return many.to_owned();
    }
    match word
        .strip_suffix('y')
        .filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']))
    {
        Some(stem) => format!("{stem}ies"),
        None if ["s", "x", "sh", "ch"].iter().any(|end| word.ends_with(end)) => format!("{word}es"),
        None => format!("{word}s"),
    }
}

/// True for a word that speaks of many.
pub(super) fn is_plural(word: &str) -> bool {
    singular(word) != word
}
