//! A tree with faults in it: planted, switched, watched, and put back.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use gavel_domain::Digest;

use crate::path::RepoPath;
use crate::syntax::{SourceLanguage, check_syntax, parse};
use crate::tree_root::{FileError, TreeRoot};

use super::control::Control;
use super::diagnostics::{CompilerError, Span, Suspect, Suspects, compiler_errors, guilty};
use super::exclusions::Exclusions;
use super::helper::{Helper, Numbers, Position};
use super::place::{FaultPlace, MutationError, find_fault_places};
use super::product_files::is_product_file;
use super::render::{PlantedWrap, Rendered, Replacement, render};
use super::rust::{DeclaredModules, without_denied_lints};
use super::selection::{TouchedLines, select};

/// Longer files are not planted: generated code, mostly.
const MAX_FILE_BYTES: usize = 1024 * 1024;

/// What is to be planted, and where.
#[derive(Debug, Clone, Copy)]
pub struct PlantRequest<'a> {
    /// A checkout that is thrown away afterwards; its files are changed.
    pub folder: &'a Path,
    /// The files that may get faults; those that are no product code are passed over.
    pub files: &'a [RepoPath],
    /// The lines that the work changed, by file: faults in functions with such lines come first.
    pub touched: &'a BTreeMap<RepoPath, BTreeSet<u32>>,
    /// What the project's own settings leave out.
    pub exclusions: &'a Exclusions,
    /// A folder outside the tree that the processes of tests can write: switch and trace are there.
    pub control: &'a Path,
    /// Decides numbers, names and which places are taken. Keep it from whoever writes the code.
    pub seed: &'a Digest,
    /// How many faults are planted at most.
    pub most: usize,
}

/// One fault in an instrumented copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where it is and what it does.
    pub place: FaultPlace,
    /// The switch that turns it on.
    pub switch: u64,
    /// The switch that leads through the same code and changes nothing.
    pub neutral: u64,
    numbers: Numbers,
}

/// What the switch says.
#[derive(Debug, Clone, Copy)]
pub enum Switch<'a> {
    /// Nothing: the copy behaves as the original and writes nothing down.
    Off,
    /// No fault is on; what is reached is written down.
    Watch,
    /// This fault is on.
    Fault(&'a Fault),
    /// No fault is on; this one's place takes the way that it takes when it is.
    Neutral(&'a Fault),
}

/// A tree into whose sources faults were planted, all of them switched off.
#[derive(Debug)]
pub struct PlantedTree {
    root: TreeRoot,
    control: Control,
    helper: Helper,
    watch: u64,
    files: BTreeMap<RepoPath, PlantedFile>,
    faults: Vec<Fault>,
}

#[derive(Debug)]
struct PlantedFile {
    language: SourceLanguage,
    original: String,
    /// The helper, and lints that are no longer denied.
    additions: Vec<Replacement>,
    /// The text as it stands in the tree, and where the faults are in it.
    rendered: Rendered,
}

impl PlantedTree {
    /// Plants faults. What stood in the switch before is gone.
    pub fn plant(request: &PlantRequest<'_>) -> Result<Self, MutationError> {
        let root = TreeRoot::open(request.folder)?;
        let control = Control::open(request.control, request.seed)?;
        let helper = control.helper(request.seed)?;
        let sources = product_sources(&root, request.files)?;
        let mut places = Vec::new();
        let mut files = BTreeMap::new();
        for (file, language, source) in sources {
            let found = match find_fault_places(language, &file, &source) {
                Ok(found) => found,
                // What cannot be parsed cannot be measured; the rest can.
                Err(MutationError::Unreadable { .. }) => continue,
                Err(error) => return Err(error),
            };
            let Some(additions) = additions(&helper, language, &source) else {
                continue;
            };
            let wanted = |place: &FaultPlace| request.exclusions.of_place(place).is_none();
            places.extend(found.into_iter().filter(wanted));
            let rendered = render(&source, &[], &[]);
            let planted = PlantedFile {
                language,
                original: source,
                additions,
                rendered,
            };
            files.insert(file, planted);
        }
        let touched: &TouchedLines = request.touched;
        let chosen = select(places, touched, request.seed, request.most);
        let mut taken = BTreeSet::from([0]);
        let watch = next_number(request.seed, "watch", &mut taken);
        let faults = chosen
            .into_iter()
            .map(|place| number(place, request.seed, &mut taken))
            .collect();
        let mut tree = Self {
            root,
            control,
            helper,
            watch,
            files,
            faults,
        };
        tree.leave_out_broken_files();
        tree.write_all()?;
        tree.set_switch(Switch::Off)
            .map_err(|source| tree.control.error(source))?;
        Ok(tree)
    }

    /// The faults that are planted, in the order in which they were chosen: the most telling ones first,
    /// spread over the functions.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Takes out every fault at which the compiler complains; says how many. The text is what Cargo wrote
    /// with `--message-format=json`. Call it after each build until one succeeds; zero means that the
    /// errors come from nothing that was planted.
    pub fn drop_uncompilable(&mut self, cargo_json: &str) -> Result<usize, MutationError> {
        let mut dropped = BTreeSet::new();
        for error in compiler_errors(cargo_json) {
            dropped.extend(self.guilty_of(&error));
        }
        self.take_out(&dropped)
    }

    /// Takes out all faults of a file; says how many there were.
    pub fn drop_file(&mut self, file: &RepoPath) -> Result<usize, MutationError> {
        let of_file = |(_, fault): &(usize, &Fault)| fault.place.file == *file;
        let faults = self.faults.iter().enumerate().filter(of_file);
        let dropped = faults.map(|(number, _)| number).collect();
        self.take_out(&dropped)
    }

    /// Sets the switch for processes that start from now on, and forgets what was executed.
    pub fn set_switch(&self, switch: Switch<'_>) -> io::Result<()> {
        self.control.set(match switch {
            Switch::Off => 0,
            Switch::Watch => self.watch,
            Switch::Fault(fault) => fault.switch,
            Switch::Neutral(fault) => fault.neutral,
        })
    }

    /// The places that were reached since the switch was set, by the `switch` of their fault. Inside of
    /// code that an active fault replaces nothing is seen. Tests can write this list too: it tells what
    /// to try, and proves nothing by itself.
    pub fn executed(&self) -> io::Result<BTreeSet<u64>> {
        let reached = self.control.trace()?;
        let faults = self.faults.iter();
        let traced = |fault: &Fault| fault.numbers.first.wrapping_add(fault.numbers.second);
        let reached = faults.filter(|fault| reached.contains(&traced(fault)));
        Ok(reached.map(|fault| fault.switch).collect())
    }

    /// Writes the original texts back. What was built from the planted ones keeps its faults, so that a
    /// compiled program can be tested while its planted sources are out of sight.
    pub fn restore(&self) -> Result<(), MutationError> {
        for (file, planted) in &self.files {
            if planted.rendered.text != planted.original {
                self.root.write(file, planted.original.as_bytes())?;
            }
        }
        Ok(())
    }

    /// A text that no longer parses would take every fault of its tree with it.
    fn leave_out_broken_files(&mut self) {
        let mut broken = BTreeSet::new();
        for (file, planted) in &self.files {
            let rendered = self.render(file, planted);
            let problems = |text: &str| match check_syntax(planted.language, text) {
                Ok(report) => report.problems.len() + report.left_out,
                Err(_too_long) => usize::MAX,
            };
            if problems(&rendered.text) > problems(&planted.original) {
                tracing::warn!(%file, "faults in this file do not parse; it gets none");
                broken.insert(file.clone());
            }
        }
        self.files.retain(|file, _| !broken.contains(file));
        self.faults
            .retain(|fault| !broken.contains(&fault.place.file));
    }

    fn guilty_of(&self, error: &CompilerError) -> BTreeSet<usize> {
        let mut files = Vec::new();
        for (file, planted) in &self.files {
            let is_here =
                |span: &&Span| is_in(span, file, self.root.path(), &planted.rendered.text);
            let spans: Vec<&Span> = error.spans.iter().filter(is_here).collect();
            if spans.is_empty() {
                continue;
            }
            let faults = planted.rendered.written.iter().filter_map(|written| {
                let fault = self.faults.get(written.fault)?;
                let lines = &fault.place.function_lines;
                Some(Suspect {
                    written,
                    function_lines: *lines.start()..lines.end().saturating_add(1),
                })
            });
            files.push(Suspects {
                spans,
                faults: faults.collect(),
                added: &planted.rendered.replaced,
            });
        }
        guilty(&files)
    }

    fn take_out(&mut self, dropped: &BTreeSet<usize>) -> Result<usize, MutationError> {
        if dropped.is_empty() {
            return Ok(0);
        }
        let faults = std::mem::take(&mut self.faults).into_iter().enumerate();
        let kept = faults.filter(|(number, _)| !dropped.contains(number));
        self.faults = kept.map(|(_, fault)| fault).collect();
        self.write_all()?;
        Ok(dropped.len())
    }

    /// Writes every file whose text is not what it should be.
    fn write_all(&mut self) -> Result<(), MutationError> {
        let mut written = Vec::new();
        for (file, planted) in &self.files {
            let rendered = self.render(file, planted);
            if rendered.text != planted.rendered.text {
                self.root.write(file, rendered.text.as_bytes())?;
            }
            written.push(rendered);
        }
        for (planted, rendered) in self.files.values_mut().zip(written) {
            planted.rendered = rendered;
        }
        Ok(())
    }

    fn render(&self, file: &RepoPath, planted: &PlantedFile) -> Rendered {
        let faults = self.faults.iter().enumerate();
        let faults = faults.filter(|(_, fault)| fault.place.file == *file);
        let mut wraps: Vec<_> = faults
            .map(|(number, fault)| {
                let wrap = &fault.place.wrap;
                PlantedWrap {
                    fault: number,
                    wrap,
                    is_on: self.helper.is_on(planted.language, wrap, fault.numbers),
                }
            })
            .collect();
        if wraps.is_empty() {
            return render(&planted.original, &[], &[]);
        }
        wraps.sort_by_key(|planted| {
            let range = &planted.wrap.range;
            (range.start, usize::MAX - range.end)
        });
        render(&planted.original, &wraps, &planted.additions)
    }
}

/// The files that may get faults, with their texts.
fn product_sources(
    root: &TreeRoot,
    files: &[RepoPath],
) -> Result<Vec<(RepoPath, SourceLanguage, String)>, MutationError> {
    let declared = declared_modules(root, files)?;
    let of_tests = declared.only_for_tests();
    let is_of_tests = |file: &RepoPath| {
        of_tests.iter().any(|test| {
            let below = file.as_str().strip_prefix(test.as_str());
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let files: BTreeSet<&RepoPath> = files.iter().collect();
    let mut sources = Vec::new();
    for file in files {
        let Some(language) = is_product_file(file) else {
            continue;
        };
        if is_of_tests(file) {
            continue;
        }
        if let Some(source) = read_source(root, file)? {
            sources.push((file.clone(), language, source));
        }
    }
    Ok(sources)
}

/// The text of a file; `None` for what is no source of ordinary size, or lies behind a symlink.
fn read_source(root: &TreeRoot, file: &RepoPath) -> Result<Option<String>, MutationError> {
    let through_link = root.path().join(file.as_str()).symlink_metadata();
    if !through_link.is_ok_and(|found| found.is_file()) {
        return Ok(None);
    }
    let content = match root.read(file, MAX_FILE_BYTES) {
        Ok(content) if content.left_out() == 0 => content,
        Ok(_)
        | Err(
            FileError::NotFound { .. }
            | FileError::Credential { .. }
            | FileError::LeavesTree { .. }
            | FileError::Unaddressable { .. }
            | FileError::IsSymlink { .. }
            | FileError::WrongKind { .. },
        ) => return Ok(None),
        Err(error @ FileError::Io { .. }) => return Err(error.into()),
    };
    Ok(String::from_utf8(content.bytes).ok())
}

/// The modules that files declare.
///
/// Those who declare need not be among the files: everything in their folders and above is asked.
fn declared_modules(root: &TreeRoot, files: &[RepoPath]) -> Result<DeclaredModules, MutationError> {
    let mut folders = BTreeSet::new();
    let rust = |file: &&RepoPath| SourceLanguage::of_path(file) == Some(SourceLanguage::Rust);
    for file in files.iter().filter(rust) {
        let mut folder = file.folder();
        while folders.insert(folder.clone()) {
            let Some(path) = folder.path() else { break };
            folder = path.folder();
        }
    }
    let mut found = DeclaredModules::default();
    for folder in folders {
        let place = match folder.path() {
            Some(path) => root.path().join(path.as_str()),
            None => root.path().to_owned(),
        };
        let Ok(entries) = std::fs::read_dir(place) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_str().filter(|name| name.ends_with(".rs"));
            let Some(file) = name.and_then(|name| folder.join(name).ok()) else {
                continue;
            };
            if let Some(source) = read_source(root, &file)? {
                found.add(&file, &source);
            }
        }
    }
    Ok(found)
}

/// What a file gets beside its faults; `None` when it has no room for it.
fn additions(helper: &Helper, language: SourceLanguage, source: &str) -> Option<Vec<Replacement>> {
    let tree = parse(language, source).ok()?;
    let insertions = helper.insertions(language, &tree, source)?;
    let mut additions: Vec<_> = insertions
        .into_iter()
        .map(|insertion| Replacement {
            range: insertion.at..insertion.at,
            text: insertion.text,
        })
        .collect();
    if language == SourceLanguage::Rust {
        let lints = without_denied_lints(&tree, source);
        let lints = lints
            .into_iter()
            .map(|(range, text)| Replacement { range, text });
        additions.extend(lints);
    }
    Some(additions)
}

fn number(place: FaultPlace, seed: &Digest, taken: &mut BTreeSet<u64>) -> Fault {
    let range = &place.wrap.range;
    let what = format!(
        "{} {} {} {}",
        place.file, range.start, range.end, place.after
    );
    let first = next_number(seed, &format!("first {what}"), taken);
    let second = next_number(seed, &format!("second {what}"), taken);
    // Which of the two is the fault is not to be seen from their order.
    let (fault, switch, neutral) = match Digest::keyed(seed, &what).number() % 2 {
        0 => (Position::First, first, second),
        _ => (Position::Second, second, first),
    };
    Fault {
        place,
        switch,
        neutral,
        numbers: Numbers {
            first,
            second,
            fault,
        },
    }
}

/// A number that nothing else has; JavaScript knows whole numbers up to 2⁵³, and adds two of these.
fn next_number(seed: &Digest, what: &str, taken: &mut BTreeSet<u64>) -> u64 {
    const WHOLE: u64 = (1 << 52) - 1;
    let mut digest = Digest::keyed(seed, what);
    loop {
        let number = digest.number() & WHOLE;
        if taken.insert(number) {
            return number;
        }
        digest = Digest::of(digest.bytes());
    }
}

/// True when a span lies in a file: by its path, and by the line that the compiler read there.
fn is_in(span: &Span, file: &RepoPath, root: &Path, text: &str) -> bool {
    let named = Path::new(&span.file);
    let absolute = root.join(file.as_str());
    // Cargo may have been started further down; what is left of the path is the end of ours.
    let same = absolute == named || (named.is_relative() && absolute.ends_with(named));
    let row = usize::try_from(span.lines.start.saturating_sub(1)).unwrap_or(usize::MAX);
    same && match &span.text {
        Some(line) => text
            .lines()
            .nth(row)
            .is_some_and(|ours| ours.trim() == line.trim()),
        None => true,
    }
}

#[cfg(test)]
#[path = "planted_tests.rs"]
mod tests;
