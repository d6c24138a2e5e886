use super::*;

use gavel_domain::{ExampleAction, ExampleStep, quoted_word};
use proptest::prelude::prop;

use crate::examples::{Said, StepEnd, StepOrder, StepSeen, judge_example};

const KNOWN: [&str; 3] = ["add", "list", "search"];

fn varied(text: &str, known: &[&str], seed: u64) -> Option<Varied> {
    let known: Vec<String> = known.iter().map(|word| (*word).to_owned()).collect();
    vary(&text.parse().unwrap(), &known, seed)
}

/// The values that are free, as they are written.
fn free(text: &str, known: &[&str]) -> Vec<String> {
    let changed = varied(text, known, 7).map(|varied| varied.changed);
    let mut all: Vec<String> = changed
        .unwrap_or_default()
        .into_iter()
        .map(|pair| pair.0)
        .collect();
    all.sort();
    all
}

#[test]
fn what_goes_in_and_comes_out_is_free() {
    for (text, wanted) in [
        ("$ add Amber\n$ list\nhas Amber", vec!["Amber"]),
        ("$ add --title=Amber\n$ list\nhas AMBER", vec!["Amber"]),
        (
            "$ add \"Amber lamp\"\n$ search LAMP\nhas Amber",
            vec!["Amber"],
        ),
        ("$ add\nstdin \"Amber\\n\"\nhas Amber", vec!["Amber"]),
        ("file in.txt \"Amber\"\n$ list\nhas Amber", vec!["Amber"]),
        ("$ add Amber\nholds notes.txt Amber", vec!["Amber"]),
        ("$ add Amber\njson /0 \"Amber\"", vec!["Amber"]),
        (
            "POST /items {\"title\": \"Amber\"}\nGET /items\nhas Amber",
            vec!["Amber"],
        ),
        (
            "GET /items/amber?tag=crimson\nhas amber crimson",
            vec!["amber", "crimson"],
        ),
        ("$ add 42.50\n$ list\nhas 42.50", vec!["42.50"]),
        (
            "$ add 2026-03-05\n$ list\nhas 2026-03-05",
            vec!["2026-03-05"],
        ),
        ("$ add a@amber.org\n$ list\nhas a@amber.org", vec!["amber"]),
        (
            "$ add crimson,navy\n$ list\nhas \"crimson, navy\"",
            vec!["crimson", "navy"],
        ),
        (
            "$ add \"Amber Post\"\nholds posts/amber-post.md \"# Amber\"",
            vec!["Amber"],
        ),
    ] {
        assert_eq!(free(text, &KNOWN), wanted, "{text}");
    }
}

#[test]
fn what_means_something_is_not() {
    for text in [
        // Nothing comes back.
        "$ add Amber\nexit 2\nerror Amber",
        "$ add Amber\nlacks Amber",
        // Words of the interface.
        "$ add --tag x\nhas tag",
        "$ add list\nhas list",
        "POST /items {\"title\": 1}\nhas title",
        "GET /items\nhas items",
        // Said to be fixed, or meant by many programs.
        "fixed Amber: a colour that is known\n$ add Amber\nhas Amber",
        "$ add yes\nhas yes",
        "$ add March\nhas March",
        "$ add EUR\nhas EUR",
        // The program said it first.
        "$ list\nhas inbox\n$ add inbox\nhas inbox",
        "$ add x\nhas 12\n$ list 12\nhas 12",
        // Ids, sums, times, versions.
        "$ add 2\nhas 2",
        "$ add 12 30\nhas 12 42",
        "$ add 14:30\nhas 14:30",
        "$ add 1.2.3\nhas 1.2.3",
        "$ add 2026-03-05 2026-03-08\nhas 2026-03-05 \"3 days\"",
        // Another form of the word is part of the interface, or of what comes out.
        "$ add lists\nhas lists",
        "$ add amber\nhas amber ambers",
        // A part of it is looked for.
        "$ add registry\n$ search EGIS\nhas registry",
        // Code, keys, headings of columns, names of files.
        "file a.py \"import amber\"\n$ list\nhas amber",
        "file a.toml \"amber = 1\"\n$ list\nhas amber",
        "file a.csv \"amber,birch\\n1,2\"\n$ list\nhas amber",
        "$ add crimson\nholds amber.txt amber",
    ] {
        assert_eq!(free(text, &KNOWN), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn without_declared_words_the_first_two_may_be_commands() {
    let text = "$ bookmark add Amber\nhas Amber bookmark";
    assert_eq!(free(text, &[]), ["Amber"]);
    assert_eq!(free("$ greet amber\nhas amber", &[]), Vec::<String>::new());
    assert_eq!(free("$ greet amber\nhas amber", &["greet"]), ["amber"]);
}

#[test]
fn names_of_files_vary_with_what_they_come_from() {
    let text = "file posts/hello.md \"# Hello\"\n$ build\nholds out/hello.html \"<h1>Hello</h1>\"";
    let Varied { example, changed } = varied(text, &["build"], 3).unwrap();
    let (written, name) = changed.first().unwrap();
    assert_eq!((written.as_str(), changed.len()), ("hello", 1));
    let (first, rest) = name.split_at(1);
    let title = first.to_uppercase() + rest;
    let wanted = format!(
        "file posts/{name}.md \"# {title}\"\n$ build\nholds out/{name}.html \"<h1>{title}</h1>\"\n"
    );
    assert_eq!(example.to_string(), wanted);
}

#[test]
fn a_seed_gives_one_variation_and_seeds_differ() {
    let text = "$ add \"Amber lamp\" 42\n$ list\nhas \"Amber lamp\" 42";
    let all: Vec<String> = (0..20)
        .map(|seed| {
            let once = varied(text, &KNOWN, seed).unwrap();
            assert_eq!(Some(&once), varied(text, &KNOWN, seed).as_ref());
            assert_eq!(once.example.to_string().parse(), Ok(once.example.clone()));
            once.example.to_string()
        })
        .collect();
    let different: BTreeSet<&String> = all.iter().collect();
    assert!(different.len() > 15, "{different:?}");
}

/// Keeps what is added, one line each; lists it sorted; searches in small letters.
#[derive(Default)]
struct Ideal(Vec<String>);

impl Ideal {
    fn run(&mut self, args: &[String]) -> String {
        let lines = |lines: &[String]| lines.iter().map(|line| format!("- {line}\n")).collect();
        match args {
            [add, rest @ ..] if add == "add" => {
                self.0.push(rest.join(" | "));
                String::new()
            }
            [search, text] if search == "search" => {
                let text = text.to_lowercase();
                let found = |line: &&String| line.to_lowercase().contains(&text);
                let found: Vec<String> = self.0.iter().filter(found).cloned().collect();
                lines(&found)
            }
            _ => {
                self.0.sort_by_key(|line| line.to_lowercase());
                lines(&self.0)
            }
        }
    }
}

fn seen(out: String) -> StepSeen {
    StepSeen {
        end: StepEnd::Exited { code: 0 },
        out: Said {
            text: out,
            cut: false,
        },
        err: Said::default(),
        files: Vec::new(),
        changed_files: false,
        millis: 0,
    }
}

fn executed(example: &Example) -> Vec<StepSeen> {
    let mut program = Ideal::default();
    let step = |step: &ExampleStep| match &step.action {
        ExampleAction::Run { args, .. } => seen(program.run(args)),
        ExampleAction::Ask { .. } => panic!("{step}"),
    };
    example.steps.iter().map(step).collect()
}

/// An example of which the ideal program keeps everything: all of a list, one line of a search.
fn example_of(entries: &[Vec<String>], queries: &[String]) -> Example {
    let words = |words: &[String]| {
        words
            .iter()
            .map(|word| format!(" {}", quoted_word(word)))
            .collect::<String>()
    };
    let mut text: String = entries
        .iter()
        .map(|entry| format!("$ add{}\n", words(entry)))
        .collect();
    text += "$ list\n";
    for query in queries {
        text += &format!("$ search {}\n", quoted_word(query));
    }
    let mut example: Example = text.parse().unwrap();
    let came = executed(&example);
    for (step, seen) in example.steps.iter_mut().zip(came) {
        if !seen.out.text.is_empty() {
            step.has.push(seen.out.text.trim_end().to_owned());
        }
        let missing = entries
            .iter()
            .flatten()
            .filter(|word| !seen.out.text.contains(*word));
        step.lacks.extend(missing.cloned());
    }
    example
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(300))]
    #[test]
    fn who_does_the_work_keeps_every_variation_and_who_learned_it_by_heart_keeps_none(
        entries in prop::collection::vec(
            prop::collection::vec("[A-Z][a-z]{2,7}( [a-z]{2,6})?|[a-z]{3,9}|[1-9][0-9]{1,3}|202[0-9]-0[1-9]-[12][0-9]|https://[a-z]{3,6}[.]org/[a-z]{3,6}", 1..4),
            1..5,
        ),
        picked in prop::collection::vec((0..5_usize, 0..4_usize, 0..9_usize, proptest::bool::ANY), 0..3),
        seed in proptest::num::u64::ANY,
    ) {
        let queries: Vec<String> = picked.iter().filter_map(|(entry, word, cut, upper)| {
            let word = entries.get(*entry)?.get(*word)?;
            let part = word.get(..word.len().saturating_sub(*cut).max(2))?;
            Some(if *upper { part.to_uppercase() } else { part.to_owned() })
        }).collect();
        let example = example_of(&entries, &queries);
        let by_heart = executed(&example);
        proptest::prop_assert_eq!(judged(&example, &by_heart), Vec::<String>::new());
        if let Some(varied) = varied(&example.to_string(), &KNOWN, seed) {
            let came = executed(&varied.example);
            let problems = judged(&varied.example, &came);
            proptest::prop_assert_eq!(problems, Vec::<String>::new(), "{}\n{}", example, varied.example);
            proptest::prop_assert!(!judged(&varied.example, &by_heart).is_empty());
            proptest::prop_assert!(!varied.changed.is_empty());
        }
    }
}

fn judged(example: &Example, seen: &[StepSeen]) -> Vec<String> {
    judge_example(example, &StepOrder::written(example), seen)
}
