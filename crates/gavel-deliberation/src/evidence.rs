//! Citations looked up: lines of files, memory, results of tools, answers.
//!
//! Whoever checks does it inside the step that records a text, since files change: everybody else
//! reads what was recorded.

mod quoted;
mod shown;

use gavel_agent::{ToolContext, ToolHandler as _};
use gavel_domain::MemoryNote;
use gavel_rules::council::{
    Checked, Cite, TagWord, apply_checks, quoted_words, read_cite, sources, tags,
};

use self::quoted::flat;
use self::shown::Shown;
use crate::Matter;
use crate::ask_source::{AskSource, names_page};

/// More of a citation than this is not repeated in a reason.
const SHORT: usize = 80;
const NAMES_NOTHING: &str = "names no file, memory item, tool result or answer";

/// A result of a tool of this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundResult {
    /// The number that it is cited by.
    pub(crate) label: u32,
    /// The key of its fact.
    pub(crate) key: String,
    pub(crate) tool: String,
    /// False when the tool refused or failed.
    pub(crate) ok: bool,
    /// The pages that a source was asked for.
    pub(crate) pages: Vec<String>,
    /// What the model saw.
    pub(crate) text: String,
}

/// Everything that a citation can point at.
#[derive(Debug, Clone)]
pub(crate) struct Evidence<'a> {
    context: &'a ToolContext,
    topic: &'a str,
    memory: &'a [MemoryNote],
    /// Ids and what was answered.
    answers: Vec<(&'a str, &'a str)>,
    results: Vec<FoundResult>,
}

impl<'a> Evidence<'a> {
    pub(crate) fn new(context: &'a ToolContext, matter: &Matter<'a>) -> Self {
        let clarified = matter.clarified.into_iter();
        let clarified = clarified.flat_map(|matter| &matter.answers);
        let clarified = clarified.map(|given| (given.id.as_str(), given.answer.as_str()));
        let discovered = matter.answers.iter();
        let discovered = discovered.map(|given| (given.question.as_str(), given.answer.as_str()));
        Self {
            context,
            topic: matter.topic,
            memory: matter.memory,
            answers: discovered.chain(clarified).collect(),
            results: Vec::new(),
        }
    }

    /// Adds results of tools.
    pub(crate) fn add(&mut self, results: &[FoundResult]) {
        self.results.extend_from_slice(results);
    }

    /// Looks up every source of every tag; one that is not found makes its claim unverified, with
    /// the reason. Reads files, so it belongs into a step.
    pub(crate) fn check(&self, text: &str) -> Checked {
        apply_checks(text, |tag| {
            let mut cited = sources(tag).into_iter();
            let broken = cited.find_map(|cite| Some((cite, self.problem(cite)?)));
            broken.map(|(cite, why)| format!("{why} ({})", short(cite)))
        })
    }

    /// The citations that hold, and those that do not with the reason. Reads files, as
    /// [`Evidence::check`] does.
    pub(crate) fn check_cites(&self, cites: &[String]) -> (Vec<String>, Vec<String>) {
        let (mut held, mut broken) = (Vec::new(), Vec::new());
        for cite in cites.iter().map(|cite| cite.trim()) {
            match self.problem(cite) {
                None => held.push(cite.to_owned()),
                Some(why) => broken.push(format!("{} ({why})", short(cite))),
            }
        }
        (held, broken)
    }

    /// What the tags of a text cite, one by one, of those that hold.
    pub(crate) fn held<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let tags = tags(text);
        let claims = tags.iter().filter(|tag| match tag.word {
            TagWord::Confirmed | TagWord::Refuted => true,
            TagWord::Unverified => false,
        });
        let cited = claims.flat_map(sources);
        cited.filter(|cite| self.problem(cite).is_none()).collect()
    }

    /// True when a tool of this run showed what is cited, or is cited itself.
    pub(crate) fn was_shown(&self, cite: &str) -> bool {
        match read_cite(cite) {
            Cite::Tool(_) | Cite::Url(_) => self.problem(cite).is_none(),
            Cite::File { path, from, to, .. } => {
                let path = quoted::relative(self.context, &path);
                self.shown().any(|shown| match shown {
                    Shown::Lines {
                        path: of,
                        from: first,
                        to: last,
                    } => of == path && first <= to && from <= last,
                    Shown::Memory { .. } => false,
                })
            }
            Cite::Memory(id) => self.showed_memory(&id),
            Cite::Unknown => self.showed_memory(cite),
            Cite::Answer(_) | Cite::Idea => false,
        }
    }

    fn showed_memory(&self, wanted: &str) -> bool {
        self.shown().any(|shown| match shown {
            Shown::Memory { id } => id == wanted,
            Shown::Lines { .. } => false,
        })
    }

    fn shown(&self) -> impl Iterator<Item = Shown> {
        let good = self.results.iter().filter(|result| result.ok);
        good.flat_map(|result| shown::shown(&result.tool, &result.text))
    }

    /// The paragraph of a prompt that says what can be cited here.
    pub(crate) fn forms(&self) -> String {
        let mut forms = vec![
            "`path/to/file:12` or `path/to/file:12-20`, lines of a file of the project; with words \
             that stand there it is stronger: `path/to/file:12 \"words of that line\"`"
                .to_owned(),
        ];
        if !self.memory.is_empty() {
            forms.push("`memory:ID`, an item of project memory, with its id".to_owned());
        }
        if !self.answers.is_empty() {
            let ids: Vec<_> = self.answers.iter().map(|(id, _)| *id).collect();
            forms.push(format!(
                "`answer:ID`, an answer; the ids are {}",
                ids.join(", ")
            ));
        }
        let good = self.results.iter().filter(|result| result.ok);
        let good = good.map(|result| format!("tool:{} ({})", result.label, result.tool));
        let good: Vec<_> = good.collect();
        if !good.is_empty() {
            let named = "results of tools in this debate:";
            forms.push(format!("`tool:N`, {named} {}", good.join(", ")));
        }
        forms.push("`idea`, what was asked itself".to_owned());
        format!(
            "What can be cited here, and nothing else:\n- {}\nEvery citation is looked up. One that \
             names nothing turns its claim into an unverified one.",
            forms.join("\n- ")
        )
    }

    /// What is wrong with a citation; nothing when it holds.
    fn problem(&self, cite: &str) -> Option<String> {
        // Models name memory items by their id alone, whatever it looks like.
        if self.memory.iter().any(|item| item.id == cite) {
            return None;
        }
        let not = |why: &str| Some(why.to_owned());
        match read_cite(cite) {
            Cite::File {
                path,
                from,
                to,
                quote,
            } => quoted::problem(self.context, &path, (from, to), quote.as_deref()),
            Cite::Memory(id) => match self.memory.iter().find(|item| item.id == id) {
                Some(item) => unquoted(cite, &item.text),
                None => not("no memory item has this id"),
            },
            Cite::Tool(number) => {
                let result = self.results.iter().find(|result| result.label == number);
                match result {
                    Some(result) if result.ok => unquoted(cite, &result.text),
                    Some(_) => not("that tool call failed"),
                    None => not("no tool result has this number"),
                }
            }
            Cite::Answer(id) => match self.answers.iter().find(|(known, _)| *known == id) {
                Some((_, answer)) => unquoted(cite, answer),
                None => not("no answer has this id"),
            },
            Cite::Idea => unquoted(cite, self.topic),
            Cite::Url(url) => self.page_problem(cite, &url),
            Cite::Unknown if quoted::is_file(self.context, cite) => {
                not("names no line of the file")
            }
            Cite::Unknown => not(NAMES_NOTHING),
        }
    }

    /// A page that was fetched holds by itself; one that an answer named holds by the words that the
    /// answer showed of it.
    fn page_problem(&self, cite: &str, url: &str) -> Option<String> {
        let good = || self.results.iter().filter(|result| result.ok);
        let fetched = |result: &&FoundResult| {
            let mut pages = result.pages.iter();
            pages.any(|page| is_same_page(page, url))
        };
        let holds = |result: &FoundResult| unquoted(cite, &result.text).is_none();
        if good().filter(fetched).any(holds) {
            return None;
        }
        let named =
            |result: &&FoundResult| result.tool == AskSource::NAME && names_page(&result.text, url);
        let quotes = quoted_words(cite).is_some_and(|words| !words.is_empty());
        if quotes && good().filter(named).any(holds) {
            return None;
        }
        let why = match (
            good().any(|one| fetched(&one)),
            good().any(|one| named(&one)),
        ) {
            (true, _) => "those words are not in it",
            (false, true) if quotes => "those words are not in what was shown of it",
            (false, true) => "that page was named, but nothing of it was quoted",
            (false, false) => "no tool of this run fetched that page",
        };
        Some(why.to_owned())
    }
}

/// True for two addresses of one page.
fn is_same_page(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

/// What is wrong with the words that a citation quotes from a text.
fn unquoted(cite: &str, text: &str) -> Option<String> {
    let words = flat(quoted_words(cite).unwrap_or_default());
    let there = flat(text).contains(&words);
    (!there).then(|| "those words are not in it".to_owned())
}

/// A citation as it is repeated in a reason.
fn short(cite: &str) -> String {
    let mut shown: String = cite.trim().chars().take(SHORT).collect();
    if shown.len() < cite.trim().len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
#[path = "evidence_tests.rs"]
mod tests;
