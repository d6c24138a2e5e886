//! The turn loop: hear, compact, ask the model, call its tools, judge, again.
//!
//! Between two steps there are only decisions on what facts say, so that every drive of a run takes
//! the same way.

use std::collections::BTreeMap;

use gavel_domain::{Digest, FaultClass, Key, Scope, StopReason, Tokens};
use gavel_models::{Message, MessageRole, Reply, Request, ToolCall, ToolChoice, ToolSpec};
use gavel_rules::{CompactionRule, SeenCall, Verdict, judge_calls, plan_compaction};
use gavel_run::{Call, Run, RunError};

use crate::history::{CallResult, History};
use crate::recall::Recollection;
use crate::summary::{Author, People};
use crate::tools::AT_DISK_CAP;
use crate::{
    Agent, Caller, Cap, DATA_RULE, NumberedResult, ToolAnswer, ToolClass, WorkStop, Worked, heard,
    room, summary,
};

const CUT_SHORT: &str = "Your reply was cut at its maximum length. Go on where it stopped, in \
    smaller pieces.";
/// Said when a model talks although its work ends with a call.
fn not_handed_in(tool: &str) -> String {
    format!("Nothing is handed in yet: finish by calling `{tool}`.")
}

const LAST_TURN: &str = "This is your last turn: finish with what you have.";

/// The most bytes that the results of one turn have together.
const TURN_BYTES: usize = 40_000;
/// The most calls of one reply that are made.
const MAX_CALLS: usize = 32;
const TOO_MANY: &str = "not done: a reply may make 32 calls at most; call it again in another turn";

/// Said after a command that was ended at the disk cap, which a person raised.
const MORE_DISK: &str = "\nA person has doubled the disk cap since: run it again.";

/// What the calls of one reply came to.
#[derive(Default)]
struct Answered {
    /// Why the work must stop, if it goes round in circles.
    guard: Option<gavel_rules::Repetition>,
    /// What the tool that ends the work took.
    submitted: Option<String>,
}

/// One task under way.
pub(crate) struct Work<'a> {
    agent: &'a Agent,
    run: &'a Run,
    scope: &'a Scope,
    tools: Vec<ToolSpec>,
    history: History,
    seen: Vec<SeenCall>,
    people: People,
    written: Tokens,
    recalled: Recollection,
    numbers: Option<Numbers>,
}

/// The numbers that results are cited by.
struct Numbers {
    next: u32,
    given: Vec<NumberedResult>,
}

impl Numbers {
    /// Gives a result the next number and returns the text with it.
    fn give(&mut self, key: Key, answer: &ToolAnswer) -> String {
        let number = self.next;
        self.next = number.saturating_add(1);
        let text = answer.text.clone();
        let shown = format!("tool:{number}\n{text}");
        self.given.push(NumberedResult {
            number,
            key,
            tool: answer.finished.value.tool.clone(),
            ok: answer.finished.value.ok,
            text,
        });
        shown
    }
}

impl<'a> Work<'a> {
    pub(crate) fn new(
        agent: &'a Agent,
        (run, scope): (&'a Run, &'a Scope),
        task: &str,
        recalled: Recollection,
    ) -> Self {
        let tools = agent.registry.specs_for(&agent.caller);
        let system = format!("{}\n\n{DATA_RULE}", agent.system);
        let task = recalled.added_to(task);
        let history = History::new(&agent.model, &system, &tools, &task);
        Self {
            agent,
            run,
            scope,
            tools,
            history,
            seen: Vec::new(),
            people: People::default(),
            written: Tokens(0),
            recalled,
            numbers: None,
        }
    }

    /// The same with results that carry numbers, from `first` on.
    pub(crate) fn numbered(mut self, first: u32) -> Self {
        let given = Vec::new();
        self.numbers = Some(Numbers { next: first, given });
        self
    }

    /// The results with their numbers, in order.
    pub(crate) fn into_numbered(self) -> Vec<NumberedResult> {
        self.numbers.map_or_else(Vec::new, |numbers| numbers.given)
    }

    pub(crate) async fn finish(&mut self) -> Result<Worked, RunError> {
        let worked = self.go_on().await?;
        self.recalled.record(self.run, self.scope).await?;
        Ok(worked)
    }

    async fn go_on(&mut self) -> Result<Worked, RunError> {
        let limits = self.agent.limits;
        let mut turn = 1;
        self.hear(turn).await?;
        loop {
            if turn == limits.turns && turn > 1 {
                self.history.words(LAST_TURN);
            }
            let rule = limits.compaction;
            self.compact(self.key(turn, "/summary")?, rule).await?;
            let reply = self.ask(turn).await?;
            let answered = self.answer_calls(turn, &reply).await?;
            if answered.submitted.is_some() {
                return Ok(Worked {
                    text: reply.text,
                    turns: turn,
                    stop: WorkStop::Submitted,
                    submitted: answered.submitted,
                });
            }
            let silent = reply.tool_calls.is_empty() && reply.stop != StopReason::MaxTokens;
            let done = silent && self.agent.ends_with.is_none();
            if let (true, Some(tool)) = (silent, self.agent.ends_with) {
                self.history.words(&not_handed_in(tool));
            }
            let mut stop = match answered.guard {
                Some(reason) => Some(WorkStop::Guard { reason }),
                None => self.limit_reached(turn, done),
            };
            // Whoever spoke during the last reply is heard before the work counts as done.
            if stop.is_none() && !self.hear(turn + 1).await? && done {
                stop = Some(WorkStop::Done);
            }
            if let Some(stop) = stop {
                let text = reply.text;
                let turns = turn;
                return Ok(Worked {
                    text,
                    turns,
                    stop,
                    submitted: None,
                });
            }
            turn += 1;
        }
    }

    fn limit_reached(&self, turn: u32, done: bool) -> Option<WorkStop> {
        let limits = self.agent.limits;
        let reached = if turn >= limits.turns {
            WorkStop::MaxTurns
        } else if self.written >= limits.output {
            WorkStop::OutputCap
        } else {
            return None;
        };
        Some(if done { WorkStop::Done } else { reached })
    }

    fn key(&self, turn: u32, name: &str) -> Result<Key, RunError> {
        Ok(self.scope.key(&format!("turn-{turn}{name}"))?)
    }

    /// Takes what people said since the last turn; true when they said something.
    async fn hear(&mut self, turn: u32) -> Result<bool, RunError> {
        let said = self.run.hear(self.key(turn, "/hear")?).await?;
        for (said, text) in &said {
            let words = heard::words_of(&self.agent.caller.context, said, text);
            self.history.words(&words);
            self.people.said(words);
        }
        Ok(!said.is_empty())
    }

    /// Asks the model; when the conversation is longer than it or the run takes, once more with
    /// less of it.
    async fn ask(&mut self, turn: u32) -> Result<Reply, RunError> {
        let reply = match self.ask_as(self.key(turn, "")?, self.choice(turn)).await {
            Err(RunError::Failed(error)) if error.fault.class == FaultClass::ContextTooLong => {
                let rule = CompactionRule {
                    limit: Tokens(self.history.total().0 / 10 * 6),
                    ..self.agent.limits.compaction
                };
                let summary = self.key(turn, "/shorter-summary")?;
                if !self.compact(summary, rule).await? {
                    return Err(RunError::Failed(error));
                }
                self.ask_as(self.key(turn, "/shorter")?, self.choice(turn))
                    .await?
            }
            asked => asked?,
        };
        self.written = self.written + reply.usage.output;
        self.history.reply(&reply);
        self.recalled.hear(&reply);
        Ok(reply)
    }

    /// Whoever is to report what tools showed makes no call whose result they would not see.
    const fn choice(&self, turn: u32) -> ToolChoice {
        let last = turn >= self.agent.limits.turns;
        if last && self.numbers.is_some() {
            ToolChoice::None
        } else {
            ToolChoice::Auto
        }
    }

    async fn ask_as(&mut self, key: Key, choice: ToolChoice) -> Result<Reply, RunError> {
        let left = self.agent.limits.output.0.saturating_sub(self.written.0);
        let wanted = Tokens(self.agent.limits.reply.0.min(left).max(1));
        let messages = self.history.sent();
        let request = self.request(messages, choice, wanted);
        let call = Call::new(request, self.agent.caller.speaker.role);
        Ok(self.run.call(key, call).await?.value)
    }

    fn request(&self, messages: Vec<Message>, choice: ToolChoice, wanted: Tokens) -> Request {
        let limits = room::limits(&self.agent.model, self.history.total(), wanted);
        Request {
            model: self.agent.model.id.clone(),
            messages,
            tools: self.tools.clone(),
            tool_choice: choice,
            answer: None,
            limits,
        }
    }

    /// Calls the tools of a reply and appends what they answered.
    async fn answer_calls(&mut self, turn: u32, reply: &Reply) -> Result<Answered, RunError> {
        if reply.tool_calls.is_empty() {
            if reply.stop == StopReason::MaxTokens {
                self.history.words(CUT_SHORT);
            }
            return Ok(Answered::default());
        }
        let answers = self.call_tools(turn, &reply.tool_calls).await?;
        let mut nudge = None;
        let mut answered = Answered::default();
        let mut results = Vec::with_capacity(answers.len());
        for (place, (call, answer)) in reply.tool_calls.iter().zip(answers).enumerate() {
            self.seen.push(SeenCall {
                call: call_digest(call),
                result: answer.finished.value.result.digest,
            });
            match judge_calls(&self.seen) {
                Verdict::Fine => {}
                Verdict::Nudge { pattern } => nudge = Some(pattern),
                Verdict::Stop { reason } => answered.guard = Some(reason),
            }
            if answer.finished.value.ok && self.agent.ends_with == Some(call.name.as_str()) {
                answered.submitted = Some(call.arguments.clone());
            }
            let key = self.key(turn, &format!("/tool-{}", place + 1))?;
            let more = self.ask_for_disk(call, &answer).await?;
            let mut text = match &mut self.numbers {
                Some(numbers) => numbers.give(key, &answer),
                None => answer.text,
            };
            text.push_str(more);
            results.push(CallResult {
                id: call.id.clone(),
                ok: answer.finished.value.ok,
                text,
            });
        }
        self.history.results(results);
        if let Some(pattern) = nudge {
            self.history.words(&format!(
                "Note: {pattern}. Doing it again will not help: try another way, or say what \
                 blocks you and end."
            ));
        }
        Ok(answered)
    }

    /// Asks for more disk when a command was ended for it; the words are for whoever called it.
    async fn ask_for_disk(
        &self,
        call: &ToolCall,
        answer: &ToolAnswer,
    ) -> Result<&'static str, RunError> {
        let first = answer.text.lines().next().unwrap_or_default();
        if answer.finished.value.ok || !first.contains(AT_DISK_CAP) {
            return Ok("");
        }
        let Ok(room) = self.agent.caller.context.commands() else {
            return Ok("");
        };
        let raised = room.ask_for_disk(self.run, &call.name).await?;
        Ok(if raised { MORE_DISK } else { "" })
    }

    /// Calls tools in order; neighbours that only read run at the same time.
    async fn call_tools(&self, turn: u32, calls: &[ToolCall]) -> Result<Vec<ToolAnswer>, RunError> {
        let registry = &self.agent.registry;
        let caller = self.caller_for(calls.len());
        let class = |call: &ToolCall| registry.class_of(&caller, call);
        let together = |left: &ToolCall, right: &ToolCall| {
            class(left) == ToolClass::Pure && class(right) == ToolClass::Pure
        };
        let mut answers = Vec::with_capacity(calls.len());
        for group in calls.chunk_by(together) {
            let mut parts = Vec::with_capacity(group.len());
            let mut order = Vec::with_capacity(group.len());
            for call in group {
                let number = answers.len() + order.len() + 1;
                let key = self.key(turn, &format!("/tool-{number}"))?;
                order.push(key.clone());
                let called = self.call_tool((key.clone(), number), &caller, call);
                parts.push((key, called));
            }
            // The results come in key order, where tool-10 stands before tool-2.
            let done = self.run.all(parts).await?;
            let mut done: BTreeMap<Key, ToolAnswer> = done.into_iter().collect();
            answers.extend(order.iter().filter_map(|key| done.remove(key)));
        }
        Ok(answers)
    }

    async fn call_tool(
        &self,
        (key, number): (Key, usize),
        caller: &Caller,
        call: &ToolCall,
    ) -> Result<ToolAnswer, RunError> {
        let registry = &self.agent.registry;
        if number > MAX_CALLS {
            return registry
                .refuse(self.run, key, (caller, call), TOO_MANY)
                .await;
        }
        registry.call(self.run, key, caller, call).await
    }

    /// The caller with an equal share of the room for each of several results.
    ///
    /// The results of one turn must fit into the next request together, for a turn is never split.
    fn caller_for(&self, calls: usize) -> Caller {
        let half = |tokens: Tokens| usize::try_from(tokens.0 / 2).unwrap_or(usize::MAX);
        let by_rule = half(self.agent.limits.compaction.limit).saturating_mul(3);
        let by_run = half(self.run.settings().max_input);
        let cap = Cap::share(TURN_BYTES.min(by_rule).min(by_run), calls);
        let caller = self.agent.caller.clone();
        let context = caller.context.with_cap(cap);
        Caller { context, ..caller }
    }

    /// Folds old turns when the conversation has grown too long; true when it did.
    async fn compact(&mut self, key: Key, rule: CompactionRule) -> Result<bool, RunError> {
        let Some(range) = plan_compaction(self.history.sizes(), &rule) else {
            return Ok(false);
        };
        // What is folded is a beginning of the conversation, so the caches know it.
        let mut messages = self.history.part(0..range.end).to_vec();
        messages.push(Message::text(MessageRole::User, summary::ASK));
        let request = self.request(messages, ToolChoice::None, rule.summary);
        let call = Call::new(request, self.agent.caller.speaker.role);
        let (author, text) = match self.run.call(key, call).await {
            Ok(reply) if summary::is_one(&reply.value.text) => (Author::Model, reply.value.text),
            // Whatever is wrong with the model, the work must not end here: the facts themselves
            // say what happened.
            Ok(_) | Err(RunError::Failed(_)) => {
                let folded = self.history.part(range.clone());
                (Author::Engine, summary::mechanical(folded))
            }
            Err(error) => return Err(error),
        };
        self.people.fold(self.history.part(range.clone()));
        let message = summary::message(author, &text, &self.people);
        self.history.fold(range, &message);
        Ok(true)
    }
}

/// Two calls are the same when tool and arguments are, however the arguments were spaced.
fn call_digest(call: &ToolCall) -> Digest {
    let arguments = serde_json::from_str::<serde_json::Value>(&call.arguments)
        .map_or_else(|_| call.arguments.clone(), |value| value.to_string());
    Digest::of_fields([call.name.as_bytes(), arguments.as_bytes()])
}
