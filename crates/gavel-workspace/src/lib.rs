//! Git, files, code reading, secret scanner, sandbox, verify recipes.

mod command;
mod credentials;
mod examples;
mod git;
mod held_aside;
mod inspect;
mod mutation;
mod path;
mod registries;
mod registry_proxy;
mod remove_tree;
mod run_origin;
mod sandbox;
mod search;
mod secrets;
mod syntax;
mod tree_root;
mod verify;
mod walk;

pub use command::{
    Argv, ArgvError, CommandError, CommandOutcome, CommandSpec, Commands, Exit, Output,
    SandboxDoor, ShellWord, WithoutSandbox,
};
pub use credentials::{credential_values, is_credential_file, is_test_credential, is_token_free};
pub use examples::{
    ExampleError, ExampleExecution, ExamplePlan, ExampleSeen, Program, ProgramError, ProgramFound,
    build_program, execute_example,
};
pub use git::{
    Author, BranchError, BranchPrefix, BranchTip, BuildBranch, ChangeKind, ChangedFile, Checkout,
    CommitError, CommitId, CommitMessage, Diff, EntryChange, FileAt, GitError, GitVersion,
    HeadState, LargeFile, Layout, LocalRemote, LocalRemoteError, LocalTransportError, LogEntry,
    MessageError, NewCommit, ObjectIdError, PushError, ReadCommit, Refused, Remote, RemoteError,
    RemoteUrl, Repository, RepositoryClass, RepositoryError, StepMark, TakenBack, TextAt,
    TreeEntry, TreeId, TreeText, Unsound, UnsoundKind, WorkTree, WorkTreeError, WorkTreePlace,
    is_gavels_own, listed_settings, own_git_dir,
};
pub use held_aside::HeldAside;
pub use inspect::{
    ExpectedTest, FailToPass, LaidOver, expected_tests, fail_to_pass, lay_over, read_tests,
    read_work_file,
};
pub use mutation::{
    Alarm, Alarms, Decoy, Exclusion, Exclusions, Fault, FaultKind, FaultPlace, MutationError,
    MutationTool, PlantRequest, PlantedTree, Switch, find_fault_places, is_product_file,
};
pub use path::{PathError, RepoDir, RepoPath, TreeName};
pub use registries::{
    MavenMirror, OpenNetwork, PersonRegistries, ProjectCommands, Registries, ScriptHosts, Upstream,
    registries_of,
};
pub use remove_tree::remove_tree;
pub use run_origin::{Belonging, ProjectFolder, RunOrigin};
pub use sandbox::{
    Confinement, Ending, Gap, HttpAnswer, HttpProbe, Limits, OrphanError, Places, Policy,
    PolicyError, Profile, Protected, SANDBOX_EXEC, Toolchains, Walls, sandbox_exec,
    wait_for_orphans,
};
pub use search::{
    Case, FoundLine, Pattern, SearchError, SearchGaps, SearchLimits, SearchQuery, SearchResult,
};
pub use secrets::{Scrubbed, Scrubber, ScrubberError, SecretKind};
pub use syntax::{SourceLanguage, SyntaxCheckError, SyntaxProblem, SyntaxReport, check_syntax};
pub use tree_root::{FileContent, FileError, TreeRoot};
pub use verify::{
    BuiltProgram, CargoPrograms, Closings, Counts, FileLimit, FileList, InstallRan, Judgement,
    Lane, ListedCount, LoneRun, LoneTest, LoneVerdict, NodeInstall, NodeManager, PythonInstall,
    Recipe, RecipeFound, Recipes, ScriptRunner, Smoke, SmokePlan, SmokeSeen, TestFolder,
    TestListing, TestNames, TreeFiles, Verification, VerifyError, VerifyPlan, VerifyReason,
    VerifySettings, VerifySettingsError, built_programs, cargo_programs, count_listed, coverage,
    find_recipe, install_dependencies, judge, list_tests, recipe_of, remove_lanes,
    resolved_command, restored, run_alone, runner_settings, runs_tests_alone, smoke, test_names,
    verify, wait_for_lanes,
};
pub use walk::{Entry, EntryKind, FileStamp, Listing, StampedFile, StampedFiles, Walked};
