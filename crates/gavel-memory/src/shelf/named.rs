//! What memory says of each option of a choice, however well it fits the rest of the question.

use gavel_domain::Timestamp;
use gavel_rules::council::{MemoryLooked, OptionSource, SourceKind, TopicOptions, review_options};

use super::called::text_of;
use super::{Shelf, ShelfError};
use crate::id::Kind;
use crate::item::{Item, Visibility};
use crate::search::{Query, Standing};

/// So many items are looked at for each name, each way to ask for it and each group of kinds.
const LOOKED_AT: usize = 320;
/// The kinds that say what to do are looked through by themselves, so that many notes which only
/// mention a name leave room for them.
const KINDS: [&[Kind]; 2] = [
    &[Kind::Decision, Kind::Constraint, Kind::Trap, Kind::Feedback],
    &[Kind::Plan, Kind::RuntimeNote, Kind::Handoff, Kind::Vision],
];
/// How often memory is asked: again when it says what else it calls something.
const ROUNDS: usize = 2;

/// What is looked for by the names of options.
#[derive(Debug, Clone, Copy)]
pub struct NamedQuery<'a> {
    /// The options.
    pub asked: &'a TopicOptions,
    /// What the choice is about: of the items that name an option, those about it come first.
    pub topic: &'a str,
    /// Kinds; none means all.
    pub kinds: &'a [Kind],
    /// At most so many for each option.
    pub most: usize,
    /// Now.
    pub now: Timestamp,
}

/// What names the options of a choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// The options with what memory calls them too.
    pub asked: TopicOptions,
    /// The items that name each option, the best first.
    pub items: Vec<Vec<Item>>,
}

impl Named {
    /// Every item once: the best of each option, then the second best of each, and so on.
    pub fn in_turn(self) -> Vec<Item> {
        let longest = self.items.iter().map(Vec::len).max().unwrap_or(0);
        let mut all: Vec<Item> = Vec::new();
        for place in 0..longest {
            for item in self.items.iter().filter_map(|items| items.get(place)) {
                if all.iter().all(|other| other.id != item.id) {
                    all.push(item.clone());
                }
            }
        }
        all
    }
}

impl Shelf {
    /// For each option the accepted items that name it, nothing private among them: first those that
    /// speak for or against it, then by how well they fit. No floor: that a name stands in an item is
    /// enough. What memory itself calls an option counts as its name.
    pub async fn find_named(&self, query: &NamedQuery<'_>) -> Result<Named, ShelfError> {
        let mut asked = query.asked.clone();
        if !query.kinds.is_empty() {
            // What something is called may stand in an item of another kind.
            let any = NamedQuery {
                kinds: &[],
                ..*query
            };
            let known = self.named_once(&asked, &any).await?;
            let texts: Vec<String> = known.iter().flatten().map(text_of).collect();
            asked.learn_aliases(texts.iter().map(String::as_str));
        }
        let mut items = self.named_once(&asked, query).await?;
        for _ in 1..ROUNDS {
            let texts: Vec<String> = items.iter().flatten().map(text_of).collect();
            if !asked.learn_aliases(texts.iter().map(String::as_str)) {
                break;
            }
            items = self.named_once(&asked, query).await?;
        }
        for items in &mut items {
            items.truncate(query.most);
        }
        Ok(Named { asked, items })
    }

    async fn named_once(
        &self,
        asked: &TopicOptions,
        query: &NamedQuery<'_>,
    ) -> Result<Vec<Vec<Item>>, ShelfError> {
        let mut all = Vec::new();
        for (option, spelled) in asked.spellings().iter().enumerate() {
            let with_topic = format!("{spelled} {}", query.topic);
            let mut items: Vec<Item> = Vec::new();
            for (kinds, text) in ways(query.kinds, [with_topic.as_str(), spelled.as_str()]) {
                for found in self.find(&by_words(text, &kinds, query.now)).await? {
                    let known = items.iter().any(|item| item.id == found.item.id);
                    let named = || asked.named_in(&text_of(&found.item)).contains(&option);
                    if !known && found.item.visibility != Visibility::Private && named() {
                        items.push(found.item);
                    }
                }
            }
            items.sort_by_key(|item| !speaks(asked, query.topic, (option, item)));
            all.push(items);
        }
        Ok(all)
    }
}

/// Every group of kinds that is wanted, asked for in both ways.
fn ways<'t>(wanted: &[Kind], texts: [&'t str; 2]) -> Vec<(Vec<Kind>, &'t str)> {
    let of = |group: &[Kind]| -> Vec<Kind> {
        let kinds = group
            .iter()
            .filter(|kind| wanted.is_empty() || wanted.contains(kind));
        kinds.copied().collect()
    };
    let groups = KINDS.into_iter().map(of).filter(|kinds| !kinds.is_empty());
    let both = |kinds: Vec<Kind>| texts.map(|text| (kinds.clone(), text));
    groups.flat_map(both).collect()
}

fn by_words<'a>(text: &'a str, kinds: &'a [Kind], now: Timestamp) -> Query<'a> {
    Query {
        text,
        kinds,
        standing: Standing::Trusted,
        limit: LOOKED_AT,
        floor: 0.0,
        now,
        paths: &[],
    }
}

/// True for an item whose words are for an option or against it.
fn speaks(asked: &TopicOptions, topic: &str, (option, item): (usize, &Item)) -> bool {
    let source = OptionSource {
        cite: String::new(),
        kind: SourceKind::of_memory(item.kind.word()),
        text: text_of(item),
    };
    // Each name by itself: a yes or no is held against one thing.
    let alone = TopicOptions {
        options: asked.names().to_vec(),
        subject: String::new(),
        named: Vec::new(),
        aliases: asked.aliases.clone(),
    };
    let review = review_options(&alone, topic, &[source], MemoryLooked::Asked);
    let standing = review.options.get(option);
    standing.is_some_and(|said| !said.speaks_for.is_empty() || !said.speaks_against.is_empty())
}
