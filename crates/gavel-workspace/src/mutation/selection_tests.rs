use super::*;

use crate::syntax::SourceLanguage;

use super::super::place::find_fault_places;

const SOURCE: &str = "
fn a(x: u8) -> bool {
    if x < 1 { return g(); }
    x + 1 == 2
}
fn b() { g(); h(); }
fn c() -> bool { g() }
";

fn chosen(seed: &str, most: usize, touched: &[u32]) -> Vec<(String, FaultKind)> {
    let file = RepoPath::new("src/lib.rs").unwrap();
    let places = find_fault_places(SourceLanguage::Rust, &file, SOURCE).unwrap();
    let touched = TouchedLines::from([(file, touched.iter().copied().collect())]);
    select(places, &touched, &Digest::of(seed), most)
        .into_iter()
        .map(|place| (place.function, place.kind))
        .collect()
}

fn functions(chosen: &[(String, FaultKind)]) -> BTreeSet<&str> {
    chosen
        .iter()
        .map(|(function, _)| function.as_str())
        .collect()
}

#[test]
fn every_function_comes_before_any_comes_twice() {
    for seed in ["1", "2", "3", "4"] {
        let chosen = chosen(seed, 3, &[]);
        assert_eq!(functions(&chosen), BTreeSet::from(["a", "b", "c"]));
        let bodies = [FaultKind::EmptyBody, FaultKind::DefaultValue];
        assert!(chosen.iter().all(|(_, kind)| bodies.contains(kind)));
    }
}

#[test]
fn functions_that_were_touched_come_first() {
    let chosen = chosen("1", 3, &[6]);
    assert_eq!(functions(&chosen), BTreeSet::from(["b"]));
}

#[test]
fn the_seed_alone_decides_between_equals() {
    assert_eq!(chosen("1", 100, &[]), chosen("1", 100, &[]));
    let orders: BTreeSet<Vec<_>> = ["1", "2", "3", "4", "5", "6"]
        .into_iter()
        .map(|seed| chosen(seed, 3, &[]))
        .collect();
    assert!(orders.len() > 1);
    assert_eq!(chosen("1", 100, &[]).len(), chosen("2", 100, &[]).len());
}
