//! How the nine contracts are written: one after another, by a model with tools, then pinned.

use std::collections::BTreeMap;
use std::sync::Arc;

use gavel_agent::{
    Agent, AgentLimits, Caller, Registry, RegistryError, ToolContext, ToolHandler, WorkStop, Worked,
};
use gavel_domain::{
    Contract, ContractKind, ContractSubmitted, ContractsPinned, Digest, FaultClass, Role, Scope,
    Tokens,
};
use gavel_models::ModelInfo;
use gavel_run::{Blobs, Pure, RecallSpec, Run, RunError, StepFailure};
use serde::Serialize;

use crate::project::GetProjectContext;
use crate::submit::{MissingExamples, SubmitContract, SubmitContractInput};
use crate::{ContractInputs, Shelf, check_all, prompt, reading_tools};

/// The most replies for one contract.
const TURNS: u32 = 12;
/// A reply must have room for the longest contract.
const REPLY: Tokens = Tokens(14_000);
/// The most output for one contract: a few whole submissions.
const OUTPUT: Tokens = Tokens(80_000);
/// The most that memory adds to the task.
const REMEMBERED: Tokens = Tokens(400);
/// The most of a model's last words in a problem.
const MAX_WORDS: usize = 400;

/// Who writes.
#[derive(Debug, Clone)]
pub struct Writer {
    /// The model.
    pub model: ModelInfo,
    /// What its tools work with.
    pub context: ToolContext,
}

/// What the writing came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// All nine, valid and pinned.
    All(Shelf),
    /// No valid contract of this kind came.
    Stuck {
        /// Which.
        kind: ContractKind,
        /// What stood in the way.
        problem: String,
    },
}

/// How far the writing has come, over several tries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Writing {
    shelf: Shelf,
    /// How often a contract of each kind was taken.
    versions: BTreeMap<ContractKind, u32>,
}

impl Writing {
    /// All nine are to be written anew; their versions go on.
    pub fn anew(&mut self) {
        self.shelf = Shelf::default();
    }

    /// What stands: contracts that were taken and not given up since.
    pub const fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    fn take(&mut self, contract: Contract) {
        *self.versions.entry(contract.kind).or_default() += 1;
        self.shelf.insert(contract);
    }

    fn next_version(&self, kind: ContractKind) -> u32 {
        self.versions.get(&kind).copied().unwrap_or_default() + 1
    }

    /// Gives up a contract and those that were checked against it.
    fn give_up(&mut self, kind: ContractKind) {
        let before = ContractKind::ALL.into_iter().take_while(|one| *one != kind);
        let kept = before.filter_map(|one| self.shelf.get(one).cloned());
        self.shelf = kept.collect();
    }
}

/// Lets a model write the nine contracts, each checked against those before it, and pins them. What
/// an earlier try has brought is not written again.
///
/// The keys in the scope: `schema-1/turn-1` and so on for the work on a contract, `schema` for
/// the contract that was taken, `pinned` for all of them.
pub async fn write_contracts(
    run: &Run,
    scope: &Scope,
    writer: &Writer,
    inputs: &ContractInputs,
    writing: &mut Writing,
) -> Result<Written, RunError> {
    let inputs = Arc::new(inputs.clone());
    for kind in ContractKind::ALL {
        if writing.shelf.get(kind).is_some() {
            continue;
        }
        let task = Task {
            kind,
            version: writing.next_version(kind),
            shelf: Arc::new(writing.shelf.clone()),
            inputs: inputs.clone(),
        };
        let text = match task.submission(run, scope, writer).await? {
            Ok(text) => text,
            Err(problem) => return Ok(Written::Stuck { kind, problem }),
        };
        let text = task.record(run, scope, (writer, &text)).await?;
        writing.take(Contract { kind, text });
    }
    let written = pin(run, scope, writing.shelf.clone(), &inputs).await?;
    if let Written::Stuck { kind, .. } = &written {
        writing.give_up(*kind);
    }
    Ok(written)
}

/// One contract to be written.
struct Task {
    kind: ContractKind,
    version: u32,
    shelf: Arc<Shelf>,
    inputs: Arc<ContractInputs>,
}

/// The declared input of the step that keeps a contract.
#[derive(Serialize)]
struct Kept<'a> {
    kind: ContractKind,
    content: Digest,
    model: &'a str,
}

impl Task {
    /// Lets the model work until a text is accepted; the inner error says why none was.
    async fn submission(
        &self,
        run: &Run,
        scope: &Scope,
        writer: &Writer,
    ) -> Result<Result<String, String>, RunError> {
        let registry = self.tools(run.flow()).map_err(|error| RunError::Brief {
            run: run.id(),
            problem: error.to_string(),
        })?;
        let limits = AgentLimits {
            reply: Tokens(writer.model.max_output.0.min(REPLY.0)),
            output: OUTPUT,
            ..AgentLimits::for_model(&writer.model, TURNS)
        };
        let agent = Agent {
            registry: Arc::new(registry),
            caller: Caller::in_process(Role::Leader, writer.context.clone()),
            model: writer.model.clone(),
            system: prompt::SYSTEM.to_owned(),
            ends_with: Some(SubmitContract::NAME),
            recall: Some(self.reminder()),
            limits,
        };
        let work = scope.scope(&segment(self.kind), 1)?;
        let task = prompt::task(self.kind, self.inputs.most_phases);
        let worked = agent.work(run, &work, &task).await?;
        let submitted = worked
            .submitted
            .as_deref()
            .map(SubmitContractInput::text_of);
        Ok(match submitted {
            Some(text) => text.map_err(|error| format!("the submission cannot be read: {error}")),
            None => Err(problem(&worked, &writer.context)),
        })
    }

    /// What was settled or went wrong before, about what this contract is to say.
    fn reminder(&self) -> RecallSpec {
        let spec = &self.inputs.spec;
        let about = [self.kind.word(), &spec.title, &spec.purpose];
        let about = about
            .into_iter()
            .chain(spec.in_scope.iter().map(String::as_str));
        RecallSpec {
            kinds: &["decision", "constraint", "trap", "vision", "feedback"],
            query: about.collect::<Vec<_>>().join(" ").replace('_', " "),
            max_tokens: REMEMBERED,
        }
    }

    fn tools(&self, flow: u32) -> Result<Registry, RegistryError> {
        let mut registry = Registry::default();
        reading_tools(&mut registry, self.shelf.clone())?;
        registry.add(GetProjectContext(self.inputs.clone()))?;
        registry.add(SubmitContract {
            kind: self.kind,
            shelf: self.shelf.clone(),
            inputs: self.inputs.clone(),
            examples: MissingExamples::of_flow(flow),
        })?;
        Ok(registry)
    }

    /// Keeps the text in the journal, and returns it from there.
    async fn record(
        &self,
        run: &Run,
        scope: &Scope,
        (writer, text): (&Writer, &str),
    ) -> Result<String, RunError> {
        let model = writer.model.id.to_string();
        let input = Kept {
            kind: self.kind,
            content: Digest::of(text),
            model: &model,
        };
        let effect = |blobs: Blobs| {
            let submitted = ContractSubmitted {
                kind: self.kind,
                version: self.version,
                content: blobs.keep(text),
                model: model.clone(),
            };
            async move { Ok::<_, StepFailure>(submitted) }
        };
        let key = scope.key(&segment(self.kind))?;
        let recorded = run.step(key, Pure, &input, effect).await?;
        run.text(recorded.value.content).await
    }
}

/// Checks all of them together once more, on record, and fixes their digests.
async fn pin(
    run: &Run,
    scope: &Scope,
    shelf: Shelf,
    inputs: &ContractInputs,
) -> Result<Written, RunError> {
    let contracts = shelf.digests();
    let effect = |_: Blobs| {
        let outcome = match check_all(&shelf, Some(&inputs.spec)).first() {
            None => Ok(ContractsPinned {
                contracts: contracts.clone(),
            }),
            Some(finding) => Err(StepFailure::new(FaultClass::Invalid, finding)),
        };
        async move { outcome }
    };
    match run
        .step(scope.key("pinned")?, Pure, &contracts, effect)
        .await
    {
        Ok(_) => Ok(Written::All(shelf)),
        Err(RunError::Failed(error)) => Ok(Written::Stuck {
            kind: kind_named(&error.message),
            problem: error.message,
        }),
        Err(error) => Err(error),
    }
}

/// The kind whose file a finding begins with.
fn kind_named(finding: &str) -> ContractKind {
    let file = finding.split(':').next().unwrap_or_default();
    ContractKind::ALL
        .into_iter()
        .find(|kind| kind.file_name() == file)
        .unwrap_or(ContractKind::BuilderDirective)
}

/// The kind as a part of a key.
fn segment(kind: ContractKind) -> String {
    kind.word().replace('_', "-")
}

fn problem(worked: &Worked, context: &ToolContext) -> String {
    let turns = worked.turns;
    let why = match worked.stop {
        WorkStop::MaxTurns => format!("no valid contract came within {turns} replies"),
        WorkStop::Guard { reason } => format!("the model went round in circles: {reason}"),
        WorkStop::OutputCap => {
            format!("the model wrote more than {OUTPUT} without a valid contract")
        }
        WorkStop::Done | WorkStop::Submitted => {
            format!("the model ended after {turns} replies without handing in a contract")
        }
    };
    let words = context.scrub(worked.text.trim());
    if words.is_empty() {
        return why;
    }
    let words: String = words.chars().take(MAX_WORDS).collect();
    format!("{why}; its last words: {words}")
}
