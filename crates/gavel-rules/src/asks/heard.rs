//! What a person said, in order, as asks: words that were said in the place of others leave these on
//! record, and point from them to the new ones.

use std::collections::BTreeMap;

use gavel_domain::{Ask, AskSource};

use super::{cut_asks, number_asks};

/// Words of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// Where they were said.
    pub source: AskSource,
    /// The words.
    pub text: String,
    /// What they were said in the place of.
    pub instead_of: InsteadOf,
}

/// Which earlier asks words were said in the place of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsteadOf {
    /// Of none: they add to what was said.
    Nothing,
    /// Of all that was said before them.
    AllBefore,
    /// Of these asks: where they were said, and their words.
    These(Vec<(AskSource, String)>),
}

/// Cuts words into asks, numbers these, and marks those that others were said in the place of. What
/// was already reworded stays so; words that ask for nothing take the place of nothing.
pub fn read_words(said: &[Words]) -> Vec<Ask> {
    let spoken = said
        .iter()
        .map(|words| (words.source.clone(), words.text.clone()));
    let counts = said.iter().map(|words| cut_asks(&words.text).len());
    let places = (0..).zip(counts);
    let places = places.flat_map(|(place, count)| std::iter::repeat_n(place, count));
    let mut asks: Vec<(usize, Ask)> = places.zip(number_asks(spoken)).collect();
    for (place, words) in said.iter().enumerate() {
        let own = asks.iter().filter(|(from, _)| *from == place);
        let own: Vec<String> = own.map(|(_, ask)| ask.id.clone()).collect();
        for (from, ask) in &mut asks {
            if ask.stands() && replaces(said, (place, words), (*from, ask)) {
                ask.reworded_as.clone_from(&own);
            }
        }
    }
    asks.into_iter().map(|(_, ask)| ask).collect()
}

/// What of these words is in none of the asks yet: a wish that was said twice counts twice.
pub fn not_among(
    known: &[Ask],
    said: impl IntoIterator<Item = (AskSource, String)>,
) -> Vec<(AskSource, String)> {
    let mut left: BTreeMap<(AskSource, String), usize> = BTreeMap::new();
    for ask in known {
        *left
            .entry((ask.source.clone(), ask.text.clone()))
            .or_default() += 1;
    }
    let mut rest = Vec::new();
    for (source, text) in said {
        for span in cut_asks(&text) {
            let words = (source.clone(), span);
            match left.get_mut(&words) {
                Some(number) if *number > 0 => *number -= 1,
                Some(_) | None => rest.push(words),
            }
        }
    }
    rest
}

/// True where these words were said in the place of that ask.
fn replaces(said: &[Words], (place, words): (usize, &Words), (from, ask): (usize, &Ask)) -> bool {
    match &words.instead_of {
        InsteadOf::Nothing => false,
        InsteadOf::AllBefore => from < place,
        InsteadOf::These(these) => {
            let other = said.get(from).map(|other| &other.instead_of);
            let is_later = from >= place && other != Some(&InsteadOf::Nothing);
            let mut same = these
                .iter()
                .filter(|(source, text)| *source == ask.source && *text == ask.text);
            !is_later && same.next().is_some()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &AskSource, text: &str, instead_of: InsteadOf) -> Words {
        Words {
            source: source.clone(),
            text: text.to_owned(),
            instead_of,
        }
    }

    /// Each ask with those that took its place, a line each.
    fn told(said: &[Words]) -> Vec<String> {
        let asks = read_words(said).into_iter();
        asks.map(|ask| match ask.reworded_as.join(" ") {
            by if by.is_empty() => format!("{} {}", ask.id, ask.text),
            by => format!("{} {} -> {by}", ask.id, ask.text),
        })
        .collect()
    }

    #[test]
    fn what_is_in_no_ask_yet_is_found_once_for_each_time_it_was_said() {
        let said = |text: &str| (AskSource::Interjection, text.to_owned());
        let known = number_asks([said("with a rating"), said("in blue")]);
        let rest = |texts: &[&str]| not_among(&known, texts.iter().map(|text| said(text)));
        assert_eq!(rest(&["with a rating, in blue"]), []);
        assert_eq!(
            rest(&["in blue", "in blue", "in red"]),
            [said("in blue"), said("in red")]
        );
        let elsewhere = (AskSource::Idea, "in blue".to_owned());
        assert_eq!(not_among(&known, [elsewhere.clone()]), [elsewhere]);
    }

    #[test]
    fn the_first_words_stay_and_point_to_those_in_their_place() {
        let by = |question: &str| AskSource::Rewording {
            question: question.to_owned(),
        };
        let idea = words(&AskSource::Idea, "books, in blue", InsteadOf::Nothing);
        let rest = words(
            &AskSource::Interjection,
            "with a rating",
            InsteadOf::Nothing,
        );
        let anew = words(&by("needs-a-model"), "films", InsteadOf::AllBefore);
        let blue = vec![(AskSource::Idea, "in blue".to_owned())];
        let green = words(&by("open-asks"), "in green", InsteadOf::These(blue));
        let rated = vec![(AskSource::Interjection, "with a rating".to_owned())];
        let stars = words(&by("open-asks"), "with stars", InsteadOf::These(rated));
        let same = vec![(by("open-asks"), "in green".to_owned())];
        let again = words(&by("open-asks"), "in green", InsteadOf::These(same));
        let silent = words(&by("needs-a-model"), "?!", InsteadOf::AllBefore);
        for (said, asks) in [
            (
                vec![idea.clone(), anew.clone(), rest.clone()],
                vec![
                    "a1 books -> a3",
                    "a2 in blue -> a3",
                    "a3 films",
                    "a4 with a rating",
                ],
            ),
            (
                vec![idea.clone(), green.clone(), again],
                vec![
                    "a1 books",
                    "a2 in blue -> a3",
                    "a3 in green -> a4",
                    "a4 in green",
                ],
            ),
            (
                vec![idea.clone(), stars, rest],
                vec![
                    "a1 books",
                    "a2 in blue",
                    "a3 with stars",
                    "a4 with a rating -> a3",
                ],
            ),
            (vec![idea.clone(), silent], vec!["a1 books", "a2 in blue"]),
            (
                vec![idea, green, anew],
                vec![
                    "a1 books -> a4",
                    "a2 in blue -> a3",
                    "a3 in green -> a4",
                    "a4 films",
                ],
            ),
        ] {
            assert_eq!(told(&said), asks);
        }
    }
}
