//! Memory as a command has it: the files of the checkout, and what the store holds for the project.

use std::path::{Path, PathBuf};

use gavel_domain::{ProjectId, Speaker, Timestamp};
use gavel_memory::{
    FindError, ItemId, Memory, Shelf, ShelfPlace, Stamp, Written, keep_written, project_key,
};
use gavel_product::Candidate;
use gavel_store::{Access, Store as _};

use crate::commands::lessons;
use crate::context::Context;
use crate::failure::Failure;
use crate::project;

/// The memory of one project.
pub(crate) struct Desk<'a> {
    context: &'a Context,
    pub(crate) root: PathBuf,
    pub(crate) project: Option<ProjectId>,
    pub(crate) memory: Memory,
    pub(crate) now: Timestamp,
    /// What runs learned and nobody decided about, once somebody looked for it.
    pub(crate) lessons: Vec<Candidate>,
    key: String,
    lines: Vec<String>,
}

impl<'a> Desk<'a> {
    /// Opens the memory of the project of the current folder. A store that is not there is not made.
    pub(crate) async fn open(context: &'a Context) -> Result<Self, Failure> {
        let root = project::root(context.directory())?;
        Self::at(context, &root).await
    }

    /// Opens the memory of a checkout.
    pub(crate) async fn at(context: &'a Context, root: &Path) -> Result<Self, Failure> {
        let project = project::of(root)?;
        let key = project_key(project, root);
        let store = context.store(Access::ReadOnly).await?;
        let lines = store.memory_lines(&key).await?;
        Ok(Self {
            context,
            memory: Memory::open_with(root, &lines)?,
            root: root.to_owned(),
            project,
            now: Context::clock().now(),
            lessons: Vec::new(),
            key,
            lines,
        })
    }

    /// Finds an item by what a person calls it. What runs learned and nobody decided about is an item
    /// as well; their journals are only read when nothing else is called so.
    pub(crate) async fn find(&mut self, name: &str) -> Result<ItemId, Failure> {
        match self.memory.item(name) {
            Ok(item) => return Ok(item.id),
            Err(FindError::None { .. }) => {}
            Err(several @ FindError::Several { .. }) => return Err(several.into()),
        }
        self.offer_lessons().await?;
        Ok(self.memory.item(name)?.id)
    }

    /// Shows what runs learned among the proposals.
    pub(crate) async fn offer_lessons(&mut self) -> Result<(), Failure> {
        let lessons = lessons::undecided_of(self.context, &self.root, &self.memory).await?;
        for lesson in &lessons {
            lessons::offer(&mut self.memory, lesson)?;
        }
        self.lessons = lessons;
        Ok(())
    }

    /// Writes as the person at this command line, and hands over to the store what it shall hold.
    pub(crate) async fn write<E: Into<Failure>>(
        &mut self,
        act: impl FnOnce(&mut Memory, &mut Stamp<'_>) -> Result<Written, E>,
    ) -> Result<Written, Failure> {
        let mut draw = gavel_run::fresh_id;
        let mut stamp = Stamp::new(self.now, Speaker::PERSON, &mut draw);
        let written = act(&mut self.memory, &mut stamp).map_err(Into::into)?;
        self.keep(written.clone()).await?;
        Ok(written)
    }

    /// Hands over to the store what it shall hold, if anything.
    pub(crate) async fn keep(&self, written: Written) -> Result<(), Failure> {
        if written.is_settled() {
            return Ok(());
        }
        let store = self.context.store(Access::ReadWrite).await?;
        keep_written(store.as_ref(), &self.key, written).await?;
        Ok(())
    }

    /// The index over all of it.
    pub(crate) async fn shelf(&self) -> Result<Shelf, Failure> {
        let place = ShelfPlace {
            checkout: self.root.clone(),
            cache: self.context.index(),
            lines: self.lines.clone(),
        };
        Ok(Shelf::open(&place).await?)
    }
}
