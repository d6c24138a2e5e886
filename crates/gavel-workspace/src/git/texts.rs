//! The texts of a whole tree, for rules that read every file of it.

use super::call::{Call, Git, GitError, Plumbing};
use super::entries::contents;
use super::object_id::TreeId;
use super::repository::Repository;
use super::worktree::WorkTree;

/// Larger files are not read: no source file that people write is.
const MAX_FILE: u64 = 4 * 1024 * 1024;
/// The most that is read of all files together.
const MAX_ALL: u64 = 128 * 1024 * 1024;
/// The most that is read in one call.
const MAX_CALL: u64 = 32 * 1024 * 1024;

/// What a file of a tree holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextAt {
    /// A text, whole.
    Text(String),
    /// A NUL is in it: no text.
    Binary,
    /// A text in another encoding than UTF-8, or a name in one.
    NotUtf8,
    /// Too large to be read, by itself or with all the others.
    TooLarge,
    /// A symlink, wherever it leads.
    Link,
    /// A submodule, or another repository.
    Submodule,
    /// A credential file, which is never read from a disk.
    Credential,
}

impl TextAt {
    /// What these bytes are.
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        if bytes.contains(&0) {
            return Self::Binary;
        }
        String::from_utf8(bytes).map_or(Self::NotUtf8, Self::Text)
    }
}

/// A file of a tree with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeText {
    /// Its path from the root, with `/`; what is not UTF-8 in it is shown as a mark.
    pub path: String,
    /// What it holds.
    pub text: TextAt,
}

impl Repository {
    /// All files of a tree as they are stored, in the order of names.
    pub async fn texts_of(&self, tree: &TreeId) -> Result<Vec<TreeText>, GitError> {
        texts(self.git(), tree).await
    }
}

impl WorkTree {
    /// All files of a tree as they are stored, in the order of names.
    pub async fn texts_of(&self, tree: &TreeId) -> Result<Vec<TreeText>, GitError> {
        texts(&self.inside, tree).await
    }
}

/// A file that may be read.
struct Wanted {
    place: usize,
    id: String,
    bytes: u64,
}

async fn texts(git: &Git, tree: &TreeId) -> Result<Vec<TreeText>, GitError> {
    let call = Call::new(Plumbing::LsTree)
        .args(["-r", "-l", "-z", "--full-tree"])
        .arg(tree.as_str());
    let answer = git.run(call).await?;
    let mut files = Vec::new();
    let mut wanted = Vec::new();
    let lines = answer.stdout.split(|byte| *byte == 0);
    for line in lines.filter(|line| !line.is_empty()) {
        let tab = line.iter().position(|byte| *byte == b'\t');
        let parts = tab.and_then(|tab| line.split_at_checked(tab));
        let (meta, path) = parts.ok_or_else(|| answer.garbled())?;
        let meta = String::from_utf8_lossy(meta);
        let fields: Vec<&str> = meta.split_whitespace().collect();
        let [mode, _, id, size] = fields.as_slice() else {
            return Err(answer.garbled());
        };
        let path = path.get(1..).unwrap_or_default();
        let text = match *mode {
            "120000" => TextAt::Link,
            "160000" => TextAt::Submodule,
            _ if str::from_utf8(path).is_err() => TextAt::NotUtf8,
            _ => {
                let bytes = size.parse().map_err(|_error| answer.garbled())?;
                wanted.push(Wanted {
                    place: files.len(),
                    id: (*id).to_owned(),
                    bytes,
                });
                TextAt::TooLarge
            }
        };
        files.push(TreeText {
            path: String::from_utf8_lossy(path).into_owned(),
            text,
        });
    }
    for call in calls(wanted) {
        let ids: Vec<&str> = call.iter().map(|wanted| wanted.id.as_str()).collect();
        let read = contents(git, &ids).await?;
        for (wanted, bytes) in call.iter().zip(read) {
            if let Some(file) = files.get_mut(wanted.place) {
                file.text = TextAt::of(bytes);
            }
        }
    }
    Ok(files)
}

/// Small files first, as far as the limits go: a few large ones must not keep all others unread.
fn calls(mut wanted: Vec<Wanted>) -> Vec<Vec<Wanted>> {
    wanted.sort_by_key(|wanted| (wanted.bytes, wanted.place));
    let mut calls: Vec<Vec<Wanted>> = Vec::new();
    let (mut all, mut in_call) = (0, MAX_CALL);
    for one in wanted {
        all += one.bytes;
        if one.bytes > MAX_FILE || all > MAX_ALL {
            break;
        }
        in_call += one.bytes;
        match calls.last_mut() {
            Some(call) if in_call <= MAX_CALL => call.push(one),
            Some(_) | None => {
                in_call = one.bytes;
                calls.push(vec![one]);
            }
        }
    }
    calls
}
