//! A small grammar of ideas: clauses in order, each understood by its link and its words. What no
//! rule accounts for is handed back, never skipped.

use super::dictionary;
use super::draft::Draft;
use super::words::{Clause, Link, Words, is_plural, singular};
use crate::design::{Field, Group, Kind, NAME_LIMIT};

const MOST_NAME_WORDS: usize = 3;
/// Words in -ing with fewer letters are things.
const SHORTEST_DOING: usize = 6;

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
    /// True inside "products, suppliers, stock counts".
    lists_things: bool,
    /// True if the clause before named something new to keep.
    named: bool,
    /// True behind "tools I lent": whom to, or what for, does not matter.
    aside: bool,
    /// Where to go on behind a parenthesis.
    outside: Option<Place>,
    strange: Vec<String>,
}

/// Reads clauses. The second list holds phrases that no rule accounts for.
pub(super) fn read(clauses: &[Clause]) -> (Draft, Vec<String>) {
    let mut reader = Reader {
        keeps: lists_fields(clauses),
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
            Link::For | Link::That if headless => self.head(&words, next),
            Link::To if words.iter().all(|word| is("doing", word)) => {}
            // Whom it is for changes nothing: "inventory for a small shop".
            Link::For if at_head => {}
            Link::To if at_head && self.aside && is_somebody(&words) => {}
            Link::That => {
                self.place = Place::Abilities;
                self.able(&words);
            }
            // "Each book has a title": only says again what is spoken of.
            Link::Stop if self.names_each(&words) => {}
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
        if which.iter().any(|word| is("no-names", word)) {
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
        self.head(words, None);
        // "apartments, tenants and their payments": those of the tenants.
        if let (true, [.., owner, child]) = (belongs, self.draft.things.as_mut_slice())
            && count > 0
            && dictionary::belongs(&owner.name, &child.name).is_none()
        {
            child.part_of = Some(owner.name.clone());
        }
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
        if words.iter().any(|word| is("no-names", word)) {
            return self.unknown(words); // "heights over time"
        }
        let bare = !self.keeps && words.len() > 1 && !is_plural(last);
        if let Some(noun) = known.filter(|_| !bare) {
            let own = noun.word == noun.entity && is_name(words);
            self.draft
                .add_thing(if own { &name } else { noun.entity }, noun.fields);
        } else if is_name(words) && (is_plural(last) || self.keeps && !self.loosely) {
            self.draft.add_thing(&name, dictionary::parse("name! note"));
        } else {
            self.unknown(words);
        }
    }

    /// One of "author, rating and finish date"; also totals, tags, flags, abilities, parts.
    fn item(&mut self, said: &[&str], link: Link) {
        let words = without(said, "fillers");
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
    fn first_item(&mut self, words: &[&str], begins: bool) -> bool {
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
    fn part(&mut self, words: &[&str]) -> bool {
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

    fn field(&mut self, words: &[&str], required: bool) {
        let mut words = words.to_vec();
        words.retain(|word| *word != "required");
        // "dead link checking" is something to do, not something to know.
        let doing = |word: &&&str| {
            word.ends_with("ing") && word.len() >= SHORTEST_DOING && !is("things-in-ing", word)
        };
        let counts = words.first() == Some(&"#");
        // "cooking time in minutes"
        let unit = match words.as_slice() {
            [_, .., "in", unit] => dictionary::field(&singular(unit)).kind,
            _ => Kind::Text,
        };
        if unit != Kind::Text {
            words.truncate(words.len().saturating_sub(2));
        }
        if let [thing, _, ..] = words.as_slice()
            && (counts || self.names_subject(thing))
        {
            words.remove(0); // "number of bottles", "wine name"
        }
        if !is_name(&words) || words.last().filter(doing).is_some() {
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

    fn names_each(&self, words: &[&str]) -> bool {
        matches!(words, [each, thing] if is("each", each) && self.names_subject(thing))
    }

    /// True for the name of what is spoken of, as in "wine name".
    fn names_subject(&self, word: &str) -> bool {
        singular(word) == self.draft.subject_name()
    }

    fn add_field(&mut self, name: &str, kind: Kind) {
        let (name, required) = (name.to_owned(), false);
        self.draft.add_field(&Field {
            name,
            kind,
            required,
        });
    }

    fn flag(&mut self, words: &[&str]) {
        let entity = self.draft.subject_name();
        let mut words = without(&without(words, "marks"), "yes-no");
        words.retain(|word| singular(word) != entity);
        match words.as_slice() {
            [] => self.field(&["status"], false),
            words if is_name(words) => self.add_field(&words.join("-"), Kind::Flag),
            _ => self.unknown(&words),
        }
    }

    /// "a total per month", "monthly totals", "sum of hours".
    fn total(&mut self, words: &[&str]) {
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

    fn summed(&mut self, word: &str) {
        let field = dictionary::field(&singular(word));
        if !matches!(field.kind, Kind::Amount | Kind::Integer) {
            return self.unknown(&[word]);
        }
        self.draft.total.get_or_insert_default().of = Some(field.name.clone());
        self.draft.add_field(&field);
    }

    /// After `by` or `per`: a period or a field; without a total, a field to list by.
    fn group(&mut self, words: &[&str]) {
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
    fn group_or_item(&mut self, words: &[&str]) {
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

    fn able(&mut self, words: &[&str]) {
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
    fn groups_of_fields(&mut self, clauses: &[Clause]) {
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

fn is(list: &'static str, word: &str) -> bool {
    Words(list).contains(word)
}

fn is_telling(holder: &str) -> bool {
    Words("telling").pair(holder).is_some()
}

/// True for "my neighbours" or "friends", but not for something to do.
fn is_somebody(words: &[&str]) -> bool {
    matches!(words, [first, ..] if is("fillers", first))
        || matches!(words, [only] if is_plural(only))
}

/// True for a link after which it is said what is kept.
fn explains(link: Link) -> bool {
    matches!(link, Link::With | Link::Colon | Link::Of | Link::By)
}

/// True if the word stands behind an article: "a log".
fn articled(said: &[&str], word: &str) -> bool {
    let mut pairs = said.windows(2);
    pairs.any(|pair| matches!(pair, [article, own] if is("articles", article) && *own == word))
}

/// True for many of something that is no field.
fn names_entity(word: &str) -> bool {
    let one = singular(word);
    let field =
        dictionary::field(&one).kind != Kind::Text || is("tags", word) || is("totals", word);
    is_plural(word) && (dictionary::known(&one).is_some() || !field)
}

fn without<'a>(words: &[&'a str], dropped: &'static str) -> Vec<&'a str> {
    words
        .iter()
        .copied()
        .filter(|word| !is(dropped, word))
        .collect()
}

fn is_name(words: &[&str]) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let fits = |word: &&str| {
        let letter = word.starts_with(|c: char| c.is_ascii_lowercase());
        letter && !is("no-names", word) && word.chars().all(plain)
    };
    (1..=MOST_NAME_WORDS).contains(&words.len()) && words.iter().all(fits)
}

/// `due dates` → `due-date`.
fn kebab(words: &[&str]) -> String {
    let Some((last, before)) = words.split_last() else {
        return String::new();
    };
    let before: String = before.iter().map(|word| format!("{word}-")).collect();
    before + &singular(last)
}
