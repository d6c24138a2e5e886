//! `gavel seal verify`: a check that anybody can make who has the branch.

mod card;

use anyhow::Context as _;
use gavel_build::{
    PublicKey, SealCheck, SignerStanding, VerifySealError, default_branch, pick_branch, verify_seal,
};
use gavel_workspace::{
    BranchTip, FileAt, HeadState, Layout, RepoPath, Repository, RepositoryError,
};
use serde_json::json;

use crate::args::SealCommand;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::seal_keys::{known_by_project, known_by_settings};
use crate::settings::repository_root;

/// No settings file is larger.
const MAX_SETTINGS: usize = 1024 * 1024;

/// A key that the reader knows, and from where.
struct KnownKey {
    key: PublicKey,
    by: String,
}

/// What a check came to, with everything that is told about it.
struct Told<'a> {
    check: &'a SealCheck,
    branch: &'a BranchTip,
    /// From where the signer is known.
    known_by: Option<&'a str>,
}

pub(crate) async fn run(context: &Context, command: SealCommand) -> Result<Exit, Failure> {
    match command {
        SealCommand::Verify { branch, keys } => verify(context, branch.as_deref(), &keys).await,
        SealCommand::Key => show_key(context),
    }
}

fn show_key(context: &Context) -> Result<Exit, Failure> {
    let key = context.seal_key()?.public();
    context.ui.line(key);
    let data = json!({ "public_key": key, "id": key.id() });
    context.ui.data("seal-key", &data);
    Ok(Exit::Done)
}

async fn verify(
    context: &Context,
    named: Option<&str>,
    keys: &[PublicKey],
) -> Result<Exit, Failure> {
    let folder = repository_root(context.directory()).unwrap_or(context.directory());
    let repository = Repository::open(&context.git()?, folder).await?;
    let branches = repository.branches().await.map_err(unread)?;
    let head = repository.head().await?;
    let branch = pick_branch(&branches, &head, named).ok_or_else(|| no_branch(named))?;
    let known = known_keys(context, &repository, (&branches, &head, branch), keys).await?;
    let listed: Vec<PublicKey> = known.iter().map(|known| known.key).collect();
    let check = verify_seal(&repository, branch, &listed).await?;
    let by = known.iter().find(|known| Some(known.key) == check.key);
    let told = Told {
        check: &check,
        branch,
        known_by: by.map(|known| known.by.as_str()),
    };
    card::show(&context.ui, &told);
    context.ui.data("seal-verify", &card::as_json(&told));
    Ok(match (check.is_valid(), check.signer) {
        (false, _) => Exit::Gate,
        (true, SignerStanding::Unknown) => Exit::Refused,
        (true, SignerStanding::Known) => Exit::Done,
    })
}

fn no_branch(named: Option<&str>) -> Failure {
    match named {
        Some(name) => Failure::usage(format!("there is no branch `{name}` here"))
            .hint("git branch --all lists them; git fetch brings those of others"),
        None => Failure::usage("there is no build branch here")
            .hint("name the branch, or git fetch it first"),
    }
}

/// Every key that the reader knows. Never one that only the judged branch names.
async fn known_keys(
    context: &Context,
    repository: &Repository,
    (branches, head, judged): (&[BranchTip], &HeadState, &BranchTip),
    named: &[PublicKey],
) -> Result<Vec<KnownKey>, Failure> {
    let mut known: Vec<KnownKey> = Vec::new();
    let mut learn = |keys: Vec<PublicKey>, by: &str| {
        known.extend(keys.into_iter().map(|key| KnownKey {
            key,
            by: by.to_owned(),
        }));
    };
    learn(named.to_vec(), "named by --key");
    learn(
        known_by_settings(&context.settings()?)?,
        "seal.keys of your settings",
    );
    let said = said_default(repository, head).await?;
    match default_branch(branches, head, said.as_deref(), judged) {
        Some(main) => {
            let keys = keys_of(repository, main).await?;
            learn(keys, &format!("gavel.toml of {}", main.short()));
        }
        None => context
            .ui
            .note("note: no default branch was found here, so no gavel.toml was asked for keys"),
    }
    match context.own_key() {
        Ok(own) => learn(own.into_iter().collect(), "this machine's own key"),
        // Somebody else's seal can be judged without it.
        Err(failure) => context.ui.note(format!("note: {}", failure.message())),
    }
    Ok(known)
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
            | RepositoryError::OrphanHead => Exit::Usage,
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
