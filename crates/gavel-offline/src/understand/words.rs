//! Sentences cut into clauses: a link word, and the words up to the next one.

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
    Stop,
}

/// A link and its words, small letters only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) link: Link,
    pub(super) words: Vec<String>,
}

/// Words, in one text; a list of literals would take a line for each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words(pub(super) &'static str);

impl Words {
    pub(super) fn contains(self, word: &str) -> bool {
        self.0.split_whitespace().any(|own| own == word)
    }
}

/// Phrases that say what every program of ours is anyway, or that are spelled in several ways.
const REPLACED: &str = "to-do=todo|to do=todo|check-in=checkin|e-mail=email|realtime=real-time|\
    real time=real-time|multi user=multi-user|command line=command-line|in a text file=|\
    in text files=|in a file=|in the terminal=|in a terminal=|from the terminal=|\
    for the terminal=|on the command-line=|for the command-line=|from the command-line=|\
    in rust=|keep track of=track|keeps track of=track|keeping track of=track|\
    write down=record|as well as=and|along with=with|together with=with|each with=with|\
    note-taking=note|note taking=note";

/// Cuts a sentence into clauses.
pub(super) fn clauses(sentence: &str) -> Vec<Clause> {
    let mut clauses = vec![Clause {
        link: Link::Start,
        words: Vec::new(),
    }];
    for word in spaced(sentence).split_whitespace() {
        match link(word) {
            Some(link) => clauses.push(Clause {
                link,
                words: Vec::new(),
            }),
            None => {
                if let Some(last) = clauses.last_mut() {
                    last.words.push(word.to_owned());
                }
            }
        }
    }
    // "a, and b": the comma says nothing that the word does not.
    let empty_comma = |clause: &Clause| clause.link == Link::Comma && clause.words.is_empty();
    clauses.retain(|clause| !empty_comma(clause));
    clauses
}

/// All words of a sentence, without punctuation.
pub(super) fn plain_words(sentence: &str) -> Vec<String> {
    let spaced = spaced(sentence);
    let words = spaced
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric));
    words.map(str::to_owned).collect()
}

/// Small letters, single spaces, punctuation as words of its own.
fn spaced(sentence: &str) -> String {
    let mut text = String::from(" ");
    for c in sentence.chars().flat_map(char::to_lowercase) {
        match c {
            ',' | ':' | ';' | '.' | '!' | '?' | '(' | ')' | '&' | '/' => {
                text.extend([' ', c, ' ']);
            }
            '’' => text.push('\''),
            '"' | '“' | '”' | '`' => text.push(' '),
            c if c.is_whitespace() => text.push(' '),
            c => text.push(c),
        }
    }
    text.push(' ');
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text = format!(" {text} ").replace("'s ", " ");
    for (phrase, instead) in REPLACED.split('|').filter_map(|pair| pair.split_once('=')) {
        text = text.replace(&format!(" {phrase} "), &format!(" {instead} "));
    }
    text
}

fn link(word: &str) -> Option<Link> {
    Some(match word {
        "to" => Link::To,
        "for" => Link::For,
        "of" => Link::Of,
        "with" | "including" | "having" | "containing" | "has" | "have" => Link::With,
        "by" => Link::By,
        "per" => Link::Per,
        "that" | "which" | "where" | "so" => Link::That,
        "and" | "plus" | "&" => Link::And,
        "," | "(" | ")" | "/" => Link::Comma,
        ":" => Link::Colon,
        ";" | "." | "!" | "?" => Link::Stop,
        _ => return None,
    })
}

/// Singular and plural where the rules of spelling do not help.
const ODD: [(&str, &str); 10] = [
    ("person", "people"),
    ("child", "children"),
    ("movie", "movies"),
    ("cookie", "cookies"),
    ("mouse", "mice"),
    ("knife", "knives"),
    ("leaf", "leaves"),
    ("shelf", "shelves"),
    ("quiz", "quizzes"),
    ("calorie", "calories"),
];

/// One of many: `priorities` → `priority`.
pub(super) fn singular(word: &str) -> String {
    const SAME: Words =
        Words("news series species status address hours minutes tags bus gas lens pages");
    if SAME.contains(word) {
        return word.to_owned();
    }
    if let Some((one, _)) = ODD.iter().find(|(_, many)| *many == word) {
        return (*one).to_owned();
    }
    for (end, instead) in [
        ("ies", "y"),
        ("sses", "ss"),
        ("shes", "sh"),
        ("ches", "ch"),
        ("xes", "x"),
    ] {
        if let Some(stem) = word.strip_suffix(end)
            && stem.len() > 1
        {
            return format!("{stem}{instead}");
        }
    }
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        Some(_) | None => word.to_owned(),
    }
}

/// Many of one: `entry` → `entries`.
pub(super) fn plural(word: &str) -> String {
    if let Some((_, many)) = ODD.iter().find(|(one, _)| *one == word) {
        return (*many).to_owned();
    }
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        Some(_) | None
            if word.ends_with(['s', 'x']) || word.ends_with("sh") || word.ends_with("ch") =>
        {
            format!("{word}es")
        }
        Some(_) | None => format!("{word}s"),
    }
}

/// True for a word that speaks of many.
pub(super) fn is_plural(word: &str) -> bool {
    singular(word) != word
}
