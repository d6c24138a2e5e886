//! What the work did to what was there before: inspected by rules, then tried. The tests from before the
//! run are laid over the result and must pass; the tests that came with a fix are laid over the code from
//! before it, and one of them must fail there.

mod changes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gavel_domain::{BaseTestsRun, Key, NewTestsRun, VerifyVerdict, WorkInspected, test_name};
use gavel_rules::look_at_files;
use gavel_rules::work::{
    FileRole, Named, RequestScope, WorkEdition, WorkFiles, WorkFinding, data_of_tests, file_role,
    inspect_work,
};
use gavel_run::{Blobs, Pure, Run, RunError, StepFailure};
use gavel_workspace::{
    CommitId, EntryChange, LaidOver, RepoPath, SourceLanguage, TestNames, TreeEntry, TreeId,
    WorkTreeError, expected_tests, fail_to_pass, is_product_file, lay_over,
};

use self::changes::{ChangesSeen, Contents, ReadMore, look_at_changes, work_files};
use crate::own_thread::on_own_thread;
use crate::proof::TouchedLines;
use crate::verify::{Checked, Counting, check_tree, failed, with_sources};
use crate::{JudgedCommit, Site};

/// The longest file that is read.
const MOST_BYTES: usize = 2 << 20;
/// The most files that are read to tell what names meant before.
const MOST_FILES: usize = 20_000;
/// From this flow on tests in documentation count among those from before the run.
const DOCUMENTED_FLOW: u32 = 9;
/// From this flow on code that is put out of the reach of faults is a finding, and with it what else
/// [`WorkEdition::Second`] looks at.
const HIDING_FLOW: u32 = 9;
/// How many tests a report names.
const NAMED: usize = 20;

/// The work, read from git's objects: the same in every drive.
#[derive(Debug)]
pub struct WorkRead {
    before: Arc<WorkFiles>,
    after: Arc<WorkFiles>,
    base: TreeId,
    tree: TreeId,
    /// True when there was code of a product before the run.
    pub had_product: bool,
    /// Paths that the work added, changed or removed.
    pub changed: BTreeSet<String>,
    /// Lines that it wrote, by file.
    pub touched: TouchedLines,
    /// What the request limits it to, where it says so.
    scope: Option<RequestScope>,
}

/// What is asked about the work.
#[derive(Debug, Clone, Copy)]
pub struct WorkCase<'a> {
    /// The work.
    pub work: &'a WorkRead,
    /// The judged commit.
    pub judged: JudgedCommit<'a>,
    /// The person's own words.
    pub request: &'a str,
}

/// Reads what a commit changed since the run began.
///
/// Where nobody planned it, the person's own words may say which files it is about.
pub async fn read_work(
    site: &Site,
    commit: &CommitId,
    request: &str,
) -> Result<WorkRead, WorkTreeError> {
    let base = site.tree.tree_of(&site.base).await?;
    let tree = site.tree.tree_of(commit).await?;
    let (was, is) = (entries(site, &base).await?, entries(site, &tree).await?);
    let differs = |path: &&String| {
        let id = |all: &BTreeMap<String, TreeEntry>| all.get(*path).map(|entry| entry.id.clone());
        id(&was) != id(&is)
    };
    let all: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
    let changed: BTreeSet<String> = all.into_iter().filter(differs).cloned().collect();
    let is_changed = |entry: &&TreeEntry| changed.contains(&entry.path);
    let before = read(site, was.values().filter(is_changed)).await?;
    let after = read(site, is.values().filter(is_changed)).await?;
    let paths = changed.clone();
    let looked = on_own_thread(move || look_at_changes(before, after, &paths)).await;
    let ChangesSeen {
        mut before,
        mut after,
        touched,
        more,
    } = looked;
    match more {
        ReadMore::Code => {
            // What a test calls by another name now may be defined anywhere in the product.
            let is_code = |entry: &&TreeEntry| {
                let path = entry.path.parse::<RepoPath>();
                path.is_ok_and(|path| SourceLanguage::of_path(&path).is_some())
            };
            before.extend(read(site, was.values().filter(is_code)).await?);
            after.extend(read(site, is.values().filter(is_code)).await?);
        }
        ReadMore::Tests => {
            // Whether these are the values of tests, the tests say.
            let is_test = |entry: &&TreeEntry| file_role(&entry.path) == FileRole::Test;
            before.extend(read(site, was.values().filter(is_test)).await?);
            after.extend(read(site, is.values().filter(is_test)).await?);
        }
        ReadMore::Nothing => {}
    }
    let of_tests = data_of_tests_in(site, &was, &changed).await?;
    let scope = scope_of(site, (&was, &is), request, &changed).await?;
    let names: Vec<String> = was.into_keys().collect();
    let of_before = of_tests.clone();
    let before = on_own_thread(move || work_files(&before, &of_before)).await;
    let after = on_own_thread(move || work_files(&after, &of_tests)).await;
    Ok(WorkRead {
        before: Arc::new(before),
        after: Arc::new(after),
        had_product: look_at_files(&names).sources > 0,
        base,
        tree,
        scope,
        changed,
        touched,
    })
}

/// What a request limits a change to; none where it names no file that is there, or where the work changed
/// no others.
async fn scope_of(
    site: &Site,
    (was, is): (&BTreeMap<String, TreeEntry>, &BTreeMap<String, TreeEntry>),
    request: &str,
    changed: &BTreeSet<String>,
) -> Result<Option<RequestScope>, WorkTreeError> {
    let paths: Vec<String> = was.keys().cloned().collect();
    let named = RequestScope::named(request, &paths);
    // What was done to tests, settings and documents is looked at elsewhere.
    let is_limited = |path: &String| match file_role(path) {
        FileRole::Product | FileRole::Other => true,
        FileRole::Test
        | FileRole::Snapshot
        | FileRole::Fixture
        | FileRole::Ci
        | FileRole::Lock
        | FileRole::Settings
        | FileRole::Document => false,
    };
    let is_beyond = |path: &String| was.contains_key(path) && !named.contains(path);
    if named.is_empty()
        || !changed
            .iter()
            .any(|path| is_limited(path) && is_beyond(path))
    {
        return Ok(None);
    }
    let is_read = |entry: &&TreeEntry| {
        let path = &entry.path;
        let is_code = file_role(path) == FileRole::Product;
        is_code || named.contains(path) || changed.contains(path)
    };
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for side in [was, is] {
        let contents = read(site, side.values().filter(is_read)).await?;
        for (path, content) in contents {
            let text = texts.entry(path).or_default();
            text.push_str(&String::from_utf8_lossy(&content));
            text.push('\n');
        }
    }
    Ok(Some(RequestScope::of(&named, &texts)))
}

/// Changed files that only tests of the base name, wherever they lie.
async fn data_of_tests_in(
    site: &Site,
    was: &BTreeMap<String, TreeEntry>,
    changed: &BTreeSet<String>,
) -> Result<BTreeSet<String>, WorkTreeError> {
    let is_data = |path: &&String| file_role(path) == FileRole::Other && was.contains_key(*path);
    let data: Vec<&String> = changed.iter().filter(is_data).collect();
    if data.is_empty() {
        return Ok(BTreeSet::new());
    }
    let is_read = |entry: &&TreeEntry| match file_role(&entry.path) {
        FileRole::Test | FileRole::Product | FileRole::Settings => true,
        FileRole::Snapshot
        | FileRole::Fixture
        | FileRole::Ci
        | FileRole::Lock
        | FileRole::Document
        | FileRole::Other => false,
    };
    let sources = read(site, was.values().filter(is_read)).await?;
    let sources: Vec<(&str, &str)> = sources
        .iter()
        .filter_map(|(path, text)| Some((path.as_str(), std::str::from_utf8(text).ok()?)))
        .collect();
    Ok(data_of_tests(
        data.into_iter().map(String::as_str),
        &sources,
    ))
}

async fn entries(site: &Site, tree: &TreeId) -> Result<BTreeMap<String, TreeEntry>, WorkTreeError> {
    let entries = site.tree.entries_of(tree).await?;
    let files = entries
        .into_iter()
        .filter(|entry| entry.mode != "160000" && !entry.path.starts_with(".gavel/"));
    Ok(files.map(|entry| (entry.path.clone(), entry)).collect())
}

async fn read<'a>(
    site: &Site,
    entries: impl Iterator<Item = &'a TreeEntry>,
) -> Result<Contents, WorkTreeError> {
    let entries: Vec<&TreeEntry> = entries.take(MOST_FILES).collect();
    let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    let contents = site.tree.contents_of(&ids).await?;
    let read = entries.iter().zip(contents);
    let read = read.filter(|(_, content)| content.len() <= MOST_BYTES);
    Ok(read
        .map(|(entry, content)| {
            // Where a link leads is no code, and no other file's text can be taken for it.
            let content = if entry.is_link() {
                [b"\xff", content.as_slice()].concat()
            } else {
                content
            };
            (entry.path.clone(), content)
        })
        .collect())
}

/// Looks for what the work took away from what the project checks; the key records it.
pub async fn inspect(
    run: &Run,
    key: Key,
    case: WorkCase<'_>,
    planned: Option<&BTreeSet<String>>,
) -> Result<Vec<WorkFinding>, RunError> {
    let WorkCase {
        work,
        judged,
        request,
    } = case;
    let look = |blobs: Blobs| async move {
        let planned: Option<Vec<String>> = planned.map(|paths| paths.iter().cloned().collect());
        let edition = match run.flow() {
            ..HIDING_FLOW => WorkEdition::First,
            HIDING_FLOW.. => WorkEdition::Second,
        };
        let (before, after) = (Arc::clone(&work.before), Arc::clone(&work.after));
        let (scope, request) = (work.scope.clone(), request.to_owned());
        let inspecting = move || {
            let named = match (&planned, &scope) {
                (Some(planned), _) => Named::ByPlan(planned),
                (None, Some(scope)) if edition >= WorkEdition::Second => Named::ByRequest(scope),
                (None, _) => Named::Nothing,
            };
            inspect_work(&before, &after, &request, named, edition)
        };
        let mut findings = on_own_thread(inspecting).await;
        if run.flow() < DOCUMENTED_FLOW {
            findings.retain(|finding| !finding.is_of_documentation());
        }
        let text = serde_json::to_string(&findings).map_err(failed)?;
        Ok(WorkInspected {
            commit: judged.commit.to_string(),
            findings: u32::try_from(findings.len()).unwrap_or(u32::MAX),
            report: blobs.keep(text),
        })
    };
    let input = (judged.commit.as_str(), request, planned);
    let fact = run.step(key, Pure, &input, look).await?.value;
    let text = run.text(fact.report).await?;
    serde_json::from_str(&text).map_err(|error| RunError::Brief {
        run: run.id(),
        problem: format!("findings about the work cannot be read: {error}"),
    })
}

/// What the tests from before the run came to on the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseTestsSeen {
    /// The fact.
    pub fact: BaseTestsRun,
    /// What does not hold, a sentence each.
    pub problems: Vec<String>,
}

/// Runs the tests from before the run on the result; `None` when the work left all of them as they
/// were, so that the verification has run them already.
pub async fn run_base_tests(
    run: &Run,
    key: Key,
    site: &Site,
    case: WorkCase<'_>,
    released: &BTreeSet<String>,
) -> Result<Option<BaseTestsSeen>, RunError> {
    let WorkCase {
        work,
        judged,
        request,
    } = case;
    let (before, after) = (Arc::clone(&work.before), Arc::clone(&work.after));
    let (asked, let_go) = (request.to_owned(), released.clone());
    let laying = on_own_thread(move || lay_over(&before, &after, &asked, &let_go));
    let over = run.until_cut(laying).await?;
    if over.is_empty() {
        return Ok(None);
    }
    let over = over.as_slice();
    let effect = |blobs: Blobs| async move {
        let checked = over_tree(site, &work.tree, (over, judged)).await?;
        let tests = checked.output.tests();
        let wanted = expected_tests(&work.before, &work.after, request, released);
        let wanted = wanted.iter().map(|test| test.name.as_str());
        let problems = problems(&checked, &tests, wanted);
        let report = serde_json::to_string(&problems).map_err(failed)?;
        Ok(BaseTestsRun {
            commit: judged.commit.to_string(),
            held: problems.is_empty(),
            files: u32::try_from(over.len()).unwrap_or(u32::MAX),
            executed: checked.counts.executed(),
            failed: checked.counts.failed,
            report: blobs.keep(report),
        })
    };
    let input = (judged.commit.as_str(), released);
    let fact = run.step(key, Pure, &input, effect).await?.value;
    let problems = run.text(fact.report).await?;
    let problems = serde_json::from_str(&problems).unwrap_or_default();
    Ok(Some(BaseTestsSeen { fact, problems }))
}

/// Runs the suite of a tree with other files laid over it.
async fn over_tree(
    site: &Site,
    tree: &TreeId,
    (over, judged): (&[LaidOver], JudgedCommit<'_>),
) -> Result<Checked, StepFailure> {
    let changes: Vec<EntryChange> = over
        .iter()
        .map(|file| EntryChange::Write {
            path: file.path.clone(),
            content: file.content.clone(),
        })
        .collect();
    let tree = site.tree.tree_changing(tree, &changes).await;
    let tree = tree.map_err(|error| failed(with_sources(&error)))?;
    Ok(Box::pin(check_tree(site, &tree, judged.consent, Counting::AsPrinted)).await)
}

/// What keeps the tests from before the run from holding.
fn problems<'a>(
    checked: &Checked,
    tests: &TestNames,
    wanted: impl Iterator<Item = &'a str>,
) -> Vec<String> {
    let mut problems: Vec<String> = tests
        .failed
        .iter()
        .map(|name| format!("{name} fails"))
        .collect();
    match checked.verdict {
        VerifyVerdict::Passed => {}
        VerifyVerdict::Failed | VerifyVerdict::Unclear if problems.is_empty() => {
            problems.push(format!("they do not run: {}", checked.reason));
        }
        VerifyVerdict::Failed | VerifyVerdict::Unclear => {}
    }
    let named: BTreeSet<&str> = tests
        .passed
        .iter()
        .chain(&tests.failed)
        .map(|name| test_name(name))
        .collect();
    // Where a runner names no tests, its count is all there is.
    if problems.is_empty() && !named.is_empty() {
        let wanted: BTreeSet<&str> = wanted.collect();
        let missing = wanted.into_iter().filter(|name| !named.contains(name));
        problems.extend(missing.map(|name| format!("{name} is not executed any more")));
    }
    problems.truncate(NAMED);
    problems
}

/// New tests on the code from before the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTestsSeen {
    /// The fact.
    pub fact: NewTestsRun,
    /// Full names, as the runner has them, of those that fail there.
    pub failing: Vec<String>,
}

/// Runs the tests that came with the work on the code from before it; `None` when there are none.
pub async fn run_new_tests(
    run: &Run,
    key: Key,
    site: &Site,
    case: WorkCase<'_>,
    passed: &BTreeSet<String>,
) -> Result<Option<NewTestsSeen>, RunError> {
    let WorkCase { work, judged, .. } = case;
    let (before, after) = (Arc::clone(&work.before), Arc::clone(&work.after));
    let finding = on_own_thread(move || fail_to_pass(&before, &after));
    let new = run.until_cut(finding).await?;
    if new.tests.is_empty() {
        return Ok(None);
    }
    let new = &new;
    let effect = |blobs: Blobs| async move {
        let checked = over_tree(site, &work.base, (&new.files, judged)).await?;
        let failing = failing_before(
            &checked,
            passed,
            new.tests.iter().map(|one| one.name.as_str()),
        );
        let report = serde_json::to_string(&failing).map_err(failed)?;
        let there = checked.output.tests();
        let ours = new.tests.iter().map(|one| one.name.as_str());
        let ours = ours.filter(|name| passed.iter().any(|other| test_name(other) == *name));
        let not_built = ours.filter(|name| !there.knows(name)).count();
        Ok(NewTestsRun {
            commit: judged.commit.to_string(),
            tests: u32::try_from(new.tests.len()).unwrap_or(u32::MAX),
            fail_before: u32::try_from(failing.len()).unwrap_or(u32::MAX),
            report: blobs.keep(report),
            not_built: u32::try_from(not_built).unwrap_or(u32::MAX),
        })
    };
    let fact = run.step(key, Pure, &judged.commit.as_str(), effect).await?;
    let fact = fact.value;
    let failing = run.text(fact.report).await?;
    let failing = serde_json::from_str(&failing).unwrap_or_default();
    Ok(Some(NewTestsSeen { fact, failing }))
}

/// New tests that pass on the result and fail on the code before. Code that does not build with them has
/// failed no test: a test that calls something new says nothing about what was wrong.
fn failing_before<'a>(
    checked: &Checked,
    passed: &BTreeSet<String>,
    new: impl Iterator<Item = &'a str>,
) -> Vec<String> {
    let new: BTreeSet<&str> = new.collect();
    let tests = checked.output.tests();
    let ours = passed.iter().filter(|name| new.contains(test_name(name)));
    let fails = |name: &&String| {
        let same = |other: &String| test_name(other) == test_name(name);
        tests.failed.iter().any(same)
    };
    ours.filter(fails).cloned().collect()
}

impl WorkRead {
    /// Tests from before the run that stand in files that the work changed, and that a verification of the
    /// result did not execute; none where its runner names no tests. Findings are released or settled
    /// before.
    pub fn not_executed(
        &self,
        (request, released): (&str, &BTreeSet<String>),
        tests: &TestNames,
    ) -> Vec<String> {
        if tests.is_empty() {
            return Vec::new();
        }
        let wanted = expected_tests(&self.before, &self.after, request, released);
        let wanted: BTreeSet<String> = wanted.into_iter().map(|test| test.name).collect();
        let missing = wanted.iter().filter(|name| !tests.knows(name));
        let missing = missing.map(|name| format!("{name} is not executed any more"));
        missing.take(NAMED).collect()
    }

    /// The tests among those that came with the work, by their full names.
    pub fn new_among<'a>(&self, names: &'a BTreeSet<String>) -> impl Iterator<Item = &'a String> {
        let new = self.new_test_names();
        names
            .iter()
            .filter(move |name| new.contains(test_name(name)))
    }

    /// True when the work wrote code, of the product or of tests.
    pub fn wrote_code(&self) -> bool {
        let mut files = self.touched.keys();
        files.any(|path| SourceLanguage::of_path(path).is_some())
    }

    /// True when the work wrote files that code may stand in and in which no fault is planted.
    pub fn wrote_unplanted(&self) -> bool {
        let mut changed = self.changed.iter();
        changed.any(|path| {
            let is_ours = match file_role(path) {
                FileRole::Product | FileRole::Other => true,
                FileRole::Test
                | FileRole::Snapshot
                | FileRole::Fixture
                | FileRole::Ci
                | FileRole::Lock
                | FileRole::Settings
                | FileRole::Document => false,
            };
            let file = path.parse::<RepoPath>().ok();
            let planted = file.is_some_and(|file| is_product_file(&file).is_some());
            is_ours && !planted && self.after.get(path).is_some()
        })
    }

    /// True when the work changed anything that a run of tests may depend on: code, data, settings.
    pub fn changed_what_runs(&self) -> bool {
        let mut changed = self.changed.iter();
        changed.any(|path| match file_role(path) {
            FileRole::Document | FileRole::Ci => false,
            FileRole::Test
            | FileRole::Snapshot
            | FileRole::Fixture
            | FileRole::Lock
            | FileRole::Settings
            | FileRole::Product
            | FileRole::Other => true,
        })
    }

    /// True when the work wrote lines of this file of the product.
    pub fn wrote_product(&self, path: &str) -> bool {
        let file = path.parse::<RepoPath>().ok();
        let touched = file.and_then(|file| self.touched.get(&file));
        file_role(path) == FileRole::Product && touched.is_some_and(|lines| !lines.is_empty())
    }

    /// The names of tests that came with the work.
    pub fn new_test_names(&self) -> BTreeSet<String> {
        let new = fail_to_pass(&self.before, &self.after).tests;
        new.into_iter().map(|test| test.name).collect()
    }

    /// By how many tests of a name, its last part, the sources of the result differ from those before.
    pub fn test_count_changes(&self) -> BTreeMap<String, i64> {
        let mut changes = BTreeMap::<String, i64>::new();
        for (files, by) in [(&self.before, -1), (&self.after, 1)] {
            for test in files.iter().flat_map(|file| &file.tests) {
                *changes.entry(test.name.clone()).or_default() += by;
            }
        }
        changes
    }

    /// How many tests came with the work.
    pub fn new_tests(&self) -> u32 {
        let new = fail_to_pass(&self.before, &self.after).tests;
        u32::try_from(new.len()).unwrap_or(u32::MAX)
    }
}
