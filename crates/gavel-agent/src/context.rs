//! What tools work with: handles to one tree, and to the commands that may run in it.

use std::sync::Arc;

use gavel_workspace::{Scrubber, TreeRoot, WorkTree};

use crate::{Cap, CommandRoom, Source, ToolRefusal};

/// The handles that a tool gets. Made by whoever starts an agent, for one tree.
#[derive(Debug, Clone)]
pub struct ToolContext {
    files: Arc<TreeRoot>,
    scrubber: Arc<Scrubber>,
    tree: Option<Arc<WorkTree>>,
    commands: Option<Arc<CommandRoom>>,
    sources: Vec<Arc<dyn Source>>,
    cap: Cap,
}

impl ToolContext {
    /// A tree that is only read. The scrubber takes secrets out of everything that tools answer.
    pub const fn reading(files: Arc<TreeRoot>, scrubber: Arc<Scrubber>) -> Self {
        Self {
            files,
            scrubber,
            tree: None,
            commands: None,
            sources: Vec::new(),
            cap: Cap::RESULT,
        }
    }

    /// The same as the work tree of a build, which steps restore and record.
    #[must_use]
    pub fn with_tree(mut self, tree: Arc<WorkTree>) -> Self {
        self.tree = Some(tree);
        self
    }

    /// The same, with commands.
    #[must_use]
    pub fn with_commands(mut self, room: Arc<CommandRoom>) -> Self {
        self.commands = Some(room);
        self
    }

    /// The same, with sources outside the project.
    #[must_use]
    pub fn with_sources(mut self, sources: Vec<Arc<dyn Source>>) -> Self {
        self.sources = sources;
        self
    }

    /// The same for results of at most this size.
    #[must_use]
    pub fn with_cap(mut self, cap: Cap) -> Self {
        self.cap = cap;
        self
    }

    /// How long a result may be.
    pub const fn cap(&self) -> Cap {
        self.cap
    }

    /// True when there is a work tree that may be changed.
    pub const fn has_tree(&self) -> bool {
        self.tree.is_some()
    }

    /// True when commands can be run.
    pub const fn has_commands(&self) -> bool {
        self.commands.is_some()
    }

    /// The files.
    pub fn files(&self) -> &TreeRoot {
        &self.files
    }

    /// Who outside the project can be asked.
    pub fn sources(&self) -> &[Arc<dyn Source>] {
        &self.sources
    }

    /// Takes secrets out of a text.
    pub fn scrub(&self, text: &str) -> String {
        self.scrubber.scrub(text).text
    }

    /// The work tree that steps restore and record.
    pub(crate) fn tree(&self) -> Result<&WorkTree, ToolRefusal> {
        self.tree.as_deref().ok_or_else(|| {
            ToolRefusal::new("this tree is only read here: no tool may change it or run in it")
        })
    }

    /// The commands.
    pub(crate) fn commands(&self) -> Result<&CommandRoom, ToolRefusal> {
        self.commands.as_deref().ok_or_else(|| {
            ToolRefusal::new("no command can be run here: work with the files alone")
        })
    }

    /// Does something that blocks, off the runtime's threads.
    pub(crate) async fn blocking<T, F>(&self, work: F) -> Result<T, ToolRefusal>
    where
        T: Send + 'static,
        F: FnOnce(&Self) -> Result<T, ToolRefusal> + Send + 'static,
    {
        let context = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&context)).await;
        done.unwrap_or_else(|lost| Err(ToolRefusal::from_error(&lost)))
    }
}
