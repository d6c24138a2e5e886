//! A crate with most of what Rust has, under `#![deny(warnings)]`.

use super::*;

const LIB: &str = r#"#!/usr/bin/env nothing
//! A shop.
#![deny(warnings)]
#![forbid(unsafe_code)]

/// Documented: the text must stay with its item.
pub mod basket;
mod price;
#[cfg(test)]
mod checks;

pub use price::{Discount, total};

/// What a line costs.
pub fn line(count: u32, each: u32) -> u32 {
    count
        * each
}

pub mod outer {
    pub mod inner {
        /// Two modules down.
        pub fn is_large(count: u32) -> bool {
            count > 10
        }
        pub fn nested() -> u8 {
            mod deepest {
                pub fn three() -> u8 {
                    1 + 2
                }
            }
            deepest::three()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_multiplied() {
        assert_eq!(line(3, 5), 15);
    }

    #[test]
    fn ten_is_not_large() {
        assert!(!outer::inner::is_large(10));
        assert!(outer::inner::is_large(11));
        assert_eq!(outer::inner::nested(), 3);
    }

    #[test]
    fn hollow() {
        line(3, 5);
    }
}
"#;

const BASKET: &str = r#"//! What was bought.
use std::collections::BTreeMap;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BasketError {
    Empty,
    TooMany(u32),
}

impl fmt::Display for BasketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("empty"),
            Self::TooMany(count) if *count > 1_000 => write!(f, "far too many"),
            Self::TooMany(count) => write!(f, "{count} are too many"),
        }
    }
}

/// No default.
pub struct Receipt(String);

impl Receipt {
    pub fn text(&self) -> &str {
        &self.0
    }
}

#[derive(Default)]
pub struct Basket<T: Ord + Clone> {
    items: BTreeMap<T, u32>,
}

impl<T: Ord + Clone + fmt::Display> Basket<T> {
    const MOST: u32 = 10 * 10;

    pub fn add(&mut self, item: T, count: u32) -> Result<u32, BasketError> {
        if count > Self::MOST {
            return Err(BasketError::TooMany(count));
        }
        let slot = self.items.entry(item).or_insert(0);
        *slot += count;
        Ok(*slot)
    }

    pub fn first(&self) -> Option<&T> {
        self.items.keys().next()
    }

    pub fn receipt(&self) -> Result<Receipt, BasketError> {
        let Some(first) = self.first() else {
            return Err(BasketError::Empty);
        };
        let mut text = first.to_string();
        for (item, count) in self.items.iter().skip(1) {
            if let Some(last) = text.chars().last()
                && last != ' '
            {
                text.push(' ');
            }
            text = text + &item.to_string() + &format!(" {}", count + 1 - 1);
        }
        Ok(Receipt(text))
    }

    pub const fn limit() -> u32 {
        Self::MOST + 1
    }

    pub fn into_names(self) -> impl Iterator<Item = T> {
        self.items.into_keys()
    }

    pub fn deferred(&self) -> u32 {
        let found;
        if self.items.is_empty() {
            found = 0;
        } else {
            found = 1;
        }
        found
    }
}
"#;

const PRICE: &str = r#"pub trait Discount {
    fn off(&self, sum: u32) -> u32;
    fn apply(&self, sum: u32) -> u32 {
        sum.saturating_sub(self.off(sum))
    }
}

impl<F: Fn(u32) -> u32> Discount for F {
    fn off(&self, sum: u32) -> u32 {
        self(sum)
    }
}

macro_rules! twice {
    ($value:expr) => {
        $value + $value
    };
}

pub fn total(prices: &[u32], discount: &dyn Discount) -> u32 {
    let mut sum = 0;
    let mut at = 0;
    'all: while at < prices.len() {
        for price in &prices[at..at + 1] {
            if *price == 0 {
                break 'all;
            }
            sum += price;
        }
        at += 1;
    }
    assert!(twice!(sum) >= sum);
    discount.apply(sum)
}
"#;

const CHECKS: &str = r#"use crate::basket::{Basket, BasketError};

fn helper() -> bool {
    1 + 1 == 2
}

#[test]
fn baskets_add_up() {
    assert!(helper());
    let mut basket = Basket::default();
    assert_eq!(basket.add("pear", 2), Ok(2));
    assert_eq!(basket.add("apple", 100), Ok(100));
    assert_eq!(basket.add("apple", 101), Err(BasketError::TooMany(101)));
    assert_eq!(basket.first(), Some(&"apple"));
    assert_eq!(basket.receipt().map(|paper| paper.text().to_owned()), Ok("apple pear 2".to_owned()));
    assert_eq!(basket.deferred(), 1);
    assert_eq!(Basket::<u8>::limit(), 101);
    assert_eq!(basket.into_names().count(), 2);
}

#[test]
fn totals_end_at_nothing() {
    assert_eq!(crate::total(&[1, 2, 0, 4], &|sum| sum / 3), 2);
}
"#;

const MANIFEST: &str = "[package]\nname = \"shop\"\nversion = \"1.0.0\"\nedition = \"2024\"\n[lib]\ndoctest = false\n[workspace]\n[lints.rust]\nunused = \"deny\"\nunsafe_code = \"forbid\"\n";

fn shop() -> Project {
    Project::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIB),
        ("src/basket.rs", BASKET),
        ("src/price.rs", PRICE),
        ("src/checks.rs", CHECKS),
        ("tests/it.rs", "#[test] fn t() { assert!(1 < 2) }\n"),
        ("build.rs", "fn main() { if 1 < 2 { println!(); } }\n"),
    ])
}

/// Builds, and takes out what does not compile, until it builds.
fn build(project: &Project, tree: &mut PlantedTree) -> usize {
    let mut dropped = 0;
    loop {
        let arguments = ["test", "--no-run", "--offline", "--message-format=json"];
        let built = project.run("cargo", &arguments);
        if built.status.success() {
            return dropped;
        }
        let json = String::from_utf8(built.stdout.clone()).unwrap();
        let now = tree.drop_uncompilable(&json).unwrap();
        assert_ne!(now, 0, "{}", text_of(&built));
        dropped += now;
    }
}

/// Function, kind, outcome, and the test that notices.
const NOTICED: &[(&str, FaultKind, &str, &str)] = &[
    (
        "line",
        FaultKind::Arithmetic,
        "count / each",
        "tests::lines_are_multiplied",
    ),
    (
        "line",
        FaultKind::DefaultValue,
        "{ 1 }",
        "tests::lines_are_multiplied",
    ),
    (
        "outer::inner::is_large",
        FaultKind::Boundary,
        "count >= 10",
        "tests::ten_is_not_large",
    ),
    (
        "outer::inner::nested::deepest::three",
        FaultKind::Arithmetic,
        "1 - 2",
        "tests::ten_is_not_large",
    ),
    (
        "Basket::add",
        FaultKind::NegatedCondition,
        "!(count > Self::MOST)",
        "checks::baskets_add_up",
    ),
    (
        "Basket::add",
        FaultKind::DroppedStatement,
        "nothing",
        "checks::baskets_add_up",
    ),
    (
        "Basket::first",
        FaultKind::DefaultValue,
        "None",
        "checks::baskets_add_up",
    ),
    (
        "Discount::apply",
        FaultKind::DefaultValue,
        "{ 0 }",
        "checks::totals_end_at_nothing",
    ),
    (
        "total",
        FaultKind::NegatedCondition,
        "while false",
        "checks::totals_end_at_nothing",
    ),
    (
        "total",
        FaultKind::NegatedCondition,
        "!(*price == 0)",
        "checks::totals_end_at_nothing",
    ),
];

#[test]
fn a_crate_carries_all_its_faults_in_one_build() {
    let project = shop();
    let mut tree = project.plant();
    for (file, original) in [
        ("src/lib.rs", LIB),
        ("src/basket.rs", BASKET),
        ("src/price.rs", PRICE),
    ] {
        assert_same_lines(&project.text(file), original);
    }
    assert_eq!(project.text("src/checks.rs"), CHECKS);
    let planted = tree.faults().len();
    let dropped = build(&project, &mut tree);
    assert_eq!(tree.faults().len(), planted - dropped);
    // `Receipt` has no default, a value that is set later must be set, a text cannot be subtracted from.
    assert!((3..=8).contains(&dropped), "{dropped}");
    let functions = |name: &str| {
        tree.faults()
            .iter()
            .any(|fault| fault.place.function == name)
    };
    assert!(functions("Basket::receipt") && !functions("Basket::limit") && !functions("helper"));

    // From here on the planted texts are out of sight; what was built from them is not.
    let binary = test_binary(&project);
    tree.restore().unwrap();
    assert_eq!(project.text("src/lib.rs"), LIB);
    let test = |name: &'static str| {
        let (project, binary) = (&project, &binary);
        move || project.run(binary, &["--exact", name]).status.success()
    };
    let all = || project.run(&binary, &[]).status.success();
    let reached = assert_harmless(&tree, &all);
    assert!(reached.len() * 10 > tree.faults().len() * 8);
    for (function, kind, after, name) in NOTICED {
        assert_noticed(&tree, fault(&tree, function, *kind, after), &test(name));
    }
    // A test without an assertion reaches the place and notices nothing.
    let unnoticed = fault(&tree, "line", FaultKind::Arithmetic, "count / each");
    let hollow = seen(
        &tree,
        Switch::Fault(unnoticed),
        unnoticed,
        &test("tests::hollow"),
    );
    assert!(hollow.passed && hollow.reached);
    let elsewhere = fault(&tree, "total", FaultKind::NegatedCondition, "while false");
    let other = seen(
        &tree,
        Switch::Fault(elsewhere),
        elsewhere,
        &test("tests::hollow"),
    );
    assert!(other.passed && !other.reached);
}

fn test_binary(project: &Project) -> String {
    let arguments = [
        "test",
        "--lib",
        "--no-run",
        "--offline",
        "--message-format=json",
    ];
    let built = project.run("cargo", &arguments);
    let json = String::from_utf8(built.stdout).unwrap();
    let mut messages = json
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let binary = messages.find_map(|message| Some(message.get("executable")?.as_str()?.to_owned()));
    binary.unwrap()
}

#[test]
fn a_crate_without_the_standard_library_is_planted_too() {
    let lib = "#![no_std]\nextern crate alloc;\npub fn f(x: u8) -> bool { x > 1 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one_is_not() { assert!(!super::f(1)); }\n}\n";
    let project = Project::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", lib)]);
    let mut tree = project.plant();
    assert_eq!(build(&project, &mut tree), 0);
    let test = || {
        project
            .run("cargo", &["test", "--offline"])
            .status
            .success()
    };
    assert_ne!(assert_harmless(&tree, &test), BTreeSet::new());
    let boundary = fault(&tree, "f", FaultKind::Boundary, "x >= 1");
    assert_noticed(&tree, boundary, &test);
}

#[test]
fn a_file_that_cannot_hold_faults_loses_all_of_them() {
    // `include!` allows no inner attributes.
    let project = Project::new(&[
        ("Cargo.toml", MANIFEST),
        (
            "src/lib.rs",
            "include!(\"part.rs\");\npub fn g() -> u8 { f(1) }\n",
        ),
        ("src/part.rs", "pub fn f(x: u8) -> u8 { x + 1 }\n"),
    ]);
    let mut tree = project.plant();
    let dropped = build(&project, &mut tree);
    let left: Vec<_> = tree
        .faults()
        .iter()
        .map(|fault| fault.place.function.as_str())
        .collect();
    assert_eq!((dropped, left.as_slice()), (3, ["g", "g"].as_slice()));
    assert_eq!(
        project.text("src/part.rs"),
        "pub fn f(x: u8) -> u8 { x + 1 }\n"
    );
    let lib = RepoPath::new("src/lib.rs").unwrap();
    assert_eq!(tree.drop_file(&lib).unwrap(), 2);
    assert_eq!(tree.drop_uncompilable("").unwrap(), 0);
}

#[test]
fn the_same_seed_plants_the_same_and_another_one_other_numbers() {
    let project = shop();
    let numbers = |seed: &str| {
        let tree = project.plant_with(&Exclusions::default(), seed);
        tree.restore().unwrap();
        let faults = tree.faults().iter();
        let mut numbers: Vec<_> = faults.map(|fault| (fault.switch, fault.neutral)).collect();
        let text = numbers.clone();
        numbers.extend(text.iter().map(|(switch, neutral)| (*neutral, *switch)));
        let mut unique: Vec<u64> = numbers.iter().map(|(number, _)| *number).collect();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), 2 * text.len());
        assert!(unique.iter().all(|number| *number > 0 && *number < 1 << 53));
        text
    };
    assert_eq!(numbers("one"), numbers("one"));
    let (one, two) = (numbers("one"), numbers("two"));
    assert!(one.iter().all(|pair| !two.contains(pair)));
}

#[test]
fn what_settings_leave_out_and_what_lies_behind_a_link_is_not_touched() {
    let project = shop();
    let outside = project.room.path().join("outside.rs");
    fs::write(&outside, PRICE).unwrap();
    fs::remove_file(project.folder().join("src/price.rs")).unwrap();
    std::os::unix::fs::symlink(&outside, project.folder().join("src/price.rs")).unwrap();
    let settings = "exclude_globs = [\"basket.rs\"]";
    let exclusions =
        Exclusions::read(|name| (name == ".cargo/mutants.toml").then(|| settings.to_owned()));
    let tree = project.plant_with(&exclusions.unwrap(), "seed");
    let files: BTreeSet<_> = tree
        .faults()
        .iter()
        .map(|fault| fault.place.file.as_str())
        .collect();
    assert_eq!(files.into_iter().collect::<Vec<_>>(), ["src/lib.rs"]);
    assert_eq!(fs::read_to_string(&outside).unwrap(), PRICE);
    assert_eq!(project.text("src/basket.rs"), BASKET);
}
