//! The kinds that are made of named sections with bullets.

use std::collections::BTreeSet;

use crate::finding::{Findings, quote};
use crate::markdown::{Bullet, Document, Section, bullets, named};

const BLUEPRINT: [&str; 6] = [
    "Intent",
    "Invariants",
    "Must ship",
    "Not now",
    "Layers",
    "Deployment",
];
const STACK: [&str; 4] = ["Language", "Storage", "Tests", "Dependencies"];
const UI: [&str; 4] = ["Shell", "Screens", "Flows", "Out of scope"];

pub(super) fn check_manifesto(document: &Document<'_>, findings: &mut Findings) {
    let principles: Vec<_> = document.seconds().collect();
    if !(3..=5).contains(&principles.len()) {
        findings.add(
            ("principle_count", None),
            format!("there are {} principles", principles.len()),
            "write 3 to 5 principles, each below a heading `## `",
        );
    }
    for section in principles {
        let count = bullets(&section.body).len();
        if !(1..=3).contains(&count) {
            findings.add(
                ("principle_bullets", section.line()),
                format!("{} has {count} bullets", quote(section.title)),
                "give each principle 1 to 3 bullets",
            );
        }
    }
}

pub(super) fn check_blueprint(document: &Document<'_>, findings: &mut Findings) {
    with_bullets(document, &BLUEPRINT, findings);
    let mut seen = BTreeSet::new();
    for bullet in layer_bullets(document) {
        match named(bullet.text) {
            None => findings.add(
                ("layer_form", Some(bullet.line)),
                format!("{} is no layer", quote(bullet.text)),
                "write - `name`: what it does",
            ),
            Some((name, _)) if !seen.insert(name.to_owned()) => findings.add(
                ("layer_twice", Some(bullet.line)),
                format!("the layer {} stands twice", quote(name)),
                "name every layer once",
            ),
            Some(_) => {}
        }
    }
}

/// The names of the blueprint's layers, unless one of them cannot be read.
pub(super) fn layers(document: &Document<'_>) -> Option<BTreeSet<String>> {
    let bullets = layer_bullets(document);
    let names = bullets
        .iter()
        .map(|bullet| Some(named(bullet.text)?.0.to_owned()));
    names
        .collect::<Option<_>>()
        .filter(|names: &BTreeSet<_>| !names.is_empty())
}

fn layer_bullets<'a>(document: &Document<'a>) -> Vec<Bullet<'a>> {
    section(document, "Layers").map_or_else(Vec::new, |section| bullets(&section.body))
}

pub(super) fn check_stack(document: &Document<'_>, findings: &mut Findings) {
    with_bullets(document, &STACK, findings);
    let Some(tests) = section(document, "Tests") else {
        return;
    };
    let listed = bullets(&tests.body);
    let commands: Vec<_> = listed.iter().filter(|bullet| is_command(bullet)).collect();
    let whole = |bullet: &&&Bullet<'_>| command(bullet).is_some();
    let line = match commands.as_slice() {
        [only] if whole(&only) => return,
        // An empty section has its own finding.
        [] if listed.is_empty() => return,
        [] => tests.line(),
        [.., last] => Some(last.line),
    };
    findings.add(
        ("test_command", line),
        "the tests need exactly one command",
        "write one bullet - command: `the command`, in backticks",
    );
}

fn is_command(bullet: &Bullet<'_>) -> bool {
    let word = bullet.text.split(':').next().unwrap_or_default();
    word.trim().eq_ignore_ascii_case("command")
}

fn command<'a>(bullet: &Bullet<'a>) -> Option<&'a str> {
    let (_, rest) = bullet.text.split_once(':')?;
    let (command, _) = rest.trim().strip_prefix('`')?.split_once('`')?;
    Some(command.trim()).filter(|command| !command.is_empty())
}

pub(super) fn check_ui(document: &Document<'_>, findings: &mut Findings) {
    with_bullets(document, &UI, findings);
}

/// Wants each of these sections once, with a bullet or more.
pub(super) fn with_bullets(document: &Document<'_>, titles: &[&str], findings: &mut Findings) {
    for title in titles {
        if let Some(section) = one_section(document, title, findings)
            && bullets(&section.body).is_empty()
        {
            findings.add(
                ("section_empty", section.line()),
                format!("the section `{title}` has no bullet"),
                "say at least one thing there, as `- …`",
            );
        }
    }
}

/// Wants a section once.
pub(super) fn one_section<'d, 'a>(
    document: &'d Document<'a>,
    title: &str,
    findings: &mut Findings,
) -> Option<&'d Section<'a>> {
    let mut found = document
        .seconds()
        .filter(|section| is_titled(section, title));
    let Some(first) = found.next() else {
        findings.add(
            ("section_missing", None),
            format!("the section `{title}` is missing"),
            format!("add `## {title}`"),
        );
        return None;
    };
    if let Some(again) = found.next() {
        findings.add(
            ("section_twice", again.line()),
            format!("the section `{title}` stands twice"),
            "make one of both",
        );
    }
    Some(first)
}

pub(crate) fn section<'d, 'a>(document: &'d Document<'a>, title: &str) -> Option<&'d Section<'a>> {
    document.seconds().find(|section| is_titled(section, title))
}

fn is_titled(section: &Section<'_>, title: &str) -> bool {
    section.title.eq_ignore_ascii_case(title)
}
