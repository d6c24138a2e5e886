//! Boundaries: every line of a layer's files against what the layer forbids.

use std::collections::BTreeSet;

use gavel_domain::ContractKind;
use globset::GlobSet;
use regex::{Regex, RegexBuilder};

use super::code::{Code, CodeLine};
use super::entry::is_entry_point;
use super::language::Language;
use super::layers::Coverage;
use super::report::{
    BindingRule, BindingSeverity, Collector, Spot, Verdict, contract_path, list_names,
};
use super::rust_paths::resolved_paths;
use super::tree::{FileText, Tree, TreeFile, is_set_aside, is_test};
use crate::check::boundaries::{Boundaries, Layer, Violation, compile_glob, compile_pattern};
use crate::finding::{clip, quote};

/// The most patterns of one contract; each takes memory while the tree is searched.
const MAX_PATTERNS: usize = 256;
/// The most bytes of lines times patterns that are searched.
const MAX_SEARCHED: u64 = 1_000_000_000;
/// What a pattern that compiles to so many bytes costs: a large one may be searched state by state.
const COSTS: [(usize, u64); 3] = [(16 * 1024, 1), (64 * 1024, 150), (256 * 1024, 2_000)];
/// The same for a larger one.
const LARGEST_COST: u64 = 20_000;
/// The most places of one line that are looked at: a statement may be joined from many lines.
const MAX_IN_LINE: usize = 1000;

pub(super) fn check(text: &str, tree: &Tree<'_>, collector: &mut Collector) {
    let boundaries = match serde_json::from_str::<Boundaries>(text) {
        Ok(boundaries) => boundaries,
        Err(error) => return unreadable(collector, error.line(), &error.to_string()),
    };
    let compiled: Result<Vec<_>, _> = boundaries.layers.iter().map(CompiledLayer::new).collect();
    let layers = match compiled {
        Ok(layers) => layers,
        Err(problem) => return unreadable(collector, 1, &problem),
    };
    let patterns: usize = layers.iter().map(|layer| layer.patterns.len()).sum();
    if patterns > MAX_PATTERNS {
        let problem = format!("{patterns} patterns, and {MAX_PATTERNS} can be searched");
        return unreadable(collector, 1, &problem);
    }
    let globs: Vec<GlobSet> = layers.iter().map(|layer| layer.glob.clone()).collect();
    let coverage = Coverage::of(&globs, tree, collector);
    let mut search = Search {
        layers: &layers,
        known: &boundaries.known_violations,
        excused: BTreeSet::new(),
        left: MAX_SEARCHED,
        collector,
    };
    for file in tree.files() {
        search.file(&file, &coverage);
    }
    search.tell_known();
    tell_empty(&layers, &coverage, collector);
    tell_uncovered(tree, (&layers, &coverage), collector);
}

/// A contract that was valid when it was pinned is not so here: nothing was compared with it.
fn unreadable(collector: &mut Collector, line: usize, problem: &str) {
    let verdict = error(BindingRule::ContractUnreadable);
    let line = u32::try_from(line).unwrap_or(1).max(1);
    let file = contract_path(ContractKind::Boundaries);
    let spot = Spot::new(&file, line);
    collector.add(verdict, spot, format!("{problem}; mend the contract"));
}

const fn verdict(rule: BindingRule, severity: BindingSeverity) -> Verdict {
    Verdict {
        rule,
        severity,
        contract: ContractKind::Boundaries,
    }
}

const fn error(rule: BindingRule) -> Verdict {
    verdict(rule, BindingSeverity::Error)
}

struct CompiledLayer<'c> {
    name: &'c str,
    written_glob: &'c str,
    glob: GlobSet,
    patterns: Vec<CompiledPattern<'c>>,
}

struct CompiledPattern<'c> {
    written: &'c str,
    reason: &'c str,
    regex: Regex,
    cost: u64,
}

impl<'c> CompiledLayer<'c> {
    fn new(layer: &'c Layer) -> Result<Self, String> {
        let pattern = |rule: &'c crate::check::boundaries::Forbidden| {
            let regex = compile_pattern(&rule.pattern)?;
            Ok(CompiledPattern {
                written: &rule.pattern,
                reason: &rule.reason,
                regex,
                cost: cost_of(&rule.pattern),
            })
        };
        let patterns: Result<Vec<_>, String> = layer.forbidden.iter().map(pattern).collect();
        Ok(Self {
            name: &layer.name,
            written_glob: &layer.glob,
            glob: compile_glob(&layer.glob)?,
            patterns: patterns?,
        })
    }
}

fn cost_of(pattern: &str) -> u64 {
    let fits = |limit: usize| RegexBuilder::new(pattern).size_limit(limit).build().is_ok();
    let cost = COSTS.into_iter().find(|(limit, _)| fits(*limit));
    cost.map_or(LARGEST_COST, |(_, cost)| cost)
}

struct Search<'s, 'c> {
    layers: &'s [CompiledLayer<'c>],
    known: &'s [Violation],
    /// Known violations that were found, by their place in the contract.
    excused: BTreeSet<usize>,
    left: u64,
    collector: &'s mut Collector,
}

impl Search<'_, '_> {
    fn file(&mut self, file: &TreeFile<'_>, coverage: &Coverage<'_>) {
        let Some(numbers) = coverage.layers.get(file.path) else {
            return;
        };
        let layers = numbers.iter().filter_map(|number| self.layers.get(*number));
        let layers: Vec<_> = layers.filter(|layer| !layer.patterns.is_empty()).collect();
        let languages = if coverage.included.contains(file.path) {
            vec![Language::Rust]
        } else {
            file.languages()
        };
        let text = match file.text {
            FileText::Text(text) => text,
            FileText::Unread(why) => {
                // A picture in a layer's folder is no code; what a link stands for nobody knows.
                let is_code = !languages.is_empty() || why.hides_files();
                if is_code && !layers.is_empty() {
                    let message = format!(
                        "it is {}, and stands in a layer; keep code there as plain text files",
                        why.describe()
                    );
                    let spot = Spot::new(file.path, 1);
                    let verdict = error(BindingRule::SourceUnreadable);
                    self.collector.add(verdict, spot, message);
                }
                return;
            }
        };
        if layers.is_empty() {
            return;
        }
        let code = Code::of(&languages, file.path, text);
        let mut lines = code.lines();
        if languages.contains(&Language::Rust) {
            lines.extend(resolved_paths(file.path, &code.tokens()));
        }
        for layer in layers {
            for pattern in &layer.patterns {
                self.pattern(file.path, layer.name, pattern, &lines);
            }
        }
    }
}

impl Search<'_, '_> {
    fn pattern(
        &mut self,
        file: &str,
        layer: &str,
        pattern: &CompiledPattern<'_>,
        lines: &[CodeLine],
    ) {
        let bytes: usize = lines.iter().map(|line| line.text.len() + 1).sum();
        let cost = u64::try_from(bytes)
            .unwrap_or(u64::MAX)
            .saturating_mul(pattern.cost);
        let Some(left) = self.left.checked_sub(cost) else {
            let message = format!(
                "searching it for {} takes more than a check may; write a smaller pattern or file",
                quote(pattern.written)
            );
            let verdict = error(BindingRule::TooLarge);
            return self.collector.add(verdict, Spot::new(file, 1), message);
        };
        self.left = left;
        self.collector.checked(1);
        // The same place may be found in a line and in the statement that it is part of.
        let mut found: BTreeSet<u32> = BTreeSet::new();
        for line in lines {
            let places = pattern.regex.find_iter(&line.text).take(MAX_IN_LINE);
            found.extend(places.map(|place| line.line_at(place.start())));
        }
        let is_known = |known: &Violation| {
            known.layer == layer && known.file == file && known.pattern == pattern.written
        };
        let known = self.known.iter().position(is_known);
        let written = quote(pattern.written);
        for line in found {
            let spot = Spot::new(file, line);
            match known {
                Some(number) => {
                    self.excused.insert(number);
                    let verdict = verdict(BindingRule::KnownViolation, BindingSeverity::Note);
                    let message =
                        format!("{written} is forbidden in {}, and known here", quote(layer));
                    self.collector.add(verdict, spot, message);
                }
                None => {
                    let message = format!(
                        "{written} is forbidden in {}: {}",
                        quote(layer),
                        clip(pattern.reason)
                    );
                    self.collector
                        .add(error(BindingRule::ForbiddenPattern), spot, message);
                }
            }
        }
    }

    /// Known violations that are no more.
    fn tell_known(&mut self) {
        for (number, known) in self.known.iter().enumerate() {
            if !self.excused.contains(&number) {
                let verdict = verdict(BindingRule::KnownViolationGone, BindingSeverity::Note);
                let message = format!(
                    "{} is a known violation of {}, and is not there any more",
                    quote(&known.pattern),
                    quote(&known.layer)
                );
                self.collector
                    .add(verdict, Spot::new(&known.file, 1), message);
            }
        }
    }
}

/// Layers that forbid something and have no file.
fn tell_empty(layers: &[CompiledLayer<'_>], coverage: &Coverage<'_>, collector: &mut Collector) {
    for (number, layer) in layers.iter().enumerate() {
        let has_files = coverage
            .layers
            .values()
            .any(|layers| layers.contains(&number));
        if !has_files && !layer.patterns.is_empty() {
            let (name, glob) = (quote(layer.name), quote(layer.written_glob));
            collector.not_checked(
                ContractKind::Boundaries,
                format!("what the layer {name} forbids"),
                format!("no file of the tree fits its glob {glob}"),
            );
        }
    }
}

/// Source files of the product that no layer covers: code can be moved there to escape every pattern.
fn tell_uncovered(
    tree: &Tree<'_>,
    (layers, coverage): (&[CompiledLayer<'_>], &Coverage<'_>),
    collector: &mut Collector,
) {
    let is_product = |file: &TreeFile<'_>| {
        let by_path = !is_test(file.path) && !is_set_aside(file.path);
        coverage.compiled.contains(file.path) || (by_path && !file.languages().is_empty())
    };
    let product: Vec<_> = tree.files().filter(is_product).collect();
    let is_covered = |file: &&TreeFile<'_>| coverage.layers.contains_key(file.path);
    let forbids = layers.iter().any(|layer| !layer.patterns.is_empty());
    if let Some(first) = product.first()
        && forbids
        && !product.iter().any(|file| is_covered(&file))
    {
        let message = "there is code, and none of it in a layer of the contract; \
            put it where the globs of boundaries.json say";
        let verdict = error(BindingRule::LayersAbsent);
        collector.add(verdict, Spot::new(first.path, 1), message);
        return;
    }
    collector.checked(1);
    let uncovered = product.iter().filter(|file| !is_covered(file));
    let (entries, others): (Vec<&TreeFile<'_>>, Vec<_>) =
        uncovered.partition(|file| is_entry_point(file.path));
    for file in others {
        let verdict = verdict(BindingRule::OutsideLayers, BindingSeverity::Warning);
        let message = "no layer covers this file, so that nothing is forbidden in it; \
            move it into a layer, or let a glob cover it";
        collector.add(verdict, Spot::new(file.path, 1), message);
    }
    let bytes = |file: &TreeFile<'_>| match file.text {
        FileText::Text(text) => text.len(),
        FileText::Unread(_) => 0,
    };
    let covered: usize = product.iter().filter(is_covered).map(bytes).sum();
    if let Some(largest) = entries.iter().max_by_key(|file| bytes(file))
        && bytes(largest) > covered
    {
        let verdict = verdict(BindingRule::OutsideLayers, BindingSeverity::Warning);
        let message = "no layer covers this file, and it holds more than all layers together; \
            move what it does into them";
        collector.add(verdict, Spot::new(largest.path, 1), message);
    }
    if !entries.is_empty() {
        let names = list_names(entries.iter().map(|file| file.path));
        let why = "no layer covers them; they begin a program and put its layers together";
        collector.not_checked(ContractKind::Boundaries, names, why);
    }
}
