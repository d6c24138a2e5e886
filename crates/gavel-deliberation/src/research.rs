//! Looking things up for a debate: an agent with tools that read, and findings that stand on what
//! the tools showed.

mod look;
mod need;
mod sources;

use std::sync::Arc;

use gavel_agent::{Agent, AgentLimits, Caller, NumberedResult, Source, ToolHandler as _};
use gavel_domain::{ResearchMade, ResearchOutcome, Role, Scope, Tokens};
use gavel_models::ModelInfo;
use gavel_run::{Pure, RecallSpec, RecalledItem, Run, RunError};
use serde_json::json;

use self::look::{Closely, Look, look};
use crate::ask_source::{AskSource, pages_asked};
use crate::evidence::{Evidence, FoundResult};
use crate::task::Task;
use crate::tools::{Within, research_tools};
use crate::{Council, Edition, Matter};

pub(crate) use self::need::research_need;

pub(crate) const TURNS: u32 = 6;
const REPLY: Tokens = Tokens(1_500);
const WRITTEN: Tokens = Tokens(6_000);
/// The first line tells what kind of task it is.
const WORDS: &str = "Research: find out what the council has to know before it argues.\nThe question \
    stands under `question`, what it belongs to under `topic` and `matter`.";
const FILES_WORDS: &str = "The project's files lie before you; the uppermost of them stand under \
    `files`. The README and the folder docs come first, then the code.";
const NO_FILES_WORDS: &str = "The project has no files yet: search its memory.";
const SOURCES_WORDS: &str = "Sources outside the project stand under `sources`, one tool per line. Ask \
    them with `ask_source` for what the project itself cannot tell.";
const SOURCES_FIRST_WORDS: &str = "The project has no files yet. Sources outside it stand under \
    `sources`, one tool per line: begin with them, by `ask_source`.";
const KNOWN_WORDS: &str = "What was looked up before stands under `known`. Only what is not in it is \
    new.";
/// What a researcher writes who found nothing.
const NOTHING_NEW: &str = "nothing new";

/// What looking something up came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Findings {
    pub(crate) outcome: ResearchOutcome,
    /// What was found, its sources looked up; empty for every other outcome.
    pub(crate) text: String,
    /// The results of tools behind it.
    pub(crate) results: Vec<FoundResult>,
    /// Sources outside the project that did not answer, a sentence each; mostly empty.
    pub(crate) trouble: String,
}

/// What is to be looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lookup<'a> {
    /// Counted from one in its debate.
    pub(crate) number: u32,
    /// What the council wants to know.
    pub(crate) question: &'a str,
    /// The results of earlier lookups.
    pub(crate) known: &'a [FoundResult],
    /// What they came to.
    pub(crate) known_text: &'a str,
}

/// What somebody who looked things up left behind.
struct Work {
    /// Nothing when the model failed.
    text: Option<String>,
    results: Vec<FoundResult>,
}

/// Looks something up, in as many turns of an agent as it may have.
///
/// The facts stand in the scope: what there is to look into (`look`), the agent's replies and calls
/// (`turn-1` …), what it came to (`made`). Results are numbered on from those that are known. A model
/// that fails for good is an outcome, once the leader's failed too; everything else goes up.
pub(crate) async fn research(
    run: &Run,
    scope: &Scope,
    council: &Council,
    (matter, evidence, lookup): (&Matter<'_>, &Evidence<'_>, Lookup<'_>),
) -> Result<Findings, RunError> {
    let (allowed, refused) = sources_allowed(run, council).await?;
    let context = council.context.clone().with_sources(allowed);
    let council = &Council {
        context: context.clone(),
        ..council.clone()
    };
    let closely = Closely::Asked(&refused);
    let look = look(run, scope.key("look")?, &context, closely).await?;
    let nothing = look.is_empty() && matter.memory.is_empty();
    let work = if nothing && !remembers_anything(run, scope, council).await? {
        None
    } else {
        Some(work(run, scope, council, (matter, &look, lookup)).await?)
    };
    let results = work
        .as_ref()
        .map_or_else(Vec::new, |work| work.results.clone());
    let mut evidence = evidence.clone();
    evidence.add(&results);
    let input = json!([
        lookup.number,
        work.as_ref().map(|work| work.text.as_deref()),
        results.iter().map(|one| &one.key).collect::<Vec<_>>(),
    ]);
    let key = scope.key("made")?;
    let memory = run.memory();
    let made = run.step(key, Pure, &input, |blobs| {
        let (mut evidence, memory) = (evidence.clone(), memory.clone());
        let (work, results) = (&work, results.len());
        async move {
            // Looked up when it is said: the files may be others when the run goes on.
            let judged = match work {
                None => Judged::empty(ResearchOutcome::NoSources),
                Some(Work { text: None, .. }) => Judged::empty(ResearchOutcome::Failed),
                Some(Work {
                    text: Some(text), ..
                }) => {
                    evidence.look_beyond(memory.as_ref(), (text, &[])).await;
                    judge(&evidence, lookup, text)
                }
            };
            Ok(ResearchMade {
                number: lookup.number,
                outcome: judged.outcome,
                results: u32::try_from(results).unwrap_or(u32::MAX),
                held: judged.held,
                text: (!judged.text.is_empty()).then(|| blobs.keep(judged.text)),
            })
        }
    });
    let made = made.await?.value;
    let text = match (made.outcome, made.text) {
        (ResearchOutcome::Found, Some(text)) => run.text(text).await?,
        (
            ResearchOutcome::Found
            | ResearchOutcome::NothingNew
            | ResearchOutcome::NoSources
            | ResearchOutcome::Rejected
            | ResearchOutcome::Failed,
            _,
        ) => String::new(),
    };
    Ok(Findings {
        outcome: made.outcome,
        text,
        results,
        trouble: look.trouble,
    })
}

/// The sources that may be asked, and the names of those that may not.
async fn sources_allowed(
    run: &Run,
    council: &Council,
) -> Result<(Vec<Arc<dyn Source>>, Vec<String>), RunError> {
    let mut allowed = Vec::new();
    let mut refused = Vec::new();
    for source in council.context.sources() {
        // Nobody was asked in runs that began by the first edition.
        let may = council.edition == Edition::First
            || run
                .may_ask_source(source.name(), source.is_agreed())
                .await?;
        if may {
            allowed.push(Arc::clone(source));
        } else {
            refused.push(source.name().to_owned());
        }
    }
    Ok((allowed, refused))
}

/// True when project memory holds anything that could be searched; on record in the scope.
async fn remembers_anything(run: &Run, scope: &Scope, council: &Council) -> Result<bool, RunError> {
    if council.edition < Edition::Second {
        return Ok(false);
    }
    let anything = RecallSpec {
        kinds: &[],
        query: String::new(),
        max_tokens: REPLY,
    };
    let first = |items: Vec<RecalledItem>, _| items.into_iter().take(1).collect();
    let recalled = run
        .recall(scope.key("remembered")?, &anything, first)
        .await?;
    Ok(recalled.is_some_and(|recalled| !recalled.value.is_empty()))
}

/// Lets the researcher work; where its model fails, the leader's, once.
async fn work(
    run: &Run,
    scope: &Scope,
    council: &Council,
    asked: (&Matter<'_>, &Look, Lookup<'_>),
) -> Result<Work, RunError> {
    let worked = work_as(run, scope, council, (&council.researcher, asked)).await?;
    if worked.text.is_some() || council.leader.id == council.researcher.id {
        return Ok(worked);
    }
    let again = scope.scope("again", 1)?;
    let second = work_as(run, &again, council, (&council.leader, asked)).await?;
    let first_showed_more = second.text.is_none() && worked.results.len() > second.results.len();
    Ok(if first_showed_more { worked } else { second })
}

/// Lets a model look things up.
async fn work_as(
    run: &Run,
    scope: &Scope,
    council: &Council,
    (model, asked): (&ModelInfo, (&Matter<'_>, &Look, Lookup<'_>)),
) -> Result<Work, RunError> {
    let (matter, look, lookup) = asked;
    let registry = research_tools(Within {
        files: look.files.is_some(),
        // A run that began by the first edition was offered what was recalled, and nothing else.
        memory: run.memory().filter(|_| council.edition > Edition::First),
        notes: matter.memory,
        sources: look.sources.is_some(),
    });
    let registry = registry.map_err(|error| RunError::Brief {
        run: run.id(),
        problem: error.to_string(),
    })?;
    let mut limits = AgentLimits::for_model(model, TURNS);
    limits.reply = Tokens(model.max_output.0.min(REPLY.0));
    limits.output = WRITTEN;
    let agent = Agent {
        registry: Arc::new(registry),
        caller: Caller::in_process(Role::Researcher, council.context.clone()),
        model: model.clone(),
        system: include_str!("../prompts/research.md").to_owned(),
        ends_with: None,
        recall: None,
        limits,
    };
    let max_input = run.settings().max_input;
    let task = Task::new(WORDS, model, (max_input, REPLY), &council.context);
    let task = described(task, asked);
    let known = lookup.known.iter().map(|result| result.label).max();
    let first = known.unwrap_or_default().saturating_add(1);
    let (worked, numbered) = agent.work_kept(run, scope, &task, first).await?;
    match worked {
        Ok(worked) => Ok(Work {
            text: Some(worked.text),
            results: numbered.into_iter().map(found).collect(),
        }),
        // What its tools showed is on record, and counts without a report too.
        Err(RunError::Failed(_)) if council.edition > Edition::First => Ok(Work {
            text: None,
            results: numbered.into_iter().map(found).collect(),
        }),
        Err(RunError::Failed(_)) => Ok(Work {
            text: None,
            results: Vec::new(),
        }),
        Err(error) => Err(error),
    }
}

/// The task with what is asked and what there is to look into.
fn described(
    mut task: Task<'_>,
    (matter, look, lookup): (&Matter<'_>, &Look, Lookup<'_>),
) -> String {
    task.data("question", lookup.question, 5);
    add_matter(&mut task, matter);
    if let Some(files) = &look.files {
        task.words(FILES_WORDS);
        task.data("files", files, 10);
    }
    match (&look.sources, &look.files) {
        (Some(sources), files) => {
            let first = files.is_none();
            task.words(if first {
                SOURCES_FIRST_WORDS
            } else {
                SOURCES_WORDS
            });
            task.data("sources", sources, if first { 40 } else { 25 });
        }
        (None, None) => task.words(NO_FILES_WORDS),
        (None, Some(_)) => {}
    }
    if !lookup.known_text.is_empty() {
        task.words(KNOWN_WORDS);
        task.data("known", lookup.known_text, 10);
    }
    task.into_text()
}

/// What is asked, for those who look things up or say whether somebody should.
fn add_matter(task: &mut Task<'_>, matter: &Matter<'_>) {
    task.data("topic", matter.topic, 6);
    if let Some(clear) = matter.clarified {
        let told = json!({
            "problem": clear.problem,
            "constraints": clear.constraints,
            "criteria": clear.criteria,
            "scope": clear.scope,
        });
        task.data("matter", &told.to_string(), 8);
    }
}

/// What a text is worth, its citations looked up.
struct Judged {
    outcome: ResearchOutcome,
    text: String,
    held: u32,
}

impl Judged {
    const fn empty(outcome: ResearchOutcome) -> Self {
        Self {
            outcome,
            text: String::new(),
            held: 0,
        }
    }
}

/// Findings stand on something that a tool of this debate showed, and that was not known before.
fn judge(evidence: &Evidence<'_>, lookup: Lookup<'_>, text: &str) -> Judged {
    if text.trim().is_empty() {
        return Judged::empty(ResearchOutcome::Failed);
    }
    let known = flat(lookup.known_text);
    if says_nothing(text) || flat(text) == known {
        return Judged::empty(ResearchOutcome::NothingNew);
    }
    let checked = evidence.check(text);
    let cited = evidence.held(text);
    let outcome = if !cited.iter().any(|cite| evidence.was_shown(cite)) {
        ResearchOutcome::Rejected
    } else if cited.iter().all(|cite| known.contains(&flat(cite))) {
        ResearchOutcome::NothingNew
    } else {
        ResearchOutcome::Found
    };
    Judged {
        outcome,
        text: checked.text,
        held: checked.tags.confirmed.saturating_add(checked.tags.refuted),
    }
}

/// True for the words that say so, in a fence too: small models put them into one.
fn says_nothing(text: &str) -> bool {
    let fence = |line: &&str| line.trim_start().starts_with("```");
    let lines: Vec<&str> = text.lines().filter(|line| !fence(line)).collect();
    let said = lines.join("\n").to_lowercase();
    let said = said.trim_start_matches(|c: char| !c.is_alphabetic());
    let rest = said.strip_prefix(NOTHING_NEW);
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn found(result: NumberedResult) -> FoundResult {
    FoundResult {
        label: result.number,
        key: result.key.to_string(),
        ok: result.ok,
        pages: match result.tool == AskSource::NAME {
            true => pages_asked(&result.text).map(str::to_owned).collect(),
            false => Vec::new(),
        },
        tool: result.tool,
        text: result.text,
    }
}

#[cfg(test)]
#[path = "research_tests.rs"]
mod tests;

#[cfg(test)]
mod nothing_tests {
    use super::says_nothing;

    #[test]
    fn nothing_in_a_fence_is_nothing_and_a_call_in_a_fence_is_not() {
        assert!(says_nothing("```json\n NOTHING NEW\n```"));
        assert!(!says_nothing("```json\n{\"name\": \"search_code\"}\n```"));
        assert!(!says_nothing("```\n```"));
    }
}
