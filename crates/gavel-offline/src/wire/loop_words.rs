//! Whether a memory item touches a proposal: by words that tell something, and by paths.

use std::collections::BTreeSet;

use super::loop_brief::Entry;

/// Shorter words tell nothing.
const LEAST_SIGNS: usize = 4;
/// Words of one family share a beginning of so many signs.
const FAMILY: usize = 6;
/// At most so many shared words are told.
const MOST_TOLD: usize = 4;

/// Words that stand in any text.
const EMPTY: &str = " about above after again against also although always another because been before being \
    below between both came cannot come could does done down each either else even ever every first from gets \
    give goes going have having here however into instead itself just keep kept last later least less like long \
    made make makes many might more most much must need needs never next nobody nothing often once only other \
    otherwise over rather same shall should since some somebody someone something soon still such take than that \
    their them then there these they thing things this those though through time times together under until upon \
    used uses using very want wants well went were what when where whether which while whose will with within \
    without would your yours ";

/// Words that stand in any text about software: alone they show nothing.
const COMMON: &str = " added adding adds break breaks broke broken build builds call called calls case cases \
    change changed changes check class code command config crate data error errors extract extracts fail failed \
    fails file files find function improve introduce issue library line lines list module modules move moved moves \
    name names package packages part parts pattern piece place problem problems program project proposal read \
    remove removed rename replace replaced request result return rewrite running separate service services set \
    show simple software split start step steps stop support switch system team test tests tool tools type user \
    users value version work working works write written wrong ";

/// A subject that items are held against.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Subject {
    words: BTreeSet<String>,
}

impl Subject {
    /// The telling words of some texts.
    pub(super) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let words = texts.into_iter().flat_map(telling).collect();
        Self { words }
    }

    /// The words of the subject that an item shares, if they show that it touches the subject: one
    /// word that is not common, or two that are.
    pub(super) fn touched_by(&self, item: &Entry) -> Option<Vec<String>> {
        let mut theirs = telling(&item.text);
        theirs.extend(item.paths.iter().flat_map(|path| telling(path)));
        let shared = self.words.iter();
        let mut shared: Vec<&String> = shared
            .filter(|word| theirs.iter().any(|their| is_family(word, their)))
            .collect();
        let own = shared.iter().filter(|word| !is_common(word)).count();
        if own == 0 && shared.len() < 2 {
            return None;
        }
        // What tells most stands first.
        shared.sort_by_key(|word| is_common(word));
        Some(shared.into_iter().take(MOST_TOLD).cloned().collect())
    }
}

/// The words of a text that tell something, small, without repeats.
fn telling(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        for word in humps(run) {
            let word = word.to_lowercase();
            let long = word.chars().count() >= LEAST_SIGNS;
            if long && !has(EMPTY, &word) {
                words.insert(word);
            }
        }
    }
    words
}

/// `JobDispatcher` is two words.
fn humps(run: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for sign in run.chars() {
        if sign.is_uppercase() && after_small {
            words.push(String::new());
        }
        after_small = sign.is_lowercase();
        if let Some(word) = words.last_mut() {
            word.push(sign);
        }
    }
    words
}

/// True for words that are the same but for their ending: `dispatcher`, `dispatchers`, `dispatch`.
fn is_family(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let Some(ending) = long.strip_prefix(short) else {
        return false;
    };
    ending.is_empty() || ending == "s" || (short.chars().count() >= FAMILY && ending.len() <= 3)
}

fn is_common(word: &str) -> bool {
    let singular = word.strip_suffix('s').unwrap_or(word);
    has(COMMON, word) || has(COMMON, singular)
}

fn has(list: &str, word: &str) -> bool {
    list.contains(&format!(" {word} "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str, paths: &[&str]) -> Entry {
        Entry {
            text: text.to_owned(),
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            ..Entry::default()
        }
    }

    #[test]
    fn an_item_touches_by_a_word_that_tells_something() {
        let subject = Subject::of(["Should we extract the dispatcher into its own package?"]);
        let touched = |text, paths| subject.touched_by(&item(text, paths));
        for (text, paths, shared) in [
            (
                "Dispatchers lose jobs on restart.",
                &[][..],
                &["dispatcher"][..],
            ),
            ("JobDispatcher holds a lock.", &[], &["dispatcher"]),
            (
                "A lock is held while workers start.",
                &["src/dispatcher/mod.rs"],
                &["dispatcher"],
            ),
            (
                "Extracting a package broke the release.",
                &[],
                &["extract", "package"],
            ),
        ] {
            assert_eq!(touched(text, paths).unwrap(), shared, "{text}");
        }
        for text in [
            "A package was published twice.",
            "Extract the archive with care.",
            "The login page forgets the language.",
            "We should have its own own into.",
            "",
        ] {
            assert_eq!(touched(text, &[]), None, "{text}");
        }
    }

    #[test]
    fn endings_make_no_other_word() {
        for (one, other, same) in [
            ("dispatcher", "dispatch", true),
            ("cache", "caches", true),
            ("extract", "extraction", true),
            ("inter", "internal", false),
            ("store", "storage", false),
            ("import", "important", true),
            ("contract", "contractually", false),
        ] {
            assert_eq!(is_family(one, other), same, "{one} {other}");
            assert_eq!(is_family(other, one), same, "{other} {one}");
        }
    }

    #[test]
    fn telling_words_of_other_languages_count() {
        let subject = Subject::of(["Soll der Verteiler in ein eigenes Paket?"]);
        let touched = subject.touched_by(&item("Verteiler verlor Aufträge beim Neustart.", &[]));
        assert_eq!(touched.unwrap(), ["verteiler"]);
    }
}
