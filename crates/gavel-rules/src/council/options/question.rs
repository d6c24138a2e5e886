//! Questions that name their options without an `or` between them: a yes or no about one thing, a
//! comparison of two, a move from one to the other.

use super::super::telling::{is_filling, words};
use super::TopicOptions;
use super::topic::{
    BETWEEN, LONGEST_OPTION, OTHER_QUESTIONS, is_choice, last_option, lower, parts_of, plain,
    trimmed,
};

/// What a yes or no question begins with, before it says what is asked.
const ASKING: &str = "are|can|chúng|could|có|cần|do|does|i|idea|is|it|make|may|mình|must|need|now|really|\
    sense|shall|should|still|ta|the|they|time|to|tôi|want|we|will|wise|worth|worthwhile|\
    would|you|whether";
/// What a question begins with that a yes or a no answers.
const YES_NO: &str = "are|can|could|có|do|does|is|must|shall|should|would|nên|chúng|whether";
/// What is done with something that is wanted.
const TAKE: &str = "add|adopt|allow|buy|choose|depend on|enable|go for|go over to|go to|go with|have|introduce|invest in|\
    keep|keep using|be kept in|be stored in|live in|live on|migrate to|migrate onto|move into|move onto|\
    move over to|move to|need|pick|prefer|rely on|remain on|run on|sit in|sit on|standardise on|\
    standardize on|start using|stay in|stay on|stay with|stick to|stick with|support|switch over to|switch to|\
    take|try|upgrade to|use|chọn|chuyển sang|dùng|giữ|nên dùng|sử dụng|thêm|áp dụng";
/// What brings something to another thing: `move the orders to X`.
const BRING: &str = "bring|convert|migrate|move|port|switch|transfer";
/// What takes something off another thing: `move the orders off X`.
const TAKE_OFF: &str = "bring|get|lift|migrate|move|port|pull|switch|take|transfer|wean";
/// What stands before the thing that something is taken off.
const OFF: [&str; 2] = ["off", "from"];
/// What puts one thing in the place of another: `swap A for B`.
pub(super) const SWAP: [&str; 4] = ["exchange", "replace", "swap", "trade"];
/// What lets something be at another thing: `keep the orders in X`.
const LET: &str = "build|deploy|hold|host|keep|leave|persist|put|run|save|serve|\
    store|write";
/// What stands before the thing that something is brought to.
const TO: [&str; 5] = ["to", "into", "onto", "over", "sang"];
/// What stands before the thing that something is at.
const AT: [&str; 6] = ["in", "into", "on", "onto", "with", "to"];
/// What is done with something that is not wanted any more.
const LEAVE: &str = "abandon|avoid|ban|come off|deprecate|discontinue|ditch|do away with|do without|drop|dump|\
    forbid|get away from|get off|get rid of|give up|leave|migrate away from|migrate from|\
    migrate off|move away from|move from|move off|part with|phase out|remove|replace|retire|rip out|scrap|\
    stop using|sunset|switch away from|switch from|switch off|throw out|turn off|wean off|bỏ|loại bỏ|ngừng dùng|tránh";
/// What may follow `or` where nothing else is offered.
const OR_NOT: &str = "not|no|stay|leave it|leave it as it is|keep what we have|not at all|stay as we are|\
    stay where we are|là không|không|thôi";
/// What says that something as a whole is good or not, in `Is X … ?`.
const WORTH: &str = "acceptable|choice|enough|fine|fit|good|ok|okay|option|right|sensible|suitable|viable|\
    worth";
/// What moves from one thing to another.
const MOVES: &str = "change|chuyển|go|migrate|move|port|switch";
/// What may stand behind `than` and is no option.
const NO_RIVALS: &str = "before|ever|expected|it|needed|now|planned|that|this|usual|we";
/// How far behind the beginning of a question its verb may stand.
const VERB_REACH: usize = 6;

/// A sentence by its words, as they are written and in lower case.
struct Question<'s> {
    parts: Vec<&'s str>,
    low: Vec<String>,
    /// True when it asks: by its mark or by its first word.
    asks: bool,
}

/// A move from one thing to another, or a yes or no that says so: `migrate from A to B, or stay`,
/// `adopt A or not`. To be read before a list of options, which both look like.
pub(super) fn read_alternative(sentence: &str, asks: bool) -> Option<TopicOptions> {
    let question = Question::of(sentence, asks);
    let other = OTHER_QUESTIONS.contains(&question.at(0));
    let read = || question.moving().or_else(|| question.or_not());
    (!other).then(read).flatten()
}

/// A comparison, or a plain yes or no: `is A better than B`, `should we add A to the api`. What
/// stands before a comma may say what it is about: `For the api, should we add A?`
pub(super) fn read_question(sentence: &str, asks: bool) -> Option<TopicOptions> {
    let question = Question::of(sentence, asks);
    if OTHER_QUESTIONS.contains(&question.at(0)) {
        return None;
    }
    let whole = question.answerable();
    whole.or_else(|| {
        let (before, after) = sentence.split_once(", ").or(sentence.split_once(": "))?;
        let mut read = Question::of(after, asks).answerable()?;
        if read.subject.is_empty() {
            read.subject = plain(&before.split_whitespace().collect::<Vec<_>>());
        }
        Some(read)
    })
}

/// An option without what is done with it: `PostgreSQL` of `migrate to PostgreSQL` and of
/// `introduce PostgreSQL`.
pub fn thing_of(option: &str) -> String {
    thing(option, &Question::of(option, false))
}

/// The same for an option that was read out of a sentence, where `Go` is a name.
pub(super) fn thing_of_read(option: &str) -> String {
    let parts = option.split_whitespace().collect();
    thing(option, &Question::read(parts, false))
}

fn thing(option: &str, question: &Question<'_>) -> String {
    let name = |at: usize| {
        let part = question.parts.get(at);
        part.is_some_and(|part| part.chars().any(char::is_uppercase))
    };
    let verb = phrase_at(&question.low, TAKE).filter(|length| name(*length));
    let skip = moved(&question.parts).max(verb.unwrap_or(0));
    let rest = question.parts.get(skip..).unwrap_or_default();
    if rest.is_empty() {
        option.to_owned()
    } else {
        plain(rest)
    }
}

/// How many words at the beginning say only that something is moved to or kept.
pub(super) fn moved(parts: &[&str]) -> usize {
    let low: Vec<String> = parts.iter().map(|part| lower(part)).collect();
    let verb = phrase_at(&low, TAKE).filter(|length| *length > 1);
    let brought = brought(parts, 0).filter(|place| place.verb == 0);
    verb.or(brought.map(|place| place.thing)).unwrap_or(0)
}

/// Something that is brought to a thing, or kept at it: `move the orders to PostgreSQL`, `the orders live
/// in SQLite`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Brought {
    /// Where the verb stands.
    pub(super) verb: usize,
    /// The words between are what is brought; where the verb has its own word for the place, they stand
    /// before it.
    pub(super) object: (usize, usize),
    /// Where the name of the thing begins.
    pub(super) thing: usize,
}

/// Finds it in words of which the first ones only ask.
pub(super) fn brought(parts: &[&str], begin: usize) -> Option<Brought> {
    let low: Vec<String> = parts.iter().map(|part| lower(part)).collect();
    let is_name = |at: usize| {
        let part = parts.get(at);
        part.is_some_and(|part| part.chars().any(|c| c.is_uppercase() || c.is_ascii_digit()))
    };
    let behind_article = |at: usize| {
        let article = low
            .get(at)
            .is_some_and(|word| matches!(word.as_str(), "a" | "an" | "the"));
        at + usize::from(article)
    };
    (begin..parts.len().min(begin + VERB_REACH)).find_map(|verb| {
        let rest = low.get(verb..)?;
        if let Some(length) = phrase_at(rest, TAKE).filter(|length| *length > 1) {
            let thing = behind_article(verb + length);
            return is_name(thing).then_some(Brought {
                verb,
                object: (begin, verb),
                thing,
            });
        }
        let (brings, lets) = (phrase_at(rest, BRING), phrase_at(rest, LET));
        let places: &[&str] = match (brings, lets) {
            (Some(_), _) => &TO,
            (None, Some(_)) => &AT,
            (None, None) => return None,
        };
        let reach = parts.len().min(verb + 2 + VERB_REACH);
        let place = (verb + 2..reach).find(|at| {
            low.get(*at)
                .is_some_and(|word| places.contains(&word.as_str()))
        })?;
        let named = (verb + 1..place).any(is_name);
        let thing = behind_article(place + 1);
        // `Switch it to postgres`: what stands alone at the end is what it is about.
        let last = brings.is_some() && thing + 1 == parts.len();
        let from = low.get(verb + 1..place)?.iter().any(|word| word == "from");
        let fits = is_name(thing) || last;
        (fits && !from && (brings.is_some() || !named)).then_some(Brought {
            verb,
            object: (verb + 1, place),
            thing,
        })
    })
}

/// Where the name begins of a thing that something is taken off, and the words for what is taken:
/// `move the orders off SQLite`.
fn taken_off(parts: &[&str], begin: usize) -> Option<Brought> {
    let low: Vec<String> = parts.iter().map(|part| lower(part)).collect();
    let verb = (begin..parts.len().min(begin + VERB_REACH))
        .find(|at| phrase_at(low.get(*at..).unwrap_or_default(), TAKE_OFF).is_some())?;
    let reach = parts.len().min(verb + 2 + VERB_REACH);
    let is_off = |at: &usize| match (low.get(*at).map(String::as_str), low.get(at + 1)) {
        (Some("out"), Some(of)) => of == "of",
        (Some(word), _) => OFF.contains(&word),
        (None, _) => false,
    };
    let off = (verb + 1..reach).find(is_off)?;
    // `Out of` and `away from` say the same.
    let article = |word: &String| matches!(word.as_str(), "of" | "a" | "an" | "the");
    let thing = off
        + 1
        + low
            .get(off + 1..)?
            .iter()
            .take_while(|w| article(w))
            .count();
    let named = parts.get(thing).is_some_and(|part| {
        part.chars().any(|c| c.is_uppercase() || c.is_ascii_digit()) || thing + 1 == parts.len()
    });
    named.then_some(Brought {
        verb,
        object: (verb + 1, off),
        thing,
    })
}

/// True for a sentence with a verb that says what becomes of a thing: without one nobody can tell whether
/// what it names is wanted.
pub(super) fn says_what_to_do(sentence: &str) -> bool {
    let question = Question::of(sentence, true);
    let asking = question.low.iter();
    let begin = asking.take_while(|word| among(word, ASKING)).count();
    let verb = |at: usize| {
        let rest = question.low.get(at..).unwrap_or_default();
        phrase_at(rest, TAKE).or(phrase_at(rest, LEAVE)).is_some()
    };
    (0..=begin + VERB_REACH).any(verb)
        || taken_off(&question.parts, begin).is_some()
        || brought(&question.parts, begin).is_some()
}

/// True for one of these words or phrases, which are divided by `|`.
fn among(word: &str, list: &str) -> bool {
    list.split('|').any(|other| other == word)
}

/// The length of the longest phrase that these words begin with.
fn phrase_at(low: &[String], phrases: &str) -> Option<usize> {
    let begins = |phrase: &&str| {
        let mut low = low.iter();
        let first = low.clone().next().map_or("", String::as_str);
        // `adding` is a form of `add`, and so are `using` and `dropping` of their verbs.
        if let Some(stem) = first.strip_suffix("ing")
            && !phrase.contains(' ')
        {
            let bare = phrase.strip_suffix('e').unwrap_or(phrase);
            let doubled = stem
                .strip_prefix(bare)
                .is_some_and(|end| bare.ends_with(end));
            return doubled;
        }
        phrase
            .split(' ')
            .all(|word| low.next().is_some_and(|own| own == word))
    };
    let lengths = phrases
        .split('|')
        .filter(begins)
        .map(|phrase| phrase.split(' ').count());
    lengths.max()
}

impl<'s> Question<'s> {
    fn of(sentence: &'s str, asks: bool) -> Self {
        Self::read(parts_of(sentence), asks)
    }

    fn read(mut parts: Vec<&'s str>, asks: bool) -> Self {
        let mut low: Vec<String> = parts.iter().map(|part| lower(part)).collect();
        // At the end it makes a question, unless it is offered: `có nên dùng A không`.
        if let [.., before, last] = low.as_slice()
            && last == "không"
            && before != "là"
            && !BETWEEN.contains(&before.as_str())
        {
            parts.pop();
            low.pop();
        }
        let begins = low.first().is_some_and(|word| among(word, YES_NO));
        Self {
            parts,
            low,
            asks: asks || begins,
        }
    }

    fn at(&self, at: usize) -> &str {
        self.low.get(at).map_or("", String::as_str)
    }

    fn words(&self, from: usize, to: usize) -> &[&'s str] {
        self.parts.get(from..to).unwrap_or_default()
    }

    fn find(&self, from: usize, any_of: &[&str]) -> Option<usize> {
        (from..self.parts.len()).find(|at| any_of.contains(&self.at(*at)))
    }

    /// What a yes, a no or a name answers.
    fn answerable(&self) -> Option<TopicOptions> {
        if !self.asks {
            return None;
        }
        let begins = among(self.at(0), YES_NO)
            || phrase_at(&self.low, TAKE).is_some()
            || phrase_at(&self.low, LEAVE).is_some()
            || taken_off(&self.parts, 0).is_some_and(|place| place.verb == 0)
            || brought(&self.parts, 0).is_some_and(|place| place.verb == 0);
        let yes_or_no = || self.yes_or_no(self.parts.len(), false);
        self.compared().or_else(|| begins.then(yes_or_no).flatten())
    }

    /// `migrate the queue from A to B, or stay?`
    fn moving(&self) -> Option<TopicOptions> {
        let verb = (0..self.parts.len()).find(|at| among(self.at(*at), MOVES))?;
        let from = self
            .find(verb + 1, &["from", "off", "từ"])
            .filter(|at| at - verb <= VERB_REACH)?;
        let to = self.find(from + 1, &["to", "sang"])?;
        let or = self.find(to + 1, &BETWEEN);
        if !self.asks && or.is_none() {
            return None;
        }
        let (new, mut subject) = last_option(self.words(to + 1, or.unwrap_or(self.parts.len())));
        let old = plain(self.words(from + 1, to));
        if subject.is_empty() {
            subject = trimmed(&self.words(verb + 1, from).join(" "));
        }
        let named = vec![new, old];
        let options = match (self.at(verb), named.as_slice()) {
            ("chuyển", [new, old]) => vec![format!("chuyển sang {new}"), format!("giữ {old}")],
            (verb, [new, old]) => vec![format!("{verb} to {new}"), format!("stay with {old}")],
            _ => return None,
        };
        is_choice(&named, true).then_some(TopicOptions {
            options,
            subject,
            named,
            aliases: Vec::new(),
        })
    }

    /// `adopt A or not`, `A: yes or no`, `có nên dùng A hay không`.
    fn or_not(&self) -> Option<TopicOptions> {
        let or = (0..self.parts.len())
            .rev()
            .find(|at| BETWEEN.contains(&self.at(*at)))?;
        let behind = self.low.get(or + 1..)?.join(" ");
        if !among(&behind, OR_NOT) && !self.is_about_it(or + 1) {
            return None;
        }
        let yes = or
            .checked_sub(1)
            .filter(|at| matches!(self.at(*at), "yes" | "có"));
        self.yes_or_no(yes.unwrap_or(or), true)
    }

    /// True for words that only say to take or to leave what was named: `or keep it`.
    fn is_about_it(&self, from: usize) -> bool {
        let rest = self.low.get(from..).unwrap_or_default();
        let verb = [TAKE, LEAVE]
            .into_iter()
            .filter_map(|verbs| phrase_at(rest, verbs));
        let length = verb.max().unwrap_or(rest.len());
        let behind = rest.get(length..).unwrap_or_default();
        matches!(behind, [it] if matches!(it.as_str(), "it" | "them" | "that" | "this"))
    }

    /// `is A better than B`, `use A instead of B`, `replace A with B`.
    fn compared(&self) -> Option<TopicOptions> {
        let than = self.find(1, &["than"]);
        let instead =
            (1..self.parts.len()).find(|at| self.at(*at) == "instead" && self.at(at + 1) == "of");
        let over = self.find(1, &["over"]).filter(|over| {
            let chosen = ["choose", "favour", "favor", "pick", "prefer", "take", "use"];
            self.find(0, &chosen).is_some_and(|verb| verb < *over)
        });
        let rather = than.and_then(|than| than.checked_sub(1));
        let rather = rather.filter(|at| *at > 0 && self.at(*at) == "rather");
        let (left, right) = if let Some(rather) = rather {
            (self.wanted(rather), rather + 2)
        } else if let Some(than) = than {
            let behind = self.comparative(than)?;
            (behind, than + 1)
        } else if let Some(instead) = instead {
            (self.wanted(instead), instead + 2)
        } else if let Some(over) = over {
            (self.words(self.verb(over), over), over + 1)
        } else {
            let verb = self.find(0, &SWAP)?;
            let with = self.find(verb + 1, &["with", "by", "for"])?;
            (self.words(verb + 1, with), with + 1)
        };
        if among(self.at(right), NO_RIVALS) {
            return None;
        }
        let (right, subject) = last_option(self.words(right, self.parts.len()));
        let options = vec![plain(left), right];
        let named = |name: &String| words(name).iter().any(|word| !is_filling(word));
        let number = |name: &String| name.starts_with(|c: char| c.is_ascii_digit());
        let fits = options.iter().all(|name| named(name) && !number(name));
        (fits && is_choice(&options, true)).then_some(TopicOptions {
            options,
            subject,
            named: Vec::new(),
            aliases: Vec::new(),
        })
    }

    /// The first of two that are compared: before the comparative, or behind it.
    fn comparative(&self, than: usize) -> Option<&[&'s str]> {
        let compares = |at: usize| {
            let word = self.at(at);
            let graded = at > 0 && matches!(self.at(at - 1), "more" | "less");
            graded || word.ends_with("er") || matches!(word, "worse" | "rather")
        };
        let before = than.checked_sub(1)?;
        if compares(before) {
            let graded = before > 0 && matches!(self.at(before - 1), "more" | "less");
            let end = before - usize::from(graded);
            return Some(self.words(self.verb(end), end));
        }
        let better = (0..before).rev().find(|at| compares(*at))?;
        Some(self.words(better + 1, than))
    }

    /// What is wanted before `end`: `PostgreSQL` of `run the orders on PostgreSQL`.
    fn wanted(&self, end: usize) -> &[&'s str] {
        let asking = self.low.iter().take(end);
        let begin = asking.take_while(|word| among(word, ASKING)).count();
        let brought = brought(self.words(0, end), begin);
        let from = brought.map_or_else(|| self.verb(end), |place| place.thing);
        self.words(from, end)
    }

    /// Where what is asked about begins: behind the words that only ask and what is done with it.
    fn verb(&self, end: usize) -> usize {
        let asking = (0..end)
            .take_while(|at| among(self.at(*at), ASKING))
            .count();
        let low = self.low.get(asking..end).unwrap_or_default();
        asking + phrase_at(low, TAKE).unwrap_or(0)
    }

    /// A yes or no about what stands before `end`; `sure` when the question says so itself.
    fn yes_or_no(&self, end: usize, sure: bool) -> Option<TopicOptions> {
        let low = self.low.get(..end)?;
        let begin = low.iter().take_while(|word| among(word, ASKING)).count();
        let parts = self.parts.get(..end)?;
        let off = taken_off(parts, begin).map(|place| (place, ["no", "yes"]));
        let to = || brought(parts, begin).map(|place| (place, ["yes", "no"]));
        if let Some((place, answers)) = off.or_else(to) {
            return self.about_place(place, end, answers);
        }
        let verb = (0..end.min(begin + VERB_REACH)).find_map(|at| {
            let rest = low.get(at..)?;
            let take = phrase_at(rest, TAKE).map(|length| (length, false));
            let leave = phrase_at(rest, LEAVE).map(|length| (length, true));
            let (length, leaves) = take.into_iter().chain(leave).max()?;
            Some((at, at + length, leaves))
        });
        let (thing, mut subject, leaves) = match verb {
            Some((at, from, leaves)) => {
                let (thing, mut subject) = last_option(self.words(from, end));
                if subject.is_empty() && at > begin {
                    subject = trimmed(&self.words(begin, at).join(" "));
                }
                (thing, subject, leaves)
            }
            None if matches!(self.at(0), "is" | "are") => {
                let (name, subject) = self.praised(end)?;
                (name, subject, false)
            }
            None => {
                let (thing, subject) = last_option(self.words(begin, end));
                (thing, subject, false)
            }
        };
        if subject.is_empty() && words(&thing).len() > 1 {
            subject.clone_from(&thing);
        }
        let answers = if leaves { ["no", "yes"] } else { ["yes", "no"] };
        is_thing(&thing, sure).then(|| TopicOptions {
            options: answers.map(str::to_owned).to_vec(),
            subject,
            named: vec![thing],
            aliases: Vec::new(),
        })
    }

    /// A yes or no about something that is brought to a thing, or taken off it.
    fn about_place(&self, place: Brought, end: usize, answers: [&str; 2]) -> Option<TopicOptions> {
        let (thing, mut subject) = last_option(self.words(place.thing, end));
        if subject.is_empty() {
            subject = trimmed(&self.words(place.object.0, place.object.1).join(" "));
        }
        is_thing(&thing, true).then(|| TopicOptions {
            options: answers.map(str::to_owned).to_vec(),
            subject,
            named: vec![thing],
            aliases: Vec::new(),
        })
    }

    /// The thing of `is A good enough for B`: a name, and a word that says what it is worth.
    fn praised(&self, end: usize) -> Option<(String, String)> {
        let article = |at: usize| matches!(self.at(at), "a" | "an" | "the");
        let from = (1..end).find(|at| !article(*at))?;
        let named = |at: &usize| {
            let part = self.parts.get(*at).copied().unwrap_or_default();
            part.chars().any(|c| c.is_uppercase() || c.is_ascii_digit())
        };
        let to = from + (from..end).take_while(named).count();
        let worth = (to..end).find(|at| to > from && among(self.at(*at), WORTH))?;
        let (_, subject) = last_option(self.words(worth, end));
        Some((plain(self.words(from, to)), subject))
    }
}

/// True for a name, or for enough words to know in a source what is meant.
fn is_thing(thing: &str, sure: bool) -> bool {
    let all = words(thing);
    let telling: Vec<&String> = all.iter().filter(|word| !is_filling(word)).collect();
    let name = thing
        .chars()
        .any(|c| c.is_uppercase() || c.is_ascii_digit());
    let long = telling.iter().any(|word| word.chars().count() > 3);
    let told = telling.len() > 1 || name || sure && long;
    !telling.is_empty() && told && all.len() <= LONGEST_OPTION
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
