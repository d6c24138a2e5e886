//! Questions that a client can put to its user: a request in the older revisions, a result that asks
//! for input in the newest. A client that can do neither reads the question in the answer.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gavel_agent::{OpenQuestion, Refused, ServedAnswer, ServedSpec};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, ProtocolVersion,
};
use serde_json::{Value, json};

use super::tools::{HANDLE, Ready};
use super::visits::{Whose, whose};
use super::{Context, McpServer, result};

/// How long a person has; clients give a call up sooner or later.
const PATIENCE: Duration = Duration::from_secs(300);
/// The one field of the form.
const FIELD: &str = "answer";
/// How many questions that somebody did not want to answer are remembered.
const REMEMBERED: usize = 1_024;

/// Questions that a user did not want to answer: they are not put to that client again in this
/// process. What one client does not want says nothing for another.
#[derive(Debug, Default)]
pub(super) struct Declined {
    /// Clients are told apart by digests: keys are kept nowhere.
    digests: RandomState,
    questions: Mutex<VecDeque<u64>>,
}

impl Declined {
    fn add(&self, whose: &Whose, name: &str) {
        let digest = self.digests.hash_one((whose, name));
        let questions = self.questions.lock();
        let mut questions = questions.unwrap_or_else(PoisonError::into_inner);
        if questions.len() == REMEMBERED {
            questions.pop_front();
        }
        questions.push_back(digest);
    }

    fn has(&self, whose: &Whose, name: &str) -> bool {
        let digest = self.digests.hash_one((whose, name));
        let questions = self.questions.lock();
        let questions = questions.unwrap_or_else(PoisonError::into_inner);
        questions.contains(&digest)
    }
}

/// What a user said.
enum Said {
    Answer(String),
    Nothing,
}

impl McpServer {
    /// Hands an answer out; a question in it is put to the user first where that can be done.
    pub(super) async fn answered(
        &self,
        (spec, ready): (&ServedSpec, &Ready),
        answer: ServedAnswer,
        (request, context): (CallToolRequestParams, &Context),
    ) -> Result<CallToolResponse, ErrorData> {
        let version = context.protocol_version();
        let plain = |answer| result::answered(answer, version.as_ref()).into();
        let Some(question) = answer.question.clone() else {
            return Ok(plain(answer));
        };
        let handle = request.arguments.as_ref();
        let handle = handle.and_then(|arguments| arguments.get(HANDLE)?.as_str());
        let whose = whose(context, handle);
        let declined = self.declined.has(&whose, &question.name);
        if !can_ask(context) || !can_follow(spec, &question) || declined {
            return Ok(plain(answer));
        }
        let newest = version
            .as_ref()
            .is_some_and(|version| *version >= ProtocolVersion::V_2026_07_28);
        let said = if newest {
            let responses = request.input_responses.unwrap_or_default();
            match responses.get(&question.name) {
                Some(response) => read_response(response, &question)?,
                None => return Ok(required(&question)?.into()),
            }
        } else {
            ask(&question, context).await?
        };
        match said {
            Said::Nothing => {
                self.declined.add(&whose, &question.name);
                Ok(plain(answer))
            }
            Said::Answer(text) => {
                let followed = self
                    .follow((spec, ready), &question, (text, context))
                    .await?;
                Ok(match followed {
                    Ok(answer) => plain(answer),
                    Err(refused) => result::refused(&refused).into(),
                })
            }
        }
    }

    /// Passes the user's words on, and says what the first call says now.
    async fn follow(
        &self,
        (spec, ready): (&ServedSpec, &Ready),
        question: &OpenQuestion,
        (text, context): (String, &Context),
    ) -> Result<Result<ServedAnswer, Refused>, ErrorData> {
        let mut arguments = question.arguments.clone();
        arguments.insert(question.answer_field.to_owned(), Value::String(text));
        let passing = Ready {
            name: question.tool.to_owned(),
            arguments: Value::Object(arguments),
            visit: ready.visit.clone(),
        };
        let passed = self.call_heard(&passing, context).await?;
        if passed.is_err() || question.tool == spec.name {
            return Ok(passed);
        }
        self.call_heard(ready, context).await
    }
}

/// The answer must have the form that the called tool promised: only one that reads can be called
/// again for it, and only its own answer can stand for it.
fn can_follow(spec: &ServedSpec, question: &OpenQuestion) -> bool {
    spec.hints.read_only || question.tool == spec.name
}

/// True when the client said that it can show a form.
fn can_ask(context: &Context) -> bool {
    let capabilities = context.client_capabilities();
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
    elicitation.is_some_and(|can| can.form.is_some() || can.url.is_none())
}

fn required(question: &OpenQuestion) -> Result<InputRequiredResult, ErrorData> {
    let request = InputRequest::Elicitation(ElicitRequest::new(form(question)?));
    let requests = BTreeMap::from([(question.name.clone(), request)]);
    Ok(InputRequiredResult::from_input_requests(requests))
}

async fn ask(question: &OpenQuestion, context: &Context) -> Result<Said, ErrorData> {
    let asked = context
        .peer
        .create_elicitation_with_timeout(form(question)?, Some(PATIENCE));
    match asked.await {
        Ok(answer) => read_answer(&answer, question),
        Err(error) => {
            tracing::debug!(%error, "a question could not be put to the user");
            Ok(Said::Nothing)
        }
    }
}

fn form(question: &OpenQuestion) -> Result<ElicitRequestParams, ErrorData> {
    let field = if question.options.is_empty() {
        json!({ "type": "string", "title": "Answer" })
    } else {
        json!({ "type": "string", "title": "Answer", "enum": question.options })
    };
    let schema = json!({
        "type": "object",
        "properties": { FIELD: field },
        "required": [FIELD],
    });
    let requested_schema: ElicitationSchema = serde_json::from_value(schema)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.message.clone(),
        requested_schema,
    })
}

fn read_response(response: &Value, question: &OpenQuestion) -> Result<Said, ErrorData> {
    let answer: ElicitResult = serde_json::from_value(response.clone()).map_err(|error| {
        let name = &question.name;
        let wrong = format!("inputResponses.{name} is no answer to a form: {error}");
        ErrorData::invalid_params(wrong, None)
    })?;
    read_answer(&answer, question)
}

fn read_answer(answer: &ElicitResult, question: &OpenQuestion) -> Result<Said, ErrorData> {
    if answer.action != ElicitationAction::Accept {
        return Ok(Said::Nothing);
    }
    let text = answer
        .content
        .as_ref()
        .and_then(|content| content.get(FIELD));
    let Some(text) = text
        .and_then(Value::as_str)
        .filter(|text| !text.trim().is_empty())
    else {
        let wrong = format!("the answer to `{}` has no text `{FIELD}`", question.name);
        return Err(ErrorData::invalid_params(wrong, None));
    };
    if !question.options.is_empty() && !question.options.iter().any(|option| option == text) {
        let options = question.options.join(", ");
        let wrong = format!(
            "the answer to `{}` must be one of: {options}",
            question.name
        );
        return Err(ErrorData::invalid_params(wrong, None));
    }
    Ok(Said::Answer(text.to_owned()))
}
