//! Asks of a person: read from their words, accounted for by the spec, settled where open. What is
//! said after the spec is open, unless a later spec accounts for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use gavel_domain::{
    AnswerShape, AnswerValue, Ask, AskAccount, AskSource, AskStanding, AsksAccounted, AsksRead,
    Audience, Criterion, DiscoveryAnswer, Fact as _, Key, OnTimeout, Purpose, QuestionAnswered,
    QuestionCard, Record, Said, Scope, Spec,
};
use gavel_rules::{
    AskClaim, AskThread, ClaimCheck, HaltReason, InsteadOf, SpecWords, ThreadAsk, Words,
    account_for, apart_from_left_out, cut_asks, is_bare_reply, may_decide, not_among, number_asks,
    number_asks_after, read_words, serves_nothing,
};
use gavel_run::{Blobs, Pure, Question, Run, StepFailure};

use crate::discovery::Discovered;
use crate::idea::Idea;
use crate::recipes::failed;
use crate::way::{Leave, Way, halt, keep_json, read_json};

/// The first flow in which asks are accounted for.
pub(crate) const ASKS_SINCE: u32 = 8;

/// The first flow in which the words of asks are compared with those of their criteria.
pub(crate) const CHECKED_SINCE: u32 = 9;

/// The longest rewording.
const MOST_BYTES: u32 = 4_000;
const WITHOUT: &str = "without";
const STOP: &str = "stop";

/// Cuts everything that a person said so far into asks: `asks` below the scope.
pub(crate) async fn read_asks(
    way: Way<'_>,
    scope: &Scope,
    idea: &Idea,
    answers: &[DiscoveryAnswer],
) -> Result<Vec<Ask>, Leave> {
    let run = way.run;
    let effect = |blobs: Blobs| async move {
        let spoken = spoken(run, &run.records(), Spoken::All).await?;
        let asks = if run.flow() >= CHECKED_SINCE {
            let later = own_answers(answers).chain(spoken).map(adding);
            read_words(&idea.said().iter().cloned().chain(later).collect::<Vec<_>>())
        } else {
            let said = said(&way.brief.idea, idea.text(), answers);
            number_asks(said.into_iter().chain(spoken))
        };
        asks_read(&blobs, &asks)
    };
    let key = scope.key("asks")?;
    let input = (idea.text(), answers);
    let read = run.step(key, Pure, &input, effect).await?;
    Ok(read_json(run, read.value.asks).await?)
}

fn asks_read(blobs: &Blobs, asks: &[Ask]) -> Result<AsksRead, StepFailure> {
    let count = u32::try_from(asks.len()).unwrap_or(u32::MAX);
    let text = serde_json::to_string(asks).map_err(|error| failed(&error))?;
    let asks = blobs.keep(text);
    Ok(AsksRead { asks, count })
}

/// Which words of a person that stand in no idea are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spoken {
    /// What they said without being asked, and what they wished for when they were asked.
    All,
    /// What they said without being asked.
    Interjections,
}

/// True for a question that people answer with a wish: the approval, the verdict on a phase, what
/// to do with a change that is not done or after a breaker.
fn is_wish(key: &str) -> bool {
    let last = key.rsplit('/').next().unwrap_or_default();
    ["approval", "verdict", "not-done"].contains(&last) || last.starts_with("after-")
}

/// What people said in these records.
async fn spoken(
    run: &Run,
    records: &[Arc<Record>],
    wanted: Spoken,
) -> Result<Vec<(AskSource, String)>, StepFailure> {
    let mut spoken = Vec::new();
    for record in records {
        let words = if let Ok(said) = record.read::<Said>() {
            may_decide(said.by).then_some((AskSource::Interjection, said.text))
        } else if let Ok(answered) = record.read::<QuestionAnswered>()
            && let AnswerValue::Text { text } = answered.value
        {
            let key = record.key.key();
            let counts = wanted == Spoken::All && is_wish(key.as_str()) && may_decide(answered.by);
            let question = key.as_str().to_owned();
            counts.then_some((AskSource::Answer { question }, text))
        } else {
            None
        };
        if let Some((source, text)) = words {
            let text = run.text(text).await.map_err(|error| failed(&error))?;
            if !is_bare_reply(&text) {
                spoken.push((source, text));
            }
        }
    }
    Ok(spoken)
}

/// What a person said since the asks were last read is open: no criterion was written for it.
pub(crate) async fn note_later(
    way: Way<'_>,
    scope: &Scope,
    found: &mut Discovered,
    wanted: Spoken,
) -> Result<(), Leave> {
    let run = way.run;
    if run.flow() < ASKS_SINCE {
        return Ok(());
    }
    let known: Vec<Ask> = found.asks.iter().map(|one| one.ask.clone()).collect();
    let known = known.as_slice();
    let effect = |blobs: Blobs| async move {
        let records = run.records();
        let last = records
            .iter()
            .rposition(|record| record.kind == AsksRead::KIND);
        let (before, since) = records.split_at(last.unwrap_or(0));
        let mut later = Vec::new();
        // A draft that was thrown away may have read them, and its asks went with it.
        if run.flow() >= CHECKED_SINCE {
            let before = spoken(run, before, Spoken::Interjections).await?;
            later = not_among(known, before);
        }
        later.extend(spoken(run, since, wanted).await?);
        let later = number_asks_after(known.len(), later);
        asks_read(&blobs, &[known, &later].concat())
    };
    let read = run.step(scope.key("asks")?, Pure, &known, effect).await?;
    let asks: Vec<Ask> = read_json(run, read.value.asks).await?;
    let later = asks.into_iter().skip(known.len());
    let later = later.map(|ask| AskAccount {
        ask,
        standing: AskStanding::Open,
    });
    let before = found.asks.len();
    found.asks.extend(later);
    if found.asks.len() > before {
        found.asks = keep_accounts(run, scope.key("accounted")?, &found.asks).await?;
    }
    Ok(())
}

/// What was said, and where, in runs whose text alone tells it: the idea, what was added to it, and
/// answers in a person's own words.
fn said(typed: &str, idea: &str, answers: &[DiscoveryAnswer]) -> Vec<(AskSource, String)> {
    let answer = |question: &str, text: &str| {
        let question = question.to_owned();
        (AskSource::Answer { question }, text.to_owned())
    };
    let (first, added) = match idea.strip_prefix(typed) {
        Some(added) => (typed, added),
        None => idea.split_once("\n\n").unwrap_or((idea, "")),
    };
    let mut said = vec![(AskSource::Idea, first.to_owned())];
    for text in added
        .split("\n\n")
        .map(str::trim)
        .filter(|text| !text.is_empty())
    {
        said.push(
            match (text.strip_prefix("Change: "), text.strip_prefix("Stack: ")) {
                (Some(change), _) => answer("spec", change),
                (None, Some(stack)) => answer("stack", stack),
                (None, None) => answer("clarification", text),
            },
        );
    }
    said.extend(own_answers(answers));
    said
}

/// Answers in a person's own words.
fn own_answers(answers: &[DiscoveryAnswer]) -> impl Iterator<Item = (AskSource, String)> {
    let own = answers
        .iter()
        .filter(|one| one.by_person && !one.answer.trim().is_empty());
    own.map(|one| {
        let question = one.question.clone();
        (AskSource::Answer { question }, one.answer.clone())
    })
}

/// Words that take the place of none.
fn adding((source, text): (AskSource, String)) -> Words {
    Words {
        source,
        text,
        instead_of: InsteadOf::Nothing,
    }
}

/// True where nothing is open but what was left out when somebody said how to go on: then nobody is
/// asked again.
pub(crate) fn is_settled(run: &Run, idea: &Idea, accounts: &[AskAccount]) -> bool {
    let (_, spans) = apart_from_left_out(idea.text());
    let parts: Vec<String> = spans.iter().flat_map(|span| cut_asks(span)).collect();
    let is_out = |one: &AskAccount| !one.is_open() || parts.contains(&one.ask.text);
    !is_about_nothing(run, accounts) && accounts.iter().all(is_out)
}

/// What every ask comes to in this spec: `accounted` below the scope.
pub(crate) async fn record_accounts(
    run: &Run,
    scope: &Scope,
    (asks, claims): (Vec<Ask>, &BTreeMap<String, AskClaim>),
    (spec, title, check): (&Spec, Option<&str>, ClaimCheck),
) -> Result<Vec<AskAccount>, Leave> {
    if asks.is_empty() {
        return Ok(Vec::new());
    }
    let words = SpecWords {
        title,
        criteria: &spec.criteria,
    };
    let accounts = account_for(asks, claims, words, check);
    keep_accounts(run, scope.key("accounted")?, &accounts).await
}

/// How far a leader's word goes in this run.
pub(crate) fn check_of(run: &Run) -> ClaimCheck {
    if run.flow() >= CHECKED_SINCE {
        ClaimCheck::Words
    } else {
        ClaimCheck::Existence
    }
}

/// True where nobody but a person can say that this is about what was asked for.
pub(crate) fn is_about_nothing(run: &Run, accounts: &[AskAccount]) -> bool {
    check_of(run) == ClaimCheck::Words && serves_nothing(accounts)
}

/// A person agreed to the spec that showed the thread: what it left out or only claimed is agreed
/// to, which is on record below the scope (`agreed-asks`).
pub(crate) async fn note_agreed(
    run: &Run,
    scope: &Scope,
    accounts: Vec<AskAccount>,
) -> Result<Vec<AskAccount>, Leave> {
    let agreed = accounts.iter().cloned().map(AskAccount::agreed_to);
    let agreed: Vec<AskAccount> = agreed.collect();
    if run.flow() < CHECKED_SINCE || agreed == accounts {
        return Ok(accounts);
    }
    keep_accounts(run, scope.key("agreed-asks")?, &agreed).await
}

/// Words of a person that no spec could be written for are open: `untaken-asks` below the scope.
pub(crate) async fn note_untaken(
    run: &Run,
    (scope, question): (&Scope, &str),
    (idea, accounts): (&mut Idea, &mut Vec<AskAccount>),
    words: &str,
) -> Result<(), Leave> {
    if run.flow() < CHECKED_SINCE || is_bare_reply(words) {
        return Ok(());
    }
    idea.keep_untaken(question, words);
    let question = question.to_owned();
    let said = [(AskSource::Answer { question }, words.to_owned())];
    let untaken = number_asks_after(accounts.len(), said).into_iter();
    accounts.extend(untaken.map(|ask| AskAccount {
        ask,
        standing: AskStanding::Open,
    }));
    *accounts = keep_accounts(run, scope.key("untaken-asks")?, accounts).await?;
    Ok(())
}

async fn keep_accounts(
    run: &Run,
    key: Key,
    accounts: &[AskAccount],
) -> Result<Vec<AskAccount>, Leave> {
    let count = |wanted: fn(&AskStanding) -> bool| {
        let number = accounts.iter().filter(|one| wanted(&one.standing)).count();
        u32::try_from(number).unwrap_or(u32::MAX)
    };
    let covered = count(|one| matches!(one, AskStanding::Covered { .. }));
    let claimed = count(|one| matches!(one, AskStanding::Claimed { .. }));
    let excluded = count(|one| matches!(one, AskStanding::Excluded { .. }));
    let open = count(|one| *one == AskStanding::Open);
    let reworded = count(|one| *one == AskStanding::Reworded);
    let fact = |accounts| AsksAccounted {
        accounts,
        covered,
        claimed,
        excluded,
        open,
        reworded,
    };
    let kept = keep_json(run, key, &accounts, fact).await?;
    Ok(read_json(run, kept.value.accounts).await?)
}

/// The thread as a card tells it; empty where there are no asks.
pub(crate) fn thread_lines(accounts: &[AskAccount], criteria: &[Criterion]) -> String {
    if accounts.is_empty() {
        return String::new();
    }
    let thread = AskThread::of(accounts, criteria, &[]);
    let lines = thread.asks.iter().map(ThreadAsk::line);
    let lines = lines.chain(thread.own_line());
    let lines: Vec<String> = lines.map(|line| format!("- {line}")).collect();
    let whose = match thread.origin_line() {
        Some(origin) => format!("The words ({origin})"),
        None => "Your words".to_owned(),
    };
    format!(
        "{whose}, and what will show them:\n{}\n\n",
        lines.join("\n")
    )
}

/// What a person says about asks that the spec does not serve.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// Build it as it is.
    Build,
    /// Write the spec again, for these words in the place of what is open.
    Reworded(String),
}

/// One card for all asks that nothing answers for: `open-asks` below the scope. Where no ask has a
/// criterion that nobody doubts, only a person can say how to go on, and `--yes` cannot.
pub(crate) async fn settle_open(
    run: &Run,
    scope: &Scope,
    (accounts, note): (&[AskAccount], &str),
) -> Result<Settled, Leave> {
    let thread = AskThread::of(accounts, &[], &[]);
    let is_claimed = accounts.iter().any(AskAccount::is_only_claimed);
    let nothing = is_about_nothing(run, accounts);
    let open = thread.asks.iter().filter(|ask| ask.account.is_open());
    let open: Vec<String> = open
        .map(|ask| format!("- \"{}\"", ask.account.ask.text))
        .collect();
    let all = thread.asks.iter().map(|ask| format!("- {}", ask.line()));
    let all = all.collect::<Vec<_>>().join("\n");
    let (text, detail, options) = match (nothing, is_claimed) {
        (true, false) => (
            "Nothing of what you asked for would be built. Say it in other words, or stop.",
            format!("{note}No criterion of the spec covers any of this:\n{all}"),
            vec![(STOP, "stop here")],
        ),
        (true, true) => (
            "Only the leader says that this is what you asked for. Build it, or say it in other words.",
            format!("{note}Your words, and what would be built for them:\n{all}"),
            vec![(WITHOUT, "build it all the same"), (STOP, "stop here")],
        ),
        (false, _) => (
            "Some of what you asked for would not be built. Build without it, or say it in other words.",
            format!(
                "{note}No criterion covers this:\n{}\n\nBuilt without it, the seal names it, and is \
                 conditional at most.",
                open.join("\n")
            ),
            vec![(WITHOUT, "build without it"), (STOP, "stop here")],
        ),
    };
    let question = Question {
        purpose: Purpose::Choice,
        card: QuestionCard::with_options(text.to_owned(), Some(detail), &options),
        shape: AnswerShape::ChoiceOrText {
            options: options.iter().map(|(id, _)| (*id).to_owned()).collect(),
            max_bytes: MOST_BYTES,
        },
        recommended: (!nothing).then(|| WITHOUT.to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("open-asks")?, question).await?;
    match answer.value.value {
        AnswerValue::Text { text } => Ok(Settled::Reworded(run.text(text).await?)),
        AnswerValue::Option { id } if id == STOP => {
            let told = "what was asked for would not be built, and a person stopped here";
            Err(halt(run, HaltReason::UserRejectedSpec, told).await)
        }
        AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => {
            Ok(Settled::Build)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_where_they_were_said() {
        let by_person = DiscoveryAnswer {
            question: "audience".to_owned(),
            answer: "my team".to_owned(),
            by_person: true,
            ..DiscoveryAnswer::default()
        };
        let recommended = DiscoveryAnswer {
            by_person: false,
            ..by_person.clone()
        };
        let idea = "a todo list\n\nStack: rust\n\nfor tasks\n\nChange: also a rating";
        let asks = number_asks(said("a todo list", idea, &[by_person, recommended]));
        let told: Vec<(String, String, String)> = asks
            .into_iter()
            .map(|ask| {
                let source = match ask.source {
                    AskSource::Answer { question } => question,
                    AskSource::Idea | AskSource::Agent | AskSource::PlanStep => "idea".to_owned(),
                    AskSource::Interjection => "said".to_owned(),
                    AskSource::Rewording { question } => format!("instead, {question}"),
                };
                (ask.id, source, ask.text)
            })
            .collect();
        let row =
            |id: &str, from: &str, text: &str| (id.to_owned(), from.to_owned(), text.to_owned());
        assert_eq!(
            told,
            [
                row("a1", "idea", "a todo list"),
                row("a2", "stack", "rust"),
                row("a3", "clarification", "for tasks"),
                row("a4", "spec", "also a rating"),
                row("a5", "audience", "my team"),
            ]
        );
    }
}
