//! The little of XML that manifests are written in: elements with attributes and texts. Anything else is
//! passed over.

use crate::language::Style;
use crate::lines::line_at;
use crate::mask::mask;

/// An element as it begins or ends, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    /// Its name.
    pub(super) name: String,
    /// The names above it, outermost first.
    pub(super) above: Vec<String>,
    /// Its attributes as they are written.
    attributes: String,
    /// The text directly behind its beginning.
    pub(super) text: String,
    /// Where it begins.
    pub(super) line: u32,
    /// Where its content begins and ends, as offsets.
    pub(super) begin: usize,
    pub(super) end: usize,
}

impl Element {
    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let mut rest = self.attributes.as_str();
        loop {
            let (key, after) = rest.split_once('=')?;
            let value = crate::lines::string_at(after, 0)?;
            if key.trim() == name {
                return Some(value);
            }
            let quote = after.find(['"', '\''])?;
            rest = after.get(quote + value.len() + 2..)?;
        }
    }

    /// True when it stands directly in an element of that name.
    pub(super) fn is_in(&self, parent: &str) -> bool {
        self.above.last().is_some_and(|above| above == parent)
    }
}

/// The deepest that elements may stand in each other.
const DEEPEST: usize = 64;

/// All elements of a text, in the order in which they begin.
pub(super) fn elements(text: &str) -> Vec<Element> {
    let masked = mask(Style::Markup, text).text;
    let mut all: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(found) = masked.get(at..).and_then(|rest| rest.find('<')) {
        let start = at + found;
        let Some(length) = masked.get(start..).and_then(|rest| rest.find('>')) else {
            break;
        };
        at = start + length + 1;
        let inside = masked.get(start + 1..at - 1).unwrap_or_default();
        if inside.starts_with(['?', '!']) {
            continue;
        }
        if let Some(name) = inside.strip_prefix('/') {
            close(
                &mut all,
                &mut open,
                &Closing {
                    name: name.trim(),
                    at: start,
                },
            );
            continue;
        }
        let bare = inside.trim_end_matches('/');
        let (name, attributes) = bare.split_once(char::is_whitespace).unwrap_or((bare, ""));
        let behind = masked.get(at..).unwrap_or_default();
        let names = open.iter().filter_map(|place| all.get(*place));
        let above = names
            .map(|element: &Element| element.name.clone())
            .collect();
        all.push(Element {
            name: name.to_owned(),
            above,
            attributes: attributes.to_owned(),
            text: behind
                .split('<')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned(),
            line: line_at(text, start),
            begin: at,
            end: at,
        });
        if !inside.ends_with('/') && open.len() < DEEPEST {
            open.push(all.len() - 1);
        }
    }
    all
}

/// The end of an element.
struct Closing<'a> {
    name: &'a str,
    at: usize,
}

fn close(all: &mut [Element], open: &mut Vec<usize>, closing: &Closing<'_>) {
    let named = |place: &usize| all.get(*place).is_some_and(|one| one.name == closing.name);
    let Some(depth) = open.iter().rposition(named) else {
        return;
    };
    for place in open.drain(depth..) {
        if let Some(element) = all.get_mut(place) {
            element.end = closing.at;
        }
    }
}

/// The elements of that name with those that stand in each of them.
pub(super) fn groups<'a>(
    all: &'a [Element],
    name: &'a str,
) -> impl Iterator<Item = (&'a Element, Vec<&'a Element>)> {
    let outer = all.iter().filter(move |element| element.name == name);
    outer.map(|outer| {
        let inside = |inner: &&Element| inner.begin > outer.begin && inner.end <= outer.end;
        (outer, all.iter().filter(inside).collect())
    })
}
