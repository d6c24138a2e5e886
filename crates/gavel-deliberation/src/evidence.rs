//! Citations looked up: lines of files, memory, results of tools, answers.
//!
//! Whoever checks does it inside the step that records a text, since files change: everybody else
//! reads what was recorded.

mod body;
mod quoted;
mod shown;

use gavel_agent::{ToolContext, ToolHandler as _};
use gavel_domain::MemoryNote;
use gavel_rules::council::{
    Behind, Checked, Cite, TagWord, apply_checks, cited, read_behind, read_cite, sources, tags,
    touches, untagged,
};
use gavel_run::ProjectMemory;

use self::body::body;
use self::quoted::flat;
use self::shown::Shown;
use crate::Matter;
use crate::ask_source::{AskSource, names_page};

/// More of a citation than this is not repeated in a reason.
const SHORT: usize = 80;
/// More citations of one choice are not looked up.
const MOST_CITES: usize = 16;
/// A quote of fewer letters and digits would be found on any page.
const LEAST_QUOTED: usize = 8;
/// Fewer digits of an id name too many items.
const LEAST_DIGITS: usize = 6;
const NAMES_NOTHING: &str = "names no file, memory item, tool result or answer";
const NOT_ASKED: &str = "the rest of project memory was not asked for it";
const NOT_ANSWERED: &str = "project memory could not be asked for it";
const NO_QUOTE: &str = "words behind the source that are no quote";
const NOT_IN_IT: &str = "those words are not in it";

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
    /// What the seats were shown of memory.
    memory: Vec<MemoryNote>,
    /// What they cite beyond that, and memory has.
    beyond: Vec<MemoryNote>,
    /// Why memory was not asked for what they cite beyond that, where it was not.
    unasked: Option<&'static str>,
    answers: Vec<Given<'a>>,
    results: Vec<FoundResult>,
}

/// An answer to a question of this run.
#[derive(Debug, Clone, Copy)]
struct Given<'a> {
    id: &'a str,
    answer: &'a str,
    /// False for what nobody answered and a model recommended.
    by_person: bool,
}

impl<'a> Evidence<'a> {
    pub(crate) fn new(context: &'a ToolContext, matter: &Matter<'a>) -> Self {
        let clarified = matter.clarified.into_iter();
        let clarified = clarified.flat_map(|matter| &matter.answers);
        let clarified = clarified.map(|given| Given {
            id: &given.id,
            answer: &given.answer,
            by_person: given.by_person,
        });
        let discovered = matter.answers.iter().map(|given| Given {
            id: &given.question,
            answer: &given.answer,
            by_person: given.by_person,
        });
        Self {
            context,
            memory: matter.memory.to_vec(),
            beyond: Vec::new(),
            unasked: None,
            answers: discovered.chain(clarified).collect(),
            results: Vec::new(),
        }
    }

    /// Adds what the seats are shown of memory from now on.
    pub(crate) fn show(&mut self, notes: &[MemoryNote]) {
        for note in notes {
            if self.memory.iter().all(|known| known.id != note.id) {
                self.memory.push(note.clone());
            }
        }
    }

    /// Looks up the memory items that texts cite and that nobody was shown. To be asked inside the
    /// step that checks them: memory may be another when the run goes on.
    pub(crate) async fn look_beyond(
        &mut self,
        memory: Option<&ProjectMemory>,
        (text, entries): (&str, &[String]),
    ) {
        let mut ids: Vec<String> = Vec::new();
        let all = tags(text);
        let in_text = all.iter().flat_map(sources);
        for cite in in_text.chain(entries.iter().flat_map(|entry| cited(entry))) {
            let id = match read_cite(cite) {
                Cite::Memory(id) => id,
                Cite::Unknown if is_item_id(cite) => cite.to_owned(),
                Cite::File { .. }
                | Cite::Tool(_)
                | Cite::Answer(_)
                | Cite::Idea
                | Cite::Url(_)
                | Cite::Unknown => continue,
            };
            if self.item(&id).is_none() && !ids.contains(&id) && ids.len() < MOST_CITES {
                ids.push(id);
            }
        }
        if ids.is_empty() {
            return;
        }
        let Some(memory) = memory else {
            self.unasked = Some(NOT_ASKED);
            return;
        };
        match memory.items(&ids).await {
            Ok(found) => self.beyond.extend(found.into_iter().map(|item| MemoryNote {
                id: item.id,
                kind: item.kind,
                text: item.text,
            })),
            // Told in the reason of the citation.
            Err(_unanswered) => self.unasked = Some(NOT_ANSWERED),
        }
    }

    /// What was cited beyond what the seats were shown, and is there.
    pub(crate) fn beyond(&self) -> &[MemoryNote] {
        &self.beyond
    }

    /// The item that is called so: by its whole id, or what stands beyond the brief by the end of it.
    fn item(&self, id: &str) -> Option<&MemoryNote> {
        let shown = self.memory.iter().find(|item| item.id == id);
        shown.or_else(|| self.beyond.iter().find(|item| is_called(&item.id, id)))
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
            broken.map(|(cite, why)| format!("{why} ({})", self.written(cite)))
        })
    }

    /// The citations that hold, each once and in one form, and those that do not with the reason.
    /// An entry may name several: each is looked up. Reads files, as [`Evidence::check`] does.
    ///
    /// Where a citation quotes words that share a telling one with the claim, it keeps its quote.
    pub(crate) fn check_cites(
        &self,
        cites: &[String],
        claim: Option<&str>,
    ) -> (Vec<String>, Vec<String>) {
        let (mut held, mut broken) = (Vec::new(), Vec::new());
        let each = cites.iter().flat_map(|entry| cited(entry));
        for cite in each.take(MOST_CITES) {
            let written = self.written(cite);
            let kept = match claim.filter(|claim| touches(cite, claim)) {
                Some(_) => quoted_in(&written, cite),
                None => written.clone(),
            };
            match self.problem(cite) {
                None if held.contains(&kept) => {}
                None => held.push(kept),
                Some(why) => broken.push(format!("{written} ({why})")),
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
            Cite::File { path, from, to } => {
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
    pub(crate) fn forms(&self, has_files: bool) -> String {
        let lines = "`path/to/file:12` or `path/to/file:12-20`, lines of a file of the project; with words \
             that stand there it is stronger: `path/to/file:12 \"words of that line\"`";
        let mut forms: Vec<String> = Vec::new();
        forms.extend(has_files.then(|| lines.to_owned()));
        if !self.memory.is_empty() {
            forms.push("`memory:ID`, an item of project memory, with its id".to_owned());
        }
        let given = self.answers.iter().filter(|given| given.by_person);
        let ids: Vec<_> = given.map(|given| given.id).collect();
        if !ids.is_empty() {
            forms.push(format!(
                "`answer:ID`, what a person answered; the ids are {}",
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
        if self
            .results
            .iter()
            .any(|result| result.ok && result.tool == AskSource::NAME)
        {
            forms.push(
                "`https://… \"words\"`, a page that a source was asked for or named, with words that \
                 the source showed of it"
                    .to_owned(),
            );
        }
        if forms.is_empty() {
            return "Nothing can be cited here: a claim that you only believe is `[UNVERIFIED]`."
                .to_owned();
        }
        format!(
            "What can be cited here, and nothing else:\n- {}\nBehind a citation stand words in quotation \
             marks that are found there, or nothing: a source that is merely there counts half, one whose quoted \
             words stand there and have the figures and names of the claim counts whole. Every citation is looked up. One that names nothing \
             turns its claim into an unverified one. What was asked is no evidence.",
            forms.join("\n- ")
        )
    }

    /// What is wrong with a citation; nothing when it holds.
    fn problem(&self, cite: &str) -> Option<String> {
        // Models name memory items by their id alone, whatever it looks like.
        if self.item(cite).is_some() {
            return None;
        }
        let not = |why: &str| Some(why.to_owned());
        let behind = read_behind(cite);
        match read_cite(cite) {
            Cite::File { path, from, to } => {
                let quote = match &behind {
                    Behind::Words(_) => return not(NO_QUOTE),
                    Behind::Quote(words) => words.as_str(),
                    Behind::Nothing => "",
                };
                quoted::problem(self.context, &path, (from, to), quote)
            }
            Cite::Memory(id) => match self.item(&id) {
                Some(item) => unquoted(&behind, &item.text),
                None => not(self
                    .unasked
                    .unwrap_or("no accepted memory item has this id")),
            },
            Cite::Tool(number) => {
                let result = self.results.iter().find(|result| result.label == number);
                match result {
                    // As the list of what can be cited names it.
                    Some(result) if result.ok && behind == Behind::Words(result.tool.clone()) => {
                        None
                    }
                    Some(result) if result.ok => unquoted(&behind, &body(&result.text)),
                    Some(_) => not("that tool call failed"),
                    None => not("no tool result has this number"),
                }
            }
            Cite::Answer(id) => match self.answers.iter().find(|given| given.id == id) {
                Some(given) if given.by_person => unquoted(&behind, given.answer),
                Some(_) => not("nobody answered that"),
                None => not("no answer has this id"),
            },
            Cite::Idea => not("the topic is no evidence"),
            Cite::Url(url) => self.page_problem(&url, &behind),
            Cite::Unknown if quoted::is_file(self.context, cite) => {
                not("names no line of the file")
            }
            Cite::Unknown => not(NAMES_NOTHING),
        }
    }

    /// A page holds by words that a source showed when it was asked for that page, or when its answer
    /// named it. That an address was asked for shows nothing.
    fn page_problem(&self, url: &str, behind: &Behind) -> Option<String> {
        let asked = self.results.iter().filter(|result| {
            let named = |result: &FoundResult| names_page(&body(&result.text), url);
            let fetched = result.pages.iter().any(|page| is_same_page(page, url));
            result.ok && result.tool == AskSource::NAME && (fetched || named(result))
        });
        let showed: Vec<_> = asked.map(|result| body(&result.text)).collect();
        let why = match behind {
            _ if showed.is_empty() => "no tool of this run showed that page",
            Behind::Nothing => "nothing of that page is quoted",
            Behind::Words(_) => NO_QUOTE,
            Behind::Quote(words) if letters(words) < LEAST_QUOTED => "the quote is too short",
            Behind::Quote(words) if showed.iter().any(|text| flat(text).contains(&flat(words))) => {
                return None;
            }
            Behind::Quote(_) => "those words are not in what was shown of it",
        };
        Some(why.to_owned())
    }

    /// A citation in the one form that it is kept in; what is none, as it was written, shortened.
    fn written(&self, cite: &str) -> String {
        let known = self.item(cite).is_some();
        let read = match read_cite(cite) {
            _ if known => Cite::Memory(cite.to_owned()),
            Cite::File { path, from, to } => Cite::File {
                path: quoted::relative(self.context, &path).to_owned(),
                from,
                to,
            },
            read @ (Cite::Memory(_)
            | Cite::Tool(_)
            | Cite::Answer(_)
            | Cite::Idea
            | Cite::Url(_)
            | Cite::Unknown) => read,
        };
        let written = read.written();
        untagged(written.as_deref().unwrap_or(cite), SHORT)
    }
}

/// True for what looks like the id of a memory item: a kind and digits.
fn is_item_id(cite: &str) -> bool {
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let parts = cite.split_once('_');
    parts.is_some_and(|(kind, rest)| {
        let kind = (2..=3).contains(&kind.len()) && kind.chars().all(|c| c.is_ascii_lowercase());
        kind && rest.len() >= LEAST_DIGITS && digits(rest)
    })
}

/// True when an item may be called so: by its id, its short id or the end of it.
fn is_called(id: &str, name: &str) -> bool {
    let digits = name.split_once('_').map_or(name, |(_, digits)| digits);
    id == name || digits.len() >= LEAST_DIGITS && id.ends_with(digits)
}

/// A citation in its one form with the words that it quotes.
fn quoted_in(written: &str, cite: &str) -> String {
    match read_behind(cite) {
        Behind::Quote(words) => {
            let words = untagged(&words, SHORT).replace(['"', '“', '”', '„'], "'");
            format!("{written} \"{words}\"")
        }
        Behind::Nothing | Behind::Words(_) => written.to_owned(),
    }
}

/// True for two addresses of one page.
fn is_same_page(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

/// What is wrong with what a citation says of a text.
fn unquoted(behind: &Behind, text: &str) -> Option<String> {
    match behind {
        Behind::Nothing => None,
        Behind::Quote(words) if flat(text).contains(&flat(words)) => None,
        Behind::Quote(_) => Some(NOT_IN_IT.to_owned()),
        Behind::Words(_) => Some(NO_QUOTE.to_owned()),
    }
}

fn letters(text: &str) -> usize {
    text.chars().filter(|sign| sign.is_alphanumeric()).count()
}

#[cfg(test)]
#[path = "evidence_tests.rs"]
mod tests;
