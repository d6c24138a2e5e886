//! What a person allowed beyond the bounds: hosts for the steps that bring dependencies, and more disk.
//!
//! It is asked once, stands in the journal, and is remembered for the repository by the facts of its
//! runs. Where nobody attends, nothing more is allowed, and nothing waits.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gavel_agent::DiskCap;
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, FaultClass, InstallDecided, InstallRequest, Key, OnTimeout,
    Purpose, QuestionCard, ToolFinished,
};
use gavel_rules::{Destination, INSTALL_NO, INSTALL_YES, install_question, install_request_name};
use gavel_run::{Blobs, Pure, Question, Run, RunError, StepFailure};
use gavel_workspace::{OpenNetwork, Registries, ScriptHosts};

/// Runs of this flow and later ones ask; those before refuse, as they always did.
const SINCE: u32 = 9;

/// What was allowed in this drive. Not a second truth: the answers stand in the journal, and every drive
/// reads them in the same order.
#[derive(Debug, Clone, Default)]
pub struct Permissions {
    repository: String,
    decided: Arc<Mutex<BTreeMap<InstallRequest, bool>>>,
    disk: DiskCap,
}

impl Permissions {
    /// Of the repository with this git dir: an answer counts for it alone, since ids can be copied.
    pub fn of_repository(git_dir: &Path) -> Self {
        Self {
            repository: git_dir.display().to_string(),
            ..Self::default()
        }
    }

    /// What install steps may reach, with what was allowed.
    pub(crate) fn extend(&self, registries: &mut Registries) {
        for (request, _) in self.lock().iter().filter(|(_, allowed)| **allowed) {
            match request {
                InstallRequest::Host { host, port } => {
                    if let Some(host) = Destination::new(host, *port) {
                        registries.reach.allow_by_answer(host);
                    }
                }
                InstallRequest::ScriptHost {
                    scripts,
                    host,
                    port,
                } => {
                    if let Some(host) = Destination::new(host, *port) {
                        let scripts = scripts.digest;
                        registries.scripts.push(ScriptHosts { scripts, host });
                    }
                }
                InstallRequest::OpenNetwork => registries.open_network = OpenNetwork::Agreed,
            }
        }
    }

    /// How much the run's commands may write.
    pub(crate) const fn disk(&self) -> &DiskCap {
        &self.disk
    }

    /// Asks for what is not decided yet; true when something more is allowed than before.
    pub(crate) async fn ask(
        &self,
        run: &Run,
        requests: &[InstallRequest],
    ) -> Result<bool, RunError> {
        if run.flow() < SINCE {
            return Ok(false);
        }
        let mut more = false;
        for request in requests {
            if self.lock().contains_key(request) {
                continue;
            }
            let allowed = self.decide(run, request).await?;
            self.lock().insert(request.clone(), allowed);
            more |= allowed;
        }
        Ok(more)
    }

    async fn decide(&self, run: &Run, request: &InstallRequest) -> Result<bool, RunError> {
        let name = install_request_name(&self.repository, request);
        let key = |what: &str| Key::new(format!("install/{what}-{name}"));
        let places = [key("allowed")?, key("refused")?];
        if let Some(known) = earlier_answer(run, key("known")?, &places).await? {
            return Ok(known);
        }
        let question = question(install_question(request), INSTALL_NO);
        let answer = run.ask_attended(key("ask")?, question).await?.value;
        let allowed = matches!(answer.value, AnswerValue::Option { id } if id == INSTALL_YES);
        let [yes, no] = places;
        let decided = InstallDecided {
            request: request.clone(),
            repository: self.repository.clone(),
            allowed,
            by: answer.by,
        };
        run.decide(if allowed { yes } else { no }, decided).await?;
        Ok(allowed)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<InstallRequest, bool>> {
        self.decided.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a person said in an earlier run, on record in this one.
async fn earlier_answer(run: &Run, key: Key, places: &[Key; 2]) -> Result<Option<bool>, RunError> {
    let look = |blobs: Blobs| async move {
        let [yes, no] = places;
        let agreed = |place| async move {
            let agreed = run.was_agreed(place).await;
            agreed.map_err(|error| StepFailure::of(FaultClass::Failed, &error))
        };
        let said = match (agreed(yes).await?, agreed(no).await?) {
            (true, _) => INSTALL_YES,
            (false, true) => INSTALL_NO,
            (false, false) => "",
        };
        Ok(ToolFinished {
            tool: "look_up_earlier_answer".to_owned(),
            ok: !said.is_empty(),
            result: blobs.keep(said),
            level: None,
            source: None,
        })
    };
    let looked = run.step(key, Pure, &"earlier_answer", look).await?.value;
    let said = run.text(looked.result).await?;
    Ok(looked.ok.then_some(said == INSTALL_YES))
}

fn question(card: QuestionCard, recommended: &str) -> Question {
    let options = card.options.iter().map(|option| option.id.clone());
    Question {
        purpose: Purpose::Choice,
        shape: AnswerShape::Choice {
            options: options.collect(),
        },
        card,
        recommended: Some(recommended.to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    }
}
