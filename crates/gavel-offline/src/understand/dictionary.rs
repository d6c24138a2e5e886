//! What common nouns usually have. A word that is not here still becomes an entity or a text field.

use super::words::{Words, data_lines, singular};
use crate::design::{Field, Kind};

/// A noun, the entity it stands for, and its usual fields.
pub(super) struct Noun {
    pub(super) word: &'static str,
    pub(super) entity: &'static str,
    pub(super) fields: Vec<Field>,
}

/// The noun's entry, in the singular. A list of nouns has words before it: `before` for words
/// that say what a list holds, `beside` for what a tracker of them also keeps.
fn entry(list: &str, word: &str) -> Option<Noun> {
    let wanted = |line: &'static str| {
        let (names, fields) = line.strip_prefix(list)?.split_once(": ")?;
        let (own, entity) = names.split_once('=').unwrap_or((names, names));
        (own == word).then(|| Noun {
            word: own,
            entity,
            fields: parse(fields),
        })
    };
    data_lines(include_str!("nouns.txt")).find_map(wanted)
}

/// What is known about a noun.
pub(super) fn known(word: &str) -> Option<Noun> {
    entry("", word)
}

/// What a list of that name is a list of.
pub(super) fn listed(word: &str) -> Option<Noun> {
    entry("before ", word)
}

/// What a tracker of that entity also keeps.
pub(super) fn companion(entity: &str) -> Option<Noun> {
    entry("beside ", entity)
}

/// If the first usually belongs to the second: whether always.
pub(super) fn belongs(child: &str, parent: &str) -> Option<bool> {
    let pair = format!("{child}>{parent}");
    let found = Words("belongs")
        .iter()
        .find(|known| known.trim_end_matches('!') == pair)?;
    Some(found.ends_with('!'))
}

/// The field that a phrase names, by its last word; a flag by its only word.
pub(super) fn field(name: &str) -> Field {
    let last = name.rsplit('-').next().unwrap_or(name);
    let first = name.split('-').next().unwrap_or(name);
    let kind = if Words("dates").contains(last) {
        Kind::Date
    } else if Words("integers").contains(last) {
        Kind::Integer
    } else if Words("amounts").contains(last) {
        Kind::Amount
    } else if Words("flags").contains(name) {
        Kind::Flag
    } else if ["due", "date"].contains(&first) {
        Kind::Date
    } else {
        Kind::Text
    };
    let (name, required) = (name.to_owned(), false);
    Field {
        name,
        kind,
        required,
    }
}

/// True where nothing is known of a field but that a word stands for it: what it is to hold is a guess.
pub(crate) fn is_guess(field: &Field) -> bool {
    let parts = || field.name.split('-').map(singular);
    let lists = [
        "texts", "dates", "integers", "amounts", "flags", "names", "tags",
    ];
    let is_usual = |part: &String| {
        let listed = lists.iter().any(|list| Words(list).contains(part));
        listed || known(part).is_some()
    };
    field.kind == Kind::Text && !parts().all(|part| is_usual(&part))
}

/// True for a word that some list knows as the name of a field.
pub(super) fn names_a_field(word: &str) -> bool {
    const LISTS: [&str; 6] = ["texts", "dates", "integers", "amounts", "flags", "names"];
    let one = singular(word);
    LISTS.iter().any(|list| Words(list).contains(&one))
}

/// Reads `name! quantity:text`.
pub(super) fn parse(fields: &str) -> Vec<Field> {
    let one = |word: &str| {
        let required = word.ends_with('!');
        let word = word.trim_end_matches('!');
        let (name, kind) = word.split_once(':').unwrap_or((word, ""));
        let usual = field(name);
        let kind = match kind {
            "text" => Kind::Text,
            "integer" => Kind::Integer,
            "amount" => Kind::Amount,
            "date" => Kind::Date,
            _ => usual.kind,
        };
        Field {
            kind,
            required,
            ..usual
        }
    };
    fields.split_whitespace().map(one).collect()
}
