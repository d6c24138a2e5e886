//! What is known of a thing: fields, flags, parts.

use super::shapes::{is, is_gerund, is_name, is_no_field, kebab, names_entity, without};
use super::{Place, Reader};
use crate::design::{Field, Kind};
use crate::understand::dictionary;
use crate::understand::words::{Link, is_plural, singular};

impl Reader {
    /// One of "author, rating and finish date"; also totals, tags, flags, abilities, parts.
    pub(super) fn item(&mut self, said: &[&str], link: Link) {
        let words = without(said, "fillers");
        let unit = self.unit.take();
        if let (Some(unit), [also], Link::And | Link::Comma) = (unit, words.as_slice(), link)
            && is("units", also)
            && dictionary::field(&singular(also)).kind == unit
        {
            return self.unknown(&words); // "prices in euros and dollars"
        }
        let has = |list| words.iter().any(|word| is(list, word));
        let last = words.last().copied().unwrap_or_default();
        let begins = matches!(link, Link::Colon | Link::With);
        if words.is_empty() || (self.draft.things.is_empty() && !self.first_item(&words, begins)) {
            return;
        }
        let first = self.draft.things.first().map(|thing| thing.name.as_str());
        if begins && first == Some(&kebab(&words)) {
            self.lists_things = names_entity(last);
            if self.lists_things {
                return; // "tool library: tools, members"
            }
        }
        let plain = without(&words, "able");
        let kept = self.draft.kept_words();
        let acts = is_no_field(&words) && !plain.iter().all(|word| kept.contains(&singular(word)));
        if acts && !has("totals") && !has("marks") {
            return self.unknown(&words); // "show unpaid", "newest first"
        }
        if self.lists_things && names_entity(last) {
            self.thing(&words);
        } else if has("totals") {
            self.total(&words);
        } else if let [tag] = plain.as_slice()
            && is("tags", tag)
        {
            let name = ["label", "keyword"]
                .iter()
                .find(|name| tag.starts_with(**name))
                .unwrap_or(&"tag");
            self.add_field(&format!("{name}s"), Kind::Tags);
        } else if plain.is_empty() {
            self.place = Place::Abilities;
        } else if has("marks") || has("yes-no") {
            self.flag(&words);
        } else if !self.part(&words) {
            self.field(&words, said.contains(&"required"));
        }
    }

    /// Without an entity yet, a list names entities ("products, suppliers") or fields of the
    /// holder's own thing ("inventory: name, count"). True if the item is still to be read.
    pub(super) fn first_item(&mut self, words: &[&str], begins: bool) -> bool {
        if self.keeps && begins && words.last().is_some_and(|last| names_entity(last)) {
            self.lists_things = true;
            self.thing(words);
            return false;
        }
        self.title_thing();
        if self.draft.things.is_empty() {
            self.unknown(words);
        }
        !self.draft.things.is_empty()
    }

    /// "recipes with ingredients": many of something that belongs to what is kept.
    pub(super) fn part(&mut self, words: &[&str]) -> bool {
        let ([word], Some(first)) = (words, self.draft.things.first()) else {
            return false;
        };
        let name = singular(word);
        if !is_plural(word) || name == first.name {
            return false;
        }
        let usual = dictionary::known(&name).map(|noun| noun.fields);
        let usual = usual.unwrap_or_else(|| dictionary::parse("name! note"));
        if usual.iter().any(|field| field.name == "amount") {
            self.unknown(words); // "with income and expenses": no field, and nobody says whose.
            return true;
        }
        let belongs = |one: &str, other: &str| dictionary::belongs(one, other).is_some();
        let related = belongs(&name, &first.name) || belongs(&first.name, &name);
        related && self.draft.add_thing(&name, usual)
    }

    pub(super) fn field(&mut self, words: &[&str], required: bool) {
        let mut words = words.to_vec();
        words.retain(|word| *word != "required");
        let counts = words.first() == Some(&"#");
        // "cooking time in minutes"
        let unit = match words.as_slice() {
            [_, .., "in", unit] => dictionary::field(&singular(unit)).kind,
            _ => Kind::Text,
        };
        if unit != Kind::Text {
            words.truncate(words.len().saturating_sub(2));
            self.unit = Some(unit.clone());
        }
        if let [thing, _, ..] = words.as_slice()
            && (counts || self.names_subject(thing))
        {
            words.remove(0); // "number of bottles", "wine name"
        }
        // "dead link checking" is something to do, not something to know.
        let doing = words.last().is_some_and(|word| is_gerund(word));
        if doing || !is_name(&words) || is_no_field(&words) {
            return self.unknown(&words);
        }
        // Units are said as they are: "servings"; other fields, one by one: "titles".
        let as_said = counts || words.last().is_some_and(|word| is("units", word));
        let one = kebab(&words);
        let field = dictionary::field(&one);
        let name = if as_said { words.join("-") } else { one };
        let kind = match (unit, field.kind) {
            (Kind::Text, Kind::Text) if as_said => Kind::Integer,
            (Kind::Text, kind) => kind,
            (unit, _) => unit,
        };
        self.draft.add_field(&Field {
            name,
            kind,
            required,
        });
    }

    pub(super) fn names_each(&self, words: &[&str]) -> bool {
        matches!(words, [each, thing] if is("each", each) && self.names_subject(thing))
    }

    /// True for the name of what is spoken of, as in "wine name".
    pub(super) fn names_subject(&self, word: &str) -> bool {
        singular(word) == self.draft.subject_name()
    }

    pub(super) fn add_field(&mut self, name: &str, kind: Kind) {
        let (name, required) = (name.to_owned(), false);
        self.draft.add_field(&Field {
            name,
            kind,
            required,
        });
    }

    pub(super) fn flag(&mut self, words: &[&str]) {
        let entity = self.draft.subject_name();
        let mut words = without(&without(words, "marks"), "yes-no");
        words.retain(|word| singular(word) != entity);
        match words.as_slice() {
            [] => self.field(&["status"], false),
            words if is_name(words) => self.add_field(&words.join("-"), Kind::Flag),
            _ => self.unknown(&words),
        }
    }
}
