//! What is made of things: totals, groups, and what one can do with them.

use super::shapes::{is, is_name, kebab, without};
use super::{Place, Reader};
use crate::design::{Group, Kind};
use crate::understand::dictionary;
use crate::understand::words::{Clause, Link, is_plural, singular};

impl Reader {
    /// "a total per month", "monthly totals", "sum of hours".
    pub(super) fn total(&mut self, words: &[&str]) {
        let entity = self.draft.subject_name();
        self.draft.total.get_or_insert_default();
        for word in without(words, "totals") {
            let total = self.draft.total.get_or_insert_default();
            match word {
                "monthly" => total.by.push(Group::Month),
                "yearly" | "annual" => total.by.push(Group::Year),
                word if singular(word) == entity || is("able", word) => {}
                word => self.summed(word),
            }
        }
    }

    pub(super) fn summed(&mut self, word: &str) {
        let field = dictionary::field(&singular(word));
        if !matches!(field.kind, Kind::Amount | Kind::Integer) {
            return self.unknown(&[word]);
        }
        self.draft.total.get_or_insert_default().of = Some(field.name.clone());
        self.draft.add_field(&field);
    }

    /// After `by` or `per`: a period or a field; without a total, a field to list by.
    pub(super) fn group(&mut self, words: &[&str]) {
        let words = without(&without(words, "fillers"), "each");
        let unknown = words
            .iter()
            .any(|word| ["week", "quarter", "hour"].contains(word));
        if unknown || !is_name(&words) || self.draft.things.is_empty() {
            return self.unknown(&words);
        }
        let name = kebab(&words);
        let group = if name == "date" {
            Group::Day
        } else {
            Group::of_word(&name)
        };
        match &mut self.draft.total {
            Some(total) => total.by.push(group),
            None if is("tags", &name) => self.item(&[name.as_str()], Link::With),
            None => self.draft.add_field(&dictionary::field(group.word())),
        }
    }

    /// After "per month and …": another group if it can be one, else another item.
    pub(super) fn group_or_item(&mut self, words: &[&str]) {
        let plain = without(words, "fillers");
        let kind = dictionary::field(&kebab(&plain)).kind;
        let many = plain
            .last()
            .is_some_and(|word| is_plural(word) || is("totals", word));
        if many || matches!(kind, Kind::Amount | Kind::Integer) {
            self.place = Place::Fields;
            self.item(words, Link::And);
        } else {
            self.group(words);
        }
    }

    pub(super) fn able(&mut self, words: &[&str]) {
        let mut words = without(&without(words, "fillers"), "able");
        let names = self.draft.kept_words();
        words.retain(|word| !names.contains(&singular(word)));
        let says = |word: &&str| {
            ["tags", "marks", "totals"]
                .iter()
                .any(|list| is(list, word))
        };
        if words.iter().any(says) {
            self.item(&words, Link::And);
        } else {
            self.unknown(&words);
        }
    }

    /// Groups that were named before their total: "expenses by category with a total per month".
    pub(super) fn groups_of_fields(&mut self, clauses: &[Clause]) {
        let Some(total) = &mut self.draft.total else {
            return;
        };
        for clause in clauses.iter().filter(|clause| clause.link == Link::By) {
            let words: Vec<&str> = clause.words.iter().map(String::as_str).collect();
            let name = kebab(&without(&words, "fillers"));
            let group = Group::of_word(&name);
            let is_field = dictionary::field(&name).kind == Kind::Text && !is("tags", &name);
            if is_field && matches!(group, Group::Field(_)) && !total.by.contains(&group) {
                total.by.push(group);
            }
        }
    }
}
