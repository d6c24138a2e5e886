//! The order in which an example's steps are done: reading more often than it is written, so that a
//! program that knows an example as a pattern of calls does not keep it.
//!
//! Nothing lives from one run to the next but files. What changed none can be repeated, and exchanged
//! with its neighbour, without a difference for anybody who does not count calls. A program can write
//! at each call and so hide that it only reads; commands that say by their name that they read are
//! therefore taken at their word.

use gavel_domain::{Example, ExampleAction, ExampleStep};

use super::random::Sequence;

/// Words of commands that read.
const READING: [&str; 18] = [
    "list",
    "ls",
    "show",
    "search",
    "find",
    "view",
    "status",
    "stats",
    "count",
    "report",
    "summary",
    "help",
    "--help",
    "-h",
    "version",
    "--version",
    "-V",
    "-v",
];
/// Examples with more steps are done as they are written.
const MOST_STEPS: usize = 40;

/// The order of steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepOrder {
    /// The steps, one after another.
    pub steps: Vec<OrderedStep>,
    /// What is other than it is written, for people.
    pub changes: Vec<String>,
}

/// A step at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedStep {
    /// Its number among the example's steps, from zero.
    pub step: usize,
    /// Whether what it expects must come; it may not at a place where it is not written.
    pub is_judged: bool,
}

impl StepOrder {
    /// As it is written.
    pub fn written(example: &Example) -> Self {
        let judged = |step| OrderedStep {
            step,
            is_judged: true,
        };
        Self {
            steps: (0..example.steps.len()).map(judged).collect(),
            changes: Vec::new(),
        }
    }
}

/// Another order of the same steps. `changed_nothing` says which of them changed no file when they were
/// done as written; `known_words` are words of the interface.
pub fn order_steps(
    example: &Example,
    known_words: &[String],
    changed_nothing: &[bool],
    seed: u64,
) -> StepOrder {
    let mut order = StepOrder::written(example);
    if example.steps.len() > MOST_STEPS {
        return order;
    }
    let steps: Vec<Reads> = (0..example.steps.len())
        .map(|at| {
            let still = changed_nothing.get(at).copied().unwrap_or_default();
            Reads::of(example, at, known_words, still)
        })
        .collect();
    let mut random = Sequence::of(seed, 0);
    order.exchange(example, &steps, &mut random);
    order.repeat(example, &steps, &mut random);
    order.insert(example, &steps, &mut random);
    order
}

/// What is known about a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// It may change something.
    No,
    /// It changed nothing at its place.
    Here,
    /// Its name says that it reads, wherever it is done.
    Anywhere,
}

impl Reads {
    fn of(example: &Example, at: usize, known_words: &[String], changed_nothing: bool) -> Self {
        let Some(args) = example.steps.get(at).and_then(words) else {
            return Self::No;
        };
        if is_reading(args, example, known_words) {
            return Self::Anywhere;
        }
        match changed_nothing {
            true => Self::Here,
            false => Self::No,
        }
    }
}

/// The words that a run has; `None` for a question to a server, whose memory nobody sees.
fn words(step: &ExampleStep) -> Option<&[String]> {
    match &step.action {
        ExampleAction::Run { args, .. } => Some(args),
        ExampleAction::Ask { .. } => None,
    }
}

/// `list …`, or `book list …` beside another command of books.
fn is_reading(args: &[String], example: &Example, known_words: &[String]) -> bool {
    let reads = |word: &String| {
        let is_fixed = example.fixed.iter().any(|fixed| fixed.word == *word);
        READING.contains(&word.as_str()) && !is_fixed
    };
    match args {
        [first, ..] if reads(first) => true,
        [group, verb, ..] if reads(verb) => example.steps.iter().filter_map(words).any(|other| {
            matches!(other, [same, another, ..]
                if same == group && another != verb && known_words.contains(another))
        }),
        _ => false,
    }
}

impl StepOrder {
    fn exchange(&mut self, example: &Example, steps: &[Reads], random: &mut Sequence) {
        let mut at = 0;
        while at + 1 < steps.len() {
            let free = |one: usize| steps.get(one).is_some_and(|reads| *reads != Reads::No);
            if free(at) && free(at + 1) && random.below(2) == 0 {
                self.steps.swap(at, at + 1);
                let [one, other] = [at, at + 1].map(|step| headline(example, step));
                self.changes.push(format!("{one} after {other}"));
                at += 1;
            }
            at += 1;
        }
    }

    /// At least one step that reads is done twice in a row, and must give the same.
    fn repeat(&mut self, example: &Example, steps: &[Reads], random: &mut Sequence) {
        let reading: Vec<usize> = (0..steps.len())
            .filter(|at| steps.get(*at).is_some_and(|reads| *reads != Reads::No))
            .collect();
        let chosen = random.pick(&reading);
        for step in reading {
            if Some(step) != chosen && random.below(2) == 0 {
                continue;
            }
            if let Some(at) = self.steps.iter().position(|one| one.step == step) {
                let again = OrderedStep {
                    step,
                    is_judged: true,
                };
                self.steps.insert(at + 1, again);
                self.changes
                    .push(format!("{} twice", headline(example, step)));
            }
        }
    }

    /// A step that reads is done somewhere else, too; what comes of it there nobody knows.
    fn insert(&mut self, example: &Example, steps: &[Reads], random: &mut Sequence) {
        let anywhere: Vec<usize> = (0..steps.len())
            .filter(|at| steps.get(*at) == Some(&Reads::Anywhere))
            .collect();
        let Some(step) = random.pick(&anywhere) else {
            return;
        };
        let asks = |one: Option<&OrderedStep>| {
            let step = one.and_then(|one| example.steps.get(one.step));
            step.is_some_and(|step| words(step).is_none())
        };
        // Not first: what is written first may have to make what others read. Not between two questions to
        // a server: it would be started anew.
        let places: Vec<usize> = (1..=self.steps.len())
            .filter(|at| !(asks(self.steps.get(at - 1)) && asks(self.steps.get(*at))))
            .collect();
        if let Some(at) = random.pick(&places) {
            let more = OrderedStep {
                step,
                is_judged: false,
            };
            self.steps.insert(at, more);
            let what = headline(example, step);
            self.changes.push(format!("{what} also as call {}", at + 1));
        }
    }
}

fn headline(example: &Example, step: usize) -> String {
    let step = example.steps.get(step).map(ExampleStep::headline);
    format!("`{}`", step.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    /// The judged steps and the others, by number.
    fn judged(order: &StepOrder) -> Vec<usize> {
        let judged = order.steps.iter().filter(|one| one.is_judged);
        judged.map(|one| one.step).collect()
    }

    #[test]
    fn what_may_change_something_is_done_once_and_in_its_order() {
        let example: Example = "$ add Amber\n$ list\nhas Amber\n$ add Birch\n$ list\nhas Birch"
            .parse()
            .unwrap();
        for seed in 0..200 {
            let order = order_steps(&example, &[], &[], seed);
            let all: Vec<usize> = order.steps.iter().map(|one| one.step).collect();
            let adds: Vec<usize> = all.iter().copied().filter(|at| at % 2 == 0).collect();
            assert_eq!(adds, [0, 2], "{order:?}");
            assert_eq!(all.first(), Some(&0), "{order:?}");
            assert!(all.len() >= 6, "one is repeated, one inserted: {order:?}");
            let mut once = judged(&order);
            once.dedup();
            assert_eq!(once, [0, 1, 2, 3], "{order:?}");
            assert_eq!(order, order_steps(&example, &[], &[], seed));
        }
    }

    #[test]
    fn only_what_is_known_to_read_is_done_again() {
        for (example, words, still, again) in [
            ("$ list", &[][..], &[][..], true),
            ("$ --help", &[], &[], true),
            ("$ add list", &["add"], &[false], false),
            ("$ note list\n$ note Amber", &["note", "list"], &[], false),
            (
                "$ book add\n$ book list",
                &["book", "add", "list"],
                &[],
                true,
            ),
            ("$ burn\nexit 2", &[], &[true], true),
            ("$ burn\nexit 2", &[], &[false], false),
            (
                "$ list\nfixed list: it marks what was read",
                &[],
                &[false],
                false,
            ),
            ("GET /items\nGET /items", &[], &[true, true], false),
        ] {
            let parsed: Example = example.parse().unwrap();
            let order = order_steps(&parsed, &known(words), still, 5);
            assert_eq!(order != StepOrder::written(&parsed), again, "{example}");
        }
    }

    #[test]
    fn neighbours_that_read_change_places() {
        let example: Example = "$ add A\n$ list\n$ search A".parse().unwrap();
        let orders: Vec<StepOrder> = (0..40)
            .map(|seed| order_steps(&example, &[], &[], seed))
            .collect();
        let exchanged = orders.iter().filter(|order| {
            let all = judged(order);
            all.iter().position(|at| *at == 2) < all.iter().position(|at| *at == 1)
        });
        let count = exchanged.count();
        assert!((5..35).contains(&count), "{count}");
    }

    #[test]
    fn a_server_is_not_started_anew_between_two_questions() {
        let example: Example = "$ list\nPOST /x {}\nGET /x\n$ list".parse().unwrap();
        for seed in 0..100 {
            let order = order_steps(&example, &[], &[], seed);
            let all: Vec<usize> = order.steps.iter().map(|one| one.step).collect();
            assert!(all.windows(2).any(|two| two == [1, 2]), "{all:?}");
        }
    }
}
