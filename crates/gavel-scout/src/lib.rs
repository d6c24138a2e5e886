//! What a repository is: its stack with real versions, its map, checks with file and line, and a plan to
//! renew it. Facts only: no model is asked, nothing is written, and what was not read is said.

mod assemble;
mod checks;
mod finding;
mod folders;
mod graph;
mod imports;
mod language;
mod lines;
mod lock;
mod manifest;
mod mask;
mod models;
mod plan;
mod quick;
mod reading;
mod routes;
mod sarif;
mod scan;
mod source;
mod survey;
mod technology;
mod tree;

pub use finding::{Check, Finding, Severity};
pub use folders::{FolderRole, Layer};
pub use graph::{Cycle, DeadImport, GroupEdge, ImportGraph, ModuleGroup};
pub use language::Language;
pub use plan::{
    Brief, Grade, Latest, Level, Pattern, PatternKind, RenovationPlan, Task, VersionLine,
    VersionStatus, plan,
};
pub use quick::{QuickScan, Snapshot, scan_quick};
pub use sarif::sarif;
pub use scan::{Limits, Scan, scan_deep};
pub use survey::{
    ConfigSource, DataModel, Dependency, DependencyScope, EntryKind, EntryPoint, Evidence, Folder,
    Gap, GapReason, LanguageShare, LayerShare, Requirement, Route, Stack, Stated, Survey,
    Technology, TestCount, Workspace,
};
pub use technology::TechnologyKind;
pub use tree::{Content, DiskTree, MemoryTree, SourceTree};
