//! `gavel seal`: checks that anybody can make who has the branch, and what a person adds to a seal.

pub(crate) mod approve;
mod card;
mod journal;
mod places;
mod rerun;
mod show;

use anyhow::Context as _;
use gavel_build::{
    PublicKey, ReadersKeys, SealCheck, SealStatement, SignerStanding, VerifySealError,
    default_branch, pick_branch, verify_seal,
};
use gavel_rules::AskThread;
use gavel_workspace::{
    BranchTip, FileAt, HeadState, Layout, RepoPath, Repository, RepositoryError, TreeId,
};
use serde_json::json;

use self::places::Places;
use crate::args::{SealCommand, SealVerifyArgs};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::seal_keys::{known_by_project, known_by_settings, trust_key, trusted_keys};
use crate::settings::repository_root;

/// No settings file is larger.
const MAX_SETTINGS: usize = 1024 * 1024;

/// A key, and who names it.
struct NamedKey {
    key: PublicKey,
    by: String,
}

/// Keys by how far a reader may go by them.
#[derive(Default)]
struct NamedKeys {
    known: Vec<NamedKey>,
    claimed: Vec<NamedKey>,
}

impl NamedKeys {
    fn who_names(&self, key: Option<PublicKey>) -> Option<&str> {
        let mut all = self.known.iter().chain(&self.claimed);
        let named = all.find(|named| Some(named.key) == key);
        named.map(|named| named.by.as_str())
    }
}

fn named(keys: Vec<PublicKey>, by: &str) -> impl Iterator<Item = NamedKey> {
    keys.into_iter().map(move |key| NamedKey {
        key,
        by: by.to_owned(),
    })
}

/// What a check came to, with everything that is told about it.
struct Told<'a> {
    check: &'a SealCheck,
    branch: &'a BranchTip,
    /// Who names the signer's key.
    named_by: Option<&'a str>,
    /// What was asked for, as a valid seal says it.
    thread: Option<&'a AskThread>,
    /// Where the evidence lies in the sealed tree, by criterion, where it was looked for.
    places: Option<&'a Places>,
}

pub(crate) async fn run(context: &Context, command: SealCommand) -> Result<Exit, Failure> {
    match command {
        SealCommand::Verify(args) => verify(context, &args).await,
        SealCommand::Show(args) => show::run(context, &args).await,
        SealCommand::Approve { run } => Box::pin(approve::run(context, run.as_deref())).await,
        SealCommand::Trust { key } => trust(context, key),
        SealCommand::Key => show_key(context),
    }
}

fn trust(context: &Context, key: PublicKey) -> Result<Exit, Failure> {
    let (file, is_new) = trust_key(key)?;
    let id = key.id();
    context.ui.line(if is_new {
        format!("{id} is known from now on")
    } else {
        format!("{id} was known already")
    });
    context.ui.line(format!(
        "to know it no longer, take its line out of {}",
        file.display()
    ));
    let data = json!({ "public_key": key, "id": id, "new": is_new });
    context.ui.data("seal-trust", &data);
    Ok(Exit::Done)
}

fn show_key(context: &Context) -> Result<Exit, Failure> {
    let key = context.seal_key()?.public();
    context.ui.line(key);
    let data = json!({ "public_key": key, "id": key.id() });
    context.ui.data("seal-key", &data);
    Ok(Exit::Done)
}

/// The repository that the command is meant for.
async fn open_repository(context: &Context) -> Result<Repository, Failure> {
    let folder = repository_root(context.directory()).unwrap_or(context.directory());
    Ok(Repository::open(&context.git()?, folder).await?)
}

/// A branch, checked.
struct Checked {
    repository: Repository,
    branch: BranchTip,
    check: SealCheck,
    /// Who names the signer's key.
    named_by: Option<String>,
    thread: Option<AskThread>,
    places: Places,
}

impl Checked {
    fn told(&self) -> Told<'_> {
        Told {
            check: &self.check,
            branch: &self.branch,
            named_by: self.named_by.as_deref(),
            thread: self.thread.as_ref(),
            places: Some(&self.places),
        }
    }

    /// What the check alone says.
    fn exit(&self) -> Exit {
        match (self.check.is_valid(), self.check.signer) {
            (false, _) => Exit::Gate,
            (true, SignerStanding::Unknown | SignerStanding::Claimed) => Exit::Refused,
            (true, SignerStanding::Known) => Exit::Done,
        }
    }
}

/// Checks the branch that is meant, with everything that is known about its signer.
async fn check(
    context: &Context,
    named: Option<&str>,
    keys: &[PublicKey],
) -> Result<Checked, Failure> {
    let repository = open_repository(context).await?;
    let branches = repository.branches().await.map_err(unread)?;
    let head = repository.head().await?;
    let branch = pick_branch(&branches, &head, named).ok_or_else(|| no_branch(named))?;
    let names = known_keys(context, &repository, (&branches, &head, branch), keys).await?;
    let listed =
        |names: &[NamedKey]| -> Vec<PublicKey> { names.iter().map(|named| named.key).collect() };
    let (known, claimed) = (listed(&names.known), listed(&names.claimed));
    let readers = ReadersKeys {
        known: &known,
        claimed: &claimed,
    };
    let check = verify_seal(&repository, branch, readers).await?;
    let sealed = check.statement.as_ref().filter(|_| check.is_valid());
    let thread = sealed.map(|statement| statement.predicate.thread());
    let places = match (sealed, &thread) {
        (Some(statement), Some(thread)) => evidence_places(&repository, statement, thread).await?,
        (None, _) | (_, None) => Places::new(),
    };
    let branch = branch.clone();
    Ok(Checked {
        named_by: names.who_names(check.key).map(str::to_owned),
        repository,
        branch,
        check,
        thread,
        places,
    })
}

/// Where the evidence lies in the tree that the statement is about.
async fn evidence_places(
    repository: &Repository,
    statement: &SealStatement,
    thread: &AskThread,
) -> Result<Places, Failure> {
    let Some(tree) = statement
        .tree()
        .and_then(|tree| tree.parse::<TreeId>().ok())
    else {
        return Ok(Places::new());
    };
    let files = repository.texts_of(&tree).await.map_err(unread)?;
    Ok(places::places(thread, &statement.predicate, &files))
}

async fn verify(context: &Context, args: &SealVerifyArgs) -> Result<Exit, Failure> {
    let checked = check(context, args.branch.as_deref(), &args.keys).await?;
    let told = checked.told();
    card::show(&context.ui, &told);
    let mut data = card::as_json(&told);
    let uncommitted = uncommitted(context, &checked.repository).await?;
    card::show_uncommitted(&context.ui, uncommitted.as_deref());
    let dirty = uncommitted.as_ref().map(|files| !files.is_empty());
    card::add(&mut data, "dirty", json!(dirty));
    card::add(&mut data, "uncommitted", json!(uncommitted));
    let mut exit = checked.exit();
    let statement = checked.check.statement.clone();
    // Nothing is run or compared for a seal that does not hold.
    if let Some(statement) = statement.filter(|_| checked.check.is_valid()) {
        if let Some(run) = &args.journal {
            let compared = journal::compare(context, &checked.check, run.as_deref()).await?;
            exit = worse(exit, compared.exit());
            card::add(&mut data, "journal", compared.as_json());
        }
        if args.rerun {
            let repository = checked.repository;
            let reran = Box::pin(rerun::repeat(context, repository, &statement)).await?;
            exit = worse(exit, reran.exit());
            card::add(&mut data, "rerun", reran.as_json());
        }
    }
    context.ui.data("seal-verify", &data);
    Ok(exit)
}

/// The files of the checkout that no commit holds as they are; none where there is no checkout, or no commit.
async fn uncommitted(
    context: &Context,
    repository: &Repository,
) -> Result<Option<Vec<String>>, Failure> {
    let folder = repository_root(context.directory()).unwrap_or(context.directory());
    let commit = match (repository.layout(), repository.head().await?) {
        (Layout::Bare, _) | (_, HeadState::Unborn { .. }) => return Ok(None),
        (
            Layout::Checkout | Layout::LinkedWorkTree,
            HeadState::Branch { commit, .. } | HeadState::Detached { commit },
        ) => commit,
    };
    let files = repository.uncommitted(folder, &commit).await;
    Ok(Some(files.map_err(unread)?))
}

/// The exit code that says most: what differs, then what could not be compared, then who signed.
fn worse(before: Exit, further: Option<Exit>) -> Exit {
    match (before, further) {
        (before, None) => before,
        (Exit::Gate, Some(_)) => Exit::Gate,
        (_, Some(further)) => further,
    }
}

fn no_branch(named: Option<&str>) -> Failure {
    match named {
        Some(name) => Failure::usage(format!("there is no branch `{name}` here"))
            .hint("git branch --all lists them; git fetch brings those of others"),
        None => Failure::usage("there is no build branch here")
            .hint("name the branch, or git fetch it first"),
    }
}

/// Every key that the reader knows, and apart from them those that the repository names for itself.
/// Never one that only the judged branch names.
async fn known_keys(
    context: &Context,
    repository: &Repository,
    (branches, head, judged): (&[BranchTip], &HeadState, &BranchTip),
    by_flag: &[PublicKey],
) -> Result<NamedKeys, Failure> {
    let mut names = NamedKeys::default();
    let by_settings = known_by_settings(&context.settings()?)?;
    for (keys, by) in [
        (by_flag.to_vec(), "named by --key"),
        (by_settings, "seal.keys of your settings"),
        (trusted_keys()?, "accepted with gavel seal trust"),
    ] {
        names.known.extend(named(keys, by));
    }
    let said = said_default(repository, head).await?;
    match default_branch(branches, head, said.as_deref(), judged) {
        Some(main) => {
            let keys = keys_of(repository, main).await?;
            let by = format!("gavel.toml of {}", main.short());
            names.claimed.extend(named(keys, &by));
        }
        None => context
            .ui
            .note("note: no default branch was found here, so no gavel.toml was asked for keys"),
    }
    match context.own_key() {
        Ok(own) => {
            let own = own.into_iter().collect();
            names.known.extend(named(own, "this machine's own key"));
        }
        // Somebody else's seal can be judged without it.
        Err(failure) => context.ui.note(format!("note: {}", failure.message())),
    }
    Ok(names)
}

/// The branch that somebody calls the default: in a clone its origin, in a bare repository HEAD.
async fn said_default(
    repository: &Repository,
    head: &HeadState,
) -> Result<Option<String>, Failure> {
    match (repository.layout(), head) {
        (Layout::Bare, HeadState::Branch { name, .. }) => Ok(Some(format!("refs/heads/{name}"))),
        (Layout::Bare | Layout::Checkout | Layout::LinkedWorkTree, _) => {
            repository.remote_default("origin").await.map_err(unread)
        }
    }
}

/// The keys in the settings of a branch, as they are committed there.
async fn keys_of(repository: &Repository, branch: &BranchTip) -> Result<Vec<PublicKey>, Failure> {
    let wrong = |error: anyhow::Error| {
        let place = format!("gavel.toml of {}", branch.short());
        Failure::new(Exit::Usage, error.context(place))
    };
    let file = RepoPath::new("gavel.toml").map_err(|error| wrong(error.into()))?;
    let found = repository.file_at(&branch.commit, &file, MAX_SETTINGS);
    match found.await.map_err(unread)? {
        FileAt::File(bytes) => {
            let text = String::from_utf8(bytes).context("not UTF-8");
            text.and_then(|text| known_by_project(&text)).map_err(wrong)
        }
        FileAt::Missing => Ok(Vec::new()),
        FileAt::TooLarge | FileAt::NotAFile => {
            Err(wrong(anyhow::anyhow!("no file that can be read")))
        }
    }
}

fn unread(error: gavel_workspace::GitError) -> Failure {
    Failure::new(Exit::Failed, error)
}

impl From<RepositoryError> for Failure {
    fn from(error: RepositoryError) -> Self {
        let exit = match error {
            RepositoryError::NotARepository { .. }
            | RepositoryError::BrokenLink { .. }
            | RepositoryError::Exists { .. }
            | RepositoryError::Foreign { .. }
            | RepositoryError::OrphanHead => Exit::Usage,
            RepositoryError::Unsound(_) => Exit::Refused,
            RepositoryError::Io { .. } | RepositoryError::Git(_) => Exit::Failed,
        };
        Self::new(exit, error)
    }
}

impl From<VerifySealError> for Failure {
    fn from(error: VerifySealError) -> Self {
        let exit = match error {
            VerifySealError::Git(_) => Exit::Failed,
            VerifySealError::Path(_) => Exit::Bug,
        };
        Self::new(exit, error)
    }
}
