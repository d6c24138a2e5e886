//! A small grammar of ideas: clauses in order, each understood by its link and its words. What no
//! rule accounts for is handed back, never skipped.

use super::dictionary;
use super::draft::{Draft, TotalDraft};
use super::words::{Clause, Link, Words, is_plural, singular};
use crate::design::{Field, Group, Kind};

/// Say nothing about what is kept.
const FILLERS: Words = Words(
    "a an the my our your their its me us some all any own new small simple little tiny \
     personal plain basic minimal nice good easy handy lightweight private local offline \
     text file cli command-line terminal console rust text-based please also optional i \
     want need would like build make create write different various daily home",
);
/// The program itself.
const TOOLS: Words = Words("app application tool program utility software system project thing");
/// What holds the things that are kept.
const HOLDERS: Words = Words(
    "manager tracker list log diary journal catalogue catalog inventory library collection \
     register organiser organizer planner keeper record records archive ledger index \
     logbook logger database book glossary watchlist checklist deck notebook box roster",
);
/// Holders that say by themselves what is in them.
const TELLING_HOLDERS: [(&str, &str); 7] = [
    ("inventory", "inventory"),
    ("diary", "diary"),
    ("journal", "journal"),
    ("ledger", "ledger"),
    ("library", "book"),
    ("timesheet", "timesheet"),
    ("checklist", "checklist"),
];
/// Places and wholes: with a list after them, they only hold what it names.
const PLACES: Words = Words(
    "library warehouse shop store garden kitchen school team club office music household family company",
);
const KEEPING: Words = Words(
    "track tracks tracking keep keeps keeping manage manages managing store stores storing \
     save saves saving record records recording log logs logging list lists organise \
     organising organize organizing remember remembers collect collecting catalogue \
     maintain",
);
const ENABLING: Words = Words("lets let allows helps help can");
/// What people do with what they list: "movies to watch".
const DOING: Words = Words("watch read buy do visit try cook see learn play hear");
/// What every program of ours can do, and the words around it.
const ABLE: Words = Words(
    "lets let allows can add adding edit editing change changing delete deleting remove \
     removing search searching find finding see show showing view browse look up list \
     listing filter filtering them it one entries searchable full-text each",
);
const TOTALS: Words = Words("total totals sum sums  subtotal subtotals");
const TAGS: Words = Words("tag tags tagging label labels keyword keywords");
const MARKS: Words = Words("mark marking as flag status checkbox them it toggle");
/// Never part of a name.
const NO_NAMES: Words = Words(
    "when what who how can should will is are was were be it them they he she we you if \
     then between from into using via without not until while in on at as than or about \
     because but this",
);
const EACH: Words = Words("each every");
const REQUIRED: Words = Words("required");
const MOST_NAME_WORDS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Head,
    Fields,
    Groups,
    Abilities,
}

struct Reader {
    draft: Draft,
    /// True once a word said that things are kept, not made.
    keeps: bool,
    place: Place,
    /// True inside "products, suppliers, stock counts".
    lists_things: bool,
    strange: Vec<String>,
}

/// Reads clauses. The second list holds phrases that no rule accounts for.
pub(super) fn read(clauses: &[Clause]) -> (Draft, Vec<String>) {
    let mut reader = Reader {
        draft: Draft::default(),
        keeps: false,
        place: Place::Head,
        lists_things: false,
        strange: Vec::new(),
    };
    for (index, clause) in clauses.iter().enumerate() {
        let next = clauses.get(index + 1).map(|clause| clause.link);
        reader.clause(clause, next);
    }
    if reader.draft.things.is_empty() {
        reader.title_thing();
    }
    (reader.draft, reader.strange)
}

impl Reader {
    fn clause(&mut self, clause: &Clause, next: Option<Link>) {
        let words: Vec<&str> = clause.words.iter().map(String::as_str).collect();
        let headless = self.draft.things.is_empty();
        match clause.link {
            Link::Start | Link::To | Link::Of
                if self.place == Place::Head && (headless || clause.link == Link::Of) =>
            {
                self.head(&words, next);
            }
            Link::For if headless && self.draft.title.as_deref().is_some_and(is_telling) => {}
            Link::For if headless => self.head(&words, next),
            Link::To if words.iter().all(|word| DOING.contains(word)) => {}
            // Whom it is for changes nothing: "inventory for a small shop".
            Link::For if self.place == Place::Head => {}
            Link::That if headless => self.head(&words, next),
            Link::That => {
                self.place = Place::Abilities;
                self.able(&words);
            }
            Link::With | Link::Colon | Link::Stop => {
                self.draft.complete |= clause.link == Link::Colon;
                self.place = Place::Fields;
                self.item(&words, clause.link);
            }
            Link::By => {
                self.place = Place::Groups;
                self.group(&words);
            }
            Link::Per => {
                self.place = Place::Groups;
                self.draft.total.get_or_insert_default();
                self.group(&words);
            }
            Link::And | Link::Comma => match self.place {
                Place::Head if is_ability(&words) => self.able(&words),
                Place::Head => self.second_head(&words),
                Place::Fields => self.item(&words, clause.link),
                Place::Groups => self.group_or_item(&words),
                Place::Abilities => self.able(&words),
            },
            Link::Start | Link::To | Link::Of | Link::For => self.unknown(&words),
        }
    }

    /// "a bookmark manager", "track my expenses", "recipes".
    fn head(&mut self, words: &[&str], next: Option<Link>) {
        let mut words = without(words, FILLERS);
        while words.first().is_some_and(|word| ENABLING.contains(word)) {
            words.remove(0);
        }
        while words.last().is_some_and(|word| TOOLS.contains(word)) {
            words.pop();
        }
        if let Some(first) = words.first()
            && KEEPING.contains(first)
            && let Some(next) = words.get(1)
            && !(HOLDERS.contains(first) && HOLDERS.contains(next))
        {
            self.keeps = true;
            words.remove(0);
        }
        let holder = words.last().copied().filter(|word| HOLDERS.contains(word));
        if let Some(holder) = holder {
            self.keeps = true;
            if words.len() > 1 || is_telling(holder) {
                self.draft.title.get_or_insert_with(|| words.join(" "));
            }
            words.pop();
            if words.is_empty() {
                return self.holder(holder, next);
            }
            if next == Some(Link::Of) {
                return; // "reading list of books"
            }
            if let Some((name, usual)) = words.last().and_then(|word| dictionary::listed(word)) {
                self.draft.add_thing(name, usual);
                return;
            }
        }
        let lists = matches!(next, Some(Link::With | Link::Colon));
        if let [word] = words.as_slice()
            && PLACES.contains(word)
            && lists
        {
            self.keeps = true;
            return;
        }
        if !words.is_empty() {
            self.thing(&words);
        }
    }

    /// A holder without a word before it: "inventory", "a list".
    fn holder(&mut self, holder: &str, next: Option<Link>) {
        if matches!(next, Some(Link::Of | Link::For | Link::Colon)) {
            return; // What follows says what it holds.
        }
        self.holder_thing(holder);
    }

    fn holder_thing(&mut self, holder: &str) {
        let telling = TELLING_HOLDERS.iter().find(|(word, _)| *word == holder);
        if let Some(noun) = telling.and_then(|(_, noun)| dictionary::known(noun)) {
            self.draft.add_thing(noun.entity, noun.fields());
        }
    }

    fn title_thing(&mut self) {
        let title = self.draft.title.clone().unwrap_or_default();
        self.holder_thing(title.split(' ').next_back().unwrap_or_default());
    }

    fn second_head(&mut self, words: &[&str]) {
        let belongs = words.iter().any(|word| ["their", "its"].contains(word));
        let count = self.draft.things.len();
        self.head(words, None);
        let parent = self.draft.things.first().map(|thing| thing.name.clone());
        if belongs
            && count > 0
            && let Some(child) = self.draft.things.get_mut(count)
        {
            child.part_of = parent;
        }
    }

    /// An entity: known, or any noun that is said to be kept, or many of something.
    fn thing(&mut self, words: &[&str]) {
        let name = kebab(words);
        let last = words.last().map(|word| singular(word)).unwrap_or_default();
        let first = words
            .first()
            .and_then(|word| dictionary::known(&singular(word)));
        let known = dictionary::known(&name)
            .or_else(|| dictionary::known(&last))
            .or_else(|| first.filter(|noun| noun.entity == "entry"));
        let bare =
            !self.keeps && words.len() > 1 && !words.last().is_some_and(|word| is_plural(word));
        if let Some(noun) = known.filter(|_| !bare) {
            let entity = if noun.word == noun.entity && is_name(words) {
                name
            } else {
                noun.entity.to_owned()
            };
            self.draft.add_thing(&entity, noun.fields());
        } else if is_name(words) && (self.keeps || words.last().is_some_and(|word| is_plural(word)))
        {
            self.draft.add_thing(&name, named_only());
        } else {
            self.unknown(words);
        }
    }

    /// One of "author, rating and finish date"; also totals, tags, flags, abilities, parts.
    fn item(&mut self, said: &[&str], link: Link) {
        let words = without(said, FILLERS);
        let has = |list: Words| words.iter().any(|word| list.contains(word));
        if words.is_empty() {
            return;
        }
        if self.draft.things.is_empty() && !self.first_item(&words, link) {
            return;
        }
        if matches!(link, Link::Colon | Link::With)
            && self
                .draft
                .things
                .first()
                .is_some_and(|thing| kebab(&words) == thing.name)
        {
            self.lists_things = words.last().is_some_and(|last| names_entity(last));
            if self.lists_things {
                return; // "tool library: tools, members"
            }
        }
        if self.lists_things && words.last().is_some_and(|last| names_entity(last)) {
            self.thing(&words);
        } else if has(TOTALS) {
            self.total(&words);
        } else if let [tag] = without(&words, ABLE).as_slice()
            && TAGS.contains(tag)
        {
            self.draft.add_field(Field {
                name: tags_name(tag).to_owned(),
                kind: Kind::Tags,
                required: false,
            });
        } else if without(&words, ABLE).is_empty() {
            self.place = Place::Abilities;
        } else if has(MARKS) {
            self.flag(&words);
        } else if !self.part(&words) {
            self.field(&words, said.contains(&"required"));
        }
    }

    /// Without an entity yet, a list names entities ("products, suppliers") or fields of the
    /// holder's own thing ("inventory: name, count"). True if the item is still to be read.
    fn first_item(&mut self, words: &[&str], link: Link) -> bool {
        let last = words.last().copied().unwrap_or_default();
        if self.keeps && matches!(link, Link::Colon | Link::With) && names_entity(last) {
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
        let usual = dictionary::known(&name).map_or_else(named_only, dictionary::Noun::fields);
        if is_plural(word) && usual.iter().any(|field| field.name == "amount") && first.name != name
        {
            self.unknown(words); // "with income and expenses": no field, and nobody says whose.
            return true;
        }
        let belongs = |one: &str, other: &str| dictionary::belongs(one, other).is_some();
        let related = belongs(&name, &first.name) || belongs(&first.name, &name);
        if !is_plural(word) || !related {
            return false;
        }
        self.draft.add_thing(&name, usual)
    }

    fn field(&mut self, words: &[&str], required: bool) {
        let words = without(words, REQUIRED);
        if !is_name(&words) {
            return self.unknown(&words);
        }
        let field = dictionary::field(&kebab(&words));
        self.draft.add_field(Field { required, ..field });
    }

    fn flag(&mut self, words: &[&str]) {
        let entity = self
            .draft
            .things
            .first()
            .map(|thing| thing.name.clone())
            .unwrap_or_default();
        let mut words = without(words, MARKS);
        words.retain(|word| singular(word) != entity);
        match words.as_slice() {
            [] => self.field(&["status"], false),
            [word] => self.draft.add_field(Field {
                name: (*word).to_owned(),
                kind: Kind::Flag,
                required: false,
            }),
            _ => self.unknown(&words),
        }
    }

    /// "a total per month", "monthly totals", "sum of hours".
    fn total(&mut self, words: &[&str]) {
        self.draft.total.get_or_insert_default();
        let entity = self
            .draft
            .things
            .first()
            .map(|thing| thing.name.clone())
            .unwrap_or_default();
        for word in without(words, TOTALS) {
            let total = self.draft.total.get_or_insert_default();
            match word {
                "monthly" => total.by.push(Group::Month),
                "yearly" | "annual" => total.by.push(Group::Year),
                word if singular(word) == entity || ABLE.contains(word) => {}
                word => self.summed(word),
            }
        }
    }

    fn summed(&mut self, word: &str) {
        let field = dictionary::field(&singular(word));
        if !matches!(field.kind, Kind::Amount | Kind::Integer) {
            return self.unknown(&[word]);
        }
        let name = field.name.clone();
        self.draft.add_field(field);
        self.draft.total.get_or_insert_default().of = Some(name);
    }

    /// After `by` or `per`: a period or a field; without a total, a field to list by.
    fn group(&mut self, words: &[&str]) {
        let words = without(&without(words, FILLERS), EACH);
        let period = match words.as_slice() {
            ["day" | "date"] => Some(Group::Day),
            ["month"] => Some(Group::Month),
            ["year"] => Some(Group::Year),
            _ => None,
        };
        let unknown = words
            .iter()
            .any(|word| ["week", "quarter", "hour"].contains(word));
        if unknown || !is_name(&words) || self.draft.things.is_empty() {
            return self.unknown(&words);
        }
        let group = period.unwrap_or_else(|| Group::Field(kebab(&words)));
        match (&mut self.draft.total, group) {
            (Some(total), group) => total.by.push(group),
            (None, Group::Field(name)) if TAGS.contains(&name) => {
                self.item(&[name.as_str()], Link::With);
            }
            (None, Group::Field(name)) => self.draft.add_field(dictionary::field(&name)),
            (None, group) => self.draft.add_field(dictionary::field(group.word())),
        }
    }

    /// After "per month and …": another group if it can be one, else another item.
    fn group_or_item(&mut self, words: &[&str]) {
        let plain = without(words, FILLERS);
        let number = matches!(
            dictionary::field(&kebab(&plain)).kind,
            Kind::Amount | Kind::Integer
        );
        let many = plain
            .last()
            .is_some_and(|word| is_plural(word) || TOTALS.contains(word));
        if number || many {
            self.place = Place::Fields;
            self.item(words, Link::And);
        } else {
            self.group(words);
        }
    }

    fn able(&mut self, words: &[&str]) {
        let words = without(&without(words, FILLERS), ABLE);
        let names: Vec<String> = self.draft.kept_words();
        let strange: Vec<&str> = words
            .into_iter()
            .filter(|word| !names.contains(&singular(word)))
            .collect();
        match strange.as_slice() {
            [] => {}
            words
                if words.iter().any(|word| {
                    TAGS.contains(word) || MARKS.contains(word) || TOTALS.contains(word)
                }) =>
            {
                self.item(words, Link::And);
            }
            words => self.unknown(words),
        }
    }

    fn unknown(&mut self, words: &[&str]) {
        if !words.is_empty() {
            self.strange.push(words.join(" "));
        }
    }
}

impl Draft {
    /// Groups that were named before their total: "expenses by category with a total per month".
    pub(super) fn with_groups_of_fields(mut self, clauses: &[Clause]) -> Self {
        let Some(TotalDraft { by, .. }) = &mut self.total else {
            return self;
        };
        for clause in clauses.iter().filter(|clause| clause.link == Link::By) {
            let words: Vec<&str> = clause.words.iter().map(String::as_str).collect();
            let name = kebab(&without(&words, FILLERS));
            let group = Group::Field(name.clone());
            let is_field = dictionary::field(&name).kind == Kind::Text && !TAGS.contains(&name);
            if is_field && !by.contains(&group) && !["month", "year"].contains(&name.as_str()) {
                by.push(group);
            }
        }
        self
    }
}

/// True if nothing is said but "an app" or "a list".
pub(super) fn says_nothing(words: &[String]) -> bool {
    const EMPTY: Words = Words(
        "something stuff cool useful better help it hello hi idea anything code great fast \
         faster things",
    );
    let empty = |word: &String| {
        let word = word.as_str();
        let lists = [FILLERS, TOOLS, HOLDERS, EMPTY, NO_NAMES, KEEPING];
        let thing = ["record", "records", "book"].contains(&word);
        !thing && (lists.iter().any(|list| list.contains(word)) || word.len() < 2)
    };
    words.iter().all(|word| empty(word) && !is_telling(word))
}

fn is_telling(holder: &str) -> bool {
    TELLING_HOLDERS.iter().any(|(word, _)| *word == holder)
}

/// True for many of something that is no field.
fn names_entity(word: &str) -> bool {
    let one = singular(word);
    let field =
        dictionary::field(&one).kind != Kind::Text || TAGS.contains(word) || TOTALS.contains(word);
    is_plural(word) && (dictionary::known(&one).is_some() || !field)
}

fn is_ability(words: &[&str]) -> bool {
    without(&without(words, FILLERS), ABLE).is_empty()
}

fn named_only() -> Vec<Field> {
    let note = dictionary::field("note");
    let name = Field {
        required: true,
        ..dictionary::field("name")
    };
    vec![name, note]
}

fn tags_name(word: &str) -> &str {
    match word {
        "label" | "labels" => "labels",
        "keyword" | "keywords" => "keywords",
        _ => "tags",
    }
}

fn without<'a>(words: &[&'a str], dropped: Words) -> Vec<&'a str> {
    words
        .iter()
        .copied()
        .filter(|word| !dropped.contains(word))
        .collect()
}

fn is_name(words: &[&str]) -> bool {
    let fits = |word: &&str| {
        !NO_NAMES.contains(word)
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && word
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    (1..=MOST_NAME_WORDS).contains(&words.len()) && words.iter().all(fits)
}

/// `due dates` → `due-date`.
fn kebab(words: &[&str]) -> String {
    let last = words.len().saturating_sub(1);
    let parts = words.iter().enumerate().map(|(index, word)| {
        if index == last {
            singular(word)
        } else {
            (*word).to_owned()
        }
    });
    parts.collect::<Vec<_>>().join("-")
}
