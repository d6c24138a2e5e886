//! The room of one debate: what its parts share.

use std::cell::Cell;
use std::collections::BTreeSet;

use gavel_agent::{Ask, Asked, Reading, read_answer};
use gavel_domain::{
    ChoiceMade, DebatePlan, FaultClass, Key, MemoryNote, OpenDecision, Role, Scope, SeatFailed,
    StanceSpoke, Tokens,
};
use gavel_models::ModelInfo;
use gavel_rules::council::{
    TopicOptions, best_of_each, is_locked, read_options, repeats, thing_of,
};
use gavel_rules::may_decide;
use gavel_run::{Blobs, Pure, Run, RunError, StepFailure};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::clarify::open_for_models;
use crate::evidence::{Evidence, FoundResult};
use crate::history::DOUBTED;
use crate::record::{json_text, read_text};
use crate::seat::Seat;
use crate::seat_lookup::SeatTool;
use crate::speech::{Said, Speech, narrowed, offer, with_sources_checked};
use crate::task::{Shares, Task, list, note};
use crate::{Council, Edition, Matter};

/// The most output of a turn. It is short by its prompt; this leaves room for what models add.
pub(crate) const SPEECH: Tokens = Tokens(2_500);
/// How many items of each option are recalled for the decisions.
const NAMED: usize = 3;
/// The answer, and once more with what was wrong.
pub(crate) const TRIES: u32 = 2;

const PERSON_WORDS: &str = "While the council sat, a person in charge said what stands under \
    `said_by_person`. Heed it as you heed that person's answers, and say in one sentence how.";
const OTHERS_WORDS: &str = "Somebody who is not in charge said what stands under `said_by_others`. \
    Weigh it like any other remark.";
/// A turn that repeats what it answers, or what is asked, adds nothing and does not count.
const REPEATED: &str = "`text` repeats word for word what another seat said, or what is asked: say what \
    your own seat sees";
const TROUBLE_WORDS: &str = "This plan was built once already and did not work out; what went wrong \
    stands under `trouble`. Say what must be planned otherwise so that it does not happen again.";
const EARLIER_WORDS: &str = "The council met about this before; what it came to stands under \
    `earlier`. Take it as given, and answer what is asked now.";

const DOUBTED_WORDS: &str = "Councils on this subject met before, and their outcome was doubted; what they \
    came to, and why a person should look, stands under `doubted`. Nothing of it is settled: say what would \
    settle it.";

/// What somebody said while the council sat.
#[derive(Debug)]
struct Heard {
    /// True for a person who may decide.
    in_charge: bool,
    text: String,
}

/// Everything that the parts of a debate share.
pub(crate) struct Chamber<'a> {
    pub(crate) run: &'a Run,
    pub(crate) scope: &'a Scope,
    pub(crate) council: &'a Council,
    pub(crate) matter: &'a Matter<'a>,
    pub(crate) evidence: Evidence<'a>,
    /// What project memory says, and what was recalled for the decisions that were planned.
    pub(crate) memory: Vec<MemoryNote>,
    /// The best item about each option, by its id: every seat is shown them.
    pub(crate) best: BTreeSet<String>,
    /// What was looked up so far, as everybody reads it.
    pub(crate) findings: String,
    /// The results of tools behind it.
    pub(crate) results: Vec<FoundResult>,
    /// False where it was seen that there are no files to cite.
    pub(crate) has_files: bool,
    heard: Vec<Heard>,
}

/// What a seat said, as everybody reads it.
#[derive(Debug, Clone)]
pub(crate) struct Spoken {
    pub(crate) seat: u32,
    pub(crate) key: String,
    pub(crate) round: u32,
    pub(crate) said: Said,
    pub(crate) locked: bool,
    /// The memory items that it cites, which are there and were not shown to it.
    pub(crate) beyond: Vec<String>,
}

/// What a seat said, or why nothing usable came from it.
pub(crate) type Voice = Result<Spoken, String>;

/// What a seat answered, and the tools that it called before.
struct Answer<T> {
    speech: T,
    looked_up: Vec<String>,
}

/// A turn that is to be spoken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnAsk<'a> {
    pub(crate) seat: Seat<'a>,
    pub(crate) plan: &'a DebatePlan,
    pub(crate) round: u32,
    /// The seat that it answers.
    pub(crate) answers: Option<u32>,
    /// What other seats said so far; nothing for an opening.
    pub(crate) heard: &'a [&'a str],
    pub(crate) prompt: &'static str,
    pub(crate) task: &'a str,
}

impl<'a> Chamber<'a> {
    pub(crate) fn open(
        run: &'a Run,
        scope: &'a Scope,
        council: &'a Council,
        matter: &'a Matter<'a>,
    ) -> Self {
        Self {
            run,
            scope,
            council,
            matter,
            evidence: Evidence::new(&council.context, matter),
            memory: matter.memory.to_vec(),
            best: best_of_each(&[read_options(matter.topic)], matter.memory),
            findings: String::new(),
            results: Vec::new(),
            has_files: true,
            heard: Vec::new(),
        }
    }

    /// Everybody hears what people said since the last phase.
    pub(crate) async fn listen(&mut self, phase: &str) -> Result<(), RunError> {
        // Each seat hears for itself too, but what was said reaches only the first that listens.
        let key = self.scope.key(&format!("{phase}/hear"))?;
        let heard = self.run.hear(key).await?;
        let heard = heard.into_iter().map(|(said, text)| Heard {
            in_charge: may_decide(said.by),
            text,
        });
        self.heard.extend(heard);
        Ok(())
    }

    /// Asks memory for each option of each decision that was planned: the leader may offer others than
    /// the topic. Everybody is shown the best of each.
    pub(crate) async fn recall_options(&mut self, plan: &DebatePlan) -> Result<(), RunError> {
        if self.council.edition < Edition::Second {
            return Ok(());
        }
        let choices: Vec<(TopicOptions, String)> = plan.decisions.iter().map(options_of).collect();
        let key = self.scope.key("decisions/recalled")?;
        let found = self.run.recall_named(key, &choices, NAMED).await?;
        for item in found {
            if self.memory.iter().all(|note| note.id != item.id) {
                self.memory.push(MemoryNote {
                    id: item.id,
                    kind: item.kind,
                    text: item.text,
                });
            }
        }
        self.evidence.show(&self.memory);
        let mut all = vec![read_options(self.matter.topic)];
        all.extend(choices.into_iter().map(|(options, _)| options));
        for options in &mut all {
            options.learn_aliases(self.memory.iter().map(|note| note.text.as_str()));
        }
        self.best = best_of_each(&all, &self.memory);
        Ok(())
    }

    /// Asks a seat to speak and records what it said, its sources looked up. A seat that wants to see
    /// something first is shown it and asked again. When nothing usable came, that is on record too.
    pub(crate) async fn speak<T>(&self, scope: &Scope, ask: TurnAsk<'_>) -> Result<Voice, RunError>
    where
        T: Speech + DeserializeOwned + JsonSchema + Clone,
    {
        let tools = self.seat_tools();
        let task = self.offering(ask.task, &tools);
        let offered = TurnAsk { task: &task, ..ask };
        let mut asked = self.ask_seat::<T>(scope, offered, &tools).await?;
        let mut looked_up = Vec::new();
        if let Asked::Answered(speech) = &asked
            && !speech.look_up().is_empty()
        {
            let shown = self
                .look_up_for_seat(scope, ask.seat.model, speech.look_up())
                .await?;
            let task = format!("{}{}", ask.task, shown.task);
            let again = scope.scope("informed", 1)?;
            let informed = TurnAsk { task: &task, ..ask };
            asked = self.ask_seat::<T>(&again, informed, &[]).await?;
            looked_up = shown.tools;
        }
        match asked {
            Asked::Answered(speech) => {
                let key = scope.key("spoke")?;
                let answer = Answer { speech, looked_up };
                self.record(key, ask, answer).await.map(Ok)
            }
            Asked::Unusable { problem } => {
                self.record_failure(scope.key("failed")?, ask, &problem)
                    .await?;
                Ok(Err(problem))
            }
        }
    }

    /// Asks a seat, offering it tools; its first answer may be that it wants to see something.
    async fn ask_seat<T>(
        &self,
        scope: &Scope,
        ask: TurnAsk<'_>,
        tools: &[SeatTool],
    ) -> Result<Asked<T>, RunError>
    where
        T: Speech + DeserializeOwned + JsonSchema + Clone,
    {
        let is_first = Cell::new(!tools.is_empty());
        let question = Ask {
            model: ask.seat.model,
            role: Role::Stance,
            shape: T::SHAPE,
            system: &ask.seat.into_prompt(ask.prompt),
            task: ask.task,
            max_output: SPEECH,
        };
        let read = |text: &str| {
            let mut speech: T = read_answer(text)?;
            let may_look = is_first.replace(false);
            if !speech.look_up().is_empty() {
                return match may_look {
                    true => Ok(speech),
                    false => Err("`look_up` is not open now: speak".to_owned()),
                };
            }
            speech.settle(&ask.plan.decisions);
            if self.council.edition > Edition::First {
                speech.choose_surest(&ask.plan.decisions);
            }
            let given = ask.heard.iter().copied().chain([self.matter.topic]);
            if self.council.edition > Edition::First && repeats(speech.text(), given) {
                return Err(REPEATED.to_owned());
            }
            match speech.problems(&ask.plan.decisions) {
                wrong if wrong.is_empty() => Ok(speech),
                wrong => Err(wrong.join("; ")),
            }
        };
        let reading = Reading {
            tries: TRIES,
            read: &read,
        };
        let names = |schema: &mut Value| {
            offer(schema, tools);
            if self.council.edition > Edition::First {
                narrowed(schema, &ask.plan.decisions);
            }
        };
        let asked = question.answer_narrowed(self.run, scope, (reading, &names));
        or_silent(asked.await)
    }

    async fn record<T: Speech + Clone>(
        &self,
        key: Key,
        ask: TurnAsk<'_>,
        answer: Answer<T>,
    ) -> Result<Spoken, RunError> {
        let Answer { speech, looked_up } = answer;
        let (text, chosen, assumptions) = speech.into_parts();
        let input = json!([text, chosen, assumptions]);
        let memory = self.run.memory();
        let effect = |blobs: Blobs| {
            let (memory, key) = (memory.clone(), &key);
            let (text, chosen, assumptions) = (&text, &chosen, &assumptions);
            let by_tools = looked_up.clone();
            async move {
                // Looked up when it is said: files and memory may be others when the run goes on.
                let mut evidence = self.evidence.clone();
                let entries = chosen.iter().flat_map(|choice| choice.cites.clone());
                let entries: Vec<String> = entries.collect();
                evidence
                    .look_beyond(memory.as_ref(), (text, &entries))
                    .await;
                let checked = evidence.check(text);
                let quotes = self.council.edition > Edition::First;
                let divide = |cites: &[String], claim: &str| {
                    evidence.check_cites(cites, quotes.then_some(claim))
                };
                let said = Said {
                    stance: ask.seat.stance.name.clone(),
                    choices: with_sources_checked(chosen, &ask.plan.decisions, divide),
                    assumptions: assumptions.clone(),
                    text: checked.text,
                };
                let written = json_text::<StanceSpoke>(key, &said);
                let written = written.map_err(|e| StepFailure::of(FaultClass::Failed, &e))?;
                let beyond = evidence.beyond().iter().map(|item| item.id.clone());
                Ok(StanceSpoke {
                    seat: ask.seat.number,
                    model: ask.seat.model.id.to_string(),
                    round: ask.round,
                    text: blobs.keep(written),
                    evidence_held: checked.tags.confirmed + checked.tags.refuted,
                    evidence_broken: checked.tags.broken,
                    stance: said.stance.clone(),
                    answers: ask.answers,
                    length: count(said.text.chars()),
                    tags: Some(checked.tags),
                    choices: figures(&said),
                    locked: is_locked(&said.text),
                    beyond_brief: beyond.collect(),
                    looked_up: by_tools,
                })
            }
        };
        let spoke = self
            .run
            .step(key.clone(), Pure, &input, effect)
            .await?
            .value;
        Ok(Spoken {
            seat: spoke.seat,
            key: key.to_string(),
            round: spoke.round,
            said: read_text::<StanceSpoke, Said>(self.run, &key, spoke.text).await?,
            locked: spoke.locked,
            beyond: spoke.beyond_brief,
        })
    }

    async fn record_failure(
        &self,
        key: Key,
        ask: TurnAsk<'_>,
        problem: &str,
    ) -> Result<(), RunError> {
        let failed = self.run.step(key, Pure, &problem, |blobs| {
            let failed = SeatFailed {
                seat: ask.seat.number,
                round: ask.round,
                why: blobs.keep(problem),
            };
            async move { Ok(failed) }
        });
        failed.await?;
        Ok(())
    }

    /// A task for a model, with what the run allows.
    pub(crate) fn task(&self, words: &str, model: &ModelInfo, output: Tokens) -> Task<'a> {
        let max_input = self.run.settings().max_input;
        Task::new(words, model, (max_input, output), &self.council.context)
    }

    /// Adds the matter with a selection of memory, in so many hundredths: matter, answers, memory.
    pub(crate) fn add_matter<'m>(
        &self,
        task: &mut Task<'_>,
        memory: impl IntoIterator<Item = &'m MemoryNote>,
        (matter, answers, shown): Shares,
    ) {
        task.data("topic", self.matter.topic, matter / 2);
        if let Some(clear) = self.matter.clarified {
            let told = json!({
                "problem": clear.problem,
                "constraints": clear.constraints,
                "criteria": clear.criteria,
                "scope": clear.scope,
                "open": open_for_models(&clear.gaps).collect::<Vec<_>>(),
            });
            task.data("matter", &told.to_string(), matter - matter / 2);
            let given = clear.answers.iter().map(|answer| {
                json!({"id": answer.id, "question": answer.question, "answer": answer.answer, "by_person": answer.by_person})
            });
            task.data("answers", &list(given), answers);
        }
        if !self.matter.answers.is_empty() {
            let given = self.matter.answers.iter().map(|answer| {
                json!({"question": answer.question, "answer": answer.answer, "by_person": answer.by_person})
            });
            task.data("answers", &list(given), answers);
        }
        let memory: Vec<_> = memory.into_iter().map(note).collect();
        if !memory.is_empty() {
            task.data("memory", &list(memory), shown);
        }
        if let Some(trouble) = self.matter.trouble {
            task.words(TROUBLE_WORDS);
            task.data("trouble", trouble, 4);
        }
        if let Some(earlier) = self.matter.earlier {
            task.words(EARLIER_WORDS);
            // A number of a tool result means another one in this debate.
            task.data(
                "earlier",
                &earlier.replace("tool:", "an earlier result "),
                8,
            );
        }
        self.add_doubted(task);
    }

    fn add_doubted(&self, task: &mut Task<'_>) {
        if let Some(doubted) = self.matter.doubted {
            task.words(DOUBTED_WORDS);
            task.data(DOUBTED, doubted, 3);
        }
    }

    /// Adds what is to be chosen, with the letters of the options.
    pub(crate) fn add_decisions(&self, task: &mut Task<'_>, plan: &DebatePlan) {
        let open = plan.decisions.iter().map(|open| {
            let options = (0..).zip(&open.options).map(|(place, option)| {
                format!("{}: {option}", gavel_domain::OpenDecision::letter(place))
            });
            json!({"id": open.id, "question": open.question, "options": options.collect::<Vec<_>>()})
        });
        task.data("decisions", &list(open), 8);
    }

    /// Adds what was looked up, and says what can be cited.
    pub(crate) fn add_findings(&self, task: &mut Task<'_>) {
        if !self.findings.is_empty() {
            task.data("findings", &self.findings, 15);
        }
        task.words(&self.evidence.forms(self.has_files));
    }

    /// What people said meanwhile, for the leader.
    pub(crate) fn said(&self) -> String {
        let mut task = self.task("", &self.council.leader, SPEECH);
        self.add_heard(&mut task);
        task.into_text()
    }

    /// Adds what people said meanwhile. It stays data: what to do with it is said by us.
    pub(crate) fn add_heard(&self, task: &mut Task<'_>) {
        for (in_charge, words, source) in [
            (true, PERSON_WORDS, "said_by_person"),
            (false, OTHERS_WORDS, "said_by_others"),
        ] {
            let heard = self.heard.iter();
            let texts = heard.filter(|heard| heard.in_charge == in_charge);
            let texts: Vec<&str> = texts.map(|heard| heard.text.as_str()).collect();
            if !texts.is_empty() {
                task.words(words);
                task.data(source, &texts.join("\n\n"), 5);
            }
        }
    }
}

/// A decision as memory is asked about it.
fn options_of(open: &OpenDecision) -> (TopicOptions, String) {
    let options = TopicOptions {
        options: open.options.clone(),
        subject: open.question.clone(),
        named: open.options.iter().map(|option| thing_of(option)).collect(),
        aliases: Vec::new(),
    };
    (options, open.question.clone())
}

fn figures(said: &Said) -> Vec<ChoiceMade> {
    let choices = said.choices.iter().map(|choice| ChoiceMade {
        decision: choice.decision.clone(),
        option: choice.option,
        confidence: choice.confidence,
        held: count(choice.cites.iter()),
        broken: count(choice.broken.iter()),
    });
    choices.collect()
}

pub(crate) fn count<T>(things: impl Iterator<Item = T>) -> u32 {
    u32::try_from(things.count()).unwrap_or(u32::MAX)
}

/// A model that fails for good is a voice that says nothing; everything else goes up.
pub(crate) fn or_silent<T>(asked: Result<Asked<T>, RunError>) -> Result<Asked<T>, RunError> {
    match asked {
        Err(RunError::Failed(error)) => Ok(Asked::Unusable {
            problem: error.message,
        }),
        asked => asked,
    }
}
