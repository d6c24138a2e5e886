//! A small grammar of ideas: clauses in order, each understood by its link and its words. What no
//! rule accounts for is handed back, never skipped.

mod fields;
mod groups;
mod shapes;

use super::dictionary;
use super::draft::Draft;
use super::words::{Clause, Link, Words, is_plural, singular};
use crate::design::{Kind, NAME_LIMIT};
pub(super) use shapes::is_purpose;
pub(crate) use shapes::names_entity;
use shapes::{
    articled, explains, is, is_counted, is_doing, is_name, is_no_thing, is_one_field, is_somebody,
    is_telling, kebab, without,
};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Head,
    Fields,
    Groups,
    Abilities,
}

#[derive(Default)]
struct Reader {
    draft: Draft,
    /// True once a word said that things are kept, not made.
    keeps: bool,
    /// True if that word is used of software as well, and nothing else is said.
    loosely: bool,
    place: Place,
    /// True for "organise my wedding": nobody knows what of it is to be kept.
    arranges: bool,
    /// True inside "products, suppliers, stock counts".
    lists_things: bool,
    /// True if the clause before named something new to keep.
    named: bool,
    /// True behind "tools I lent": whom to, or what for, does not matter.
    aside: bool,
    /// True if a day or a mark is named somewhere.
    tells_more: bool,
    /// Where to go on behind a parenthesis.
    outside: Option<Place>,
    /// The unit in which the clause before says that a field is: "prices in euros".
    unit: Option<Kind>,
    strange: Vec<String>,
}

/// Reads clauses. The second list holds phrases that no rule accounts for.
pub(super) fn read(clauses: &[Clause]) -> (Draft, Vec<String>) {
    let mut reader = Reader {
        keeps: lists_fields(clauses),
        tells_more: clauses.iter().skip(1).any(is_day_or_mark),
        ..Reader::default()
    };
    for (index, clause) in clauses.iter().enumerate() {
        let next = clauses.get(index + 1).map(|clause| clause.link);
        let count = reader.draft.things.len();
        reader.clause(clause, next);
        reader.named = reader.draft.things.len() > count;
    }
    if reader.draft.things.is_empty() {
        reader.title_thing();
    }
    reader.groups_of_fields(clauses);
    reader.draft.kept = reader.keeps;
    (reader.draft, reader.strange)
}

impl Reader {
    fn clause(&mut self, clause: &Clause, next: Option<Link>) {
        let words: Vec<&str> = clause.words.iter().map(String::as_str).collect();
        let headless = self.draft.things.is_empty();
        let at_head = self.place == Place::Head;
        match clause.link {
            Link::Start | Link::To | Link::Of
                if at_head && (headless || clause.link == Link::Of) =>
            {
                self.head(&words, next);
            }
            // "a tool for our club to store members"
            Link::For if headless && !self.keeps && next == Some(Link::To) => {}
            Link::For if headless && self.draft.title.as_deref().is_some_and(is_telling) => {}
            // "a tool that counts words" does something; it keeps nothing.
            Link::That if headless && !self.keeps && is_doing(&words) => self.unknown(&words),
            Link::For | Link::That if headless => self.head(&words, next),
            Link::To if words.iter().all(|word| is("doing", word)) => {}
            Link::For if at_head => self.purpose(&words),
            Link::To if at_head && self.aside && is_somebody(&words) => {}
            Link::That => {
                self.place = Place::Abilities;
                self.able(&words);
            }
            // "Each book has a title": only says again what is spoken of.
            Link::Stop if self.names_each(&words) => {}
            // "members with name; books with title"
            Link::Stop if self.begins_a_thing(&words, next) => self.another_thing(&words),
            // "with one entry per day": a rule about what is kept.
            Link::With | Link::And | Link::Comma
                if next == Some(Link::Per) && is_counted(&words) =>
            {
                self.unknown(&words);
            }
            Link::With | Link::Colon | Link::Stop => {
                self.draft.complete |= clause.link == Link::Colon;
                self.fields(&words, clause.link);
            }
            Link::Open if self.named => {
                self.draft.complete = true;
                self.outside = Some(self.place);
                self.fields(&words, Link::With);
            }
            Link::Close => {
                self.place = self.outside.take().unwrap_or(self.place);
                if !words.is_empty() {
                    let (link, words) = (Link::And, clause.words.clone());
                    self.clause(&Clause { link, words }, next);
                }
            }
            Link::By => {
                self.place = Place::Groups;
                self.group(&words);
            }
            Link::Per => {
                self.place = Place::Groups;
                if self.draft.has_number() {
                    self.draft.total.get_or_insert_default();
                }
                self.group(&words);
            }
            Link::And | Link::Comma => match self.place {
                Place::Head if without(&without(&words, "fillers"), "able").is_empty() => {
                    self.able(&words);
                }
                Place::Head
                    if words
                        .iter()
                        .any(|word| is("totals", word) || is("tags", word)) =>
                {
                    self.fields(&words, Link::And);
                }
                Place::Head => self.second_head(&words),
                Place::Fields => self.item(&words, clause.link),
                Place::Groups => self.group_or_item(&words),
                Place::Abilities => self.able(&words),
            },
            Link::Start | Link::To | Link::Of | Link::For | Link::Open => self.unknown(&words),
        }
    }

    /// What stands behind `with` or a colon tells about what was named just before.
    fn fields(&mut self, words: &[&str], link: Link) {
        if self.named && link != Link::Stop {
            self.draft.speak_of_last();
        }
        self.place = Place::Fields;
        self.item(words, link);
    }

    /// "a bookmark manager", "track my expenses", "recipes".
    fn head(&mut self, said: &[&str], next: Option<Link>) {
        // "tools I lent": which ones they are does not change what is kept.
        let we = said.iter().position(|word| is("we", word));
        let (said, which) = said.split_at(we.filter(|we| *we > 0).unwrap_or(said.len()));
        self.aside = !which.is_empty();
        if which.iter().any(|word| is("no-names", word)) || !self.is_aside(which) {
            return self.unknown(which);
        }
        let mut words = without(said, "fillers");
        while words.first().is_some_and(|word| is("enabling", word)) {
            words.remove(0);
        }
        while words.last().is_some_and(|word| is("tools", word)) {
            words.pop();
        }
        if let [first, second, ..] = words.as_slice()
            && is("keeping", first)
            && !(is("holders", first) && (is("holders", second) || articled(said, first)))
        {
            self.keeps = true;
            self.draft.logs |= is("logs", first);
            self.arranges = is("arranging", first);
            words.remove(0);
        }
        if let Some(holder) = words.last().copied().filter(|word| is("holders", word)) {
            self.keeps = true;
            self.draft.logs |= is("logs", holder);
            self.loosely = is("loose-holders", holder) && !next.is_some_and(explains);
            if words.len() > 1 || is_telling(holder) {
                self.draft.title.get_or_insert_with(|| words.join(" "));
            }
            words.pop();
            if words.is_empty() {
                // What follows says what it holds, or it says so itself.
                return if !matches!(next, Some(Link::Of | Link::For | Link::Colon)) {
                    self.holder_thing(holder);
                };
            }
            if next == Some(Link::Of) {
                return; // "reading list of books"
            }
            if let Some(noun) = words.last().and_then(|word| dictionary::listed(word)) {
                self.draft.add_thing(noun.entity, noun.fields);
                return;
            }
        }
        match words.as_slice() {
            [place] if is("places", place) && matches!(next, Some(Link::With | Link::Colon)) => {
                self.keeps = true;
            }
            [] => {}
            words => self.thing(words),
        }
    }

    /// True where "I read" says which ones are meant. "I lent" says that somebody has them, which is
    /// kept only where a day or a mark is named.
    fn is_aside(&self, which: &[&str]) -> bool {
        let mut verbs = which
            .iter()
            .filter(|word| !is("we", word) && !is("fillers", word));
        verbs
            .next()
            .is_none_or(|verb| is("relates", verb) || is("transfers", verb) && self.tells_more)
    }

    /// What a holder alone is full of: "inventory".
    fn holder_thing(&mut self, holder: &str) {
        if let Some(noun) = Words("telling").pair(holder).and_then(dictionary::known) {
            self.draft.add_thing(noun.entity, noun.fields);
        }
    }

    fn title_thing(&mut self) {
        let title = self.draft.title.clone().unwrap_or_default();
        self.holder_thing(title.split(' ').next_back().unwrap_or_default());
    }

    fn second_head(&mut self, words: &[&str]) {
        let belongs = words.iter().any(|word| ["their", "its"].contains(word));
        let count = self.draft.things.len();
        if let [act, _, ..] = without(words, "fillers").as_slice()
            && is("acts", act)
        {
            return self.unknown(words); // "keep recipes and plan meals"
        }
        if is_one_field(words) {
            return self.fields(words, Link::And); // "a todo list and a rating"
        }
        self.head(words, None);
        // "apartments, tenants and their payments": those of the tenants.
        if let (true, [.., owner, child]) = (belongs, self.draft.things.as_mut_slice())
            && count > 0
            && dictionary::belongs(&owner.name, &child.name).is_none()
        {
            child.part_of = Some(owner.name.clone());
        }
    }

    /// What it is for changes nothing where that is a place or a thing: "inventory for a small shop".
    /// Something to do, or other people, ask for more.
    fn purpose(&mut self, words: &[&str]) {
        if !is_purpose(words) {
            self.unknown(words);
        }
    }

    /// True where a sentence begins with many of something that was not spoken of.
    fn begins_a_thing(&self, words: &[&str], next: Option<Link>) -> bool {
        let words = without(words, "fillers");
        let explained =
            next.is_some_and(|next| matches!(next, Link::With | Link::Colon | Link::Open));
        let new = !self
            .draft
            .things
            .iter()
            .any(|thing| thing.name == kebab(&words));
        let many = words.last().is_some_and(|last| names_entity(last));
        let headed = !self.draft.things.is_empty();
        headed && new && many && is_name(&words) && (explained || self.place == Place::Head)
    }

    fn another_thing(&mut self, words: &[&str]) {
        self.place = Place::Head;
        self.second_head(words);
        self.draft.speak_of_last_alone();
    }

    /// An entity: known, or any noun that is said to be kept, or many of something.
    fn thing(&mut self, words: &[&str]) {
        let mut name = kebab(words);
        while let Some((_, shorter)) = name.split_once('-').filter(|_| name.len() > NAME_LIMIT) {
            name = shorter.to_owned();
        }
        let last = words.last().copied().unwrap_or_default();
        let first = words
            .first()
            .and_then(|word| dictionary::known(&singular(word)));
        let known = dictionary::known(&name)
            .or_else(|| dictionary::known(&singular(last)))
            .or_else(|| first.filter(|noun| noun.entity == "entry"));
        if words.iter().any(|word| is("no-names", word)) || is_no_thing(words) {
            return self.unknown(words); // "heights over time", "books ordered"
        }
        let bare = !self.keeps && words.len() > 1 && !is_plural(last);
        if let Some(noun) = known.filter(|_| !bare) {
            let own = noun.word == noun.entity && is_name(words);
            self.draft
                .add_thing(if own { &name } else { noun.entity }, noun.fields);
        } else if is_name(words)
            && (is_plural(last) || self.keeps && !self.loosely && !self.arranges)
            && (is_plural(last) || self.draft.things.is_empty() || dictionary::names_a_field(last))
        {
            // "a todo list, quick": one word more is no second thing, unless many of it are meant.
            self.draft.add_thing(&name, dictionary::parse("name! note"));
        } else {
            self.unknown(words);
        }
    }

    fn unknown(&mut self, words: &[&str]) {
        if !words.is_empty() {
            self.strange.push(words.join(" "));
        }
    }
}

/// True for "bike repair: part, date, cost": a list in which some have a day, a number, a yes or no.
fn lists_fields(clauses: &[Clause]) -> bool {
    let rest = clauses
        .iter()
        .skip_while(|clause| clause.link != Link::Colon);
    let items = rest.take_while(|clause| clause.link != Link::Stop);
    let typed = |clause: &Clause| {
        let words: Vec<&str> = clause.words.iter().map(String::as_str).collect();
        dictionary::field(&kebab(&without(&words, "fillers"))).kind != Kind::Text
    };
    items.clone().count() > 1 && items.clone().any(typed)
}

/// True for "with the date", "whether it came back", "returned yes/no".
fn is_day_or_mark(clause: &Clause) -> bool {
    let words: Vec<&str> = clause.words.iter().map(String::as_str).collect();
    let kind = dictionary::field(&kebab(&without(&words, "fillers"))).kind;
    words.iter().any(|word| is("yes-no", word)) || matches!(kind, Kind::Date | Kind::Flag)
}

/// True if nothing is said but "an app" or "a list".
pub(super) fn says_nothing(words: &[String]) -> bool {
    const LISTS: [&str; 6] = [
        "fillers", "tools", "holders", "empty", "no-names", "keeping",
    ];
    words.iter().all(|word| {
        let thing = ["record", "records", "book"].contains(&word.as_str()) || is_telling(word);
        !thing && (LISTS.iter().any(|list| is(list, word)) || word.len() < 2)
    })
}
