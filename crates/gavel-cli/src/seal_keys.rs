//! The key that this machine signs with, and the keys that a reader knows.
//!
//! The private key lies in a folder and a file that nobody else can read, or it is not used.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use gavel_build::{PublicKey, SealKey};
use gavel_workspace::Protected;

use crate::context::Context;
use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::providers::Whose;
use crate::settings::Loaded;

const FILE: &str = "seal.pk8";
/// Keys of others that the person accepted, one a line.
const TRUSTED: &str = "trusted";
/// Everybody but the owner.
const OTHERS: u32 = 0o077;

impl Context {
    /// The key that signs on this machine; made when there is none.
    ///
    /// Two processes that make it at once end up with the same one.
    pub(crate) fn seal_key(&self) -> Result<SealKey, Failure> {
        let folder = keys_folder().ok_or_else(|| {
            Failure::usage("there is no home folder to keep the seal key in")
                .hint("set XDG_DATA_HOME to an absolute path")
        })?;
        if let Some(key) = load(&folder)? {
            return Ok(key);
        }
        make(&folder)?;
        load(&folder)?.ok_or_else(|| {
            let gone = anyhow!("{} is gone again", folder.join(FILE).display());
            Failure::new(Exit::Conflict, gone)
        })
    }

    /// The public half of this machine's key, if it has one; makes nothing.
    pub(crate) fn own_key(&self) -> Result<Option<PublicKey>, Failure> {
        let key = keys_folder().map(|folder| load(&folder)).transpose()?;
        Ok(key.flatten().map(|key| key.public()))
    }
}

/// Puts the keys out of reach of every command, by the name that they have and by the real one.
pub(crate) fn protect(protected: Protected) -> Protected {
    let Some(folder) = keys_folder() else {
        return protected;
    };
    match folder.canonicalize() {
        Ok(real) if real != folder => protected.and_sealed(real).and_sealed(folder),
        Ok(_) | Err(_) => protected.and_sealed(folder),
    }
}

/// The keys that the person's own settings name.
pub(crate) fn known_by_settings(settings: &Loaded) -> Result<Vec<PublicKey>, Failure> {
    let found = settings.effective.iter().find(|e| e.key == "seal.keys");
    let listed = found.and_then(|found| found.value.as_array());
    let texts = listed.into_iter().flatten().filter_map(|key| key.as_str());
    texts
        .map(|text| {
            text.parse()
                .context("seal.keys")
                .map_err(|error| Failure::new(Exit::Usage, error))
        })
        .collect()
}

/// The keys that the person accepted with `gavel seal trust`.
pub(crate) fn trusted_keys() -> Result<Vec<PublicKey>, Failure> {
    let Some(file) = keys_folder().map(|folder| folder.join(TRUSTED)) else {
        return Ok(Vec::new());
    };
    let wrong = |error: anyhow::Error| Failure::new(Exit::Usage, error);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(wrong(anyhow!(error).context(file.display().to_string())));
        }
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let keys = lines.map(|line| {
        line.parse()
            .with_context(|| file.display().to_string())
            .map_err(wrong)
    });
    keys.collect()
}

/// Accepts a key for good: the file that names it, and whether it is new there.
pub(crate) fn trust_key(key: PublicKey) -> Result<(PathBuf, bool), Failure> {
    let folder = keys_folder().ok_or_else(|| {
        Failure::usage("there is no home folder to keep keys in")
            .hint("set XDG_DATA_HOME to an absolute path")
    })?;
    let file = folder.join(TRUSTED);
    if trusted_keys()?.contains(&key) {
        return Ok((file, false));
    }
    let append = || -> io::Result<()> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)?;
        let mut options = OpenOptions::new();
        let mut opened = options.append(true).create(true).mode(0o600).open(&file)?;
        // One write: two processes that accept keys at once do not mix their lines.
        opened.write_all(format!("{key}\n").as_bytes())?;
        opened.sync_all()
    };
    append().map_err(|error| {
        let error = anyhow!(error).context(file.display().to_string());
        Failure::new(Exit::Failed, error)
    })?;
    Ok((file, true))
}

/// The keys that the text of a `gavel.toml` names.
pub(crate) fn known_by_project(text: &str) -> anyhow::Result<Vec<PublicKey>> {
    let table: toml::Table = toml::from_str(text).context("not valid TOML")?;
    let Some(keys) = table.get("seal").and_then(|seal| seal.get("keys")) else {
        return Ok(Vec::new());
    };
    let listed = keys.as_array().context("seal.keys is not a list")?;
    let read = |key: &toml::Value| {
        let text = key.as_str().context("a key of seal.keys is not a text")?;
        Ok(text.parse::<PublicKey>()?)
    };
    listed.iter().map(read).collect()
}

/// Takes the keys out of a project's settings: what is checked out may be the very branch whose
/// seal is in doubt. The default branch's are read by `seal verify`.
pub(crate) fn leave_out(table: &mut toml::Table, whose: Whose) {
    let project = match whose {
        Whose::User => return,
        Whose::Project => table,
    };
    if let Some(toml::Value::Table(seal)) = project.get_mut("seal") {
        seal.remove("keys");
    }
}

fn keys_folder() -> Option<PathBuf> {
    let data = environment::folder("XDG_DATA_HOME", ".local/share")?;
    Some(data.join("gavel/keys"))
}

/// Reads the key if it is there and nobody else could have read it.
fn load(folder: &Path) -> Result<Option<SealKey>, Failure> {
    let file = folder.join(FILE);
    let found = match file.symlink_metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&file, error)),
    };
    if !found.is_file() {
        return Err(refused(&file, "is not a plain file", "move it away"));
    }
    let around = folder
        .metadata()
        .map_err(|error| failed(folder, error))?
        .permissions();
    for (path, mode, remedy) in [
        (folder, around.mode(), "chmod 700"),
        (file.as_path(), found.permissions().mode(), "chmod 600"),
    ] {
        if mode & OTHERS != 0 {
            let problem = format!("can be read or changed by others (mode {:o})", mode & 0o777);
            let remedy = format!(
                "if nobody else had it: {remedy} '{}'; else remove the key, so that a new one is made",
                path.display()
            );
            return Err(refused(path, &problem, &remedy));
        }
    }
    let bytes = fs::read(&file).map_err(|error| failed(&file, error))?;
    let key = SealKey::from_pkcs8(&bytes).map_err(|error| {
        let error = anyhow::Error::new(error).context(file.display().to_string());
        Failure::new(Exit::Failed, error).hint("put the right file back, or move this one away")
    })?;
    Ok(Some(key))
}

/// Makes a key and puts it in place whole: a half-written key is never seen under its name, and a
/// key that is there is never replaced.
fn make(folder: &Path) -> Result<(), Failure> {
    let mut builder = DirBuilder::new();
    let made = builder.recursive(true).mode(0o700).create(folder);
    made.map_err(|error| failed(folder, error))?;
    let (bytes, _) = SealKey::generate().map_err(|error| Failure::new(Exit::Failed, error))?;
    let draft = folder.join(format!("{FILE}.{}", gavel_run::fresh_id().simple()));
    let placed = write_new(&draft, &bytes).and_then(|()| {
        match fs::hard_link(&draft, folder.join(FILE)) {
            // Another process was faster: its key counts.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            placed => placed,
        }
    });
    let removed = fs::remove_file(&draft);
    placed.map_err(|error| failed(&folder.join(FILE), error))?;
    removed.map_err(|error| failed(&draft, error))
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    // Whatever the umask says: not less, and the mode above saw to not more.
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn failed(path: &Path, error: io::Error) -> Failure {
    let error = anyhow::Error::new(error).context(path.display().to_string());
    Failure::new(Exit::Failed, error)
}

fn refused(path: &Path, problem: &str, remedy: &str) -> Failure {
    let problem = anyhow!("the seal key is not used: {} {problem}", path.display());
    Failure::new(Exit::Refused, problem).hint(remedy)
}
