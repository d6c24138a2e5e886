//! One question to a model whose answer has a shape: asked, read, checked, asked again with what
//! was wrong.

use std::cell::RefCell;

use gavel_domain::{FaultClass, Role, Scope, Tokens};
use gavel_models::{
    AnswerSchema, Message, MessageRole, ModelInfo, Request, ToolChoice, find_json, misfit,
};
use gavel_rules::RetryPolicy;
use gavel_run::{Call, RecallSpec, Run, RunError, StepError};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::arguments::closed_schema_of;
use crate::declared::declared_order;
use crate::recall::{Prompt, Recollection};
use crate::{Cap, DATA_RULE, Excerpt, Keep, ToolContext};
use crate::{heard, room};

/// The rules and the task: what every try begins with.
const ASKED: usize = 2;
/// How often a model may try.
const TRIES: u32 = 3;
/// A word of an answer in JSON takes about so many tokens, with what stands around it.
const TOKENS_A_WORD: u64 = 2;

/// A question to a model.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The model.
    pub model: &'a ModelInfo,
    /// For whom it is asked.
    pub role: Role,
    /// The name of the answer's shape, `[a-z0-9_]+`.
    pub shape: &'a str,
    /// The rules that it answers by; the rule about data is added.
    pub system: &'a str,
    /// What is asked. Text from outside belongs here only as an [`Excerpt`].
    pub task: &'a str,
    /// The most output.
    pub max_output: Tokens,
}

/// Leaves of an answer's schema what one question allows.
pub type Narrow<'a> = dyn Fn(&mut Value) + Sync + 'a;

/// How an answer is read.
pub struct Reading<'r, T> {
    /// How often the model may try.
    pub tries: u32,
    /// Reads an answer, or says what is wrong with it.
    pub read: &'r dyn Fn(&str) -> Result<T, String>,
}

impl<T> std::fmt::Debug for Reading<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading")
            .field("tries", &self.tries)
            .finish_non_exhaustive()
    }
}

/// What asking came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked<T> {
    /// An answer that holds.
    Answered(T),
    /// No answer that holds, after as many tries as there are.
    Unusable {
        /// What was wrong with the last one.
        problem: String,
    },
}

impl Ask<'_> {
    /// Asks, and asks again with what was wrong, up to three times.
    ///
    /// The replies are facts in the scope (`try-1` …), and so is what people said meanwhile
    /// (`hear`). A provider that fails is an error, as for any call.
    pub async fn answer<T>(
        &self,
        run: &Run,
        scope: &Scope,
        (context, check): (&ToolContext, impl Fn(&T) -> Result<(), String>),
    ) -> Result<Asked<T>, RunError>
    where
        T: DeserializeOwned + JsonSchema,
    {
        self.answer_reminded(run, scope, (context, check), None)
            .await
    }

    /// As [`Ask::answer`], reminded of what memory says: that (`recalled`) and what of it the answer
    /// names (`cited`) are facts in the scope too.
    pub async fn answer_reminded<T>(
        &self,
        run: &Run,
        scope: &Scope,
        (context, check): (&ToolContext, impl Fn(&T) -> Result<(), String>),
        recall: Option<&RecallSpec>,
    ) -> Result<Asked<T>, RunError>
    where
        T: DeserializeOwned + JsonSchema,
    {
        let task = self.task_heard(run, scope, context).await?;
        let prompt = Prompt {
            model: self.model,
            system: self.system,
            task: &task,
        };
        let recalled = Recollection::of(run, scope, recall, prompt).await?;
        let task = recalled.added_to(&task);
        let recalled = RefCell::new(recalled);
        let read = |text: &str| {
            recalled.borrow_mut().hear_text(text);
            read_answer(text).and_then(|value| check(&value).map(|()| value))
        };
        let reading = Reading {
            tries: TRIES,
            read: &read,
        };
        let whole = Ask {
            task: &task,
            ..*self
        };
        let asked = whole.answer_by(run, scope, reading).await?;
        recalled.into_inner().record(run, scope).await?;
        Ok(asked)
    }

    /// As [`Ask::answer`], with as many tries and by the reader that are given. It does not listen
    /// to people: whoever asks several models at once hears for all of them.
    pub async fn answer_by<T: DeserializeOwned + JsonSchema>(
        &self,
        run: &Run,
        scope: &Scope,
        reading: Reading<'_, T>,
    ) -> Result<Asked<T>, RunError> {
        self.answer_narrowed(run, scope, (reading, &|_| {})).await
    }

    /// As [`Ask::answer_by`], with a schema that is narrowed to what this one answer may hold, such as the
    /// ids that are open.
    pub async fn answer_narrowed<T: DeserializeOwned + JsonSchema>(
        &self,
        run: &Run,
        scope: &Scope,
        (reading, narrow): (Reading<'_, T>, &Narrow<'_>),
    ) -> Result<Asked<T>, RunError> {
        let mut schema = closed_schema_of::<T>();
        narrow(&mut schema);
        let schema = AnswerSchema {
            name: self.shape.to_owned(),
            order: declared_order::<T>(&schema),
            schema,
        };
        let mut messages = vec![
            Message::text(
                MessageRole::System,
                format!("{}\n\n{DATA_RULE}", self.system),
            ),
            Message::text(MessageRole::User, self.task),
        ];
        let mut problem = String::new();
        let mut cut = false;
        for number in 1..=reading.tries {
            let call = Call {
                policy: RetryPolicy::calls_asking_for_less(),
                ..Call::new(self.request(messages.clone(), schema.clone()), self.role)
            };
            let reply = match run.call(scope.key(&format!("try-{number}"))?, call).await {
                Ok(reply) => reply.value,
                Err(RunError::Failed(error)) if is_cut(&error) && !cut => {
                    cut = true;
                    problem = error.message;
                    self.ask_for_less(&mut messages);
                    continue;
                }
                Err(RunError::Failed(error))
                    if is_cut(&error) || error.fault.class == FaultClass::BadReply =>
                {
                    // The engine tried as often as its policy says.
                    let problem = error.message;
                    return Ok(Asked::Unusable { problem });
                }
                Err(error) => return Err(error),
            };
            match (reading.read)(&reply.text) {
                Ok(value) => return Ok(Asked::Answered(value)),
                Err(wrong) => problem = wrong,
            }
            self.ask_again(&mut messages, reply.text, &problem);
        }
        Ok(Asked::Unusable { problem })
    }

    /// Asks for a shorter answer: the one that was cut is not at hand, and the same words give the same.
    fn ask_for_less(&self, messages: &mut Vec<Message>) {
        messages.truncate(ASKED);
        let words = self.max_output.0.min(self.model.max_output.0) / TOKENS_A_WORD;
        let again = format!(
            "Your answer was cut off: it was longer than it may be. Answer again, whole and shorter, with \
             at most {words} words."
        );
        messages.push(Message::text(MessageRole::User, again));
    }

    /// Adds the answer and what is wrong with it; no answer at all where that does not fit.
    fn ask_again(&self, messages: &mut Vec<Message>, answer: String, problem: &str) {
        let said = Excerpt::new("problem", problem, Cap::MESSAGE, Keep::Head);
        let again =
            format!("That answer cannot be used. Answer again, whole, without this:\n{said}");
        // The next answer is about as long as this one.
        let next = room::count(self.model.tokenizer, &answer);
        messages.push(Message::text(MessageRole::Assistant, answer));
        messages.push(Message::text(MessageRole::User, again));
        let input = room::count_messages(self.model.tokenizer, messages);
        if !room::leaves_room(self.model, input + next) {
            messages.truncate(ASKED);
            let again =
                format!("An earlier answer could not be used. Answer without this:\n{said}");
            messages.push(Message::text(MessageRole::User, again));
        }
    }

    /// The task, and what people said since.
    async fn task_heard(
        &self,
        run: &Run,
        scope: &Scope,
        context: &ToolContext,
    ) -> Result<String, RunError> {
        let said = run.hear(scope.key("hear")?).await?;
        let mut task = self.task.to_owned();
        for (said, text) in &said {
            task.push_str("\n\n");
            task.push_str(&heard::words_of(context, said, text));
        }
        Ok(task)
    }

    fn request(&self, messages: Vec<Message>, answer: AnswerSchema) -> Request {
        let tokenizer = self.model.tokenizer;
        let input = room::count_messages(tokenizer, &messages)
            + room::count(tokenizer, &answer.schema.to_string());
        let wanted = Tokens(self.max_output.0.min(self.model.max_output.0));
        Request {
            model: self.model.id.clone(),
            messages,
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            answer: Some(answer),
            limits: room::limits(self.model, input, wanted),
        }
    }
}

/// True for a reply that was cut at its maximum.
fn is_cut(error: &StepError) -> bool {
    error.fault.class == FaultClass::ReplyTooLong
}

/// Reads an answer that is JSON, alone or fenced, or says where it is wrong. What its type has no use
/// for is passed over, and what it can do without may be missing.
pub fn read_answer<T: DeserializeOwned + JsonSchema>(text: &str) -> Result<T, String> {
    let Some((json, value)) = find_json(text) else {
        return Err("the answer is not JSON".to_owned());
    };
    let mut reader = serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let wrong = format!("at {}: {}", error.path(), error.inner());
        // The schema is what the model was shown, so its words help more.
        misfit(&closed_schema_of::<T>(), &value).unwrap_or(wrong)
    })
}
