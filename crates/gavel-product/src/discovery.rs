//! Discovery: can this be built, and with which answers to the ten questions?

mod cards;
mod council;
mod gate;
mod interview;
mod leader;
mod recommend;
mod sitting;

use gavel_agent::{Cap, Excerpt, Keep};
use gavel_contracts::Writing;
use gavel_domain::{
    AnswerShape, AnswerValue, AskAccount, Audience, DiscoveryAnswer, OnTimeout, Purpose,
    QuestionCard, Scope, Stage,
};
use gavel_models::ModelId;
use gavel_rules::{Ledger, RepositoryFound, apart_from_left_out, depth_of};
use gavel_run::{Question, Run};

use self::interview::Interview;
use self::leader::Reach;
use self::recommend::Material;
use crate::council::Doubt;
use crate::earlier::recall_earlier;
use crate::fallen::FallenAssumptions;
use crate::gating::GateMemory;
use crate::idea::Idea;
use crate::repository::read_repository;
use crate::staffing::{Outside, Staff, ask_for_a_model, ask_outside};
use crate::way::{Leave, Way};
use crate::{memory, money};

/// The first flow in which an idea may be built without a part of it.
const LEFT_OUT_SINCE: u32 = 9;
/// The longest answer of a person.
const MOST_BYTES: u32 = 4_000;

/// What discovery found out.
#[derive(Debug)]
pub(crate) struct Discovered {
    /// The idea with everything that a person added to it.
    pub(crate) idea: Idea,
    pub(crate) answers: Vec<DiscoveryAnswer>,
    pub(crate) staff: Staff,
    /// Traps that project memory told the council about.
    pub(crate) traps: usize,
    /// The models in the seats of the debate; none when there was none.
    pub(crate) debated: Vec<ModelId>,
    /// What the last council's judge wanted a person to look at.
    pub(crate) doubt: Option<Doubt>,
    /// What people read of the council's debate; nothing where there was none.
    pub(crate) council: Option<String>,
    /// What the repository held where the run began.
    pub(crate) repository: RepositoryFound,
    /// What is taken for granted.
    pub(crate) ledger: Ledger,
    /// What the plan rested on and fell.
    pub(crate) fallen: FallenAssumptions,
    /// What the done gate knows already.
    pub(crate) gate: GateMemory,
    /// How far the contracts are written.
    pub(crate) writing: Writing,
    /// What became of each ask; none in runs from before there were any.
    pub(crate) asks: Vec<AskAccount>,
}

impl Discovered {
    /// What is known about a small change, which is not discovered.
    pub(crate) fn for_a_change(idea: Idea, staff: Staff) -> Self {
        Self {
            idea,
            answers: Vec::new(),
            staff,
            traps: 0,
            debated: Vec::new(),
            doubt: None,
            council: None,
            repository: RepositoryFound::default(),
            ledger: Ledger::default(),
            fallen: FallenAssumptions::default(),
            gate: GateMemory::default(),
            writing: Writing::default(),
            asks: Vec::new(),
        }
    }
}

/// Asks until the idea is within reach and the ten questions have answers.
pub(crate) async fn discover(way: Way<'_>, idea: Idea) -> Result<Discovered, Leave> {
    let Way { run, brief, .. } = way;
    let now = way.enter(Stage::Discovery).await?;
    let mut idea = match &brief.stack {
        Some(stack) => idea.with_stack(stack),
        None => idea,
    };
    let first = run.scope("discovery", 1)?;
    let repository = read_repository(way, &first).await?;
    let earlier = recall_earlier(way, &first, now).await?;
    let mut round = 1;
    loop {
        let mut staff = Staff::choose(way, round).await?;
        money::preview(way, &staff).await?;
        let scope = run.scope("discovery", round)?;
        let notes = memory::recall(way, &scope, idea.text()).await?;
        let material = Material {
            idea: idea.text(),
            notes: &notes,
            repository: &repository,
            earlier: &earlier,
        };
        let reply = leader::ask_leader(way, &scope, &mut staff, &material).await?;
        round += 1;
        match reply.reach {
            Reach::Within => {
                let depth = reply.depth().unwrap_or_else(|| depth_of(idea.text()));
                let mut interview = Interview::new(way, &scope, &material, depth);
                interview.propose(reply.proposals());
                council::weigh(way, &scope, &mut staff, &mut interview).await?;
                let answers = interview.hold().await?;
                return Ok(Discovered {
                    answers,
                    repository,
                    ..Discovered::for_a_change(idea, staff)
                });
            }
            Reach::Beyond => {
                let spans = offered(run, idea.text(), reply.without);
                let about = (reply.reach_reason.as_str(), spans.as_slice());
                match ask_outside(run, &scope, about).await? {
                    Outside::Connected => {}
                    Outside::Reworded(other) => idea = idea.reworded(&other),
                    Outside::Without => idea = idea.without(&spans),
                }
            }
            Reach::Vague => match clarify(run, &scope, &reply.reach_reason).await? {
                Some(more) => idea = idea.clarified(&more),
                None => {
                    let other = ask_for_a_model(run, &scope, &reply.reach_reason).await?;
                    idea = in_other_words(idea, other.as_deref());
                }
            },
        }
    }
}

/// The idea in other words, where a person said some.
pub(crate) fn in_other_words(idea: Idea, words: Option<&str>) -> Idea {
    match words {
        Some(words) => idea.reworded(words),
        None => idea,
    }
}

/// What the leader offers to leave out, where all of it stands in the idea and not all of the idea is
/// left out.
fn offered(run: &Run, idea: &str, spans: Vec<String>) -> Vec<String> {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (idea, before) = apart_from_left_out(idea);
    let whole = words(&idea);
    let spans = spans.into_iter().map(|span| words(&span));
    let spans: Vec<String> = spans.filter(|span| !span.is_empty()).collect();
    let there =
        |span: &String| whole.contains(span.as_str()) && *span != whole && !before.contains(span);
    if run.flow() >= LEFT_OUT_SINCE && spans.iter().all(there) {
        spans
    } else {
        Vec::new()
    }
}

/// Asks a person what is meant; `None` when Gavel is to decide.
async fn clarify(run: &Run, scope: &Scope, ask: &str) -> Result<Option<String>, Leave> {
    let question = Question {
        purpose: Purpose::Choice,
        card: QuestionCard {
            text: ask.to_owned(),
            why: Some("The idea leaves open what is to be built.".to_owned()),
            options: Vec::new(),
        },
        shape: AnswerShape::Text {
            max_bytes: MOST_BYTES,
        },
        recommended: None,
        // What is meant nobody else can know, so `--yes` does not answer it.
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("what-is-meant")?, question).await?;
    Ok(match answer.value.value {
        AnswerValue::Text { text } => Some(run.text(text).await?),
        AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => None,
    })
}

/// A text from outside as models see it: without secrets, capped and fenced.
pub(crate) fn data(way: Way<'_>, source: &str, text: &str) -> String {
    let text = way.place.context.scrub(text);
    Excerpt::new(source, &text, Cap::RESULT, Keep::Head).to_string()
}

/// The name under which scopes inside a scope are opened.
pub(crate) fn scope_name(scope: &Scope) -> Result<String, Leave> {
    let key = scope.key("x")?;
    let name = key.as_str();
    Ok(name.strip_suffix("/x").unwrap_or(name).to_owned())
}
