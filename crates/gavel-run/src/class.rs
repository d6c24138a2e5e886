//! Step classes: what happens when a step may have run before. There is no default.

use gavel_domain::{
    AnswerShape, AnswerValue, Audience, Digest, Fact, FaultClass, Key, OnTimeout, Purpose,
    QuestionCard, RecordDraft, StepBegan, TreeRecorded,
};
use gavel_workspace::{TreeId, WorkTree};

use crate::ask::Question;
use crate::writer::Proposal;
use crate::{Run, RunError, StepFailure};

/// The effect may be repeated: it reads, or computes.
#[derive(Debug, Clone, Copy)]
pub struct Pure;

/// The effect may change the work tree, and nothing else.
///
/// Before each attempt the tree is made equal to the last recorded one; after it, it is recorded.
#[derive(Debug)]
pub struct Tree<'a> {
    work_tree: &'a WorkTree,
    turn: Option<tokio::sync::OwnedMutexGuard<()>>,
}

impl<'a> Tree<'a> {
    /// A step in this work tree.
    pub const fn new(work_tree: &'a WorkTree) -> Self {
        Self {
            work_tree,
            turn: None,
        }
    }
}

/// The effect leaves a mark outside (a commit, a push): look for the mark first.
#[derive(Debug, Clone, Copy)]
pub struct Probe<L>(
    /// Looks for the mark; `Some` when the effect happened before.
    pub L,
);

/// The effect must never be repeated by the program; when a drive died inside it, a person says
/// what happened.
#[derive(Debug, Clone)]
pub struct Once<T> {
    /// What is asked then: what may have happened, in a sentence.
    pub question: String,
    /// What is recorded when the person says that it happened.
    pub assume: T,
}

/// What a class decides before the effect runs.
#[derive(Debug)]
pub enum Begun<T> {
    /// Run the effect.
    Go,
    /// It happened before; this is its fact.
    Found(T),
    /// It must not run.
    Refused(StepFailure),
}

/// The behaviour of a class around an effect. Only this crate has classes.
pub trait StepClass<T: Fact>: sealed::Sealed + Send {
    /// Called before each attempt.
    fn begin(
        &mut self,
        run: &Run,
        key: &Key,
    ) -> impl Future<Output = Result<Begun<T>, RunError>> + Send;

    /// Called after an effect that succeeded; returns a record for the same commit, or why the
    /// attempt failed after all.
    fn end(
        &mut self,
        run: &Run,
        key: &Key,
    ) -> impl Future<Output = Result<Ended, RunError>> + Send {
        let _unused = (run, key);
        async { Ok(Ok(None)) }
    }

    /// Called after an effect that failed.
    fn undo(&mut self, run: &Run) -> impl Future<Output = ()> + Send {
        let _unused = run;
        async {}
    }
}

/// What stands beside an outcome, or why there is none.
pub type Ended = Result<Option<RecordDraft>, StepFailure>;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Pure {}
    impl Sealed for super::Tree<'_> {}
    impl<L> Sealed for super::Probe<L> {}
    impl<T> Sealed for super::Once<T> {}
}

impl<T: Fact> StepClass<T> for Pure {
    async fn begin(&mut self, _run: &Run, _key: &Key) -> Result<Begun<T>, RunError> {
        Ok(Begun::Go)
    }
}

impl<T, L, Fut> StepClass<T> for Probe<L>
where
    T: Fact,
    L: FnMut() -> Fut + Send,
    Fut: Future<Output = Result<Option<T>, StepFailure>> + Send,
{
    async fn begin(&mut self, _run: &Run, _key: &Key) -> Result<Begun<T>, RunError> {
        Ok(match (self.0)().await {
            Ok(Some(found)) => Begun::Found(found),
            Ok(None) => Begun::Go,
            // A look that cannot answer refuses: the effect might happen twice.
            Err(failure) => Begun::Refused(failure),
        })
    }
}

impl<T: Fact> StepClass<T> for Tree<'_> {
    async fn begin(&mut self, run: &Run, _key: &Key) -> Result<Begun<T>, RunError> {
        if self.turn.is_none() {
            self.turn = Some(run.inner.tree_turn.clone().lock_owned().await);
        }
        let recorded = run.inner.journal().view.tree.clone();
        let ready = match recorded {
            Some(recorded) => restore(self.work_tree, &recorded.tree).await,
            None => Err(StepFailure::new(
                FaultClass::Invalid,
                "no tree is on record to begin with: call Run::open_tree first",
            )),
        };
        Ok(match ready {
            Ok(()) => Begun::Go,
            Err(failure) => Begun::Refused(failure),
        })
    }

    async fn end(&mut self, run: &Run, key: &Key) -> Result<Ended, RunError> {
        let n = run
            .inner
            .journal()
            .view
            .tree
            .as_ref()
            .map_or(0, |tree| tree.n)
            + 1;
        let tree = match self.work_tree.snapshot().await {
            Ok(tree) => tree,
            Err(error) => return Ok(Err(StepFailure::of(FaultClass::Failed, &error))),
        };
        let recorded = TreeRecorded {
            n,
            tree: tree.to_string(),
        };
        Ok(Ok(Some(RecordDraft::new(key.part("tree"), &recorded)?)))
    }

    /// Leaves nothing behind that a later step would read. A tree that cannot be restored now is
    /// restored before the next step in it.
    async fn undo(&mut self, run: &Run) {
        let recorded = run.inner.journal().view.tree.clone();
        if let Some(recorded) = recorded
            && let Err(failure) = restore(self.work_tree, &recorded.tree).await
        {
            tracing::warn!(problem = %failure.message, "a failed step left its traces");
        }
    }
}

async fn restore(work_tree: &WorkTree, tree: &str) -> Result<(), StepFailure> {
    let failed = |problem: &dyn std::error::Error| {
        let problem = StepFailure::of(FaultClass::Failed, problem).message;
        StepFailure::new(
            FaultClass::Failed,
            format!("the work tree could not be restored: {problem}"),
        )
    };
    let tree: TreeId = tree.parse().map_err(|error| failed(&error))?;
    work_tree
        .restore(&tree)
        .await
        .map_err(|error| failed(&error))
}

impl Run {
    /// Declares the tree that the run begins with, and makes the work tree equal to the last
    /// recorded one; at the beginning of every drive that reads or changes it.
    pub async fn open_tree(&self, work_tree: &WorkTree, base: &TreeId) -> Result<(), RunError> {
        let key = Key::engine("run/tree-base")?.outcome();
        if self.inner.journal().get(&key).is_none() {
            self.inner.may_go_on()?;
            let base = TreeRecorded {
                n: 0,
                tree: base.to_string(),
            };
            self.write(Proposal::of(RecordDraft::new(key, &base)?))
                .await?;
        }
        let recorded = self.inner.journal().view.tree.clone();
        let tree = recorded.map_or_else(|| base.to_string(), |recorded| recorded.tree);
        restore(work_tree, &tree)
            .await
            .map_err(|failure| RunError::Machine {
                run: self.id(),
                problem: failure.message,
            })
    }
}

impl<T: Fact + Clone> StepClass<T> for Once<T> {
    /// Every time it may have happened is asked about on its own: an answer speaks of the past,
    /// never of the attempt that follows it.
    async fn begin(&mut self, run: &Run, key: &Key) -> Result<Begun<T>, RunError> {
        let begun = times_begun(run, key);
        if begun == 0 {
            return mark_begun(run, key, 1).await;
        }
        // Not below the step's own key, which may be as long as a key can be.
        let name = Digest::of(key.as_str()).short();
        let question = Key::engine(format!("run/again-{name}-{begun}"))?;
        let answered = run.ask_engine(question, self.question_card()).await?;
        match answered.value.value {
            AnswerValue::Option { id } if id == "happened" => Ok(Begun::Found(self.assume.clone())),
            AnswerValue::Option { id } if id == "again" => mark_begun(run, key, begun + 1).await,
            AnswerValue::Option { .. }
            | AnswerValue::Text { .. }
            | AnswerValue::Limit { .. }
            | AnswerValue::Decide => Ok(Begun::Refused(StepFailure::new(
                FaultClass::Refused,
                "a person said that this step must not be done",
            ))),
        }
    }
}

fn times_begun(run: &Run, key: &Key) -> u32 {
    let journal = run.inner.journal();
    let began = |n: &u32| journal.get(&key.attempt_part(*n, "began")).is_some();
    u32::try_from((1..).take_while(began).count()).unwrap_or(u32::MAX)
}

async fn mark_begun<T>(run: &Run, key: &Key, number: u32) -> Result<Begun<T>, RunError> {
    let place = key.attempt_part(number, "began");
    run.write(Proposal::of(RecordDraft::new(place, &StepBegan {})?))
        .await?;
    Ok(Begun::Go)
}

impl<T> Once<T> {
    fn question_card(&self) -> Question {
        let options = [
            ("happened", "It happened: go on"),
            ("again", "It did not happen: do it now"),
            ("stop", "Do not do it"),
        ];
        Question {
            purpose: Purpose::Once,
            card: QuestionCard::with_options(
                self.question.clone(),
                Some("The last drive stopped inside a step that must not be done twice.".into()),
                &options,
            ),
            shape: AnswerShape::Choice {
                options: options.map(|(id, _)| id.to_owned()).to_vec(),
            },
            recommended: None,
            audience: Audience::Person,
            deadline: None,
            on_timeout: OnTimeout::Wait,
        }
    }
}
