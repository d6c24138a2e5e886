//! A Node project with modules of both kinds, run by `node --test`.

use super::*;

const BASKET: &str = r#"#!/usr/bin/env node
'use strict';
/** Why. */
import { round } from './round.cjs'
import assert from 'node:assert'

export class Basket {
  #items = new Map()
  static of(...names) {
    const basket = new Basket()
    for (const name of names) basket.add(name)
    return basket
  }
  constructor() { this.open = true }
  get size() {
    let sum = 0
    for (const count of this.#items.values()) sum += count
    return sum
  }
  add(name, count = 1) {
    if (!this.open) throw new Error('closed')
    else if (count < 1) { throw new RangeError(`${count} is no count`) }
    this.#items.set(name, (this.#items.get(name) ?? 0) + count)
  }
  close = () => { this.open = false };
  *names() { yield* this.#items.keys() }
  async total(price) {
    let sum = 0
    let i = 0
    while (i < this.size) {
      sum += await price(i)
      i++
    }
    do { i-- } while (i > 0)
    return round(sum)
  }
}

export const isEven = (n) => n % 2 === 0
export const describe = ({ a = 1 + 1, b } = {}) => ({ a, b: b || 'none', ok: true })
export default function label(x) {
  switch (x) {
    case 1: return 'one'
    default:
      return x
        > 1 && x < 10 ? 'few' : 'many'
  }
}
assert(true)
"#;

const ROUND: &str =
    "'use strict'\nexports.round = function round(x) { return Math.floor(x * 10) / 10 }\n";

const TESTS: &str = r#"import test from 'node:test'
import assert from 'node:assert'
import label, { Basket, isEven, describe } from '../src/basket.mjs'

test('adds', async () => {
  const basket = Basket.of('a', 'b', 'a')
  assert.equal(basket.size, 3)
  assert.deepEqual([...basket.names()], ['a', 'b'])
  assert.throws(() => basket.add('c', 0), RangeError)
  assert.equal(await basket.total(async (i) => i + 0.55), 4.6)
  basket.close()
  assert.throws(() => basket.add('c'), /closed/)
})
test('rest', () => {
  assert.equal(isEven(2), true)
  assert.equal(isEven(3), false)
  assert.deepEqual(describe({ b: 2 }), { a: 2, b: 2, ok: true })
  assert.equal(describe().b, 'none')
  assert.equal([1, 2, 9, 10].map(label).join(), 'one,few,few,many')
})
test('hollow', () => { isEven(2) })
"#;

/// Function, kind, outcome, and the test that notices.
const NOTICED: &[(&str, FaultKind, &str, &str)] = &[
    ("Basket.of", FaultKind::DroppedStatement, "nothing", "adds"),
    ("Basket.size", FaultKind::DefaultValue, "return", "adds"),
    (
        "Basket.add",
        FaultKind::NegatedCondition,
        "count < 1",
        "adds",
    ),
    ("Basket.add", FaultKind::Boundary, "count <= 1", "adds"),
    ("Basket.close", FaultKind::EmptyBody, "return", "adds"),
    ("Basket.names", FaultKind::EmptyBody, "return", "adds"),
    (
        "Basket.total",
        FaultKind::NegatedCondition,
        "while (false)",
        "adds",
    ),
    (
        "round",
        FaultKind::Arithmetic,
        "Math.floor(x * 10) * 10",
        "adds",
    ),
    ("isEven", FaultKind::Equality, "n % 2 !== 0", "rest"),
    ("describe", FaultKind::Logic, "b && 'none'", "rest"),
    ("describe", FaultKind::DefaultValue, "undefined", "rest"),
    ("label", FaultKind::Boundary, "x <= 10", "rest"),
];

#[test]
fn a_project_carries_all_its_faults() {
    let project = Project::new(&[
        (
            "package.json",
            "{\"name\": \"shop\", \"version\": \"1.0.0\"}",
        ),
        ("src/basket.mjs", BASKET),
        ("src/round.cjs", ROUND),
        ("test/basket.test.mjs", TESTS),
    ]);
    let tree = project.plant();
    assert_same_lines(&project.text("src/basket.mjs"), BASKET);
    assert_same_lines(&project.text("src/round.cjs"), ROUND);
    assert_eq!(project.text("test/basket.test.mjs"), TESTS);
    let all = || {
        let output = project.run("node", &["--test"]);
        assert!(output.status.success(), "{}", text_of(&output));
        true
    };
    let reached = assert_harmless(&tree, &all);
    let missed: Vec<_> = tree
        .faults()
        .iter()
        .filter(|fault| !reached.contains(&fault.switch))
        .map(|fault| (&fault.place.function, &fault.place.before))
        .collect();
    assert_eq!(missed, []);

    let test = |name: &'static str| {
        let project = &project;
        let pattern = format!("--test-name-pattern=^{name}$");
        move || project.run("node", &["--test", &pattern]).status.success()
    };
    for (function, kind, after, name) in NOTICED {
        assert_noticed(&tree, fault(&tree, function, *kind, after), &test(name));
    }
    let unnoticed = fault(&tree, "isEven", FaultKind::Equality, "n % 2 !== 0");
    let hollow = seen(&tree, Switch::Fault(unnoticed), unnoticed, &test("hollow"));
    assert!(hollow.passed && hollow.reached);
}

const TYPED: &str = r#"import type { A } from './a'
export abstract class Store<T extends A> implements A {
  private readonly items: T[] = []
  protected constructor(private limit: number, public name?: string) { super(); }
  abstract size(): number
  has(this: Store<T>, item: T | undefined): item is T {
    return item !== undefined && this.items!.includes(item as T) satisfies boolean
  }
  async load<K extends keyof T>(key: K): Promise<T[K] | null> {
    if (!key) return null
    for (let i = 0, n = this.items.length; i < n; i++) {
      const [a, { b = 1 }] = this.items[i] as any
      if (a === key) { throw a }
      this.limit -= b
    }
    return <any>this.items[0]?.[key] ?? null
  }
}
namespace Inner { export const f = <T,>(x: T): boolean => !x }
export function isA(x: unknown): asserts x is A { if (typeof x !== 'object') fail(x) }
enum Level { Low = 1 << 1, High }
declare global { interface Window { x: true } }
export default async function* gen(): AsyncGenerator<number> { yield 1; }
"#;

const VIEW: &str = r#"// What is shown.
export function View({ items, open = true }: Props) {
  const [on, set] = useState<boolean>(false)
  useEffect(() => { if (on) { set(false) } }, [on])
  return (
    <ul className={on && open ? "a" : "b"} onClick={() => set(!on)}>
      {items.length > 0 && items.map((item) => <li key={item.id}>{item.count + 1}</li>)}
      <b>1 + 2 is no code</b>
    </ul>
  )
}
"#;

#[test]
fn typescript_is_planted_so_that_it_parses_and_is_not_checked() {
    let project = Project::new(&[("src/store.ts", TYPED), ("src/view.tsx", VIEW)]);
    let tree = project.plant();
    let files: Vec<_> = tree
        .faults()
        .iter()
        .map(|fault| fault.place.file.as_str())
        .collect();
    assert!(files.contains(&"src/store.ts") && files.contains(&"src/view.tsx"));
    for (file, language) in [
        ("src/store.ts", gavel_workspace::SourceLanguage::TypeScript),
        ("src/view.tsx", gavel_workspace::SourceLanguage::Tsx),
    ] {
        let text = project.text(file);
        assert!(text.starts_with("// @ts-nocheck"), "{text}");
        let report = gavel_workspace::check_syntax(language, &text).unwrap();
        assert_eq!(report.problems, [], "{text}");
    }
    assert_same_lines(&project.text("src/view.tsx"), VIEW);
    tree.restore().unwrap();
    assert_eq!(project.text("src/store.ts"), TYPED);
}
