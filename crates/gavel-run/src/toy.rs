//! A small driver that uses every kind of step once, for the crash tests and `gavel toy`.
//!
//! It asks a model for a few drafts at once, writes them into a work tree, commits, does something
//! that must not be done twice, asks a person, waits, asks the model again and commits the end.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gavel_domain::{
    AnswerShape, Audience, FaultClass, Halted, Key, OnTimeout, Purpose, QuestionCard, Role, Scope,
    Stage, StageEntered, Tokens, ToolFinished,
};
use gavel_models::{Limits, Message, MessageRole, ModelId, Request, ToolChoice};
use gavel_workspace::{
    BranchPrefix, BuildBranch, CommitId, RepoPath, TreeRoot, WorkTree, WorkTreePlace,
};
use serde::{Deserialize, Serialize};

use crate::{Blobs, Call, Once, Question, Run, RunError, StepCommit, StepFailure, Tree};

/// The driver's name in `run_started`.
pub const DRIVER: &str = "toy";
/// The version of its flow.
pub const FLOW: u32 = 1;

/// What a toy run is given; the run's brief, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToyBrief {
    /// The git program.
    pub git: PathBuf,
    /// The repository's git dir.
    pub repository: PathBuf,
    /// The work tree's folder.
    pub folder: PathBuf,
    /// The commit to begin with.
    pub base: String,
    /// A file outside the tree that gets one line, once.
    pub letters: PathBuf,
    /// The model.
    pub model: ModelId,
    /// How many drafts.
    pub drafts: u32,
    /// Whether they are asked for at once or one after the other.
    pub at_once: bool,
}

/// Drives a toy run from top to bottom.
pub async fn drive(run: Run) -> Result<(), RunError> {
    let toy = Toy::open(&run).await?;
    let scope = run.scope("toy", 1)?;
    run.decide(
        scope.key("stage")?,
        StageEntered {
            stage: Stage::Building,
        },
    )
    .await?;
    toy.begin().await?;
    let drafts = toy.drafts(&scope).await?;
    for (number, text) in drafts.iter().enumerate() {
        toy.write(
            scope.key(&format!("write-{number}"))?,
            &Line { number, text },
        )
        .await?;
    }
    let first = toy
        .commit(scope.key("commit-1")?, "The drafts", toy.base.clone())
        .await?;
    toy.send_letter(scope.key("letter")?).await?;
    let colour = toy.ask_colour(scope.key("colour")?).await?;
    run.sleep(scope.key("pause")?, Duration::from_millis(20))
        .await?;
    let heard = run.hear(scope.key("heard")?).await?.len();
    let prompt = format!(
        "Sum up {} drafts in {colour}; {heard} remarks.",
        drafts.len()
    );
    let summary = toy.say(scope.key("summary")?, &prompt).await?;
    let number = run.random(&scope.key("number")?);
    let text = format!("{summary} {number}");
    toy.write(
        scope.key("write-summary")?,
        &Line {
            number: drafts.len(),
            text: &text,
        },
    )
    .await?;
    toy.commit(scope.key("commit-2")?, "The summary", first)
        .await?;
    run.decide(
        scope.key("done")?,
        Halted {
            reason: "toy_done".into(),
            detail: None,
        },
    )
    .await?;
    Ok(())
}

struct Toy<'a> {
    run: &'a Run,
    brief: ToyBrief,
    work_tree: WorkTree,
    branch: BuildBranch,
    base: CommitId,
}

/// A line to be appended to a file, so doing it twice would show.
#[derive(Debug, Serialize)]
struct Line<'a> {
    number: usize,
    text: &'a str,
}

impl<'a> Toy<'a> {
    async fn open(run: &'a Run) -> Result<Self, RunError> {
        let text = match run.brief() {
            Some(name) => run.text(name).await?,
            None => String::new(),
        };
        let bad = |problem: &dyn std::fmt::Display| unusable(run, problem);
        let brief: ToyBrief = serde_json::from_str(&text).map_err(|error| bad(&error))?;
        let place = WorkTreePlace {
            git: brief.git.clone(),
            repository: brief.repository.clone(),
            folder: brief.folder.clone(),
        };
        let work_tree = WorkTree::open(&place, run.id())
            .await
            .map_err(|error| bad(&error))?;
        let prefix = BranchPrefix::new("gavel/").map_err(|error| bad(&error))?;
        let branch = prefix
            .build(&run.id().short())
            .map_err(|error| bad(&error))?;
        let base = brief.base.parse().map_err(|error| bad(&error))?;
        Ok(Self {
            run,
            brief,
            work_tree,
            branch,
            base,
        })
    }

    async fn drafts(&self, scope: &Scope) -> Result<Vec<String>, RunError> {
        let keys = (0..self.brief.drafts)
            .map(|n| Ok(scope.key(&format!("draft-{n}"))?))
            .collect::<Result<Vec<Key>, RunError>>()?;
        let parts = keys.into_iter().enumerate().map(|(n, key)| {
            let prompt = format!("Write draft number {n}.");
            (key.clone(), async move { self.say(key, &prompt).await })
        });
        if !self.brief.at_once {
            let mut texts = Vec::new();
            for (_, draft) in parts {
                texts.push(draft.await?);
            }
            return Ok(texts);
        }
        let texts = self.run.all(parts).await?;
        Ok(texts.into_iter().map(|(_, text)| text).collect())
    }

    async fn say(&self, key: Key, prompt: &str) -> Result<String, RunError> {
        let request = Request {
            model: self.brief.model.clone(),
            messages: vec![
                Message::text(MessageRole::System, "You write one short line."),
                Message::text(MessageRole::User, prompt),
            ],
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            answer: None,
            limits: Limits {
                max_output: Tokens(200),
                deadlines: gavel_models::Deadlines::default(),
            },
        };
        let reply = self.run.call(key, Call::new(request, Role::Coder)).await?;
        Ok(reply.value.text)
    }

    async fn write(&self, key: Key, line: &Line<'_>) -> Result<(), RunError> {
        self.run
            .step(key, Tree::new(&self.work_tree), line, |blobs| {
                self.apply(line, blobs)
            })
            .await?;
        Ok(())
    }

    async fn begin(&self) -> Result<(), RunError> {
        let tree = self.work_tree.tree_of(&self.base).await;
        let tree = tree.map_err(|error| unusable(self.run, &error))?;
        self.run.open_tree(&self.work_tree, &tree).await
    }

    async fn apply(&self, line: &Line<'_>, blobs: Blobs) -> Result<ToolFinished, StepFailure> {
        self.append(line.number, line.text)?;
        Ok(ToolFinished {
            tool: "toy_write".into(),
            ok: true,
            result: blobs.keep("done"),
            level: None,
            source: None,
        })
    }

    fn append(&self, number: usize, text: &str) -> Result<(), StepFailure> {
        let root = TreeRoot::open(self.work_tree.folder()).map_err(failed)?;
        let path = RepoPath::new("notes/drafts.txt").map_err(failed)?;
        let mut content = match root.read(&path, 1 << 20) {
            Ok(file) => file.bytes,
            Err(gavel_workspace::FileError::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(failed(error)),
        };
        content.extend_from_slice(format!("{number}: {text}\n").as_bytes());
        root.write(&path, &content).map_err(failed)
    }

    async fn commit(&self, key: Key, title: &str, parent: CommitId) -> Result<CommitId, RunError> {
        let commit = StepCommit {
            work_tree: &self.work_tree,
            branch: &self.branch,
            parent: &parent,
            title,
            // The same in every run, so that two runs can be compared.
            at: gavel_domain::Timestamp::UNIX_EPOCH,
        };
        let made = self.run.commit(key, commit).await?.value;
        made.commit
            .parse()
            .map_err(|error: gavel_workspace::ObjectIdError| unusable(self.run, &error))
    }

    async fn send_letter(&self, key: Key) -> Result<(), RunError> {
        let class = Once {
            question: format!(
                "Was the letter written to {}?",
                self.brief.letters.display()
            ),
            assume: StageEntered {
                stage: Stage::Building,
            },
        };
        let line = format!("{}\n", self.run.id());
        self.run
            .step(key, class, &line, |_| {
                let outcome = append_line(&self.brief.letters, &line);
                async move {
                    outcome.map(|()| StageEntered {
                        stage: Stage::Building,
                    })
                }
            })
            .await?;
        Ok(())
    }

    async fn ask_colour(&self, key: Key) -> Result<String, RunError> {
        let options = [("red", "Red"), ("blue", "Blue")];
        let question = Question {
            purpose: Purpose::Choice,
            card: QuestionCard::with_options("Which colour?".into(), None, &options),
            shape: AnswerShape::Choice {
                options: options.map(|(id, _)| id.to_owned()).to_vec(),
            },
            recommended: Some("blue".into()),
            audience: Audience::Any,
            deadline: None,
            on_timeout: OnTimeout::Wait,
        };
        let answered = self.run.ask(key.clone(), question).await?;
        Ok(match answered.value.value {
            gavel_domain::AnswerValue::Option { id } => id,
            gavel_domain::AnswerValue::Text { .. }
            | gavel_domain::AnswerValue::Limit { .. }
            | gavel_domain::AnswerValue::Decide => "blue".into(),
        })
    }
}

fn append_line(path: &Path, line: &str) -> Result<(), StepFailure> {
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(failed)?;
    file.write_all(line.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(failed)
}

fn unusable(run: &Run, problem: &dyn std::fmt::Display) -> RunError {
    RunError::Brief {
        run: run.id(),
        problem: problem.to_string(),
    }
}

fn failed(problem: impl std::fmt::Display) -> StepFailure {
    StepFailure::new(FaultClass::Failed, problem)
}
