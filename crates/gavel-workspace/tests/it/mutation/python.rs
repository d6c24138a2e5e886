//! A Python package, run by unittest.

use super::*;

const CORE: &str = r#"#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Says what it is for."""
from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


class ShopError(Exception):
    """Something is wrong."""


@dataclass
class Basket:
    items: dict[str, int] = field(default_factory=dict)
    closed: bool = False

    @property
    def size(self) -> int:
        """How many."""
        return sum(self.items.values())

    def add(self, name: str, count: int = 1 + 0) -> None:
        if self.closed: raise ShopError("closed")
        if count < 1 or (
            count > 100  # a comment inside
            and name != "pear"
        ):
            raise ShopError(f"{count + 0} is not a count")
        self.items[name] = self.items.get(name, 0) + count

    @staticmethod
    def of(*names):
        basket = Basket()
        for name in names:
            if not name:
                continue
            basket.add(name)
        return basket

    def __len__(self): return self.size


def labels(basket):
    '''Generates.'''
    for name, count in sorted(basket.items.items()):
        yield "%s x%d" % (name, count) if count != 1 else name


async def later(value: int) -> int:
    await asyncio.sleep(0)
    total = 0
    while value > 0:
        total += value
        value -= 1
    return total


def kind(value):
    match value:
        case int() | float() if value < 0:
            return "debt"
        case [first, *_]:
            return kind(first)
        case _:
            return "other"


def evens(values, *, limit=None) -> list[int]:
    found = [
        value
        for value in values
        if value % 2 == 0
    ]
    return found if limit is None else found[: limit + 0]


if __name__ == "__main__":
    print(labels(Basket.of("a")))
"#;

const TESTS: &str = r#"import asyncio
import unittest
from unittest import mock
from shop.core import Basket, ShopError, evens, kind, labels, later
from shop import first


class Tests(unittest.TestCase):
    def test_adds(self):
        basket = Basket.of("a", "", "b", "a")
        self.assertEqual(len(basket), 3)
        self.assertEqual(list(labels(basket)), ["a x2", "b"])
        with self.assertRaises(ShopError):
            basket.add("c", 0)
        with self.assertRaises(ShopError):
            basket.add("c", 101)
        basket.add("pear", 101)
        basket.closed = True
        with self.assertRaises(ShopError):
            basket.add("c")

    def test_rest(self):
        self.assertEqual(asyncio.run(later(3)), 6)
        self.assertEqual(kind([-1, 2]), "debt")
        self.assertEqual(kind(0), "other")
        self.assertEqual(evens([1, 2, 3, 4]), [2, 4])
        self.assertEqual(evens([1, 2, 3, 4], limit=1), [2])
        self.assertEqual(first.double(4), 8)

    def test_mocks_files(self):
        with mock.patch("builtins.open"), mock.patch("os.open", side_effect=OSError):
            self.assertEqual(first.double(4), 8)

    def test_hollow(self):
        first.double(4)
"#;

fn shop() -> Project {
    Project::new(&[
        ("shop/__init__.py", ""),
        ("shop/core.py", CORE),
        ("shop/first.py", "def double(x):\n\treturn x * 2\n"),
        ("test_shop.py", TESTS),
        ("setup.py", "def f():\n    return 1 + 2\n"),
    ])
}

/// Function, kind, outcome, and the test that notices.
const NOTICED: &[(&str, FaultKind, &str, &str)] = &[
    (
        "Basket.size",
        FaultKind::DefaultValue,
        "return 0",
        "test_shop.Tests.test_adds",
    ),
    (
        "Basket.add",
        FaultKind::EmptyBody,
        "return",
        "test_shop.Tests.test_adds",
    ),
    (
        "Basket.add",
        FaultKind::Boundary,
        "count <= 1",
        "test_shop.Tests.test_adds",
    ),
    (
        "Basket.add",
        FaultKind::Logic,
        "or",
        "test_shop.Tests.test_adds",
    ),
    (
        "Basket.add",
        FaultKind::DroppedStatement,
        "nothing",
        "test_shop.Tests.test_adds",
    ),
    (
        "Basket.of",
        FaultKind::NegatedCondition,
        "not (not name)",
        "test_shop.Tests.test_adds",
    ),
    (
        "labels",
        FaultKind::EmptyBody,
        "return",
        "test_shop.Tests.test_adds",
    ),
    (
        "later",
        FaultKind::NegatedCondition,
        "while False",
        "test_shop.Tests.test_rest",
    ),
    (
        "kind",
        FaultKind::NegatedCondition,
        "value < 0",
        "test_shop.Tests.test_rest",
    ),
    (
        "evens",
        FaultKind::NegatedCondition,
        "value % 2 == 0",
        "test_shop.Tests.test_rest",
    ),
    (
        "evens",
        FaultKind::DefaultValue,
        "return []",
        "test_shop.Tests.test_rest",
    ),
    (
        "double",
        FaultKind::Arithmetic,
        "x + 2",
        "test_shop.Tests.test_rest",
    ),
    // Switch and trace work where a test replaces what opens files.
    (
        "double",
        FaultKind::Arithmetic,
        "x + 2",
        "test_shop.Tests.test_mocks_files",
    ),
];

#[test]
fn a_package_carries_all_its_faults() {
    let project = shop();
    let tree = project.plant();
    assert_eq!(project.text("test_shop.py"), TESTS);
    let all = || {
        let output = project.run("python3", &["-m", "unittest", "-q"]);
        assert!(output.status.success(), "{}", text_of(&output));
        true
    };
    let reached = assert_harmless(&tree, &all);
    let missed: Vec<_> = tree
        .faults()
        .iter()
        .filter(|fault| !reached.contains(&fault.switch))
        .map(|fault| &fault.place.function)
        .collect();
    assert_eq!(missed, Vec::<&String>::new());

    let test = |name: &'static str| {
        let project = &project;
        move || {
            project
                .run("python3", &["-m", "unittest", "-q", name])
                .status
                .success()
        }
    };
    for (function, kind, after, name) in NOTICED {
        assert_noticed(&tree, fault(&tree, function, *kind, after), &test(name));
    }
    let unnoticed = fault(&tree, "double", FaultKind::Arithmetic, "x + 2");
    let hollow = test("test_shop.Tests.test_hollow");
    let hollow = seen(&tree, Switch::Fault(unnoticed), unnoticed, &hollow);
    assert!(hollow.passed && hollow.reached);
    tree.restore().unwrap();
    assert_eq!(project.text("shop/core.py"), CORE);
}
