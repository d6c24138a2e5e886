//! Searching the code of a tree, with every limit stated in the result.

use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};

use crate::path::{RepoDir, RepoPath};
use crate::tree_root::{FileError, TreeRoot};

const MAX_PROGRAM_BYTES: usize = 8 * 1024 * 1024;
const MAX_LINE_IN_MEMORY: usize = 8 * 1024 * 1024;
const MAX_FILES: usize = 200_000;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// The text as it is.
    Literal(String),
    /// A regular expression (linear time: no backtracking), matched line by line.
    Regex(String),
}

/// Whether case counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Case {
    /// It does.
    #[default]
    Counts,
    /// It does not.
    Ignored,
}

/// A question to a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    /// What is looked for.
    pub pattern: Pattern,
    /// Whether case counts.
    pub case: Case,
    /// Which files: without a `/` a pattern for names (`*.rs`), else for paths (`src/**/*.rs`).
    pub glob: Option<String>,
    /// Where.
    pub below: RepoDir,
}

/// How much may come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchLimits {
    /// Lines in all.
    pub matches: usize,
    /// Bytes of each line.
    pub line_bytes: usize,
    /// Larger files are left out.
    pub file_bytes: u64,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self {
            matches: 200,
            line_bytes: 300,
            file_bytes: 2 * 1024 * 1024,
        }
    }
}

/// A line that matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLine {
    /// The file.
    pub path: RepoPath,
    /// The line's number, from 1.
    pub line: u64,
    /// Its text without its end; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// True when the rest of the line was left out.
    pub cut: bool,
}

/// What was found, and what was not looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// The lines, by path and number.
    pub lines: Vec<FoundLine>,
    /// True when the limit was reached: there may be more.
    pub stopped_early: bool,
    /// Files that were searched.
    pub searched: usize,
    /// Files that were left out.
    pub left_out: SearchGaps,
}

/// Files that a search left out, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchGaps {
    /// They hold a NUL.
    pub binary: usize,
    /// They are larger than the limit.
    pub large: usize,
    /// They hold credentials.
    pub credentials: usize,
    /// They could not be read, or have no address.
    pub unreadable: usize,
    /// The tree has more files than a search looks at.
    pub beyond: usize,
}

/// Why nothing could be searched.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The pattern is no regular expression.
    #[error("the pattern is not a regular expression; for plain text ask for a literal")]
    Pattern(#[source] Box<grep_regex::Error>),
    /// The glob is none.
    #[error("the glob is malformed")]
    Glob(#[source] globset::Error),
    /// The folder could not be used.
    #[error("the folder could not be searched")]
    Folder(#[source] FileError),
}

impl TreeRoot {
    /// Searches files that are not ignored, in the order of paths. Blocks.
    pub fn search(
        &self,
        query: &SearchQuery,
        limits: SearchLimits,
    ) -> Result<SearchResult, SearchError> {
        let matcher = compile(query)?;
        let glob = query.glob.as_deref().map(FileGlob::new).transpose()?;
        let walked = self
            .walk(&query.below, MAX_FILES)
            .map_err(SearchError::Folder)?;
        let mut searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .heap_limit(Some(MAX_LINE_IN_MEMORY))
            .build();
        let mut result = SearchResult::default();
        result.left_out.unreadable = walked.unaddressable.len();
        result.left_out.beyond = walked.left_out;
        for path in walked.files {
            if glob.as_ref().is_some_and(|glob| !glob.takes(&path)) {
                continue;
            }
            if result.lines.len() >= limits.matches {
                result.stopped_early = true;
                break;
            }
            self.search_file(&path, (&matcher, &mut searcher), limits, &mut result);
        }
        Ok(result)
    }

    fn search_file(
        &self,
        path: &RepoPath,
        (matcher, searcher): (&RegexMatcher, &mut Searcher),
        limits: SearchLimits,
        result: &mut SearchResult,
    ) {
        let file = match self.open_file(path) {
            Ok(file) => file,
            Err(FileError::Credential { .. }) => {
                result.left_out.credentials += 1;
                return;
            }
            Err(_) => {
                result.left_out.unreadable += 1;
                return;
            }
        };
        if file
            .metadata()
            .is_ok_and(|found| found.len() > limits.file_bytes)
        {
            result.left_out.large += 1;
            return;
        }
        let before = result.lines.len();
        let mut lines = Lines {
            path,
            limits,
            found: &mut result.lines,
            more: false,
            binary: false,
        };
        let searched = searcher.search_file(matcher, &file, &mut lines);
        let (more, binary) = (lines.more, lines.binary);
        result.stopped_early |= more;
        match searched {
            Ok(()) if binary => {
                result.lines.truncate(before);
                result.left_out.binary += 1;
            }
            Ok(()) => result.searched += 1,
            Err(_) => result.left_out.unreadable += 1,
        }
    }
}

fn compile(query: &SearchQuery) -> Result<RegexMatcher, SearchError> {
    let (text, is_literal) = match &query.pattern {
        Pattern::Literal(text) => (text, true),
        Pattern::Regex(text) => (text, false),
    };
    RegexMatcherBuilder::new()
        .case_insensitive(query.case == Case::Ignored)
        .fixed_strings(is_literal)
        .size_limit(MAX_PROGRAM_BYTES)
        .dfa_size_limit(MAX_PROGRAM_BYTES)
        .line_terminator(Some(b'\n'))
        .build(text)
        .map_err(|error| SearchError::Pattern(Box::new(error)))
}

struct FileGlob {
    matcher: GlobMatcher,
    by_name: bool,
}

impl FileGlob {
    fn new(text: &str) -> Result<Self, SearchError> {
        let glob = GlobBuilder::new(text).literal_separator(true).build();
        let matcher = glob.map_err(SearchError::Glob)?.compile_matcher();
        Ok(Self {
            matcher,
            by_name: !text.contains('/'),
        })
    }

    fn takes(&self, path: &RepoPath) -> bool {
        let text = if self.by_name {
            path.name()
        } else {
            path.as_str()
        };
        self.matcher.is_match(text)
    }
}

/// Collects lines until the limit.
struct Lines<'a> {
    path: &'a RepoPath,
    limits: SearchLimits,
    found: &'a mut Vec<FoundLine>,
    more: bool,
    binary: bool,
}

impl Sink for Lines<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        if self.found.len() >= self.limits.matches {
            self.more = true;
            return Ok(false);
        }
        let (text, cut) = shorten(found.bytes(), self.limits.line_bytes);
        let line = found.line_number().unwrap_or_default();
        self.found.push(FoundLine {
            path: self.path.clone(),
            line,
            text,
            cut,
        });
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, Self::Error> {
        self.binary = true;
        Ok(false)
    }
}

fn shorten(line: &[u8], max_bytes: usize) -> (String, bool) {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\n', '\r']);
    if text.len() <= max_bytes {
        return (text.to_owned(), false);
    }
    let end = text.floor_char_boundary(max_bytes);
    (text.get(..end).unwrap_or_default().to_owned(), true)
}
