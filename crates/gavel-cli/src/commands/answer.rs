//! `gavel answer`, and the card of a question.

use std::io::IsTerminal as _;

use gavel_domain::{AnswerReply, AnswerShape, Head, Key, RunId};
use gavel_run::{MailError, OpenQuestion};
use gavel_store::{Access, SqliteStore};
use serde_json::json;

use super::control::{Next, read_text, report};
use crate::args::AnswerArgs;
use crate::card::{Room, limit, lines, meant, read};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::Look;
use crate::which_run::Unnamed;

pub(crate) async fn run(context: &Context, args: AnswerArgs) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let target = target(context, store.as_ref(), &args).await?;
    let mailbox = context.mailbox(store);
    let run = target.head.run;
    let open = mailbox.questions(run).await?;
    let (question, said) = target.among(&open);
    let chosen = match &question {
        Some(id) => open.iter().find(|question| question.id == *id),
        None if open.len() == 1 => open.first(),
        None => None,
    };
    let Some(said) = said else {
        return look(context, run, (question, chosen, &open));
    };
    if chosen.is_none() && question.is_none() && open.len() > 1 {
        open.iter()
            .for_each(|question| card(context, run, question));
        return Err(Failure::usage("several questions are open: name one"));
    }
    let reply = reply(&args, said, (run, chosen))?;
    let id = question.or_else(|| chosen.map(|question| question.id.clone()));
    let delivery = mailbox.answer(run, id, reply).await?;
    if args.resume {
        report(context, run, delivery, Next::Drives);
        return super::drive::resume_as_begun(context, run).await;
    }
    report(context, run, delivery, Next::Nobody);
    Ok(Exit::Done)
}

/// Nothing was said: shows what is asked, and records nothing.
fn look(
    context: &Context,
    run: RunId,
    (named, chosen, open): (Option<Key>, Option<&OpenQuestion>, &[OpenQuestion]),
) -> Result<Exit, Failure> {
    let shown = match (&named, chosen) {
        (_, Some(question)) => std::slice::from_ref(question),
        (None, None) => open,
        (Some(_), None) => &[],
    };
    if shown.is_empty() {
        let question = named;
        let failure = Failure::from(MailError::NotOpen { run, question });
        return Err(failure.hint(format!(
            "gavel status {} shows where it stands",
            run.short()
        )));
    }
    show(context, run, shown);
    Ok(Exit::Waiting)
}

/// What was said.
enum Said {
    /// By a flag alone.
    Flag,
    /// In words.
    Words(String),
}

/// Whom the words are meant for.
struct Target {
    head: Head,
    question: Option<Key>,
    said: Option<Said>,
}

impl Target {
    /// A last word that is the id of an open question names it; then nothing was said.
    fn among(self, open: &[OpenQuestion]) -> (Option<Key>, Option<Said>) {
        if let (None, Some(Said::Words(word))) = (&self.question, &self.said)
            && let Some(named) = open.iter().find(|question| question.id.as_str() == word)
        {
            return (Some(named.id.clone()), None);
        }
        (self.question, self.said)
    }
}

/// Reads `[RUN] [QUESTION] [ANSWER]`: the answer is last unless a flag gives it. A run alone is no
/// answer, and neither is nothing.
async fn target(
    context: &Context,
    store: &SqliteStore,
    args: &AnswerArgs,
) -> Result<Target, Failure> {
    let mut words = args.words.clone();
    let by_flag = args.option.is_some() || args.limit.is_some() || args.skip;
    let only_a_run = match words.as_slice() {
        [word] => is_run(context, store, word).await?,
        _ => false,
    };
    let said = if by_flag {
        Some(Said::Flag)
    } else if only_a_run {
        None
    } else {
        words.pop().map(Said::Words)
    };
    let mut words = words.into_iter();
    let (run, question) = match (words.next(), words.next()) {
        (Some(run), Some(question)) => (Some(run), Some(question)),
        // One word is a question when it has the form of one and no run ends in it.
        (Some(word), None) if word.contains('/') => (None, Some(word)),
        (Some(word), None) => (Some(word), None),
        (None, _) => (None, None),
    };
    let head = context
        .run(store, run.as_deref(), Unnamed::OnlyAsking)
        .await?;
    let question = question
        .map(|id| id.parse::<Key>())
        .transpose()
        .map_err(|error| Failure::new(Exit::Usage, error))?;
    Ok(Target {
        head,
        question,
        said,
    })
}

/// How long the shortest word is that may name a run without an answer: as long as ids are shown.
const SHORT: usize = 8;

/// True for a word that names a run. Shorter words are answers, and so are numbers that no run ends
/// in; a word that can only be a mistyped id is never taken for an answer.
async fn is_run(context: &Context, store: &SqliteStore, word: &str) -> Result<bool, Failure> {
    if word.parse::<RunId>().is_ok() {
        return Ok(true);
    }
    let of_ids = |c: char| matches!(c, '0'..='9' | 'a'..='f' | '-');
    if word.len() < SHORT || !word.chars().all(of_ids) || !word.starts_with(|c| c != '-') {
        return Ok(false);
    }
    match context.run(store, Some(word), Unnamed::Newest).await {
        Ok(_) => Ok(true),
        Err(failure) if failure.exit != Exit::Usage => Err(failure),
        Err(failure) if word.contains(char::is_alphabetic) => Err(failure),
        Err(_) => Ok(false),
    }
}

fn reply(
    args: &AnswerArgs,
    said: Said,
    (run, question): (RunId, Option<&OpenQuestion>),
) -> Result<AnswerReply, Failure> {
    let unfit = |problem: String| {
        let hint = format!("gavel answer {} shows the card", run.short());
        Failure::usage(problem).hint(hint)
    };
    if args.skip {
        return Ok(AnswerReply::Decide);
    }
    if let Some(amount) = &args.limit {
        return limit(question, amount).map_err(unfit);
    }
    if let Some(option) = &args.option {
        let id = question.and_then(|question| meant(question, option));
        let id = id.unwrap_or(option).clone();
        return Ok(AnswerReply::Option { id });
    }
    let text = match said {
        Said::Words(word) => read_text(word)?,
        Said::Flag => String::new(),
    };
    match question {
        Some(question) => read(question, &text).map_err(unfit),
        None => Ok(AnswerReply::Text { text }),
    }
}

/// Shows open questions: as cards for people, as data for programs.
pub(crate) fn show(context: &Context, run: RunId, questions: &[OpenQuestion]) {
    questions
        .iter()
        .for_each(|question| card(context, run, question));
    let cards: Vec<_> = questions
        .iter()
        .map(|question| json!({ "id": question.id, "card": question.card, "shape": question.asked.shape }))
        .collect();
    context
        .ui
        .data("question", &json!({ "run": run, "questions": cards }));
}

/// Shows a question as a card, with the command that answers it.
pub(crate) fn card(context: &Context, run: RunId, question: &OpenQuestion) {
    let ui = &context.ui;
    let room = if std::io::stdout().is_terminal() {
        Room::of_terminal()
    } else {
        Room::Endless
    };
    for line in lines(question, room) {
        let dressed = line.iter().map(|(text, look)| ui.look(text, *look));
        ui.line(dressed.collect::<String>());
    }
    let how = match &question.asked.shape {
        AnswerShape::Choice { .. } => "--option N",
        AnswerShape::ChoiceOrText { .. } => "--option N, or \"your own words\"",
        AnswerShape::Text { .. } => "\"your own words\"",
        AnswerShape::Limit { .. } => "--limit AMOUNT, or --option N",
    };
    let (run, id) = (run.short(), &question.id);
    let command = format!("    gavel answer {run} {id} --resume {how}");
    ui.line(ui.look(&command, Look::Faint));
}
