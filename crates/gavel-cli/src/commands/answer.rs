//! `gavel answer`, and the card of a question.

use std::io::IsTerminal as _;

use gavel_domain::{AnswerReply, AnswerShape, Head, Key, MicroUsd, RunId};
use gavel_run::OpenQuestion;
use gavel_store::Access;

use super::control::{read_text, report};
use crate::args::AnswerArgs;
use crate::card::{Room, chosen, lines};
use crate::context::{Context, Newest};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::Look;

pub(crate) async fn run(context: &Context, args: AnswerArgs) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let (head, question, text) = target(context, store.as_ref(), &args).await?;
    let mailbox = context.mailbox(store);
    let open = mailbox.questions(head.run).await?;
    let chosen = match &question {
        Some(id) => open.iter().find(|question| question.id == *id),
        None if open.len() == 1 => open.first(),
        None => None,
    };
    if chosen.is_none() && question.is_none() && open.len() > 1 {
        open.iter()
            .for_each(|question| card(context, head.run, question));
        return Err(Failure::usage("several questions are open: name one"));
    }
    let reply = reply(&args, text, chosen)?;
    let id = question.or_else(|| chosen.map(|question| question.id.clone()));
    let delivery = mailbox.answer(head.run, id, reply).await?;
    report(context, head.run, delivery);
    if args.resume {
        return super::drive::resume(context, Some(head.run.to_string())).await;
    }
    Ok(Exit::Done)
}

/// Reads `[RUN] [QUESTION] [ANSWER]`: the answer is last unless a flag gives it.
async fn target(
    context: &Context,
    store: &dyn gavel_store::Store,
    args: &AnswerArgs,
) -> Result<(Head, Option<Key>, Option<String>), Failure> {
    let mut words = args.words.clone();
    let by_flag = args.option.is_some() || args.limit.is_some() || args.skip;
    let text = if by_flag { None } else { words.pop() };
    if !by_flag && text.is_none() {
        return Err(Failure::usage(
            "give an answer, or --option N, --limit AMOUNT, --skip",
        ));
    }
    let mut words = words.into_iter();
    let (run, question) = match (words.next(), words.next()) {
        (Some(run), Some(question)) => (Some(run), Some(question)),
        // One word is a question when it has the form of one and no run ends in it.
        (Some(word), None) if word.contains('/') => (None, Some(word)),
        (Some(word), None) => (Some(word), None),
        (None, _) => (None, None),
    };
    let head = context
        .run(store, run.as_deref(), Newest::Unfinished)
        .await?;
    let question = question
        .map(|id| id.parse::<Key>())
        .transpose()
        .map_err(|error| Failure::new(Exit::Usage, error))?;
    Ok((head, question, text))
}

fn reply(
    args: &AnswerArgs,
    text: Option<String>,
    question: Option<&OpenQuestion>,
) -> Result<AnswerReply, Failure> {
    if args.skip {
        return Ok(AnswerReply::Decide);
    }
    if let Some(amount) = &args.limit {
        return parse_limit(amount, question);
    }
    let options = question.map_or(&[][..], |question| question.asked.shape.options());
    if let Some(option) = &args.option {
        let id = chosen(options, option).unwrap_or(option).clone();
        return Ok(AnswerReply::Option { id });
    }
    let text = text.map(read_text).transpose()?.unwrap_or_default();
    // A typed option id means the option; where only options are taken, so do numbers and letters.
    let only_options =
        question.is_some_and(|question| matches!(question.asked.shape, AnswerShape::Choice { .. }));
    let named = options.iter().find(|id| **id == text);
    let meant = named.or_else(|| chosen(options, &text).filter(|_| only_options));
    if let Some(id) = meant {
        return Ok(AnswerReply::Option { id: id.clone() });
    }
    Ok(AnswerReply::Text { text })
}

/// A limit of a money cap is given in dollars, one of a token cap as a number.
fn parse_limit(amount: &str, question: Option<&OpenQuestion>) -> Result<AnswerReply, Failure> {
    let tokens = question.is_some_and(|question| question.id.as_str().contains("-tokens-"));
    let limit = if tokens {
        amount.parse().ok()
    } else {
        MicroUsd::parse_dollars(amount).map(|usd| usd.0)
    };
    match limit {
        Some(limit) => Ok(AnswerReply::Limit { limit }),
        None => Err(Failure::usage(format!(
            "`{amount}` is not an amount such as 2.5"
        ))),
    }
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
