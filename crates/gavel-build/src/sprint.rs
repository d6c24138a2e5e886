//! The parts of a sprint, each recorded in a room of its own.

use gavel_agent::{Agent, AgentLimits, Ask, Asked, Caller, Excerpt, Worked};
use gavel_domain::{
    AuditFinished, AuditVerdict, Role, Scope, ShipHeeded, SprintPart, SprintPlanned, SprintStage,
    Tokens, VerifyFinished,
};
use gavel_models::ModelInfo;
use gavel_run::{Blobs, Bug, Pure, RecallSpec, Run, RunError};
use gavel_workspace::{ChangeKind, ChangedFile, TestNames, TreeId};
use serde::Serialize;

use crate::audit::{Finding, SUBMIT_AUDIT, Severity, Submission, count};
use crate::plan::{PlanAnswer, PlannedFile, check};
use crate::reminders;
use crate::troubles::{Troubles, missing_tests};
use crate::verify::verify_work_tree;
use crate::words::{self, data, task};
use crate::{CommandRan, Crew, PhaseWork, Site};

/// The longest reply of a role that writes files.
const WRITTEN_REPLY: Tokens = Tokens(32_000);
/// The most that such a role writes for one phase.
const WRITTEN: Tokens = Tokens(240_000);

/// One phase under way.
#[derive(Clone, Copy)]
pub(crate) struct Sprint<'a> {
    pub(crate) run: &'a Run,
    pub(crate) scope: &'a Scope,
    pub(crate) site: &'a Site,
    pub(crate) crew: &'a Crew,
    pub(crate) work: &'a PhaseWork<'a>,
}

/// What verification and audit see after a round.
#[derive(Debug)]
pub(crate) struct Looked {
    pub(crate) verify: VerifyFinished,
    pub(crate) tests: TestNames,
    pub(crate) audit: AuditVerdict,
    pub(crate) troubles: Troubles,
    /// True when the tree is another than before the sprint.
    pub(crate) changed: bool,
    /// The commands of the verification.
    pub(crate) commands: Vec<CommandRan>,
    /// The verification as roles see it.
    told: String,
    findings: Vec<Finding>,
}

impl Looked {
    /// The audit in a few lines.
    pub(crate) fn audit_told(&self) -> String {
        let lines = self.findings.iter().map(|one| {
            let severity = match one.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            format!("{severity} {}: {}", one.file, one.message)
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// The files of a phase as JSON, and what else the coder must know.
#[derive(Debug)]
pub(crate) struct Planned {
    files: String,
    /// The paths of these files, and what each is for.
    touched: Vec<String>,
    /// The paths alone.
    pub(crate) paths: Vec<String>,
    notes: String,
}

/// A role at work.
struct Post<'a> {
    role: Role,
    system: &'static str,
    model: &'a ModelInfo,
    turns: u32,
    ends_with: Option<&'static str>,
    recall: Option<RecallSpec>,
}

impl<'a> Sprint<'a> {
    /// Reads the tree; the report may be empty.
    pub(crate) async fn scout(&self) -> Result<Worked, RunError> {
        let room = self.enter(SprintPart::Scout, 0).await?;
        let post = Post {
            role: Role::Scout,
            system: words::SCOUT,
            model: &self.crew.coder,
            turns: 8,
            ends_with: None,
            recall: None,
        };
        let words = "Report on the tree with regard to this phase.";
        let mut given = vec![self.window()];
        given.extend(self.told(Role::Scout));
        self.put(&room, post, words, &given).await
    }

    /// Plans the files. Without a usable plan there are none in it.
    pub(crate) async fn plan(&self, scout: &str) -> Result<Planned, RunError> {
        let room = self.enter(SprintPart::Plan, 0).await?;
        let files = self.files_before().await?;
        let mut given = vec![self.window(), data("scout", scout), data("files", &files)];
        given.extend(self.told(Role::Coder));
        let task = task(
            self.work.phase.number,
            "Plan the files of this phase.",
            &given,
        );
        let ask = Ask {
            model: &self.crew.coder,
            role: Role::Coder,
            shape: "phase_plan",
            system: words::PLANNER,
            task: &task,
            max_output: Tokens(4_000),
        };
        let recall = reminders::planner(self.work.phase, self.work.focus);
        let asked = ask
            .answer_reminded(self.run, &room, (&self.site.context, check), Some(&recall))
            .await?;
        let plan: PlanAnswer = match asked {
            Asked::Answered(plan) => plan,
            Asked::Unusable { .. } => PlanAnswer::default(),
        };
        let files = u32::try_from(plan.files.len()).unwrap_or(u32::MAX);
        let json = to_json(&room, &plan.files)?;
        let (sprint, phase) = (self.work.sprint, self.work.phase.number);
        let keep = |blobs: Blobs| {
            let plan = blobs.keep(json.as_str());
            async move {
                Ok(SprintPlanned {
                    sprint,
                    phase,
                    plan,
                    files,
                })
            }
        };
        let key = room.key("planned")?;
        self.run.step(key, Pure, &json, keep).await?;
        Ok(Planned {
            files: json,
            touched: plan.files.iter().map(PlannedFile::in_words).collect(),
            paths: plan.files.iter().map(|file| file.path.clone()).collect(),
            notes: plan.notes,
        })
    }

    /// Writes the code.
    pub(crate) async fn code(&self, plan: &Planned, scout: &str) -> Result<Worked, RunError> {
        let room = self.enter(SprintPart::Code, 0).await?;
        let words = if self.work.is_last {
            "Build this phase. It is the last one: when it ends, the product is complete, and a \
             person finds out from the README how to use it."
        } else {
            "Build this phase, and nothing of the phase after it."
        };
        let mut given = vec![
            data("plan", &plan.files),
            data("notes", &plan.notes),
            data("scout", scout),
            self.window(),
        ];
        given.extend(self.told(Role::Coder));
        let recall = reminders::coder(self.work.phase, plan.touched.iter().cloned());
        let post = Post {
            recall: Some(recall),
            ..self.writing(Role::Coder, words::CODER, 40)
        };
        self.put(&room, post, words, &given).await
    }

    /// Verifies and audits what is there.
    pub(crate) async fn look(&self, round: u32) -> Result<Looked, RunError> {
        let room = self.enter(SprintPart::Verify, round).await?;
        let (verify, output) = verify_work_tree(self.run, &room, self.site).await?;
        let tests = output.tests();
        let missing = missing_tests(&self.work.phase.criteria, &verify, &tests);
        let told = words::verification(&verify, &output, (&tests, &missing));
        let changed = self.changed(&verify).await?;
        let (audit, findings) = self.audit(round, &told, &changed).await?;
        let mut troubles = Troubles::default();
        troubles.verified(&verify, &tests);
        troubles.missing(&missing);
        troubles.audited(&findings);
        troubles.touched(&changed);
        Ok(Looked {
            verify,
            tests,
            audit: audit.verdict,
            troubles,
            changed: !changed.is_empty(),
            commands: output.commands,
            told,
            findings,
        })
    }

    async fn audit(
        &self,
        round: u32,
        told: &str,
        changed: &[ChangedFile],
    ) -> Result<(AuditFinished, Vec<Finding>), RunError> {
        let room = self.enter(SprintPart::Audit, round).await?;
        let post = Post {
            role: Role::Auditor,
            system: words::AUDITOR,
            model: &self.crew.auditor,
            turns: 16,
            ends_with: Some(SUBMIT_AUDIT),
            recall: Some(reminders::auditor(self.work.phase, changed)),
        };
        let mut given = vec![
            data("verification", told),
            data("changed", &names_of(changed)),
            self.window(),
        ];
        given.extend(self.told(Role::Auditor));
        let worked = self.put(&room, post, "Audit this phase.", &given).await?;
        let submission = worked.submitted.as_deref().and_then(Submission::read);
        let (verdict, findings) = submission.map_or_else(
            || (AuditVerdict::Unclear, Vec::new()),
            Submission::into_parts,
        );
        let json = to_json(&room, &findings)?;
        let number = |severity| u32::try_from(count(&findings, severity)).unwrap_or(u32::MAX);
        let (errors, warnings) = (number(Severity::Error), number(Severity::Warning));
        let keep = |blobs: Blobs| {
            let findings = blobs.keep(json.as_str());
            async move {
                Ok(AuditFinished {
                    verdict,
                    errors,
                    warnings,
                    findings,
                })
            }
        };
        let key = room.key("judged")?;
        let finished = self.run.step(key, Pure, &(verdict, &json), keep).await?;
        Ok((finished.value, findings))
    }

    /// Repairs.
    pub(crate) async fn fix(&self, round: u32, looked: &Looked) -> Result<Worked, RunError> {
        let room = self.enter(SprintPart::Fix, round).await?;
        let mut given = vec![
            data("findings", &to_json(&room, &looked.findings)?),
            data("verification", &looked.told),
            data("troubles", &looked.troubles.texts().join("\n")),
            self.window(),
        ];
        given.extend(self.told(Role::Fixer));
        let post = self.writing(Role::Fixer, words::FIXER, 24);
        self.put(&room, post, "Mend this phase.", &given).await
    }

    /// Records what a look found new, and what it found gone.
    pub(crate) async fn record(
        &self,
        round: u32,
        looked: &Looked,
        before: &Troubles,
    ) -> Result<(), RunError> {
        let room = self.scope.scope("round", round + 1)?;
        let place = (&room, self.work.sprint);
        looked.troubles.record(self.run, place, before).await
    }

    /// True when somebody had asked to ship by the time this was first looked at.
    pub(crate) async fn ship_asked(&self, round: u32) -> Result<bool, RunError> {
        let key = self.scope.key(&format!("ship-{round}"))?;
        // Not a decision: another drive may see another answer, and the recorded one holds.
        let look = |_: Blobs| {
            let requests = self.run.ship_requests();
            let asked = requests > self.work.heeded;
            async move { Ok(ShipHeeded { asked, requests }) }
        };
        Ok(self.run.step(key, Pure, &"ship", look).await?.value.asked)
    }

    /// Opens the room of a part and says that it begins.
    async fn enter(&self, part: SprintPart, round: u32) -> Result<Scope, RunError> {
        let name = match part {
            SprintPart::Scout => "scout",
            SprintPart::Plan => "plan",
            SprintPart::Code => "code",
            SprintPart::Verify => "verify",
            SprintPart::Audit => "audit",
            SprintPart::Fix => "fix",
            SprintPart::Commit => "commit",
        };
        let room = self.scope.scope(name, round + 1)?;
        let stage = SprintStage {
            sprint: self.work.sprint,
            part,
            round,
        };
        self.run.decide(room.key("stage")?, stage).await?;
        Ok(room)
    }

    const fn writing(&self, role: Role, system: &'static str, turns: u32) -> Post<'a> {
        Post {
            role,
            system,
            model: &self.crew.coder,
            turns,
            ends_with: None,
            recall: None,
        }
    }

    /// Puts a role to work.
    async fn put(
        &self,
        room: &Scope,
        post: Post<'_>,
        words: &str,
        given: &[Excerpt],
    ) -> Result<Worked, RunError> {
        let mut limits = AgentLimits::for_model(post.model, post.turns);
        if matches!(post.role, Role::Coder | Role::Fixer) {
            limits.reply = Tokens(post.model.max_output.0.min(WRITTEN_REPLY.0));
            limits.output = WRITTEN;
        }
        let agent = Agent {
            registry: self.site.tools.clone(),
            caller: Caller::in_process(post.role, self.site.context.clone()),
            model: post.model.clone(),
            system: post.system.to_owned(),
            ends_with: post.ends_with,
            recall: post.recall,
            limits,
        };
        let task = task(self.work.phase.number, words, given);
        Box::pin(agent.work(self.run, room, &task)).await
    }

    /// What a role is told from the sprints before; nothing in a first sprint.
    fn told(&self, role: Role) -> impl Iterator<Item = Excerpt> {
        let remembered = self.work.roles.of(role);
        let scrub = |text: &str| self.site.context.scrub(text);
        let told = [
            ("focus", scrub(self.work.focus)),
            ("your-earlier-sprints", scrub(&remembered)),
        ];
        told.into_iter()
            .filter(|(_, text)| !text.trim().is_empty())
            .map(|(source, text)| data(source, &text))
    }

    fn window(&self) -> Excerpt {
        data("phase", self.work.window)
    }

    /// The files of the commit that the phase begins with, one a line. Not those of the work tree,
    /// which has moved on when this is asked again.
    async fn files_before(&self) -> Result<String, RunError> {
        let tree = self.tree_before().await?;
        let files = self.site.tree.files_of(&tree).await;
        let files = files.map_err(|error| self.unreadable(&error))?;
        Ok(files.iter().map(|name| format!("{name}\n")).collect())
    }

    /// What the phase changed, by the tree that was verified.
    async fn changed(&self, verify: &VerifyFinished) -> Result<Vec<ChangedFile>, RunError> {
        let Some(tree) = &verify.tree else {
            return Ok(Vec::new());
        };
        let tree: TreeId = tree.parse().map_err(|error| self.unreadable(&error))?;
        let before = self.tree_before().await?;
        let changed = self.site.tree.changed_files(&before, &tree).await;
        changed.map_err(|error| self.unreadable(&error))
    }

    async fn tree_before(&self) -> Result<TreeId, RunError> {
        let tree = self.site.tree.tree_of(self.work.parent).await;
        tree.map_err(|error| self.unreadable(&error))
    }

    /// The repository does not hold what the run stands on: a person must look.
    fn unreadable(&self, error: &dyn std::error::Error) -> RunError {
        RunError::Brief {
            run: self.run.id(),
            problem: crate::verify::with_sources(error),
        }
    }
}

fn names_of(files: &[ChangedFile]) -> String {
    let mut names = String::new();
    for file in files {
        names.push_str(&file.name.to_string());
        match file.kind {
            ChangeKind::Removed => names.push_str(" (removed)"),
            ChangeKind::Added | ChangeKind::Modified | ChangeKind::Retyped => {}
        }
        names.push('\n');
    }
    names
}

/// A model's words as part of one line.
fn to_json<T: Serialize + ?Sized>(room: &Scope, value: &T) -> Result<String, RunError> {
    let key = room.key("json")?;
    serde_json::to_string(value).map_err(|source| Bug::Input { key, source }.into())
}
