//! Code that breaks the contracts of its project: refused with the place.

use super::asked;
use super::change::{Change, Repository};
use super::outcome::Outcome;

const BOUNDARIES: &str = r#"{
  "description": "The layers of a shop.",
  "layers": [
    {"name": "prices", "glob": "shop.py", "forbidden": [
      {"pattern": "\\bprint\\(", "reason": "prices are returned; the program prints them"}
    ]},
    {"name": "tests", "glob": "test_*.py", "forbidden": []}
  ],
  "known_violations": []
}
"#;
const STACK: &str = "# Stack\n\n## Language\n- Python 3\n\n## Storage\n- none\n\n## Tests\n\
    - command: `python3 -m unittest`\n\n## Dependencies\n- none\n";
const SHOP: &str = "def price(each, count):\n    return each * count\n";
const TESTS: &str = "import unittest\n\nfrom shop import price\n\n\nclass Prices(unittest.TestCase):\n    \
    def test_price(self):\n        self.assertEqual(price(3, 4), 12)\n";
const REPOSITORY: Repository<'static> = &[
    (".gavel/contracts/boundaries.json", BOUNDARIES),
    (".gavel/contracts/stack.md", STACK),
    ("shop.py", SHOP),
    ("test_shop.py", TESTS),
    ("README.md", "# Shop\n"),
];
const IDEA: &str = "add a total function to shop.py";
const TOTAL: &str = "\n\ndef total(prices):\n    return sum(prices)\n";
const LOUD: &str = "\n\ndef total(prices):\n    print('adding')\n    return sum(prices)\n";

fn with(total: &str) -> Change {
    Change::of(IDEA).write_citing("shop.py", &format!("{SHOP}{total}"), "return sum")
}

/// Refused, and the place is told.
#[track_caller]
fn broken_at(made: &Outcome, place: &str) {
    let gate = made.refused("contracts_kept", "contract_broken");
    assert_eq!(gate["proof"]["contracts"]["errors"], 1, "{gate:#}");
    let told = gate["proof"]["contracts"]["broken"][0].as_str().unwrap();
    assert!(told.starts_with(place), "{place} is not where {told}");
}

#[test]
fn a_print_in_a_layer_that_forbids_it_is_refused() {
    broken_at(&with(LOUD).made_in(REPOSITORY), "shop.py:6:");
}

#[test]
fn a_file_of_another_language_is_refused() {
    if asked() {
        let made = with(TOTAL)
            .write("tools/run.rb", "puts 'Ran 14 tests'\n")
            .made_in(REPOSITORY);
        broken_at(&made, "tools/run.rb:1:");
    }
}

#[test]
fn a_dependency_that_the_stack_does_not_name_is_refused() {
    if asked() {
        let made = with(TOTAL)
            .write("requirements-dev.txt", "leftpad==1.0\n")
            .made_in(REPOSITORY);
        broken_at(&made, "requirements-dev.txt:1:");
    }
}

#[test]
fn code_that_keeps_its_contracts_is_sealed() {
    if !asked() {
        return;
    }
    let seal = with(TOTAL).made_in(REPOSITORY).sealed();
    let conditions = seal["conditions"].as_array().unwrap();
    let kept = conditions.iter().find(|one| one["id"] == "contracts_kept");
    let kept = kept.unwrap();
    assert_eq!(kept["holds"], true, "{kept}");
    assert!(kept["looked_at"].as_u64().unwrap() > 0, "{kept}");
}
