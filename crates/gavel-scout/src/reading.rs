//! Reading files: each is opened once and says everything that it can say by itself.

use std::sync::atomic::{AtomicUsize, Ordering};

use gavel_rules::{is_own_file, is_test_source};
use gavel_workspace::{RepoPath, Scrubber, StampedFile, check_syntax, is_test_credential};

use crate::finding::{Check, Finding, Severity};
use crate::language::Language;
use crate::lines::{count, line_at};
use crate::lock::{self, Lock};
use crate::manifest::{self, Manifest};
use crate::scan::Limits;
use crate::source::{self, SourceFacts};
use crate::survey::{Evidence, GapReason, Technology};
use crate::technology;
use crate::tree::{Content, SourceTree};

/// What reading one file brought.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileRead {
    /// Why it was not read, if it was not.
    pub(crate) gap: Option<GapReason>,
    pub(crate) source: Option<ReadSource>,
    pub(crate) manifest: Option<Manifest>,
    pub(crate) lock: Option<Lock>,
    pub(crate) services: Vec<Technology>,
    pub(crate) findings: Vec<Finding>,
    /// True when its syntax should have been checked and the cap was reached.
    pub(crate) syntax_skipped: bool,
}

/// A file of code.
#[derive(Debug, Clone)]
pub(crate) struct ReadSource {
    pub(crate) language: Language,
    pub(crate) facts: SourceFacts,
}

/// What is asked of one file.
#[derive(Debug, Clone, Copy)]
struct Task<'a> {
    file: &'a StampedFile,
    check_syntax: bool,
}

/// Files whose names say that they are no text.
const BINARY_ENDINGS: [&str; 46] = [
    "png", "jpg", "jpeg", "gif", "ico", "webp", "bmp", "tiff", "avif", "woff", "woff2", "ttf",
    "otf", "eot", "pdf", "zip", "gz", "tgz", "bz2", "xz", "zst", "7z", "jar", "war", "class", "so",
    "dylib", "dll", "exe", "wasm", "o", "a", "lib", "pyc", "pyo", "mp3", "mp4", "mov", "webm",
    "ogg", "wav", "bin", "db", "sqlite", "parquet", "lockb",
];

/// Reads files with as many threads as the machine has; the answers are in the order of the files.
pub(crate) fn read_all(
    tree: &dyn SourceTree,
    files: &[&StampedFile],
    limits: &Limits,
) -> Vec<FileRead> {
    let tasks = tasks(files, limits);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || {
        let reader = Reader {
            tree,
            limits,
            scrubber: Scrubber::new([]).ok(),
        };
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(number) else {
                return done;
            };
            done.push(Done {
                number,
                read: reader.read(*task),
            });
        }
    };
    let mut all: Vec<Done> = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        // A thread that broke off leaves its files out: they are missing below.
        all.extend(
            workers
                .into_iter()
                .filter_map(|worker| worker.join().ok())
                .flatten(),
        );
        all
    });
    all.sort_unstable_by_key(|done| done.number);
    let mut all = all.into_iter().peekable();
    let answer = |number: usize| match all.next_if(|done| done.number == number) {
        Some(done) => done.read,
        None => FileRead {
            gap: Some(GapReason::Unreadable),
            ..FileRead::default()
        },
    };
    (0..tasks.len()).map(answer).collect()
}

struct Done {
    number: usize,
    read: FileRead,
}

/// Syntax is checked in the order of names until the cap, so that the same tree gets the same answer.
fn tasks<'a>(files: &[&'a StampedFile], limits: &Limits) -> Vec<Task<'a>> {
    let mut left = limits.syntax_bytes;
    let task = |file: &&'a StampedFile| {
        let has_grammar = Language::of_path(file.path.as_str())
            .and_then(|language| language.grammar(&file.path))
            .is_some();
        let fits = has_grammar && file.stamp.bytes <= left;
        if fits {
            left -= file.stamp.bytes;
        }
        Task {
            file,
            check_syntax: fits,
        }
    };
    files.iter().map(task).collect()
}

struct Reader<'a> {
    tree: &'a dyn SourceTree,
    limits: &'a Limits,
    scrubber: Option<Scrubber>,
}

impl Reader<'_> {
    fn read(&self, task: Task<'_>) -> FileRead {
        let path = &task.file.path;
        let mut read = FileRead::default();
        if !is_own_file(path.as_str()) {
            read.gap = Some(GapReason::NotOurs);
            return read;
        }
        let ending = path
            .name()
            .rsplit_once('.')
            .map(|(_, ending)| ending.to_ascii_lowercase());
        if ending.is_some_and(|ending| BINARY_ENDINGS.contains(&ending.as_str())) {
            read.gap = Some(GapReason::Binary);
            return read;
        }
        let is_lock = lock::ecosystem_of(path.name()).is_some();
        let most = if is_lock {
            self.limits.lock_bytes
        } else {
            self.limits.file_bytes
        };
        let text = match self.tree.read(path, most) {
            Content::Text(text) => text,
            Content::Binary => {
                return FileRead {
                    gap: Some(GapReason::Binary),
                    ..read
                };
            }
            Content::TooLarge => {
                return FileRead {
                    gap: Some(GapReason::TooLarge),
                    ..read
                };
            }
            Content::Unreadable => {
                return FileRead {
                    gap: Some(GapReason::Unreadable),
                    ..read
                };
            }
            Content::Credential => {
                read.gap = Some(GapReason::Credential);
                read.findings.extend(credential_file(path));
                return read;
            }
        };
        if is_lock {
            read.lock = lock::read(path, &text);
            return read;
        }
        read.manifest = (!is_test_data(path.as_str()))
            .then(|| manifest::read(path, &text))
            .flatten();
        read.services = technology::of_text(path, &text);
        if let Some(language) = Language::of_path(path.as_str()) {
            let facts = source::read(path, language, &text);
            read.findings.extend(about_source(path, language, &facts));
            if task.check_syntax {
                syntax(path, language, &text, &mut read);
            } else {
                read.syntax_skipped = language.grammar(path).is_some();
            }
            read.source = Some(ReadSource { language, facts });
        }
        self.secrets(path, &text, &mut read.findings);
        read
    }

    fn secrets(&self, path: &RepoPath, text: &str, findings: &mut Vec<Finding>) {
        let Some(scrubber) = &self.scrubber else {
            return;
        };
        let whole = scrubber.scrub(text);
        if whole.found.is_empty() {
            return;
        }
        // Tests hold values that look like secrets and are none.
        let severity = match is_test_source(path.as_str())
            || is_test_data(path.as_str())
            || is_test_name(path)
        {
            true => Severity::Note,
            false => Severity::Error,
        };
        let mut add = |line: u32, kind: &str| {
            let message = format!("looks like a {kind}; its value is not shown");
            findings.push(Finding::at(
                Check::Secret,
                severity,
                Evidence::line(path, line),
                message,
            ));
        };
        let mut by_line = 0;
        for (line, full) in crate::lines::numbered(text) {
            for kind in scrubber.scrub(full).found {
                by_line += 1;
                add(line, kind.name());
            }
        }
        // A key of several lines is seen in the whole text only.
        if by_line == 0 {
            let line = whole
                .text
                .find("[secret: ")
                .map_or(1, |at| line_at(&whole.text, at));
            let kind = whole.found.first().map_or("secret", |kind| kind.name());
            add(line, kind);
        }
    }
}

/// True below folders of data that tests read: their manifests are nobody's dependencies.
pub(crate) fn is_test_data(path: &str) -> bool {
    let folders = [
        "test",
        "tests",
        "testdata",
        "fixtures",
        "__fixtures__",
        "__tests__",
        "spec",
        "golden",
    ];
    let mut parts = path.split('/').rev().skip(1);
    parts.any(|part| folders.contains(&part))
}

fn is_test_name(path: &RepoPath) -> bool {
    let name = path.name();
    ["_tests.rs", "_test.rs", "_test.go", ".test.ts", ".spec.ts"]
        .iter()
        .any(|end| name.ends_with(end))
        || matches!(name, "tests.rs")
}

fn credential_file(path: &RepoPath) -> Option<Finding> {
    // Settings of package managers are made to be committed; whether one holds a token is not read.
    let settings = [".npmrc", ".yarnrc", ".yarnrc.yml"].contains(&path.name());
    if settings || is_test_credential(path) || is_test_data(path.as_str()) {
        return None;
    }
    let message = "made to hold credentials, and no .gitignore excludes it";
    Some(Finding::at(
        Check::CredentialFile,
        Severity::Error,
        Evidence::file(path),
        message,
    ))
}

/// Longer files are hard to read.
const GIANT: u32 = 1_000;
const VERY_GIANT: u32 = 3_000;
/// So many marks of open work in one file are many.
const MANY_MARKS: usize = 10;

fn about_source(path: &RepoPath, language: Language, facts: &SourceFacts) -> Vec<Finding> {
    let mut findings = Vec::new();
    if facts.all_lines > GIANT && language.is_code() && !facts.generated {
        let severity = match facts.all_lines > VERY_GIANT {
            true => Severity::Warning,
            false => Severity::Note,
        };
        let message = format!("{} lines, more than {GIANT}", facts.all_lines);
        findings.push(Finding::at(
            Check::GiantFile,
            severity,
            Evidence::file(path),
            message,
        ));
    }
    if facts.open_marks.len() >= MANY_MARKS {
        let line = facts.open_marks.first().copied().unwrap_or(1);
        let message = format!("{} comments mark open work", count(facts.open_marks.len()));
        findings.push(Finding::at(
            Check::OpenMarks,
            Severity::Note,
            Evidence::line(path, line),
            message,
        ));
    }
    findings
}

fn syntax(path: &RepoPath, language: Language, text: &str, read: &mut FileRead) {
    let Some(grammar) = language.grammar(path) else {
        return;
    };
    let Ok(report) = check_syntax(grammar, text) else {
        read.syntax_skipped = true;
        return;
    };
    let Some(first) = report.problems.first() else {
        return;
    };
    // Broken code is often there to test what reads it.
    let severity = match is_test_source(path.as_str()) || is_test_data(path.as_str()) {
        true => Severity::Note,
        false => Severity::Error,
    };
    let more = report.problems.len() - 1 + report.left_out;
    let more = if more == 0 {
        String::new()
    } else {
        format!("; {more} more in this file")
    };
    let evidence = Evidence::line(path, count(first.line));
    let message = format!("{}{more}", first.message);
    read.findings
        .push(Finding::at(Check::Syntax, severity, evidence, message));
}
