//! A tree with faults in it: planted, switched, watched, and put back.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use gavel_domain::Digest;

use crate::path::RepoPath;
use crate::syntax::{SourceLanguage, check_syntax, parse};
use crate::tree_root::TreeRoot;

use super::alarm::find_alarms;
use super::control::Control;
use super::decoy::find_decoys;
use super::diagnostics::{CompilerError, Span, Suspect, Suspects, compiler_errors, guilty};
use super::exclusions::Exclusions;
use super::helper::{Helper, Numbers};
use super::numbers::next_number;
use super::place::{FaultPlace, MutationError, Wrap, find_fault_places};
use super::render::{PlantedWrap, Rendered, Replacement, render};
use super::rust::without_denied_lints;
use super::selection::{TouchedLines, select};
use super::sources::{product_sources, read_source};

/// The most files of nothing but tests that get alarms.
const MAX_TEST_FILES: usize = 400;
/// What stands in the place of a fault's number where something else is planted.
const NO_FAULT: usize = usize::MAX;

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
    /// Whether tests get alarms.
    pub alarms: Alarms,
}

/// Whether tests get alarms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alarms {
    /// Those of all files that were named.
    Planted,
    /// None: only the product is touched.
    Left,
}

/// The beginning of a test, where it can be made to fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    /// The file.
    pub file: RepoPath,
    /// The line of the test, from 1.
    pub line: u32,
    /// The test's own name.
    pub test: String,
    /// Its number among the tests of this name in this file.
    pub nth: usize,
    numbers: Numbers,
    wrap: Wrap,
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

/// A place that looks like a fault and changes nothing: what it puts there is a copy of what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoy {
    /// The file.
    pub file: RepoPath,
    /// The switch that turns it on.
    pub switch: u64,
    numbers: Numbers,
    wrap: Wrap,
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
    /// No fault is on; a copy of the code is taken in the place of the code.
    Decoy(&'a Decoy),
    /// This test fails as soon as it begins.
    Alarm(&'a Alarm),
    /// Nothing is on; this test begins in the way that it does when its alarm is.
    NoAlarm(&'a Alarm),
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
    decoys: Vec<Decoy>,
    alarms: Vec<Alarm>,
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
        let decoys = decoys(&files, request.seed, &mut taken);
        let alarms = match request.alarms {
            Alarms::Planted => {
                add_test_files(&mut files, (&root, &helper), request)?;
                alarms(&files, request.seed, &mut taken)
            }
            Alarms::Left => Vec::new(),
        };
        let mut tree = Self {
            root,
            control,
            helper,
            watch,
            files,
            faults,
            decoys,
            alarms,
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

    /// The decoys that are planted beside them, in an order of their own.
    pub fn decoys(&self) -> &[Decoy] {
        &self.decoys
    }

    /// The alarms of tests, in an order that comes from the seed.
    pub fn alarms(&self) -> &[Alarm] {
        &self.alarms
    }

    /// Takes out the alarms of files that are wanted out; says how many there were.
    pub fn drop_alarms(
        &mut self,
        is_dropped: impl Fn(&RepoPath) -> bool,
    ) -> Result<usize, MutationError> {
        let before = self.alarms.len();
        self.alarms.retain(|alarm| !is_dropped(&alarm.file));
        let dropped = before - self.alarms.len();
        if dropped > 0 {
            self.write_all()?;
        }
        Ok(dropped)
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
        self.decoys.retain(|decoy| decoy.file != *file);
        self.alarms.retain(|alarm| alarm.file != *file);
        self.take_out(&dropped)
    }

    /// Sets the switch for processes that start from now on, and forgets what was executed.
    pub fn set_switch(&self, switch: Switch<'_>) -> io::Result<()> {
        self.set_switch_in(self.control.folder(), switch)
    }

    /// The same where another folder is shown to processes in the place of the one that is planted.
    pub fn set_switch_in(&self, folder: &Path, switch: Switch<'_>) -> io::Result<()> {
        let number = match switch {
            Switch::Off => 0,
            Switch::Watch => self.watch,
            Switch::Fault(fault) => fault.switch,
            Switch::Neutral(fault) => fault.neutral,
            Switch::Decoy(decoy) => decoy.switch,
            Switch::Alarm(alarm) => alarm.numbers.of_fault(),
            Switch::NoAlarm(alarm) => alarm.numbers.of_neutral(),
        };
        self.control.set(folder, number)
    }

    /// The places that were reached since the switch was set, by the `switch` of their fault or decoy. Inside
    /// of code that an active fault replaces nothing is seen. Tests can write this list too: it tells what
    /// to try, and proves nothing by itself.
    pub fn executed(&self) -> io::Result<BTreeSet<u64>> {
        self.executed_in(self.control.folder())
    }

    /// The same where another folder was shown to processes.
    pub fn executed_in(&self, folder: &Path) -> io::Result<BTreeSet<u64>> {
        let reached = self.control.trace(folder)?;
        let faults = self.faults.iter().map(|one| (one.switch, one.numbers));
        let decoys = self.decoys.iter().map(|one| (one.switch, one.numbers));
        let planted = faults.chain(decoys).filter(|(_, numbers)| {
            let traced = numbers.first.wrapping_add(numbers.second);
            reached.contains(&traced)
        });
        Ok(planted.map(|(switch, _)| switch).collect())
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

    /// A text that no longer parses would take every fault of its tree with it. Decoys and alarms go first.
    fn leave_out_broken_files(&mut self) {
        let broken = self.broken_files();
        self.decoys.retain(|decoy| !broken.contains(&decoy.file));
        self.alarms.retain(|alarm| !broken.contains(&alarm.file));
        let broken = self.broken_files();
        for file in &broken {
            tracing::warn!(%file, "faults in this file do not parse; it gets none");
        }
        self.files.retain(|file, _| !broken.contains(file));
        self.faults
            .retain(|fault| !broken.contains(&fault.place.file));
    }

    fn broken_files(&self) -> BTreeSet<RepoPath> {
        let broken = self.files.iter().filter(|(file, planted)| {
            let rendered = self.render(file, planted);
            let problems = |text: &str| match check_syntax(planted.language, text) {
                Ok(report) => report.problems.len() + report.left_out,
                Err(_too_long) => usize::MAX,
            };
            problems(&rendered.text) > problems(&planted.original)
        });
        broken.map(|(file, _)| file.clone()).collect()
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
        let has_faults = !wraps.is_empty();
        let alarms = self.alarms.iter().filter(|alarm| alarm.file == *file);
        wraps.extend(alarms.map(|alarm| PlantedWrap {
            fault: NO_FAULT,
            wrap: &alarm.wrap,
            is_on: (self.helper).is_on(planted.language, &alarm.wrap, alarm.numbers),
        }));
        if wraps.is_empty() {
            return render(&planted.original, &[], &[]);
        }
        let decoys = self.decoys.iter();
        let decoys = decoys.filter(|decoy| has_faults && decoy.file == *file);
        wraps.extend(decoys.map(|decoy| PlantedWrap {
            fault: NO_FAULT,
            wrap: &decoy.wrap,
            is_on: (self.helper).is_on(planted.language, &decoy.wrap, decoy.numbers),
        }));
        wraps.sort_by_key(|planted| {
            let range = &planted.wrap.range;
            (range.start, usize::MAX - range.end)
        });
        render(&planted.original, &wraps, &planted.additions)
    }
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
    let numbers = Numbers::draw(&what, seed, taken);
    Fault {
        place,
        switch: numbers.of_fault(),
        neutral: numbers.of_neutral(),
        numbers,
    }
}

/// The decoys of all files, in an order that comes from the seed.
fn decoys(
    files: &BTreeMap<RepoPath, PlantedFile>,
    seed: &Digest,
    taken: &mut BTreeSet<u64>,
) -> Vec<Decoy> {
    let mut all = Vec::new();
    for (file, planted) in files {
        let Ok(tree) = parse(planted.language, &planted.original) else {
            continue;
        };
        for wrap in find_decoys(planted.language, &tree, &planted.original) {
            let what = format!("decoy {file} {} {}", wrap.range.start, wrap.range.end);
            let numbers = Numbers::draw(&what, seed, taken);
            all.push(Decoy {
                file: file.clone(),
                switch: numbers.of_fault(),
                numbers,
                wrap,
            });
        }
    }
    all.sort_by_key(|decoy| decoy.switch);
    all
}

/// Adds files that hold nothing but tests, of those that were named.
fn add_test_files(
    files: &mut BTreeMap<RepoPath, PlantedFile>,
    (root, helper): (&TreeRoot, &Helper),
    request: &PlantRequest<'_>,
) -> Result<(), MutationError> {
    let mut others: Vec<&RepoPath> = request.files.iter().collect();
    others.retain(|file| !files.contains_key(*file));
    // What the work wrote comes last, so that it takes no room from files that are as they were.
    others.sort_by_key(|file| {
        let is_touched = request.touched.contains_key(*file);
        (is_touched, Digest::keyed(request.seed, file.as_str()))
    });
    for file in others.into_iter().take(MAX_TEST_FILES) {
        let Some(language) = SourceLanguage::of_path(file) else {
            continue;
        };
        let Some(original) = read_source(root, file)?.filter(|text| text.contains("test")) else {
            continue;
        };
        let Some(additions) = additions(helper, language, &original) else {
            continue;
        };
        let rendered = render(&original, &[], &[]);
        let planted = PlantedFile {
            language,
            original,
            additions,
            rendered,
        };
        files.insert(file.clone(), planted);
    }
    Ok(())
}

/// The alarms of all files, in an order that comes from the seed.
fn alarms(
    files: &BTreeMap<RepoPath, PlantedFile>,
    seed: &Digest,
    taken: &mut BTreeSet<u64>,
) -> Vec<Alarm> {
    let mut all = Vec::new();
    for (file, planted) in files {
        let Ok(tree) = parse(planted.language, &planted.original) else {
            continue;
        };
        let mut known = BTreeMap::<String, usize>::new();
        for place in find_alarms(planted.language, &tree, &planted.original) {
            let nth = known.entry(place.test.clone()).or_default();
            let what = format!("alarm {file} {} {nth}", place.test);
            all.push((
                Digest::keyed(seed, &what),
                Alarm {
                    file: file.clone(),
                    line: place.line,
                    nth: *nth,
                    numbers: Numbers::draw(&what, seed, taken),
                    wrap: place.wrap,
                    test: place.test,
                },
            ));
            *nth += 1;
        }
    }
    all.sort_by_key(|(draw, _)| *draw);
    all.into_iter().map(|(_, alarm)| alarm).collect()
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
