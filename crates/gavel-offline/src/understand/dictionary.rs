//! What common nouns usually have. A word that is not here still becomes an entity or a text field.

use super::words::Words;
use crate::design::{Field, Kind};

/// A noun, the entity it stands for, and its usual fields: `!` marks what is required.
pub(super) struct Noun {
    pub(super) word: &'static str,
    pub(super) entity: &'static str,
    fields: &'static str,
}

const fn noun(word: &'static str, entity: &'static str, fields: &'static str) -> Noun {
    Noun {
        word,
        entity,
        fields,
    }
}

const NOUNS: [Noun; 67] = [
    noun("account", "account", "name! note"),
    noun("album", "album", "title! artist year"),
    noun("appointment", "appointment", "title! day! note"),
    noun("author", "author", "name! note"),
    noun("birthday", "birthday", "name! birthday!"),
    noun("book", "book", "title! author"),
    noun("bookmark", "bookmark", "url! title"),
    noun("budget", "entry", "amount! day! category! note"),
    noun("car", "car", "name! year note"),
    noun("checklist", "item", "title! done"),
    noun("chore", "chore", "title! done"),
    noun("client", "client", "name! email phone"),
    noun("company", "company", "name! note"),
    noun("contact", "contact", "name! email phone"),
    noun("cookbook", "recipe", "name! instructions"),
    noun("customer", "customer", "name! email phone"),
    noun("deadline", "deadline", "title! day! done"),
    noun("diary", "entry", "day! text!"),
    noun("donation", "donation", "donor! amount! day!"),
    noun("event", "event", "title! day! place"),
    noun("exercise", "exercise", "name! note"),
    noun("expense", "expense", "amount! day! category note"),
    noun("film", "film", "title! director year"),
    noun("finance", "entry", "amount! day! category note"),
    noun("friend", "friend", "name! email phone"),
    noun("goal", "goal", "title! deadline done"),
    noun("grocery", "item", "name! quantity bought"),
    noun("habit", "habit", "name! note"),
    noun("hours", "entry", "hours! day! note"),
    noun("idea", "idea", "title! note"),
    noun("income", "income", "amount! day! source note"),
    noun("ingredient", "ingredient", "name! quantity:text"),
    noun("inventory", "item", "name! count:integer!"),
    noun("invoice", "invoice", "number:text! amount! day! paid"),
    noun("item", "item", "name! note"),
    noun("journal", "entry", "day! text!"),
    noun("ledger", "entry", "amount! day! note"),
    noun("link", "link", "url! title"),
    noun("loan", "loan", "item! borrower! day! returned"),
    noun("meal", "meal", "name! day!"),
    noun("measurement", "measurement", "value:amount! day! note"),
    noun("medicine", "medicine", "name! dose:text"),
    noun("movie", "movie", "title! director year"),
    noun("note", "note", "title! text"),
    noun("order", "order", "number:text! day! note"),
    noun("payment", "payment", "amount! day! payee note"),
    noun("person", "person", "name! note"),
    noun("pet", "pet", "name! birthday note"),
    noun("plant", "plant", "name! place note"),
    noun("product", "product", "name! price"),
    noun("project", "project", "name! note"),
    noun("purchase", "purchase", "item! amount! day!"),
    noun("quote", "quote", "text! author"),
    noun("recipe", "recipe", "name! instructions"),
    noun("song", "song", "title! artist"),
    noun("spending", "spending", "amount! day! category note"),
    noun("student", "student", "name! email"),
    noun("subscription", "subscription", "name! price! renewal:date"),
    noun("supplier", "supplier", "name! email phone"),
    noun("task", "task", "title! done"),
    noun("time", "entry", "hours! day! note"),
    noun("timesheet", "entry", "hours! day! note"),
    noun("todo", "todo", "title! done"),
    noun("url", "url", "url! title"),
    noun("weight", "entry", "weight! day!"),
    noun("wine", "wine", "name! region year"),
    noun("workout", "workout", "name! day! minutes note"),
];

/// Words before `list` and the like that name what is in it.
const LISTED: [(&str, &str, &str); 8] = [
    ("reading", "book", "title! author"),
    ("watch", "movie", "title! director year"),
    ("shopping", "item", "name! quantity bought"),
    ("packing", "item", "name! quantity packed"),
    ("wish", "wish", "title! price"),
    ("bucket", "wish", "title! done"),
    ("address", "contact", "name! email phone address"),
    ("guest", "guest", "name! email coming"),
];

/// Who belongs to whom: `!` marks what belongs to somebody always.
const BELONGS: &str = "album>artist song>artist assignment>course! guest>event! episode>podcast! book>borrower \
    part>supplier sale>product! player>team tenant>property ingredient>recipe! checkin>habit! task>project todo>project book>author \
    product>supplier item>supplier item>box expense>account payment>invoice! \
    invoice>customer! invoice>client! order>customer! song>album track>album! \
    episode>series! chapter>book! exercise>workout! grade>student! visit>pet! step>recipe! \
    contact>company appointment>client! note>project";

/// Things that are useless without entries of another kind: what a tracker of them also keeps.
const COMPANIONS: [(&str, &str, &str); 1] = [("habit", "checkin", "day!")];

const DATES: Words = Words("date day birthday deadline anniversary due expiry renewal since until");
const INTEGERS: Words = Words(
    "rating count stock year age score minutes pages quantity point calorie rank rep \
     repetition set step mileage odometer",
);
const AMOUNTS: Words = Words(
    "price amount cost hours weight distance salary budget fee rent value balance spending \
     income litre kilometre km mile",
);
const FLAGS: Words = Words(
    "done paid finished watched bought packed favourite favorite completed returned coming \
     read owned archived",
);

/// The noun's entry, in the singular.
pub(super) fn known(word: &str) -> Option<&'static Noun> {
    NOUNS.iter().find(|noun| noun.word == word)
}

/// What a list of that name is a list of: entity and fields.
pub(super) fn listed(word: &str) -> Option<(&'static str, Vec<Field>)> {
    let (_, entity, fields) = LISTED.iter().find(|(before, _, _)| *before == word)?;
    Some((entity, parse(fields)))
}

/// What a tracker of that entity also keeps: entity and fields.
pub(super) fn companion(entity: &str) -> Option<(&'static str, Vec<Field>)> {
    let (_, other, fields) = COMPANIONS.iter().find(|(of, _, _)| *of == entity)?;
    Some((other, parse(fields)))
}

/// If the first usually belongs to the second: whether always.
pub(super) fn belongs(child: &str, parent: &str) -> Option<bool> {
    let pair = format!("{child}>{parent}");
    let found = BELONGS
        .split_whitespace()
        .find(|known| known.trim_end_matches('!') == pair)?;
    Some(found.ends_with('!'))
}

impl Noun {
    /// Its usual fields.
    pub(super) fn fields(&self) -> Vec<Field> {
        parse(self.fields)
    }
}

/// The field that a phrase names, by its last word; a flag by its only word.
pub(super) fn field(name: &str) -> Field {
    let last = name.rsplit('-').next().unwrap_or(name);
    let first = name.split('-').next().unwrap_or(name);
    let kind = if DATES.contains(last) {
        Kind::Date
    } else if INTEGERS.contains(last) {
        Kind::Integer
    } else if AMOUNTS.contains(last) {
        Kind::Amount
    } else if FLAGS.contains(name) {
        Kind::Flag
    } else if ["due", "date"].contains(&first) {
        Kind::Date
    } else {
        Kind::Text
    };
    Field {
        name: name.to_owned(),
        kind,
        required: false,
    }
}

fn parse(fields: &str) -> Vec<Field> {
    let one = |word: &str| {
        let required = word.ends_with('!');
        let word = word.trim_end_matches('!');
        let (name, kind) = word.split_once(':').unwrap_or((word, ""));
        let mut field = field(name);
        match kind {
            "text" => field.kind = Kind::Text,
            "integer" => field.kind = Kind::Integer,
            "amount" => field.kind = Kind::Amount,
            "date" => field.kind = Kind::Date,
            _ => {}
        }
        Field { required, ..field }
    };
    fields.split_whitespace().map(one).collect()
}
