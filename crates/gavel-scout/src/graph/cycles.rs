//! Circles of imports: the strongly connected parts of the graph, without recursion.

use std::collections::BTreeMap;

use super::{Cycle, Edge, ImportingFile};
use crate::survey::Evidence;

/// Where a search stands in one file.
struct Visit {
    node: usize,
    next: usize,
}

/// The search of Tarjan.
struct Search<'a> {
    out: &'a [Vec<usize>],
    order: Vec<Option<usize>>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    parts: Vec<Vec<usize>>,
}

/// The circles, those with most files first.
pub(super) fn find(files: &[ImportingFile<'_>], edges: &[Edge]) -> Vec<Cycle> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); files.len()];
    for edge in edges.iter().filter(|edge| edge.counts_for_cycles) {
        if let Some(out) = out.get_mut(edge.from) {
            out.push(edge.to);
        }
    }
    let mut parts = Search::run(&out);
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    let mut owner: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, part) in parts.iter().enumerate() {
        owner.extend(part.iter().map(|node| (*node, number)));
    }
    let cycle = |number: usize, part: &Vec<usize>| {
        let inside = |edge: &&Edge| {
            edge.counts_for_cycles
                && owner.get(&edge.from) == Some(&number)
                && owner.get(&edge.to) == Some(&number)
        };
        let edge = edges.iter().find(inside)?;
        let first = files.get(edge.from)?;
        let paths = part
            .iter()
            .filter_map(|node| Some(files.get(*node)?.path.clone()));
        let mut paths: Vec<_> = paths.collect();
        paths.sort();
        Some(Cycle {
            language: first.language,
            files: paths,
            evidence: Evidence::line(first.path, edge.line),
        })
    };
    let cycles = parts
        .iter()
        .enumerate()
        .filter_map(|(number, part)| cycle(number, part));
    cycles.collect()
}

impl<'a> Search<'a> {
    /// Every part of at least two files in which each reaches each.
    fn run(out: &'a [Vec<usize>]) -> Vec<Vec<usize>> {
        let mut search = Self {
            out,
            order: vec![None; out.len()],
            low: vec![0; out.len()],
            on_stack: vec![false; out.len()],
            stack: Vec::new(),
            next: 0,
            parts: Vec::new(),
        };
        for node in 0..out.len() {
            if search.order.get(node) == Some(&None) {
                search.visit(node);
            }
        }
        search.parts
    }

    fn visit(&mut self, start: usize) {
        let mut visits = vec![self.enter(start)];
        while let Some(visit) = visits.last_mut() {
            let node = visit.node;
            let to = self
                .out
                .get(node)
                .and_then(|out| out.get(visit.next))
                .copied();
            visit.next += 1;
            let Some(to) = to else {
                visits.pop();
                self.leave(node, visits.last().map(|above| above.node));
                continue;
            };
            match self.order.get(to).copied().flatten() {
                None => visits.push(self.enter(to)),
                Some(order) if self.on_stack.get(to) == Some(&true) => self.lower(node, order),
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, node: usize) -> Visit {
        if let (Some(order), Some(low), Some(on)) = (
            self.order.get_mut(node),
            self.low.get_mut(node),
            self.on_stack.get_mut(node),
        ) {
            (*order, *low, *on) = (Some(self.next), self.next, true);
        }
        self.next += 1;
        self.stack.push(node);
        Visit { node, next: 0 }
    }

    fn lower(&mut self, node: usize, to: usize) {
        if let Some(low) = self.low.get_mut(node) {
            *low = (*low).min(to);
        }
    }

    fn leave(&mut self, node: usize, above: Option<usize>) {
        let low = self.low.get(node).copied().unwrap_or_default();
        if let Some(above) = above {
            self.lower(above, low);
        }
        if self.order.get(node).copied().flatten() != Some(low) {
            return;
        }
        let at = self
            .stack
            .iter()
            .rposition(|one| *one == node)
            .unwrap_or_default();
        let part = self.stack.split_off(at);
        for one in &part {
            if let Some(on) = self.on_stack.get_mut(*one) {
                *on = false;
            }
        }
        if part.len() > 1 {
            self.parts.push(part);
        }
    }
}
